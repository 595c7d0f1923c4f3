/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_NAMES_H
#define MPROF_MASSIF_NAMES_H

#include "massif/filter.h"
#include "naming/namer.h"

/*
 * The elements of a profile's call chains as entries with names; each entry is made when it is
 * first needed.
 */
struct massif_names {
	const struct profile *profile;
	struct namer *namer;
	struct massif_entry *entries;	/* entry 0 is "0x0: ???", for an empty chain */
	size_t n, cap;
	struct massif_run {
		uint32_t first, n;	/* entries of a place, innermost first; n 0: not made yet */
	} *runs;
	size_t n_runs;
	uint32_t *ids;			/* the chain last returned */
	size_t n_ids, cap_ids;
};

/* @p and @namer must outlive the names. 0 or -ENOMEM. */
int massif_names_init(struct massif_names *m, const struct profile *p, struct namer *namer);
void massif_names_release(struct massif_names *m);

/* Look up the places of all chains that end at @nodes; must be called before massif_names_chain()
 * for those. 0 or -ENOMEM. */
int massif_names_ask(struct massif_names *m, const struct namer_asks *how, const uint32_t *nodes,
		     size_t n);

/**
 * The chain that ends at call-tree node @node, innermost first, as indices into m->entries; only
 * the inner part that is needed.
 * @f, @enough  decide how much that is
 * @ids, @n     valid until the next call
 * Returns 0 or -ENOMEM.
 */
int massif_names_chain(struct massif_names *m, uint32_t node, const struct massif_filter *f,
		       massif_enough *enough, const uint32_t **ids, size_t *n);

/* The data of an entry's text. */
struct massif_place {
	uint64_t address;	/* of the call instruction: the return address less one */
	const char *name;	/* NULL: none */
	const char *file;	/* source file; NULL: not known */
	uint32_t line;
	const char *object;	/* path of the module; NULL: none */
};

/* The text of an entry, escaped for a terminal; for free(). NULL: out of memory. */
char *massif_entry_text(const struct massif_place *p);

#endif
