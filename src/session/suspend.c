/* SPDX-License-Identifier: BSD-2-Clause */
/* Out with the traps for a while, for all programs or for one that has asked for it itself. */
#include "session/session_internal.h"

#include "base/clock.h"

static void mark_images(struct session *s, enum recorder_mark mark)
{
	uint64_t now = clock_now_ns();

	for (struct image *i = s->images; i; i = i->next)
		if (i->watch)
			session_mark(i, mark, 0, now);
}

/* With all tasks stopped: the calls they are in will not be seen to return. @i NULL: of all images. */
static void forget_calls(struct session *s, const struct image *i)
{
	struct task *task;

	for (size_t n = 0; (task = tracer_next_task(s->tracer, &n));) {
		struct image *of = session_image_of(task);

		if (of && of->watch && (!i || of == i))
			watch_forget_calls(of->watch, task);
	}
}

bool session_suspend(struct session *s)
{
	if (s->suspended)
		return false;
	s->suspended = true;
	tracer_quiesce(s->tracer);
	forget_calls(s, NULL);
	for (struct image *i = s->images; i; i = i->next)
		if (i->watch)
			watch_suspend(i->watch);
	mark_images(s, RECORD_SUSPENDED);
	tracer_continue(s->tracer);
	s->progress(s, "suspended");
	return true;
}

bool session_is_suspended(const struct session *s)
{
	bool any = false;

	for (const struct image *i = s->images; i && !s->suspended; i = i->next) {
		if (i->watch && !i->paused)
			return false;
		any |= i->watch && i->paused;
	}
	return any || s->suspended;
}

void session_attend(struct session *s)
{
	bool any = false;

	for (struct image *i = s->images; i; i = i->next)
		any |= i->watch && i->paused && !i->lifted;
	if (!any || s->suspended)
		return;
	tracer_quiesce(s->tracer);
	for (struct image *i = s->images; i; i = i->next) {
		/* It may have gone on meanwhile. */
		if (!i->watch || !i->paused || i->lifted)
			continue;
		forget_calls(s, i);
		watch_suspend(i->watch);
		i->lifted = true;
	}
	tracer_continue(s->tracer);
}

void session_stamp(struct session *s)
{
	mark_images(s, RECORD_STAMP);
}

void session_end(struct session *s)
{
	s->end_ns = clock_now_ns();
	for (struct image *i = s->images; i; i = i->next)
		if (i->watch)
			session_retitle(i);
}

static struct task *task_of(struct session *s, const struct image *i)
{
	struct task *task;

	for (size_t n = 0; (task = tracer_next_task(s->tracer, &n));)
		if (session_image_of(task) == i)
			return task;
	return NULL;
}

/* The end of session_suspend() for @i, if that was @lifted from it, and of its own mprof_suspend(). */
static void resume_image(struct session *s, struct image *i, bool lifted, uint64_t now)
{
	struct task *task = lifted || i->lifted ? task_of(s, i) : NULL;

	if (task)
		watch_resume(i->watch, task->tid);
	i->paused = i->lifted = false;
	session_mark(i, RECORD_RESUMED, 0, now);
}

bool session_resume(struct session *s)
{
	bool all = s->suspended, any = all;

	for (const struct image *i = s->images; i; i = i->next)
		any |= i->watch && i->paused;
	if (!any)
		return false;
	s->suspended = false;
	tracer_quiesce(s->tracer);
	uint64_t now = clock_now_ns();
	for (struct image *i = s->images; i; i = i->next)
		if (i->watch && (all || i->paused))
			resume_image(s, i, all, now);
	tracer_continue(s->tracer);
	s->progress(s, "resumed");
	return true;
}
