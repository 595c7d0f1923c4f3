// SPDX-License-Identifier: BSD-2-Clause
// Functions with names that are hard to read: templates, lambdas, operators, inlined everywhere. Built
// by tests/bats/names.bats in many ways, together with names2.cc.
#include "names.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

void *volatile kept;

namespace
{
struct hidden {
	char c[6043];
	NOINLINE static void grow(int n)
	{
		shop::keep(sizeof(hidden) + static_cast<std::size_t>(n));
		STAY();
	}
};

typedef struct {
	char c[6047];
} nameless_t;

template <class F> NOINLINE void call(F f)
{
	f(3);
	STAY();
}
} // namespace

typedef void (*function_pointer)(int);
static NOINLINE function_pointer choose(function_pointer f, int n)
{
	shop::keep(6053 + static_cast<std::size_t>(n));
	STAY();
	return f;
}

int main(int argc, char **)
{
	shop::box<shop::shelf> b;
	shop::box<shop::shelf::label> l;
	nameless_t *volatile nameless = new nameless_t;

	b(0);
	l(0);
	nameless->c[0] = 1;
	call([](int n) {
		shop::keep(6067 + static_cast<std::size_t>(n) * 0);
		STAY();
	});
	call([=](int n) {
		std::map<std::string, std::vector<shop::shelf>> m;

		m[std::string(6073, 'x')].resize(static_cast<std::size_t>(n + argc));
		hidden::grow(0);
	});
	choose(hidden::grow, 0)(0);
	shop::other_unit(2);
	std::function<void(int)> f = [](int n) { shop::other_unit(n); };
	f(1);
	return 0;
}
