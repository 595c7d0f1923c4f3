/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for addresses of files that were mapped. */
#include "pprof/read.h"

#include "base/text.h"
#include "naming/codefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file of a mapping, once it is known. */
struct named_file {
	bool looked_at;
	int module;		/* its number in the namer; < 0: none */
	struct codefile file;
};

struct naming {
	struct heap_stacks *h;
	const char *binary;
	struct namer namer;
	struct named_file *files;	/* by mapping */
	size_t program;			/* the mapping that is the program's */
};

/* That with the name of the binary that was given, or the first that is a file. */
static size_t find_program(const struct naming *n)
{
	for (size_t i = 0; n->binary && i < n->h->n_mappings; i++)
		if (!strcmp(path_last(n->h->mappings[i].path), path_last(n->binary)))
			return i;
	for (size_t i = 0; i < n->h->n_mappings; i++)
		if (n->h->mappings[i].path[0] == '/')
			return i;
	return n->h->n_mappings;
}

/* Opened only if it is the build that was mapped, as far as that is known. 0 or -ENOMEM. */
static int open_file(struct naming *n, size_t i)
{
	struct pp_mapping *m = &n->h->mappings[i];
	struct named_file *f = &n->files[i];
	const char *path = n->binary && i == n->program ? n->binary : m->path;

	f->looked_at = true;
	f->module = -1;
	if (path[0] == '[' || !codefile_open(&f->file, path, m->build_id))
		return 0;
	free(m->build_id);
	m->build_id = strdup(f->file.build_id);
	if (!m->build_id)
		return -ENOMEM;
	f->module = namer_add_module(&n->namer, path, f->file.file.fd);
	return f->module == -ENOMEM ? -ENOMEM : 0;
}

/* The address within the file of an address in a mapping. */
static bool in_file(struct named_file *f, const struct pp_mapping *m, uint64_t address,
		    uint64_t *pc)
{
	uint64_t offset = address - m->start + m->offset;
	struct code_segment s;

	for (size_t i = 0; codefile_segment(&f->file, &i, &s);) {
		/* What is mapped are whole pages. */
		uint64_t begin = s.offset & ~4095ull;
		if (offset < begin || offset - begin >= s.file_size + 4096)
			continue;
		*pc = offset - s.offset + s.address;
		return true;
	}
	return false;
}

static int add_names(struct naming *n, uint32_t location, const struct sym_frames *frames)
{
	struct pp_line *lines = malloc((frames->n + 1) * sizeof *lines);
	int err = lines ? 0 : -ENOMEM;

	/* The physical function first there, last here. */
	for (size_t i = 0; !err && i < frames->n; i++) {
		const struct sym_frame *s = &frames->frames[frames->n - 1 - i];
		struct pp_function f = { (char *)s->name,
					 (char *)(s->linkage ? s->linkage : s->name),
					 (char *)(s->file ? s->file : ""), 0 };

		lines[i] = (struct pp_line){ heap_stacks_function(n->h, &f), s->line };
		if (lines[i].function == PP_NONE)
			err = -ENOMEM;
	}
	if (!err)
		err = heap_stacks_name(n->h, location, lines, frames->n);
	free(lines);
	return err;
}

static int name_location(struct naming *n, uint32_t i)
{
	const struct pp_location *l = &n->h->locations[i];
	struct profile_place place = { .exact = true };
	struct sym_frames frames;

	if (l->n_lines || l->mapping == PP_NONE)
		return 0;
	struct named_file *f = &n->files[l->mapping];
	int err = f->looked_at ? 0 : open_file(n, l->mapping);
	if (err || f->module < 0 || !in_file(f, &n->h->mappings[l->mapping], l->address,
					     &place.address))
		return err;
	place.module = (uint32_t)f->module;
	err = namer_look(&n->namer, &place, NULL, &frames);
	return err ? err : add_names(n, i, &frames);
}

int heap_name(struct heap_stacks *h, const char *binary, const struct symbols_search *search)
{
	struct naming n = { .h = h, .binary = binary };
	int err = namer_init(&n.namer, search);

	if (!err && !(n.files = calloc(h->n_mappings + 1, sizeof *n.files)))
		err = -ENOMEM;
	if (err)
		goto out;
	for (size_t i = 0; i < h->n_mappings; i++)
		n.files[i].file = CODEFILE_NONE;
	n.program = find_program(&n);
	for (uint32_t i = 0; !err && i < h->n_locations; i++)
		err = name_location(&n, i);
out:
	for (size_t i = 0; n.files && i < h->n_mappings; i++)
		codefile_close(&n.files[i].file);
	free(n.files);
	namer_release(&n.namer);
	return err;
}
