/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TESTS_STEPPED_H
#define MPROF_TESTS_STEPPED_H

/* A request whose return address holds an instruction that can only run in its own place: a trap
 * there has to be single-stepped over. */
#include "target.h"

static void nothing(void)
{
	STAY();
}

static NOINLINE void *stepped(size_t size)
{
	void *p;

	__asm__ volatile("mov %1, %%rdi\n\t"
			 "call malloc@PLT\n\t"
			 "call *%%rbx"
			 : "=a"(p)
			 : "r"(size), "b"(nothing)
			 : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
	return p;
}

#endif
