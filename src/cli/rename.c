/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/rename.h"

#include "base/text.h"
#include "cli/names.h"
#include "naming/apart.h"
#include "symbols/filesearch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The files that were found, by module. */
struct renaming {
	const struct profile_data *d;
	const struct options *o;
	struct resolve_module *files;
	char **paths;		/* their names */
	bool *used;		/* has it functions in chains? */
	size_t n_found, n_refused;
};

/* -ENOMEM, or 0. @fd stays the caller's. */
static int take(struct renaming *r, uint32_t module, const char *path, int fd)
{
	char *copy = strdup(path);
	int own = copy ? dup(fd) : -1;

	if (own < 0) {
		free(copy);
		return -ENOMEM;
	}
	r->paths[module] = copy;
	r->files[module] = (struct resolve_module){ copy, own };
	r->n_found++;
	return 0;
}

static const char *or_none(const char *id)
{
	return *id ? id : "none";
}

static void refuse(struct renaming *r, const char *path, const char *id, const struct pd_module *m)
{
	r->n_refused++;
	say("%s is of another build than %s in the profile (build ID %s, not %s): it is not "
	    "used", path,
	    m->path, or_none(id), or_none(m->build_id));
}

static int search_dir(struct renaming *r, uint32_t module, const char *dir)
{
	const struct pd_module *m = &r->d->modules[module];
	struct filesearch *f = calloc(1, sizeof *f);

	if (!f)
		return -ENOMEM;
	f->module = m->path;
	f->id = m->build_id;
	int err = filesearch_below(f, dir);

	if (!err)
		err = take(r, module, f->path, f->found.fd);
	else if (*f->other)
		refuse(r, f->other, f->other_id, m);
	objfile_close(&f->found);
	free(f);
	return err == -ENOENT ? 0 : err;
}

/* @path is a file: whose? */
static int take_file(struct renaming *r, const char *path)
{
	struct objfile f;
	char id[BUILD_ID_MAX];
	int err = objfile_open_path(&f, path);

	if (err) {
		say("cannot read symbols from %s: %s", path,
		    err == -ENOEXEC ? "it is no ELF file" : strerror(-err));
		return err;
	}
	objfile_build_id(&f, id);
	err = -ENOENT;
	for (uint32_t i = 0; *id && i < r->d->n_modules; i++)
		if (!strcmp(id, r->d->modules[i].build_id))
			err = take(r, i, path, f.fd);
	for (uint32_t i = 0; err == -ENOENT && i < r->d->n_modules; i++) {
		if (strcmp(path_last(path), path_last(r->d->modules[i].path)))
			continue;
		refuse(r, path, id, &r->d->modules[i]);
		err = -EINVAL;
	}
	if (err == -ENOENT)
		say("%s is none of the files of this profile: none of them has its build ID "
		    "(%s)", path,
		    or_none(id));
	objfile_close(&f);
	return err;
}

static int search_all(struct renaming *r)
{
	const char *from = r->o->symbols_from;
	struct stat st;
	int err = 0;

	if (from && stat(from, &st)) {
		err = -errno;
		say("cannot read symbols from %s: %s", from, strerror(-err));
		return err;
	}
	bool is_dir = from && S_ISDIR(st.st_mode);

	if (from && !is_dir)
		err = take_file(r, from);
	for (uint32_t i = 0; !err && i < r->d->n_modules; i++) {
		if (!r->used[i])
			continue;
		if (is_dir)
			err = search_dir(r, i, from);
		for (const char *const *dir = r->o->debug_dirs; !err && *dir && r->files[i].fd < 0;
		     dir++)
			err = search_dir(r, i, *dir);
	}
	if (err || r->n_found)
		return err;
	if (!r->n_refused)
		say("there is no file with the build ID of one of the profile's files in %s",
		    from ? from : r->o->debug_dirs[0]);
	return from ? -ENOENT : 0;
}

static int begin(struct renaming *r)
{
	size_t n = r->d->n_modules;

	r->files = calloc(n + 1, sizeof *r->files);
	r->paths = calloc(n + 1, sizeof *r->paths);
	r->used = profile_data_modules_used(r->d);
	if (!r->files || !r->paths || !r->used)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		r->files[i] = (struct resolve_module){ r->d->modules[i].path, -1 };
	return 0;
}

static void end(struct renaming *r)
{
	for (size_t i = 0; r->files && r->paths && i < r->d->n_modules; i++) {
		if (r->files[i].fd >= 0)
			close(r->files[i].fd);
		free(r->paths[i]);
	}
	free(r->files);
	free(r->paths);
	free(r->used);
}

/* With the folder of --symbols-from, in which there may be debug files, too. */
static int rename_with(struct renaming *r, struct profile_data **renamed)
{
	const char *dirs[MAX_DEBUG_DIRS + 2] = { r->o->symbols_from };
	struct symbols_search search = names_search(r->o);
	size_t n = r->o->symbols_from != NULL;

	for (const char *const *d = r->o->debug_dirs; *d; d++)
		dirs[n++] = *d;
	search.debug_dirs = dirs;
	return resolve_again_apart(r->d, r->files, &search, say_sentence, renamed);
}

int rename_profile(struct profile_data **d, const struct options *o)
{
	struct renaming r = { .d = *d, .o = o };
	struct profile_data *renamed = NULL;

	if (!o->symbols_from && !o->debug_dirs[0])
		return 0;
	int err = begin(&r);

	if (!err)
		err = search_all(&r);
	if (!err && r.n_found)
		err = rename_with(&r, &renamed);
	if (err == -ENOMEM)
		say("cannot name the profile again: out of memory");
	end(&r);
	if (err || !renamed) {
		profile_data_free(renamed);
		return err;
	}
	profile_data_free(*d);
	*d = renamed;
	return 0;
}
