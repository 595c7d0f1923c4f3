/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/datafile_tables.h"

#include "profile/datafile.h"
#include "profile/datafile_arcs.h"
#include "profile/datafile_put.h"
#include "profile/datafile_schema.h"
#include "profile/pd_windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_command(struct put *p, const struct profile_data *d)
{
	size_t n = 0;

	while (d->command && d->command[n])
		n++;
	put_begin(p, "command", 2, n);
	for (size_t i = 0; i < n && p->rc == SQLITE_OK; i++) {
		put_int(p, i);
		put_text(p, d->command[i]);
		put_row(p);
	}
	put_end(p);
}

static void put_modules(struct put *p, const struct profile_data *d)
{
	put_begin(p, "modules", 4, d->n_modules);
	for (size_t i = 0; i < d->n_modules && p->rc == SQLITE_OK; i++) {
		put_int(p, i);
		put_text(p, d->modules[i].path);
		put_text(p, d->modules[i].build_id);
		put_text(p, d->modules[i].names);
		put_row(p);
	}
	put_end(p);
}

static void put_functions(struct put *p, const struct profile_data *d)
{
	put_begin(p, "functions", 5, d->n_functions);
	for (size_t i = 0; i < d->n_functions && p->rc == SQLITE_OK; i++) {
		put_int(p, i);
		put_text(p, d->functions[i].name);
		put_text(p, d->functions[i].linkage);
		put_index(p, d->functions[i].module);
		put_int(p, d->functions[i].address);
		put_row(p);
	}
	put_end(p);
}

static void put_sites(struct put *p, const struct profile_data *d)
{
	put_begin(p, "sites", 9, d->n_sites);
	for (size_t i = 0; i < d->n_sites && p->rc == SQLITE_OK; i++) {
		put_int(p, i);
		put_int(p, d->sites[i].function);
		put_int(p, d->sites[i].address);
		put_int(p, d->sites[i].offset);
		put_text(p, d->sites[i].file);
		put_int(p, d->sites[i].line);
		put_int(p, d->sites[i].inlined);
		put_int(p, d->sites[i].exact);
		put_int(p, d->sites[i].guessed);
		put_row(p);
	}
	put_end(p);
}

static void put_nodes(struct put *p, const struct profile_data *d)
{
	put_begin(p, "nodes", 4, d->n_nodes);
	for (size_t i = 0; i < d->n_nodes && p->rc == SQLITE_OK; i++) {
		put_int(p, i);
		put_index(p, d->nodes[i].parent);
		put_index(p, d->nodes[i].site);
		put_int(p, d->nodes[i].resumed);
		put_row(p);
	}
	put_end(p);
}

static void put_leaves(struct put *p, const struct profile_data *d)
{
	put_begin(p, "leaves", 4, d->n_leaves);
	for (size_t i = 0; i < d->n_leaves && p->rc == SQLITE_OK; i++) {
		put_int(p, d->leaves[i].node);
		put_int(p, d->leaves[i].size);
		put_int(p, d->leaves[i].allocs);
		put_int(p, d->leaves[i].frees);
		put_row(p);
	}
	put_end(p);
}

static void put_lifetimes(struct put *p, const struct profile_data *d)
{
	put_begin(p, "lifetimes", 4, d->n_lifetimes);
	for (size_t i = 0; i < d->n_lifetimes && p->rc == SQLITE_OK; i++) {
		put_int(p, d->lifetimes[i].node);
		put_int(p, d->lifetimes[i].axis);
		put_int(p, d->lifetimes[i].bucket);
		put_int(p, d->lifetimes[i].blocks);
		put_row(p);
	}
	put_end(p);
}

static void put_timeline(struct put *p, const struct profile_data *d)
{
	put_begin(p, "timeline", 6, d->n_points);
	for (size_t i = 0; i < d->n_points && p->rc == SQLITE_OK; i++) {
		put_int(p, d->points[i].time_ns);
		put_int(p, d->points[i].churn_bytes);
		put_int(p, d->points[i].live_bytes);
		put_int(p, d->points[i].extra_bytes);
		put_int(p, d->points[i].live_blocks);
		put_int(p, d->points[i].peak);
		put_row(p);
	}
	put_end(p);
}

static void put_peak(struct put *p, const struct profile_data *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_leaves; i++)
		n += d->leaves[i].at_peak != 0;
	put_begin(p, "peak", 2, n);
	for (size_t i = 0; i < d->n_leaves && p->rc == SQLITE_OK; i++) {
		if (!d->leaves[i].at_peak)
			continue;
		put_int(p, i + 1);	/* the row's number in the table leaves */
		put_int(p, d->leaves[i].at_peak);
		put_row(p);
	}
	put_end(p);
}

static void put_labels(struct put *p, const struct profile_data *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_leaves; i++)
		n += d->leaves[i].label != 0;
	put_begin(p, "labels", 2, n);
	for (size_t i = 0; i < d->n_leaves && p->rc == SQLITE_OK; i++) {
		if (!d->leaves[i].label)
			continue;
		put_int(p, i + 1);	/* the row's number in the table leaves */
		put_int(p, d->leaves[i].label);
		put_row(p);
	}
	put_end(p);
}

/* One row, or none if all sizes were recorded. */
static void put_recorded(struct put *p, const struct profile_data *d)
{
	bool some = d->min_size || d->max_size;

	put_begin(p, "recorded", 2, some);
	if (some) {
		put_int(p, d->min_size);
		put_int(p, d->max_size);
		put_row(p);
	}
	put_end(p);
}

static void put_windows(struct put *p, const struct profile_data *d)
{
	put_begin(p, "windows", 7, d->n_windows);
	for (size_t i = 0; i < d->n_windows && p->rc == SQLITE_OK; i++) {
		put_int(p, d->windows[i].node);
		put_int(p, d->windows[i].i);
		put_int(p, d->windows[i].low);
		put_int(p, d->windows[i].high);
		put_int(p, d->windows[i].births);
		put_int(p, d->windows[i].low_bytes);
		put_int(p, d->windows[i].high_bytes);
		put_row(p);
	}
	put_end(p);
}

static void put_survivors(struct put *p, const struct profile_data *d)
{
	put_begin(p, "survivors", 4, d->n_survivors);
	for (size_t i = 0; i < d->n_survivors && p->rc == SQLITE_OK; i++) {
		put_int(p, d->survivors[i].node);
		put_int(p, d->survivors[i].i);
		put_int(p, d->survivors[i].blocks);
		put_int(p, d->survivors[i].bytes);
		put_row(p);
	}
	put_end(p);
}

static void put_site_types(struct put *p, const struct profile_data *d)
{
	put_begin(p, "site_types", 5, d->n_site_types);
	for (size_t i = 0; i < d->n_site_types && p->rc == SQLITE_OK; i++) {
		put_int(p, d->site_types[i].node);
		put_text(p, pd_type_how_words[d->site_types[i].how]);
		put_int(p, d->site_types[i].certain);
		put_text(p, d->site_types[i].name);
		put_int(p, d->site_types[i].size);
		put_row(p);
	}
	put_end(p);
}

static void put_verdict(struct put *p, const struct profile_data *d, uint32_t node,
			const struct trend_verdict *v)
{
	put_int(p, node);
	put_text(p, trend_word(v->name));
	put_real(p, v->z);
	put_real(p, v->gain);
	put_real(p, v->stays);
	put_real(p, v->bytes_hour);
	put_int(p, v->since * d->window_ns);
	put_row(p);
}

/* One row for each node with windows; of other nodes too little is known. Windows and leaves are
 * both sorted by node. Verdicts follow from the rest: they are for other programs. */
static void put_verdicts(struct put *p, const struct profile_data *d)
{
	size_t nodes = 0, leaf = 0;

	if (p->flat)
		return;
	for (size_t i = 0; i < d->n_windows; i++)
		nodes += !i || d->windows[i].node != d->windows[i - 1].node;
	put_begin(p, "verdicts", 7, nodes);
	for (size_t i = 0; i < d->n_windows && p->rc == SQLITE_OK; i++) {
		uint32_t node = d->windows[i].node;

		if (i && node == d->windows[i - 1].node)
			continue;
		struct trend_series s = pd_windows_series(d);

		while (leaf < d->n_leaves && d->leaves[leaf].node < node)
			leaf++;
		for (; leaf < d->n_leaves && d->leaves[leaf].node == node; leaf++)
			pd_windows_add_leaf(&d->leaves[leaf], &s);
		pd_windows_add(d, node, &s);
		struct trend_verdict v = trend_judge(&s);

		put_verdict(p, d, node, &v);
	}
	put_end(p);
}

static void put_types(struct put *p, const struct profile_data *d)
{
	put_begin(p, "types", 3, d->n_types);
	for (size_t i = 0; i < d->n_types && p->rc == SQLITE_OK; i++) {
		put_int(p, d->types[i].size);
		put_text(p, d->types[i].name);
		put_int(p, d->types[i].rank);
		put_row(p);
	}
	put_end(p);
}

/* Like the verdicts, for other programs. */
static void put_arcs(struct put *p, const struct profile_data *d)
{
	struct datafile_arc *arcs = NULL;
	size_t n = 0;

	if (p->flat)
		return;
	if (p->rc == SQLITE_OK && datafile_arcs(d, &arcs, &n))
		p->rc = SQLITE_NOMEM;
	put_begin(p, "arcs", 7, n);
	for (size_t i = 0; i < n && p->rc == SQLITE_OK; i++) {
		put_int(p, arcs[i].caller);
		put_int(p, arcs[i].callee);
		put_int(p, arcs[i].calls);
		for (int c = 0; c < 4; c++)
			put_int(p, arcs[i].bytes[c]);
		put_row(p);
	}
	put_end(p);
	free(arcs);
}

/* The last table, because its last row is the checksum of everything before. */
static void put_meta(struct put *p, const struct profile_data *d)
{
	size_t n = 1;

	for (const struct datafile_meta *m = datafile_meta; m->key; m++)
		n++;
	put_begin(p, "meta", 2, n);
	for (const struct datafile_meta *m = datafile_meta; m->key && p->rc == SQLITE_OK; m++) {
		put_text(p, m->key);
		put_int(p, datafile_meta_get(m, d));
		put_row(p);
	}
	uint64_t sum = p->sum;
	put_text(p, DATAFILE_CHECKSUM_KEY);
	put_int(p, sum);
	put_row(p);
	put_end(p);
}

static void put_sql(struct put *p, const char *sql)
{
	if (p->rc == SQLITE_OK)
		p->rc = sqlite3_exec(p->db, sql, NULL, NULL, NULL);
}

static void put_schema(struct put *p)
{
	char ids[128];

	/* No journal and no sync: a half-written file is removed, a complete one is synced once. */
	put_sql(p, "PRAGMA page_size=4096; PRAGMA auto_vacuum=NONE; PRAGMA encoding='UTF-8';"
		   "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
		   "PRAGMA temp_store=MEMORY; PRAGMA secure_delete=OFF; BEGIN EXCLUSIVE");
	snprintf(ids, sizeof ids, "PRAGMA application_id=%d; PRAGMA user_version=%d",
		 DATAFILE_APPLICATION_ID, DATAFILE_VERSION);
	put_sql(p, ids);
	for (const struct datafile_object *o = datafile_schema; o->type; o++)
		put_sql(p, o->sql);
}

static void put_all(struct put *p, const struct profile_data *d)
{
	put_command(p, d);
	put_modules(p, d);
	put_functions(p, d);
	put_sites(p, d);
	put_nodes(p, d);
	put_leaves(p, d);
	put_lifetimes(p, d);
	put_timeline(p, d);
	put_peak(p, d);
	put_labels(p, d);
	put_recorded(p, d);
	put_windows(p, d);
	put_survivors(p, d);
	put_verdicts(p, d);
	datafile_put_besides(p, d);
	put_site_types(p, d);
	datafile_put_series(p, d);
	put_types(p, d);
	put_arcs(p, d);
	put_meta(p, d);
}

int datafile_put_tables(sqlite3 *db, const struct profile_data *d)
{
	struct put p = { .db = db, .sum = DATAFILE_SUM_START };

	put_schema(&p);
	put_all(&p, d);
	put_sql(&p, "COMMIT");
	return p.rc;
}

void datafile_put_flat(struct flat_out *to, const struct profile_data *d)
{
	struct put p = { .flat = to, .sum = DATAFILE_SUM_START };

	put_all(&p, d);
}
