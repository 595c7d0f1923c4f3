/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/say.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

void say_elsewhere(const char *sentence)
{
	(void)sentence;
}

void say_to(say_fn *say, const char *fmt, ...)
{
	struct error line;
	char text[sizeof line.text];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	error_set(&line, 0, "%s", text);
	say(line.text);
}
