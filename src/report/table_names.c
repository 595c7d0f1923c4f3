/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in tables; on a terminal, they are cut to its width. */
#include "base/text.h"
#include "naming/shortname.h"
#include "profile/pd_names.h"
#include "report/tables.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* No line of a terminal has room for more. */
#define SHORT_NAME 512

/* The name without template arguments and parameters. @name: a buffer for it. */
static const char *short_name(const struct profile_data *d, uint32_t function,
			      char name[SHORT_NAME])
{
	const struct pd_function *fn = function < d->n_functions ? &d->functions[function] : NULL;

	if (!fn || names_is_nameless(fn->name))
		return names_text(d, function);
	shortname(fn->linkage, fn->name, name, SHORT_NAME);
	return name;
}

void tables_append_function(struct row *r, const struct profile_data *d, uint32_t function)
{
	const char *name = names_text(d, function);
	char shorter[SHORT_NAME];

	if (row_is_too_wide(r, name))
		name = short_name(d, function, shorter);
	row_append_name(r, name);
}

static bool all_fit(const struct row *r, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (row_is_too_wide(r, names[i]))
			return false;
	return true;
}

void tables_share_line(struct row *r, const struct profile_data *d, const uint32_t *sites, size_t n,
		       size_t between)
{
	const char *names[32];
	char shorter[COUNT(names)][SHORT_NAME];

	if (!r->columns || !n)
		return;
	n = n < COUNT(names) ? n : COUNT(names);
	for (size_t i = 0; i < n; i++)
		names[i] = names_text(d, names_function(d, sites[i]));
	row_share(r, names, n, between);
	if (all_fit(r, names, n))
		return;
	for (size_t i = 0; i < n; i++)
		names[i] = short_name(d, names_function(d, sites[i]), shorter[i]);
	row_share(r, names, n, between);
}

/* ---- the line, which is never cut ---- */

void tables_append_line(struct row *r, const struct profile_data *d, uint32_t site)
{
	const struct pd_site *s = site < d->n_sites ? &d->sites[site] : NULL;

	if (!s || !s->file || !s->line)
		return;
	row_append(r, " (");
	row_append_whole_name(r, path_last(s->file));
	row_append(r, ":");
	row_append_number(r, s->line);
	row_append(r, ")");
}

size_t tables_line_columns(const struct profile_data *d, uint32_t site)
{
	const struct pd_site *s = site < d->n_sites ? &d->sites[site] : NULL;

	if (!s || !s->file || !s->line)
		return 0;
	return row_name_columns(path_last(s->file)) + strlen(" (:10000)");
}

void tables_append_requester(struct row *r, const struct profile_data *d, uint32_t function,
			     uint32_t site)
{
	row_spare(r, tables_line_columns(d, site));
	tables_append_function(r, d, function);
	tables_append_line(r, d, site);
}
