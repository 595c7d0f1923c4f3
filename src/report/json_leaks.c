/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/jsontext.h"
#include "report/json.h"
#include "report/json_path.h"
#include "report/leaks.h"
#include "report/verdicts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Without windows, as in files of older formats, nothing is written. */
static void write_verdict(struct json_out *o, const struct profile_data *d,
			  const struct leaks *all, const struct leak *l)
{
	char text[256];

	if (!d->window_ns)
		return;
	struct trend_verdict v = leaks_verdict(d, all, l);

	snprintf(text, sizeof text,
		 ",\"verdict\":{\"name\":\"%s\",\"z\":%.2f,\"rate_bytes_hour\":%.0f,"
		 "\"stays\":%.4f,\"since_ns\":%" PRIu64 "}",
		 trend_word(v.name), v.z, v.bytes_hour, v.stays, v.since * d->window_ns);
	json_out_raw(o, text);
}

/* Writes @before, then "NAMEblocks":N,"NAMEbytes":N. */
static void write_sum(struct json_out *o, const char *before, const char *name,
		      const struct pd_sum *s)
{
	char text[160];

	snprintf(text, sizeof text,
		 "%s\"%sblocks\":%" PRIu64 ",\"%sbytes\":%" PRIu64, before, name, s->blocks, name,
		 s->bytes);
	json_out_raw(o, text);
}

/* Nothing is written if nobody has looked for lost blocks. */
static void write_lost(struct json_out *o, const struct profile_data *d, const struct leak *l)
{
	const struct pd_sum *s = l->reach;
	static const char *const names[PD_REACH_CLASSES] = {
		[PD_LOST_THROUGH] = "through_",
		[PD_POSSIBLE] = "possible_",
		[PD_REACHABLE] = "reachable_",
	};
	struct pd_sum left = {l->allocs - l->frees, l->bytes - l->freed};

	if (!d->reach.known)
		return;
	write_sum(o, ",\"lost\":{", "", &s[PD_LOST]);
	write_sum(o, ",", "hanging_", &l->hanging);
	left.blocks -= s[PD_LOST].blocks;
	left.bytes -= s[PD_LOST].bytes;
	for (int k = PD_LOST + 1; k < PD_REACH_CLASSES; k++) {
		write_sum(o, ",", names[k], &s[k]);
		left.blocks -= s[k].blocks;
		left.bytes -= s[k].bytes;
	}
	write_sum(o, ",", "not_seen_", &left);
	json_out_raw(o, "}");
}

static void write_types(struct json_out *o, const struct profile_data *d, const struct leaks *all,
			const struct leak *l)
{
	json_t *types = json_types(d, &all->sizes, l->id);
	char *text = types ? json_text_dump(types, JSON_COMPACT) : NULL;

	json_decref(types);
	if (!text)
		json_out_fail(o, -ENOMEM);
	json_out_raw(o, "],\"types\":");
	json_out_raw(o, text ? text : "");
	free(text);
}

static json_t *pack_site_types(const struct pd_types_seen *s)
{
	json_t *names = json_array();

	for (size_t i = 0; names && i < s->n; i++)
		json_array_append_new(names, json_text(s->v[i]->name));
	return json_pack("{so ss sb}", "names", names, "how", pd_type_how_words[s->how], "certain",
			 s->certain);
}

/* Nothing is written if no type is known. */
static void write_site_types(struct json_out *o, const struct profile_data *d,
			     const struct leaks *all, const struct leak *l)
{
	struct pd_types_seen seen = { 0 };
	int err = leaks_site_types(d, all, l, &seen);
	json_t *types = !err && seen.n ? pack_site_types(&seen) : NULL;
	char *text = types ? json_text_dump(types, JSON_COMPACT) : NULL;

	if (err || (seen.n && !text))
		json_out_fail(o, -ENOMEM);
	if (text) {
		json_out_raw(o, ",\"site_type\":");
		json_out_raw(o, text);
	}
	free(text);
	json_decref(types);
	pd_types_seen_release(&seen);
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
		const char *text = json_site(e, all->sites[l->first + i]);

		if (!text) {
			json_out_fail(o, -ENOMEM);
			return;
		}
		json_out_raw(o, i ? "," : "");
		json_out_raw(o, text);
	}
	write_types(o, e->d, all, l);
	write_site_types(o, e->d, all, l);
	write_verdict(o, e->d, all, l);
	write_lost(o, e->d, l);
	json_out_raw(o, "}");
}

void json_leaks(struct json_out *o, const struct profile_data *d, const uint32_t *rank,
		const struct report_options *options)
{
	struct json_sites e;
	struct leaks l = { 0 };
	const struct leaks_wanted wanted = leaks_wanted_json(options);
	int err = json_sites_init(&e, d, options->own_code);

	if (!err)
		err = leaks_collect(d, rank, &wanted, &l);
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
