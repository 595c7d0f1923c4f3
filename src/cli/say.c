/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/error.h"
#include "cli/cli.h"
#include "cli/unheard.h"

#include <stdarg.h>
#include <stdio.h>

void say(const char *fmt, ...)
{
	char text[1200], printed[sizeof text + 16];
	struct error line;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	error_set(&line, 0, "%s", text);
	snprintf(printed, sizeof printed, "mprof: %s\n", line.text);
	unheard_print(printed);
}

void say_sentence(const char *sentence)
{
	say("%s", sentence);
}
