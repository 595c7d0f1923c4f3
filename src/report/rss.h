/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_RSS_H
#define MPROF_REPORT_RSS_H

#include "heapwalk/rss.h"
#include "profile/profile_data.h"
#include "report/heap.h"

/* What the resident memory of a process is used for. */
struct rss_report {
	struct look_facts facts;
	const struct rss *rss;
	const struct heap_walk *walk;	 /* NULL: its allocator is not known */
	uint64_t rollup_rss, rollup_pss; /* the kernel's sums over all mappings, smaps_rollup */
	uint64_t status_rss, page_tables;
	uint64_t threads;
};

/* As text, and as JSON, schema mprof.rss.v1. 0 or -errno. */
int report_rss(const struct rss_report *r, FILE *out);
int report_rss_json(const struct rss_report *r, FILE *out);

/* The name of a row; and the kind of a row of that name, N_RSS_KINDS if there is none. */
const char *report_rss_name(enum heap_allocator allocator, enum rss_kind kind);
enum rss_kind report_rss_kind(const char *name);

/* The rows of a profile's resident memory as one line, which adds up. False: it has none. */
bool report_rss_line(const struct profile_data *d, FILE *out);

#endif
