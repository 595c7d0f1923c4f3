/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/machine.h"

#include <cpuid.h>
#include <sys/auxv.h>

/* asm/hwcap2.h: the kernel lets programs execute rdfsbase. */
#define FSGSBASE (1ul << 1)

const char *arch_machine_lacks(const struct arch_machine *m)
{
	if (!(m->features & bit_CMPXCHG16B))
		return "this processor has no cmpxchg16b";
	if (!(m->allowed & FSGSBASE))
		return "this processor has no rdfsbase, or this kernel (before 5.9) does not allow "
		       "it";
	return NULL;
}

struct arch_machine arch_this_machine(void)
{
	unsigned a, b, c = 0, d;

	if (!__get_cpuid(1, &a, &b, &c, &d))
		c = 0;
	return (struct arch_machine){ c, getauxval(AT_HWCAP2) };
}
