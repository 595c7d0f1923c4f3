/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracer is dying: stop its programs, and record the state of each of their tasks. */
#include "attach/rescue_internal.h"

#include "base/array.h"
#include "proc/children.h"
#include "proc/file.h"
#include "proc/stat.h"
#include "proc/status.h"
#include "proc/syscall.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t bit(int sig)
{
	return 1ull << (sig - 1);
}

/* ---- first aid ---- */

static void stop_task(void *ctx, pid_t tid)
{
	(void)ctx;
	/* By tkill to each thread: a signal to the process would be taken by one, which would stop
	 * for its tracer. */
	syscall(SYS_tkill, tid, SIGSTOP);
}

/* A process of which only a task's record is left has been cleaned, and would never be
 * continued. */
static bool is_in_journal(struct journal *g, pid_t pid)
{
	struct journal_program *p;

	for (uint32_t i = 0; (p = program_next(g, &i));)
		if (p->pid == pid)
			return true;
	return false;
}

void watchdog_stop_programs(struct journal *g)
{
	struct journal_program *p;

	/* First the tasks that are known to run, which may hit a breakpoint at any moment. */
	for (uint32_t i = 0; i < atomic_load(&g->n_tasks); i++)
		if (g->tasks[i].tid && g->tasks[i].state != JOURNAL_TRAPPED &&
		    is_in_journal(g, g->tasks[i].pid))
			stop_task(NULL, g->tasks[i].tid);
	for (uint32_t i = 0; (p = program_next(g, &i));)
		program_restore_text(g, p->pid);
	for (uint32_t i = 0; (p = program_next(g, &i));)
		program_each_task(g, p->pid, stop_task, NULL);
}

/* ---- forked children that have not been reported yet ---- */

struct adoption {
	struct journal *g;
	pid_t child, parent;
};

static bool has_entry(const struct adoption *a, const struct journal_entry *of)
{
	for (uint32_t i = 0; i < atomic_load(&a->g->n_entries); i++) {
		const struct journal_entry *e = &a->g->entries[i];

		if (e->pid == a->child && e->kind == of->kind && e->at == of->at)
			return true;
	}
	return false;
}

static void adopt_entry(const struct adoption *a, const struct journal_entry *of)
{
	struct journal_entry e = *of;

	e.pid = a->child;
	if (!has_entry(a, &e))
		journal_add(a->g, &e);
}

/* A tracee that is not wholly in the journal has a copy of what is in its parent: copy the parent's
 * entries. */
static void adopt(void *ctx, pid_t pid)
{
	struct journal *g = ctx;
	struct adoption a = { g, pid, proc_status(pid).ppid };
	struct journal_program *p;
	bool known = false, of_ours = false;

	if (proc_status(pid).tracer != atomic_load(&g->tracer))
		return;
	for (uint32_t i = 0; (p = program_next(g, &i));) {
		known |= p->pid == pid && p->entries && !p->partial;
		of_ours |= p->pid == a.parent;
	}
	if (known || !of_ours)
		return;
	for (uint32_t i = 0, n = atomic_load(&g->n_entries); i < n; i++)
		if (g->entries[i].pid == a.parent)
			adopt_entry(&a, &g->entries[i]);
	each_number(pid, stop_task, NULL);
	program_restore_text(g, pid);
}

/* ---- looking ---- */

/* The pc of a task that is not running, from /proc/PID/syscall, proc(5). */
static bool read_pc(pid_t tid, taddr *pc)
{
	struct proc_syscall c;
	int err = proc_syscall(tid, &c);

	*pc = err ? 0 : c.pc;
	return !err;
}

/* untold is read from task/TID/stat, for /proc/TID/stat has the exit code of the thread group. */
static bool look_once(struct recovery_seen *s)
{
	char name[32];

	snprintf(name, sizeof name, "task/%d/stat", (int)s->tid);
	char *text = proc_read(s->tid, name, NULL);
	const char *at = text ? procstat_field(text, PROCSTAT_STATE) : NULL;

	s->state = at ? *at : 'X';
	at = at ? procstat_field(text, PROCSTAT_EXIT_CODE) : NULL;
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
	for (int i = 0; !look_once(&seen) && rescue_may_wait(i, seen.state); i++)
		;
	seen.has_pc = strchr("tT", seen.state) && read_pc(tid, &seen.pc);
	seen.trap_comes = seen.untold == SIGTRAP || proc_status(tid).pending & bit(SIGTRAP);
	s->v[s->n++] = seen;
}

const struct recovery_seen *sight_of(const struct recovery_sight *s, pid_t tid)
{
	for (size_t i = 0; s && i < s->n; i++)
		if (s->v[i].tid == tid)
			return &s->v[i];
	return NULL;
}

/* A breakpoint's SIGTRAP that was not reported to the tracer will kill the program. If the program
 * handles SIGTRAP it would go on wrongly, and is killed. */
static void judge_missed(struct journal *g, struct journal_program *p,
			 const struct recovery_sight *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].pid != p->pid || !recovery_missed_trap(g, &s->v[i]))
			continue;
		if (proc_status(s->v[i].tid).caught & bit(SIGTRAP)) {
			program_kill(p, s->v[i].tid);
			return;
		}
		p->fate = (struct program_fate){ .pid = p->pid, .end = FATE_DIED,
						 .signal = SIGTRAP, .task = s->v[i].tid };
	}
}

/* Children are looked up by /proc/PID/task/TID/children where there is one: reading all processes
 * of the machine takes longer than all else done here. */
static void adopt_children(struct journal *g)
{
	struct journal_program *p;

	/* A child that has not been reported has not run yet, and has no children itself. */
	for (uint32_t i = 0; (p = program_next(g, &i));)
		if (proc_children_each(p->pid, adopt, g)) {
			each_number(0, adopt, g);
			return;
		}
}

void sight_take(struct journal *g, struct recovery_sight *s)
{
	struct journal_program *p;

	for (uint32_t i = 0; (p = program_next(g, &i));)
		program_each_task(g, p->pid, rescue_await_rest, NULL);
	adopt_children(g);
	for (uint32_t i = 0; (p = program_next(g, &i));) {
		program_each_task(g, p->pid, look_at, &(struct looking){ s, p->pid });
		judge_missed(g, p, s);
	}
}
