/* SPDX-License-Identifier: BSD-2-Clause */
// Containers, strings and arrays: what C++ programs allocate, through every operator.
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {
struct Shape {
	virtual ~Shape() = default;
	std::vector<int> points;
};
struct Named : Shape {
	std::string name = std::string(100, 'n');
};
}

__attribute__((noinline)) std::unique_ptr<Shape> make(int i)
{
	std::unique_ptr<Shape> s;

	if (i % 3)
		s = std::make_unique<Shape>();
	else
		s = std::make_unique<Named>();
	for (int k = 0; k < i; k++)
		s->points.push_back(k);
	return s;
}

int main()
{
	std::map<std::string, std::unique_ptr<Shape>> all;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 24; i++)
			all["key number " + std::to_string(i * 1000000)] = make(i);
		int *plain = new int[25];
		delete[] plain;
		if (round == 1)
			all.clear();
	}
	return 0;
}
