/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast engine: its struct engine_ops. */
#include "fast/fast.h"

#include "arch/machine.h"
#include "arch/x86_64_agent.h"
#include "base/array.h"
#include "base/clock.h"
#include "fast/engine_internal.h"
#include "fast/refusal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct engine_shared *fast_shared_new(const struct fast_settings *settings)
{
	struct engine_shared *s = calloc(1, sizeof *s);

	if (s)
		s->settings = *settings;
	return s;
}

void fast_shared_free(struct engine_shared *s)
{
	if (!s)
		return;
	table_files_release(&s->tables);
	cfirows_release(&s->agent);
	free(s);
}

/* ---- reading records ---- */

static uint32_t node_place(void *ctx, taddr pc, bool exact, bool guessed, bool *hidden)
{
	const struct engine *e = ctx;

	if (exact)
		pc = own_code_stands_for(e, pc);
	return e->host->place(e->host->ctx, tasks_tid(e), pc, exact, guessed, hidden);
}

static uint32_t node_below(void *ctx, uint32_t parent, uint32_t place)
{
	const struct engine *e = ctx;

	return e->host->node(e->host->ctx, parent, place);
}

static unsigned node_depth(void *ctx)
{
	const struct engine *e = ctx;

	return e->host->depth(e->host->ctx);
}

bool engine_make_readers(struct engine *e)
{
	const struct nodes_host host = { .place = node_place, .node = node_below,
					 .depth = node_depth,
					 .root_whole = CHAIN_ROOT_WHOLE,
					 .root_truncated = CHAIN_ROOT_TRUNCATED, .ctx = e };

	e->ring = ring_new(engine_agent(e));
	e->nodes = nodes_new(engine_agent(e), &host);
	e->threads = threads_new(engine_agent(e));
	e->events = (struct events){ .host = e->host, .nodes = e->nodes, .threads = e->threads,
				     .pid = e->space->pid, .functions = e->functions,
				     .n_functions = e->n_pads,
				     .check = e->shared->settings.check_unwinding };
	if (e->ring)
		ring_look_ahead(e->ring, events_expect);
	return e->ring && e->nodes && e->threads;
}

/* ---- life ---- */

void engine_free(struct engine *e)
{
	struct journal *g = e->shared->settings.journal;

	for (size_t i = 0; i < e->n_pads; i++)
		journal_remove(g, e->pads[i].journal_entry);
	memory_leave_journal(e);
	ring_free(e->ring);
	nodes_free(e->nodes);
	threads_free(e->threads);
	memory_release(e);
	if (e->maps >= 0)
		close(e->maps);
	free(e->pads);
	free(e->functions);
	free(e->known);
	free(e->tasks);
	free(e);
}

/* Before anything is done to the program. */
static int know_agent(struct engine_shared *s)
{
	return s->agent.n ? 0 : own_code_of_agent(&s->agent);
}

/* Reading call frame information takes longest, and it is the same for all programs. */
static void fast_prepare(struct engine_shared *s, const struct module_files *files,
			 const struct mappings *maps)
{
	know_agent(s);
	for (size_t i = 0; i < maps->n; i++)
		table_file(&s->tables, files, maps->maps[i].file);
}

const char *fast_machine_lacks(void)
{
	const struct arch_machine machine = arch_this_machine();

	return arch_machine_lacks(&machine);
}

static int open_for(struct engine *e, struct task *task, struct error *why)
{
	const char *lacks = fast_machine_lacks();

	if (lacks)
		return error_set(why, -ENOTSUP, "%s", lacks);
	int err = know_agent(e->shared);
	if (err)
		return fast_refuse(why, FAST_KNOW, err, 0);
	if (!task_can_call(task))
		return error_set(why, -EAGAIN, "none of its threads is stopped where it can make a "
					       "system call");
	struct task *caller = tracer_can_call(e->tracer, task) ?
				      task : tracer_caller(e->tracer, e->space);
	if (!caller)
		return error_set(why, -ENOTSUP,
				 "no thread can make system calls for mprof: they are in 32-bit "
				 "code, or the kernel gives their system calls to the program "
				 "(PR_SET_SYSCALL_USER_DISPATCH)");
	return memory_open(e, caller, why);
}

static struct engine *fast_open(struct engine_shared *shared, struct tracer *t, struct task *task,
				const struct engine_host *host, int *err, struct error *why)
{
	struct engine *e = calloc(1, sizeof *e);

	if (!e) {
		*err = error_set(why, -ENOMEM, "out of memory");
		return NULL;
	}
	e->shared = shared;
	e->host = host;
	e->space = task->space;
	e->tracer = t;
	told_open(e);
	e->room_entry = e->waits_entry = JOURNAL_NONE;
	*err = open_for(e, task, why);
	if (*err) {
		engine_free(e);
		return NULL;
	}
	if (!engine_make_readers(e)) {
		*err = error_set(why, -ENOMEM, "out of memory");
		memory_close(e, task);
		engine_free(e);
		return NULL;
	}
	return e;
}

static int fast_arm(struct engine *e, bool held, struct error *why)
{
	if (e->removed)
		return 0;
	for (size_t i = 0; i < e->n_tasks; i++)
		tasks_look_at_thread_pointer(e, &e->tasks[i]);
	/* If a task is in the agent just now there will be another hold. */
	if (held && renew_is_due(e))
		renew(e);
	return pads_arm(e, held, why);
}

static void fast_modules(struct engine *e, const struct mappings *maps)
{
	for (size_t i = 0; i < e->n_pads; i++) {
		struct pad *p = &e->pads[i];
		const struct mapping *m = mappings_find(maps, p->at);

		/* Where no file is mapped any more there may be the program's own copy of the
		 * code, with the jump. */
		if (p->gone || (m ? m->file == e->functions[i].file : pads_has_jump(e, p->at)))
			continue;
		p->gone = true;
		journal_remove(e->shared->settings.journal, p->journal_entry);
		p->journal_entry = JOURNAL_NONE;
	}
	events_modules(&e->events);
	/* An address may be other code from here on: in a new epoch it gets new nodes. */
	__atomic_add_fetch(&engine_agent(e)->epoch, 1, __ATOMIC_RELEASE);
	tell_ranges(e);
	tell_modules(e, maps);
}

/* ---- threads ---- */

void engine_thread_begins(struct engine *e, struct task *task)
{
	struct arch_regs r;

	strangers_look(e);
	if (arch_get_regs(task->tid, &r) || ARRAY_RESERVE(&e->tasks, &e->cap_tasks, e->n_tasks))
		return; /* the agent treats it as a stranger */
	e->tasks[e->n_tasks++] = (struct engine_task){
		.task = task,
		.number = threads_begin(e->threads, arch_thread_pointer_of(&r), task->tid),
		.settled = arch_thread_pointer_of(&r),
	};
	tell_stack(e, arch_sp(&r));
}

static void fast_thread_ends(struct engine *e, struct task *task)
{
	struct engine_task *t = tasks_entry(e, task);

	if (!t)
		return;
	const uint32_t number = t->number;

	e->n_tasks--;
	memmove(t, t + 1, (size_t)(&e->tasks[e->n_tasks] - t) * sizeof *t);
	/* Not by its number in the table: a stack may be reused before its last thread is known to
	 * have ended, and then two tasks share the number. */
	if (number == AGENT_NO_THREAD)
		return;
	/* With the last task everything goes, so nothing need be cleaned up; reading the records
	 * would allocate pages. */
	if (!e->n_tasks)
		return;
	threads_end(e->threads, number, ring_head(e->ring));
	beside_ended(e, number);
}

/* ---- reporting ---- */

/* How many events the agent has had no way to report since the last time. The program can write to
 * the counter: an incredible number is not used. */
static uint64_t uncounted(struct engine *e, uint64_t *damaged)
{
	enum { CREDIBLE = 1 << 24 };
	uint64_t now = __atomic_load_n(&engine_agent(e)->uncounted, __ATOMIC_RELAXED);
	uint64_t more = now - e->told_uncounted;

	e->told_uncounted = now;
	if (more <= CREDIBLE)
		return more;
	++*damaged;
	return 0;
}

static void tell_lost(struct engine *e)
{
	uint64_t lost = ring_counts(e->ring).lost + e->events.lost - e->told_lost;
	uint64_t damaged = ring_counts(e->ring).lost + e->events.damaged - e->told_damaged;

	e->told_lost += lost;
	e->told_damaged += damaged;
	lost += uncounted(e, &damaged);
	if (damaged > lost)
		lost = damaged;
	if (lost)
		e->host->lost(e->host->ctx, lost, damaged);
}

/* Answer threads whose stack is in no range that the agent knows. */
static void answer(struct engine *e)
{
	struct agent_shared *s = engine_agent(e);

	if (__atomic_exchange_n(&s->asks, 0, __ATOMIC_ACQUIRE))
		tell_ranges(e);
}

/* Stop a waiting thread, once for each time that it can have found the ring full: its flag stays
 * set until it runs again. */
static void park(struct engine *e, uint32_t number)
{
	pid_t tid = threads_tid(e->threads, number);
	uint64_t at = ring_position(e->ring);

	if (e->parked_at[number] && at - e->parked_at[number] < AGENT_ROOM / 2)
		return;
	for (size_t i = 0; i < e->n_tasks; i++)
		if (e->tasks[i].task->tid == tid) {
			e->parked++;
			e->parked_at[number] = at;
			tracer_interrupt(e->tracer, e->tasks[i].task);
		}
}

/* A thread that waits for room spins. Stopping it frees its processor for us; and it stays in the
 * agent until there is room, so no system call of the program's is interrupted. */
static void park_waiting(struct engine *e)
{
	uint32_t numbers[64];

	/* With many processes most are idle, and ring_waiting() reads the flags of all possible
	 * threads. */
	if (ring_head(e->ring) == ring_position(e->ring))
		return;
	size_t n = ring_waiting(e->ring, numbers, sizeof numbers / sizeof *numbers);

	for (size_t i = 0; i < n && i < sizeof numbers / sizeof *numbers; i++)
		park(e, numbers[i]);
}

enum { SOME = AGENT_RING / 8 };

/* Request a hold, but not again at once if a task was in the agent. */
static void want_hold(struct engine *e, uint64_t now)
{
	enum { BETWEEN_NS = 20000000 };

	if (now - e->hold_ns < BETWEEN_NS)
		return;
	e->hold_ns = now;
	e->host->want_hold(e->host->ctx);
}

/* Adapt how often the agent reads the clock to the rate of its records. */
static void pace(struct engine *e, uint64_t now, uint64_t records)
{
	enum { BETWEEN_NS = 200000 };

	e->paced_records += records;
	if (now - e->paced_ns < BETWEEN_NS)
		return;
	e->untimed = events_untimed(e->paced_records, now - e->paced_ns);
	__atomic_store_n(&engine_agent(e)->untimed, e->untimed, __ATOMIC_RELAXED);
	e->paced_ns = now;
	e->paced_records = 0;
}

/* Tell what is known about the times of records put since the last drain: the first of them may be
 * from before the last drain changed the pace. */
static void bound_times(struct engine *e)
{
	bool each_looked = !e->untimed && !e->untimed_before;

	events_bound(&e->events, clock_now_ns(),
		     each_looked ? __atomic_load_n(&engine_agent(e)->step_ticks, __ATOMIC_RELAXED)
				 : 0);
	e->untimed_before = e->untimed;
}

static uint64_t fast_drain(struct engine *e, bool whole)
{
	uint64_t now = clock_now_ns(), ticks = arch_ticks();
	uint64_t upto = ring_head(e->ring), n = 0, some;

	events_now(&e->events, ticks, now);
	bound_times(e);
	answer(e);
	strangers_answer(e);
	/* Threads that were not waiting at first may fill the room that becomes free. */
	do {
		/* Handling these events may take long: tell the keeper at each part. */
		journal_beats(e->shared->settings.journal);
		park_waiting(e);
		n += some = ring_drain(e->ring, SOME, upto, events_take, &e->events);
	} while (some == SOME);
	threads_reap(e->threads, ring_position(e->ring));
	pace(e, now, n);
	tell_lost(e);
	addresses_look(e);
	if (!whole && e->armed && !e->removed && renew_is_due(e))
		want_hold(e, now);
	return n;
}

static struct engine_counts fast_counts(const struct engine *e)
{
	struct ring_counts c = ring_counts(e->ring);

	return (struct engine_counts){
		.functions = e->n_pads,
		.records = c.records,
		.strangers = c.strangers,
		.stacks = c.stacks,
		.parked = e->parked,
		.nodes = __atomic_load_n(&engine_agent(e)->n_nodes, __ATOMIC_RELAXED),
	};
}

/* ---- suspending and removing ---- */

static void fast_suspend(struct engine *e, bool on)
{
	e->suspended = on;
	if (!e->removed && !e->failed)
		near_set_active(e, e->space, !on);
}

/* Keep waiting for tasks that are still in our code? Not for long, as they may sleep there, or be
 * in a group stop: without the jumps no task enters it, and those that are in it pass through. */
static bool waits_longer(struct engine *e)
{
	enum { ROUNDS = 200 };
	const uint64_t patience_ns = 2000000000, now = clock_now_ns();

	if (!e->leaving_rounds++)
		e->leaving_ns = now;
	return e->leaving_rounds < ROUNDS || now - e->leaving_ns < patience_ns;
}

static int fast_remove(struct engine *e)
{
	if (e->removed)
		return 0;
	pads_lift(e, e->space);
	fast_drain(e, false);
	struct task *caller = tasks_caller(e);
	bool left = !e->armed || tasks_have_left(e);
	int err = left && caller ? memory_close(e, caller) : 0;
	bool again = !left || (e->n_tasks && !caller) || err == -EAGAIN;
	if (again && waits_longer(e))
		return -EAGAIN;
	e->removed = true;
	const char *why = fast_stays(left, e->n_tasks, caller, err);
	struct error note;
	if (why) {
		error_set(&note, 0, "keeps the code and memory of the fast engine, unused: %s",
			  why);
		e->host->note(e->host->ctx, note.text);
	}
	return 0;
}

const struct engine_ops fast_engine = {
	.name = "fast",
	.prepare = fast_prepare,
	.open = fast_open,
	.fork = fork_engine,
	.free = engine_free,
	.plant = pads_plan,
	.arm = fast_arm,
	.drop = pads_drop,
	.modules = fast_modules,
	.drain = fast_drain,
	.counts = fast_counts,
	.thread_begins = engine_thread_begins,
	.thread_ends = fast_thread_ends,
	.inside = beside_inside,
	.pending = beside_pending,
	.fault = faults_pass,
	.has_code = own_code_has,
	.leave_code = own_code_leave,
	.suspend = fast_suspend,
	.has_jump = pads_has_jump,
	.undone = pads_undone,
	.remove = fast_remove,
	.clean_copy = fork_clean_copy,
};
