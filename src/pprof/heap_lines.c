/* SPDX-License-Identifier: BSD-2-Clause */
#include "pprof/heap_lines.h"

#include "base/text.h"
#include "proc/maps.h"

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
	const char *behind = text_after(rest, end);

	if (errno || !behind)
		return false;
	*s = behind;
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

/* "START-END: PATH", tcmalloc's short form, which lists code only. */
static bool short_mapping(char *s, struct proc_map *m)
{
	*m = (struct proc_map){ .executable = true };
	if (!proc_map_range(&s, &m->start, &m->end) || *s != ':')
		return false;
	m->path = heap_skip_blanks(s + 1);
	return true;
}

enum heap_map_line heap_line_mapping(char *line, struct pp_mapping *m)
{
	char *s = line + (heap_skip_blanks(line) - line);
	struct proc_map map;

	*m = (struct pp_mapping){ .build_id = "" };
	if (!*s || *s == '#' || text_begins(s, "build="))
		return MAP_NOTHING;
	if (!short_mapping(s, &map) && !proc_map_parse(s, &map))
		return MAP_WRONG;
	*m = (struct pp_mapping){ .start = map.start, .limit = map.end, .offset = map.offset,
				  .path = (char *)map.path, .build_id = "" };
	if (m->start >= m->limit)
		return MAP_REVERSED;
	return map.executable && *m->path ? MAP_CODE : MAP_DATA;
}

/* ---- Go's comments ---- */

int heap_line_go_frame(const char *line, uint64_t *address, char **name)
{
	const char *s = line + strspn(line, "#");

	*name = NULL;
	if (!text_begins(s, "\t0x") || !heap_line_address(&s, address) || *s != '\t')
		return 0;
	s += strspn(s, "\t");
	/* "f+0x22": only the last "+" is not part of the name */
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
