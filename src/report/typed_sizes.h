/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_TYPED_SIZES_H
#define MPROF_REPORT_TYPED_SIZES_H

#include "profile/profile_data.h"

/* A requested size that some type has. */
struct typed_size {
	uint32_t owner;		/* the caller's number for the place that requested it */
	uint64_t size;
};

/* Such sizes, by owner. A zeroed struct is empty; free(v) releases it. */
struct typed_sizes {
	struct typed_size *v;
	size_t n, cap;
};

/* Note a size; one that no type has is ignored. 0 or -ENOMEM. */
int typed_sizes_add(struct typed_sizes *t, const struct profile_data *d, uint32_t owner,
		    uint64_t size);

/* Sort, and join duplicates. To be called when all have been added. */
void typed_sizes_finish(struct typed_sizes *t);

/* The index of the first one of @owner, or of the next owner; at most n. */
size_t typed_sizes_first(const struct typed_sizes *t, uint32_t owner);

#endif
