/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks from before, resident memory, and what led to blocks: members of the report's JSON. */
#include "base/jsontext.h"
#include "base/stream.h"
#include "report/json.h"
#include "report/report.h"
#include "profile/runtime.h"


static json_t *sizes(const struct pd_before *b)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < b->n_bins; i++) {
		const struct pd_before_bin *bin = &b->bins[i];
		json_t *row =
			json_pack("{so so so so}", "usable", json_out_num(bin->usable), "blocks",
				  json_out_num(bin->blocks), "freed", json_out_num(bin->freed),
				  "missed", json_out_num(bin->missed));

		if (json_array_append_new(list, row)) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

json_t *json_before(const struct profile_data *d)
{
	const struct pd_before *b = &d->before;

	return json_pack("{sb so so so so so so sf so}", "walked", b->how == BEFORE_WALKED,
			 "blocks", json_out_num(b->blocks), "bytes", json_out_num(b->bytes),
			 "freed_blocks",
			 json_out_num(d->totals.before_frees), "freed_bytes",
			 json_out_num(b->freed_bytes), "missed", json_out_num(b->missed),
			 "missed_bytes", json_out_num(b->missed_bytes), "pause_ms",
			 (double)b->walk_ns / 1e6, "sizes", sizes(b));
}

int report_before_json(const struct profile_data *d, FILE *out)
{
	int err = json_text_put(json_before(d), JSON_COMPACT, out);

	return err ? err : stream_flush(out);
}

json_t *json_reach(const struct profile_data *d)
{
	static const char *const names[PD_REACH_CLASSES] = {"lost_direct", "lost_through",
							    "possible", "reachable"};
	json_t *o = json_pack("{so so}", "lost_and_freed", json_out_num(d->reach.freed),
			      "lost_inherited", json_out_num(d->reach.inherited));

	for (int k = 0; o && k < PD_REACH_CLASSES; k++) {
		json_t *sum = json_pack("{so so}", "blocks", json_out_num(d->reach.sums[k].blocks),
					"bytes", json_out_num(d->reach.sums[k].bytes));

		if (json_object_set_new(o, names[k], sum)) {
			json_decref(o);
			return NULL;
		}
	}
	return o;
}

json_t *json_rss(const struct profile_data *d)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < d->n_rss; i++) {
		const struct pd_rss_row *r = &d->rss[i];
		json_t *row = json_pack("{so so so}", "name", json_text(r->name), "rss",
					json_out_num(r->rss), "pss", json_out_num(r->pss));

		if (json_array_append_new(list, row)) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

json_t *json_runtime(const struct profile_data *d)
{
	struct pd_sum sums[RUNTIME_KINDS] = {0};
	json_t *list = json_array();

	for (size_t i = 0; i < d->n_leaves; i++)
		runtime_add(d, &d->leaves[i], sums);
	for (int k = RUNTIME_NONE + 1; list && k < RUNTIME_KINDS; k++) {
		if (!sums[k].blocks)
			continue;
		json_t *row = json_pack("{ss so so}", "kind", runtime_word(k), "blocks",
					json_out_num(sums[k].blocks), "bytes",
					json_out_num(sums[k].bytes));

		if (json_array_append_new(list, row)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}
