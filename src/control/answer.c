/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/answer.h"

#include "base/closerange.h"
#include "base/endby.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	PATIENCE_SECONDS = 5, /* for a client that reads nothing */
	MOST_SECONDS = 60,    /* for a client that reads slowly */
};

static void send_all(int fd, const char *bytes, size_t left)
{
	while (left) {
		ssize_t n = send(fd, bytes, left, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		bytes += n;
		left -= (size_t)n;
	}
}

static void send_patiently(int fd, const char *bytes, size_t len)
{
	struct timeval patience = { .tv_sec = PATIENCE_SECONDS };

	fcntl(fd, F_SETFL, 0);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	send_all(fd, bytes, len);
}

/* Send the part that does not fit into the socket's buffer, in a child process that waits for
 * nothing else. It closes all other descriptors: other clients wait for the end of their
 * connections. */
static void send_beside(int fd, const char *bytes, size_t len)
{
	if (fork())
		return;
	endby_signal(SIGTERM);
	endby_signal(SIGHUP);
	signal(SIGALRM, SIG_DFL);
	alarm(MOST_SECONDS);
	if (fd > 0)
		closerange(0, (unsigned)fd - 1);
	closerange((unsigned)fd + 1, ~0u);
	send_patiently(fd, bytes, len);
	_exit(0);
}

/* Sends without waiting. Returns how many bytes were taken. */
static size_t send_now(int fd, const char *bytes, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = send(fd, bytes + done, len - done, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

/* Sends without waiting. If part of it is lost, the client notices that the answer is cut. */
static void send_at_once(const struct control_asker *to, char *bytes, size_t len)
{
	if (bytes)
		send_now(to->fd, bytes, len);
	free(bytes);
}

void control_answer(const struct control_asker *to, bool ok, const char *text)
{
	size_t len;
	char *bytes = control_answer_make(to->version, ok, text, &len);
	size_t done = bytes ? send_now(to->fd, bytes, len) : 0;

	/* A client that takes nothing has gone, or has not read an earlier answer. */
	if (done && done < len)
		send_beside(to->fd, bytes + done, len - done);
	free(bytes);
}

void control_answer_begin(const struct control_asker *to, size_t parts)
{
	size_t len;
	char *bytes = control_head_make(to->version, parts, &len);

	send_at_once(to, bytes, len);
}

void control_answer_part(const struct control_asker *to, bool ok, const char *text)
{
	size_t len;
	char *bytes = control_part_make(to->version, ok, text, &len);

	send_at_once(to, bytes, len);
}

void control_answer_at_length(const struct control_asker *to, const char *text)
{
	size_t len;
	char *bytes = control_answer_make(to->version, true, text, &len);

	if (bytes)
		send_patiently(to->fd, bytes, len);
	free(bytes);
}
