/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_APART_INTERNAL_H
#define MPROF_NAMING_APART_INTERNAL_H

/* Shared by apart.c, and kept.c for a process that is kept. */

#include "naming/apart.h"
#include "naming/reading.h"

/* The profiles to name by the functions of resolve.h. */
struct naming {
	struct reading reading;
	const struct resolve_how *how;	/* except for where names come from */
	const struct resolve_one *all;	/* NULL: one profile is named again, ... */
	const struct profile_data *old;	/* ... this one */
	bool leaves_told;		/* how->leaf_nodes has been received */
	resolve_named *named;
	void *ctx;
};

/* Operations of a reading whose ctx is a struct naming, see struct reading_ops. */
int naming_work(struct reading *r, size_t which, struct namer *namer, int out);
int naming_take(struct reading *r, size_t which, int fd);
int naming_told(struct reading *r, size_t which, const char *bytes, size_t size);
void naming_without_files(struct reading *r, size_t which);

/* A resolve_named() for one profile: *@ctx is set to it. */
void naming_take_only(void *ctx, size_t which, struct profile_data *d);

#endif
