/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/limits.h"

#include "cli/cli.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

void limits_raise_open_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

int limits_check(unsigned needed, bool will_raise)
{
	struct rlimit files;
	unsigned used = 0;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return 0;
	const rlim_t most = will_raise ? files.rlim_max : files.rlim_cur;
	if (most > 1024)
		return 0;
	for (int fd = 0; fd < (int)most; fd++)
		used += fcntl(fd, F_GETFD) >= 0;
	if (used + needed <= most)
		return 0;
	say("too many open files: there may be %" PRIu64 " (ulimit %s), of which %u are in use; "
	    "mprof needs %u%s", (uint64_t)most, will_raise ? "-Hn" : "-n", used, needed,
	    needed == LIMITS_TO_LOOK ? ", and more for a program that maps many" : "");
	return STATUS_FAILED;
}

/* Signal at three quarters of the time: the rest is for detaching and writing. */
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
	limits_raise_open_files();
	raise_time();
}
