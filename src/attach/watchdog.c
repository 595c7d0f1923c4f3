/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/watchdog.h"

#include "attach/hang.h"
#include "attach/rescue_internal.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

/* Wait for the tracer's lock. False: a second has gone by. */
static bool await_release(struct journal *g)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	return pthread_mutex_clocklock(&g->alive, CLOCK_MONOTONIC, &until) != ETIMEDOUT;
}

bool watchdog_wait(struct journal *g, pid_t tracer)
{
	struct timespec moment = { 0, 1000000 };
	struct hang hang = { 0 };

	/* The tracer takes the lock before anything else; if it dies earlier it has changed
	 * nothing. */
	while (!atomic_load(&g->tracer)) {
		siginfo_t si = { 0 };

		if (waitid(P_PID, (id_t)tracer, &si, WEXITED | WNOHANG | WNOWAIT) || si.si_pid)
			return false;
		nanosleep(&moment, NULL);
	}
	while (!await_release(g))
		if (!watchdog_is_kept(g))
			hang_look(&hang, g, tracer);
	return !atomic_load(&g->clean);
}

bool watchdog_had_tracer(const struct journal *g)
{
	return atomic_load(&g->tracer);
}

bool watchdog_is_kept(const struct journal *g)
{
	return atomic_load(&g->kept);
}

bool watchdog_has_ended_tracer(const struct journal *g)
{
	return atomic_load(&g->hung);
}

bool watchdog_is_left_to_us(const struct journal *g)
{
	return !atomic_load(&g->rescued);
}

bool watchdog_next_fate(const struct journal *g, unsigned i, struct program_fate *f)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < atomic_load(&g->n_programs); k++)
		if (g->programs[k].pid && g->programs[k].fate.pid && n++ == i) {
			*f = g->programs[k].fate;
			return true;
		}
	return false;
}

void watchdog_recover(struct journal *g)
{
	rescue_programs(g, NULL);
}
