/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/task.h"

#include "base/idindex.h"
#include "proc/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

bool task_is_at_exec(const struct task *task)
{
	return WIFSTOPPED(task->wstatus) && task->wstatus >> 16 == PTRACE_EVENT_EXEC;
}

bool task_can_call(const struct task *task)
{
	if (task->over || task->exiting || task->in_call || task->fresh)
		return false;
	if (task->state == TASK_SERVED) /* for a trap, or a step */
		return WIFSTOPPED(task->wstatus) && task->wstatus >> 8 == SIGTRAP;
	return task->state == TASK_HELD ||
	       (task->state == TASK_QUEUED && WIFSTOPPED(task->wstatus) &&
		task->wstatus >> 16 == PTRACE_EVENT_STOP);
}

bool task_has_stopped(const struct task *task)
{
	return task->state == TASK_HELD ||
	       (task->state == TASK_QUEUED && WIFSTOPPED(task->wstatus));
}

bool task_has_ended(const struct task *task)
{
	return task->state == TASK_QUEUED && !WIFSTOPPED(task->wstatus);
}

void tasks_release(struct tasks *t)
{
	for (size_t i = 0; t->slots && i <= t->mask; i++)
		free(t->slots[i]);
	free(t->slots);
	*t = (struct tasks){ 0 };
}

static struct task **seek(const struct tasks *t, pid_t tid)
{
	size_t i = hash_mix((uint64_t)tid) & t->mask;

	while (t->slots[i] && t->slots[i]->tid != tid)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

struct task *tasks_find(const struct tasks *t, pid_t tid)
{
	return t->slots ? *seek(t, tid) : NULL;
}

static int resize(struct tasks *t, size_t slots)
{
	struct tasks bigger = { calloc(slots, sizeof(struct task *)), slots - 1, t->n };

	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; t->slots && i <= t->mask; i++)
		if (t->slots[i])
			*seek(&bigger, t->slots[i]->tid) = t->slots[i];
	free(t->slots);
	*t = bigger;
	return 0;
}

struct task *tasks_add(struct tasks *t, pid_t tid)
{
	if (!t->slots || t->n * 2 >= t->mask)
		if (resize(t, t->slots ? (t->mask + 1) * 2 : 64))
			return NULL;
	struct task *task = calloc(1, sizeof *task);

	if (!task)
		return NULL;
	task->tid = tid;
	*seek(t, tid) = task;
	t->n++;
	return task;
}

void tasks_remove(struct tasks *t, struct task *task)
{
	struct task **at = seek(t, task->tid);

	if (*at != task)
		return;
	*at = NULL;
	t->n--;
	free(task);
	/* Tasks in the slots behind it may be unreachable now: insert them again. */
	for (size_t i = ((size_t)(at - t->slots) + 1) & t->mask; t->slots[i];
	     i = (i + 1) & t->mask) {
		struct task *moved = t->slots[i];

		t->slots[i] = NULL;
		*seek(t, moved->tid) = moved;
	}
}

struct task *tasks_next(const struct tasks *t, size_t *i)
{
	for (; t->slots && *i <= t->mask; (*i)++)
		if (t->slots[*i])
			return t->slots[(*i)++];
	return NULL;
}

static struct address_space *address_space_alloc(pid_t tid)
{
	struct address_space *s = calloc(1, sizeof *s);

	if (s)
		*s = (struct address_space){ .mem = -1, .pid = tid };
	return s;
}

struct address_space *space_of_stopped(pid_t tid)
{
	return address_space_alloc(tid);
}

/* Before Linux 6.15 /proc/PID/mem of an ending task could be opened, though it has no memory any
 * more. */
static bool is_nobodys(int mem)
{
	char c;

	return pread(mem, &c, 1, 0) == 0;
}

/* The last descriptors are reserved for files that are open for a moment: without them we could not
 * read from /proc whose child a new task is, and it would stay stopped. */
static bool is_spare(int fd)
{
	enum { SPARE = 16 };
	struct rlimit files;

	return !getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur > 2 * SPARE &&
	       (rlim_t)fd + SPARE >= files.rlim_cur;
}

struct address_space *address_space_new(pid_t tid)
{
	struct address_space *s = address_space_alloc(tid);

	if (!s)
		return NULL;
	s->mem = proc_open(tid, "mem", O_RDWR);
	int err = s->mem < 0 ? -s->mem : is_nobodys(s->mem) ? ESRCH : is_spare(s->mem) ? EMFILE : 0;

	if (!err)
		return s;
	address_space_free(s);
	errno = err;
	return NULL;
}

void address_space_free(struct address_space *s)
{
	if (!s)
		return;
	if (s->mem >= 0)
		close(s->mem);
	free(s);
}

/* The kernel returns 0, without an error, once no task runs in the space. */
static ssize_t answer(ssize_t n, size_t len)
{
	if (n < 0)
		return -errno;
	return n == 0 && len ? -ESRCH : n;
}

static bool peek(const struct address_space *s, taddr at, uint64_t *word)
{
	errno = 0;
	*word = (uint64_t)ptrace(PTRACE_PEEKDATA, s->pid, at, NULL);
	return !errno;
}

/* Read into @to, or write from @from, word by word. Returns the bytes done, or -errno if there are
 * none. */
static ssize_t by_words(const struct address_space *s, taddr at, uint8_t *to, const uint8_t *from,
			size_t len)
{
	size_t done = 0;

	while (done < len) {
		uint64_t word;
		size_t skip = (at + done) % sizeof word, n = sizeof word - skip;

		if (n > len - done)
			n = len - done;
		if (!peek(s, at + done - skip, &word))
			break;
		if (to)
			memcpy(to + done, (uint8_t *)&word + skip, n);
		else
			memcpy((uint8_t *)&word + skip, from + done, n);
		if (!to && ptrace(PTRACE_POKEDATA, s->pid, at + done - skip, word))
			break;
		done += n;
	}
	return done || !len ? (ssize_t)done : -errno;
}

ssize_t address_space_read(const struct address_space *s, taddr at, void *buf, size_t len)
{
	if (s->mem < 0)
		return by_words(s, at, buf, NULL, len);
	return answer(TEMP_FAILURE_RETRY(pread(s->mem, buf, len, (off_t)at)), len);
}

ssize_t address_space_write(const struct address_space *s, taddr at, const void *buf, size_t len)
{
	if (s->mem < 0)
		return by_words(s, at, NULL, buf, len);
	return answer(TEMP_FAILURE_RETRY(pwrite(s->mem, buf, len, (off_t)at)), len);
}
