/* SPDX-License-Identifier: BSD-2-Clause */
#include "still/orders.h"

#include "base/readall.h"
#include "base/writeall.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int still_read(int fd, void *to, size_t size)
{
	return read_all(fd, to, size) ? -EPIPE : 0;
}

int still_ask(int fd, const struct still_request *r)
{
	return send(fd, r, sizeof *r, MSG_NOSIGNAL) == sizeof *r ? 0 : -EPIPE;
}

int still_next(int fd, uint64_t wait_ns, struct still_request *r)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct timespec wait = {(time_t)(wait_ns / 1000000000), (long)(wait_ns % 1000000000)};
	int n = ppoll(&p, 1, &wait, NULL);

	if (n < 0)
		return -errno;
	return n ? still_read(fd, r, sizeof *r) : -EAGAIN;
}

/* ---- answers ---- */

/* The registers of a task asleep in vfork(2) cannot be read. */
static bool where_is(const struct task *task, struct still_told_task *to)
{
	struct arch_regs regs;

	if (task->in_vfork || arch_get_regs(task->tid, &regs))
		return false;
	to->at = (struct still_task){arch_pc(&regs), arch_sp(&regs), arch_thread_pointer_of(&regs)};
	to->n = arch_words(task->tid, &regs, to->words);
	return true;
}

static const struct address_space *space_of(struct tracer *t, pid_t pid)
{
	struct task *task;

	for (size_t i = 0; (task = tracer_next_task(t, &i));)
		if (task->tgid == pid && task->space)
			return task->space;
	return NULL;
}

static bool is_asked_for(const struct task *task, pid_t pid, const struct address_space *s)
{
	return !pid || task->tgid == pid || (s && task->space == s);
}

static int send_all(int fd, const void *data, size_t size)
{
	int err = write_all(fd, data, size);

	return err ? -EPIPE : 0;
}

int still_tell_tasks(int fd, struct tracer *t, pid_t pid)
{
	const struct address_space *s = space_of(t, pid);
	struct still_told told = {0};
	struct still_told_task *tasks = NULL;
	struct task *task;
	size_t n = 0;

	for (size_t i = 0; (task = tracer_next_task(t, &i));)
		n += is_asked_for(task, pid, s);
	tasks = calloc(n + 1, sizeof *tasks);
	for (size_t i = 0; tasks && (task = tracer_next_task(t, &i));)
		if (is_asked_for(task, pid, s))
			told.n += where_is(task, &tasks[told.n]);
	told.err = !tasks ? -ENOMEM : n ? 0 : -ESRCH;
	int err = send_all(fd, &told, sizeof told);
	for (size_t i = 0; !err && i < told.n; i++)
		err = send_all(fd, &tasks[i],
			       offsetof(struct still_told_task, words) +
				       tasks[i].n * sizeof *tasks[i].words);
	free(tasks);
	return err ? err : told.err;
}

int still_tell_failure(int fd, int err)
{
	struct still_told told = {.err = err};

	return send_all(fd, &told, sizeof told);
}

int still_tell_pause(int fd, const struct still_pause *pause)
{
	return send_all(fd, pause, sizeof *pause);
}

int still_tell_named(int fd)
{
	return send_all(fd, "", 1);
}
