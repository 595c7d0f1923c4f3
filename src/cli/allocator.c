/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/allocator.h"

#include "base/text.h"
#include "proc/modules.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static const char *by_library(const struct still *s, const char *walked)
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

	for (size_t i = 0; i < s->n_areas; i++)
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			if (text_begins(path_last(s->areas[i].name), known[k].begins) &&
			    strcmp(known[k].name, walked) != 0)
				return known[k].name;
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
static void find_version(const char *text, size_t len, char *version, size_t size)
{
	static const char banner[] = "GNU C Library ", before[] = " release version ";
	const char *at = memmem(text, len, banner, strlen(banner));
	const char *end = text + len;

	at = at ? memmem(at, (size_t)(end - at), before, strlen(before)) : NULL;
	if (!at)
		return;
	at += strlen(before);
	size_t n = 0;
	while (at < end && n + 1 < size && (isdigit((unsigned char)*at) || *at == '.'))
		version[n++] = *at++;
	while (n && version[n - 1] == '.')
		n--;
	version[n] = '\0';
}

static void read_version(int fd, char *version, size_t size)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0)
		return;
	void *text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return;
	find_version(text, (size_t)st.st_size, version, size);
	munmap(text, (size_t)st.st_size);
}

/* The file whose code is mapped last before @at: its data follows. */
static const struct module_file *file_of(const struct module_files *files, const struct mappings *m,
					 taddr at)
{
	const struct module_file *f = NULL;

	for (size_t i = 0; i < m->n && m->maps[i].start <= at; i++)
		f = &files->files[m->maps[i].file];
	return f;
}

static void glibc_version(pid_t pid, const struct still *s, taddr at, char *version, size_t size)
{
	const struct still_area *a = still_area_at(s, at);
	struct module_files files = {0};
	struct mappings maps;

	*version = '\0';
	if (!a || a->kind != STILL_FILE || mappings_read(pid, &files, &maps))
		return;
	const struct module_file *f = file_of(&files, &maps, at);
	if (f && !strcmp(f->path, a->name))
		read_version(f->fd, version, size);
	mappings_release(&maps);
	module_files_release(&files);
}

void allocator_version(pid_t pid, const struct still *s, const struct heap_walk *w, char *version,
		       size_t size)
{
	if (w->allocator == HEAP_GLIBC)
		glibc_version(pid, s, w->main_arena, version, size);
	else
		snprintf(version, size, "5.3"); /* no other has this shape */
}
