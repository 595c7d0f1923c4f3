/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/namer.h"

#include "base/array.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int namer_init(struct namer *n, const struct symbols_search *search)
{
	*n = (struct namer){ .symbols = symbols_new() };
	if (!n->symbols)
		return -ENOMEM;
	symbols_set_search(n->symbols, search);
	return 0;
}

void namer_release(struct namer *n)
{
	symbols_free(n->symbols);
	told_release(&n->told);
	free(n->paths);
	*n = (struct namer){ 0 };
}

int namer_add_module(struct namer *n, const char *path, int fd)
{
	if (ARRAY_RESERVE(&n->paths, &n->cap, n->n))
		return -ENOMEM;
	int number = n->symbols ? symbols_add_module(n->symbols, path, fd) : (int)n->n;

	if (number >= 0)
		n->paths[n->n++] = path;
	return number;
}

uint64_t namer_instruction(uint64_t address, bool exact)
{
	return exact || !address ? address : address - 1;
}

/* A place in no module: code that the program generated, or only an address. */
static void look_outside(struct namer *n, const struct profile_place *place,
			 const struct perfmap *jit)
{
	uint64_t at = namer_instruction(place->address, place->exact);
	const struct perfmap_entry *e = jit ? perfmap_find(jit, at) : NULL;

	if (e) {
		n->outside = (struct sym_frame){ .name = e->name, .linkage = e->name,
						 .function_key = e->start, .address = e->start,
						 .offset = place->address - e->start };
		return;
	}
	snprintf(n->address, sizeof n->address, "0x%" PRIx64, place->address);
	n->outside = (struct sym_frame){ .name = n->address, .linkage = n->address,
					 .function_key = place->address,
					 .address = place->address };
}

int namer_look(struct namer *n, const struct profile_place *place, const struct perfmap *jit,
	       struct sym_frames *out)
{
	if (told_look(&n->told, place, out))
		return 0;
	if (place->module < n->n)
		return n->symbols ? symbols_lookup(n->symbols, (int)place->module, place->address,
						   !place->exact, out) : -ENOMEM;
	look_outside(n, place, jit);
	*out = (struct sym_frames){ &n->outside, 1 };
	return 0;
}

const char *namer_name(const struct namer *n, const struct sym_frame *f)
{
	bool nameless = f == &n->outside ? f->name == n->address : names_is_nameless(f->name);

	return nameless ? NULL : f->name;
}

const char *namer_build_id(const struct namer *n, uint32_t module)
{
	return n->symbols ? symbols_build_id(n->symbols, (int)module)
			  : told_module(&n->told, module).build_id;
}

const char *namer_source(const struct namer *n, uint32_t module)
{
	return n->symbols ? symbols_source(n->symbols, (int)module)
			  : told_module(&n->told, module).names;
}
