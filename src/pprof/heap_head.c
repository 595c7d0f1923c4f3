/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the first lines of a text file: names, totals, and the kind of the numbers. */
#include "pprof/heap_read_internal.h"

#include "base/line.h"
#include "base/text.h"
#include "pprof/heap_lines.h"
#include "pprof/heap_write.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

int heap_wrong(const struct reader *r, const char *what)
{
	return error_set(r->e, -EINVAL, "%s:%zu: %s", r->name, r->line_number, what);
}

int heap_no_memory(const struct reader *r)
{
	return error_set(r->e, -ENOMEM, "cannot read %s: out of memory", r->name);
}

/* Returns false; reports an error unless it is the end of the file. */
static bool end_of_lines(struct reader *r)
{
	switch (r->len) {
	case 0:
		break;
	case -EILSEQ:
		r->line_number++;
		r->failed = heap_wrong(r, "a zero byte, which no text has");
		break;
	case -EMSGSIZE:
		r->line_number++;
		r->failed = heap_wrong(r, "a line that is longer than any should be");
		break;
	case -ENOMEM:
		r->failed = heap_no_memory(r);
		break;
	default:
		r->failed = error_set(r->e, (int)r->len, "cannot read %s: %s", r->name,
				      strerror((int)-r->len));
	}
	return false;
}

bool heap_next_line(struct reader *r)
{
	if (r->failed)
		return false;
	r->len = line_next(&r->line, &r->cap, r->in);
	if (r->len <= 0)
		return end_of_lines(r);
	r->line_number++;
	while (r->len && isspace((unsigned char)r->line[r->len - 1]))
		r->line[--r->len] = '\0';
	return true;
}

bool heap_any_negative(const int64_t value[HEAP_VALUES])
{
	for (int i = 0; i < HEAP_VALUES; i++)
		if (value[i] < 0)
			return true;
	return false;
}

/* ---- the head ---- */

/* "physical--inlined into it--inlined into that": the outermost function first */
static int add_names(struct reader *r, uint64_t address, char *names)
{
	char *next = strstr(names, "--");
	int err;

	if (next)
		*next = '\0';
	err = named_add(&r->named, address, names);
	while (!err && next) {
		char *name = next + 2;

		next = strstr(name, "--");
		if (next)
			*next = '\0';
		err = named_add_inner(&r->named, name);
	}
	return err ? heap_no_memory(r) : 0;
}

static int read_names(struct reader *r)
{
	while (heap_next_line(r)) {
		const char *s = r->line;
		uint64_t a;

		if (text_begins(s, "---"))
			return 0;
		/* "binary=..." is known from the map, too. */
		if (s[0] != '0' || !*s) {
			if (*s && !strchr(s, '='))
				return heap_wrong(r, "neither an address with its names nor the "
						     "end of the table "
						"of names (---)");
			continue;
		}
		if (!heap_line_address(&s, &a))
			return heap_wrong(r, NO_ADDRESS);
		int err = add_names(r, a, r->line + (heap_skip_blanks(s) - r->line));
		if (err)
			return err;
	}
	return r->failed ? r->failed : heap_wrong(r, "the table of names has no end (---)");
}

/* The number after the slash, which must be there. */
static int read_period(struct reader *r, const char *kind, double part)
{
	const char *s = strchr(kind, '/');
	int64_t period;

	r->sampled = true;
	if (s)
		s++;
	if (!s || !heap_line_number(&s, &period, "") || *s || period < 0)
		return heap_wrong(r, "no sampling period; expected as in heap_v2/524288");
	/* 0: tcmalloc writes a profile without stacks if it does not sample. */
	r->period = (double)period * part;
	return 0;
}

/* The word after the "@". Source: google-pprof, and the newer pprof's legacy_profile.go */
static int read_kind(struct reader *r, const char *kind)
{
	static const char *const exact[] = { "", "heapprofile", "heapprofile/1", "growth",
					     "growthz" };

	for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
		if (!strcmp(kind, exact[i]))
			return 0;
	if (!strcmp(kind, HEAP_DIFFERENCE)) {
		r->difference = true;
		return 0;
	}
	if (text_begins(kind, "heap_v2") || text_begins(kind, "heapz_v2"))
		return read_period(r, kind, 1);
	if (text_begins(kind, "heap/") || !strcmp(kind, "heap"))
		return read_period(r, kind, 0.5);
	return heap_wrong(r, "this kind of heap profile is not known; expected heapprofile, "
			     "heap_v2/PERIOD, "
			"heap/PERIOD or growth behind the \"@\"");
}

/* Skip tcmalloc's messages to google-pprof in front: "%warn ..." */
static bool next_head(struct reader *r)
{
	while (heap_next_line(r))
		if (r->line[0] != '%' && r->line[0])
			return true;
	return false;
}

static int read_totals(struct reader *r)
{
	int64_t total[HEAP_VALUES];
	const char *s = r->line + strlen(HEAD);

	if (!heap_line_numbers(&s, total))
		return heap_wrong(r, "not of the form \"" HEAD " " NUMBERS " @ kind\"");
	s = heap_skip_blanks(s);
	if (*s && *s++ != '@')
		return heap_wrong(r, "not of the form \"" HEAD " " NUMBERS " @ kind\"");
	int err = read_kind(r, heap_skip_blanks(s));
	if (!err && heap_any_negative(total) && !r->difference)
		err = heap_wrong(r, NEGATIVE);
	return err;
}

int heap_read_head(struct reader *r)
{
	if (!next_head(r))
		return r->failed ? r->failed : heap_wrong(r, "the file is empty");
	if (text_begins(r->line, "--- symbol")) {
		int err = read_names(r);
		if (err)
			return err;
		while (next_head(r) && text_begins(r->line, "---"))
			;
	}
	if (r->failed)
		return r->failed;
	if (r->len > 0 && text_begins(r->line, HEAD))
		return read_totals(r);
	if (r->len <= 0 || !text_begins(r->line, JEMALLOC_HEAD))
		return heap_wrong(r, "no heap profile begins here; expected \"" HEAD
				     "\", or jemalloc's \"" JEMALLOC_HEAD "PERIOD\"");
	r->threaded = true;
	return read_period(r, r->line, 1);
}
