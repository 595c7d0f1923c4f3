/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/datafile_get.h"

#include "profile/datafile.h"
#include "profile/datafile_rows.h"
#include "profile/datafile_schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void get_command(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	free(d->command);
	d->command = NULL;
	get_begin(g, "command", "SELECT i, arg FROM command NOT INDEXED ORDER BY i");
	for (;;) {
		char **arg = NEXT(g, &d->command, &cap, g->rows);	/* one more ends the list */

		if (!arg || !get_row(g))
			break;
		get_id(g);
		*arg = get_text(g);
	}
	get_end(g);
}

static void get_modules(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "modules",
		  "SELECT id, path, build_id, names FROM modules NOT INDEXED ORDER BY id");
	while (get_row(g)) {
		struct pd_module *m = NEXT(g, &d->modules, &cap, g->n);

		if (!m)
			break;
		d->n_modules++;
		get_id(g);
		m->path = get_text(g);
		m->build_id = get_text(g);
		m->names = get_text(g);
	}
	get_end(g);
}

static void get_functions(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "functions", "SELECT id, name, linkage, module, address"
		  " FROM functions NOT INDEXED ORDER BY id");
	while (get_row(g)) {
		struct pd_function *f = NEXT(g, &d->functions, &cap, g->n);

		if (!f)
			break;
		d->n_functions++;
		get_id(g);
		f->name = get_text(g);
		f->linkage = get_text_or_null(g);
		f->module = get_index(g);
		f->address = get_int(g);
	}
	get_end(g);
}

static void get_sites(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "sites",
		  "SELECT id, function, address, offset, file, line, inlined, exact, guessed"
		  " FROM sites NOT INDEXED ORDER BY id");
	while (get_row(g)) {
		struct pd_site *s = NEXT(g, &d->sites, &cap, g->n);

		if (!s)
			break;
		d->n_sites++;
		get_id(g);
		s->function = get_u32(g);
		s->address = get_int(g);
		s->offset = get_int(g);
		s->file = get_text_or_null(g);
		s->line = get_u32(g);
		s->inlined = get_flag(g);
		s->exact = get_flag(g);
		s->guessed = get_flag(g);
	}
	get_end(g);
}

static void get_nodes(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	free(d->nodes);
	d->nodes = NULL;
	d->n_nodes = 0;
	get_begin(g, "nodes",
		  "SELECT id, parent, site, resumed FROM nodes NOT INDEXED ORDER BY id");
	while (get_row(g)) {
		struct pd_node *n = NEXT(g, &d->nodes, &cap, g->n);

		if (!n)
			break;
		d->n_nodes++;
		get_id(g);
		n->parent = get_index(g);
		n->site = get_index(g);
		n->resumed = get_int(g);
	}
	get_end(g);
}

static void get_leaves(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "leaves",
		  "SELECT node, size, allocs, frees FROM leaves NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		struct pd_leaf *l = NEXT(g, &d->leaves, &cap, g->n);

		if (!l)
			break;
		d->n_leaves++;
		l->node = get_u32(g);
		l->size = get_int(g);
		l->allocs = get_int(g);
		l->frees = get_int(g);
	}
	get_end(g);
}

static void get_lifetimes(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "lifetimes",
		  "SELECT node, axis, bucket, blocks FROM lifetimes NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		struct pd_lifetime *l = NEXT(g, &d->lifetimes, &cap, g->n);

		if (!l)
			break;
		d->n_lifetimes++;
		l->node = get_u32(g);
		l->axis = get_small(g, PD_LIFE_AXES);
		l->bucket = get_small(g, 64);
		l->blocks = get_int(g);
	}
	get_end(g);
}

static void get_timeline(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "timeline",
		  "SELECT time_ns, churn_bytes, live_bytes, extra_bytes, live_blocks, peak"
		  " FROM timeline NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		struct pd_point *p = NEXT(g, &d->points, &cap, g->n);

		if (!p)
			break;
		d->n_points++;
		p->time_ns = get_int(g);
		p->churn_bytes = get_int(g);
		p->live_bytes = get_int(g);
		p->extra_bytes = get_int(g);
		p->live_blocks = get_int(g);
		p->peak = get_flag(g);
	}
	get_end(g);
}

static void get_peak(struct get *g, struct profile_data *d)
{
	get_begin(g, "peak", "SELECT leaf, blocks FROM peak NOT INDEXED ORDER BY leaf");
	while (get_row(g)) {
		uint64_t leaf = get_int(g), blocks = get_int(g);

		if (!leaf || leaf > d->n_leaves || !blocks) {
			get_damaged(g, "there is no such leaf");
			break;
		}
		d->leaves[leaf - 1].at_peak = blocks;
	}
	get_end(g);
}

static void get_labels(struct get *g, struct profile_data *d)
{
	get_begin(g, "labels", "SELECT leaf, label FROM labels NOT INDEXED ORDER BY leaf");
	while (get_row(g)) {
		uint64_t leaf = get_int(g), label = get_int(g);

		if (!leaf || leaf > d->n_leaves || !label || label > 4) {
			get_damaged(g, "there is no such leaf or label");
			break;
		}
		d->leaves[leaf - 1].label = (uint8_t)label;
		d->labelled = true;
	}
	get_end(g);
}

static void get_recorded(struct get *g, struct profile_data *d)
{
	get_begin(g, "recorded",
		  "SELECT min_size, max_size FROM recorded NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		if (d->min_size || d->max_size)
			get_damaged(g, "there is more than one");
		d->min_size = get_int(g);
		d->max_size = get_int(g);
	}
	get_end(g);
}

static void get_types(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "types", "SELECT size, name, rank FROM types NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		struct pd_type *t = NEXT(g, &d->types, &cap, g->n);

		if (!t)
			break;
		d->n_types++;
		t->size = get_int(g);
		t->name = get_text(g);
		t->rank = get_u32(g);
	}
	get_end(g);
}

/* The arcs follow from the tree: they are read for the checksum only. */
static void get_arcs(struct get *g)
{
	if (g->flat)
		return;
	get_begin(g, "arcs", "SELECT caller, callee, calls, bytes_s, bytes_m, bytes_l, bytes_x"
		  " FROM arcs NOT INDEXED ORDER BY rowid");
	while (get_row(g))
		for (int c = 0; c < 7; c++)
			get_int(g);
	get_end(g);
}

/* The next row of meta, which must have this key. */
static uint64_t get_meta_row(struct get *g, const char *key)
{
	if (!get_row(g)) {
		get_damaged(g, "it is missing");
		return 0;
	}
	char *found = get_text(g);
	if (found && strcmp(found, key))
		get_damaged(g, "unknown key");
	free(found);
	return get_int(g);
}

static void get_meta(struct get *g, struct profile_data *d)
{
	get_begin(g, "meta", "SELECT key, value FROM meta NOT INDEXED ORDER BY rowid");
	for (const struct datafile_meta *m = datafile_meta; m->key && !g->err; m++)
		if (m->since <= g->version && !datafile_meta_set(m, d, get_meta_row(g, m->key)))
			get_damaged(g, "number out of range");
	uint64_t sum = g->sum;
	if (get_meta_row(g, DATAFILE_CHECKSUM_KEY) != sum && !g->err)
		g->err = error_set(g->e, -EUCLEAN, "the checksum does not match its content");
	if (get_row(g))
		get_damaged(g, "unknown key");
	get_end(g);
}

/* Before version 13 all missed blocks were in the load, and the highest load was taken to be the
 * peak. */
static void get_load(struct profile_data *d)
{
	d->load.missed = d->totals.missed;
	d->load.missed_bytes = d->totals.missed_bytes;
	d->load.max = d->totals.peak_bytes;
}

static void get_all(struct get *g, struct profile_data *d)
{
	const int version = g->version;

	get_command(g, d);
	get_modules(g, d);
	get_functions(g, d);
	get_sites(g, d);
	get_nodes(g, d);
	get_leaves(g, d);
	if (version >= 2) {
		get_lifetimes(g, d);
		get_timeline(g, d);
		get_peak(g, d);
	}
	if (version >= 3) {
		get_labels(g, d);
		get_recorded(g, d);
	}
	if (version >= 6) {
		datafile_get_windows(g, d);
	}
	if (version >= 7) {
		datafile_get_before(g, d);
		datafile_get_site_types(g, d);
	}
	if (version >= 8)
		datafile_get_series(g, d);
	get_types(g, d);
	get_arcs(g);
	get_meta(g, d);
	if (version < 13)
		get_load(d);
	datafile_get_reachable(d);
}

int datafile_get_tables(sqlite3 *db, int version, struct profile_data *d, struct error *e)
{
	struct get g = { .db = db, .version = version, .sum = DATAFILE_SUM_START, .e = e };

	get_all(&g, d);
	return g.err;
}

int datafile_get_flat(struct flat_in *from, struct profile_data *d, struct error *e)
{
	struct get g = { .flat = from, .version = DATAFILE_VERSION, .sum = DATAFILE_SUM_START,
			 .e = e };

	get_all(&g, d);
	if (!flat_in_is_over(from))
		get_damaged(&g, "there is more behind it");
	return g.err;
}
