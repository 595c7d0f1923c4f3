/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_MACHINE_H
#define MPROF_ARCH_MACHINE_H

#include <stddef.h>

/* The features of processor and kernel that the agent needs. */
struct arch_machine {
	unsigned features;	/* x86-64: ecx of cpuid(1) */
	unsigned long allowed;	/* AT_HWCAP2 of getauxval(3) */
};

/* What is missing for the agent, for a person; NULL: nothing. */
const char *arch_machine_lacks(const struct arch_machine *m);

/* What this processor and kernel have. */
struct arch_machine arch_this_machine(void);

#endif
