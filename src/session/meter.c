/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/meter.h"

#include "base/clock.h"

#include <time.h>

/* Processor time of a process, including threads that have ended; 0: it is gone. */
static uint64_t processor_ns(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? 0 : clock_ns(clock);
}

void meter_begin(struct image *i)
{
	i->ran_ns = processor_ns(i->pid);
	i->calls_read = 0;
}

/* Time that the process ran in a pause is not added; only its clock at the end of it is noted. */
void meter_take(struct image *i)
{
	struct session *s = i->session;
	uint64_t ran = processor_ns(i->pid);
	uint64_t calls = i->observed ?
				 s->observer->ops->counts(i->observed).engine.records : 0;

	if (ran > i->ran_ns && !i->paused_since_ns)
		s->cost.ran_ns += ran - i->ran_ns;
	if (calls > i->calls_read)
		s->cost.calls += calls - i->calls_read;
	i->ran_ns = ran > i->ran_ns ? ran : i->ran_ns;
	i->calls_read = calls > i->calls_read ? calls : i->calls_read;
	if (!i->observed)
		return;
	const struct observer_effort e = s->observer->ops->effort(s->observer);

	s->cost.taken_ns = e.taken_ns;
	s->cost.stopped_ns = e.stopped_ns;
}

struct cost_span meter_read(struct session *s)
{
	for (struct image *i = s->images; i; i = i->next)
		if (i->observed)
			meter_take(i);
	return s->cost;
}

static void pause_all(struct session *s, uint64_t now_ns)
{
	if (!session_suspend(s))
		return;
	say_to(s->host.say,
	       "%.1f s after the start: for %d s it took the program %.1f times as long as by "
	       "itself, more than --max-slowdown=%g: nothing is watched for %.0f s",
	       (double)(now_ns - s->started_ns) / 1e9, OVER_SECONDS, s->over.slowdown,
	       s->settings.over.slowdown, (double)s->over.pause_ns / 1e9);
}

static void detach(struct session *s, uint64_t now_ns)
{
	s->too_slow = true;
	say_to(s->host.say,
	       "%.1f s after the start: for %d s it took the program %.1f times as long as by "
	       "itself, more than --max-slowdown=%g: it is let go",
	       (double)(now_ns - s->started_ns) / 1e9, OVER_SECONDS, s->over.slowdown,
	       s->settings.over.slowdown);
}

static void go_on(struct session *s, uint64_t now_ns)
{
	if (session_end_pause(s))
		say_to(s->host.say, "%.1f s after the start: the pause is over",
		       (double)(now_ns - s->started_ns) / 1e9);
}

bool meter_give_up_pause(struct session *s)
{
	bool ours = s->over.until_ns;

	s->over.until_ns = 0;
	return ours;
}

void meter_tick(struct session *s, uint64_t now_ns)
{
	if (!s->settings.over.slowdown)
		return;
	const struct over_sample now = { now_ns, meter_read(s), s->suspended };

	switch (over_decide(&s->settings.over, &s->over, &now)) {
	case OVER_GO_ON:
		return;
	case OVER_PAUSES:
		pause_all(s, now_ns);
		return;
	case OVER_RESUMES:
		go_on(s, now_ns);
		return;
	case OVER_DETACHES:
		detach(s, now_ns);
		return;
	}
}
