/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TESTS_NAMES_H
#define MPROF_TESTS_NAMES_H

#include <cstdlib>

#define NOINLINE __attribute__((noinline))
#define INLINE	 inline __attribute__((always_inline))
#define STAY()	 __asm__ volatile("" ::: "memory")

extern void *volatile kept;

namespace shop
{
struct shelf {
	char c[6011];
	struct label {
		char c[6029];
	};
};

/* Inlined in both units, and into itself. */
INLINE void keep(std::size_t n)
{
	kept = std::malloc(n);
	STAY();
}

template <class T> struct box {
	T *what = nullptr;

	NOINLINE void fill(int n)
	{
		keep(sizeof(T) + static_cast<std::size_t>(n));
		STAY();
	}
	INLINE void operator()(int n)
	{
		fill(n);
		keep(6037);
	}
};

void other_unit(int n);
} // namespace shop

#endif
