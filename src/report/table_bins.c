/* SPDX-License-Identifier: BSD-2-Clause */
/* Table 1: allocation bins with possible types. */
#include "base/search.h"
#include "report/bins.h"
#include "report/percent.h"
#include "report/tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TYPES_COLUMN 65
#define TYPE_WIDTH 12
#define TYPES_A_LINE 3
#define TYPES_WIDEST 160 /* columns after which a line ends, even with fewer than three types */
#define TYPES_MOST 12 /* of a size, unless all are asked for: four lines */

static const char title[] = "--------- Allocation Bins with possible Types ------------";
static const char title_at_peak[] =
	"--------- Bins of what was live at the Peak, with possible Types ------------";

static const char heading[] =
	"      size:    allocs     bytes (%)      frees      kept (%)     types\n"
	"\n";

static const char heading_at_peak[] =
	"      size:    blocks     bytes (%)      frees      live (%)     types\n"
	"\n";

/* The numbers of a row, without its end: names of types may follow. */
static void print_numbers(struct row *r, const char *size, const struct bin *b,
			  const struct bin *total)
{
	char bytes[PERCENT_BRACKETS], kept[PERCENT_BRACKETS];

	percent_brackets(bytes, b->bytes, total->bytes);
	percent_brackets(kept, b->kept, total->kept);
	row_right(r, 1, 11, size);
	row_number(r, 12, 21, b->allocs);
	row_number(r, 22, 31, b->bytes);
	if (b != total)
		row_left(r, 33, 36, bytes);
	row_number(r, 37, 46, b->frees);
	row_number(r, 47, 56, b->kept);
	if (b != total)
		row_left(r, 58, 61, kept);
}

/* Is there room for one more name on the line? */
static bool has_room(const struct row *r, const char *name)
{
	if (r->columns)
		return r->width + 1 + strlen(name) <= r->columns;
	return r->width <= TYPES_WIDEST;
}

/* *@place: the place on the line, from 0; set to that of the next name. */
static void print_type(struct row *r, size_t *place, const char *name)
{
	if (*place == TYPES_A_LINE || (*place && !has_room(r, name))) {
		row_end(r);
		*place = 0;
	}
	size_t first = TYPES_COLUMN + *place * (TYPE_WIDTH + 1);

	row_left_name(r, first, first + TYPE_WIDTH - 1, name);
	++*place;
}

/* The names, three to a line; further lines begin in the same column. @more names are not shown. */
static void print_types(struct row *r, const struct pd_type *const *types, size_t n, size_t more)
{
	size_t place = 0;
	char text[48];

	for (size_t i = 0; i < n; i++)
		print_type(r, &place, types[i]->name);
	snprintf(text, sizeof text, "and %zu more", more);
	if (more)
		print_type(r, &place, text);
	row_end(r);
}

static bool is_requested(const struct bins *b, uint64_t size)
{
	size_t i = SEARCH_FIRST(b->n, i, b->items[i].size >= size);

	return i < b->n && b->items[i].size == size;
}

/* Moves the types that are shown to the front, in their order. If there are too many, types of
 * requested sizes are preferred. Returns how many are shown. */
static size_t choose_types(const struct bins *b, const struct pd_type **types, size_t n,
			   enum report_level level)
{
	size_t asked = 0, others, kept = 0;

	if (level == REPORT_VERBOSE || n <= TYPES_MOST)
		return n;
	for (size_t i = 0; i < n && asked < TYPES_MOST; i++)
		asked += is_requested(b, types[i]->size);
	others = TYPES_MOST - asked;
	for (size_t i = 0; i < n; i++) {
		size_t *quota = is_requested(b, types[i]->size) ? &asked : &others;

		if (!*quota)
			continue;
		--*quota;
		types[kept++] = types[i];
	}
	return kept;
}

static void print_chosen_types(struct row *r, const struct bins *b, const struct pd_type **types,
			       size_t n, enum report_level level)
{
	size_t shown = choose_types(b, types, n, level);

	print_types(r, types, shown, n - shown);
}

static void print_bin(struct row *r, const struct bins *b, const struct bin *bin,
		      const struct pd_type **types, size_t n_types, enum report_level level)
{
	char size[24];

	snprintf(size, sizeof size, "%" PRIu64, bin->size);
	print_numbers(r, size, bin, &b->total);
	print_chosen_types(r, b, types, n_types, level);
}

/* By rank, then in the order of the profile: by size, then by name. */
static int by_rank(const void *left, const void *right)
{
	const struct pd_type *a = *(const struct pd_type *const *)left;
	const struct pd_type *b = *(const struct pd_type *const *)right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void print_rows(struct row *r, const struct profile_data *d, const struct bins *b,
		       const struct pd_type **types, enum report_level level)
{
	size_t large = bins_first_type(d, BINS_LARGEST + 1);
	struct bin above = { 0 }, other = { 0 };

	for (size_t i = 0; i < b->n; i++) {
		const struct bin *bin = &b->items[i];

		if (bin->size > BINS_LARGEST) {
			bins_add(&above, bin);
			continue;
		}
		size_t first = bins_first_type(d, bin->size);
		size_t n = bins_first_type(d, bin->size + 1) - first;

		if (bins_printed(b, bin, n > 0, level))
			print_bin(r, b, bin, types + first, n, level);
		else
			bins_add(&other, bin);
	}
	print_numbers(r, "> 1024", &above, &b->total);
	if (d->n_types > large)
		qsort(types + large, d->n_types - large, sizeof *types, by_rank);
	print_chosen_types(r, b, types + large, d->n_types - large, level);
	row_end(r);
	if (other.allocs) {
		print_numbers(r, "other bins", &other, &b->total);
		row_end(r);
	}
	print_numbers(r, "<TOTAL>", &b->total, &b->total);
	row_end(r);
}

int tables_bins(struct row *r, const struct profile_data *d, const struct report_options *o)
{
	const struct pd_type **types = malloc((d->n_types + 1) * sizeof *types);
	struct bins b;

	if (!types)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_types; i++)
		types[i] = &d->types[i];
	int err = bins_collect(d, &b);

	if (!err) {
		row_title(r, o->at_peak ? title_at_peak : title);
	row_lines(r, o->at_peak ? heading_at_peak : heading);
		print_rows(r, d, &b, types, o->level);
		row_lines(r, "\f\n\n");
		bins_release(&b);
	}
	free(types);
	return err;
}
