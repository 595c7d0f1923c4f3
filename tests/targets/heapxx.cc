// SPDX-License-Identifier: BSD-2-Clause
// Allocates by operator new in functions of known names: namespaces, a template, an operator.
#include <cstring>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))
#define STAY() __asm__ volatile("" ::: "memory")

static void *volatile keep[1024];
static int n_keep;

namespace shop {
struct item {
	char text[1500];
	NOINLINE item &operator--()
	{
		keep[n_keep++] = new char[2300];
		STAY();
		return *this;
	}
};

template <class T> struct box {
	NOINLINE static void put(int n)
	{
		for (int i = 0; i < n; i++)
			keep[n_keep++] = new T;
		STAY();
	}
};

NOINLINE void fill(std::vector<long> &v)
{
	for (long i = 0; i < 4096; i++)
		v.push_back(i);
	STAY();
}
}

int main()
{
	auto *v = new std::vector<long>;

	shop::fill(*v);
	shop::box<shop::item>::put(20);
	--*new shop::item;
	keep[n_keep++] = v;
	return 0;
}
