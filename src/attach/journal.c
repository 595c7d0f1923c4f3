/* SPDX-License-Identifier: BSD-2-Clause */
/* The journal, as the tracer writes it. */
#include "attach/journal_internal.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOLD_SECONDS = 5 };

const char journal_file_name[] = "mprof";

struct journal *journal_new(void)
{
	struct journal *g = mmap(NULL, sizeof *g, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_mutexattr_t a;

	if (g == MAP_FAILED)
		return NULL;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&g->alive, &a);
	pthread_mutexattr_destroy(&a);
	/* The kernel writes here even while the tracer is being killed, when it no longer handles a
	 * page fault for it. */
	mlock(&g->heard, sizeof g->heard);
	return g;
}

void journal_free(struct journal *g)
{
	if (g)
		munmap(g, sizeof *g);
}

/* Wait until the keeper holds us. If the keeper is killed, its end of the socket is closed and the
 * wait ends. */
static void wait_until_held(int meeting)
{
	struct pollfd p = { .fd = meeting, .events = POLLIN };

	shutdown(meeting, SHUT_WR);
	while (poll(&p, 1, HOLD_SECONDS * 1000) < 0 && errno == EINTR)
		;
}

int journal_enter(struct journal *g, pid_t keeper, int meeting)
{
	int err = pthread_mutex_lock(&g->alive);

	if (err)
		return err;
	/* With Yama's ptrace_scope 1 a process that is no ancestor has to be named to be allowed to
	 * trace us. */
	if (keeper)
		prctl(PR_SET_PTRACER, (unsigned long)keeper, 0, 0, 0);
	atomic_store(&g->tracer, getpid());
	if (keeper)
		wait_until_held(meeting);
	close(meeting);
	return 0;
}

void journal_leave(struct journal *g)
{
	atomic_store(&g->clean, true);
	pthread_mutex_unlock(&g->alive);
	/* Makes us stop for a signal, so that the keeper wakes, sees that and detaches. */
	if (atomic_load(&g->kept))
		raise(SIGWINCH);
}

/* ---- programs ---- */

static struct journal_program *find_program(struct journal *g, pid_t pid)
{
	for (uint32_t i = 0; i < atomic_load(&g->n_programs); i++)
		if (g->programs[i].pid == pid)
			return &g->programs[i];
	return NULL;
}

/* Find or add a program. A free record is used again. */
static struct journal_program *program(struct journal *g, pid_t pid)
{
	struct journal_program *p = find_program(g, pid);
	uint32_t n = atomic_load(&g->n_programs);

	if (p)
		return p;
	p = find_program(g, 0);
	if (!p && n == JOURNAL_MAX_PROGRAMS)
		return NULL;
	if (!p)
		p = &g->programs[n];
	*p = (struct journal_program){ .pid = pid };
	if (p == &g->programs[n])
		atomic_store(&g->n_programs, n + 1);
	return p;
}

static void leave_program(struct journal *g, pid_t pid)
{
	struct journal_program *p = find_program(g, pid);

	if (p && !--p->entries)
		p->pid = 0;
}

void journal_copies(struct journal *g, pid_t pid)
{
	struct journal_program *p = g ? program(g, pid) : NULL;

	if (!p)
		return;
	p->partial = true;
	atomic_thread_fence(memory_order_release);
	p->entries++;
}

void journal_copied(struct journal *g, pid_t pid)
{
	struct journal_program *p = g ? find_program(g, pid) : NULL;

	if (!p || !p->partial)
		return;
	p->partial = false;
	atomic_thread_fence(memory_order_release);
	leave_program(g, pid);
}

/* ---- breakpoints ---- */

/* The pid, which makes the entry valid, is written last: the tracer may be killed between any two
 * writes. hang.c reads entries concurrently. @to: a free entry. */
static void write_entry(struct journal_entry *to, const struct journal_entry *e)
{
	__atomic_store_n(&to->kind, e->kind, __ATOMIC_RELAXED);
	__atomic_store_n(&to->at, e->at, __ATOMIC_RELAXED);
	__atomic_store_n(&to->size, e->size, __ATOMIC_RELAXED);
	memcpy(to->own, e->own, sizeof to->own);
	to->insn_size = e->insn_size;
	to->slot = e->slot;
	to->slot_size = e->slot_size;
	memcpy(to->slot_own, e->slot_own, sizeof to->slot_own);
	to->flag = e->flag;
	__atomic_store_n(&to->pid, e->pid, __ATOMIC_RELEASE);
}

uint32_t journal_add(struct journal *g, const struct journal_entry *e)
{
	struct journal_program *p = g ? program(g, e->pid) : NULL;
	uint32_t number;

	if (!p)
		return JOURNAL_NONE;
	if (g->free_entry) {
		number = g->free_entry - 1;
		g->free_entry = (uint32_t)g->entries[number].at;
	} else if (atomic_load(&g->n_entries) < JOURNAL_MAX_ENTRIES) {
		number = atomic_load(&g->n_entries);
	} else {
		return JOURNAL_NONE;
	}
	p->entries++;
	write_entry(&g->entries[number], e);
	if (number == atomic_load(&g->n_entries))
		atomic_store(&g->n_entries, number + 1);
	return number;
}

void journal_remove(struct journal *g, uint32_t number)
{
	if (!g || number == JOURNAL_NONE || !g->entries[number].pid)
		return;
	pid_t pid = g->entries[number].pid;

	__atomic_store_n(&g->entries[number].pid, 0, __ATOMIC_RELAXED);
	atomic_thread_fence(memory_order_release);
	__atomic_store_n(&g->entries[number].at, g->free_entry, __ATOMIC_RELAXED);
	g->free_entry = number + 1;
	leave_program(g, pid);
}

void journal_beats(struct journal *g)
{
	if (g)
		atomic_fetch_add(&g->beats, 1);
}

/* ---- tasks ---- */

static uint32_t free_task(struct journal *g)
{
	uint32_t n = atomic_load(&g->n_tasks);

	if (g->free_task) {
		uint32_t number = g->free_task;

		g->free_task = (uint32_t)g->tasks[number - 1].pid;
		return number;
	}
	if (n == JOURNAL_MAX_TASKS) {
		atomic_store(&g->unrecorded, true);
		return 0;
	}
	atomic_store(&g->n_tasks, n + 1);
	return n + 1;
}

static struct journal_task *record_of(struct journal *g, uint32_t record)
{
	return g && record ? &g->tasks[record - 1] : NULL;
}

static struct journal_task *record(struct journal *g, uint32_t *number, struct journal_who who)
{
	if (!g)
		return NULL;
	if (!*number && (*number = free_task(g))) {
		struct journal_task *r = &g->tasks[*number - 1];

		*r = (struct journal_task){ .pid = who.pid };
		atomic_thread_fence(memory_order_release);
		r->tid = who.tid;
	}
	struct journal_task *r = record_of(g, *number);

	if (r)
		r->pid = who.pid;
	return r;
}

static void set_state(struct journal_task *r, enum journal_state state)
{
	atomic_thread_fence(memory_order_release);
	r->state = state;
	atomic_thread_fence(memory_order_release);
}

void journal_trapped(struct journal *g, uint32_t *number, struct journal_who who)
{
	struct journal_task *r = record(g, number, who);

	if (r)
		set_state(r, JOURNAL_TRAPPED);
}

void journal_owes(struct journal *g, uint32_t *number, struct journal_who who, const siginfo_t *si)
{
	struct journal_task *r = record(g, number, who);

	if (!r)
		return;
	/* Which signal it is comes first there, and is written last. */
	_Static_assert(!offsetof(siginfo_t, si_signo), "as the kernel has it");
	const size_t rest = sizeof si->si_signo;

	r->owed.si_signo = 0;
	atomic_thread_fence(memory_order_release);
	memcpy((char *)&r->owed + rest, (const char *)si + rest, sizeof *si - rest);
	atomic_thread_fence(memory_order_release);
	r->owed.si_signo = si->si_signo;
}

void journal_stopped(struct journal *g, uint32_t *number, struct journal_who who)
{
	struct journal_task *r = record(g, number, who);

	if (r)
		r->stopped = true;
}

void journal_changes(struct journal *g, uint32_t number, taddr from, const struct arch_regs *to,
		   const struct journal_word *word)
{
	struct journal_task *r = record_of(g, number);

	if (!r)
		return;
	r->from = from;
	r->to = *to;
	r->has_word = word;
	if (word)
		r->word = *word;
	set_state(r, JOURNAL_CHANGES);
}

/* During the call the program is in the journal, even if it has no other entries. */
void journal_calls(struct journal *g, uint32_t *number, struct journal_who who,
		   const struct journal_call *call)
{
	struct journal_task *r = record(g, number, who);
	struct journal_program *p = r ? program(g, who.pid) : NULL;

	if (!p)
		return;
	p->entries++;
	r->call.insn = 0;
	atomic_thread_fence(memory_order_release);
	r->call.regs = call->regs;
	r->call.mask = call->mask;
	atomic_thread_fence(memory_order_release);
	r->call.insn = call->insn;
	atomic_thread_fence(memory_order_release);
}

void journal_called(struct journal *g, uint32_t number)
{
	struct journal_task *r = record_of(g, number);

	if (!r || !r->call.insn)
		return;
	r->call.insn = 0;
	atomic_thread_fence(memory_order_release);
	leave_program(g, r->pid);
}

void journal_steps(struct journal *g, uint32_t number)
{
	struct journal_task *r = record_of(g, number);

	if (r)
		set_state(r, JOURNAL_STEPS);
}

void journal_goes_on(struct journal *g, uint32_t number)
{
	struct journal_task *r = record_of(g, number);

	if (!r)
		return;
	if (g->heard.si_pid == r->tid)
		journal_noted(g);
	set_state(r, JOURNAL_RUNS);
	r->stopped = false;
}

void journal_went_on(struct journal *g, uint32_t number)
{
	struct journal_task *r = record_of(g, number);

	if (r)
		r->owed.si_signo = 0;
}

void journal_forget(struct journal *g, uint32_t *number)
{
	struct journal_task *r = record_of(g, *number);

	if (!r)
		return;
	journal_called(g, *number);
	r->tid = 0;
	atomic_thread_fence(memory_order_release);
	r->pid = (pid_t)g->free_task;
	g->free_task = *number;
	*number = 0;
}

const struct journal_task *journal_record(const struct journal *g, pid_t tid)
{
	for (uint32_t i = 0; i < atomic_load(&g->n_tasks); i++)
		if (g->tasks[i].tid == tid)
			return &g->tasks[i];
	return NULL;
}

/* ---- waiting ---- */

static int as_wstatus(const siginfo_t *si)
{
	switch (si->si_code) {
	case CLD_EXITED:
		return (si->si_status & 0xff) << 8;
	case CLD_KILLED:
		return si->si_status;
	case CLD_DUMPED:
		return si->si_status | 0x80;
	default:
		return si->si_status << 8 | 0x7f;
	}
}

pid_t journal_wait_for(struct journal *g, pid_t pid, int *wstatus, int flags)
{
	siginfo_t own = { 0 }, *si = g ? &g->heard : &own;

	si->si_pid = 0;
	/* Not WSTOPPED: stops of tracees are reported anyway, and those of other children are not
	 * wanted. */
	if (waitid(pid > 0 ? P_PID : P_ALL, pid > 0 ? (id_t)pid : 0, si, WEXITED | __WALL | flags))
		return -1;
	if (si->si_pid)
		*wstatus = as_wstatus(si);
	return si->si_pid;
}

void journal_noted(struct journal *g)
{
	atomic_thread_fence(memory_order_release);
	if (g)
		g->heard.si_pid = 0;
}
