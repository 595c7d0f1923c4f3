// SPDX-License-Identifier: BSD-2-Clause
// A C++ program with long names, inlined functions, recursion, temporary blocks and a leak.
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Node {
	std::string name;
	std::vector<int> values;
};

static std::map<std::string, std::unique_ptr<Node>> nodes;
static std::vector<std::string> keepers;

static void fill(int i)
{
	auto node = std::make_unique<Node>();

	node->name = std::string(40, static_cast<char>('a' + i % 26)) + std::to_string(i);
	node->values.assign(i % 300, i);
	nodes[node->name] = std::move(node);
}

static int recurse(int depth)
{
	if (!depth) {
		keepers.push_back(std::string(100, 'x'));
		return 1;
	}
	return recurse(depth - 1) + 1;
}

namespace {
int *leak(int n) { return new int[n]; }
}

int main()
{
	for (int i = 0; i < 1000; i++) {
		fill(i);
		std::string temporary(200, 'b');
		if (i % 10 == 0)
			recurse(i % 7);
	}
	for (int i = 1; i < 20; i++)
		leak(i * 100)[0] = i;
	std::cout << nodes.size() << std::endl;
	return 0;
}
