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

/* Outputs want time to pass; or only one look at them, when the session is so old. */
static void start_ticking(const struct session *s)
{
	struct itimerval every = { { 0, SESSION_TICK_MS * 1000 }, { 0, SESSION_TICK_MS * 1000 } };
	struct itimerval once = { { 0, 0 }, { 0, 0 } };
	bool ticks = s->settings.duration > 0 || s->settings.ticks;

	for (unsigned k = 0; k < s->n_outputs; k++) {
		ticks |= s->outputs[k]->ticks;
		if (s->outputs[k]->ahead_s > once.it_value.tv_sec)
			once.it_value.tv_sec = s->outputs[k]->ahead_s;
	}
	if (ticks)
		setitimer(ITIMER_REAL, &every, NULL);
	else if (once.it_value.tv_sec)
		setitimer(ITIMER_REAL, &once, NULL);
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
	       time_is_over(s);
}

int session_run(struct session *s)
{
	const struct observer_ops *ops = s->observer->ops;
	int err = 0;

	s->started_ns = clock_now_ns();
	start_ticking(s);
	while (!err) {
		signals_attended();
		s->host.attend(s);
		session_attend(s);
		session_tick(s);
		if (is_over(s))
			break;
		err = ops->run(s->observer, &signals_attention);
		/* A control socket may be ready without a signal's having come. */
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
