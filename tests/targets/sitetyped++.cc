/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of C++ that begin with members and bases which know their own types. What stands at a line
 * is the type of what that line requests.
 */
#include "target.h"

#include <string>
#include <utility>
#include <vector>

struct header {
	std::string name, value;
	int line;
};

struct pair_of_strings {
	std::string first, second;
};

struct base {
	explicit base(int n) : number(n) {}
	int number, more = 0;
};

struct derived : base {
	explicit derived(int n) : base(n) {}
	int others[6] = {};
};

struct twice : base {
	explicit twice(int n) : base(n) {}
	int two[2] = {};
};

struct open_ended {
	explicit open_ended(int n) : length(n) {}
	int length;
	char text[1];
};

static void *volatile kept[64];
static int n_kept;

NOINLINE static void keep(void *block)
{
	kept[n_kept++] = block;
}

NOINLINE static void strings(const char *name)
{
	kept[n_kept++] = new header{name, "value", 1}; /* type: header */
	kept[n_kept++] = new pair_of_strings{name, name}; /* type: pair_of_strings */
	kept[n_kept++] = new std::string(name); /* type: string */
}

NOINLINE static void of_variables(const std::string &name)
{
	auto *h = new header{name, name, 2}; /* type: header */

	keep(h);
	auto *p = new pair_of_strings{name, name}; /* type: pair_of_strings */

	keep(p);
}

NOINLINE static void bases(int n)
{
	kept[n_kept++] = new base(n); /* type: base */
	kept[n_kept++] = new derived(n); /* type: derived */
	base *b = new derived(n + 1); /* type: derived */

	keep(b);
	b = new twice(n); /* type: twice */
	keep(b);
}

NOINLINE static void containers(const std::string &name)
{
	auto *v = new std::vector<std::string>; /* type: vector */

	keep(v);
	v->reserve(3); /* type: string[3] */
	v->push_back(name);
	auto *pairs = new std::vector<std::pair<int, int>>; /* type: vector */

	keep(pairs);
	pairs->resize(7); /* type: pair[7] */
	STAY();
}

NOINLINE static void with_more_behind(int n)
{
	void *block = ::operator new(sizeof(open_ended) + (size_t)n); /* type: open_ended */
	auto *o = new (block) open_ended(n);

	keep(o);
}

int main()
{
	strings("name");
	of_variables("other");
	bases(3);
	containers("third");
	with_more_behind(27);
	return !kept[0];
}
