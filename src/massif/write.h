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

/* The first lines of a file. */
struct massif_heading {
	const char *desc;	/* the options as given; NULL or "": none */
	char *const *command;	/* argv of the program, NULL-terminated; NULL: not known */
	enum massif_unit unit;
};

/* How to print trees: the node of each context in the tree of all. */
struct massif_forest {
	struct massif_tree tree;
	uint32_t *node_of;	/* by number of the context; IDINDEX_NONE: ignored */
	size_t n;
	double threshold;
	bool pages;		/* page-level profile: the top node has another text */
};

/* Write snapshot number @number; @forest may be NULL if it has no detail. The caller checks @out
 * for errors. 0 or -ENOMEM. */
int massif_write_snapshot(FILE *out, size_t number, const struct massif_snapshot *s,
			  const struct massif_forest *forest);

/* Write a whole file. 0 or -ENOMEM; the caller checks @out for errors. */
int massif_write(FILE *out, const struct massif_heading *h, const struct massif_snapshot *snapshots,
		 size_t n, const struct massif_forest *forest);

void massif_forest_release(struct massif_forest *f);

#endif
