/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/rename.h"

#include "base/regular.h"
#include "base/text.h"
#include "cli/names.h"
#include "naming/apart.h"
#include "naming/codefiles.h"
#include "naming/findfiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The files that were found, by module. */
struct renaming {
	const struct profile_data *d;
	const struct options *o;
	struct resolve_module *files;
	char **paths;		/* names of the files */
	bool *used;		/* by module: it has functions in chains */
	size_t n_found, n_refused, n_left_out;
};

/* Take a file for a module. -ENOMEM, or 0. @fd remains owned by the caller. */
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

/* Take the result of searching a file for a module. -ENOMEM, or 0. */
static int take_found(struct renaming *r, uint32_t module, const struct file_found *f)
{
	int fd = *f->path && r->files[module].fd < 0 ? regular_open(AT_FDCWD, f->path, 0) : -1;
	int err = fd < 0 ? 0 : take(r, module, f->path, fd);

	if (fd >= 0)
		close(fd);
	if (*f->other)
		refuse(r, f->other, f->other_id, &r->d->modules[module]);
	r->n_left_out += f->left_out;
	return err;
}

/* Requests at a time: an answer takes pages of memory. */
enum { AT_ONCE = 256 };

static int ask(struct renaming *r, const struct file_sought *v, size_t n)
{
	struct file_found *found = calloc(n + 1, sizeof *found);
	int err = found ? files_find(v, n, found, say_sentence) : -ENOMEM;

	for (size_t i = 0; !err && i < n; i++)
		err = take_found(r, v[i].of, &found[i]);
	free(found);
	return err;
}

/* Search the folders of --debug-dir, after @first; NULL: none. */
static int search_dirs(struct renaming *r, const char *first)
{
	struct file_sought v[AT_ONCE + MAX_DEBUG_DIRS + 1];
	const struct profile_data *d = r->d;
	size_t n = 0;
	int err = 0;

	for (uint32_t i = 0; !err && i < d->n_modules; i++) {
		struct file_sought one = { d->modules[i].path, d->modules[i].build_id, first, i };

		if (!r->used[i] || r->files[i].fd >= 0)
			continue;
		if (first)
			v[n++] = one;
		for (const char *const *dir = r->o->debug_dirs; *dir; dir++) {
			one.dir = *dir;
			v[n++] = one;
		}
		if (n < AT_ONCE)
			continue;
		err = ask(r, v, n);
		n = 0;
	}
	return err || !n ? err : ask(r, v, n);
}

/* Take the open file @path for the modules that have its build ID. */
static int take_open(struct renaming *r, const char *path, int fd, const char *id)
{
	int err = -ENOENT;

	for (uint32_t i = 0; *id && i < r->d->n_modules; i++)
		if (!strcmp(id, r->d->modules[i].build_id))
			err = take(r, i, path, fd);
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
	return err;
}

static int take_file(struct renaming *r, const char *path)
{
	const struct code_asks headers = { .say = say_sentence };
	int fd = regular_open(AT_FDCWD, path, 0), err = fd < 0 ? fd : 0;
	struct code_facts *f = calloc(1, sizeof *f);

	if (!err)
		err = f ? code_facts_read(&headers, &(struct resolve_module){ path, fd }, 1, f)
			: -ENOMEM;
	if (!err && *f->names) /* its reader was ended, which has been said */
		r->n_left_out++;
	else if (!err && f->is_code)
		err = take_open(r, path, fd, f->build_id);
	else if (err != -ENOMEM) {
		err = !err || err == -ENOTSUP ? -ENOEXEC : err;
		say("cannot read symbols from %s: %s", path,
		    err == -ENOEXEC ? "it is no ELF file" : strerror(-err));
	}
	if (fd >= 0)
		close(fd);
	free(f);
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
	err = err ? err : search_dirs(r, is_dir ? from : NULL);
	/* A file that could not be read does not prevent the report. */
	if (err || r->n_found || r->n_left_out)
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

/* Includes the folder of --symbols-from, which may have debug files, too. */
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
