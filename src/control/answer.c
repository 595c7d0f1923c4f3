/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>

void control_answer(int fd, const char *fmt, ...)
{
	char text[CONTROL_ANSWER_MAX];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (fd < 0 || n <= 0)
		return;
	size_t len = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;

	send(fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}
