/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/unheard.h"

#include "base/clock.h"
#include "session/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	ROOM = 64 << 10,	/* for lines not written yet */
	AGAIN_NS = 50000000,	/* between attempts */
	LOOK_MS = 50,		/* in case a signal comes just before the wait */
	LAST_NS = 500000000,	/* how long to wait for a reader when we have been told to end */
};

enum patience {
	ANY_TIME,	/* not in use: writes may block */
	AT_ONCE,	/* programs are traced: never block */
	UNTIL_TOLD,	/* after detaching: block until told to end */
	FOR_A_MOMENT,	/* told to end, or a client waits: block for LAST_NS */
	NO_MORE,	/* that time has passed */
};

static struct {
	enum patience patience;
	bool socket, file;
	int fd;		/* standard error opened again, with O_NONBLOCK; -1: not possible */
	timer_t timer;
	bool has_timer;
	char kept[ROOM];
	size_t len;
	atomic_uint_least64_t *lost;	/* number of sentences; shared with save children */
} unheard = { .fd = -1 };

/* ---- non-blocking writes ---- */

static bool is_ready(int ms)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&p, 1, ms) > 0;
}

/* O_NONBLOCK on standard error itself would affect the program. */
static ssize_t write_now(const char *text, size_t len)
{
	if (unheard.file)
		return write(STDERR_FILENO, text, len);
	if (unheard.fd >= 0)
		return write(unheard.fd, text, len);
	if (unheard.socket)
		return send(STDERR_FILENO, text, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	errno = EAGAIN;
	return is_ready(0) ? write(STDERR_FILENO, text, len < PIPE_BUF ? len : PIPE_BUF) : -1;
}

/* The number of bytes of @text that need not be kept: written, or all if they can never be
 * written. */
static size_t put(const char *text, size_t len)
{
	ssize_t n = write_now(text, len);

	if (n >= 0)
		return (size_t)n;
	return errno == EAGAIN || errno == EINTR ? 0 : len;
}

/* ---- kept lines ---- */

static void count_lost(uint64_t n)
{
	if (unheard.lost)
		atomic_fetch_add(unheard.lost, n);
}

static void keep(const char *lines)
{
	size_t len = strlen(lines);

	if (len > ROOM - unheard.len) {
		count_lost(1);
		return;
	}
	memcpy(unheard.kept + unheard.len, lines, len);
	unheard.len += len;
}

/* Line by line, so that output of the program cannot come into the middle of one. */
static void write_kept(void)
{
	size_t done = 0, n, line;

	while (done < unheard.len) {
		const char *at = unheard.kept + done, *end = memchr(at, '\n', unheard.len - done);

		line = end ? (size_t)(end - at) + 1 : unheard.len - done;
		n = put(at, line);
		done += n;
		if (n < line)
			break;
	}
	unheard.len -= done;
	memmove(unheard.kept, unheard.kept + done, unheard.len);
}

static void tell_lost(void)
{
	uint64_t n = unheard.lost && !unheard.len ? atomic_exchange(unheard.lost, 0) : 0;
	char line[160];

	if (!n)
		return;
	snprintf(line, sizeof line, "mprof: %" PRIu64 " sentences are missing here: nobody read "
				    "standard error when they were printed\n", n);
	keep(line);
	write_kept();
}

/* The loop sleeps until a signal: set a timer that wakes it. */
static void try_again_later(void)
{
	struct itimerspec every = { 0 };

	if (!unheard.has_timer)
		return;
	if (unheard.len && unheard.patience == AT_ONCE)
		every.it_value.tv_nsec = every.it_interval.tv_nsec = AGAIN_NS;
	timer_settime(unheard.timer, 0, &every, NULL);
}

void unheard_flush(void)
{
	if (unheard.patience == ANY_TIME)
		return;
	bool had = unheard.len;

	write_kept();
	tell_lost();
	if (had || unheard.len)
		try_again_later();
}

/* ---- waiting, when no program is traced ---- */

static void await_reader(void)
{
	while (unheard.len && unheard.patience == UNTIL_TOLD) {
		if (serve_told())
			unheard.patience = FOR_A_MOMENT;
		else if (is_ready(LOOK_MS))
			unheard_flush();
	}
	uint64_t since = clock_now_ns();

	while (unheard.len && unheard.patience == FOR_A_MOMENT &&
	       clock_now_ns() - since < LAST_NS)
		if (is_ready(LOOK_MS))
			unheard_flush();
	if (unheard.len && unheard.patience == FOR_A_MOMENT)
		unheard.patience = NO_MORE;
}

static void give_up(void)
{
	for (size_t i = 0; i < unheard.len; i++)
		if (unheard.kept[i] == '\n')
			count_lost(1);
	unheard.len = 0;
}

/* ---- public ---- */

void unheard_begin(void)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGIO };
	void *shared = mmap(NULL, sizeof *unheard.lost, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	fflush(stderr);
	unheard.lost = shared == MAP_FAILED ? NULL : shared;
	unheard.has_timer = !timer_create(CLOCK_MONOTONIC, &ev, &unheard.timer);
	unheard.patience = AT_ONCE;
	unheard_changed();
}

void unheard_changed(void)
{
	struct stat st = { 0 };

	if (unheard.fd >= 0)
		close(unheard.fd);
	fstat(STDERR_FILENO, &st);
	unheard.file = S_ISREG(st.st_mode);
	unheard.socket = S_ISSOCK(st.st_mode);
	unheard.fd = S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)
			     ? open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
			     : -1;
	unheard_flush();
}

void unheard_print(const char *lines)
{
	if (unheard.patience == ANY_TIME) {
		fputs(lines, stderr);
		return;
	}
	keep(lines);
	unheard_flush();
	await_reader();
	if (unheard.patience == NO_MORE)
		give_up();
}

void unheard_try(const char *text)
{
	if (unheard.patience == ANY_TIME)
		fputs(text, stderr);
	else if (!unheard.len)
		put(text, strlen(text));
}

void unheard_child(void)
{
	unheard.len = 0;
	unheard.has_timer = false;
	if (unheard.patience != ANY_TIME)
		unheard.patience = FOR_A_MOMENT;
}

void unheard_wait(void)
{
	if (unheard.patience == ANY_TIME)
		return;
	unheard.patience = UNTIL_TOLD;
	try_again_later();
	await_reader();
}
