/* SPDX-License-Identifier: BSD-2-Clause */
/* The pcs and stacks of the tasks, all of which are stopped: none may be in code that is to be
 * written or removed. */
#include "fast/engine_internal.h"

#include "proc/file.h"
#include "proc/maps.h"
#include "proc/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { PIECE = 4096 };

pid_t tasks_tid(const struct engine *e)
{
	/* A leader that has ended while its threads go on has no memory any more. */
	for (size_t i = 0; i < e->n_tasks; i++)
		if (!e->tasks[i].task->over && !task_has_ended(e->tasks[i].task))
			return e->tasks[i].task->tid;
	return e->space->pid;
}

struct engine_task *tasks_entry(const struct engine *e, const struct task *task)
{
	for (size_t i = e->n_tasks; i-- > 0;)
		if (e->tasks[i].task == task)
			return &e->tasks[i];
	return NULL;
}

void tasks_look_at_thread_pointer(struct engine *e, struct engine_task *t)
{
	struct arch_regs r;

	if (arch_get_regs(t->task->tid, &r))
		return;
	t->settled = arch_thread_pointer_of(&r);
	t->number = threads_moved(e->threads, t->number, arch_thread_pointer_of(&r),
				  ring_head(e->ring));
}

struct task *tasks_caller(const struct engine *e)
{
	for (size_t i = 0; i < e->n_tasks; i++)
		if (tracer_can_call(e->tracer, e->tasks[i].task))
			return e->tasks[i].task;
	return NULL;
}

typedef bool word_fn(const struct engine *e, taddr word);

struct search {
	const struct engine *e;
	const struct address_space *space;
	word_fn *fn;
	taddr from;	/* the stack pointer, aligned */
};

static bool any_in(const struct search *s, taddr at, taddr end)
{
	uint64_t words[PIECE / 8];

	for (; at < end; at += sizeof words) {
		ssize_t got = address_space_read(s->space, at, words, sizeof words);

		for (ssize_t i = 0; i < got / 8; i++)
			if (s->fn(s->e, words[i]))
				return true;
		if (got < (ssize_t)sizeof words)
			break;
	}
	return false;
}

static int look_at_pages(const struct page_range *r, void *ctx)
{
	const struct search *s = ctx;

	return !r->zero && any_in(s, r->start > s->from ? r->start : s->from, r->end);
}

struct private_memory {
	taddr at;
	bool is;
};

static int look_at_map(const struct proc_map *m, void *ctx)
{
	struct private_memory *p = ctx;

	p->is = p->at >= m->start && p->at < m->end && !m->shared;
	return p->at < m->end;
}

/* A stack may be a small part of its mapping if the program has threads or coroutines of its own.
 * Reading pages that were never written takes seconds, in which the program is stopped, and makes
 * the kernel allocate page tables for them. Pages of shared memory may exist without being in the
 * program's page tables, so only private memory is searched in this way. */
static int any_in_pages(struct search *s, pid_t pid, taddr end)
{
	struct private_memory p = { .at = s->from };

	if (proc_maps_each(pid, look_at_map, &p) < 0 || !p.is)
		return -ENOTSUP;
	int pagemap = proc_open(pid, "pagemap", O_RDONLY);
	if (pagemap < 0)
		return pagemap;
	int any = pagemap_each(pagemap, s->from & ~(taddr)(PIECE - 1), end, NULL, look_at_pages, s);
	close(pagemap);
	return any;
}

/* Is @fn true of a word of the stack in @space, the program's or a forked copy of it, from the
 * stack pointer to the end of the mapping? */
static bool any_word(const struct engine *e, const struct address_space *space, taddr sp,
		     word_fn *fn)
{
	enum { LARGE = 16 << 20 };
	struct search s = { e, space, fn, sp & ~(taddr)7 };
	const struct agent_shared *shared = engine_agent(e);
	const pid_t pid = space == e->space ? tasks_tid(e) : space->pid;
	taddr end = sp + PIECE;

	for (uint32_t i = 0; i < shared->n_ranges && i < AGENT_RANGES; i++)
		if (sp >= shared->ranges[i].lo && sp < shared->ranges[i].hi)
			end = shared->ranges[i].hi;
	int any = end - sp > LARGE ? any_in_pages(&s, pid, end) : -ENOTSUP;
	return any < 0 ? any_in(&s, s.from, end) : any;
}

/* ---- before the jumps are written ---- */

/* Is @word an address inside of the bytes that a jump will replace? A signal handler may return
 * there. */
static bool is_in_the_way(const struct engine *e, taddr word)
{
	for (size_t i = 0; i < e->n_pads; i++) {
		const struct pad *p = &e->pads[i];
		taddr pc = word;

		/* The common case first: hardly any word is. */
		if (p->written || p->gone ||
		    word - p->at >= (taddr)p->patch.skip + p->patch.size)
			continue;
		if (arch_patch_pc(&p->patch, p->at, p->slot, &pc))
			return true;
	}
	return false;
}

static int make_way(struct engine *e, const struct task *task)
{
	struct arch_regs r;

	if (arch_get_regs(task->tid, &r))
		return 0; /* it is dying */
	for (size_t i = 0; i < e->n_pads; i++) {
		struct pad *p = &e->pads[i];
		taddr pc = arch_pc(&r);

		if (p->written || p->gone)
			continue;
		int moved = arch_patch_pc(&p->patch, p->at, p->slot, &pc);
		if (moved < 0)
			return -EAGAIN;
		if (moved)
			arch_write_pc(task->tid, pc);
	}
	return any_word(e, e->space, arch_sp(&r), is_in_the_way) ? -EAGAIN : 0;
}

int tasks_make_way(struct engine *e)
{
	int err = 0;

	for (size_t i = 0; i < e->n_tasks && !err; i++)
		err = make_way(e, e->tasks[i].task);
	return err;
}

/* ---- before our code is removed ---- */

static bool is_agents(const struct engine *e, taddr pc)
{
	return pc >= e->agent && pc < e->agent + e->agent_size;
}

static bool is_ours(const struct engine *e, taddr pc)
{
	return near_has(e, pc) || is_agents(e, pc);
}

/* Move a task in a slot to the function itself, whose bytes have been restored. */
static bool put_back(const struct engine *e, const struct task *task, struct arch_regs *r)
{
	for (size_t i = 0; i < e->n_pads; i++) {
		const struct pad *p = &e->pads[i];
		taddr pc = arch_pc(r);

		if (!p->gone && p->slot && arch_patch_pc_back(&p->patch, p->at, p->slot, &pc) > 0) {
			arch_set_pc(r, pc);
			return !arch_write_pc(task->tid, pc);
		}
	}
	return false;
}

/* The stack of a sleeping thread may contain words left behind by old calls, or by another thread
 * that had this stack before. They are stale if the thread is in no call and its stack can be
 * unwound without them. */
static bool only_stale_words(const struct engine *e, struct task *task, uint32_t number)
{
	return number != AGENT_NO_THREAD && !engine_agent(e)->threads[number].depth &&
	       e->host->has_left(e->host->ctx, task, is_ours, e);
}

static bool has_left(const struct engine *e, struct task *task, uint32_t number)
{
	struct arch_regs r;

	if (arch_get_regs(task->tid, &r))
		return true; /* it is dying */
	if (is_ours(e, arch_pc(&r)) && !put_back(e, task, &r))
		return false;
	return !any_word(e, e->space, arch_sp(&r), is_ours) || only_stale_words(e, task, number);
}

bool tasks_are_outside_agent(struct engine *e)
{
	for (size_t i = 0; i < e->n_tasks; i++) {
		struct task *task = e->tasks[i].task;
		struct arch_regs r;

		if (arch_get_regs(task->tid, &r))
			continue; /* it is dying */
		if (is_agents(e, arch_pc(&r)))
			return false;
		/* A task in a pad may be about to call the agent, which does no harm. */
		if (any_word(e, e->space, arch_sp(&r), is_agents) &&
		    !e->host->has_left(e->host->ctx, task, is_agents, e))
			return false;
	}
	return true;
}

bool tasks_have_left(struct engine *e)
{
	bool all = true;

	for (size_t i = 0; i < e->n_tasks; i++)
		all &= has_left(e, e->tasks[i].task, e->tasks[i].number);
	return all;
}

bool tasks_copy_is_outside_agent(const struct engine *e, struct task *child,
				 const struct engine_host *host)
{
	struct arch_regs r;

	/* Words left behind by old calls look the same. */
	return arch_get_regs(child->tid, &r) ||
	       !any_word(e, child->space, arch_sp(&r), is_agents) ||
	       (host && host->has_left(host->ctx, child, is_agents, e));
}

bool tasks_copy_has_left(const struct engine *e, const struct task *child)
{
	struct arch_regs r;

	return arch_get_regs(child->tid, &r) || !any_word(e, child->space, arch_sp(&r), is_ours);
}
