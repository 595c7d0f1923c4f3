/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/debugfile.h"

#include "symbols/debuginfod.h"
#include "symbols/filesearch.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"

struct wanted {
	const char *id;		/* build ID that it must have; "": none known */
	GElf_Word crc;		/* checksum that it must have if there is no build ID to compare */
	bool has_crc;
};

/* The CRC-32 of zlib and gzip, a bit at a time: it is needed only for files without a build
 * ID. */
static uint32_t crc32_add(uint32_t crc, const unsigned char *p, size_t n)
{
	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

static bool crc_is(int fd, uint32_t want)
{
	unsigned char buf[16384];
	uint32_t crc = 0;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof buf, at)) > 0) {
		crc = crc32_add(crc, buf, (size_t)n);
		at += n;
	}
	return n == 0 && crc == want;
}

/* Without names it is no debug file: a stripped module may name itself in .gnu_debuglink. */
static bool has_names(struct objfile *o)
{
	GElf_Shdr shdr;

	return objfile_section(o, ".debug_info", &shdr) ||
	       objfile_section(o, ".zdebug_info", &shdr) || objfile_section(o, ".symtab", &shdr);
}

static bool is_wanted(struct objfile *o, const struct wanted *w)
{
	char id[BUILD_ID_MAX];

	objfile_build_id(o, id);
	if (*w->id)
		return strcmp(id, w->id) == 0;
	return w->has_crc && crc_is(o->fd, w->crc);
}

/* @f->path: made by the caller with snprintf(), which returned @len. */
static int try_path(struct debugfile *f, int len, const struct wanted *w, struct objfile *o)
{
	if (len < 0 || len >= PATH_MAX || objfile_open_path(o, f->path))
		return -ENOENT;
	if (has_names(o)) {
		if (is_wanted(o, w))
			return 0;
		if (!*f->other)
			memcpy(f->other, f->path, sizeof f->other);
	}
	objfile_close(o);
	return -ENOENT;
}

/* The directories that are searched, by number; NULL: there are no more. */
static const char *root(const struct debugfile *f, size_t i)
{
	const char *const *dirs = f->search->debug_dirs;
	size_t n = 0;

	while (dirs && dirs[n] && n < i)
		n++;
	if (dirs && dirs[n])
		return dirs[n];
	return n == i ? DEBUG_ROOT : NULL;
}

static int try_id(struct debugfile *f, const struct wanted *w, struct objfile *o)
{
	const char *dir;

	if (strlen(w->id) < 4)
		return -ENOENT;
	for (size_t i = 0; (dir = root(f, i)); i++) {
		int len = snprintf(f->path, PATH_MAX, "%s/.build-id/%.2s/%s.debug", dir, w->id,
				   w->id + 2);

		if (try_path(f, len, w, o) == 0)
			return 0;
	}
	return -ENOENT;
}

/* Tries the places around the directory of @path: @path up to its last '/'. */
static int try_folder(struct debugfile *f, const char *path, const char *name,
		      const struct wanted *w, struct objfile *o)
{
	const char *slash = strrchr(path, '/'), *dir;
	int folder = slash ? (int)(slash + 1 - path) : 0;

	if (try_path(f, snprintf(f->path, PATH_MAX, "%.*s%s", folder, path, name), w, o) == 0 ||
	    try_path(f, snprintf(f->path, PATH_MAX, "%.*s.debug/%s", folder, path, name), w, o) ==
		    0)
		return 0;
	for (size_t i = 0; (dir = root(f, i)); i++) {
		if (*path == '/' &&
		    try_path(f, snprintf(f->path, PATH_MAX, "%s%.*s%s", dir, folder, path, name), w,
			     o) == 0)
			return 0;
		/* A directory of --debug-dir may contain the files themselves. */
		if (root(f, i + 1) &&
		    try_path(f, snprintf(f->path, PATH_MAX, "%s/%s", dir, name), w, o) == 0)
			return 0;
	}
	return -ENOENT;
}

static int try_link(struct debugfile *f, struct objfile *main, struct wanted *w, struct objfile *o)
{
	const char *name = dwelf_elf_gnu_debuglink(main->elf, &w->crc);

	/* It must be a plain file name: no honest file has a directory here. */
	if (!name || !*name || strchr(name, '/'))
		return -ENOENT;
	w->has_crc = true;
	if (try_folder(f, f->module, name, w, o) == 0)
		return 0;
	/* /lib is a link to /usr/lib, and the debug file may be filed under either. */
	char *real = realpath(f->module, NULL);
	int err = real ? try_folder(f, real, name, w, o) : -ENOENT;

	free(real);
	return err;
}

/* Directories given by the user may contain the file under any name. */
static int try_dirs(struct debugfile *f, const struct wanted *w, struct objfile *o)
{
	const char *const *dir = f->search->debug_dirs;
	struct filesearch *s = calloc(1, sizeof *s);
	int err = -ENOENT;

	for (; s && *w->id && dir && *dir && err; dir++) {
		s->module = f->module;
		s->id = w->id;
		if (filesearch_below(s, *dir) == 0) {
			memcpy(f->path, s->path, sizeof f->path);
			err = try_path(f, (int)strlen(f->path), w, o);
		} else if (*s->other && !*f->other) {
			memcpy(f->other, s->other, sizeof f->other);
		}
		objfile_close(&s->found);
	}
	free(s);
	return err;
}

static int fetch(struct debugfile *f, const char *id)
{
	const struct symbols_outside *outside = f->search->outside;

	return outside ? outside->fetch(id, f->module, f->path)
		       : debuginfod_fetch(f->search, id, f->module, f->path);
}

static int try_fetch(struct debugfile *f, const struct wanted *w, struct objfile *o)
{
	if (!f->search->fetch || !*w->id || fetch(f, w->id))
		return -ENOENT;
	return try_path(f, (int)strlen(f->path), w, o);
}

int debugfile_find(struct debugfile *f, struct objfile *main, struct objfile *debug)
{
	struct wanted w = { .id = f->id };

	*debug = OBJFILE_NONE;
	*f->other = '\0';
	if (try_id(f, &w, debug) == 0 || try_link(f, main, &w, debug) == 0 ||
	    try_dirs(f, &w, debug) == 0)
		return 0;
	return try_fetch(f, &w, debug);
}

/* @name: as in the file @path. */
static int try_alt_name(struct debugfile *f, const char *path, const char *name,
			const struct wanted *w, struct objfile *alt)
{
	if (*name == '/')
		return try_path(f, snprintf(f->path, PATH_MAX, "%s", name), w, alt);
	char *real = realpath(path, NULL);
	int err = -ENOENT;

	if (real) {
		int folder = (int)(strrchr(real, '/') + 1 - real);

		err = try_path(f, snprintf(f->path, PATH_MAX, "%.*s%s", folder, real, name), w,
			       alt);
	}
	free(real);
	return err;
}

int debugfile_find_alt(const struct symbols_search *search, Dwarf *dwarf, const char *path,
		       struct objfile *alt)
{
	struct debugfile f = { .search = search, .module = path };
	char id[BUILD_ID_MAX];
	struct wanted w = { .id = id };
	const char *name = NULL;
	const void *bytes = NULL;
	ssize_t len = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &bytes);

	*alt = OBJFILE_NONE;
	if (len <= 0)
		return -ENOENT;
	build_id_to_hex(bytes, (size_t)len, id);
	if (!*id)
		return -ENOENT;
	if (try_id(&f, &w, alt) == 0 || try_alt_name(&f, path, name, &w, alt) == 0)
		return 0;
	return try_fetch(&f, &w, alt);
}
