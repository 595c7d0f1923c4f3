/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_JSON_H
#define MPROF_REPORT_JSON_H

#include "profile/profile_data.h"
#include "report/json_out.h"
#include "report/report.h"
#include "report/typed_sizes.h"

/* The names of the types whose size is one of @owner's, by size. NULL: out of memory. */
json_t *json_types(const struct profile_data *d, const struct typed_sizes *sizes, uint32_t owner);

/* The names of the types of exactly that size. NULL: out of memory. */
json_t *json_size_types(const struct profile_data *d, uint64_t size);

/* Blocks from before, what led to blocks at the end, and what resident memory was used for. NULL:
 * out of memory. */
json_t *json_before(const struct profile_data *d);
json_t *json_reach(const struct profile_data *d);
json_t *json_rss(const struct profile_data *d);

/* What the runtime keeps (profile/runtime.h), by kind; kinds without blocks are left out. NULL: out
 * of memory. */
json_t *json_runtime(const struct profile_data *d);

/* Members of report_json() that have a file of their own. @rank: from names_ranks(). */
void json_origin(struct json_out *o, const struct profile_data *d);
void json_view(struct json_out *o, const struct profile_data *d, const struct report_options *r);
void json_leaks(struct json_out *o, const struct profile_data *d, const uint32_t *rank,
		const struct report_options *options);
void json_graph(struct json_out *o, const struct profile_data *d, const uint32_t *rank);
void json_lifetimes(struct json_out *o, const struct profile_data *d,
		    const char *const *own_code);
void json_timeline(struct json_out *o, const struct profile_data *d);
void json_growing(struct json_out *o, const struct profile_data *d, const char *const *own_code);

#endif
