/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/error.h"

#include "base/printable.h"

#include <stdarg.h>
#include <stdio.h>

int (error_set)(struct error *e, int err, const char *fmt, ...)
{
	if (!e)
		return err;
	va_list ap;
	va_start(ap, fmt);
	char raw[sizeof e->text];
	vsnprintf(raw, sizeof raw, fmt, ap);
	va_end(ap);
	/* File names and symbol names come from outside: no control character reaches a
	 * terminal. */
	printable(e->text, sizeof e->text, raw);
	return err;
}
