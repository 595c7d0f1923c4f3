/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SYSCALL_CALL_H
#define MPROF_SYSCALL_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* A system call that has returned. */
struct syscall_call {
	uint64_t nr, args[6];
	uint64_t result;
	bool failed;
	uint64_t begun, number;	/* see struct page_event */
};

#endif
