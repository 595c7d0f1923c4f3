/* SPDX-License-Identifier: BSD-2-Clause */
#include "pprof/heap_write.h"

#include "base/array.h"
#include "base/printable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_numbers(FILE *out, const int64_t value[HEAP_VALUES])
{
	fprintf(out, "%6" PRId64 ": %8" PRId64 " [%6" PRId64 ": %8" PRId64 "] @",
		value[INUSE_OBJECTS], value[INUSE_SPACE], value[ALLOC_OBJECTS], value[ALLOC_SPACE]);
}

static void write_lines(FILE *out, const struct stack_table *t)
{
	for (size_t i = 0; t && i < t->n; i++) {
		const struct stack *s = &t->stacks[i];

		write_numbers(out, s->value);
		for (size_t e = 0; e < s->n; e++)
			fprintf(out, " 0x%08" PRIx64, t->elements[s->first + e]);
		if (!s->n)
			fputs(" 0x00000000", out);
		fputc('\n', out);
	}
}

static void write_stacks(FILE *out, const struct stack_table *t, const struct stack_table *mapped)
{
	int64_t total[HEAP_VALUES] = { 0 };
	bool negative = false;

	for (size_t i = 0; i < t->n; i++)
		for (int v = 0; v < HEAP_VALUES; v++) {
			total[v] = stack_sum(total[v], t->stacks[i].value[v]);
			negative |= t->stacks[i].value[v] < 0;
		}
	fputs("heap profile: ", out);
	write_numbers(out, total);
	fprintf(out, " %s\n", negative ? HEAP_DIFFERENCE : "heapprofile");
	write_lines(out, mapped);
	write_lines(out, t);
}

/* ---- paths ---- */

/* Readers open the path that is written here: a name in Latin-1 must stay unchanged. */
static const char *put_path_piece(FILE *out, const char *s)
{
	size_t n = printable_utf8(s);
	const char *end = s + (n ? n : 1);

	if (!n && (unsigned char)*s >= 0xa0)
		fputc(*s++, out);
	while (s < end)
		s = printable_put(out, s);
	return end;
}

void heap_write_path(FILE *out, const char *path)
{
	while (*path)
		path = put_path_piece(out, path);
}

/* ---- the table of names ---- */

struct listed_address {
	uint64_t address;
	bool first;
};

static int by_address(const void *left, const void *right)
{
	const struct listed_address *a = left, *b = right;

	return a->address != b->address ? (a->address < b->address ? -1 : 1) : a->first - b->first;
}

struct name_list {
	FILE *out;
	unsigned n;
};

/* A name must not contain the separator: C++ has an operator-- */
static void write_name(void *to, const char *name)
{
	struct name_list *l = to;

	fputs(l->n++ ? "--" : " ", l->out);
	while (*name) {
		bool minus = *name == '-';

		name = printable_put(l->out, name);
		if (minus && *name == '-')
			fputc(' ', l->out);
	}
}

static size_t list_addresses(const struct stack_table *t, struct listed_address *list)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t e = 0; e < t->stacks[i].n; e++) {
			size_t at = t->stacks[i].first + e;
			list[at] = (struct listed_address){ t->elements[at], e == 0 };
		}
	return t->n_elements;
}

static int write_names(FILE *out, const struct stack_table *t, const struct stack_table *mapped,
		       const struct heap_names *names)
{
	static const struct stack_table nothing;
	const struct stack_table *other = mapped ? mapped : &nothing;
	struct listed_address *list = malloc((t->n_elements + other->n_elements + 1) *
					     sizeof *list);
	int err = 0;

	if (!list)
		return -ENOMEM;
	size_t n = list_addresses(t, list);
	n += list_addresses(other, list + n);
	qsort(list, n, sizeof *list, by_address);
	fputs("--- symbol\nbinary=", out);
	heap_write_path(out, names->binary);
	fputc('\n', out);
	for (size_t i = 0; !err && i < n; i++) {
		struct name_list l = { out, 0 };

		if (i && list[i].address == list[i - 1].address)
			continue;
		fprintf(out, "0x%08" PRIx64, list[i].address);
		err = names->of(names->ctx, list[i].address, list[i].first, write_name, &l);
		fputc('\n', out);
	}
	fputs("---\n", out);
	free(list);
	return err;
}

/* ---- all of it ---- */

static void write_map(FILE *out, const char *map)
{
	while (*map)
		if (*map == '\n')
			fputc(*map++, out);
		else
			map = put_path_piece(out, map);
}

int heap_write(FILE *out, const struct stack_table *stacks, const struct stack_table *mapped,
	       const char *map, const struct heap_names *names)
{
	int err = names ? write_names(out, stacks, mapped, names) : 0;

	if (err)
		return err;
	write_stacks(out, stacks, mapped);
	fputs("\nMAPPED_LIBRARIES:\n", out);
	if (map)
		write_map(out, map);
	return 0;
}
