/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/heap.h"

#include "base/printable.h"
#include "base/stream.h"
#include "base/text.h"
#include "report/percent.h"
#include "report/row.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- the first lines ---- */

void report_look(const struct look_facts *f, const char *between, FILE *out)
{
	char name[4 * 128];
	double ms = (double)f->pause_ns / 1e6;

	printable(name, sizeof name, f->name);
	fprintf(out, "mprof: process %d (%s): %sstopped ", (int)f->pid, name, between);
	if (f->looks > 1)
		fprintf(out, "%u times, for %.1f ms in all", f->looks, ms);
	else
		fprintf(out, "for %.1f ms", ms);
}

void report_failed_checks(const struct heap_walk *w, FILE *out)
{
	const char *between = "";

	for (int i = 0; i < N_HEAP_CHECKS; i++) {
		const struct heap_check *c = &w->checks[i];

		if (!c->failures)
			continue;
		fprintf(out, "%s%s: %s", between, heap_check_names[i], c->first);
		if (c->failures > 1)
			fprintf(out, " (and %u more)", c->failures - 1);
		between = "; ";
	}
}

void report_checks(const struct heap_walk *w, FILE *out)
{
	if (heap_walk_is_doubtful(w)) {
		fprintf(out, "\ndoubtful: ");
		report_failed_checks(w, out);
	} else {
		fprintf(out, "; checks: all hold");
	}
	fprintf(out, "\n");
	for (int i = 0; i < N_HEAP_CHECKS; i++)
		if (!w->checks[i].done && *w->checks[i].first)
			fprintf(out, "not checked: %s: %s\n", heap_check_names[i],
				w->checks[i].first);
}

static void print_head(const struct heap_report *r, FILE *out)
{
	const struct heap_walk *w = r->walk;
	char between[160];

	snprintf(between, sizeof between, "%s%s%s, %zu arena%s; ", r->allocator,
		 *r->version ? " " : "", r->version, w->n_arenas, text_plural(w->n_arenas));
	report_look(&r->facts, between, out);
	report_checks(w, out);
}

static void print_sums(const struct heap_walk *w, FILE *out)
{
	struct heap_sum live = heap_walk_live(w);

	const uint64_t binned = heap_walk_sum(w, HEAP_BINNED).n + heap_walk_sum(w, HEAP_FREE).n;

	fprintf(out,
		"%" PRIu64 " block%s of %" PRIu64 " bytes usable; free: %" PRIu64
		" in thread caches, ",
		live.n, text_plural(live.n), live.bytes, heap_walk_sum(w, HEAP_CACHED).n);
	if (w->allocator == HEAP_JEMALLOC)
		fprintf(out, "%" PRIu64 " in slabs\n", binned);
	else
		fprintf(out, "%" PRIu64 " in fastbins, %" PRIu64 " in bins\n",
			heap_walk_sum(w, HEAP_FAST).n, binned);
}

/* ---- sizes ---- */

enum { SMALL_MAX = 1024, USABLE = 11, BLOCKS = 21, BYTES = 34 };

static void print_columns(struct row *row, const char *label, struct heap_sum s,
			  struct heap_sum all)
{
	char percent[PERCENT_BRACKETS];

	percent_brackets(percent, s.bytes, all.bytes);
	row_right(row, 1, USABLE, label);
	row_number(row, USABLE + 1, BLOCKS, s.n);
	row_number(row, BLOCKS + 1, BYTES, s.bytes);
	row_append(row, *percent ? " " : "");
	row_append(row, percent);
}

/* The headings that sizes and classes have in common. */
static void print_heads(struct row *row, const char *label)
{
	row_right(row, 1, USABLE, label);
	row_right(row, USABLE + 1, BLOCKS, "blocks");
	row_right(row, BLOCKS + 1, BYTES, "bytes");
	row_append(row, " (%)");
}

static void print_row(struct row *row, const char *label, struct heap_sum s, struct heap_sum all)
{
	print_columns(row, label, s, all);
	row_end(row);
}

static bool is_small_part(struct heap_sum s, struct heap_sum all)
{
	return percent_floor(s.bytes, all.bytes) < 1 && percent_floor(s.n, all.n) < 1;
}

/* 0 or -ENOMEM. */
static int print_bins(const struct heap_report *r, const struct heap_bin *v, size_t n, FILE *out)
{
	struct heap_sum all = heap_walk_live(r->walk), large = {0}, others = {0};
	struct row row;
	size_t n_others = 0;
	char label[64];

	row_init(&row, out);
	print_heads(&row, "usable:");
	row_end(&row);
	for (size_t i = 0; i < n; i++) {
		struct heap_sum s = {v[i].n, v[i].n * v[i].usable};
		bool is_large = v[i].usable > SMALL_MAX;
		struct heap_sum *to = is_large ? &large : &others;

		if (r->all_sizes || (!is_large && !is_small_part(s, all))) {
			snprintf(label, sizeof label, "%" PRIu64, v[i].usable);
			print_row(&row, label, s, all);
			continue;
		}
		n_others += !is_large;
		heap_sum_add(to, s);
	}
	snprintf(label, sizeof label, "%zu others", n_others);
	if (others.n)
		print_row(&row, label, others, all);
	snprintf(label, sizeof label, "> %d", SMALL_MAX);
	if (large.n)
		print_row(&row, label, large, all);
	return row_release(&row);
}

/* ---- classes ---- */

enum { CLASSES_SHOWN = 40, CLASS = BYTES + 9 };

static void print_class(struct row *row, const char *name, struct heap_sum s, struct heap_sum all)
{
	print_columns(row, "", s, all);
	row_move(row, CLASS);
	row_append_name(row, name);
	row_end(row);
}

/* 0 or -ENOMEM. */
static int print_classes(const struct heap_report *r, FILE *out)
{
	const struct heap_class_rows *c = r->classes;
	struct heap_sum all = heap_walk_live(r->walk), others = {0};
	size_t shown = r->all_sizes || c->n <= CLASSES_SHOWN ? c->n : CLASSES_SHOWN;
	struct row row;
	char name[64];

	row_init(&row, out);
	print_heads(&row, "classes:");
	row_move(&row, CLASS);
	row_append(&row, "name");
	row_end(&row);
	for (size_t i = 0; i < c->n; i++) {
		if (i < shown) {
			print_class(&row, c->v[i].name, c->v[i].sum, all);
			continue;
		}
		heap_sum_add(&others, c->v[i].sum);
	}
	snprintf(name, sizeof name, "%zu others", c->n - shown);
	if (others.n)
		print_class(&row, name, others, all);
	return row_release(&row);
}

static void print_class_notes(const struct heap_class_rows *c, FILE *out)
{
	if (c->unread)
		fprintf(out,
			"classes of %" PRIu64
			" blocks could not be read: the process has ended, or what they point at "
			"is no longer mapped\n",
			c->unread);
	if (c->too_many)
		fprintf(out,
			"there are more classes, which are left out: their names take too much "
			"memory\n");
}

int report_heap(const struct heap_report *r, FILE *out)
{
	size_t n;
	int err;
	struct heap_bin *bins = heap_walk_bins(r->walk, &n, &err);

	if (err)
		return err;
	print_head(r, out);
	print_sums(r->walk, out);
	if (n) {
		fprintf(out, "\n");
		err = print_bins(r, bins, n, out);
	}
	if (!err && r->classes->n) {
		fprintf(out, "\n");
		err = print_classes(r, out);
	}
	print_class_notes(r->classes, out);
	free(bins);
	if (err)
		return err;
	return stream_flush(out);
}
