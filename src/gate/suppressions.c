/* SPDX-License-Identifier: BSD-2-Clause */
#include "gate/suppressions.h"

#include "base/array.h"
#include "base/glob.h"
#include "base/saturate.h"
#include "base/text.h"
#include "base/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* Remove blanks at both ends. */
static char *trim(char *line)
{
	static const char blanks[] = " \t\r\n\v\f";

	line += strspn(line, blanks);
	size_t len = strlen(line);

	while (len && strchr(blanks, line[len - 1]))
		line[--len] = '\0';
	return line;
}

/* 0, -EINVAL or -ENOMEM. */
static int add(struct gate_suppressions *s, const char *line, unsigned number)
{
	const char *pattern = text_after(line, "leak:");

	if (!*line || *line == '#')
		return 0;
	if (!pattern || !pattern[strspn(pattern, "^$*")])
		return -EINVAL;
	char *copy = strdup(pattern);
	if (!copy || ARRAY_RESERVE(&s->items, &s->cap, s->n)) {
		free(copy);
		return -ENOMEM;
	}
	s->items[s->n++] = (struct gate_suppression){.pattern = copy, .line = number};
	return 0;
}

static int add_line(struct gate_suppressions *s, const char *path, unsigned number, char *text,
		    bool is_text, struct error *e)
{
	char *line = trim(text);
	int err = is_text ? add(s, line, number) : -EINVAL;

	if (err == -EINVAL)
		error_set(e, err,
			  "%s, line %u: \"%s\" is no suppression: expected leak:PATTERN, "
			  "or a comment behind #",
			  path, number, line);
	return err;
}

int gate_suppressions_read(struct gate_suppressions *s, const char *path, struct error *e)
{
	enum { MOST = 1 << 20 };
	ssize_t len;
	char *text = text_file_read(path, MOST, &len);
	int err = len < 0 ? error_set(e, (int)len, "cannot read the suppressions %s: %s", path,
				      text_file_why((int)len))
			  : 0;
	unsigned n = 1;

	if (!err)
		text[len] = '\0';
	for (char *at = text, *end; !err && at < text + len; at = end + 1) {
		end = memchr(at, '\n', (size_t)(text + len - at));
		end = end ? end : text + len;
		*end = '\0';
		err = add_line(s, path, n++, at, strlen(at) == (size_t)(end - at), e);
	}
	free(text);
	return err == -ENOMEM ? error_set(e, err, "cannot read %s: out of memory", path) : err;
}

void gate_suppressions_release(struct gate_suppressions *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->items[i].pattern);
	free(s->items);
	*s = (struct gate_suppressions){0};
}

/* ---- matching ---- */

static bool is_for(const char *pattern, const struct profile_data *d, const struct pd_site *site)
{
	const struct pd_function *f = &d->functions[site->function];

	return glob_finds(pattern, f->name) || (f->linkage && glob_finds(pattern, f->linkage)) ||
	       (site->file && glob_finds(pattern, site->file)) ||
	       (f->module < d->n_modules && glob_finds(pattern, d->modules[f->module].path));
}

static uint32_t first_for(const struct gate_suppressions *s, const struct profile_data *d,
			  const struct pd_site *site)
{
	for (size_t i = 0; i < s->n; i++)
		if (is_for(s->items[i].pattern, d, site))
			return (uint32_t)i;
	return PD_NONE;
}

uint32_t *gate_suppressions_of_nodes(const struct gate_suppressions *s,
				     const struct profile_data *d)
{
	uint32_t *of = malloc(d->n_nodes * sizeof *of);
	uint32_t *of_sites = malloc((d->n_sites + 1) * sizeof *of_sites);

	for (size_t i = 0; of && of_sites && i < d->n_sites; i++)
		of_sites[i] = first_for(s, d, &d->sites[i]);
	for (size_t i = 0; of && of_sites && i < d->n_nodes; i++) {
		const struct pd_node *n = &d->nodes[i];

		of[i] = i < PD_FIRST_NODE ? PD_NONE : of_sites[n->site];
		if (i >= PD_FIRST_NODE && of[i] == PD_NONE)
			of[i] = of[n->parent];
	}
	if (!of_sites) {
		free(of);
		of = NULL;
	}
	free(of_sites);
	return of;
}

void gate_suppressions_count(struct gate_suppressions *s, const struct profile_data *d,
			     const uint32_t *of)
{
	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];
		uint32_t which = of[l->node];

		if (which == PD_NONE)
			continue;
		struct gate_suppression *by = &s->items[which];
		uint64_t kept = l->allocs - l->frees;

		/* The sum over several profiles may overflow. */
		saturate_add(&by->blocks, kept);
		saturate_add(&by->bytes, kept * l->size);
	}
}
