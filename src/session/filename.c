/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/filename.h"

#include "base/memstream.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of the variable in "{VAR}..."; *used: the length of "{VAR}". */
static const char *variable(const char *s, size_t *used, struct error *e)
{
	const char *end = *s == '{' ? strchr(s, '}') : NULL;
	char name[256];

	if (!end || end - s - 1 >= (ptrdiff_t)sizeof name) {
		error_set(e, 0, "file name: %%q needs a variable's name in braces, as %%q{HOME}");
		return NULL;
	}
	snprintf(name, sizeof name, "%.*s", (int)(end - s - 1), s + 1);
	*used = (size_t)(end - s) + 1;
	const char *value = getenv(name);
	if (!value)
		error_set(e, 0, "file name: the environment variable %s is not set", name);
	return value;
}

/* What the sequence at @s ("p", "q{VAR}", "%") stands for. @nth: the value of %n; 0: %n is an
 * error. */
static const char *sequence(const char *s, pid_t pid, unsigned nth, char number[16], size_t *used,
			    struct error *e)
{
	const char *known = nth ? "%p, %q{VAR}, %n and %%" : "%p, %q{VAR} and %%";

	*used = 1;
	switch (*s) {
	case '%':
		return "%";
	case 'p':
		snprintf(number, 16, "%d", (int)pid);
		return number;
	case 'n':
		if (!nth)
			break;
		snprintf(number, 16, "%u", nth);
		return number;
	case 'q': {
		const char *value = variable(s + 1, used, e);

		++*used;
		return value;
	}
	default:
		break;
	}
	error_set(e, 0, "file name: %%%c is not known; %s are", *s ? *s : ' ', known);
	return NULL;
}

char *filename_expand(const char *pattern, pid_t pid, struct error *e)
{
	return filename_expand_nth(pattern, pid, 0, e);
}

char *filename_expand_nth(const char *pattern, pid_t pid, unsigned nth, struct error *e)
{
	char *name = NULL, number[16];
	size_t len = 0;
	FILE *out = memstream_open(&name, &len);

	if (!out)
		goto fail;
	for (const char *s = pattern; *s; s++) {
		if (*s != '%') {
			fputc(*s, out);
			continue;
		}
		size_t used;
		const char *text = sequence(s + 1, pid, nth, number, &used, e);
		if (!text) {
			fclose(out);
			free(name);
			return NULL;
		}
		fputs(text, out);
		s += used;
	}
	if (fclose(out) == 0)
		return name;
	free(name);
fail:
	error_set(e, 0, "file name: out of memory");
	return NULL;
}

static char *with_suffix(const char *base, const struct filename_whose *w, bool tell_pid,
			 bool tell_number, struct error *e)
{
	char pid[16] = "", number[16] = "", *name;

	if (tell_pid)
		snprintf(pid, sizeof pid, "%c%d", w->before_pid, (int)w->pid);
	if (tell_number)
		snprintf(number, sizeof number, ".%u", w->number);
	if (!strcmp(base, "/dev/null"))
		pid[0] = number[0] = '\0';
	if (asprintf(&name, "%s%s%s", base, pid, number) >= 0)
		return name;
	error_set(e, -ENOMEM, "file name: out of memory");
	return NULL;
}

char *filename_of(const char *pattern, const struct filename_whose *w, struct error *e)
{
	char *base = filename_expand_nth(pattern, w->pid, w->nth, e);
	bool has_number = w->nth && filename_has(pattern, 'n');
	char *name = base ? with_suffix(base, w, w->further && !filename_has_pid(pattern),
					w->number && !has_number, e) :
			    NULL;

	free(base);
	return name;
}

char *filename_derived(const char *name, const struct filename_whose *w, struct error *e)
{
	return with_suffix(name, w, w->further, w->number, e);
}

size_t filename_stem(const char *pattern, const char *ending)
{
	size_t len = strlen(pattern), n = strlen(ending);
	bool ends = len > n && !strcmp(pattern + len - n, ending) && pattern[len - n - 1] != '/';

	return ends ? len - n : len;
}

bool filename_has_pid(const char *pattern)
{
	return filename_has(pattern, 'p');
}

bool filename_has(const char *pattern, char sequence)
{
	for (const char *s = pattern; *s; s++) {
		if (*s != '%')
			continue;
		if (s[1] == sequence)
			return true;
		s += s[1] != '\0'; /* skip both: the p in "%%p" does not belong to a %p */
	}
	return false;
}
