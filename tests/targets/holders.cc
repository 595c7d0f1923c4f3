// SPDX-License-Identifier: BSD-2-Clause
/*
 * holders: four functions that hold known bytes, none of which calls the allocator itself: through
 * a container, a string, a wrapper of the program's own, and the C library.
 */
#include "target.h"

#include <map>
#include <string>

static NOINLINE void *xmalloc(size_t size)
{
	void *p = malloc(size);

	MUST(p);
	STAY();
	return p;
}

static NOINLINE std::map<int, long> *by_map()
{
	auto *m = new std::map<int, long>;

	for (int i = 0; i < 1000; i++)
		(*m)[i] = i;
	STAY();
	return m;
}

static NOINLINE std::string *by_string()
{
	auto *s = new std::string(70000, 'x');

	STAY();
	return s;
}

static NOINLINE void *by_wrapper()
{
	void *p = xmalloc(60000);

	STAY();
	return p;
}

static NOINLINE char *by_library(const std::string &s)
{
	char *p = strndup(s.c_str(), 49999);

	STAY();
	return p;
}

int main()
{
	auto *m = by_map();
	auto *s = by_string();
	void *p = by_wrapper();
	char *c = by_library(*s);

	return m && s && p && c ? 0 : 1;
}
