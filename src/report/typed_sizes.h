/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_TYPED_SIZES_H
#define MPROF_REPORT_TYPED_SIZES_H

#include "profile/profile_data.h"

/* A size somebody asked for of which there is a type. */
struct typed_size {
	uint32_t owner;		/* the caller's number for who asked */
	uint64_t size;
};

/* Which sizes, by who asked. A zeroed struct is empty; free(v) releases it. */
struct typed_sizes {
	struct typed_size *v;
	size_t n, cap;
};

/* Note a size; one that no type has is passed over. 0 or -ENOMEM. */
int typed_sizes_add(struct typed_sizes *t, const struct profile_data *d, uint32_t owner,
		    uint64_t size);

/* Sort, each pair once. When all are there. */
void typed_sizes_finish(struct typed_sizes *t);

/* The first one of @owner, or where it would be: an index, up to n. */
size_t typed_sizes_first(const struct typed_sizes *t, uint32_t owner);

#endif
