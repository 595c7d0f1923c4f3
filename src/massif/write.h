/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_WRITE_H
#define MPROF_MASSIF_WRITE_H

#include "massif/settings.h"
#include "massif/tree.h"

#include <stdio.h>

/*
 * The file format of Massif, as ms_print reads it: doc/formats.md, section 1.6.
 * Source: Valgrind's ms_main.c, write_snapshots_to_file(); ms_print's read_input_file().
 */

/* What stands at the top of a file. */
struct massif_heading {
	const char *desc;	/* the options as given; NULL or "": none were */
	char *const *command;	/* argv of the program, NULL-terminated; NULL: not known */
	enum massif_unit unit;
};

/* How trees are printed: where each context ends in the tree of all of them. */
struct massif_forest {
	struct massif_tree tree;
	uint32_t *node_of;	/* by number of the context; IDINDEX_NONE: it is ignored */
	size_t n;
	double threshold;
	bool pages;		/* only the top entry's text differs */
};

/* Snapshot number @number; @forest may be NULL if it has no detail. Errors of @out are to be looked
 * for by the caller. 0 or -ENOMEM. */
int massif_write_snapshot(FILE *out, size_t number, const struct massif_snapshot *s,
			  const struct massif_forest *forest);

/* A whole file. 0 or -ENOMEM. */
int massif_write(FILE *out, const struct massif_heading *h, const struct massif_snapshot *snapshots,
		 size_t n, const struct massif_forest *forest);

void massif_forest_release(struct massif_forest *f);

#endif
