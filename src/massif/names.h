/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_NAMES_H
#define MPROF_MASSIF_NAMES_H

#include "massif/filter.h"
#include "naming/namer.h"

/*
 * The elements of a profile's call chains as entries with names, each made when it is first asked
 * for.
 */
struct massif_names {
	const struct profile *profile;
	struct namer *namer;
	struct massif_entry *entries;	/* 0: "0x0: ???", for a chain without elements */
	size_t n, cap;
	struct massif_run {
		uint32_t first, n;	/* entries of a place, innermost first; n 0: not asked for
					   yet */
	} *runs;
	size_t n_runs;
	uint32_t *ids;			/* the last chain */
	size_t n_ids, cap_ids;
};

/* What is pointed to outlives the names. 0 or -ENOMEM. */
int massif_names_init(struct massif_names *m, const struct profile *p, struct namer *namer);
void massif_names_release(struct massif_names *m);

/* Have the places of all chains that end at @nodes looked up. To be called before
 * massif_names_chain() of those. 0 or -ENOMEM. */
int massif_names_ask(struct massif_names *m, const struct namer_asks *how, const uint32_t *nodes,
		     size_t n);

/**
 * The chain that ends at call-tree node @node, innermost first, as numbers in m->entries; only as
 * far out as is needed.
 * @f, @enough  tell how far that is
 * @ids, @n     good until the next call. Returns 0 or -ENOMEM.
 */
int massif_names_chain(struct massif_names *m, uint32_t node, const struct massif_filter *f,
		       massif_enough *enough, const uint32_t **ids, size_t *n);

/* What an entry is made of. */
struct massif_place {
	uint64_t address;	/* of the call: one less than the address it returns to */
	const char *name;	/* NULL: none */
	const char *file;	/* source file; NULL: not known */
	uint32_t line;
	const char *object;	/* path; NULL: in none */
};

/* The text of an entry, harmless for a terminal; the caller's to free(). NULL: out of memory. */
char *massif_entry_text(const struct massif_place *p);

#endif
