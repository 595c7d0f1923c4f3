/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/apart.h"

#include "base/writeall.h"
#include "confine/apart.h"
#include "profile/datafile.h"
#include "symbols/debuginfod.h"
#include "symbols/namecache_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* So many files may end the process before none is read any more. */
enum { TRIES = 3 };

/* So many profiles are named by one process, whose bounds are meant for one: a thousandth of a
 * bound is enough for most. */
enum { AT_ONCE = 64 };

/* What the process asks for. */
enum { ASK_TELL = 1, ASK_FETCH, ASK_KEEP, ASK_LEAVES, ASK_TAKE };

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
	/* Several: */
	const struct resolve_one *all;	/* NULL: it is one */
	size_t n_all, at;		/* those before this have been taken */
	int out;			/* where the next one is when it is to be taken */
	resolve_named *named;
	void *ctx;
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

static void look_outside(struct naming *n)
{
	n->search.outside = &outside;
	n->search.progress = n->search.progress ? ask_tell : NULL;
}

static int name_in_there(void *ctx, int out)
{
	struct naming *n = ctx;
	struct profile_data *d = profile_data_new();
	struct error e;

	look_outside(n);
	int err = d ? n->resolve(n, d) : -ENOMEM;

	if (!err && n->leaf_nodes)
		err = apart_ask(ASK_LEAVES, n->leaf_nodes, n->n_leaves * sizeof *n->leaf_nodes,
				NULL);
	/* What it was about is read by now: if there is no memory for this, nobody is to blame. */
	apart_note(UINT32_MAX);
	return err ? err : datafile_write_fd(out, d, &e);
}

static int name_next(struct naming *n, struct namer *namer, int out)
{
	const struct resolve_one *one = &n->all[n->at];
	const struct resolve_how how = { .search = n->search, .jit_map = one->jit_map,
					 .namer = namer };
	struct profile_data *d = profile_data_new();
	struct error e;
	int err = d ? resolve_profile_by(&how, one->profile, n->modules, n->n_modules,
					 one->program, d)
		    : -ENOMEM;

	apart_note(UINT32_MAX);
	err = err ? err : datafile_write_fd(out, d, &e);
	profile_data_free(d);
	/* It is empty again when this returns. */
	return err ? err : apart_ask(ASK_TAKE, &n->at, sizeof n->at, NULL);
}

static int name_several_in_there(void *ctx, int out)
{
	struct naming *n = ctx;
	struct namer namer = { 0 };

	look_outside(n);
	int err = namer_init(&namer, &n->search);

	for (int i = 0; !err && i < AT_ONCE && n->at < n->n_all; i++, n->at++)
		err = name_next(n, &namer, out);
	namer_release(&namer);
	return err;
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

/* The same of what may be NULL. NULL: out of memory; @d is freed. */
static struct profile_data *described(const struct naming *n, struct profile_data *d)
{
	if (!d || !describe_left_out(n, d))
		return d;
	profile_data_free(d);
	return NULL;
}

/* A copy that the process cannot write to any more; its own is emptied. -errno: it cannot be. */
static int take_copy(int out)
{
	char bytes[65536];
	int copy = memfd_create("mprof apart", MFD_CLOEXEC), err = copy < 0 ? -errno : 0;
	ssize_t got = 1;

	for (off_t at = 0; !err && got; at += got) {
		got = pread(out, bytes, sizeof bytes, at);
		err = got < 0 ? -errno : write_all(copy, bytes, (size_t)got);
	}
	if (!err && ftruncate(out, 0))
		err = -errno;
	if (err && copy >= 0)
		close(copy);
	return err ? err : copy;
}

static int take_one(struct naming *n, const char *bytes, size_t size)
{
	struct profile_data *d;
	struct error why;

	if (!n->all || n->at == n->n_all || size != sizeof n->at ||
	    memcmp(bytes, &n->at, sizeof n->at))
		return -EPROTO;
	int copy = take_copy(n->out);

	if (copy < 0)
		return copy;
	d = read_result(n, copy, &why);
	close(copy);
	if (!d)
		return -EUCLEAN;
	n->named(n->ctx, n->at++, described(n, d));
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
	case ASK_TAKE:
		return take_one(n, bytes, size);
	default:
		return -EPROTO;
	}
}

/* What has come of it, or -1: see @end. */
static int run_apart(struct naming *n, struct apart_end *end)
{
	const size_t n_maps = n->all ? n->n_all : 1;
	int *fds = calloc(n->n_modules + n_maps, sizeof *fds);
	const struct apart_work work = {
		.work = n->all ? name_several_in_there : name_in_there, .serve = serve, .ctx = n,
		.fds = fds, .n_fds = n->n_modules + n_maps, .out = &n->out,
		.bounds = apart_bounds(),
	};

	*end = (struct apart_end){ .noted = UINT32_MAX };
	if (!fds) {
		error_set(&end->why, -ENOMEM, "takes memory that there is not");
		return -1;
	}
	for (size_t i = 0; i < n->n_modules; i++)
		fds[i] = n->modules[i].fd;
	for (size_t i = 0; i < n_maps; i++)
		fds[n->n_modules + i] = n->all ? n->all[i].jit_map : n->jit_map;
	int out = apart_run(&work, end);

	free(fds);
	return out;
}

/* NULL: see @end. */
static struct profile_data *try_apart(struct naming *n, struct apart_end *end)
{
	n->leaves_told = false;
	int out = run_apart(n, end);
	struct profile_data *d = out >= 0 ? read_result(n, out, &end->why) : NULL;

	if (out >= 0)
		close(out);
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

/* What the process read when it ended is left out. False: it read nothing that could be. */
static bool leave_out_noted(struct naming *n, const struct apart_end *end)
{
	if (end->noted >= n->n_modules || n->modules[end->noted].fd < 0)
		return false;
	leave_out(n, end->noted, &end->why);
	say_to(n->say, "the names of %s are left out: reading it %s", n->modules[end->noted].path,
	       end->why.text);
	return true;
}

static struct profile_data *name(struct naming *n)
{
	struct profile_data *d = NULL;
	struct apart_end end;

	for (int tries = 0; !d && tries < TRIES; tries++) {
		d = try_apart(n, &end);
		if (d || !leave_out_noted(n, &end))
			break;
	}
	if (!d) {
		leave_all_out(n, &end.why);
		d = name_without_files(n);
	}
	return described(n, d);
}

static bool begin(struct naming *n, const struct resolve_module *modules)
{
	n->modules = calloc(n->n_modules + 1, sizeof *n->modules);
	n->why = calloc(n->n_modules + 1, sizeof *n->why);
	if (!n->modules || !n->why)
		return false;
	for (size_t i = 0; i < n->n_modules; i++)
		n->modules[i] = modules[i];
	return true;
}

static void end_naming(struct naming *n)
{
	for (size_t i = 0; n->why && i < n->n_modules; i++)
		free(n->why[i]);
	free(n->why);
	free(n->modules);
}

static int run(struct naming *n, const struct resolve_module *modules, struct profile_data **out)
{
	*out = begin(n, modules) ? name(n) : NULL;
	end_naming(n);
	return *out ? 0 : -ENOMEM;
}

/* Of those that are left nothing is read. */
static void name_rest_without_files(struct naming *n, const struct apart_end *end)
{
	leave_all_out(n, &end->why);
	for (; n->at < n->n_all; n->at++) {
		const struct resolve_one *one = &n->all[n->at];
		const struct resolve_how how = { .jit_map = -1 };
		struct profile_data *d = profile_data_new();

		if (d && resolve_profile_by(&how, one->profile, n->modules, n->n_modules,
					    one->program, d)) {
			profile_data_free(d);
			d = NULL;
		}
		n->named(n->ctx, n->at, described(n, d));
	}
}

static void name_several(struct naming *n)
{
	struct apart_end end = { 0 };
	int tries = 0;

	while (n->at < n->n_all && tries < TRIES) {
		const size_t before = n->at;
		int out = run_apart(n, &end);

		if (out >= 0)
			close(out);
		if (out >= 0 && n->at > before)
			continue;
		if (out >= 0)
			error_set(&end.why, -EUCLEAN, "gave what is no profile of this program");
		if (!leave_out_noted(n, &end))
			break;
		tries++;
	}
	if (n->at < n->n_all)
		name_rest_without_files(n, &end);
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

void resolve_profiles_apart(const struct symbols_search *search, const struct resolve_one *v,
			    size_t n_all, const struct resolve_module *modules, size_t n_modules,
			    say_fn *say, resolve_named *named, void *ctx)
{
	struct naming n = { .search = *search, .n_modules = n_modules, .jit_map = -1, .say = say,
			    .all = v, .n_all = n_all, .named = named, .ctx = ctx };

	if (begin(&n, modules))
		name_several(&n);
	for (; n.at < n_all; n.at++)
		named(ctx, n.at, NULL);
	end_naming(&n);
}
