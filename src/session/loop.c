/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/loop.h"

#include "base/clock.h"
#include "session/saving.h"
#include "session/signals.h"

#include <sys/time.h>

/* ---- time ---- */

static bool time_is_over(const struct session *s)
{
	double elapsed = (double)(clock_now_ns() - s->started_ns) / 1e9;

	return s->settings.duration > 0 && elapsed >= s->settings.duration;
}

/* The next age of the session, in seconds, at which something is to be checked; 0: none. */
static unsigned next_age(const struct session *s, uint64_t age_s)
{
	unsigned next = s->settings.may_be_fast && SESSION_COST_S > age_s ? SESSION_COST_S : 0;

	for (unsigned k = 0; k < s->n_outputs; k++) {
		unsigned ahead = s->outputs[k]->ahead_s;

		if (ahead > age_s && (!next || ahead < next))
			next = ahead;
	}
	return next;
}

/* Set a timer for the next age at which something is to be checked. */
static void await_age(const struct session *s)
{
	uint64_t age_ns = clock_now_ns() - s->started_ns;
	unsigned next = next_age(s, age_ns / 1000000000);
	uint64_t us = next ? (next * UINT64_C(1000000000) - age_ns) / 1000 + 1 : 0;
	struct itimerval once = { .it_value = { (time_t)(us / 1000000), (long)(us % 1000000) } };

	setitimer(ITIMER_REAL, &once, NULL);
}

/* True if anything needs a periodic tick; if not, await_age() sets a timer for single checks. */
static bool ticks(const struct session *s)
{
	bool ticks = s->settings.duration > 0 || s->settings.ticks || s->settings.n_snapshots ||
		     s->settings.over.slowdown > 0;

	for (unsigned k = 0; k < s->n_outputs; k++)
		ticks |= s->outputs[k]->ticks;
	return ticks;
}

static void start_ticking(const struct session *s)
{
	struct itimerval every = { { 0, SESSION_TICK_MS * 1000 }, { 0, SESSION_TICK_MS * 1000 } };

	if (ticks(s))
		setitimer(ITIMER_REAL, &every, NULL);
	else
		await_age(s);
}

static void stop_ticking(void)
{
	struct itimerval never = { 0 };

	setitimer(ITIMER_REAL, &never, NULL);
}

/* ---- the loop ---- */

static bool is_over(struct session *s)
{
	return serve_told() || s->host.is_over(s) || !s->observer->ops->tasks(s->observer) ||
	       time_is_over(s) || s->too_slow;
}

int session_run(struct session *s)
{
	const struct observer_ops *ops = s->observer->ops;
	int err = 0;

	s->started_ns = clock_now_ns();
	s->started_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	bool ticking = ticks(s);
	start_ticking(s);
	while (!err) {
		signals_attended();
		s->host.attend(s);
		session_attend(s);
		session_tick(s);
		if (!ticking)
			await_age(s);
		if (is_over(s) && !(s->host.finishes && s->host.finishes(s)))
			break;
		err = ops->run(s->observer, &signals_attention);
		/* A control socket may have become ready without a signal. */
		if (!signals_attention && !ops->tasks(s->observer))
			break;
	}
	signals_end();
	stop_ticking();
	return err;
}

void session_let_go(struct session *s)
{
	session_end(s);
	s->observer->ops->let_go(s->observer);
	session_await_writers(s);
}
