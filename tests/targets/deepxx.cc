/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps what a C++ container requests, some calls down in the library: built without inlining. */
#include <map>
#include <string>
#include <vector>

static std::map<int, std::vector<std::string>> *kept;

__attribute__((noinline)) void fill(int n)
{
	for (int i = 0; i < n; i++)
		(*kept)[i].push_back(std::string(100, 'x'));
}

int main()
{
	kept = new std::map<int, std::vector<std::string>>;
	fill(10);
	return 0;
}
