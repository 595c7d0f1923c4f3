/* SPDX-License-Identifier: BSD-2-Clause */
/* Removes breakpoints for a while: from all programs, or from one that has asked for it. */
#include "session/session_internal.h"

#include "base/clock.h"
#include "session/meter.h"

static void tell_missed(void *ctx, const struct alloc_event *e, const struct block_change *c)
{
	recorders_missed(((struct image *)ctx)->recorders, e, c);
}

/* Begin a pause; one that mprof_stop() has stopped is not observed already, and does not count. */
static void unseen_from(struct image *i, uint64_t now)
{
	meter_take(i);
	if (i->paused_since_ns || i->stopped)
		return;
	i->live_before_pause = i->profile->live_bytes;
	i->pauses++;
	i->paused_since_ns = now;
}

/* Separate from unseen_from(): its time grows with the number of live blocks. */
static void tell_pause(struct image *i, pid_t task, uint64_t now)
{
	if (i->paused_since_ns == now)
		profile_miss(i->profile, now, tell_missed, i);
	session_mark(i, RECORD_SUSPENDED, task, now);
}

void session_pause_begins(struct image *i, pid_t task, uint64_t now)
{
	unseen_from(i, now);
	tell_pause(i, task, now);
}

void session_pause_ends(struct image *i, pid_t task, uint64_t now)
{
	meter_take(i);
	if (i->paused_since_ns)
		i->paused_ns += now - i->paused_since_ns;
	i->paused_since_ns = 0;
	session_mark(i, RECORD_RESUMED, task, now);
}

bool session_suspend(struct session *s)
{
	if (s->suspended)
		return false;
	s->suspended = true;
	s->observer->ops->hold(s->observer);
	for (struct image *i = s->images; i; i = i->next)
		if (i->observed)
			s->observer->ops->suspend(s->observer, i->observed);
	uint64_t now = clock_now_ns();
	for (struct image *i = s->images; i; i = i->next)
		if (i->observed)
			unseen_from(i, now);
	/* Programs may run during the rest: nothing is observed any more. */
	s->observer->ops->let_run(s->observer);
	for (struct image *i = s->images; i; i = i->next)
		if (i->observed)
			tell_pause(i, 0, now);
	session_progress(s, "suspended");
	return true;
}

bool session_is_suspended(const struct session *s)
{
	bool any = false;

	for (const struct image *i = s->images; i && !s->suspended; i = i->next) {
		if (i->observed && !i->paused)
			return false;
		any |= i->observed && i->paused;
	}
	return any || s->suspended;
}

void session_attend(struct session *s)
{
	bool any = false;

	for (struct image *i = s->images; i; i = i->next)
		any |= i->observed && i->paused && !i->lifted;
	if (!any || s->suspended)
		return;
	s->observer->ops->hold(s->observer);
	for (struct image *i = s->images; i; i = i->next) {
		/* It may have called mprof_resume() meanwhile. */
		if (!i->observed || !i->paused || i->lifted)
			continue;
		s->observer->ops->suspend(s->observer, i->observed);
		i->lifted = true;
	}
	s->observer->ops->let_run(s->observer);
}

void session_stamp(struct session *s)
{
	uint64_t now = clock_now_ns();

	for (struct image *i = s->images; i; i = i->next)
		if (i->observed)
			session_mark(i, RECORD_STAMP, 0, now);
}

void session_end(struct session *s)
{
	meter_read(s);
	s->end_ns = clock_now_ns();
	for (struct image *i = s->images; i; i = i->next)
		if (i->observed)
			session_retitle(i);
	for (unsigned k = 0; k < s->n_outputs; k++)
		if (s->outputs[k]->ops->end)
			s->outputs[k]->ops->end(s->outputs[k], s->end_ns);
}

/* End session_suspend() for @i, if that has @lifted its breakpoints, and its own
 * mprof_suspend(). */
static void resume_image(struct session *s, struct image *i, bool lifted, uint64_t now)
{
	if (lifted || i->lifted)
		s->observer->ops->resume(s->observer, i->observed);
	i->paused = i->lifted = false;
	session_pause_ends(i, 0, now);
}

/* End session_suspend() for @i. One that has called mprof_suspend() stays without breakpoints. */
static void end_pause_of(struct session *s, struct image *i, uint64_t now)
{
	if (i->paused)
		i->lifted = true;
	else
		resume_image(s, i, true, now);
}

bool session_end_pause(struct session *s)
{
	if (!s->suspended)
		return false;
	s->suspended = false;
	s->observer->ops->hold(s->observer);
	uint64_t now = clock_now_ns();
	for (struct image *i = s->images; i; i = i->next)
		if (i->observed)
			end_pause_of(s, i, now);
	s->observer->ops->let_run(s->observer);
	session_progress(s, "resumed");
	return true;
}

bool session_resume(struct session *s)
{
	bool all = s->suspended, any = all;

	for (const struct image *i = s->images; i; i = i->next)
		any |= i->observed && i->paused;
	if (!any)
		return false;
	s->suspended = false;
	s->observer->ops->hold(s->observer);
	uint64_t now = clock_now_ns();
	for (struct image *i = s->images; i; i = i->next)
		if (i->observed && (all || i->paused))
			resume_image(s, i, all, now);
	s->observer->ops->let_run(s->observer);
	session_progress(s, "resumed");
	return true;
}
