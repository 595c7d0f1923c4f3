/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/debugfile.h"

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

/* The CRC-32 of zlib and gzip, a bit at a time: only files without any build ID are summed at all. */
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

/* A module may well name itself in .gnu_debuglink. */
static bool has_names(struct objfile *o)
{
	GElf_Shdr shdr;

	return objfile_section(o, ".debug_info", &shdr) || objfile_section(o, ".zdebug_info", &shdr) ||
	       objfile_section(o, ".symtab", &shdr);
}

static bool is_wanted(struct objfile *o, const struct wanted *w)
{
	char id[BUILD_ID_MAX];

	if (!has_names(o))
		return false;
	objfile_build_id(o, id);
	if (*w->id)
		return strcmp(id, w->id) == 0;
	return w->has_crc && crc_is(o->fd, w->crc);
}

/* @path: made by the caller with snprintf(), which returned @len. */
static int try_path(struct objfile *o, const char *path, int len, const struct wanted *w)
{
	if (len < 0 || len >= PATH_MAX || objfile_open_path(o, path))
		return -ENOENT;
	if (is_wanted(o, w))
		return 0;
	objfile_close(o);
	return -ENOENT;
}

static int try_id(struct objfile *o, const struct wanted *w, char found[PATH_MAX])
{
	if (strlen(w->id) < 4)
		return -ENOENT;
	int len = snprintf(found, PATH_MAX, DEBUG_ROOT "/.build-id/%.2s/%s.debug", w->id, w->id + 2);

	return try_path(o, found, len, w);
}

/* Around the folder of @path, which is cut off behind its last '/'. */
static int try_folder(struct objfile *o, const char *path, const char *name, const struct wanted *w,
		      char found[PATH_MAX])
{
	static const char *const places[][2] = { { "", "" }, { "", ".debug/" }, { DEBUG_ROOT, "" } };
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash + 1 - path) : 0;

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (*places[i][0] && *path != '/')
			continue;
		int len = snprintf(found, PATH_MAX, "%s%.*s%s%s", places[i][0], folder, path,
				   places[i][1], name);

		if (try_path(o, found, len, w) == 0)
			return 0;
	}
	return -ENOENT;
}

int debugfile_find(struct objfile *main, const char *main_id, const char *main_path,
		   struct objfile *debug, char found[PATH_MAX])
{
	struct wanted w = { .id = main_id };

	*debug = OBJFILE_NONE;
	if (try_id(debug, &w, found) == 0)
		return 0;
	const char *name = dwelf_elf_gnu_debuglink(main->elf, &w.crc);

	/* Only ever a plain file name: one with folders in it is somebody's attempt at something. */
	if (!name || !*name || strchr(name, '/'))
		return -ENOENT;
	w.has_crc = true;
	if (try_folder(debug, main_path, name, &w, found) == 0)
		return 0;
	/* /lib is a link to /usr/lib, and the debug file may be filed under either. */
	char *real = realpath(main_path, NULL);
	int err = real ? try_folder(debug, real, name, &w, found) : -ENOENT;

	free(real);
	return err;
}

int debugfile_find_alt(Dwarf *dwarf, const char *path, struct objfile *alt)
{
	char id[BUILD_ID_MAX], found[PATH_MAX];
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
	if (try_id(alt, &w, found) == 0)
		return 0;
	if (*name == '/')
		return try_path(alt, name, (int)strnlen(name, PATH_MAX), &w);
	char *real = realpath(path, NULL);
	int err = -ENOENT;

	if (real) {
		int folder = (int)(strrchr(real, '/') + 1 - real);
		int n = snprintf(found, PATH_MAX, "%.*s%s", folder, real, name);

		err = try_path(alt, found, n, &w);
	}
	free(real);
	return err;
}
