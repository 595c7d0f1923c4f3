/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof control PID figures: the figures for mprof top. */
#include "cli/looks.h"
#include "session/meter.h"
#include "top/figures.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Processor time of the tracer, of which this is a forked copy. */
static uint64_t worked_ns(const struct session *s)
{
	clockid_t clock;

	return clock_getcpuclockid(getppid(), &clock) ? 0 : clock_ns(clock) - s->started_cpu_ns;
}

/* Descriptors stay valid in the tracer. */
static int print(struct session *s, const struct image *i)
{
	const struct session_cost cost = session_cost(s);
	const struct figures_head h = {
		.pid = (uint64_t)i->pid,
		.session = (uint64_t)s->root,
		.tracer = (uint64_t)getppid(),
		.image = i->number,
		.restarts = i->restarts,
		.time_ns = clock_now_ns(),
		.elapsed_ns = cost.elapsed_ns,
		.worked_ns = worked_ns(s),
		.cost = meter_read(s),
		.lost = session_lost(i),
		.program = i->program,
		.fast = !cost.trapped,
		.suspended = session_is_suspended(s),
	};
	size_t n = s->observer->files->n;
	struct figures_file *files = calloc(n + 1, sizeof *files);

	if (!files)
		return -1;
	for (size_t k = 0; k < n; k++)
		files[k] = (struct figures_file){s->observer->files->files[k].path,
						 module_file_fd(&s->observer->files->files[k])};
	int err = figures_write(&h, i->profile, FIGURES_LEAVES, files, n, stdout);

	free(files);
	return err;
}

int figures_told(const struct options *o, pid_t pid, const struct look_by *by)
{
	struct session *s = by->serve->session;
	const struct image *i = session_observed_image(s, pid);

	(void)o;
	if (i && !print(s, i))
		return 0;
	say("%s", i ? "out of memory" : "it is not being traced any more");
	return STATUS_FAILED;
}
