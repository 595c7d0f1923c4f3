/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs of malloc and free, and between them checks of its own scheduling: affinity, policy and
 * nice value must never change. Writes to the file "tracer" which policies its tracer had, a line
 * each.
 */
#include "target.h"

#include <sched.h>
#include <sys/resource.h>

enum { TIMES = 3000, SIZE = 6037 };

struct place {
	cpu_set_t cpus;
	int policy, nice;
};

static struct place look(void)
{
	struct place p;

	memset(&p, 0, sizeof p);
	MUST(!sched_getaffinity(0, sizeof p.cpus, &p.cpus));
	p.policy = sched_getscheduler(0);
	p.nice = getpriority(PRIO_PROCESS, 0);
	return p;
}

int main(void)
{
	struct place first = look();
	int idle = 0, other = 0;
	pid_t by = traced_by();

	bin(SIZE, TIMES, TIMES);
	for (int i = 0; i < TIMES; i++) {
		struct place now = look();

		free(fill(malloc(SIZE), SIZE, i));
		MUST(!memcmp(&now, &first, sizeof now));
		if (!by)
			continue;
		bool is_idle = (sched_getscheduler(by) & ~SCHED_RESET_ON_FORK) == SCHED_IDLE;
		idle += is_idle;
		other += !is_idle;
	}
	int fd = open("tracer", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	MUST(fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
	if (idle)
		say("idle %d\n", idle);
	if (other)
		say("other %d\n", other);
	return 0;
}
