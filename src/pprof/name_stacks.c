/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up names for addresses in mapped files. */
#include "pprof/read.h"

#include "base/text.h"
#include "naming/codefiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct naming {
	struct heap_stacks *h;
	struct codefiles files;		/* by mapping */
	struct profile_place *places;	/* by location; without an address if it is in no file */
	struct namer namer;
};

/* The mapping with the file name of the given binary, or else the first one of a file. */
static size_t find_program(const struct heap_stacks *h, const char *binary)
{
	for (size_t i = 0; binary && i < h->n_mappings; i++)
		if (!strcmp(path_last(h->mappings[i].path), path_last(binary)))
			return i;
	for (size_t i = 0; i < h->n_mappings; i++)
		if (h->mappings[i].path[0] == '/')
			return i;
	return h->n_mappings;
}

static bool lacks_name(const struct pp_location *l)
{
	return !l->n_lines && l->mapping != PP_NONE;
}

/* Open the files of mappings that have locations without names, if their build IDs match as far as
 * known. 0 or -ENOMEM. */
static int open_files(struct naming *n, const char *binary, say_fn *say)
{
	struct heap_stacks *h = n->h;
	const size_t program = find_program(h, binary);
	struct codefile_wanted *wanted = calloc(h->n_mappings + 1, sizeof *wanted);

	if (!wanted)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->n_locations; i++) {
		const uint32_t at = h->locations[i].mapping;

		if (!lacks_name(&h->locations[i]))
			continue;
		const struct pp_mapping *m = &h->mappings[at];
		const char *path = binary && at == program ? binary : m->path;

		wanted[at] = (struct codefile_wanted){ path[0] == '[' ? NULL : path, m->build_id };
	}
	int err = codefiles_open(&n->files, wanted, h->n_mappings, say);

	for (size_t i = 0; !err && i < h->n_mappings; i++) {
		struct pp_mapping *m = &h->mappings[i];

		if (n->files.v[i].fd < 0)
			continue;
		free(m->build_id);
		m->build_id = strdup(n->files.facts[i].build_id);
		err = m->build_id ? 0 : -ENOMEM;
	}
	free(wanted);
	return err;
}

/* Where a location is in its file. */
static struct profile_place place_of(const struct naming *n, const struct pp_location *l)
{
	struct profile_place p = { .module = PD_NONE, .exact = true };

	if (!lacks_name(l) || n->files.v[l->mapping].fd < 0)
		return p;
	const struct pp_mapping *m = &n->h->mappings[l->mapping];

	if (code_address(&n->files.facts[l->mapping], l->address - m->start + m->offset,
			 &p.address))
		p.module = l->mapping;
	return p;
}

static int add_names(struct naming *n, uint32_t location, const struct sym_frames *frames)
{
	struct pp_line *lines = malloc((frames->n + 1) * sizeof *lines);
	int err = lines ? 0 : -ENOMEM;

	/* Frames have the physical function first, locations have it last. */
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
	struct sym_frames frames;

	if (n->places[i].module == PD_NONE)
		return 0;
	int err = namer_look(&n->namer, &n->places[i], NULL, &frames);

	return err ? err : add_names(n, i, &frames);
}

static int ask_names(struct naming *n, const struct symbols_search *search, say_fn *say)
{
	struct heap_stacks *h = n->h;
	const struct namer_asks how = { .search = *search, .files = n->files.v,
					.n_files = n->files.n, .jit_map = -1, .say = say };

	n->places = calloc(h->n_locations + 1, sizeof *n->places);
	if (!n->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->n_locations; i++)
		n->places[i] = place_of(n, &h->locations[i]);
	return namer_ask(&n->namer, &how, n->places, NULL, h->n_locations);
}

int heap_name(struct heap_stacks *h, const char *binary, const struct symbols_search *search,
	      say_fn *say)
{
	struct naming n = { .h = h };
	int err = open_files(&n, binary, say);

	err = err ? err : ask_names(&n, search, say);
	for (uint32_t i = 0; !err && i < h->n_locations; i++)
		err = name_location(&n, i);
	codefiles_close(&n.files);
	free(n.places);
	namer_release(&n.namer);
	return err;
}
