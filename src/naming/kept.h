/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_KEPT_H
#define MPROF_NAMING_KEPT_H

#include "base/say.h"
#include "naming/resolve.h"

/*
 * A confined process that names places, and is kept, for who asks for a few of them very often: it
 * need not open the program's libraries each time. While it is not asked it is stopped.
 */
struct resolve_kept;

/* What it needs; what this points to must outlive it. */
struct resolve_kept_host {
	struct symbols_search search;
	say_fn *say;	/* told what is left out */
	/* Called several times a second while an answer is awaited; may be NULL. */
	void (*waits)(void *ctx);
	void *ctx;
};

/* Does this kernel have what it takes (Linux 5.4)? */
bool resolve_kept_possible(void);

/* No process is begun yet. NULL: out of memory. */
struct resolve_kept *resolve_kept_new(const struct resolve_kept_host *host);
void resolve_kept_free(struct resolve_kept *k);

/**
 * As resolve_profile_apart() for places_profile(), without types, trimming, and generated code. A
 * fork of the process that made @k begins one of its own.
 * @files       they begin with those of the question before, and must outlive @k
 * @leaf_nodes  as in struct resolve_how, one for each place
 * @left_out    as in struct resolve_how
 * Returns 0 or -ENOMEM.
 */
int resolve_kept_ask(struct resolve_kept *k, const struct profile *places,
		     const struct resolve_module *files, size_t n_files, uint32_t *leaf_nodes,
		     bool *left_out, struct profile_data **out);

#endif
