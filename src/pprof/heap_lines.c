/* SPDX-License-Identifier: BSD-2-Clause */
#include "pprof/heap_lines.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *heap_skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

/* ---- numbers ---- */

bool heap_line_number(const char **s, int64_t *n, const char *end)
{
	char *rest;

	*s = heap_skip_blanks(*s);
	if (!isdigit((unsigned char)**s) && !(**s == '-' && isdigit((unsigned char)(*s)[1])))
		return false;
	errno = 0;
	*n = strtoll(*s, &rest, 10);
	if (errno || strncmp(rest, end, strlen(end)))
		return false;
	*s = rest + strlen(end);
	return true;
}

bool heap_line_numbers(const char **s, int64_t value[HEAP_VALUES])
{
	if (!heap_line_number(s, &value[INUSE_OBJECTS], ":") ||
	    !heap_line_number(s, &value[INUSE_SPACE], ""))
		return false;
	*s = heap_skip_blanks(*s);
	return *(*s)++ == '[' && heap_line_number(s, &value[ALLOC_OBJECTS], ":") &&
	       heap_line_number(s, &value[ALLOC_SPACE], "]");
}

bool heap_line_address(const char **s, uint64_t *address)
{
	char *end;

	*s = heap_skip_blanks(*s);
	if ((*s)[0] == '0' && ((*s)[1] == 'x' || (*s)[1] == 'X'))
		*s += 2;
	if (!isxdigit((unsigned char)**s))
		return false;
	errno = 0;
	*address = strtoull(*s, &end, 16);
	if (errno || (*end && *end != ' ' && *end != '\t'))
		return false;
	*s = end;
	return true;
}

/* ---- the map ---- */

/* As strtoull takes them, but neither signs nor blanks. */
static bool digits(const char **s, int base, uint64_t *n)
{
	char *end;

	if (!isxdigit((unsigned char)**s))
		return false;
	errno = 0;
	*n = strtoull(*s, &end, base);
	if (errno || end == *s)
		return false;
	*s = end;
	return true;
}

static bool one(const char **s, char c)
{
	if (**s != c)
		return false;
	++*s;
	return true;
}

static bool blanks(const char **s)
{
	const char *was = *s;

	*s = heap_skip_blanks(was);
	return *s != was;
}

/* "r-xp" */
static bool permissions(const char **s, bool *code)
{
	static const char *const letters[] = { "r-", "w-", "x-", "ps" };

	for (int i = 0; i < 4; i++)
		if (!(*s)[i] || !strchr(letters[i], (*s)[i]))
			return false;
	*code = (*s)[2] == 'x';
	*s += 4;
	return true;
}

/* " r-xp 00000000 08:01 10953041", behind the addresses. */
static bool attributes(const char **s, uint64_t *offset, bool *code)
{
	uint64_t major, minor, inode;

	return blanks(s) && permissions(s, code) && blanks(s) && digits(s, 16, offset) && blanks(s) &&
	       digits(s, 16, &major) && one(s, ':') && digits(s, 16, &minor) && blanks(s) &&
	       digits(s, 10, &inode) && (!**s || blanks(s));
}

enum heap_map_line heap_line_mapping(char *line, struct pp_mapping *m)
{
	const char *s = heap_skip_blanks(line);
	bool code = true;

	*m = (struct pp_mapping){ .build_id = "" };
	if (!*s || *s == '#' || !strncmp(s, "build=", 6))
		return MAP_NOTHING;
	if (!digits(&s, 16, &m->start) || !one(&s, '-') || !digits(&s, 16, &m->limit))
		return MAP_WRONG;
	if (one(&s, ':'))
		s = heap_skip_blanks(s);
	else if (!attributes(&s, &m->offset, &code))
		return MAP_WRONG;
	if (m->start >= m->limit)
		return MAP_REVERSED;
	m->path = line + (s - line);
	return code && *s ? MAP_CODE : MAP_DATA;
}

/* ---- Go's comments ---- */

int heap_line_go_frame(const char *line, uint64_t *address, char **name)
{
	const char *s = line + strspn(line, "#");

	*name = NULL;
	if (strncmp(s, "\t0x", 3) || !heap_line_address(&s, address) || *s != '\t')
		return 0;
	s += strspn(s, "\t");
	/* "f+0x22": a "+" that is not the last one is of the name */
	const char *end = s + strcspn(s, "\t"), *plus = memrchr(s, '+', (size_t)(end - s));
	const char *file = end + strspn(end, "\t");
	size_t len = (size_t)((plus ? plus : end) - s);

	if (!len)
		return 0;
	if (asprintf(name, "%.*s%s%s", (int)len, s, *file ? "\t" : "", file) < 0) {
		*name = NULL;
		return -ENOMEM;
	}
	return 1;
}
