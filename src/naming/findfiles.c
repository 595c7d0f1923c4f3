/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/findfiles.h"

#include "base/writeall.h"
#include "naming/reading.h"
#include "symbols/filesearch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct finding {
	const struct file_sought *v;
	struct file_found *found;
};

/* ---- in the confined process ---- */

static void search(struct filesearch *f, const struct file_sought *sought,
		   struct file_found *found)
{
	f->module = sought->module;
	f->id = sought->build_id;
	if (!filesearch_below(f, sought->dir))
		memcpy(found->path, f->path, sizeof found->path);
	else if (*f->other) {
		memcpy(found->other, f->other, sizeof found->other);
		memcpy(found->other_id, f->other_id, sizeof found->other_id);
	}
	objfile_close(&f->found);
}

static int search_all(struct reading *r, size_t which, struct namer *namer, int out)
{
	const struct finding *all = r->ctx;
	struct filesearch *f = calloc(1, sizeof *f);
	int err = f ? 0 : -ENOMEM;

	(void)which, (void)namer;
	for (uint32_t i = 0; !err && i < r->n_files; i++) {
		const bool again = i && all->v[i].of == all->v[i - 1].of;

		reading_begins(i);
		if (again && *all->found[i - 1].path)
			all->found[i] = all->found[i - 1];
		else if (r->files[i].fd >= 0)
			search(f, &all->v[i], &all->found[i]);
	}
	free(f);
	reading_is_done();
	return err ? err : write_all(out, all->found, r->n_files * sizeof *all->found);
}

/* ---- outside ---- */

static bool makes_sense(const struct file_found *f)
{
	return memchr(f->path, '\0', sizeof f->path) && memchr(f->other, '\0', sizeof f->other) &&
	       memchr(f->other_id, '\0', sizeof f->other_id);
}

static int take_found(struct reading *r, size_t which, int fd)
{
	const struct finding *all = r->ctx;
	const size_t size = r->n_files * sizeof *all->found;
	int err = reading_take(fd, all->found, size);

	(void)which;
	for (size_t i = 0; !err && i < r->n_files; i++)
		err = makes_sense(&all->found[i]) ? 0 : -EUCLEAN;
	if (err)
		memset(all->found, 0, size);
	return err;
}

/* The first file that is searched in the same directory. */
static size_t first_in(const struct file_sought *v, size_t i)
{
	size_t first = 0;

	while (strcmp(v[first].dir, v[i].dir) != 0)
		first++;
	return first;
}

/* The "file" passed for each is its directory, so that a directory in which the process ends is
 * left out. */
static void open_dirs(const struct file_sought *v, size_t n, struct resolve_module *dirs)
{
	for (size_t i = 0; i < n; i++) {
		const size_t first = first_in(v, i);

		dirs[i].path = v[i].module;
		dirs[i].fd = first < i ? dirs[first].fd
				       : open(v[i].dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
}

static void close_dirs(const struct file_sought *v, size_t n, const struct resolve_module *dirs)
{
	for (size_t i = 0; i < n; i++)
		if (dirs[i].fd >= 0 && first_in(v, i) == i)
			close(dirs[i].fd);
}

int files_find(const struct file_sought *v, size_t n, struct file_found *found, say_fn *say)
{
	static const struct reading_ops ops = { search_all, take_found, NULL, NULL };
	struct finding all = { v, found };
	struct reading r = { .ops = &ops, .ctx = &all, .n = n ? 1 : 0, .say = say };
	struct resolve_module *dirs = calloc(n + 1, sizeof *dirs);
	int err = dirs ? 0 : -ENOMEM;

	memset(found, 0, n * sizeof *found);
	if (!err) {
		open_dirs(v, n, dirs);
		err = reading_run(&r, dirs, n);
		close_dirs(v, n, dirs);
	}
	for (size_t i = 0; !err && i < n; i++)
		found[i].left_out = r.why[i] != NULL;
	reading_end(&r);
	free(dirs);
	return err;
}
