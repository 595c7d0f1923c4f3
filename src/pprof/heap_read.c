/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the text formats of heap profiles: gperftools', tcmalloc's, jemalloc's and Go's. Single
 * lines are parsed by heap_lines.c. */
#include "pprof/heap_read_internal.h"

#include "base/array.h"
#include "base/text.h"
#include "pprof/heap_lines.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- stacks ---- */

/* Scale up sampled numbers: an allocation of @size bytes is sampled with probability 1 - exp(-size
 * / period). False: the result is too large. */
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

/* Add the stack in progress with these numbers. */
static int add_stack(struct reader *r, int64_t v[HEAP_VALUES])
{
	if (heap_any_negative(v) && !r->difference)
		return heap_wrong(r, NEGATIVE);
	if (r->sampled && r->period < 0.5)
		return heap_wrong(r, "a stack of samples, but no sampling period in the first "
				     "line");
	if (r->sampled && (!correct(&v[INUSE_OBJECTS], &v[INUSE_SPACE], r->period) ||
			   !correct(&v[ALLOC_OBJECTS], &v[ALLOC_SPACE], r->period)))
		return heap_wrong(r, "a number is too large");
	int err = stack_table_add(&r->raw, r->addresses, r->n_addresses, v);
	return err == -EOVERFLOW ? heap_wrong(r, "a sum is too large")
	       : err		 ? heap_no_memory(r)
				 : 0;
}

/* Parse what follows the "@" of a stack. */
static int read_addresses(struct reader *r, const char *s)
{
	r->n_frames = r->n_addresses = 0;
	for (; *(s = heap_skip_blanks(s)); r->n_addresses++) {
		if (ARRAY_RESERVE(&r->addresses, &r->cap_addresses, r->n_addresses))
			return heap_no_memory(r);
		if (!heap_line_address(&s, &r->addresses[r->n_addresses]))
			return heap_wrong(r, NO_ADDRESS);
	}
	return r->n_addresses ? 0 : heap_wrong(r, NO_ADDRESS);
}

static int read_stack(struct reader *r)
{
	int64_t v[HEAP_VALUES];
	const char *s = r->line;

	if (!heap_line_numbers(&s, v) || *(s = heap_skip_blanks(s)) != '@')
		return heap_wrong(r, "not of the form \"" NUMBERS " @ addresses\"");
	int err = read_addresses(r, s + 1);
	return err ? err : add_stack(r, v);
}

/* "t*: 1: 2 [0: 0]", the sum over all threads, or "t7: ..." for one thread */
static int read_threads(struct reader *r, const char *s)
{
	bool all = s[1] == '*';
	int64_t thread, v[HEAP_VALUES];

	if (all && s[2] == ':')
		s += 3;
	else if (all || *++s == '-' || !heap_line_number(&s, &thread, ":"))
		return heap_wrong(r, "not of the form \"t*: " NUMBERS "\"");
	if (!heap_line_numbers(&s, v))
		return heap_wrong(r, "not of the form \"t*: " NUMBERS "\"");
	/* Before the first stack there are sums, and the threads' names. */
	if (!r->n_addresses)
		return 0;
	if (*s)
		return heap_wrong(r, "not of the form \"t*: " NUMBERS "\"");
	if (heap_any_negative(v))
		return heap_wrong(r, NEGATIVE);
	if (!all)
		return 0;
	if (r->has_numbers)
		return heap_wrong(r, "the numbers of all threads (t*) are there twice");
	r->has_numbers = true;
	return add_stack(r, v);
}

static int check_numbers(struct reader *r)
{
	if (!r->threaded || !r->n_addresses || r->has_numbers)
		return 0;
	return heap_wrong(r, "the stack above has no numbers of all threads (t*: " NUMBERS ")");
}

/* jemalloc's format: "@ addresses", followed by lines of numbers. */
static int read_threaded(struct reader *r)
{
	const char *s = heap_skip_blanks(r->line);

	if (*s == 't')
		return read_threads(r, s);
	if (*s != '@')
		return heap_wrong(r, "neither a stack (@ addresses) nor numbers (t*: " NUMBERS ")");
	int err = check_numbers(r);
	r->has_numbers = false;
	return err ? err : read_addresses(r, s + 1);
}

/* Go names frames in comments after a stack; several for one address are inlined into each
 * other. */
static int read_comment(struct reader *r)
{
	uint64_t a;
	char *name;
	int is = heap_line_go_frame(r->line, &a, &name);

	if (is <= 0)
		return is ? heap_no_memory(r) : 0;
	/* A comment has the address of the call, a stack the return address. */
	bool same = r->n_frames && r->named.v[r->named.n - 1].address == a + 1;
	int err = same ? named_add_outer(&r->named, name) : named_add(&r->named, a + 1, name);
	r->n_frames++;
	free(name);
	return err ? heap_no_memory(r) : 0;
}

static int read_line(struct reader *r)
{
	if (!*r->line)
		return 0;
	if (*r->line == '#')
		return read_comment(r);
	return r->threaded ? read_threaded(r) : read_stack(r);
}

/* A line of /proc/PID/maps; only executable mappings matter. */
static int read_mapping(struct reader *r)
{
	struct pp_mapping m;

	switch (heap_line_mapping(r->line, &m)) {
	case MAP_REVERSED:
		return heap_wrong(r, "a mapping that ends before it begins");
	case MAP_WRONG:
		return heap_wrong(r, "no line of a memory map; expected \"start-end permissions "
				     "offset device inode "
				"path\"");
	case MAP_CODE:
		return heap_stacks_mapping(r->out, &m) == PP_NONE ? heap_no_memory(r) : 0;
	default:
		return 0;
	}
}

static bool begins_map(const char *line)
{
	return text_begins(line, "MAPPED_LIBRARIES:") || text_begins(line, "--- Memory map:");
}

static int read_parts(struct reader *r)
{
	int err = heap_read_head(r);

	while (!err && heap_next_line(r)) {
		if (begins_map(r->line))
			break;
		err = read_line(r);
	}
	if (!err)
		err = check_numbers(r);
	while (!err && heap_next_line(r))
		err = read_mapping(r);
	if (!err)
		err = r->failed;
	return err;
}

/* ---- stacks of locations ---- */

static uint32_t location_of(struct reader *r, uint64_t a, bool first)
{
	/* The first address is taken as it is, all others less one. */
	uint64_t at = first || !a ? a : a - 1;
	struct pp_line *lines;
	size_t n;
	uint32_t id = PP_NONE;

	if (!named_lines(&r->named, a, r->out, &lines, &n))
		id = heap_stacks_location(r->out, heap_stacks_mapping_of(r->out, at), at, lines, n);
	free(lines);
	return id;
}

static int make_stacks(struct reader *r)
{
	int err = 0;

	named_sort(&r->named);
	for (size_t i = 0; !err && i < r->raw.n; i++) {
		const struct stack *s = &r->raw.stacks[i];
		uint64_t *e = r->raw.elements + s->first;

		/* In place: the addresses are not needed any more. */
		for (size_t k = 0; !err && k < s->n; k++) {
			e[k] = location_of(r, e[k], k == 0);
			err = e[k] == PP_NONE ? -ENOMEM : 0;
		}
		if (!err)
			err = stack_table_add(&r->out->stacks, e, s->n, s->value);
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
	named_release(&r.named);
	free(r.addresses);
	free(r.line);
	stack_table_release(&r.raw);
	return err;
}
