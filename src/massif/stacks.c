/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/stacks.h"

#include "base/array.h"

#include <stdlib.h>

void stacks_release(struct stacks *s)
{
	free(s->threads);
	s->threads = NULL;
	s->n = s->cap = 0;
}

static struct stack_thread *find(struct stacks *s, pid_t tid)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->threads[i].tid == tid)
			return &s->threads[i];
	return NULL;
}

/* A stack's base may be the very end of its mapping. */
static void find_mapping(const struct stacks *s, struct stack_thread *t)
{
	if (!t->base || !s->source->mapping(s->pid, t->base - 1, &t->start, &t->end))
		t->start = t->end = 0;
}

/* NULL: out of memory. */
static struct stack_thread *add(struct stacks *s, pid_t tid, taddr base)
{
	if (ARRAY_RESERVE(&s->threads, &s->cap, s->n))
		return NULL;
	struct stack_thread *t = &s->threads[s->n++];

	*t = (struct stack_thread){ .tid = tid, .base = base };
	find_mapping(s, t);
	return t;
}

/* Add a thread whose start was not observed: the first of the process, or one from before
 * attaching. */
static struct stack_thread *adopt(struct stacks *s, pid_t tid, taddr sp)
{
	taddr base = 0, start;

	if (tid == s->pid) {
		if (!s->source->start(s->pid, &base))
			base = 0;
	} else if (!s->source->mapping(s->pid, sp, &start, &base)) {
		base = 0;
	}
	return add(s, tid, base);
}

void stacks_begin_thread(struct stacks *s, pid_t tid)
{
	taddr sp;

	if (!find(s, tid) && s->source->pointer(s->pid, tid, &sp))
		add(s, tid, sp);
}

/* The kernel extends the first thread's stack as it is used, so read its mapping again. */
static bool is_on_stack(const struct stacks *s, struct stack_thread *t, taddr sp)
{
	if (sp < t->start && sp < t->base)
		find_mapping(s, t);
	return sp >= t->start && sp < t->end;
}

int64_t stacks_sample(struct stacks *s, pid_t tid, taddr sp)
{
	struct stack_thread *t = find(s, tid);

	if (!t)
		t = adopt(s, tid, sp);
	/* The end itself counts: nothing has been pushed yet. */
	if (!t || !t->base || !(is_on_stack(s, t, sp) || sp == t->end))
		return 0;
	uint64_t was = t->depth;

	t->depth = sp < t->base ? t->base - sp : 0;
	return (int64_t)(t->depth - was);
}

int64_t stacks_end_thread(struct stacks *s, pid_t tid)
{
	struct stack_thread *t = find(s, tid);

	if (!t)
		return 0;
	int64_t change = -(int64_t)t->depth;

	*t = s->threads[--s->n];
	return change;
}

int64_t stacks_fork(struct stacks *child, const struct stacks *parent, pid_t pid)
{
	taddr sp;

	*child = (struct stacks){ .source = parent->source, .pid = pid };
	if (parent->source->pointer(pid, pid, &sp))
		for (size_t i = 0; i < parent->n; i++) {
			const struct stack_thread *from = &parent->threads[i];

			if (sp < from->start || sp >= from->end)
				continue;
			struct stack_thread *t = add(child, pid, from->base);
			if (t)
				t->depth = from->depth;
			break;
		}
	return (int64_t)(stacks_depth(child) - stacks_depth(parent));
}

uint64_t stacks_depth(const struct stacks *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->threads[i].depth;
	return sum;
}

uint64_t stacks_look(const struct stacks *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct stack_thread *t = &s->threads[i];
		taddr sp;
		bool asleep = s->source->pointer(s->pid, t->tid, &sp);

		if (asleep && t->base && sp >= t->start && sp < t->base)
			sum += t->base - sp;
		else
			sum += t->depth;
	}
	return sum;
}
