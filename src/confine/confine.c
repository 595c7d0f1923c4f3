/* SPDX-License-Identifier: BSD-2-Clause */
#include "confine/confine.h"

#include "base/array.h"
#include "base/closerange.h"
#include "base/reap.h"
#include "proc/file.h"
#include "proc/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- descriptors and memory that are shared ---- */

static int by_number(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void close_between(unsigned first, unsigned last)
{
	if (closerange(first, last))
		_exit(EXIT_FAILURE);
}

static void close_all_but(const int *fds, size_t n)
{
	int *sorted = calloc(n + 1, sizeof *sorted);
	unsigned next = STDERR_FILENO + 1;

	if (!sorted)
		_exit(EXIT_FAILURE);
	for (size_t i = 0; i < n; i++)
		sorted[i] = fds[i];
	qsort(sorted, n, sizeof *sorted, by_number);
	for (size_t i = 0; i < n; i++) {
		if (sorted[i] < (int)next)
			continue;
		if ((unsigned)sorted[i] > next)
			close_between(next, (unsigned)sorted[i] - 1);
		next = (unsigned)sorted[i] + 1;
	}
	close_between(next, ~0u);
	free(sorted);
}

/* Sanitizers write to standard error by themselves: there it stays open. */
static void leave_standard_files(void)
{
#if defined(__SANITIZE_ADDRESS__)
	const int last = STDOUT_FILENO;
#else
	const int last = STDERR_FILENO;
#endif
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd <= last; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			close(fd);
	if (null > STDERR_FILENO)
		close(null);
}

struct ranges {
	struct range {
		void *start;
		size_t size;
	} *v;
	size_t n, cap;
	const void *but;
};

static int note_shared(const struct proc_map *m, void *ctx)
{
	struct ranges *r = ctx;

	/* Read-only shared mappings are of files, such as those that the C library looks things up
	 * in. */
	if (!m->shared || !m->writable ||
	    (const void *)m->start == r->but) /* NOLINT(performance-no-int-to-ptr) */
		return 0;
	if (ARRAY_RESERVE(&r->v, &r->cap, r->n))
		return -ENOMEM;
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): it is our own memory */
	r->v[r->n++] = (struct range){ (void *)m->start, (size_t)(m->end - m->start) };
	return 0;
}

/* Replaced by private zeros instead of unmapped: code may still read there. */
static void unshare_memory(const void *but)
{
	struct ranges r = { .but = but };

	if (proc_maps_each(getpid(), note_shared, &r))
		_exit(EXIT_FAILURE);
	for (size_t i = 0; i < r.n; i++)
		if (mmap(r.v[i].start, r.v[i].size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
			 0) == MAP_FAILED)
			_exit(EXIT_FAILURE);
	free(r.v);
}

void confine_let_go(const int *fds, size_t n, const void *shared)
{
	unshare_memory(shared);
	leave_standard_files();
	close_all_but(fds, n);
}

/* ---- bounds ---- */

uint64_t confine_addresses(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* @between: keep the soft limit so far below the hard one, so that the soft one is reached
 * first. */
static int lower(int what, uint64_t to, uint64_t between)
{
	struct rlimit r;

	if (getrlimit(what, &r))
		return -errno;
	if (r.rlim_max > to && r.rlim_max - to > between)
		r.rlim_max = to + between;
	if (r.rlim_cur > to)
		r.rlim_cur = to;
	if (r.rlim_max > between && r.rlim_cur > r.rlim_max - between)
		r.rlim_cur = r.rlim_max - between;
	return setrlimit(what, &r) ? -errno : 0;
}

/* Its files are in memory: the user's own RLIMIT_FSIZE is for the process that writes to disk. */
static int bound_files(uint64_t to)
{
	const struct rlimit r = { to, to };

	return setrlimit(RLIMIT_FSIZE, &r) ? lower(RLIMIT_FSIZE, to, 0) : 0;
}

/* When memory runs out, the kernel shall kill this process first: that costs names only. It would
 * inherit the protection of a tracer. If the write fails, only this is lost. */
static void offer_to_oom_killer(void)
{
	proc_write(getpid(), "oom_score_adj", "1000");
}

int confine_bound(const struct confine_bounds *b)
{
	offer_to_oom_killer();
	int err = lower(RLIMIT_AS, confine_addresses() + b->bytes, 0);

	err = err ? err : bound_files(b->bytes);
	err = err ? err : lower(RLIMIT_CPU, b->seconds, 1);
	/* A core file would be written to a place that the program or its user chooses. */
	return err ? err : lower(RLIMIT_CORE, 0, 0);
}

/* ---- capabilities ---- */

/* For files of the user that only root may read. It gives no right to write. */
#define KEPT (UINT64_C(1) << CAP_DAC_READ_SEARCH)

int confine_drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	/* Without CAP_SETPCAP the bounding set stays, and nothing could be regained from it. */
	for (unsigned long c = 0; c < 64 && !prctl(PR_CAPBSET_DROP, c, 0, 0, 0); c++)
		;
	if (syscall(SYS_capget, &head, data))
		return -errno;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		uint32_t kept = (uint32_t)(KEPT >> (32 * i));

		data[i].effective &= kept;
		data[i].permitted &= kept;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

/* ---- all of it ---- */

unsigned confine_self(const struct confine_bounds *b)
{
	unsigned lacking = 0;

	if (confine_bound(b))
		lacking |= CONFINE_BOUNDS;
	if (confine_drop_capabilities())
		lacking |= CONFINE_CAPABILITIES;
	if (confine_files())
		lacking |= CONFINE_FILES;
	if (confine_syscalls()) /* last: it forbids the system calls of the others */
		lacking |= CONFINE_SYSCALLS;
	return lacking;
}

unsigned confine_lacking(void)
{
	int wstatus = 0;

	fflush(NULL);
	pid_t pid = fork();
	if (!pid)
		_exit((int)confine_self(&(struct confine_bounds){ UINT64_C(1) << 30, 60 }));
	if (pid > 0)
		reap(pid, &wstatus);
	return pid > 0 && WIFEXITED(wstatus) ? (unsigned)WEXITSTATUS(wstatus) : CONFINE_ALL;
}

bool confine_tell_lacking(unsigned lacking, struct error *what)
{
	static const char *const parts[] = { "bounds of memory and time", "dropping capabilities",
					     "Landlock", "a seccomp filter" };
	char text[128] = "";

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		size_t len = strlen(text);

		if (lacking >> i & 1)
			snprintf(text + len, sizeof text - len, "%s%s", len ? ", " : "", parts[i]);
	}
	error_set(what, 0, "%s", text);
	return lacking;
}
