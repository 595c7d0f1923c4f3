/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/filesearch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The most files of a directory that are tried whatever their names. */
#define FILES_MAX 10000

/* How much a file has about names. */
enum worth { WORTH_NOTHING, WORTH_DYNSYM, WORTH_SYMTAB, WORTH_DWARF };

static int worth(struct objfile *o)
{
	GElf_Shdr shdr;

	if (objfile_section(o, ".debug_info", &shdr) || objfile_section(o, ".zdebug_info", &shdr))
		return WORTH_DWARF;
	return objfile_section(o, ".symtab", &shdr) ? WORTH_SYMTAB : WORTH_DYNSYM;
}

/* Tries a candidate; @len: the result of the snprintf() that made @path. */
static void try_path(struct filesearch *f, const char *path, int len, int *best)
{
	struct objfile o;
	char id[BUILD_ID_MAX];

	if (len < 0 || len >= PATH_MAX || objfile_open_path(&o, path))
		return;
	objfile_build_id(&o, id);
	if (!*f->id || strcmp(id, f->id) != 0) {
		if (!*f->other) {
			memcpy(f->other, path, PATH_MAX);
			memcpy(f->other_id, id, sizeof id);
		}
		objfile_close(&o);
		return;
	}
	if (worth(&o) <= *best) {
		objfile_close(&o);
		return;
	}
	*best = worth(&o);
	objfile_close(&f->found);
	f->found = o;
	memcpy(f->path, path, PATH_MAX);
}

/* Tries the files in the directory itself, whatever their names. */
static void look_through(struct filesearch *f, const char *dir, int *best)
{
	char path[PATH_MAX], other[PATH_MAX];
	DIR *d = opendir(dir);
	struct dirent *e;
	int n = 0;

	/* Files with other names are not reported as another build. */
	memcpy(other, f->other, sizeof other);
	while (d && n++ < FILES_MAX && (e = readdir(d)))
		if (e->d_type != DT_DIR)
			try_path(f, path, snprintf(path, sizeof path, "%s/%s", dir, e->d_name),
				 best);
	if (d)
		closedir(d);
	memcpy(f->other, other, sizeof other);
}

int filesearch_below(struct filesearch *f, const char *dir)
{
	static const char deleted[] = " (deleted)";
	static const char *const endings[] = { "", ".debug" };
	size_t len = strlen(f->module), cut = sizeof deleted - 1;
	char path[PATH_MAX], name[PATH_MAX];
	int best = WORTH_NOTHING;

	f->found = OBJFILE_NONE;
	*f->other = *f->other_id = '\0';
	if (len > cut && strcmp(f->module + len - cut, deleted) == 0)
		len -= cut;
	if (len >= sizeof name)
		return -ENOENT;
	snprintf(name, sizeof name, "%.*s", (int)len, f->module);
	const char *slash = strrchr(name, '/');

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		const char *end = endings[i];

		if (strlen(f->id) >= 4)
			try_path(f, path,
				 snprintf(path, sizeof path, "%s/.build-id/%.2s/%s%s", dir, f->id,
					  f->id + 2, end),
				 &best);
		if (*name == '/')
			try_path(f, path, snprintf(path, sizeof path, "%s%s%s", dir, name, end),
				 &best);
		try_path(f, path,
			 snprintf(path, sizeof path, "%s/%s%s", dir, slash ? slash + 1 : name, end),
			 &best);
	}
	/* A debug file of another name may be beside the stripped file. */
	if (best < WORTH_DWARF && *f->id)
		look_through(f, dir, &best);
	return best ? 0 : -ENOENT;
}
