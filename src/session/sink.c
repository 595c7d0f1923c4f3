/* SPDX-License-Identifier: BSD-2-Clause */
/* The sink of the observer's events: each goes to the image that it concerns. */
#include "session/session_internal.h"
#include "session/unseen.h"

#include "base/clock.h"
#include "proc/modules.h"
#include "proc/rights.h"
#include "session/saving.h"
#include "session/meter.h"
#include "session/signals.h"
#include "session/snapshots.h"
#include "session/spare.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The new block of a realloc could not be counted, but the old one has gone all the same: to
 * recorders, the call has only freed it. */
static void tell_freed(struct image *i, const struct alloc_event *e, const struct block_change *c)
{
	struct alloc_event freed = *e;

	if (c->kind != BLOCK_GONE)
		return;
	freed.kind = AE_REALLOC_FREED;
	freed.ptr = freed.size = 0;
	recorders_event(i->recorders, &freed, c);
}

static int count(struct image *i, const struct alloc_event *e)
{
	struct block_change change;
	int err = profile_event(i->profile, e, &change);
	if (err)
		tell_freed(i, e, &change);
	else
		recorders_event(i->recorders, e, &change);
	/* Servers set the title of a forked process soon after the fork, and later now and then:
	 * read it after 1, 2, 4, 8... events. */
	if (!(i->events & (i->events + 1))) {
		session_retitle(i);
		meter_take(i);
	}
	i->events++;
	if (i->session->settings.max_memory && i->events % SPARE_EVENTS == 0)
		spare_check(i->session);
	return err;
}

/* An event that is not counted has no effect, with one exception: if the end of a realloc whose
 * beginning was counted is not, its block is put back. */
static int ignore(struct image *i, const struct alloc_event *e)
{
	struct alloc_event back = {
		.kind = AE_REALLOC_BACK, .call = CALL_REALLOC, .task = e->task,
		.time_ns = e->time_ns, .old_ptr = e->old_ptr,
		.announced = e->announced,
	};

	if (e->kind != AE_REALLOC_MOVED && e->kind != AE_REALLOC_FREED &&
	    e->kind != AE_REALLOC_BACK)
		return 0;
	return count(i, &back);
}

/* Apply the size filter as size_filter_event() does, but its own counters stay as they were while
 * events are not counted. */
static int sift(struct image *i, struct alloc_event *e)
{
	const struct size_filter was = i->size_filter;

	if (size_filter_is_open(&was))
		return 1;
	taddr block = e->kind == AE_REALLOC_BEGIN ? e->old_ptr : e->ptr;
	int passes = size_filter_event(&i->size_filter, e,
				       profile_knows(i->profile, block_key(e, block)));
	if (i->stopped || i->paused) {
		i->size_filter.requests = was.requests;
		i->size_filter.frees = was.frees;
	}
	return passes;
}

static int sink_event(void *image, const struct alloc_event *told)
{
	struct image *i = image;
	struct alloc_event changed;
	const struct alloc_event *e = told;
	uint64_t every = i->session->autosave, before = i->profile->totals.allocs,
		 end = i->session->end_ns;
	bool late = end && told->time_ns > end;

	if (late || !size_filter_is_open(&i->size_filter)) {
		e = &changed;
		changed = *told;
		/* Calls given up because of the detach do not belong to the measured time. */
		if (late)
			changed.time_ns = end;
		int passes = sift(i, &changed);
		if (passes <= 0)
			return passes;
	}
	if (i->stopped || i->paused)
		return ignore(i, e);
	int err = count(i, e);
	if (every && i->profile->totals.allocs != before && i->profile->totals.allocs % every == 0)
		session_save(i->session, i);
	if (i->profile->live_bytes > i->live_above)
		snapshots_live(i);
	return err;
}

const char *session_lacks_rights(const struct session *s, pid_t tid)
{
	/* The task's rights may have changed since the session began: a server drops privileges,
	 * and a program that we have started may change its user or be setuid. */
	return s->foreign ? "it is another user's" : proc_lacks_our_rights(tid);
}

char *session_string(const struct session *s, const struct address_space *space, taddr at)
{
	char text[4096];
	ssize_t n = at ? s->observer->ops->read(space, at, text, sizeof text - 1) : 0;

	if (n <= 0)
		return NULL;
	text[n] = '\0';
	return text[0] ? strdup(text) : NULL;
}

static bool sink_wants(void *image, uint64_t size)
{
	const struct image *i = image;

	return i->stopped || i->paused || size_filter_passes(&i->size_filter, size);
}

static bool sink_expect(void *image, const struct alloc_expected *v, unsigned n)
{
	const struct image *i = image;

	return profile_expect(i->profile, v, n);
}

static bool sink_knows(void *image, taddr ptr)
{
	const struct image *i = image;

	return profile_knows(i->profile, ptr);
}

void session_mark(struct image *i, enum recorder_mark mark, pid_t task, uint64_t now)
{
	profile_stamp(i->profile, now);
	if (mark == RECORD_SUSPENDED)
		profile_unseen_from_now(i->profile);
	else if (mark == RECORD_RESUMED || mark == RECORD_RESTARTED)
		profile_seen_from_now(i->profile, now);
	recorders_mark(i->recorders, mark, task, now);
}

/* Handles mprof_stop() and mprof_restart(). */
static void mark_profile(struct image *i, struct task_ref task, bool stop, taddr arg)
{
	bool was_stopped = i->stopped;
	uint64_t now = clock_now_ns();

	if (!i->stopped)
		session_save(i->session, i);
	if (!stop)
		session_write_restarting(i->session, i);
	i->stopped = stop;
	session_mark(i, stop ? RECORD_SUSPENDED : RECORD_RESTARTED, task.tid, now);
	if (stop != was_stopped)
		session_progress(i->session, stop ? "suspended" : "resumed");
	if (stop)
		return;
	char *name = session_string(i->session, task.space, arg);
	const char *lacks = name ? session_lacks_rights(i->session, task.tid) : NULL;

	if (lacks) {
		say_to(i->session->host.say,
		       "process %d names the file %s for its profile: ignored, for %s",
		       (int)i->pid, name, lacks);
		free(name);
		name = NULL;
	}
	free(i->data);
	i->data = name;
	profile_restart(i->profile);
	i->restarts++;
	i->unseen_before = unseen_so_far(i);
	profile_stamp(i->profile, now);
}

/* Handles mprof_suspend(): the breakpoints are removed later, when no stop is being served. */
static void pause_image(struct image *i, pid_t tid)
{
	if (i->paused)
		return;
	i->paused = true;
	session_pause_begins(i, tid, clock_now_ns());
	session_progress(i->session, "suspended");
	signals_attention = 1; /* the loop checks it before it sleeps again */
}

/* Handles mprof_resume(): at once, for the program may allocate when it returns. No thread is in an
 * out-of-line slot, since there are no breakpoints, so threads may run while these are put back. */
static void unpause_image(struct image *i, pid_t tid)
{
	struct observer *o = i->session->observer;

	if (!i->paused)
		return;
	if (i->lifted && !i->session->suspended)
		o->ops->resume(o, i->observed);
	i->paused = i->lifted = false;
	/* A session_suspend() of all programs goes on. */
	if (!i->session->suspended)
		session_pause_ends(i, tid, clock_now_ns());
	session_progress(i->session, "resumed");
}

static void sink_mark(void *image, struct task_ref task, enum program_mark mark, uint64_t arg)
{
	struct image *i = image;

	switch (mark) {
	case MARK_AUTOSAVE:
		i->session->autosave = (int)arg > 0 ? (uint64_t)arg & INT_MAX : 0;
		return;
	case MARK_STOP:
	case MARK_RESTART:
		mark_profile(i, task, mark == MARK_STOP, arg);
		return;
	case MARK_SUSPEND:
		pause_image(i, task.tid);
		return;
	case MARK_RESUME:
		unpause_image(i, task.tid);
		return;
	case MARK_STAMP:
		session_mark(i, RECORD_STAMP, task.tid, clock_now_ns());
		return;
	case MARK_NONE:
	case MARK_CLONE:
		return;
	}
}

static uint32_t sink_frame(void *image, uint32_t file, uint64_t address, bool exact, bool guessed)
{
	struct image *i = image;
	struct profile_place place = { address, file == NO_FILE ? PD_NONE : file, exact, guessed };

	return profile_frame(i->profile, &place);
}

static uint32_t sink_node(void *image, uint32_t parent, uint32_t frame)
{
	return profile_node_below(((struct image *)image)->profile, parent, frame);
}

static unsigned sink_depth(void *image)
{
	return ((const struct image *)image)->profile->spared.depth;
}

static bool sink_ask(void *image, struct task_ref task, enum program_question what,
		     const uint64_t arg[2], uint64_t *result)
{
	struct image *i = image;
	const struct session *s = i->session;

	for (unsigned k = 0; k < s->n_outputs; k++) {
		struct output *o = s->outputs[k];

		if (o->ops->ask && o->ops->ask(o, i, task, what, arg, result))
			return true;
	}
	return false;
}

static void sink_modules(void *image, const struct mappings *maps)
{
	recorders_modules(((struct image *)image)->recorders, maps);
}

static void sink_thread(void *image, pid_t tid, bool begins)
{
	recorders_thread(((struct image *)image)->recorders, tid, begins);
}

static bool sink_call(void *image, const struct syscall_call *c)
{
	struct image *i = image;

	if (i->stopped || i->session->suspended)
		return false;
	recorders_call(i->recorders, c);
	return true;
}

static void sink_pages(void *image, const struct page_event *e, const struct alloc_chain *chain)
{
	struct image *i = image;
	uint32_t node = profile_chain_node(i->profile, chain);

	recorders_pages(i->recorders, e, node == IDINDEX_NONE ? PD_ROOT_TRUNCATED : node);
}

static void sink_note(void *image, const char *what)
{
	const struct image *i = image;

	say_to(i->session->host.say, "process %d %s", (int)i->pid, what);
}

/* The clock of the process can be read for the last time, unless it goes on as another program. */
static void sink_leaving(void *image)
{
	struct image *i = image;

	meter_take(i);
	recorders_leaving(i->recorders);
}

static bool sink_signal(void *image, pid_t tid, int sig)
{
	return recorders_signal(((struct image *)image)->recorders, tid, sig);
}

const struct observer_sink session_sink = {
	.wanted = session_wants,
	.begins = session_begins,
	.forked = session_forked,
	.observed = session_observed,
	.unobserved = session_unobserved,
	.note = sink_note,
	.event = sink_event,
	.wants = sink_wants,
	.knows = sink_knows,
	.expect = sink_expect,
	.frame = sink_frame,
	.node = sink_node,
	.depth = sink_depth,
	.mark = sink_mark,
	.ask = sink_ask,
	.modules = sink_modules,
	.thread = sink_thread,
	.call = sink_call,
	.pages = sink_pages,
	.leaving = sink_leaving,
	.signal = sink_signal,
	.gone = session_gone,
	.ended = session_ended,
	.reaped = session_reaped,
};
