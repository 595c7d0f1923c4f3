/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json.h"
#include "report/json_path.h"
#include "report/leaks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static void write_types(struct json_out *o, const struct profile_data *d, const struct leaks *all,
			const struct leak *l)
{
	json_t *types = json_types(d, &all->sizes, l->id);
	char *text = types ? json_dumps(types, JSON_COMPACT) : NULL;

	json_decref(types);
	if (!text)
		json_out_fail(o, -ENOMEM);
	json_out_raw(o, "],\"types\":");
	json_out_raw(o, text ? text : "");
	json_out_raw(o, "}");
	free(text);
}

static void write_row(struct json_out *o, struct json_sites *e, const struct leaks *all,
		      const struct leak *l)
{
	char numbers[256];

	snprintf(numbers, sizeof numbers,
		 "{\"kept_bytes\":%" PRIu64 ",\"allocs\":%" PRIu64 ",\"bytes\":%" PRIu64
		 ",\"frees\":%" PRIu64 ",\"freed_bytes\":%" PRIu64 ",\"truncated\":%s,\"path\":[",
		 l->bytes - l->freed, l->allocs, l->bytes, l->frees, l->freed,
		 l->whole ? "false" : "true");
	json_out_next_row(o);
	json_out_raw(o, numbers);
	for (uint32_t i = 0; i < l->n; i++) {
		const char *text = json_site(e, l->site[i]);

		if (!text) {
			json_out_fail(o, -ENOMEM);
			return;
		}
		json_out_raw(o, i ? "," : "");
		json_out_raw(o, text);
	}
	write_types(o, e->d, all, l);
}

void json_leaks(struct json_out *o, const struct profile_data *d, const uint32_t *rank)
{
	struct json_sites e;
	struct leaks l = { 0 };
	int err = json_sites_init(&e, d);

	if (!err)
		err = leaks_collect(d, rank, LEAKS_BY_SITE, REPORT_VERBOSE, &l);
	if (err) {
		json_out_fail(o, err);
		goto out;
	}
	json_out_begin_rows(o, "leaks");
	for (size_t i = 0; i < l.n && !o->err; i++)
		write_row(o, &e, &l, &l.items[i]);
	json_out_end_rows(o);
out:
	leaks_release(&l);
	json_sites_release(&e);
}
