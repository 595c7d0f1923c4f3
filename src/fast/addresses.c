/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/addresses.h"

#include "fast/engine_internal.h"
#include "proc/status.h"

#include <sys/resource.h>

bool addresses_are_few(uint64_t limit, uint64_t used, uint64_t ours)
{
	return limit != RLIM_INFINITY && used && (limit < used || limit - used < ours);
}

void addresses_look(struct engine *e)
{
	const pid_t pid = e->space->pid;
	const uint64_t ours = memory_size(e);
	struct rlimit limit;
	struct error note;

	if (e->told_few || e->removed || prlimit(pid, RLIMIT_AS, NULL, &limit))
		return;
	if (limit.rlim_cur == RLIM_INFINITY || /* mostly: nothing has to be read */
	    !addresses_are_few(limit.rlim_cur, proc_status(pid).vm_size * 1024, ours))
		return;
	e->told_few = true;
	error_set(&note, 0,
		  "is limited to %llu MiB of addresses (RLIMIT_AS, ulimit -v), and the fast engine "
		  "takes %llu MiB: requests may fail that would not with --engine=trap",
		  (unsigned long long)limit.rlim_cur >> 20, (unsigned long long)ours >> 20);
	e->host->note(e->host->ctx, note.text);
}
