/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_LEAKS_H
#define MPROF_REPORT_LEAKS_H

#include "profile/profile_data.h"
#include "report/report.h"
#include "report/typed_sizes.h"

#include <stdbool.h>

/* A path is at most the innermost five functions of a chain. */
#define LEAKS_DEPTH 5

struct leak {
	uint64_t allocs, bytes;		/* requests on this path and the bytes they asked for */
	uint64_t frees, freed;		/* of these, and the bytes freed */
	uint32_t site[LEAKS_DEPTH];	/* from the outside in; PD_NONE: the chain was empty, "?" */
	uint32_t n;			/* 1 to LEAKS_DEPTH */
	bool whole;			/* the path is the whole chain */
	uint32_t id;			/* the owner in sizes */
};

/* Paths with more requests than frees: the rows of table 2 in their order, the sums of all. */
struct leaks {
	struct leak *items;
	size_t n;		/* rows */
	size_t n_all;		/* leaking paths, rows or not */
	uint64_t bytes, frees, freed, kept;
	struct typed_sizes sizes;	/* of what was kept */
};

/* Which paths through the same functions are different ones. */
enum leaks_key {
	LEAKS_BY_FUNCTION,	/* none: site[] is that of any one of them */
	LEAKS_BY_SITE,		/* those with different call sites */
	LEAKS_BY_LINE,		/* those with call sites in different lines of the source */
};

static inline enum leaks_key leaks_key_of(const struct report_options *o)
{
	if (o->leaks == REPORT_LEAKS_OFFSETS)
		return LEAKS_BY_SITE;
	return o->lines ? LEAKS_BY_LINE : LEAKS_BY_FUNCTION;
}

/**
 * @rank     from names_ranks()
 * @level    which paths are rows
 * Returns 0 or -ENOMEM.
 */
int leaks_collect(const struct profile_data *d, const uint32_t *rank, enum leaks_key key,
		  enum report_level level, struct leaks *l);
void leaks_release(struct leaks *l);

#endif
