/* SPDX-License-Identifier: BSD-2-Clause */
/* Lost blocks as JSON of the schema mprof.leaks.v1. */
#include "base/jsontext.h"
#include "base/stream.h"
#include "report/json_out.h"
#include "report/json_path.h"
#include "report/lost.h"

#include <stdlib.h>

static json_t *sum(struct heap_sum s)
{
	return json_pack("{so so}", "blocks", json_out_num(s.n), "bytes", json_out_num(s.bytes));
}

static void classes(struct json_out *o, const struct reach *r)
{
	json_out_member(o, "classes",
			json_pack("{so so so so}", "reachable", sum(r->sums[REACH_REACHABLE]),
				  "possible", sum(r->sums[REACH_POSSIBLE]), "lost_direct",
				  sum(r->sums[REACH_LOST]), "lost_through",
				  sum(r->sums[REACH_LOST_THROUGH])));
}

static void idioms(struct json_out *o, const struct reach *r)
{
	json_out_begin_rows(o, "idioms");
	for (size_t i = 0; i < r->n_idioms; i++)
		json_out_row(o,
			     json_pack("{ss so so}", "kind", reach_idiom_names[r->idioms[i].kind],
				       "offset", json_out_num(r->idioms[i].offset), "blocks",
				       json_out_num(r->idioms[i].blocks)));
	json_out_end_rows(o);
}

static json_t *pack_row(json_t *path, json_t *usable, struct heap_sum blocks,
			struct heap_sum through, json_t *oldest_ns, json_t *type)
{
	return json_pack("{so so so so so so so so}", "path", path, "usable", usable, "blocks",
			 json_out_num(blocks.n), "bytes", json_out_num(blocks.bytes),
			 "through_blocks", json_out_num(through.n), "through_bytes",
			 json_out_num(through.bytes), "oldest_ns", oldest_ns, "type", type);
}

static json_t *lost_row_json(const struct lost_row *v)
{
	return pack_row(json_null(), json_out_num(v->usable), v->blocks, v->through,
			json_null(), json_null());
}

static json_t *before_row_json(const struct lost_row *v)
{
	json_t *row = lost_row_json(v);

	json_object_set_new(row, "before", json_true());
	return row;
}

static json_t *path_json(struct json_sites *sites, const struct lost_paths *p, const struct leak *l)
{
	json_t *path = json_array();

	for (uint32_t i = 0; path && i < l->n; i++) {
		const char *text = json_site(sites, p->leaks.sites[l->first + i]);

		if (!text || json_array_append_new(path, json_loads(text, 0, NULL))) {
			json_decref(path);
			return NULL;
		}
	}
	return path;
}

/* "A | B"; null: not known. */
static json_t *type_json(const struct profile_data *d, const struct lost_paths *p,
			 const struct leak *l)
{
	struct pd_types_seen seen;
	char *text = leaks_site_types(d, &p->leaks, l, &seen) ? NULL : pd_types_seen_text(&seen);
	json_t *type = !text ? NULL : *text ? json_text(text) : json_null();

	free(text);
	pd_types_seen_release(&seen);
	return type;
}

static json_t *path_row_json(const struct profile_data *d, struct json_sites *sites,
			     const struct lost_paths *p, const struct lost_path *v)
{
	json_t *row = pack_row(path_json(sites, p, v->path), json_null(), v->blocks, v->through,
			       json_out_num(v->oldest_ns),
			       type_json(d, p, v->path));
	const char *own = v->own ? json_site(sites, v->site) : "null";

	if (json_object_set_new(row, "own",
				own ? json_loads(own, JSON_DECODE_ANY, NULL) : NULL)) {
		json_decref(row);
		return NULL;
	}
	return row;
}

/* Lost blocks whose path is known; those of a path may have several sizes. */
static void path_rows(struct json_out *o, const struct lost_report *r)
{
	const struct profile_data *d = r->requests->d;
	struct json_sites sites;
	struct lost_paths p;
	int err = lost_paths_collect(r->requests, r->reach, r->blocks, LEAKS_BY_SITE, &p);

	json_out_fail(o, err);
	err = json_sites_init(&sites, d, NULL);
	json_out_fail(o, err);
	for (size_t i = 0; !o->err && i < p.n; i++)
		json_out_row(o, path_row_json(d, &sites, &p, &p.v[i]));
	json_sites_release(&sites);
	lost_paths_release(&p);
}

static json_t *possible_row_json(const struct lost_row *v)
{
	return json_pack("{so so so}", "usable", json_out_num(v->usable), "blocks",
			 json_out_num(v->blocks.n), "bytes", json_out_num(v->blocks.bytes));
}

static void rows(struct json_out *o, const struct lost_report *r, enum lost_group group,
		 json_t *(*of)(const struct lost_row *v))
{
	size_t n;
	int err;
	struct lost_row *v = lost_rows(r, group, &n, &err);

	json_out_fail(o, err);
	for (size_t i = 0; i < n; i++)
		json_out_row(o, of(&v[i]));
	free(v);
}

static void lost(struct json_out *o, const struct lost_report *r)
{
	json_out_begin_rows(o, "lost");
	if (r->requests) {
		path_rows(o, r);
		rows(o, r, LOST_BEFORE, before_row_json);
	}
	rows(o, r, LOST_UNKNOWN, lost_row_json);
	json_out_end_rows(o);
}

static void possible(struct json_out *o, const struct lost_report *r)
{
	json_out_begin_rows(o, "possible");
	rows(o, r, LOST_POSSIBLE, possible_row_json);
	json_out_end_rows(o);
}

int report_lost_json(const struct lost_report *r, FILE *out)
{
	struct json_out o = {.out = out};

	json_out_raw(&o, "{");
	json_out_member(&o, "schema", json_string("mprof.leaks.v1"));
	report_look_json(&r->heap, &o);
	json_out_member(&o, "passes", json_integer(r->passes));
	json_out_member(&o, "blocks", json_integer((json_int_t)r->blocks->n));
	report_checks_json(r->heap.walk, &o);
	classes(&o, r->reach);
	idioms(&o, r->reach);
	lost(&o, r);
	if (r->lists_possible)
		possible(&o, r);
	json_out_raw(&o, "}\n");
	if (!o.err)
		o.err = stream_flush(out);
	return o.err;
}
