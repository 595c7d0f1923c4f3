/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the resident memory of a process is: the table, and JSON of the schema mprof.rss.v1. */
#include "report/rss.h"

#include "base/jsontext.h"
#include "base/printable.h"
#include "base/stream.h"
#include "report/json_out.h"
#include "report/percent.h"
#include "report/row.h"

#include <inttypes.h>
#include <string.h>

static const char *const names[N_RSS_KINDS] = {
	[RSS_LIVE] = "heap: live blocks, usable",
	[RSS_HEADERS] = "heap: headers",
	[RSS_FREE] = "heap: free, in thread caches and bins",
	[RSS_TOP] = "heap: free, top of arenas",
	[RSS_OWN] = "heap: the allocator's own",
	[RSS_NOT_EXPLAINED] = "heap: not explained",
	[RSS_HEAP_WHOLE] = "heap: not divided",
	[RSS_STACK] = "stacks, in use",
	[RSS_BELOW_STACK] = "stacks, below the pointer",
	[RSS_CODE] = "code",
	[RSS_FILE_READ] = "files, read-only",
	[RSS_FILE_WRITTEN] = "files, written (data)",
	[RSS_BSS] = "bss",
	[RSS_FILE_SHARED] = "files, shared",
	[RSS_SHARED] = "shared memory",
	[RSS_ANON] = "anonymous mappings of the program",
	[RSS_KERNEL] = "vdso",
};

/* What free memory is called depends on the allocator. */
const char *report_rss_name(enum heap_allocator allocator, enum rss_kind kind)
{
	if (allocator == HEAP_JEMALLOC && kind == RSS_FREE)
		return "heap: free, in thread caches and slabs";
	if (allocator == HEAP_JEMALLOC && kind == RSS_TOP)
		return "heap: free, extents not in use";
	return names[kind];
}

enum rss_kind report_rss_kind(const char *name)
{
	enum rss_kind kind = 0;

	while (kind < N_RSS_KINDS && strcmp(report_rss_name(HEAP_GLIBC, kind), name) != 0 &&
	       strcmp(report_rss_name(HEAP_JEMALLOC, kind), name) != 0)
		kind++;
	return kind;
}

static const char *name_of(const struct heap_walk *w, enum rss_kind kind)
{
	return report_rss_name(w ? w->allocator : HEAP_GLIBC, kind);
}

/* ---- the table ---- */

enum { NAME = 40, BYTES = 54, PERCENT = 61 };

static void print_row(struct row *row, const char *name, const char *what, uint64_t bytes,
		      uint64_t all)
{
	char percent[PERCENT_DECIMAL];

	percent_decimal(percent, bytes, all);
	row_left(row, 1, NAME, name);
	row_number(row, NAME + 1, BYTES, bytes);
	row_right(row, BYTES + 1, PERCENT, percent);
	if (*what) {
		row_append(row, "  ");
		row_append_name(row, what);
	}
	row_end(row);
}

static void print_total(const struct rss_report *r, struct row *row)
{
	char pss[128];

	row_left(row, 1, NAME, "Rss");
	row_number(row, NAME + 1, BYTES, r->rss->total);
	snprintf(pss, sizeof pss, "        Pss %" PRIu64, r->rollup_pss);
	row_append(row, pss);
	if (r->rollup_pss > r->rss->pss) {
		snprintf(pss, sizeof pss, " (%" PRIu64 " rounded away by the kernel)",
			 r->rollup_pss - r->rss->pss);
		row_append(row, pss);
	}
	row_end(row);
}

static uint64_t sum_of(const struct rss *rss, enum rss_kind from, enum rss_kind to)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rss->n; i++)
		if (rss->rows[i].kind >= from && rss->rows[i].kind <= to)
			sum += rss->rows[i].rss;
	return sum;
}

/* ---- below it ---- */

static void print_beside(const struct rss_report *r, FILE *out)
{
	enum { KERNEL_STACK = 16384 };
	int64_t differs = (int64_t)(r->status_rss - r->rss->total);

	fprintf(out,
		"beside it: page tables %" PRIu64 ", swap %" PRIu64 ", huge pages %" PRIu64
		", kernel stacks about %" PRIu64 "\n",
		r->page_tables, r->rss->swap, r->rss->hugetlb, r->threads * KERNEL_STACK);
	if (differs)
		fprintf(out,
			"VmRSS in status differs by %+" PRId64 ": the kernel sums it up "
			"lazily\n",
			differs);
	if (r->rss->zeros_within)
		fprintf(out,
			"%" PRIu64 " bytes of zero pages within the heap are not in Rss; "
			"this kernel does not tell which\n",
			r->rss->zeros_within);
}

static void print_fragmentation(const struct rss_report *r, FILE *out)
{
	uint64_t heap = sum_of(r->rss, RSS_LIVE, RSS_NOT_EXPLAINED);
	uint64_t free = sum_of(r->rss, RSS_FREE, RSS_TOP);
	char percent[PERCENT_DECIMAL];

	if (!r->walk || !heap)
		return;
	percent_decimal(percent, free, heap);
	fprintf(out,
		"of the heap's resident bytes %s%% are free; %" PRIu64
		" pages are kept by less than a tenth of them\n",
		percent, r->rss->sparse_pages);
}

int report_rss(const struct rss_report *r, FILE *out)
{
	struct row row;

	report_look(&r->facts, "", out);
	fprintf(out, "\n");
	if (r->walk && heap_walk_is_doubtful(r->walk)) {
		fprintf(out, "doubtful: ");
		report_failed_checks(r->walk, out);
		fprintf(out, "\n");
	}
	row_init(&row, out);
	row_right(&row, NAME + 1, BYTES, "bytes");
	row_right(&row, BYTES + 1, PERCENT, "%");
	row_end(&row);
	for (size_t i = 0; i < r->rss->n; i++)
		print_row(&row, name_of(r->walk, r->rss->rows[i].kind), r->rss->rows[i].name,
			  r->rss->rows[i].rss, r->rss->total);
	print_total(r, &row);
	int err = row_release(&row);
	print_beside(r, out);
	print_fragmentation(r, out);
	return err ? err : stream_flush(out);
}

/* ---- JSON ---- */

static void rows(struct json_out *o, const struct rss *rss, const struct heap_walk *w)
{
	json_out_begin_rows(o, "rows");
	for (size_t i = 0; i < rss->n; i++) {
		const struct rss_row *row = &rss->rows[i];
		json_t *of = *row->name ? json_text(row->name) : json_null();

		json_out_row(o, json_pack("{ss so so so}", "name", name_of(w, row->kind), "of", of,
					  "rss", json_out_num(row->rss), "pss",
					  json_out_num(row->pss)));
	}
	json_out_end_rows(o);
}

static void number(struct json_out *o, const char *key, uint64_t n)
{
	json_out_member(o, key, json_out_num(n));
}

int report_rss_json(const struct rss_report *r, FILE *out)
{
	struct json_out o = {.out = out};

	json_out_raw(&o, "{");
	json_out_member(&o, "schema", json_string("mprof.rss.v1"));
	json_out_member(&o, "pid", json_integer(r->facts.pid));
	json_out_member(&o, "pause_ms", json_real((double)r->facts.pause_ns / 1e6));
	json_out_member(&o, "looks", json_integer(r->facts.looks));
	json_out_member(&o, "doubtful",
			r->walk ? json_boolean(heap_walk_is_doubtful(r->walk)) : json_null());
	rows(&o, r->rss, r->walk);
	number(&o, "rss", r->rss->total);
	number(&o, "pss", r->rss->pss);
	number(&o, "rollup_rss", r->rollup_rss);
	number(&o, "rollup_pss", r->rollup_pss);
	number(&o, "status_rss", r->status_rss);
	number(&o, "page_tables", r->page_tables);
	number(&o, "swap", r->rss->swap);
	number(&o, "hugetlb", r->rss->hugetlb);
	number(&o, "zero_pages", r->rss->zeros_within);
	number(&o, "sparse_pages", r->rss->sparse_pages);
	json_out_raw(&o, "}\n");
	if (!o.err)
		o.err = stream_flush(out);
	return o.err;
}
