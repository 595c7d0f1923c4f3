/* SPDX-License-Identifier: BSD-2-Clause */
/* Other calls and signals of the process: signals that ask for a profile, and calls that map
 * memory. */
#include "heapprofile/internal.h"

#include "proc/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>

bool heap_signal(struct recorder *r, pid_t tid, int sig)
{
	static bool said;
	struct heapprofile *h = (struct heapprofile *)r;
	struct error e;

	if (sig != h->how.options->signal)
		return false;
	heapprofile_due(h, "signal");
	struct proc_status status = proc_status(tid);
	if (!proc_status_catches(&status, sig))
		return true;
	if (!said) {
		error_set(&e, 0,
			  "process %d has a handler for signal %d, which asks for a heap profile: "
			  "it gets the signal, too", (int)h->how.pid, sig);
		h->how.complain(e.text);
	}
	said = true;
	return false;
}

/* The line that gperftools prints for a call; false: it prints none. */
static bool line_of(const struct syscall_call *c, taddr brk, char *line, size_t size)
{
	const uint64_t *a = c->args;

	if (c->nr == SYS_mmap)
		snprintf(line, size,
			 "mmap(start=0x%" PRIx64 ", len=%" PRIu64 ", prot=0x%x, flags=0x%x, fd=%d, "
			 "offset=0x%" PRIx64 ") = 0x%" PRIx64, a[0], a[1], (unsigned)a[2],
				 (unsigned)a[3],
			 (int)a[4], a[5], c->result);
	else if (c->nr == SYS_mremap)
		snprintf(line, size,
			 "mremap(old_addr=0x%" PRIx64 ", old_size=%" PRIu64 ", new_size=%" PRIu64
			 ", flags=0x%x, new_addr=0x%" PRIx64 ") = 0x%" PRIx64, a[0], a[1], a[2],
			 (unsigned)a[3], a[4], c->result);
	else if (c->nr == SYS_munmap)
		snprintf(line, size, "munmap(start=0x%" PRIx64 ", len=%" PRIu64 ")", a[0], a[1]);
	else if (c->nr == SYS_brk && brk && brk != c->result)
		snprintf(line, size, "sbrk(inc=%" PRId64 ") = 0x%" PRIx64,
			 (int64_t)(c->result - brk), brk);
	else
		return false;
	return true;
}

void heap_call(struct recorder *r, const struct syscall_call *c)
{
	struct heapprofile *h = (struct heapprofile *)r;
	char line[256];

	if (h->on && h->how.options->log && line_of(c, h->mapped.brk, line, sizeof line))
		h->how.announce(line);
}
