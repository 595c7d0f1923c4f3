/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_LEAKS_H
#define MPROF_REPORT_LEAKS_H

#include "profile/pd_site_types.h"
#include "profile/profile_data.h"
#include "report/report.h"
#include "report/typed_sizes.h"

#include <stdbool.h>

/* The number of functions in a path, if no other is asked for. */
#define LEAKS_DEPTH 5

struct leak {
	uint64_t allocs, bytes;		/* requests on this path and the bytes they asked for */
	uint64_t frees, freed;		/* of these, and the bytes freed */
	struct pd_sum reach[PD_REACH_CLASSES];	/* of what was kept */
	struct pd_sum hanging;	/* as in struct pd_leaf */
	size_t first;			/* index in leaks.sites of its outermost site */
	uint32_t n;			/* sites; at least 1 */
	bool whole;			/* the path is the whole chain */
	uint32_t id;			/* its owner number in sizes */
};

/* A node of the call tree at which chains of a path end. */
struct leak_end {
	uint32_t path, node;	/* the path: its id */
};

/* Paths with more requests than frees: the rows of table 2 in their order, and sums of all. */
struct leaks {
	struct leak *items;
	size_t n;		/* rows */
	size_t n_all;		/* leaking paths, rows or not */
	uint64_t bytes, frees, freed, kept;
	struct typed_sizes sizes;	/* of what was kept */
	uint32_t *sites;	/* PD_NONE: an empty chain, printed as "?" */
	struct leak_end *ends;	/* sorted */
	size_t n_ends;
};

/* What makes paths through the same functions different. */
enum leaks_key {
	LEAKS_BY_FUNCTION,	/* nothing: their sites are those of any one of them */
	LEAKS_BY_SITE,		/* different call sites */
	LEAKS_BY_LINE,		/* call sites in different lines of the source */
};

/* Which paths there are, and which are rows. */
struct leaks_wanted {
	enum leaks_key key;
	enum report_level level;
	/* Functions in a path; 0: five, and as many more as are needed to reach own code. */
	uint32_t depth;
	const char *const *own_code;	/* as in own_code.h */
};

static inline enum leaks_key leaks_key_of(const struct report_options *o)
{
	if (o->leaks == REPORT_LEAKS_OFFSETS)
		return LEAKS_BY_SITE;
	return o->lines ? LEAKS_BY_LINE : LEAKS_BY_FUNCTION;
}

/* All of them, as in JSON and the page: schema mprof.report.v1 has paths of LEAKS_DEPTH functions,
 * unless another depth is asked for. */
static inline struct leaks_wanted leaks_wanted_json(const struct report_options *o)
{
	uint32_t depth = o->depth || o->own_code ? o->depth : LEAKS_DEPTH;

	return (struct leaks_wanted){ LEAKS_BY_SITE, REPORT_VERBOSE, depth, o->own_code };
}

/* @rank: from names_ranks(). 0 or -ENOMEM: then there is nothing to release. */
int leaks_collect(const struct profile_data *d, const uint32_t *rank,
		  const struct leaks_wanted *wanted, struct leaks *l);
/* The types of what is requested at all nodes at which a path ends. 0 or -ENOMEM;
 * pd_types_seen_release() must be called in any case. */
int leaks_site_types(const struct profile_data *d, const struct leaks *l, const struct leak *p,
		     struct pd_types_seen *seen);
void leaks_release(struct leaks *l);

#endif
