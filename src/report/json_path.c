/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json_path.h"

#include "base/jsontext.h"
#include "profile/own_code.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

int json_sites_init(struct json_sites *s, const struct profile_data *d,
		    const char *const *own_code)
{
	*s = (struct json_sites){ d, own_code_holders(d, own_code),
				  calloc(d->n_sites + 1, sizeof *s->of_site) };
	return s->own && s->of_site ? 0 : -ENOMEM;
}

void json_sites_release(struct json_sites *s)
{
	for (size_t i = 0; s->of_site && i <= s->d->n_sites; i++)
		free(s->of_site[i]);
	free(s->own);
	s->own = NULL;
	free(s->of_site);
	s->of_site = NULL;
}

static const char *module_of(const struct profile_data *d, uint32_t function)
{
	if (function >= d->n_functions || d->functions[function].module >= d->n_modules)
		return NULL;
	return d->modules[d->functions[function].module].path;
}

static json_t *make_element(const struct profile_data *d, size_t site, bool own)
{
	static const struct pd_site unknown = { .function = PD_NONE };
	const struct pd_site *s = site < d->n_sites ? &d->sites[site] : &unknown;
	uint32_t function = names_function(d, (uint32_t)site);
	json_t *line = s->line ? json_integer(s->line) : json_null();

	return json_pack("{so so so so so sb sb sb}",
			 "function", json_text(names_text(d, function)),
			 "offset", json_out_num(s->offset),
			 "file", json_text(s->file),
			 "line", line,
			 "module", json_text(module_of(d, function)),
			 "inlined", s->inlined,
			 "guessed", s->guessed,
			 "own", own);
}

const char *json_site(struct json_sites *e, uint32_t site)
{
	size_t i = site < e->d->n_sites ? site : e->d->n_sites;

	if (!e->of_site[i]) {
		json_t *made = make_element(e->d, i, e->own[i]);

		e->of_site[i] = json_text_dump(made, JSON_COMPACT);
		json_decref(made);
	}
	return e->of_site[i];
}
