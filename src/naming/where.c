/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/where.h"

#include "base/text.h"
#include "naming/shortname.h"
#include "profile/pd_names.h"

#include <inttypes.h>
#include <stdio.h>

const char *where_function(const struct profile_data *d, uint32_t site, char name[WHERE_FUNCTION])
{
	uint32_t id = names_function(d, site);
	const struct pd_function *fn = id < d->n_functions ? &d->functions[id] : NULL;

	snprintf(name, WHERE_FUNCTION, "%s", names_text(d, id));
	if (fn && !names_is_nameless(fn->name))
		shortname(fn->linkage, fn->name, name, WHERE_FUNCTION);
	return name;
}

char *where_text(const struct profile_data *d, uint32_t site)
{
	const struct pd_site *s = site < d->n_sites ? &d->sites[site] : NULL;
	uint32_t id = names_function(d, site);
	const struct pd_function *fn = id < d->n_functions ? &d->functions[id] : NULL;
	char name[WHERE_FUNCTION], line[16] = "", *text;
	const char *file = NULL;

	where_function(d, site, name);
	if (s && s->file && s->line) {
		file = path_last(s->file);
		snprintf(line, sizeof line, ":%" PRIu32, s->line);
	} else if (fn && fn->module < d->n_modules && !names_is_nameless(fn->name)) {
		file = path_last(d->modules[fn->module].path);
	}
	int n = file ? asprintf(&text, "%s (%s%s)", name, file, line) : asprintf(&text, "%s", name);

	return n < 0 ? NULL : text;
}
