/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof doctor: which package a file is of, and which has its debug file. dpkg and apt are asked,
 * once each, about all. */
#include "cli/child.h"
#include "cli/doctor.h"

#include "base/array.h"
#include "base/text.h"
#include "base/texts.h"
#include "doctor/packages.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* dpkg knows the files that we have, and the process may have others by these names. */
static bool is_here(const struct doctor *d, const struct doctor_module *m)
{
	const struct module_file *f = &d->shared.files.files[m->file];
	struct stat here, it;

	return !stat(m->path, &here) && !fstat(f->fd, &it) && here.st_dev == it.st_dev &&
	       here.st_ino == it.st_ino;
}

static bool lacks_lines(const struct doctor_module *m)
{
	return !text_begins(m->names, "DWARF");
}

static void set_text(char **text, const char *to)
{
	char *copy = strdup(to);

	if (!copy)
		return;
	free(*text);
	*text = copy;
}

/* ---- whose it is ---- */

static bool is_path_of(const struct doctor_module *m, const char *path)
{
	char as[PATH_MAX];

	for (size_t i = 0; package_path(m->path, i, as, sizeof as); i++)
		if (!strcmp(as, path))
			return true;
	return false;
}

static int note_owner(void *ctx, char *line)
{
	struct doctor *d = ctx;
	char name[PACKAGE_NAME];

	line[strcspn(line, "\n")] = '\0';
	const char *path = package_owner(line, name);

	for (size_t i = 0; path && i < d->n_modules; i++)
		if (is_path_of(&d->modules[i], path) && is_here(d, &d->modules[i]))
			set_text(&d->modules[i].package, name);
	return 0;
}

/* ---- who has the debug file ---- */

static int note_offer(void *ctx, char *line)
{
	struct doctor *d = ctx;
	char name[PACKAGE_NAME], may[PACKAGE_NAME];

	if (!package_offered(line, name))
		return 0;
	for (size_t i = 0; i < d->n_modules; i++) {
		struct doctor_module *m = &d->modules[i];

		for (size_t k = 0;
		     *m->package && !*m->debug_package && package_debug_name(m->package, k, may);
		     k++)
			if (!strcmp(may, name))
				set_text(&m->debug_package, name);
	}
	return 0;
}

/* ---- asking ---- */

struct words {
	char **v; /* with a NULL behind them */
	size_t n, cap;
	bool lost;
};

static void add_word(struct words *w, const char *word)
{
	char *copy = w->lost ? NULL : strdup(word);

	w->lost = !copy || ARRAY_RESERVE(&w->v, &w->cap, w->n + 1);
	if (w->lost) {
		free(copy);
		return;
	}
	w->v[w->n++] = copy;
	w->v[w->n] = NULL;
}

/* It may wait for a lock, or for a disk that is no more. */
enum { ASK_MS = 20000 };

/* Run with its fixed words, and those that were collected. */
static int ask(struct words *w, int (*line)(void *ctx, char *line), struct doctor *d)
{
	const struct child asked = { w->v, CHILD_ERRORS_DROPPED, ASK_MS, line, d };
	int wstatus, err = w->lost ? -ENOMEM : child_lines(&asked, &wstatus);

	texts_free(w->v);
	return err;
}

void doctor_ask_packages(struct doctor *d)
{
	struct words dpkg = {0}, apt = {0};
	char text[PATH_MAX], name[PACKAGE_NAME];

	add_word(&dpkg, "dpkg-query");
	add_word(&dpkg, "-S");
	size_t fixed = dpkg.n;
	for (size_t i = 0; i < d->n_modules; i++)
		for (size_t k = 0; lacks_lines(&d->modules[i]) &&
				   package_path(d->modules[i].path, k, text, sizeof text);
		     k++)
			add_word(&dpkg, text);
	if (dpkg.n == fixed) {
		texts_free(dpkg.v);
		return;
	}
	d->packages = !ask(&dpkg, note_owner, d);
	add_word(&apt, "apt-cache");
	add_word(&apt, "--no-all-versions");
	add_word(&apt, "show");
	fixed = apt.n;
	for (size_t i = 0; i < d->n_modules; i++)
		for (size_t k = 0;
		     *d->modules[i].package && package_debug_name(d->modules[i].package, k, name);
		     k++)
			add_word(&apt, name);
	if (apt.n > fixed)
		d->packages &= !ask(&apt, note_offer, d);
	else
		texts_free(apt.v);
}
