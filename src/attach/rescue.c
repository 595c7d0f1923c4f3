/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracer was killed: the programs are stopped, looked at, put in order, and let go. */
#include "attach/journal_internal.h"

#include "attach/handlers.h"
#include "attach/pending.h"
#include "attach/target.h"
#include "base/array.h"
#include "proc/file.h"
#include "proc/stat.h"
#include "proc/status.h"
#include "proc/syscall.h"
#include "proc/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	STOP_TRIES = 200,	/* milliseconds for a task to stop */
	SEIZE_TRIES = 1000,	/* and for the kernel to cut the dead tracer's ties */
	DEATH_TRIES = 10000,	/* and for a program to die, with its core dump */
	EXIT_CODE = 52,		/* proc(5), /proc/PID/stat */
	STATE = 3,
};

static void nap(void)
{
	static const struct timespec moment = { .tv_nsec = 1000000 };

	nanosleep(&moment, NULL);
}

static uint64_t bit(int sig)
{
	return 1ull << (sig - 1);
}

static bool lives(pid_t tid)
{
	struct proc_status now = proc_status(tid);

	return proc_status_lives(&now);
}

/* ---- walking ---- */

/* Call @fn for each task of a process; or, with @pid 0, for each process. */
static void each_number(pid_t pid, void (*fn)(void *ctx, pid_t number), void *ctx)
{
	struct proc_tasks list;

	if (pid ? proc_tasks_open(&list, pid) : proc_processes_open(&list))
		return;
	for (pid_t number; (number = proc_tasks_next(&list));)
		fn(ctx, number);
	proc_tasks_close(&list);
}

/* Tasks of other processes that run in the memory of this one, as a child of vfork(2) does, and of
 * which there is anything to say. */
static bool is_guest(const struct journal_task *r, pid_t pid)
{
	return r->tid && r->pid == pid && proc_status(r->tid).tgid != pid;
}

static void each_task(const struct journal *g, pid_t pid, void (*fn)(void *ctx, pid_t tid),
		      void *ctx)
{
	each_number(pid, fn, ctx);
	for (uint32_t i = 0; i < atomic_load(&g->n_tasks); i++)
		if (is_guest(&g->tasks[i], pid))
			fn(ctx, g->tasks[i].tid);
}

static struct journal_program *next_program(struct journal *g, uint32_t *i)
{
	while (*i < atomic_load(&g->n_programs)) {
		struct journal_program *p = &g->programs[(*i)++];

		if (p->pid)
			return p;
	}
	return NULL;
}

static bool is_gone(pid_t pid)
{
	return !lives(pid) && !target_look(pid).live_threads;
}

/* ---- memory ---- */

/* Put back the program's own bytes where a breakpoint still stands. */
static void restore_breakpoints(const struct journal *g, pid_t pid, const struct address_space *s)
{
	for (uint32_t i = 0; i < atomic_load(&g->n_entries); i++) {
		const struct journal_entry *e = &g->entries[i];
		uint8_t now[ARCH_INSN_MAX];

		if (e->pid == pid &&
		    address_space_read(s, e->at, now, e->insn_size) == e->insn_size &&
		    recovery_has_breakpoint(e, now))
			address_space_write(s, e->at, e->own, arch_trap_size);
	}
}

static bool has_slot(const struct journal_entry *e, const struct address_space *s)
{
	uint8_t now[ARCH_SLOT_MAX];

	return e->slot && address_space_read(s, e->slot, now, e->slot_size) == e->slot_size &&
	       recovery_has_slot(e, now);
}

/* @stay: leave them as they are. How many bytes of them are there afterwards. */
static unsigned restore_slots(const struct journal *g, pid_t pid, const struct address_space *s,
			      bool stay)
{
	unsigned left = 0;

	for (uint32_t i = 0; i < atomic_load(&g->n_entries); i++) {
		const struct journal_entry *e = &g->entries[i];

		if (e->pid != pid || !has_slot(e, s))
			continue;
		if (stay || address_space_write(s, e->slot, e->slot_own, e->slot_size) < 0)
			left += e->slot_size;
	}
	return left;
}

static void find_live(void *ctx, pid_t tid)
{
	pid_t *found = ctx;

	if (!*found && proc_status(tid).vm_size)
		*found = tid;
}

/* The memory of a process, of which the leader may have ended. */
static struct address_space *open_space(pid_t pid)
{
	pid_t live = 0;

	each_number(pid, find_live, &live);
	return live ? address_space_new(live) : NULL;
}

static void restore_text(const struct journal *g, pid_t pid)
{
	struct address_space *s = open_space(pid);

	if (s)
		restore_breakpoints(g, pid, s);
	address_space_free(s);
}

/* ---- first aid ---- */

static void stop_task(void *ctx, pid_t tid)
{
	(void)ctx;
	/* Each by itself: a signal to the process would be taken by one, and the tracer would be
	 * asked. */
	syscall(SYS_tkill, tid, SIGSTOP);
}

void watchdog_stop_programs(struct journal *g)
{
	struct journal_program *p;

	/* First those that are known to run, which may meet a breakpoint at any moment. */
	for (uint32_t i = 0; i < atomic_load(&g->n_tasks); i++)
		if (g->tasks[i].tid && g->tasks[i].state != JOURNAL_TRAPPED)
			stop_task(NULL, g->tasks[i].tid);
	for (uint32_t i = 0; (p = next_program(g, &i));)
		restore_text(g, p->pid);
	for (uint32_t i = 0; (p = next_program(g, &i));)
		each_task(g, p->pid, stop_task, NULL);
}

/* ---- children that were forked, and not told of yet ---- */

struct adoption {
	struct journal *g;
	pid_t child, parent;
};

static void adopt_entry(const struct adoption *a, const struct journal_entry *of)
{
	struct journal_entry e = *of;

	e.pid = a->child;
	journal_add(a->g, &e);
}

/* A process that the tracer holds, and that is not in the journal, has a copy of its parent's
 * breakpoints. */
static void adopt(void *ctx, pid_t pid)
{
	struct journal *g = ctx;
	struct adoption a = { g, pid, proc_status(pid).ppid };
	struct journal_program *p;
	bool known = false, of_ours = false;

	if (proc_status(pid).tracer != atomic_load(&g->tracer))
		return;
	for (uint32_t i = 0; (p = next_program(g, &i));) {
		known |= p->pid == pid;
		of_ours |= p->pid == a.parent;
	}
	if (known || !of_ours)
		return;
	for (uint32_t i = 0, n = atomic_load(&g->n_entries); i < n; i++)
		if (g->entries[i].pid == a.parent)
			adopt_entry(&a, &g->entries[i]);
	each_number(pid, stop_task, NULL);
	restore_text(g, pid);
}

/* ---- looking ---- */

static bool read_pc(pid_t tid, taddr *pc)
{
	struct proc_syscall c;
	int err = proc_syscall(tid, &c);

	*pc = err ? 0 : c.pc;
	return !err;
}

/* @untold: of the task itself, not of its thread group, as /proc/TID/stat has it. */
static bool look_once(struct recovery_seen *s)
{
	char name[32];

	snprintf(name, sizeof name, "task/%d/stat", (int)s->tid);
	char *text = proc_read(s->tid, name, NULL);
	const char *at = text ? procstat_field(text, STATE) : NULL;

	s->state = at ? *at : 'X';
	at = at ? procstat_field(text, EXIT_CODE) : NULL;
	s->untold = at ? atoi(at) : 0;
	free(text);
	return !strchr("RS", s->state);
}

struct looking {
	struct recovery_sight *sight;
	pid_t pid;
};

static void look_at(void *ctx, pid_t tid)
{
	const struct looking *l = ctx;
	struct recovery_sight *s = l->sight;
	struct recovery_seen seen = { .tid = tid, .pid = l->pid };

	if (ARRAY_RESERVE(&s->v, &s->cap, s->n))
		return;
	for (int i = 0; i < STOP_TRIES && !look_once(&seen); i++)
		nap();
	seen.has_pc = strchr("tT", seen.state) && read_pc(tid, &seen.pc);
	seen.trap_comes = seen.untold == SIGTRAP || proc_status(tid).pending & bit(SIGTRAP);
	s->v[s->n++] = seen;
}

static const struct recovery_seen *find_seen(const struct recovery_sight *s, pid_t tid)
{
	for (size_t i = 0; s && i < s->n; i++)
		if (s->v[i].tid == tid)
			return &s->v[i];
	return NULL;
}

static void end_program(struct journal_program *p, pid_t task)
{
	kill(p->pid, SIGKILL);
	p->fate = (struct program_fate){ p->pid, FATE_ENDED, SIGKILL, task, 0 };
}

/* A trap that nobody has been told of is the program's death; unless it handles SIGTRAP, and comes
 * back. */
static void judge_missed(struct journal *g, struct journal_program *p,
			 const struct recovery_sight *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].pid != p->pid || !recovery_missed_trap(g, &s->v[i]))
			continue;
		if (proc_status(s->v[i].tid).caught & bit(SIGTRAP)) {
			end_program(p, s->v[i].tid);
			return;
		}
		p->fate = (struct program_fate){ p->pid, FATE_DIED, SIGTRAP, s->v[i].tid, 0 };
	}
}

void recovery_look(struct journal *g, struct recovery_sight *s)
{
	struct journal_program *p;

	each_number(0, adopt, g);
	for (uint32_t i = 0; (p = next_program(g, &i));) {
		each_task(g, p->pid, look_at, &(struct looking){ s, p->pid });
		judge_missed(g, p, s);
	}
}

/* ---- putting tasks right ---- */

static bool await_stop(pid_t tid, int *wstatus)
{
	pid_t got = 0;

	for (int i = 0; i < STOP_TRIES && !got; i++) {
		got = waitpid(tid, wstatus, __WALL | WNOHANG);
		if (!got)
			nap();
	}
	return got == tid && WIFSTOPPED(*wstatus);
}

static bool seize_stopped(pid_t tid, int *wstatus)
{
	/* A thread that has ended, a leader too, has nothing to be put in order. */
	if (!lives(tid))
		return false;
	for (int i = 0; ptrace(PTRACE_SEIZE, tid, NULL, NULL); i++) {
		if (errno == ESRCH || i > SEIZE_TRIES)
			return false;
		nap();
	}
	/* One that sleeps in vfork(2) does not stop, and runs no code of the program. */
	return !ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) && await_stop(tid, wstatus);
}

static bool stopped_for_trap(pid_t tid, int wstatus)
{
	siginfo_t si;

	return wstatus >> 8 == SIGTRAP && !ptrace(PTRACE_GETSIGINFO, tid, NULL, &si) &&
	       si.si_code == arch_trap_code;
}

/* Let it come to the SIGTRAP that is on its way; before that it runs nothing. */
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
	bool all_stopped;	/* by job control, all of them */
	bool keep_slots;
};

/* A task that is killed meanwhile needs nothing any more. */
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

/* Where a signal handler is to come back to, which has not begun yet. */
static bool set_return(const struct rescue *r, const struct arch_regs *now, taddr from, taddr to)
{
	taddr at = handlers_return_place(r->space, now, from);

	return at && address_space_write(r->space, at, &to, sizeof to) == sizeof to;
}

/* False: it cannot be put right. */
static bool settle(struct rescue *r, pid_t tid, bool trapped)
{
	const struct journal_task *record = journal_record(r->g, tid);
	const struct recovery_seen *seen = find_seen(r->sight, tid);
	enum journal_state state = journal_state(record, tid, &r->g->heard);
	struct arch_regs now;
	taddr own;

	if (arch_get_regs(tid, &now))
		return true; /* it is dying */
	if (trapped && state != JOURNAL_CHANGES)
		state = JOURNAL_TRAPPED;
	if (!record && atomic_load(&r->g->unrecorded))
		return false;
	switch (recovery_judge(r->g, r->program->pid, record, state, seen, &now, &own)) {
	case RECOVERY_LEAVE:
		return true;
	case RECOVERY_MOVE_RETURN:
		r->keep_slots |= !set_return(r, &now, seen->pc, own);
		return true;
	case RECOVERY_SET_PC:
		return set_regs(tid, &now, own);
	case RECOVERY_SET_ALL:
		return set_word(r, record) && set_regs(tid, &record->to, own);
	case RECOVERY_SEND_TRAP:
		syscall(SYS_tkill, tid, SIGTRAP);
		return true;
	case RECOVERY_LOST:
		break;
	}
	return false;
}

/* A signal the tracer was told of, and has not handed on. */
static siginfo_t owed_signal(const struct rescue *r, pid_t tid)
{
	const struct journal_task *record = journal_record(r->g, tid);
	const struct recovery_seen *seen = find_seen(r->sight, tid);
	const siginfo_t *heard = &r->g->heard;
	siginfo_t none = { 0 };

	/* It has got it, and has stopped for something else since; or it goes on. */
	if (seen && (seen->untold || seen->state != 't'))
		return none;
	if (record && record->owed.si_signo)
		return record->owed;
	if (heard->si_pid == tid && heard->si_code == CLD_TRAPPED && heard->si_status < SIGRTMAX &&
	    heard->si_status != SIGTRAP)
		none.si_signo = heard->si_status;
	return none;
}

static bool is_fault(const siginfo_t *si)
{
	int sig = si->si_signo;

	/* Its instruction is run again, and faults again. */
	return si->si_code > 0 &&
	       (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL);
}

static void send_owed(pid_t pid, pid_t tid, const siginfo_t *si)
{
	if (!si->si_signo || is_fault(si))
		return;
	/* The kernel lets nobody claim to be it, or to be another process with kill(2). */
	if (si->si_code >= 0 || si->si_code == SI_TKILL ||
	    syscall(SYS_rt_tgsigqueueinfo, pid, tid, si->si_signo, si))
		syscall(SYS_tkill, tid, si->si_signo);
}

static void rescue_task(void *ctx, pid_t tid)
{
	struct rescue *r = ctx;
	struct journal_program *p = r->program;
	const struct journal_task *record = journal_record(r->g, tid);
	int wstatus, sig = 0;

	if (p->fate.end == FATE_ENDED || !seize_stopped(tid, &wstatus))
		return;
	r->all_stopped &= record && record->stopped;
	siginfo_t owed = owed_signal(r, tid);
	bool trapped = take_pending_trap(tid, &wstatus);
	/* A signal that came first is the program's. */
	if (!trapped && !(wstatus >> 16))
		sig = WSTOPSIG(wstatus);
	if (settle(r, tid, trapped))
		send_owed(proc_status(tid).tgid, tid, &owed);
	else
		end_program(p, tid);
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)(sig == SIGSTOP ? 0 : sig));
}

static void continue_guest(const struct journal *g, pid_t pid)
{
	for (uint32_t i = 0; i < atomic_load(&g->n_tasks); i++)
		if (is_guest(&g->tasks[i], pid))
			kill(proc_status(g->tasks[i].tid).tgid, SIGCONT);
}

/* ---- programs ---- */

static void await_death(struct journal_program *p)
{
	for (int i = 0; i < DEATH_TRIES && !is_gone(p->pid); i++)
		nap();
}

/* The signal that a process nobody has waited for has died of; 0: not known. */
static int death_signal(pid_t pid)
{
	return (int)(procstat_number(pid, EXIT_CODE) & 0x7f);
}

static void rescue_program(struct journal *g, struct journal_program *p,
			   const struct recovery_sight *sight)
{
	struct rescue r = { g, p, sight, open_space(p->pid), true, !sight };

	if (r.space) {
		p->fate = (struct program_fate){ .pid = p->pid };
		restore_breakpoints(g, p->pid, r.space);
		/* All are stopped by our SIGSTOP, so none can make another meanwhile. */
		each_task(g, p->pid, rescue_task, &r);
		p->fate.left = restore_slots(g, p->pid, r.space, r.keep_slots);
		address_space_free(r.space);
		if (!r.all_stopped)
			kill(p->pid, SIGCONT);
		continue_guest(g, p->pid);
	}
	if (p->fate.end == FATE_ENDED)
		await_death(p);
	else if (is_gone(p->pid))
		p->fate = (struct program_fate){ p->pid, FATE_DIED, death_signal(p->pid), 0, 0 };
}

void recovery_put_right(struct journal *g, const struct recovery_sight *s)
{
	struct journal_program *p;

	for (uint32_t i = 0; (p = next_program(g, &i));) {
		/* How it ends has been seen. */
		if (s && p->fate.pid)
			await_death(p);
		else
			rescue_program(g, p, s);
	}
}

void watchdog_recover(struct journal *g)
{
	recovery_put_right(g, NULL);
}
