/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

/* File names and symbol names come from outside: no control character reaches the terminal raw. */
static void defuse(char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c == 0x7f)
			*s = '?';
	}
}

int error_set(struct error *e, int err, const char *fmt, ...)
{
	if (!e)
		return err;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	defuse(e->text);
	return err;
}
