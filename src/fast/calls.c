/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/calls.h"

#include "proc/status.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

int calls_begin(struct program_calls *c, struct tracer *t, struct task *task, taddr insn)
{
	*c = (struct program_calls){ .tracer = t, .task = task, .insn = insn,
				     .filtered = proc_status(task->tid).seccomp };
	if (!c->filtered)
		return 0;
	int err = tracer_suspend_seccomp(t, task, true);

	return err ? err : tracer_suspend_seccomp(t, task, false);
}

int calls_together(struct program_calls *c)
{
	int err = tracer_calls_begin(&c->run, c->tracer, c->task, c->insn);

	c->together = !err;
	return err;
}

int calls_apart(struct program_calls *c)
{
	if (!c->together)
		return 0;
	c->together = false;
	return tracer_calls_end(&c->run);
}

long calls_run(struct program_calls *c, long nr, uint64_t a, uint64_t b, uint64_t d,
	       uint64_t f, uint64_t g, uint64_t h)
{
	const uint64_t arg[6] = { a, b, d, f, g, h };
	int64_t result;
	int err = c->filtered ? tracer_suspend_seccomp(c->tracer, c->task, true) : 0;

	if (err)
		return err;
	err = c->together ? tracer_calls_next(&c->run, nr, arg, &result) :
			    tracer_call(c->tracer, c->task, c->insn, nr, arg, &result);
	if (c->filtered)
		tracer_suspend_seccomp(c->tracer, c->task, false);
	return err ? err : (long)result;
}

int calls_map(struct program_calls *c, taddr at, size_t size, int prot, int flags, int fd,
	      uint64_t offset, taddr *out)
{
	long result = calls_run(c, SYS_mmap, at, size, (uint64_t)prot, (uint64_t)flags,
				(uint64_t)(long)fd, offset);

	if (result < 0 && result > -(long)FAST_PAGE)
		return (int)result;
	*out = (taddr)result;
	return 0;
}

int calls_map_at(struct program_calls *c, taddr at, size_t size, int prot, int flags)
{
	taddr got;
	int err = calls_map(c, at, size, prot,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | flags, -1, 0, &got);

	/* A kernel before 4.17 takes the address as a hint. */
	if (!err && got != at) {
		calls_unmap(c, got, size);
		return -EEXIST;
	}
	return err;
}

int calls_unmap(struct program_calls *c, taddr at, size_t size)
{
	int err = at ? (int)calls_run(c, SYS_munmap, at, size, 0, 0, 0, 0) : 0;

	/* Callers take -EPERM for a seccomp filter that forbids all calls, see calls_begin(). */
	return err == -EPERM ? -EACCES : err;
}

int calls_advise(struct program_calls *c, taddr at, size_t size, int advice)
{
	return (int)calls_run(c, SYS_madvise, at, size, (uint64_t)advice, 0, 0, 0);
}
