/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/remote.h"

#include "arch/arch.h"
#include "attach/sigmask.h"
#include "attach/stop.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* The result of a call that was interrupted before it did anything: the kernel's ERESTARTSYS to
 * ERESTART_RESTARTBLOCK, which programs never see. */
enum { RESTART_FIRST = 512, RESTART_LAST = 516 };

static int mask_request(const struct remote *r, int request, pid_t tid, sigmask *mask)
{
	return kernel_request(r->kernel, request, tid, (void *)sizeof *mask, mask) ? -errno : 0;
}

static int set_mask(const struct remote *r, pid_t tid, sigmask mask)
{
	return mask_request(r, PTRACE_SETSIGMASK, tid, &mask);
}

/* Wait for @tid. Wait for all tasks, as a killed leader is reported only when its threads, which
 * are held, have been waited for. */
static int await(const struct remote *r, pid_t tid, int *wstatus)
{
	for (;;) {
		pid_t got = kernel_wait(r->kernel, -1, wstatus, 0);

		if (got == tid)
			return 0;
		if (got > 0)
			r->note(r->ctx, got, *wstatus);
		else if (errno != EINTR)
			return -ESRCH;
	}
}

/* Let it run to its next stop. SIGSTOP, which cannot be blocked, is delivered as it would be
 * without us. Any other signal means that there is no such instruction at insn. */
static int run_to_stop(const struct remote *r, pid_t tid, struct stop *s, int *wstatus)
{
	int sig = 0;

	for (;;) {
		if (kernel_resume(r->kernel, PTRACE_SYSCALL, tid, sig))
			return -errno;
		int err = await(r, tid, wstatus);

		if (err)
			return err;
		*s = stop_decode(tid, *wstatus, 0, arch_trap_code);
		if (s->kind == STOP_EXITED || s->kind == STOP_KILLED ||
		    s->kind == STOP_PTRACE_EVENT) {
			r->note(r->ctx, tid, *wstatus);
			return -ESRCH;
		}
		if (s->kind != STOP_SIGNAL || s->arg != SIGSTOP)
			return s->kind == STOP_SIGNAL ? -EFAULT : 0;
		sig = SIGSTOP;
	}
}

/* Run to the call's entry or exit stop. */
static int run_to_syscall(const struct remote *r, pid_t tid)
{
	struct stop s;
	int wstatus, err;

	do /* what PTRACE_INTERRUPT or job control had asked for may come first */
		err = run_to_stop(r, tid, &s, &wstatus);
	while (!err && s.kind != STOP_SYSCALL);
	return err;
}

static int run_call(const struct remote *r, pid_t tid, int64_t *result)
{
	struct arch_regs now;
	int err = run_to_syscall(r, tid);

	if (!err)
		err = run_to_syscall(r, tid);
	if (!err)
		err = arch_get_regs(tid, &now);
	if (err)
		return err;
	*result = (int64_t)arch_result(&now);
	return *result <= -RESTART_FIRST && *result >= -RESTART_LAST ? -EINTR : 0;
}

/* Bring it back to a stop like the one it was in. */
static int interrupt(const struct remote *r, pid_t tid)
{
	struct stop s = { 0 };
	int wstatus, err;

	if (kernel_request(r->kernel, PTRACE_INTERRUPT, tid, NULL, NULL))
		return -errno;
	do
		err = run_to_stop(r, tid, &s, &wstatus);
	while (!err && s.kind != STOP_HELD && s.kind != STOP_GROUP);
	if (!err && s.kind == STOP_GROUP)
		r->note(r->ctx, tid, wstatus);
	return err;
}

static int give_back(const struct remote *r, pid_t tid, const struct journal_call *own)
{
	int err = arch_set_regs(tid, &own->regs), mask_err = set_mask(r, tid, own->mask);

	if (r->gave_back)
		r->gave_back(r->ctx);
	return err ? err : mask_err;
}

int remote_begin(struct remote_run *run, const struct remote *r, pid_t tid, taddr insn)
{
	*run = (struct remote_run){ .remote = r, .tid = tid, .own = { .insn = insn } };
	int err = arch_get_regs(tid, &run->own.regs);

	if (!err)
		err = mask_request(r, PTRACE_GETSIGMASK, tid, &run->own.mask);
	if (err)
		return err;
	if (r->takes)
		r->takes(r->ctx, &run->own);
	/* Block all signals, so that none is delivered while the registers are not the
	 * program's. */
	run->err = set_mask(r, tid, UINT64_MAX);
	return 0;
}

int remote_next(struct remote_run *run, long nr, const uint64_t arg[6], int64_t *result)
{
	struct arch_regs regs = run->own.regs;

	if (run->err)
		return run->err;
	arch_set_syscall(&regs, run->own.insn, nr, arg);
	int err = arch_set_regs(run->tid, &regs);
	if (!err)
		err = run_call(run->remote, run->tid, result);
	/* A call that was interrupted before it did anything does not prevent the next one. */
	run->err = err == -EINTR ? 0 : err;
	return err;
}

int remote_end(struct remote_run *run)
{
	if (run->err == -ESRCH)
		return run->err;
	int err = interrupt(run->remote, run->tid);

	return err ? err : give_back(run->remote, run->tid, &run->own);
}
