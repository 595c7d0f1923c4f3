/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/packages.h"

#include "base/array.h"
#include "base/texts.h"
#include "cli/child.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct asked {
	struct packaged *v;
	size_t n;
};

/* ---- the package of a file ---- */

static bool is_path_of(const struct packaged *p, const char *path)
{
	char as[PATH_MAX];

	for (size_t i = 0; package_path(p->path, i, as, sizeof as); i++)
		if (!strcmp(as, path))
			return true;
	return false;
}

static int note_owner(void *ctx, char *line)
{
	struct asked *a = ctx;
	char name[PACKAGE_NAME];

	line[strcspn(line, "\n")] = '\0';
	const char *path = package_owner(line, name);

	for (size_t i = 0; path && i < a->n; i++)
		if (is_path_of(&a->v[i], path))
			strcpy(a->v[i].package, name);
	return 0;
}

/* ---- the package of its debug file ---- */

static int note_offer(void *ctx, char *line)
{
	struct asked *a = ctx;
	char name[PACKAGE_NAME], may[PACKAGE_NAME];

	if (!package_offered(line, name))
		return 0;
	for (size_t i = 0; i < a->n; i++) {
		struct packaged *p = &a->v[i];

		for (size_t k = 0;
		     *p->package && !*p->debug_package && package_debug_name(p->package, k, may);
		     k++)
			if (!strcmp(may, name))
				strcpy(p->debug_package, name);
	}
	return 0;
}

/* ---- asking ---- */

struct words {
	char **v; /* NULL-terminated */
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

/* It may wait for a lock, or for a disk that does not answer. */
enum { ASK_MS = 20000 };

/* Run a command with its @fixed words and those that were collected; without any of the latter do
 * nothing. False: it cannot be run, or timed out. */
static bool ask(struct words *w, size_t fixed, int (*line)(void *ctx, char *line), struct asked *a)
{
	const struct child asked = { w->v, CHILD_ERRORS_DROPPED, ASK_MS, line, a };
	int wstatus, err = w->lost ? -ENOMEM : w->n > fixed ? child_lines(&asked, &wstatus) : 0;

	texts_free(w->v);
	return !err;
}

static bool ask_owners(struct asked *a)
{
	struct words dpkg = {0};
	char path[PATH_MAX];

	add_word(&dpkg, "dpkg-query");
	add_word(&dpkg, "-S");
	size_t fixed = dpkg.n;
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; package_path(a->v[i].path, k, path, sizeof path); k++)
			add_word(&dpkg, path);
	return ask(&dpkg, fixed, note_owner, a);
}

static bool ask_offers(struct asked *a)
{
	struct words apt = {0};
	char name[PACKAGE_NAME];

	add_word(&apt, "apt-cache");
	add_word(&apt, "--no-all-versions");
	add_word(&apt, "show");
	size_t fixed = apt.n;
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0;
		     *a->v[i].package && package_debug_name(a->v[i].package, k, name); k++)
			add_word(&apt, name);
	return ask(&apt, fixed, note_offer, a);
}

bool packages_ask(struct packaged *v, size_t n)
{
	struct asked a = { v, n };

	for (size_t i = 0; i < n; i++)
		v[i].package[0] = v[i].debug_package[0] = '\0';
	return ask_owners(&a) && ask_offers(&a);
}
