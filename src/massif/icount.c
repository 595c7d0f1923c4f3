/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/icount.h"

#include "base/array.h"
#include "proc/tasks.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the kernel's counters ---- */

/* The counter is inherited by threads when they are created. inherit_thread: with inherit alone it
 * would count forked processes, too, which must not be counted. */
int icount_open_perf(pid_t tid, uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof attr,
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = 1,
		.inherit_thread = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_instructions(pid_t tid)
{
	return icount_open_perf(tid, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
}

static bool read_perf(int fd, struct icount_value *v)
{
	uint64_t words[3];

	if (read(fd, words, sizeof words) != sizeof words)
		return false;
	*v = (struct icount_value){ words[0], words[1], words[2] };
	return true;
}

static void close_perf(int fd)
{
	close(fd);
}

const struct icount_source perf_instructions = { open_instructions, read_perf, close_perf };

/* ---- whether there are any ---- */

static int why_not(int err, struct error *e)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return error_set(e, err, "instructions cannot be counted: not permitted "
				 "(see /proc/sys/kernel/perf_event_paranoid)");
	case -ENOENT:
	case -ENODEV:
	case -EOPNOTSUPP:
		return error_set(e, err, "instructions cannot be counted: this machine has no "
					 "counter for "
				 "them, as many virtual machines have none");
	case -EINVAL:
	case -ENOSYS:
		return error_set(e, err, "instructions cannot be counted: this kernel cannot count "
					 "those of "
				 "all threads (Linux 5.13 can)");
	default:
		return error_set(e, err, "instructions cannot be counted: %s", strerror(-err));
	}
}

int icount_possible(const struct icount_source *source, struct error *e)
{
	int fd = source->open(0);

	if (fd < 0)
		return why_not(fd, e);
	source->close(fd);
	return 0;
}

/* ---- a process ---- */

static int add_thread(struct icount *c, size_t *cap, pid_t tid)
{
	if (ARRAY_RESERVE(&c->threads, cap, c->n))
		return -ENOMEM;
	int fd = c->source->open(tid);
	/* It is dying, and executes nothing any more. */
	if (fd == -ESRCH)
		return 0;
	if (fd < 0)
		return fd;
	c->threads[c->n++] = (struct icount_thread){ .fd = fd };
	return 0;
}

void icount_open(struct icount *c, const struct icount_source *source, pid_t pid, uint64_t before)
{
	struct proc_tasks tasks;
	size_t cap = 0;

	*c = (struct icount){ .source = source, .before = before };
	c->err = proc_tasks_open(&tasks, pid);
	for (pid_t tid; !c->err && (tid = proc_tasks_next(&tasks));)
		c->err = add_thread(c, &cap, tid);
	proc_tasks_close(&tasks);
}

void icount_close(struct icount *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->source->close(c->threads[i].fd);
	free(c->threads);
	*c = (struct icount){ 0 };
}

/* With fewer hardware counters than are wanted, the kernel multiplexes them: scale the count. */
static uint64_t whole_count(struct icount_thread *t, const struct icount_value *v)
{
	if (v->running >= v->enabled || !v->running)
		return v->count;
	t->estimated = true;
	return (uint64_t)((unsigned __int128)v->count * v->enabled / v->running);
}

uint64_t icount_read(const struct icount *c)
{
	uint64_t sum = c->before;

	for (size_t i = 0; i < c->n; i++) {
		struct icount_thread *t = &c->threads[i];
		struct icount_value v = { 0 };

		t->failed |= !c->source->read(t->fd, &v);
		uint64_t count = whole_count(t, &v);
		if (count > t->last)
			t->last = count;
		sum += t->last;
	}
	return sum;
}

int icount_error(const struct icount *c)
{
	for (size_t i = 0; !c->err && i < c->n; i++)
		if (c->threads[i].failed)
			return -EIO;
	return c->err;
}

bool icount_estimated(const struct icount *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->threads[i].estimated)
			return true;
	return false;
}
