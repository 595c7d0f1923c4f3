/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/allocator.h"

#include "base/text.h"
#include "proc/modules.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *allocator_of_library(const char *path)
{
	static const struct {
		const char *begins, *name;
	} known[] = {
		{"libjemalloc", "jemalloc"},
		{"libtcmalloc", "tcmalloc"},
		{"libmimalloc", "mimalloc"},
		{"libsnmalloc", "snmalloc"},
		{"libhoard", "Hoard"},
		{"librpmalloc", "rpmalloc"},
		{"libc.musl-", "musl's"},
		{"ld-musl-", "musl's"},
		{"libasan", "AddressSanitizer's"},
	};

	for (size_t k = 0; k < sizeof known / sizeof *known; k++)
		if (text_begins(path_last(path), known[k].begins))
			return known[k].name;
	return NULL;
}

static const char *by_library(const struct still *s, const char *walked)
{
	for (size_t i = 0; i < s->n_areas; i++) {
		const char *name = allocator_of_library(s->areas[i].name);

		if (name && strcmp(name, walked) != 0)
			return name;
	}
	return NULL;
}

const char *allocator_not_walked(const struct still *s)
{
	return by_library(s, "");
}

const char *allocator_beside(const struct still *s, const struct heap_walk *w)
{
	const char *other = by_library(s, heap_allocator_names[w->allocator]);

	return !other && heap_has_glibc_beside(s, w) ? "glibc's" : other;
}

/* ---- versions ---- */

/* "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36." */
static const char banner[] = "GNU C Library ", before[] = " release version ";

enum {
	PIECE = 1 << 16,
	LINE = 256,
	LINES_MAX = 16, /* most lines that begin like the banner and are read */
};

/* All libraries, and nearly all programs that glibc is linked into, have the banner within this; a
 * file itself may be of any length. */
#define LOOKED_AT ((off_t)256 << 20)

/* Find the version in a line that begins like the banner. False: there is none. */
static bool find_version(const char *text, size_t len, char *version, size_t size)
{
	const char *at = memmem(text, len, before, strlen(before)), *end = text + len;
	size_t n = 0;

	if (!at)
		return false;
	at += strlen(before);
	while (at < end && n + 1 < size && (isdigit((unsigned char)*at) || *at == '.'))
		version[n++] = *at++;
	while (n && version[n - 1] == '.')
		n--;
	version[n] = '\0';
	return n;
}

bool allocator_version_in(int fd, char *version, size_t size)
{
	char text[PIECE], line[LINE];
	int lines = 0;

	/* Read by pread(2): a mapped file could be truncated meanwhile. */
	for (off_t from = 0; from < LOOKED_AT && lines < LINES_MAX;) {
		ssize_t n = pread(fd, text, sizeof text, from);
		const char *at = n > 0 ? memmem(text, (size_t)n, banner, strlen(banner)) : NULL;

		if (n < (ssize_t)strlen(banner))
			return false;
		if (!at) {
			from += n - (ssize_t)strlen(banner) + 1;
			continue;
		}
		from += at - text;
		n = pread(fd, line, sizeof line, from);
		if (n > 0 && find_version(line, (size_t)n, version, size))
			return true;
		from++;
		lines++;
	}
	return false;
}

static void glibc_version(pid_t pid, const struct still *s, taddr at, char *version, size_t size)
{
	const struct still_area *a = still_area_at(s, at);
	struct module_files files = {0};
	struct mappings maps;

	*version = '\0';
	if (!a || a->kind != STILL_FILE)
		return;
	const struct mapping *m = mappings_read(pid, &files, &maps)
					  ? NULL
					  : mappings_of_data(&maps, &files, at, a->name);
	if (!m || !allocator_version_in(files.files[m->file].fd, version, size))
		*version = '\0';
	mappings_release(&maps);
	module_files_release(&files);
}

void allocator_version(pid_t pid, const struct still *s, const struct heap_walk *w, char *version,
		       size_t size)
{
	if (w->allocator == HEAP_GLIBC)
		glibc_version(pid, s, w->main_arena, version, size);
	else
		snprintf(version, size, "5.3"); /* the walk accepts no other version's structures */
}
