/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/from_data.h"

#include "base/array.h"
#include "massif/names.h"
#include "massif/write.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

/* The entries are the profile's sites, and one more for empty chains; the contexts are the nodes of
 * its leaves. */
struct from_data {
	const struct profile_data *d;
	const struct massif_settings *settings;
	struct massif_entry *entries;
	uint32_t *ids;		/* a chain, innermost first */
	size_t n_ids, cap_ids;
	struct massif_forest forest;
	struct massif_detail *detail;
};

static int name_site(const struct profile_data *d, const struct pd_site *s, struct massif_entry *e)
{
	const struct pd_function *f = &d->functions[s->function];
	bool inside = f->module != PD_NONE;
	bool named = !names_nothing_names(d, s->function);
	struct massif_place p = { namer_instruction(s->address, s->exact), named ? f->name : NULL,
				  s->file, s->line,
				  inside ? d->modules[f->module].path : NULL };

	*e = (struct massif_entry){
		massif_entry_text(&p), p.name, f->name, p.address, f->module, s->inlined
	};
	return e->text ? 0 : -ENOMEM;
}

static int name_sites(struct from_data *f)
{
	const struct massif_place nowhere = { .address = 0 };
	int err = 0;

	f->entries = calloc(f->d->n_sites + 1, sizeof *f->entries);
	if (!f->entries)
		return -ENOMEM;
	for (size_t i = 0; !err && i < f->d->n_sites; i++)
		err = name_site(f->d, &f->d->sites[i], &f->entries[i]);
	struct massif_entry *last = &f->entries[f->d->n_sites];
	*last = (struct massif_entry){ .text = massif_entry_text(&nowhere), .module = PD_NONE };
	return err ? err : last->text ? 0 : -ENOMEM;
}

static int add_id(struct from_data *f, uint32_t id)
{
	if (ARRAY_RESERVE(&f->ids, &f->cap_ids, f->n_ids))
		return -ENOMEM;
	f->ids[f->n_ids++] = id;
	return 0;
}

static int chain_of(struct from_data *f, uint32_t node)
{
	int err = 0;

	f->n_ids = 0;
	if (node < PD_FIRST_NODE)
		err = add_id(f, (uint32_t)f->d->n_sites);
	for (; !err && node >= PD_FIRST_NODE; node = f->d->nodes[node].parent)
		err = add_id(f, f->d->nodes[node].site);
	return err;
}

/* A context for each leaf that had live blocks at the peak. */
static int add_leaf(struct from_data *f, const struct pd_leaf *l)
{
	int err = chain_of(f, l->node);
	const uint32_t *ids = f->ids;
	size_t n = f->n_ids;
	uint32_t context = f->detail->n_contexts++;

	f->forest.node_of[context] = IDINDEX_NONE;
	if (err || !massif_filter(&f->settings->filter, f->entries, &ids, &n))
		return err;
	f->forest.node_of[context] = massif_tree_add(&f->forest.tree, ids, n);
	if (f->forest.node_of[context] == IDINDEX_NONE)
		return -ENOMEM;
	f->detail->shares[f->detail->n++] = (struct massif_share){ context, l->at_peak * l->size };
	return 0;
}

static int plant(struct from_data *f)
{
	size_t n = f->d->n_leaves;
	int err = 0;

	f->forest = (struct massif_forest){ .n = n, .threshold = f->settings->threshold };
	f->forest.node_of = calloc(n + 1, sizeof *f->forest.node_of);
	f->detail = calloc(1, sizeof *f->detail + n * sizeof *f->detail->shares);
	if (!f->forest.node_of || !f->detail || massif_tree_init(&f->forest.tree, f->entries))
		return -ENOMEM;
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): massif_from_data() frees f->entries */
	for (size_t i = 0; !err && i < n; i++)
		if (f->d->leaves[i].at_peak)
			err = add_leaf(f, &f->d->leaves[i]);
	return err;
}

/* A point is treated as an attempt to take a snapshot, like an event in a session. The first peak
 * gets the tree; a file that was tampered with may have more peaks. */
static int take_point(struct from_data *f, struct massif_table *t, const struct pd_point *p)
{
	bool bytes = f->settings->unit == MASSIF_BYTES, is_peak = p->peak && f->detail;
	struct massif_numbers at = { .time = bytes ? p->churn_bytes : p->time_ns,
				     .useful = p->live_bytes, .extra = p->extra_bytes };

	if (!is_peak)
		return massif_pass(t, &at);
	int err = massif_take(t, MASSIF_PEAK, &at, f->detail);

	f->detail = NULL;
	return err;
}

/* Keep only as many points as Massif would, preferring those at maxima. */
static int write_all(struct from_data *f, const char *desc, FILE *out)
{
	const struct massif_heading heading = { desc, f->d->command,
						f->settings->unit == MASSIF_BYTES ? MASSIF_BYTES
										  : MASSIF_MS };
	struct massif_table t;
	int err = 0;

	massif_table_init(&t, &(struct massif_rules){
				      .max_snapshots = f->settings->rules.max_snapshots,
				      .keep_maxima = true });
	for (size_t i = 0; !err && i < f->d->n_points; i++)
		err = take_point(f, &t, &f->d->points[i]);
	if (!err && massif_left_out(&t)) {
		const struct massif_numbers end = t.high;

		err = massif_take(&t, MASSIF_PLAIN, &end, NULL);
	}
	/* The points are chosen by ns, in which few times are equal, and written in ms. */
	for (size_t i = 0; f->settings->unit != MASSIF_BYTES && i < t.n; i++)
		t.snapshots[i].at.time /= 1000000;
	if (!err)
		err = massif_write(out, &heading, t.snapshots, t.n, &f->forest);
	massif_table_release(&t);
	return err;
}

int massif_from_data(const struct profile_data *d, const char *desc,
		     const struct massif_settings *s, FILE *out)
{
	struct from_data f = { .d = d, .settings = s };
	int err = name_sites(&f);

	if (!err)
		err = plant(&f);
	if (!err)
		err = write_all(&f, desc, out);
	for (size_t i = 0; f.entries && i <= d->n_sites; i++)
		free(f.entries[i].text);
	free(f.entries);
	free(f.ids);
	free(f.detail);
	massif_forest_release(&f.forest);
	return err;
}
