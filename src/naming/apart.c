/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/apart_internal.h"

#include "base/namesource.h"
#include "profile/datafile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t n_leaves(const struct naming *n)
{
	return n->how->leaf_nodes ? n->all[0].profile->n_leaves : 0;
}

/* @namer: NULL: no file is read. Returns NULL: out of memory. */
static struct profile_data *resolve(const struct naming *n, size_t which, struct namer *namer)
{
	const struct reading *r = &n->reading;
	struct profile_data *d = profile_data_new();
	struct resolve_how how = *n->how;
	int err = d ? 0 : -ENOMEM;

	how.search = r->search;
	how.namer = namer;
	how.jit_map = n->old || !namer ? -1 : n->all[which].jit_map;
	if (!err && n->old)
		err = resolve_again(n->old, r->files, &r->search, d);
	else if (!err)
		err = resolve_profile_by(&how, n->all[which].profile, r->files, r->n_files,
					 n->all[which].program, d);
	if (!err)
		return d;
	profile_data_free(d);
	return NULL;
}

/* ---- in the process ---- */

int naming_work(struct reading *r, size_t which, struct namer *namer, int out)
{
	const struct naming *n = r->ctx;
	struct profile_data *d = resolve(n, which, namer);
	struct error e;
	int err = d ? 0 : -ENOMEM;

	if (!err && n->how->leaf_nodes)
		err = reading_tell(n->how->leaf_nodes, n_leaves(n) * sizeof(uint32_t));
	reading_is_done();
	err = err ? err : datafile_send(out, d, &e);
	profile_data_free(d);
	return err;
}

/* ---- outside ---- */

int naming_told(struct reading *r, size_t which, const char *bytes, size_t size)
{
	struct naming *n = r->ctx;

	(void)which;
	if (!n->how->leaf_nodes || size != n_leaves(n) * sizeof(uint32_t))
		return -EPROTO;
	memcpy(n->how->leaf_nodes, bytes, size);
	n->leaves_told = true;
	return 0;
}

/* NULL: the result is invalid. */
static struct profile_data *read_result(int fd, size_t n_modules)
{
	struct profile_data *d;
	struct error e;

	if (datafile_receive(fd, &d, &e))
		return NULL;
	if (d->n_modules == n_modules)
		return d;
	profile_data_free(d);
	return NULL;
}

static bool are_leaves(const struct naming *n, const struct profile_data *d)
{
	bool fine = !n->how->leaf_nodes || n->leaves_told;

	for (size_t i = 0; fine && i < n_leaves(n); i++)
		fine = n->how->leaf_nodes[i] == PD_NONE || n->how->leaf_nodes[i] < d->n_nodes;
	return fine;
}

/* Notes why files were left out. A profile that had names keeps its old notes. */
static int describe_left_out(const struct naming *n, struct profile_data *d)
{
	for (size_t i = 0; i < n->reading.n_files; i++) {
		struct pd_module *m = &d->modules[i];
		char *text;

		if (!n->reading.why[i] || n->old)
			continue;
		if (asprintf(&text, NAMESOURCE_UNREAD "%s", n->reading.why[i]) < 0)
			return -ENOMEM;
		free(m->names);
		m->names = text;
	}
	return 0;
}

/* @d: NULL: out of memory. */
static void hand_over(const struct naming *n, size_t which, struct profile_data *d)
{
	if (d && describe_left_out(n, d)) {
		profile_data_free(d);
		d = NULL;
	}
	n->named(n->ctx, which, d);
}

int naming_take(struct reading *r, size_t which, int fd)
{
	struct naming *n = r->ctx;
	struct profile_data *d = read_result(fd, r->n_files);

	if (!d || !are_leaves(n, d)) {
		profile_data_free(d);
		return -EUCLEAN;
	}
	hand_over(n, which, d);
	return 0;
}

void naming_without_files(struct reading *r, size_t which)
{
	hand_over(r->ctx, which, resolve(r->ctx, which, NULL));
}

static const struct reading_ops ops = { naming_work, naming_take, naming_without_files,
					naming_told };

/* ---- all of it ---- */

static void run(struct naming *n, const struct resolve_module *modules, size_t n_modules)
{
	struct reading *r = &n->reading;
	int *maps = calloc(r->n + 1, sizeof *maps);

	for (size_t i = 0; maps && n->all && i < r->n; i++)
		maps[r->n_fds++] = n->all[i].jit_map;
	r->ops = &ops;
	r->ctx = n;
	r->fds = maps;
	if (!maps || reading_run(r, modules, n_modules))
		for (size_t i = 0; i < r->n; i++)
			n->named(n->ctx, i, NULL);
	for (size_t i = 0; n->how->left_out && i < r->n_files; i++)
		n->how->left_out[i] = r->why[i];
	reading_end(r);
	free(maps);
}

void naming_take_only(void *ctx, size_t which, struct profile_data *d)
{
	(void)which;
	*(struct profile_data **)ctx = d;
}

int resolve_profile_apart(const struct resolve_how *how, const struct profile *p,
			  const struct resolve_module *modules, size_t n_modules, uint32_t program,
			  say_fn *say, struct profile_data **out)
{
	const struct resolve_one one = { p, program, how->jit_map };
	struct naming n = { .reading = { .search = how->search, .n = 1, .say = say },
			    .how = how, .all = &one, .named = naming_take_only, .ctx = out };

	run(&n, modules, n_modules);
	return *out ? 0 : -ENOMEM;
}

int resolve_again_apart(const struct profile_data *old, const struct resolve_module *files,
			const struct symbols_search *search, say_fn *say, struct profile_data **out)
{
	struct naming n = { .reading = { .search = *search, .n = 1, .say = say },
			    .how = &RESOLVE_PLAINLY, .old = old, .named = naming_take_only,
			    .ctx = out };

	run(&n, files, old->n_modules);
	return *out ? 0 : -ENOMEM;
}

void resolve_profiles_apart(const struct symbols_search *search, const struct resolve_one *v,
			    size_t n_all, const struct resolve_module *modules, size_t n_modules,
			    say_fn *say, resolve_named *named, void *ctx)
{
	struct naming n = { .reading = { .search = *search, .n = n_all, .say = say },
			    .how = &RESOLVE_PLAINLY, .all = v, .named = named, .ctx = ctx };

	run(&n, modules, n_modules);
}
