/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_GROWTH_H
#define MPROF_REPORT_GROWTH_H

#include "pprof/stacktable.h"
#include "profile/profile_data.h"
#include "profile/runtime.h"
#include "report/leaks.h"
#include "report/report.h"

#include <stdio.h>

/*
 * What has grown from one profile to another, in the rows of the four tables. Functions of the two
 * are the same if they have the same name in the same file or another build of it (modules_pair());
 * in files of the same build ID, functions of the same name (static ones) are told apart by their
 * addresses.
 */

/* The values in the stack tables here, instead of those of a heap profile. */
enum growth_value { GROWN_ALLOCS, GROWN_BYTES, GROWN_FREES, GROWN_FREED };

/* A function of either profile. */
struct growth_function {
	const char *name, *build_id;	/* belong to the profiles */
	uint32_t module;		/* its number among those of both; PD_NONE: none */
	uint64_t address;
};

/* A place in a calling function. In two builds, or two source trees, it is identified by what stays
 * the same: the last part of the file's name. Where places are not told apart, by the function
 * alone. */
struct growth_site {
	uint64_t function;
	const char *file;	/* the last part of its name; NULL: not known, or not asked for */
	uint32_t line;
	uint64_t offset;
	bool own; /* by own_code_holders(), in the profile where it was found first */
};

struct growth {
	enum leaks_key key;	/* what tells paths apart */
	bool no_graph;		/* @all and @arcs stay empty: they are not needed */
	struct growth_site *sites;
	size_t n_sites, cap_sites;
	struct idindex site_index;
	struct growth_function *functions;
	size_t n_functions, cap_functions;
	struct idindex function_index;
	/* By the numbers that functions have in their own profile: the numbers here. */
	uint64_t *of_now, *of_base;
	/* Elements: the exact size. */
	struct stack_table sizes;
	/* Elements: is the path whole (else it had more callers), then the innermost five sites,
	 * and as many more as are needed to reach own code, innermost first. */
	struct stack_table paths;
	/* Elements of direct: the function that called the allocator; of all: a function, for
	 * itself and all it called; of arcs: caller and callee. Each counts once for a request. */
	struct stack_table direct, all, arcs;
	/* The part of @paths that the runtime keeps on purpose, with the same elements; and the
	 * bytes kept of each kind. */
	struct stack_table runtime;
	int64_t runtime_kept[RUNTIME_KINDS];
	int64_t total[HEAP_VALUES];
};

void growth_release(struct growth *g);

/* 0, -ENOMEM, or -EOVERFLOW: a sum is too large. growth_release() must be called in any case. */
int growth_find(struct growth *g, enum leaks_key key, const struct profile_data *now,
		const struct profile_data *base);

/* The values in both profiles, now and in the base. Sites, functions and rows have the same numbers
 * in both and in growth_find(), whose values are the differences. */
struct growth_sides {
	struct growth now, base;
};

/* Returns as growth_find(); growth_sides_release() must be called in any case. */
int growth_sides_find(struct growth_sides *s, enum leaks_key key, const struct profile_data *now,
		      const struct profile_data *base);
void growth_sides_release(struct growth_sides *s);

/* Bytes that are kept. */
static inline int64_t growth_kept(const int64_t value[HEAP_VALUES])
{
	return value[GROWN_BYTES] - value[GROWN_FREED];
}

/* Is nothing changed? Then it is no row. */
static inline bool growth_is_nothing(const int64_t value[HEAP_VALUES])
{
	return !value[GROWN_ALLOCS] && !value[GROWN_BYTES] && !value[GROWN_FREES] &&
	       !value[GROWN_FREED];
}

/* The profile that has the types of a size: the newer one, if it has any. */
const struct profile_data *growth_typed(const struct profile_data *now,
					const struct profile_data *base, uint64_t size);

/* The four tables of what has grown, all rows unless they are to be terse. A decrease is negative
 * and marked. 0 or -errno. */
int report_growth(const struct profile_data *now, const struct profile_data *base,
		  const struct report_options *o, FILE *out);

/* What has changed, with both values of each row, as one JSON object, schema mprof.growth.v1
 * (doc/page.md): sizes, paths, and functions that request. 0, -ENOMEM, or -errno when @out could
 * not be written. */
int report_growth_json(const struct growth_sides *s, const struct profile_data *now,
		       const struct profile_data *base, FILE *out);

#endif
