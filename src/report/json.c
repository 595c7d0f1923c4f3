/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as JSON, schema mprof.report.v1. All rows, whatever the level. */
#include "report/json.h"
#include "base/jsontext.h"
#include "base/stream.h"
#include "report/bins.h"
#include "report/direct.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

static json_t *command(char *const *argv)
{
	json_t *list = json_array();

	for (; list && argv && *argv; argv++) {
		if (json_array_append_new(list, json_text(*argv))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *totals(const struct profile_data *d)
{
	const struct pd_totals *t = &d->totals;
	uint64_t guessed;

	if (profile_data_guessed_chains(d, &guessed))
		return NULL;
	return json_pack("{so so so so so so so so so so so so so so so so}",
			 "allocs", json_out_num(t->allocs),
			 "alloc_bytes", json_out_num(t->alloc_bytes),
			 "frees", json_out_num(t->frees),
			 "free_bytes", json_out_num(t->free_bytes),
			 "kept_objects", json_out_num(t->allocs - t->frees),
			 "kept_bytes", json_out_num(t->alloc_bytes - t->free_bytes),
			 "peak_bytes", json_out_num(t->peak_bytes),
			 "failed_allocs", json_out_num(t->failed_allocs),
			 "unknown_frees", json_out_num(t->unknown_frees),
			 "inherited_frees", json_out_num(t->inherited_frees),
			 "truncated_chains", json_out_num(t->truncated_chains),
			 "truncated_no_cfi", json_out_num(t->truncated_no_cfi),
			 "truncated_unreadable", json_out_num(t->truncated_unreadable),
			 "truncated_too_deep", json_out_num(t->truncated_too_deep),
			 "truncated_cut", json_out_num(t->truncated_cut),
			 "guessed_chains", json_out_num(guessed));
}

static bool saw_all(const struct profile_data *d)
{
	const struct pd_unseen *u = &d->unseen;

	return !(u->pauses || d->totals.paused_frees ||
		 d->spared.lifetimes || d->spared.timeline || d->spared.depth ||
		 u->lost || u->doubtful || u->other_requests || u->other_frees || u->taken ||
		 u->untrapped);
}

static json_t *unseen(const struct profile_data *d)
{
	const struct pd_unseen *u = &d->unseen;

	return json_pack("{so so so so so so so so so so so so sb sb sb so}",
			 "lost_events", json_out_num(u->lost),
			 "lost_unreadable", json_out_num(u->lost_unreadable),
			 "lost_damaged", json_out_num(u->lost_damaged),
			 "doubtful_calls", json_out_num(u->doubtful),
			 "other_requests", json_out_num(u->other_requests),
			 "other_frees", json_out_num(u->other_frees),
			 "taken_functions", json_out_num(u->taken),
			 "pauses", json_out_num(u->pauses),
			 "paused_ns", json_out_num(u->paused_ns),
			 "missed_blocks", json_out_num(d->totals.missed),
			 "missed_bytes", json_out_num(d->totals.missed_bytes),
			 "paused_frees", json_out_num(d->totals.paused_frees),
			 "untrapped", (int)u->untrapped,
			 "spared_lifetimes", (int)d->spared.lifetimes,
			 "spared_timeline", (int)d->spared.timeline,
			 "spared_depth", json_out_num(d->spared.depth));
}

static bool append_types(json_t *list, const struct profile_data *d, uint64_t size)
{
	for (size_t i = bins_first_type(d, size); i < d->n_types && d->types[i].size == size; i++)
		if (json_array_append_new(list, json_text(d->types[i].name)))
			return false;
	return true;
}

json_t *json_size_types(const struct profile_data *d, uint64_t size)
{
	json_t *list = json_array();

	if (list && append_types(list, d, size))
		return list;
	json_decref(list);
	return NULL;
}

json_t *json_types(const struct profile_data *d, const struct typed_sizes *sizes, uint32_t owner)
{
	json_t *list = json_array();
	bool fine = list;

	for (size_t i = typed_sizes_first(sizes, owner); fine && i < sizes->n; i++) {
		if (sizes->v[i].owner != owner)
			break;
		fine = append_types(list, d, sizes->v[i].size);
	}
	if (fine)
		return list;
	json_decref(list);
	return NULL;
}

/* For each module the source of its names. */
static void modules(struct json_out *o, const struct profile_data *d)
{
	json_out_begin_rows(o, "modules");
	for (size_t i = 0; i < d->n_modules && !o->err; i++) {
		const struct pd_module *m = &d->modules[i];

		if (m->names && *m->names)
			json_out_row(o, json_pack("{so so so}", "path", json_text(m->path),
						  "build_id", json_text(m->build_id),
						  "names", json_text(m->names)));
	}
	json_out_end_rows(o);
}

static void bins(struct json_out *o, const struct profile_data *d)
{
	struct bins b;
	int err = bins_collect(d, &b);

	if (err) {
		json_out_fail(o, err);
		return;
	}
	json_out_begin_rows(o, "bins");
	for (size_t i = 0; i < b.n && !o->err; i++) {
		const struct bin *bin = &b.items[i];

		json_out_row(o, json_pack("{so so so so so so}",
					  "size", json_out_num(bin->size),
					  "allocs", json_out_num(bin->allocs),
					  "bytes", json_out_num(bin->bytes),
					  "frees", json_out_num(bin->frees),
					  "kept_bytes", json_out_num(bin->kept),
					  "types", json_size_types(d, bin->size)));
	}
	json_out_end_rows(o);
	bins_release(&b);
}

static void direct(struct json_out *o, const struct profile_data *d, const uint32_t *rank)
{
	struct direct t;
	int err = direct_collect(d, rank, false, &t);

	if (err) {
		json_out_fail(o, err);
		return;
	}
	json_out_begin_rows(o, "direct");
	for (size_t i = 0; i < t.n && !o->err; i++) {
		const struct direct_row *row = &t.rows[i];

		json_out_row(o, json_pack("{so so so so so}",
					  "function", json_text(names_text(d, row->function)),
					  "bytes", json_out_classes(d, row->own.bytes),
					  "kept", json_out_classes(d, row->kept),
					  "calls", json_out_num(row->own.calls),
					  "types", json_types(d, &t.sizes, row->function)));
	}
	json_out_end_rows(o);
	direct_release(&t);
}

/* What saw the calls; null: not recorded. */
static json_t *engines(const struct profile_data *d)
{
	static const char *const words[] = { "trap", "fast", "unknown" };
	json_t *list = d->engines ? json_array() : json_null();

	for (unsigned i = 0; list && i < sizeof words / sizeof *words; i++)
		if (d->engines >> i & 1 && json_array_append_new(list, json_string(words[i]))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

/* The range of sizes that were recorded. */
static json_t *recorded(const struct profile_data *d)
{
	return json_pack("{so so}", "min_size", json_out_num(d->min_size), "max_size",
			 d->max_size ? json_out_num(d->max_size) : json_null());
}

/* @chains: include the members that repeat the call tree. */
static int write_report(const struct profile_data *d, const struct report_options *options,
			bool chains, FILE *out)
{
	struct json_out o = { .out = out };
	uint32_t *rank = names_ranks(d);

	if (!rank)
		return -ENOMEM;
	json_out_raw(&o, "{");
	json_out_member(&o, "schema", json_string("mprof.report.v1"));
	json_out_member(&o, "command", command(d->command));
	json_out_member(&o, "pid", json_integer(d->pid));
	if (d->ended_ns > d->started_ns)
		json_out_member(&o, "duration_ns",
				json_out_num(d->ended_ns - d->started_ns));
	json_origin(&o, d);
	json_view(&o, d, options);
	json_out_member(&o, "engines", engines(d));
	json_out_member(&o, "totals", totals(d));
	if (!saw_all(d))
		json_out_member(&o, "unseen", unseen(d));
	if (d->min_size || d->max_size)
		json_out_member(&o, "recorded", recorded(d));
	json_out_member(&o, "runtime", json_runtime(d));
	if (d->before.how)
		json_out_member(&o, "before", json_before(d));
	if (d->reach.known)
		json_out_member(&o, "reach", json_reach(d));
	if (d->n_rss)
		json_out_member(&o, "rss", json_rss(d));
	if (d->labelled)
		json_out_member(&o, "breakdown", json_string("kind"));
	modules(&o, d);
	bins(&o, d);
	if (chains)
		json_leaks(&o, d, rank, options);
	direct(&o, d, rank);
	if (chains) {
		json_graph(&o, d, rank);
		json_lifetimes(&o, d, options->own_code);
	}
	json_growing(&o, d, options->own_code);
	json_timeline(&o, d);
	json_out_raw(&o, "}\n");
	if (!o.err)
		o.err = stream_flush(out);
	free(rank);
	return o.err;
}

int report_json(const struct profile_data *d, const struct report_options *o, FILE *out)
{
	return write_report(d, o, true, out);
}

int report_json_short(const struct profile_data *d, const struct report_options *o, FILE *out)
{
	return write_report(d, o, false, out);
}
