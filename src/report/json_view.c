/* SPDX-License-Identifier: BSD-2-Clause */
/* Which profile it is, and what the options have left of it: members of the report's JSON. */
#include "base/jsontext.h"
#include "profile/pd_merge.h"
#include "report/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* When most bytes were live, since the profile began. */
static json_t *peak(const struct pd_point *p)
{
	return json_pack("{so so so}", "time_ns", json_out_num(p->time_ns), "live_bytes",
			 json_out_num(p->live_bytes), "live_blocks", json_out_num(p->live_blocks));
}

void json_origin(struct json_out *o, const struct profile_data *d)
{
	static const char *const from[] = {NULL, "start", "attach"};
	const struct pd_point *p = profile_data_peak(d);
	size_t merged = pd_merge_count(d);

	if (merged)
		json_out_member(o, "merged", json_out_num(merged));
	if (d->from)
		json_out_member(o, "from", json_string(from[d->from]));
	if (p)
		json_out_member(o, "peak", peak(p));
}

/* ---- options ---- */

/* "--NAME=VALUE" */
static void add(json_t *list, const char *name, const char *value)
{
	char *text = NULL;

	if (asprintf(&text, "--%s=%s", name, value) >= 0)
		json_array_append_new(list, json_text(text));
	free(text);
}

static void add_all(json_t *list, const char *name, name_list values)
{
	for (; values && *values; values++)
		add(list, name, *values);
}

static void add_depth(json_t *list, uint32_t depth)
{
	char text[16];

	snprintf(text, sizeof text, "%" PRIu32, depth);
	if (depth)
		add(list, "depth", depth == UINT32_MAX ? "all" : text);
}

/* The options that change what is in a report, in a form in which they can be given again. */
static json_t *given(const struct report_options *r)
{
	static const char *const types[] = {NULL, "program", "none"};
	const struct view *v = r->view;
	json_t *list = json_array();

	if (!list)
		return NULL;
	if (v->at_peak)
		add(list, "at", "peak");
	add_all(list, "ignore-fn", v->ignore_fns);
	add_all(list, "alloc-fn", v->alloc_fns);
	if (v->no_inlines)
		add(list, "inlines", "no");
	if (v->short_names || r->names_full)
		add(list, "names", v->short_names ? "short" : "full");
	if (types[v->types])
		add(list, "types", types[v->types]);
	if (v->no_site_types)
		add(list, "site-types", "no");
	add_depth(list, r->depth);
	return list;
}

static json_t *left_out(const struct pd_left_out *l)
{
	return json_pack("{so so so so so}", "allocs", json_out_num(l->allocs), "bytes",
			 json_out_num(l->bytes), "frees", json_out_num(l->frees), "freed_bytes",
			 json_out_num(l->freed_bytes), "peak_bytes", json_out_num(l->peak_bytes));
}

void json_view(struct json_out *o, const struct profile_data *d, const struct report_options *r)
{
	json_t *list = r->view ? given(r) : NULL;

	if (r->view && (!list || json_array_size(list)))
		json_out_member(o, "options", list);
	else
		json_decref(list);
	if (d->left_out.allocs)
		json_out_member(o, "left_out", left_out(&d->left_out));
}
