/* SPDX-License-Identifier: BSD-2-Clause */
/* The text format of heap profiles. Source: gperftools 2.10, heap-profile-table.cc, and what
 * google-pprof and the newer pprof read. */
#include "pprof/read.h"

#include "base/array.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A line of the table of names, for an address as it stands in the stacks. */
struct named_address {
	uint64_t address;
	char *names;
};

struct reader {
	FILE *in;
	const char *name;
	struct heap_stacks *out;
	struct error *e;
	char *line;
	size_t cap, line_number;
	ssize_t len;
	double period;		/* of sampling; 0: all was counted */
	struct named_address *named;
	size_t n_named, cap_named;
	uint64_t *addresses;	/* of the stack in progress */
	size_t cap_addresses;
	struct stack_table raw;	/* of addresses as they are in the file */
};

static int wrong(const struct reader *r, const char *what)
{
	return error_set(r->e, -EINVAL, "%s:%zu: %s", r->name, r->line_number, what);
}

static int no_memory(const struct reader *r)
{
	return error_set(r->e, -ENOMEM, "cannot read %s: out of memory", r->name);
}

static bool next_line(struct reader *r)
{
	r->len = getline(&r->line, &r->cap, r->in);
	if (r->len < 0)
		return false;
	r->line_number++;
	while (r->len && isspace((unsigned char)r->line[r->len - 1]))
		r->line[--r->len] = '\0';
	return true;
}

static const char *skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

/* A decimal number that fits, and @end behind it. */
static bool number(const char **s, int64_t *n, const char *end)
{
	char *rest;

	*s = skip_blanks(*s);
	if (!isdigit((unsigned char)**s) && !(**s == '-' && isdigit((unsigned char)(*s)[1])))
		return false;
	errno = 0;
	*n = strtoll(*s, &rest, 10);
	if (errno || strncmp(rest, end, strlen(end)))
		return false;
	*s = rest + strlen(end);
	return true;
}

/* "objs: bytes [allocs: alloc_bytes] @", and behind it *rest. */
static bool numbers(const char *s, int64_t value[HEAP_VALUES], const char **rest)
{
	if (!number(&s, &value[INUSE_OBJECTS], ":") || !number(&s, &value[INUSE_SPACE], ""))
		return false;
	s = skip_blanks(s);
	if (*s++ != '[' || !number(&s, &value[ALLOC_OBJECTS], ":") || !number(&s, &value[ALLOC_SPACE], "]"))
		return false;
	s = skip_blanks(s);
	if (*s && *s++ != '@')
		return false;
	*rest = s;
	return true;
}

static bool address(const char **s, uint64_t *a)
{
	char *end;

	*s = skip_blanks(*s);
	if ((*s)[0] == '0' && ((*s)[1] == 'x' || (*s)[1] == 'X'))
		*s += 2;
	if (!isxdigit((unsigned char)**s))
		return false;
	errno = 0;
	*a = strtoull(*s, &end, 16);
	if (errno || (*end && *end != ' ' && *end != '\t'))
		return false;
	*s = end;
	return true;
}

/* ---- the parts of a file ---- */

static int read_names(struct reader *r)
{
	while (next_line(r)) {
		const char *s = r->line;
		uint64_t a;

		if (!strncmp(s, "---", 3))
			return 0;
		/* "binary=..." is in the map, too. */
		if (s[0] != '0' || !*s) {
			if (*s && !strchr(s, '='))
				return wrong(r, "neither a name nor its end (---)");
			continue;
		}
		if (!address(&s, &a))
			return wrong(r, "no address");
		if (ARRAY_RESERVE(&r->named, &r->cap_named, r->n_named))
			return no_memory(r);
		char *names = strdup(skip_blanks(s));
		if (!names)
			return no_memory(r);
		r->named[r->n_named++] = (struct named_address){ a, names };
	}
	return wrong(r, "the table of names has no end");
}

/* "heapprofile", "heap_v2/524288", "heap/524288" */
static int read_kind(struct reader *r, const char *kind)
{
	static const char v2[] = "heap_v2/", v1[] = "heap/";
	int64_t period;
	const char *s;

	kind = skip_blanks(kind);
	if (!*kind || !strcmp(kind, "heapprofile") || !strncmp(kind, "heapprofile ", 12))
		return 0;
	if (!strncmp(kind, v2, strlen(v2)))
		s = kind + strlen(v2);
	else if (!strncmp(kind, v1, strlen(v1)))
		s = kind + strlen(v1);
	else
		return wrong(r, "this kind of heap profile is not known (heapprofile, heap_v2/PERIOD and "
				"heap/PERIOD are)");
	if (!number(&s, &period, "") || *s || period < 1)
		return wrong(r, "no sampling period");
	r->period = kind[4] == '_' ? (double)period : (double)period / 2;
	return 0;
}

/* An allocation of @size bytes is seen with the probability 1 - exp(-size / period). */
static bool correct(int64_t *count, int64_t *bytes, double period)
{
	if (*count <= 0 || *bytes <= 0)
		return true;
	double scale = 1 / (1 - exp(-((double)*bytes / (double)*count) / period));
	double c = (double)*count * scale, b = (double)*bytes * scale;

	if (!(c < 9e18 && b < 9e18))
		return false;
	*count = (int64_t)c;
	*bytes = (int64_t)b;
	return true;
}

static int read_stack(struct reader *r)
{
	int64_t v[HEAP_VALUES];
	const char *s;
	size_t n = 0;

	if (!numbers(r->line, v, &s))
		return wrong(r, "not of the form \"objects: bytes [objects: bytes] @ addresses\"");
	if (r->period > 0 && (!correct(&v[INUSE_OBJECTS], &v[INUSE_SPACE], r->period) ||
			      !correct(&v[ALLOC_OBJECTS], &v[ALLOC_SPACE], r->period)))
		return wrong(r, "a number is too large");
	for (; *(s = skip_blanks(s)); n++) {
		if (ARRAY_RESERVE(&r->addresses, &r->cap_addresses, n))
			return no_memory(r);
		if (!address(&s, &r->addresses[n]))
			return wrong(r, "no address");
	}
	int err = stack_table_add(&r->raw, r->addresses, n, v);
	return err == -EOVERFLOW ? wrong(r, "a sum is too large") : err ? no_memory(r) : 0;
}

/* A line of /proc/PID/maps; only what is executable matters. */
static int read_mapping(struct reader *r)
{
	struct pp_mapping m = { .build_id = "" };
	char perms[8];
	int path = 0;

	if (!*r->line)
		return 0;
	if (sscanf(r->line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &m.start, &m.limit, perms,
		   &m.offset, &path) < 4)
		return 0; /* "build=", comments */
	if (m.start >= m.limit)
		return wrong(r, "a mapping that ends before it begins");
	if (!strchr(perms, 'x') || !path || !r->line[path])
		return 0;
	m.path = r->line + path;
	return heap_stacks_mapping(r->out, &m) == PP_NONE ? no_memory(r) : 0;
}

static bool begins_map(const char *line)
{
	return !strncmp(line, "MAPPED_LIBRARIES:", 17) || !strncmp(line, "--- Memory map:", 15);
}

static int read_head(struct reader *r)
{
	static const char word[] = "heap profile:";
	int64_t total[HEAP_VALUES];
	const char *kind;

	if (!next_line(r))
		return wrong(r, "the file is empty");
	if (!strncmp(r->line, "--- symbol", 10)) {
		int err = read_names(r);
		if (err)
			return err;
		while (next_line(r) && (!*r->line || !strncmp(r->line, "---", 3)))
			;
	}
	if (r->len < 0 || strncmp(r->line, word, strlen(word)))
		return wrong(r, "no heap profile begins here");
	if (!numbers(r->line + strlen(word), total, &kind))
		return wrong(r, "not of the form \"heap profile: objects: bytes [objects: bytes] @ kind\"");
	return read_kind(r, kind);
}

static int read_parts(struct reader *r)
{
	int err = read_head(r);

	while (!err && next_line(r)) {
		if (begins_map(r->line))
			break;
		if (*r->line)
			err = read_stack(r);
	}
	while (!err && next_line(r))
		err = read_mapping(r);
	if (!err && ferror(r->in))
		err = error_set(r->e, -EIO, "cannot read %s", r->name);
	return err;
}

/* ---- stacks of locations ---- */

static int by_address(const void *left, const void *right)
{
	const struct named_address *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* The names of an address, the physical function first, joined by "--": innermost first. */
static int read_lines(struct reader *r, const struct named_address *named, struct pp_line **lines, size_t *n)
{
	size_t cap = 0;

	*n = 0;
	*lines = NULL;
	for (char *s = named ? named->names : NULL; s && *s;) {
		char *end = strstr(s, "--");
		size_t len = end ? (size_t)(end - s) : strlen(s);
		char *text = strndup(s, len);
		struct pp_function f = { text, text, "", 0 };
		uint32_t id = text ? heap_stacks_function(r->out, &f) : PP_NONE;

		free(text);
		if (id == PP_NONE || ARRAY_RESERVE(lines, &cap, *n))
			return -ENOMEM;
		memmove(*lines + 1, *lines, *n * sizeof **lines);
		(*lines)[0] = (struct pp_line){ id, 0 };
		++*n;
		s = end ? end + 2 : NULL;
	}
	return 0;
}

static uint32_t location_of(struct reader *r, uint64_t a, bool first)
{
	const struct named_address key = { .address = a };
	const struct named_address *named =
		r->n_named ? bsearch(&key, r->named, r->n_named, sizeof key, by_address) : NULL;
	/* Readers take the first address as it is, and all others less one. */
	uint64_t at = first || !a ? a : a - 1;
	struct pp_line *lines;
	size_t n;
	uint32_t id = PP_NONE;

	if (!read_lines(r, named, &lines, &n))
		id = heap_stacks_location(r->out, heap_stacks_mapping_of(r->out, at), at, lines, n);
	free(lines);
	return id;
}

static int make_stacks(struct reader *r)
{
	int err = 0;

	if (r->n_named)
		qsort(r->named, r->n_named, sizeof *r->named, by_address);
	for (size_t i = 0; !err && i < r->raw.n; i++) {
		const struct stack *s = &r->raw.stacks[i];
		uint64_t *e = r->raw.elements + s->first;

		for (size_t k = 0; !err && k < s->n; k++) {
			uint32_t id = location_of(r, e[k], k == 0);

			if (id == PP_NONE)
				err = -ENOMEM;
			r->addresses[k] = id;
		}
		if (!err)
			err = stack_table_add(&r->out->stacks, r->addresses, s->n, s->value);
	}
	return err ? error_set(r->e, err, "cannot read %s: %s", r->name,
			       err == -EOVERFLOW ? "a sum is too large" : "out of memory") : 0;
}

int heap_read_text(FILE *in, const char *name, struct heap_stacks *out, struct error *e)
{
	struct reader r = { .in = in, .name = name, .out = out, .e = e };
	int err = read_parts(&r);

	if (!err)
		err = make_stacks(&r);
	for (size_t i = 0; i < r.n_named; i++)
		free(r.named[i].names);
	free(r.named);
	free(r.addresses);
	free(r.line);
	stack_table_release(&r.raw);
	return err;
}

enum heap_file heap_file_kind(const char *path)
{
	static const char text[] = "heap profile:", names[] = "--- symbol", sqlite[] = "SQLite";
	unsigned char begin[16] = { 0 };
	struct stat st;
	/* What else there is may wait for a writer, or give its bytes only once. */
	FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	size_t n = f ? fread(begin, 1, sizeof begin - 1, f) : 0;

	if (f)
		fclose(f);
	if (!n || !memcmp(begin, sqlite, strlen(sqlite)))
		return HEAP_FILE_OTHER;
	if (!memcmp(begin, text, strlen(text)) || !memcmp(begin, names, strlen(names)))
		return HEAP_FILE_TEXT;
	/* gzip, or the key of the first field: length-delimited sample_type */
	if ((begin[0] == 0x1f && begin[1] == 0x8b) || begin[0] == 0x0a)
		return HEAP_FILE_PROTO;
	return HEAP_FILE_OTHER;
}
