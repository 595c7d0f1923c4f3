/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracer was killed: put its programs' tasks and memory right, and detach from them. */
#include "attach/rescue_internal.h"

#include "attach/handlers.h"
#include "attach/pending.h"
#include "attach/stop.h"
#include "proc/stat.h"
#include "proc/status.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	STOP_TRIES = 200,	/* milliseconds for a sleeping task to stop; it may be in
				   vfork(2) */
	RUN_TRIES = 10000,	/* for a runnable one, which may wait for a processor */
	SEIZE_TRIES = 1000,	/* for the kernel to detach the dead tracer's tracees */
	DEATH_TRIES = 10000,	/* for a program to die, core dump included */
};

static void nap(int turn)
{
	struct timespec moment = { .tv_nsec = turn < 4 ? 62500 << turn : 1000000 };

	nanosleep(&moment, NULL);
}

bool rescue_may_wait(int turn, char state)
{
	if (turn >= (state == 'R' ? RUN_TRIES : STOP_TRIES))
		return false;
	nap(turn);
	return true;
}

void rescue_await_rest(void *ctx, pid_t tid)
{
	(void)ctx;
	for (int i = 0; proc_status(tid).state == 'R' && rescue_may_wait(i, 'R'); i++)
		;
}

/* ---- tasks ---- */

static bool await_stop(pid_t tid, int *wstatus)
{
	pid_t got;

	for (int i = 0; !(got = waitpid(tid, wstatus, __WALL | WNOHANG)); i++)
		if (!rescue_may_wait(i, proc_status(tid).state))
			break;
	return got == tid && WIFSTOPPED(*wstatus);
}

/* Seize and interrupt a task. True: it is our tracee, and will stop. */
static bool seize(pid_t tid)
{
	struct proc_status now = proc_status(tid);

	/* A thread that has ended, a leader too, has nothing to be put right. */
	if (!proc_status_lives(&now))
		return false;
	if (now.tracer == gettid())
		return true;
	for (int i = 0; ptrace(PTRACE_SEIZE, tid, NULL, NULL); i++) {
		if (errno == ESRCH || i > SEIZE_TRIES)
			return false;
		nap(i);
	}
	/* A task that sleeps in vfork(2) does not stop, but runs no code of the program either. */
	return !ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
}

/* All are seized before any is waited for: each needs a processor to come to its stop. */
static void seize_each(void *ctx, pid_t tid)
{
	(void)ctx;
	seize(tid);
}

static bool seize_stopped(pid_t tid, int *wstatus)
{
	return seize(tid) && await_stop(tid, wstatus);
}

static bool stopped_for_trap(pid_t tid, int wstatus)
{
	siginfo_t si;

	return wstatus >> 8 == SIGTRAP && !ptrace(PTRACE_GETSIGINFO, tid, NULL, &si) &&
	       si.si_code == arch_trap_code;
}

/* Let a task with a pending SIGTRAP stop for it; it runs nothing before that. */
static bool take_pending_trap(pid_t tid, int *wstatus)
{
	const struct kernel k = kernel_of_system(NULL);

	if (stopped_for_trap(tid, *wstatus))
		return true;
	return pending_trap(&k, tid) && !ptrace(PTRACE_CONT, tid, NULL, NULL) &&
	       await_stop(tid, wstatus) && stopped_for_trap(tid, *wstatus);
}

struct rescue {
	struct journal *g;
	struct journal_program *program;
	const struct recovery_sight *sight;
	struct address_space *space;
	bool all_stopped;	/* all its tasks are in a group stop */
	bool keep_slots;
	bool dies;		/* a signal kills it, and it may not have ended yet */
};

/* True also of a task that has been killed meanwhile. */
static bool set_regs(pid_t tid, const struct arch_regs *from, taddr pc)
{
	struct arch_regs to = *from;

	arch_set_pc(&to, pc);
	int err = arch_set_regs(tid, &to);

	return !err || err == -ESRCH;
}

static bool set_word(const struct rescue *r, const struct journal_task *record)
{
	const struct journal_word *w = &record->word;

	return !record->has_word ||
	       address_space_write(r->space, w->at, &w->value, sizeof w->value) == sizeof w->value;
}

/* Change the address to which a signal handler that has not begun yet will return. */
static bool set_return(const struct rescue *r, const struct arch_regs *now, taddr from, taddr to)
{
	taddr at = handlers_return_place(r->space, now, from);

	return at && address_space_write(r->space, at, &to, sizeof to) == sizeof to;
}

/* Restore what a task had before it was made to run a system call, and set *now and *seen
 * accordingly. False: it failed. */
static bool undo_call(const struct journal_call *call, pid_t tid, struct arch_regs *now,
		      struct recovery_seen *seen)
{
	sigmask mask = call->mask;

	*now = call->regs;
	seen->pc = arch_pc(now);
	return set_regs(tid, now, arch_pc(now)) &&
	       (!ptrace(PTRACE_SETSIGMASK, tid, sizeof mask, &mask) || errno == ESRCH);
}

/* Put a task right. False: it cannot be. */
static bool settle(struct rescue *r, pid_t tid, bool trapped)
{
	const struct journal_task *record = journal_record(r->g, tid);
	const struct recovery_seen *seen = sight_of(r->sight, tid);
	enum journal_state state = recovery_state(record, tid, &r->g->heard);
	struct recovery_seen before = seen ? *seen : (struct recovery_seen){ 0 };
	struct arch_regs now;
	taddr own;

	if (arch_get_regs(tid, &now))
		return true; /* it is dying */
	enum recovery_call call = recovery_call(record, &now);
	if (call == RECOVERY_RAN_ON ||
	    (call == RECOVERY_UNDO_CALL && !undo_call(&record->call, tid, &now, &before)))
		return false;
	seen = seen ? &before : NULL;
	if (trapped && state != JOURNAL_CHANGES)
		state = JOURNAL_TRAPPED;
	if (!record && atomic_load(&r->g->unrecorded))
		return false;
	switch (recovery_judge(r->g, r->program->pid, record, state, seen, &now, &own)) {
	case RECOVERY_LEAVE:
		return true;
	case RECOVERY_MOVE_RETURN:
		r->keep_slots |= !seen || !set_return(r, &now, seen->pc, own);
		return true;
	case RECOVERY_SET_PC:
		return set_regs(tid, &now, own);
	case RECOVERY_SET_ALL:
		return record && set_word(r, record) && set_regs(tid, &record->to, own);
	case RECOVERY_SEND_TRAP:
		syscall(SYS_tkill, tid, SIGTRAP);
		return true;
	case RECOVERY_LOST:
		break;
	}
	return false;
}

/* A signal that was reported to the tracer, and that it has not delivered. */
static siginfo_t owed_signal(const struct rescue *r, pid_t tid)
{
	const struct journal_task *record = journal_record(r->g, tid);
	const struct recovery_seen *seen = sight_of(r->sight, tid);
	const siginfo_t *heard = &r->g->heard;
	siginfo_t none = { 0 };

	/* It has been delivered: the task has stopped for something else since, or runs. */
	if (seen && (seen->untold || seen->state != 't'))
		return none;
	if (record && record->owed.si_signo)
		return record->owed;
	if (heard->si_pid == tid && heard->si_code == CLD_TRAPPED && heard->si_status <= SIGRTMAX &&
	    heard->si_status != SIGTRAP)
		none.si_signo = heard->si_status;
	return none;
}

static void send_owed(pid_t pid, pid_t tid, const siginfo_t *si)
{
	/* The faulting instruction is run again, and faults again. */
	if (!si->si_signo || signal_is_fault(si))
		return;
	/* The kernel does not let us send a siginfo that claims to come from itself or from
	 * another's kill(2). */
	if (si->si_code >= 0 || si->si_code == SI_TKILL ||
	    syscall(SYS_rt_tgsigqueueinfo, pid, tid, si->si_signo, si))
		syscall(SYS_tkill, tid, si->si_signo);
}

static void rescue_task(void *ctx, pid_t tid)
{
	struct rescue *r = ctx;
	struct journal_program *p = r->program;
	const struct journal_task *record = journal_record(r->g, tid);
	int wstatus = 0, sig = 0;

	if (p->fate.end == FATE_ENDED)
		return;
	if (!seize_stopped(tid, &wstatus)) {
		/* A signal that kills a task kills its whole process. */
		r->dies |= WIFSIGNALED(wstatus);
		return;
	}
	r->all_stopped &= record && record->stopped;
	siginfo_t owed = owed_signal(r, tid);
	/* A task that was being made to run a system call has hit no breakpoint of ours, and must
	 * not be resumed as it is. */
	bool trapped = !(record && record->call.insn) && take_pending_trap(tid, &wstatus);
	/* It stopped for a signal first, which is the program's. */
	if (!trapped && !(wstatus >> 16))
		sig = WSTOPSIG(wstatus);
	if (settle(r, tid, trapped))
		send_owed(proc_status(tid).tgid, tid, &owed);
	else
		program_kill(p, tid);
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)(sig == SIGSTOP ? 0 : sig));
}

static void continue_guest(const struct journal *g, pid_t pid)
{
	for (uint32_t i = 0; i < atomic_load(&g->n_tasks); i++)
		if (program_has_guest(&g->tasks[i], pid))
			kill(proc_status(g->tasks[i].tid).tgid, SIGCONT);
}

/* ---- programs ---- */

static void await_death(struct journal_program *p)
{
	for (int i = 0; i < DEATH_TRIES && !program_is_gone(p->pid); i++)
		nap(i);
}

/* The signal that killed a process not yet waited for; 0: not known. */
static int death_signal(pid_t pid)
{
	return (int)(procstat_number(pid, PROCSTAT_EXIT_CODE) & 0x7f);
}

/* A program that the kernel detached before its state was recorded: may its own SIGTRAP handler
 * have been called for a breakpoint? */
static bool may_have_handled(const struct journal *g, pid_t pid)
{
	const struct proc_status now = proc_status(pid);

	return proc_status_catches(&now, SIGTRAP) && program_has_breakpoints(g, pid);
}

static void rescue_program(struct journal *g, struct journal_program *p,
			   const struct recovery_sight *sight)
{
	struct rescue r = { g, p, sight, program_open_space(p->pid), true, !sight, false };

	if (r.space) {
		p->fate = (struct program_fate){ .pid = p->pid };
		program_restore_breakpoints(g, p->pid, r.space);
		program_switch_off_jumps(g, p->pid, r.space);
		/* A jump, unlike a breakpoint, is not removed by a single store: no task may be
		 * running there. */
		program_each_task(g, p->pid, seize_each, NULL);
		program_each_task(g, p->pid, rescue_await_rest, NULL);
		program_restore_jumps(g, p->pid, r.space);
		program_each_task(g, p->pid, rescue_task, &r);
		p->fate.unsure = !sight && may_have_handled(g, p->pid);
		p->fate.left = program_restore_slots(g, p->pid, r.space, r.keep_slots);
		p->fate.kept = program_kept_memory(g, p->pid);
		p->fate.file = program_kept_file(g, p->pid);
		address_space_free(r.space);
		if (!r.all_stopped)
			kill(p->pid, SIGCONT);
		continue_guest(g, p->pid);
	}
	/* A process without memory is already ending. */
	if (p->fate.end == FATE_ENDED || r.dies || !r.space)
		await_death(p);
	if (p->fate.end != FATE_ENDED && program_is_gone(p->pid))
		p->fate = (struct program_fate){ .pid = p->pid, .end = FATE_DIED,
						 .signal = death_signal(p->pid) };
}

void rescue_programs(struct journal *g, const struct recovery_sight *s)
{
	struct journal_program *p;

	for (uint32_t i = 0; (p = program_next(g, &i));) {
		/* It was already decided that it dies. */
		if (s && p->fate.pid)
			await_death(p);
		else
			rescue_program(g, p, s);
	}
}
