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

static int ask_names(struct massif_names *names, const struct namer_asks *how,
		     const struct massif_context *contexts, size_t n)
{
	uint32_t *nodes = calloc(n + 1, sizeof *nodes);
	size_t k = 0;

	if (!nodes)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!contexts[i].ignored)
			nodes[k++] = contexts[i].node;
	int err = massif_names_ask(names, how, nodes, k);

	free(nodes);
	return err;
}

int massif_forest_init(struct massif_forest *f, struct massif_recorder *r,
		       const struct massif_settings *s, const struct namer_asks *how)
{
	struct massif_names *names = massif_recorder_names(r);
	const struct massif_context *contexts = massif_recorder_contexts(r, &f->n);

	*f = (struct massif_forest){ .n = f->n, .threshold = s->threshold, .pages = s->pages };
	f->node_of = calloc(f->n + 1, sizeof *f->node_of);
	if (!names || !f->node_of || massif_tree_init(&f->tree, NULL))
		return -ENOMEM;
	int err = ask_names(names, how, contexts, f->n);

	for (size_t i = 0; !err && i < f->n; i++)
		err = place_context(f, s, names, &contexts[i], &f->node_of[i]);
	/* The array of entries moves as it grows, so set it last. */
	f->tree.entries = names->entries;
	return err;
}
