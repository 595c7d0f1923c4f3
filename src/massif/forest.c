/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/forest.h"

#include <errno.h>
#include <stdlib.h>

static int place_context(struct massif_forest *f, const struct massif_settings *s,
			 struct massif_names *names, const struct massif_context *c, uint32_t *node)
{
	const uint32_t *ids;
	size_t n;

	*node = IDINDEX_NONE;
	if (c->ignored)
		return 0;
	int err = massif_names_chain(names, c->node, &s->filter, massif_filter_complete, &ids, &n);
	if (err || !massif_filter(&s->filter, names->entries, &ids, &n))
		return err;
	*node = massif_tree_add(&f->tree, ids, n);
	return *node == IDINDEX_NONE ? -ENOMEM : 0;
}

int massif_forest_init(struct massif_forest *f, struct massif_recorder *r,
		       const struct massif_settings *s)
{
	struct massif_names *names = massif_recorder_names(r);
	const struct massif_context *contexts = massif_recorder_contexts(r, &f->n);
	int err = 0;

	*f = (struct massif_forest){ .n = f->n, .threshold = s->threshold, .pages = s->pages };
	f->node_of = calloc(f->n + 1, sizeof *f->node_of);
	if (!names || !f->node_of || massif_tree_init(&f->tree, NULL))
		return -ENOMEM;
	for (size_t i = 0; !err && i < f->n; i++)
		err = place_context(f, s, names, &contexts[i], &f->node_of[i]);
	/* Not before all are known: they move as they become more. */
	f->tree.entries = names->entries;
	return err;
}
