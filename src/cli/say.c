/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/error.h"
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

void say(const char *fmt, ...)
{
	char text[1200];
	struct error line;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	error_set(&line, 0, "%s", text);
	fprintf(stderr, "mprof: %s\n", line.text);
}

void say_sentence(const char *sentence)
{
	say("%s", sentence);
}
