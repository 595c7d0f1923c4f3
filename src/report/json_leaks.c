/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json.h"
#include "report/leaks.h"
#include "report/names.h"

#include <errno.h>
#include <stdlib.h>

/* The elements of the paths, each made once: a call site is on many paths. */
struct elements {
	const struct profile_data *d;
	json_t **of_site;	/* the last one, of_site[n_sites], is the one of "?" */
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

	return json_pack("{so sI so so so}",
			 "function", json_out_text(names_text(d, function)),
			 "offset", json_out_int(s->offset),
			 "file", json_out_text(s->file),
			 "line", line,
			 "module", json_out_text(module_of(d, function)));
}

static json_t *element(struct elements *e, uint32_t site)
{
	size_t i = site < e->d->n_sites ? site : e->d->n_sites;

	if (!e->of_site[i])
		e->of_site[i] = make_element(e->d, i);
	return e->of_site[i];
}

static json_t *path_of(struct elements *e, const struct leak *l)
{
	json_t *path = json_array();

	for (uint32_t i = 0; path && i < l->n; i++) {
		if (json_array_append(path, element(e, l->site[i]))) {
			json_decref(path);
			return NULL;
		}
	}
	return path;
}

static json_t *row_of(struct elements *e, const struct leak *l)
{
	return json_pack("{sI sI sI sI sI sb so}",
			 "kept_bytes", json_out_int(l->bytes - l->freed),
			 "allocs", json_out_int(l->allocs),
			 "bytes", json_out_int(l->bytes),
			 "frees", json_out_int(l->frees),
			 "freed_bytes", json_out_int(l->freed),
			 "truncated", !l->whole,
			 "path", path_of(e, l));
}

void json_leaks(struct json_out *o, const struct profile_data *d, const uint32_t *rank)
{
	struct elements e = { .d = d, .of_site = calloc(d->n_sites + 1, sizeof *e.of_site) };
	struct leaks l = { 0 };
	int err = e.of_site ? leaks_collect(d, rank, true, &l) : -ENOMEM;

	if (err) {
		json_out_fail(o, err);
		goto out;
	}
	json_out_begin_rows(o, "leaks");
	for (size_t i = 0; i < l.n && !o->err; i++)
		json_out_row(o, row_of(&e, &l.items[i]));
	json_out_end_rows(o);
out:
	leaks_release(&l);
	for (size_t i = 0; e.of_site && i <= d->n_sites; i++)
		json_decref(e.of_site[i]);
	free(e.of_site);
}
