/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/limits.h"

#include <signal.h>
#include <sys/resource.h>
#include <time.h>

static void raise_open_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

/* At three quarters of the time: the rest is for letting go, and for what is to be written. */
static void warn_before(rlim_t seconds)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU };
	struct itimerspec once = {
		.it_value = { (time_t)(seconds / 4 * 3 + seconds % 4 * 3 / 4),
			      (long)(seconds % 4 * 3 % 4) * 250000000 },
	};
	timer_t timer;

	if (!timer_create(CLOCK_PROCESS_CPUTIME_ID, &ev, &timer))
		timer_settime(timer, 0, &once, NULL);
}

static void raise_time(void)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit cpu;

	if (getrlimit(RLIMIT_CPU, &cpu) || !setrlimit(RLIMIT_CPU, &none))
		return;
	cpu.rlim_cur = cpu.rlim_max;
	setrlimit(RLIMIT_CPU, &cpu);
	if (cpu.rlim_max != RLIM_INFINITY)
		warn_before(cpu.rlim_max);
}

void limits_raise(void)
{
	raise_open_files();
	raise_time();
}
