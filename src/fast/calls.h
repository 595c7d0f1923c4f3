/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_CALLS_H
#define MPROF_FAST_CALLS_H

#include "attach/tracer.h"

#define FAST_PAGE 4096u

/* System calls that a stopped task of the program is made to run. */
struct program_calls {
	struct tracer *tracer;
	struct task *task;
	taddr insn;	/* a system call instruction in the program; 0: not known yet */
	bool filtered;	/* its seccomp filter has to be switched off for them */
	bool together;	/* between calls_together() and calls_apart() */
	struct tracer_calls run;
};

/* 0, or -EPERM: a seccomp filter may kill it. */
int calls_begin(struct program_calls *c, struct tracer *t, struct task *task, taddr insn);

/* Between these two, the task's registers and mask are not restored after each call, which takes
 * fewer stops. 0 or -errno. */
int calls_together(struct program_calls *c);
int calls_apart(struct program_calls *c);

/* Returns what the call returns, or -errno if it was not made. */
long calls_run(struct program_calls *c, long nr, uint64_t a, uint64_t b, uint64_t d,
	       uint64_t f, uint64_t g, uint64_t h);

/* mmap(2) in the program. 0 or -errno; *@out: the address. */
int calls_map(struct program_calls *c, taddr at, size_t size, int prot, int flags, int fd,
	      uint64_t offset, taddr *out);
/* Map anonymous, private memory in the program at @at and nowhere else, with @flags in addition. 0,
 * or -errno: -EEXIST if something is there already. */
int calls_map_at(struct program_calls *c, taddr at, size_t size, int prot, int flags);
/* munmap(2) in the program. 0 or -errno; -EACCES: the program has sealed it, mseal(2). */
int calls_unmap(struct program_calls *c, taddr at, size_t size);
int calls_advise(struct program_calls *c, taddr at, size_t size, int advice);

#endif
