/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/apart.h"

#include "confine/apart.h"
#include "profile/datafile.h"
#include "symbols/debuginfod.h"
#include "symbols/namecache_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So many files may end the process before none is read any more. */
enum { TRIES = 3 };

/* What the process asks for. */
enum { ASK_TELL = 1, ASK_FETCH, ASK_KEEP, ASK_LEAVES };

/* One of resolve.h's functions, and what it is to be called with. */
struct naming {
	int (*resolve)(struct naming *n, struct profile_data *out);
	const struct resolve_how *how;
	const struct profile *profile;
	uint32_t program;
	const struct profile_data *old;
	struct symbols_search search;
	struct resolve_module *modules;	/* fd -1 of those that are left out */
	size_t n_modules;
	int jit_map;
	uint32_t *leaf_nodes;		/* NULL: nobody wants to know */
	size_t n_leaves;
	bool leaves_told;
	unsigned fetched;
	char **why;			/* a module is left out */
	say_fn *say;
};

static int resolve_new(struct naming *n, struct profile_data *out)
{
	struct resolve_how how = *n->how;

	how.search = n->search;
	how.jit_map = n->jit_map;
	return resolve_profile_by(&how, n->profile, n->modules, n->n_modules, n->program, out);
}

static int resolve_old(struct naming *n, struct profile_data *out)
{
	return resolve_again(n->old, n->modules, &n->search, out);
}

/* ---- in the process ---- */

static void ask_tell(const char *text)
{
	apart_ask(ASK_TELL, text, strlen(text), NULL);
}

static int ask_fetch(const char *build_id, const char *module, char path[PATH_MAX])
{
	char *text = NULL;
	int len = asprintf(&text, "%s %s", build_id, module);
	int err = len < 0 ? -ENOMEM : apart_ask(ASK_FETCH, text, (size_t)len, path);

	free(len < 0 ? NULL : text);
	return err;
}

/* The text, its end, and the bytes. */
static void ask_keep(const char *build_id, const char *bytes, size_t n)
{
	size_t len = strlen(build_id) + 1;
	char *both = malloc(len + n);

	if (!both)
		return;
	memcpy(both, build_id, len);
	memcpy(both + len, bytes, n);
	apart_ask(ASK_KEEP, both, len + n, NULL);
	free(both);
}

static const struct symbols_outside outside = { apart_note, apart_out_of_memory, ask_fetch,
						ask_keep };

static int name_in_there(void *ctx, int out)
{
	struct naming *n = ctx;
	struct profile_data *d = profile_data_new();
	struct error e;

	n->search.outside = &outside;
	n->search.progress = n->search.progress ? ask_tell : NULL;
	int err = d ? n->resolve(n, d) : -ENOMEM;

	if (!err && n->leaf_nodes)
		err = apart_ask(ASK_LEAVES, n->leaf_nodes, n->n_leaves * sizeof *n->leaf_nodes,
				NULL);
	/* What it was about is read by now: if there is no memory for this, nobody is to blame. */
	apart_note(UINT32_MAX);
	return err ? err : datafile_write_fd(out, d, &e);
}

/* ---- outside ---- */

static int fetch(struct naming *n, char *text, char answer[APART_ANSWER])
{
	char *module = strchr(text, ' ');
	struct symbols_search search = n->search;

	/* Who asks for more than there can be means something else by it. */
	if (!module || !search.fetch || n->fetched++ > 2 * n->n_modules)
		return -ENOENT;
	*module++ = '\0';
	if (strspn(text, "0123456789abcdef") != strlen(text))
		return -ENOENT;
	return debuginfod_fetch(&search, text, module, answer);
}

static int take_leaves(struct naming *n, const char *bytes, size_t size)
{
	if (!n->leaf_nodes || size != n->n_leaves * sizeof *n->leaf_nodes)
		return -EPROTO;
	memcpy(n->leaf_nodes, bytes, size);
	n->leaves_told = true;
	return 0;
}

static int serve(void *ctx, unsigned kind, const char *bytes, size_t size,
		 char answer[APART_ANSWER])
{
	struct naming *n = ctx;
	char *text = NULL;
	int err = 0;

	switch (kind) {
	case ASK_TELL:
		if (n->search.progress)
			say_to(n->search.progress, "%s", bytes);
		return 0;
	case ASK_FETCH:
		text = strdup(bytes);
		err = text ? fetch(n, text, answer) : -ENOMEM;
		free(text);
		return err;
	case ASK_KEEP:
		if (n->search.cache && strnlen(bytes, size) < size)
			cache_keep(bytes, bytes + strlen(bytes) + 1, size - strlen(bytes) - 1);
		return 0;
	case ASK_LEAVES:
		return take_leaves(n, bytes, size);
	default:
		return -EPROTO;
	}
}

/* NULL: it is not what it should be. */
static struct profile_data *read_result(struct naming *n, int fd, struct error *why)
{
	struct profile_data *d;
	char path[32];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int err = datafile_read(path, &d, why);
	bool fine = !err && d->n_modules == n->n_modules && (!n->leaf_nodes || n->leaves_told);

	for (size_t i = 0; fine && n->leaf_nodes && i < n->n_leaves; i++)
		fine = n->leaf_nodes[i] == PD_NONE || n->leaf_nodes[i] < d->n_nodes;
	if (fine)
		return d;
	if (!err)
		profile_data_free(d);
	/* Which bytes of it are wrong helps nobody. */
	error_set(why, -EUCLEAN, "gave what is no profile of this program");
	return NULL;
}

/* NULL: see @end. */
static struct profile_data *try_apart(struct naming *n, struct apart_end *end)
{
	int *fds = calloc(n->n_modules + 1, sizeof *fds);
	struct profile_data *d = NULL;
	const struct apart_work work = { .work = name_in_there, .serve = serve, .ctx = n,
					 .fds = fds, .n_fds = n->n_modules + 1,
					 .bounds = apart_bounds() };

	*end = (struct apart_end){ .noted = UINT32_MAX };
	if (!fds) {
		error_set(&end->why, -ENOMEM, "takes memory that there is not");
		return NULL;
	}
	for (size_t i = 0; i < n->n_modules; i++)
		fds[i] = n->modules[i].fd;
	fds[n->n_modules] = n->jit_map;
	n->leaves_told = false;
	int out = apart_run(&work, end);

	if (out >= 0) {
		d = read_result(n, out, &end->why);
		close(out);
	}
	free(fds);
	return d;
}

static void leave_out(struct naming *n, size_t module, const struct error *why)
{
	n->modules[module].fd = -1;
	n->why[module] = strdup(why->text);
}

/* Nothing is read any more, by whoever names it. */
static void leave_all_out(struct naming *n, const struct error *why)
{
	for (size_t i = 0; i < n->n_modules; i++)
		if (n->modules[i].fd >= 0)
			leave_out(n, i, why);
	n->jit_map = -1;
	n->search = (struct symbols_search){ 0 };
	say_to(n->say, "no names are told: the process that reads them %s", why->text);
}

static struct profile_data *name_without_files(struct naming *n)
{
	struct profile_data *d = profile_data_new();

	if (d && !n->resolve(n, d))
		return d;
	profile_data_free(d);
	return NULL;
}

/* A profile that has names keeps those of a file that is left out. */
static int describe_left_out(const struct naming *n, struct profile_data *d)
{
	for (size_t i = 0; i < n->n_modules; i++) {
		struct pd_module *m = &d->modules[i];
		char *text;

		if (!n->why[i] || n->old)
			continue;
		if (asprintf(&text, "none; reading it %s", n->why[i]) < 0)
			return -ENOMEM;
		free(m->names);
		m->names = text;
	}
	return 0;
}

static struct profile_data *name(struct naming *n)
{
	struct profile_data *d = NULL;
	struct apart_end end;

	for (int tries = 0; !d && tries < TRIES; tries++) {
		d = try_apart(n, &end);
		if (d || end.noted >= n->n_modules || n->modules[end.noted].fd < 0)
			break;
		leave_out(n, end.noted, &end.why);
		say_to(n->say, "the names of %s are left out: reading it %s",
		       n->modules[end.noted].path, end.why.text);
	}
	if (!d) {
		leave_all_out(n, &end.why);
		d = name_without_files(n);
	}
	if (d && describe_left_out(n, d)) {
		profile_data_free(d);
		d = NULL;
	}
	return d;
}

static int run(struct naming *n, const struct resolve_module *modules, struct profile_data **out)
{
	n->modules = calloc(n->n_modules + 1, sizeof *n->modules);
	n->why = calloc(n->n_modules + 1, sizeof *n->why);
	*out = NULL;
	if (n->modules && n->why) {
		for (size_t i = 0; i < n->n_modules; i++)
			n->modules[i] = modules[i];
		*out = name(n);
	}
	for (size_t i = 0; n->why && i < n->n_modules; i++)
		free(n->why[i]);
	free(n->why);
	free(n->modules);
	return *out ? 0 : -ENOMEM;
}

int resolve_profile_apart(const struct resolve_how *how, const struct profile *p,
			  const struct resolve_module *modules, size_t n_modules, uint32_t program,
			  say_fn *say, struct profile_data **out)
{
	struct naming n = { .resolve = resolve_new, .how = how, .profile = p, .program = program,
			    .search = how->search, .n_modules = n_modules,
			    .jit_map = how->jit_map, .leaf_nodes = how->leaf_nodes,
			    .n_leaves = p->n_leaves, .say = say };

	return run(&n, modules, out);
}

int resolve_again_apart(const struct profile_data *old, const struct resolve_module *files,
			const struct symbols_search *search, say_fn *say, struct profile_data **out)
{
	struct naming n = { .resolve = resolve_old, .old = old, .search = *search,
			    .n_modules = old->n_modules, .jit_map = -1, .say = say };

	return run(&n, files, out);
}
