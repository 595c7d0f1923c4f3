/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that block in read, poll, select, epoll_wait, nanosleep, a futex, accept, a semaphore's
 * wait and a large write to a full pipe. "report" prints how often each has returned too early and
 * with what; "release" lets each of them return as it should and prints "released" with all that
 * went wrong.
 */
#include "live.h"

#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

static int read_pipe[2], poll_pipe[2], select_pipe[2], epoll_pipe[2], write_pipe[2], epoll_fd;
static atomic_int futex_word;
static sem_t sem;
static atomic_bool release;

struct waiter {
	const char *name;
	long (*wait)(void);	/* 0: as it should be; -1 and errno */
	atomic_int eintr, wrong;
	atomic_bool entered, left;
	pthread_t thread;
};

static long wait_read(void)
{
	char c;

	return read(read_pipe[0], &c, 1) == 1 ? 0 : -1;
}

static long wait_poll(void)
{
	struct pollfd p = { .fd = poll_pipe[0], .events = POLLIN };

	return poll(&p, 1, -1) == 1 ? 0 : -1;
}

static long wait_select(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(select_pipe[0], &set);
	return select(select_pipe[0] + 1, &set, NULL, NULL, NULL) == 1 ? 0 : -1;
}

static long wait_epoll(void)
{
	struct epoll_event ev;

	return epoll_wait(epoll_fd, &ev, 1, -1) == 1 ? 0 : -1;
}

/* Released by a signal: its handler's EINTR is the right end, with a remainder. */
static long wait_nanosleep(void)
{
	struct timespec t = { 3600, 0 }, left = { 0 };
	int r = nanosleep(&t, &left);

	if (r && errno == EINTR && release && left.tv_sec > 0)
		return 0;
	return -1;
}

static long wait_futex(void)
{
	return syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static long wait_futex_timed(void)
{
	struct timespec t = { 3600, 0 };

	return syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
}

static long wait_sem(void)
{
	return sem_wait(&sem);
}

/* More than a pipe holds: all of it must arrive, in one call or, after an early end, in several. */
static long wait_write(void)
{
	static char big[1 << 20];
	static size_t done;
	ssize_t n = write(write_pipe[1], big + done, sizeof big - done);

	if (n < 0)
		return -1;
	done += (size_t)n;
	if (done == sizeof big)
		return 0;
	errno = EINTR; /* a short write: an early end */
	return -1;
}

static struct waiter waiters[] = {
	{ .name = "read", .wait = wait_read },		{ .name = "poll", .wait = wait_poll },
	{ .name = "select", .wait = wait_select },	{ .name = "epoll_wait",
							  .wait = wait_epoll },
	{ .name = "nanosleep", .wait = wait_nanosleep }, { .name = "futex", .wait = wait_futex },
	{ .name = "futex_timed", .wait = wait_futex_timed },
	{ .name = "sem_wait", .wait = wait_sem },
	{ .name = "write", .wait = wait_write },
};

static void nothing(int sig)
{
	(void)sig;
}

static void *waiter(void *arg)
{
	struct waiter *w = arg;

	w->entered = true;
	while (w->wait()) {
		if (errno == EINTR)
			w->eintr++;
		else if (errno != EAGAIN || !release) /* a futex woken before it was waited for */
			w->wrong++;
		else
			break;
	}
	w->left = true;
	return NULL;
}

static void report_as(const char *word)
{
	char line[1024];
	int n = snprintf(line, sizeof line, "%s", word);

	for (size_t i = 0; i < LENGTH(waiters); i++)
		n += snprintf(line + n, sizeof line - (size_t)n, " %s=%d,%d%s", waiters[i].name,
			      (int)waiters[i].eintr, (int)waiters[i].wrong,
			      waiters[i].left && !release ? ",left" : "");
	say("%s\n", line);
}

static void report(void)
{
	report_as("report");
}

static void *reader(void *arg)
{
	static char sink[1 << 16];
	size_t n = 0;

	while (n < 1 << 20) {
		ssize_t k = read(write_pipe[0], sink, sizeof sink);

		if (k > 0)
			n += (size_t)k;
	}
	return arg;
}

static void let_go(const char *word)
{
	pthread_t t;

	MUST(!strcmp(word, "release"));
	release = true;
	futex_word = 1;
	syscall(SYS_futex, &futex_word, FUTEX_WAKE_PRIVATE, 100, NULL, NULL, 0);
	MUST(write(read_pipe[1], "x", 1) == 1 && write(poll_pipe[1], "x", 1) == 1);
	MUST(write(select_pipe[1], "x", 1) == 1 && write(epoll_pipe[1], "x", 1) == 1);
	sem_post(&sem);
	MUST(!pthread_create(&t, NULL, reader, NULL));
	for (size_t i = 0; i < LENGTH(waiters); i++) {
		while (waiters[i].wait == wait_nanosleep && !waiters[i].left) {
			pthread_kill(waiters[i].thread, SIGUSR1);
			usleep(1000);
		}
		pthread_join(waiters[i].thread, NULL);
	}
	pthread_join(t, NULL);
	report_as("released");
}

/* Every thread sleeps in its call: the kernel says so. */
static void await_asleep(void)
{
	for (size_t i = 0; i < LENGTH(waiters); i++)
		while (!waiters[i].entered)
			usleep(1000);
	usleep(50000); /* nobody can see from outside whether they are there; too early harms
		          nothing */
}

int main(void)
{
	struct sigaction sa = { .sa_handler = nothing };
	struct epoll_event ev = { .events = EPOLLIN };

	MUST(!pipe(read_pipe) && !pipe(poll_pipe) && !pipe(select_pipe) && !pipe(epoll_pipe));
	MUST(!pipe(write_pipe) && !sem_init(&sem, 0, 0) && !sigaction(SIGUSR1, &sa, NULL));
	epoll_fd = epoll_create1(0);
	MUST(epoll_fd >= 0 && !epoll_ctl(epoll_fd, EPOLL_CTL_ADD, epoll_pipe[0], &ev));
	for (size_t i = 0; i < LENGTH(waiters); i++)
		MUST(!pthread_create(&waiters[i].thread, NULL, waiter, &waiters[i]));
	await_asleep();
	live_serve(report, let_go);
	say("blocked: done\n");
	_exit(0);
}
