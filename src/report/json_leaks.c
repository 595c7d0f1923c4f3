/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json.h"
#include "report/leaks.h"
#include "report/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * The elements of the paths as text, each made once: a call site is on many paths, and there may
 * be a million paths.
 */
struct elements {
	const struct profile_data *d;
	char **of_site;		/* the last one, of_site[n_sites], is the one of "?" */
};

static const char *module_of(const struct profile_data *d, uint32_t function)
{
	if (function >= d->n_functions || d->functions[function].module >= d->n_modules)
		return NULL;
	return d->modules[d->functions[function].module].path;
}

static json_t *make_element(const struct profile_data *d, size_t site)
{
	static const struct pd_site unknown = { .function = PD_NONE };
	const struct pd_site *s = site < d->n_sites ? &d->sites[site] : &unknown;
	uint32_t function = names_function(d, (uint32_t)site);
	json_t *line = s->line ? json_integer(s->line) : json_null();

	return json_pack("{so sI so so so sb sb}",
			 "function", json_out_text(names_text(d, function)),
			 "offset", json_out_int(s->offset),
			 "file", json_out_text(s->file),
			 "line", line,
			 "module", json_out_text(module_of(d, function)),
			 "inlined", s->inlined,
			 "guessed", s->guessed);
}

/* NULL: out of memory. */
static const char *element(struct elements *e, uint32_t site)
{
	size_t i = site < e->d->n_sites ? site : e->d->n_sites;

	if (!e->of_site[i]) {
		json_t *made = make_element(e->d, i);

		e->of_site[i] = json_dumps(made, JSON_COMPACT);
		json_decref(made);
	}
	return e->of_site[i];
}

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

static void write_row(struct json_out *o, struct elements *e, const struct leaks *all,
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
		const char *text = element(e, l->site[i]);

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
	struct elements e = { .d = d, .of_site = calloc(d->n_sites + 1, sizeof *e.of_site) };
	struct leaks l = { 0 };
	int err = e.of_site ? leaks_collect(d, rank, LEAKS_BY_SITE, REPORT_VERBOSE, &l) : -ENOMEM;

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
	for (size_t i = 0; e.of_site && i <= d->n_sites; i++)
		free(e.of_site[i]);
	free(e.of_site);
}
