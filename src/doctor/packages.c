/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/packages.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Debian policy, 5.6.7: letters, digits and +-. */
static bool take_name(const char *text, size_t len, char name[PACKAGE_NAME])
{
	if (!len || len >= PACKAGE_NAME || !isalnum((unsigned char)*text))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("+-.", text[i]))
			return false;
	snprintf(name, PACKAGE_NAME, "%.*s", (int)len, text);
	return true;
}

const char *package_owner(const char *line, char name[PACKAGE_NAME])
{
	const char *path = strstr(line, ": /");

	/* "diversion by dash from: /bin/sh" has a blank, which no package name has. */
	return path && take_name(line, strcspn(line, ":,"), name) ? path + 2 : NULL;
}

bool package_offered(const char *line, char name[PACKAGE_NAME])
{
	const char *at = text_after(line, "Package: ");

	return at && take_name(at, strcspn(at, "\n"), name);
}

bool package_debug_name(const char *package, size_t nth, char name[PACKAGE_NAME])
{
	static const char *const ends[] = {"-dbgsym", "-dbg"};

	return nth < sizeof ends / sizeof *ends &&
	       snprintf(name, PACKAGE_NAME, "%s%s", package, ends[nth]) < PACKAGE_NAME;
}

bool package_path(const char *path, size_t nth, char *out, size_t size)
{
	const char *rest = text_after(path, "/usr");
	int n;

	if (path[0] != '/' || strpbrk(path, "*?[]\\\n") || nth > 1)
		return false;
	if (nth && rest && *rest == '/')
		n = snprintf(out, size, "%s", rest);
	else
		n = snprintf(out, size, "%s%s", nth ? "/usr" : "", path);
	return n > 0 && (size_t)n < size;
}
