/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_CALLS_H
#define MPROF_FAST_CALLS_H

#include "attach/tracer.h"

#define FAST_PAGE 4096u

/* System calls that one of the program's tasks, which is stopped, is made to run. */
struct program_calls {
	struct tracer *tracer;
	struct task *task;
	taddr insn;	/* an instruction of the program's that makes them; 0: not known yet */
	bool filtered;	/* its seccomp filter is to be switched off for it */
	bool together;	/* between calls_together() and calls_apart() */
	struct tracer_calls run;
};

/* 0, or -EPERM: a filter may kill it. */
int calls_begin(struct program_calls *c, struct tracer *t, struct task *task, taddr insn);

/* What calls follow are made without giving the task back what is its own in between, which takes
 * fewer stops; and from here on that is done again. 0 or -errno. */
int calls_together(struct program_calls *c);
int calls_apart(struct program_calls *c);

/* What the call returns, or -errno: it was not made. */
long calls_run(struct program_calls *c, long nr, uint64_t a, uint64_t b, uint64_t d,
	       uint64_t f, uint64_t g, uint64_t h);

/* 0 or -errno; *@out: where. */
int calls_map(struct program_calls *c, taddr at, size_t size, int prot, int flags, int fd,
	      uint64_t offset, taddr *out);
/* Anonymous, private memory of the program's at @at and nowhere else, with @flags besides. 0, or
 * -errno: -EEXIST if something is there already. */
int calls_map_at(struct program_calls *c, taddr at, size_t size, int prot, int flags);
/* 0 or -errno; -EACCES: the program has sealed it, mseal(2). */
int calls_unmap(struct program_calls *c, taddr at, size_t size);
int calls_advise(struct program_calls *c, taddr at, size_t size, int advice);

#endif
