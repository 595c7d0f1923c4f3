/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/pd_merge.h"

#include "base/array.h"
#include "base/text.h"
#include "base/texts.h"
#include "profile/pd_merge_internal.h"
#include "profile/pd_site_types.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct pd_merge *pd_merge_new(void)
{
	struct pd_merge *m = calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->d = profile_data_new();
	m->tree.d = m->d;
	if (m->d)
		return m;
	free(m);
	return NULL;
}

void pd_merge_free(struct pd_merge *m)
{
	if (!m)
		return;
	profile_data_free(m->d);
	pd_tree_release(&m->tree);
	idindex_release(&m->functions);
	idindex_release(&m->sites);
	texts_free(m->programs);
	free(m);
}

/* ---- numbers in a profile -> numbers in the sum ---- */

static void maps_release(struct merge_maps *to)
{
	free(to->module);
	free(to->function);
	free(to->site);
	free(to->node);
}

/* A copy for free(). @from may be NULL, which gives NULL and no error. */
static char *copy_text(const char *from, int *err)
{
	char *copy = from ? strdup(from) : NULL;

	if (from && !copy)
		*err = -ENOMEM;
	return copy;
}

static bool is_module(const struct pd_module *a, const struct pd_module *b)
{
	return !strcmp(a->path, b->path) && !strcmp(a->build_id, b->build_id);
}

/* The source of names is that of the first profile that has one. */
static int take_names(struct pd_module *to, const struct pd_module *from)
{
	int err = 0;

	if (*to->names || !*from->names)
		return 0;
	char *names = copy_text(from->names, &err);
	if (names) {
		free(to->names);
		to->names = names;
	}
	return err;
}

static int map_module(struct pd_merge *m, const struct pd_module *from, uint32_t *number)
{
	struct profile_data *d = m->d;
	int err = 0;

	for (*number = 0; *number < d->n_modules; ++*number)
		if (is_module(&d->modules[*number], from))
			return take_names(&d->modules[*number], from);
	if (ARRAY_RESERVE(&d->modules, &m->cap_modules, d->n_modules))
		return -ENOMEM;
	/* Count the module even if a copy failed: its strings are freed with it. */
	d->modules[d->n_modules++] = (struct pd_module){ copy_text(from->path, &err),
							 copy_text(from->build_id, &err),
							 copy_text(from->names, &err) };
	return err;
}

static bool texts_differ(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : a != b;
}

static bool function_eq(const void *owner, uint32_t id, const void *key)
{
	const struct pd_function *a = &((const struct pd_merge *)owner)->d->functions[id], *b = key;

	return a->module == b->module && a->address == b->address && !strcmp(a->name, b->name) &&
	       !texts_differ(a->linkage, b->linkage);
}

static uint64_t function_hash(const struct pd_function *f)
{
	return hash_text(hash_add(f->address, f->module), f->name);
}

static uint64_t function_rehash(const void *owner, uint32_t id)
{
	return function_hash(&((const struct pd_merge *)owner)->d->functions[id]);
}

static int map_function(struct pd_merge *m, const struct merge_maps *to,
			const struct pd_function *from, uint32_t *number)
{
	struct profile_data *d = m->d;
	struct pd_function f = *from;
	int err = 0;

	f.module = f.module == PD_NONE ? PD_NONE : to->module[f.module];
	uint64_t hash = function_hash(&f);
	*number = idindex_find(&m->functions, hash, function_eq, m, &f);
	if (*number != IDINDEX_NONE)
		return 0;
	*number = (uint32_t)d->n_functions;
	if (ARRAY_RESERVE(&d->functions, &m->cap_functions, d->n_functions))
		return -ENOMEM;
	f.name = copy_text(from->name, &err);
	f.linkage = copy_text(from->linkage, &err);
	d->functions[d->n_functions++] = f;
	return err ? err : idindex_add(&m->functions, *number, hash, function_rehash, m);
}

static bool site_eq(const void *owner, uint32_t id, const void *key)
{
	const struct pd_site *a = &((const struct pd_merge *)owner)->d->sites[id], *b = key;

	return a->function == b->function && a->address == b->address && a->offset == b->offset &&
	       a->line == b->line && a->inlined == b->inlined && a->exact == b->exact &&
	       a->guessed == b->guessed && !texts_differ(a->file, b->file);
}

static uint64_t site_hash(const struct pd_site *s)
{
	return hash_add(hash_add(s->address, s->function), s->line);
}

static uint64_t site_rehash(const void *owner, uint32_t id)
{
	return site_hash(&((const struct pd_merge *)owner)->d->sites[id]);
}

static int map_site(struct pd_merge *m, const struct merge_maps *to, const struct pd_site *from,
		    uint32_t *number)
{
	struct profile_data *d = m->d;
	struct pd_site s = *from;
	int err = 0;

	s.function = to->function[s.function];
	uint64_t hash = site_hash(&s);
	*number = idindex_find(&m->sites, hash, site_eq, m, &s);
	if (*number != IDINDEX_NONE)
		return 0;
	*number = (uint32_t)d->n_sites;
	if (ARRAY_RESERVE(&d->sites, &m->cap_sites, d->n_sites))
		return -ENOMEM;
	s.file = copy_text(from->file, &err);
	d->sites[d->n_sites++] = s;
	return err ? err : idindex_add(&m->sites, *number, hash, site_rehash, m);
}

static int map_node(struct pd_merge *m, const struct merge_maps *to, const struct pd_node *from,
		    uint32_t *number)
{
	*number = pd_tree_child(&m->tree, to->node[from->parent], to->site[from->site]);
	if (*number == IDINDEX_NONE)
		return -ENOMEM;
	return merge_sum(&m->d->nodes[*number].resumed, from->resumed);
}

/* Fills all maps, adding to the sum what is not there yet. */
static int map_all(struct pd_merge *m, const struct profile_data *d, struct merge_maps *to)
{
	int err = 0;

	to->module = calloc(d->n_modules + 1, sizeof *to->module);
	to->function = calloc(d->n_functions + 1, sizeof *to->function);
	to->site = calloc(d->n_sites + 1, sizeof *to->site);
	to->node = calloc(d->n_nodes + 1, sizeof *to->node);
	if (!to->module || !to->function || !to->site || !to->node)
		return -ENOMEM;
	for (size_t i = 0; !err && i < d->n_modules; i++)
		err = map_module(m, &d->modules[i], &to->module[i]);
	for (size_t i = 0; !err && i < d->n_functions; i++)
		err = map_function(m, to, &d->functions[i], &to->function[i]);
	for (size_t i = 0; !err && i < d->n_sites; i++)
		err = map_site(m, to, &d->sites[i], &to->site[i]);
	for (uint32_t i = 0; !err && i < d->n_nodes; i++) {
		to->node[i] = i;
		if (i >= PD_FIRST_NODE)
			err = map_node(m, to, &d->nodes[i], &to->node[i]);
	}
	return err;
}

/* ---- the sum ---- */

static int add_name(struct pd_merge *m, const char *program)
{
	size_t n = 0;

	for (; m->programs && m->programs[n]; n++)
		if (!strcmp(m->programs[n], program))
			return 0;
	char **grown = reallocarray(m->programs, n + 2, sizeof *grown);
	if (!grown)
		return -ENOMEM;
	m->programs = grown;
	grown[n] = strdup(program);
	grown[n + 1] = NULL;
	return grown[n] ? 0 : -ENOMEM;
}

/* A sum brings the programs that it is made of, as if they had been added one by one. */
static int add_program(struct pd_merge *m, const struct profile_data *d,
		       const struct merge_maps *to)
{
	uint32_t module = d->program == PD_NONE ? PD_NONE : to->module[d->program];
	int err = 0;

	m->d->program = !m->n || m->d->program == module ? module : PD_NONE;
	if (!pd_merge_count(d))
		return add_name(m, d->command && d->command[0] ? d->command[0] : "?");
	for (size_t i = 1; !err && d->command[i]; i++)
		err = add_name(m, d->command[i]);
	return err;
}

int pd_merge_add(struct pd_merge *m, const struct profile_data *d)
{
	struct merge_maps to = { 0 };
	size_t count = pd_merge_count(d);
	int err = map_all(m, d, &to);

	if (!err)
		err = add_program(m, d, &to);
	if (!err)
		err = merge_counts(m, d, &to);
	if (!err)
		err = merge_sum(&m->n, count ? count : 1);
	maps_release(&to);
	return err;
}

/* "sum of 3 profiles", followed by the programs. */
static int make_command(struct pd_merge *m)
{
	size_t n = 0;

	while (m->programs && m->programs[n])
		n++;
	char **command = calloc(n + 2, sizeof *command);
	if (!command)
		return -ENOMEM;
	if (asprintf(&command[0], "sum of %" PRIu64 " profiles", m->n) < 0) {
		free(command);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		command[i + 1] = m->programs[i];
	free(m->programs);
	m->programs = NULL;
	texts_free(m->d->command);
	m->d->command = command;
	return 0;
}

/* The pid of a sum is 0, so that no program's name can be taken for this. */
size_t pd_merge_count(const struct profile_data *d)
{
	const char *n = d->pid || !d->command || !d->command[0] ?
				NULL : text_after(d->command[0], "sum of ");
	char *end;

	if (!n || *n < '0' || *n > '9')
		return 0;
	unsigned long count = strtoul(n, &end, 10);
	return strcmp(end, " profiles") ? 0 : count;
}

struct profile_data *pd_merge_finish(struct pd_merge *m)
{
	struct profile_data *d = NULL;

	if (!make_command(m) && !merge_finish_counts(m)) {
		d = m->d;
		m->d = NULL;
	}
	pd_merge_free(m);
	return d;
}
