/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/answer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { PATIENCE_SECONDS = 5 };

/* Sends without waiting. If part of it is lost, the client notices that the answer is cut. */
static void send_at_once(const struct control_asker *to, char *bytes, size_t len)
{
	if (bytes)
		send(to->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	free(bytes);
}

void control_answer(const struct control_asker *to, bool ok, const char *text)
{
	size_t len;
	char *bytes = control_answer_make(to->version, ok, text, &len);

	send_at_once(to, bytes, len);
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

void control_answer_at_length(const struct control_asker *to, const char *text)
{
	struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
	size_t len;
	char *bytes = control_answer_make(to->version, true, text, &len);

	fcntl(to->fd, F_SETFL, 0);
	setsockopt(to->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	if (bytes)
		send_all(to->fd, bytes, len);
	free(bytes);
}
