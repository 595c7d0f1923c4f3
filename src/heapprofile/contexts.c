/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns what was counted into stacks of addresses in the running process. */
#include "heapprofile/internal.h"

#include "base/array.h"
#include "base/saturate.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- where modules are ---- */

static bool is_mapped(const struct mappings *maps, uint32_t file)
{
	for (size_t i = 0; i < maps->n; i++)
		if (maps->maps[i].file == file)
			return true;
	return false;
}

/* Update the current mappings, keeping the last ones of modules that were unloaded. */
void heap_modules(struct recorder *r, const struct mappings *maps)
{
	struct heapprofile *h = (struct heapprofile *)r;
	size_t n = 0;

	for (size_t i = 0; i < h->n_modules; i++)
		if (!is_mapped(maps, h->modules[i].m.file))
			h->modules[n++] = (struct heap_module){ h->modules[i].m, false };
	h->n_modules = n;
	for (size_t i = 0; i < maps->n; i++) {
		/* Out of memory: places in it get their addresses in the file. */
		if (ARRAY_RESERVE(&h->modules, &h->cap_modules, h->n_modules))
			return;
		h->modules[h->n_modules++] = (struct heap_module){ maps->maps[i], true };
	}
	if (h->on)
		heap_read_map(h);
}

/* The address of a place; after its module was unloaded, the last one it had. */
static taddr address_of(const struct heapprofile *h, const struct profile_place *p)
{
	const struct mapping *some = NULL;

	if (p->module == PD_NONE)
		return p->address;
	for (size_t i = 0; i < h->n_modules; i++) {
		const struct mapping *m = &h->modules[i].m;

		if (m->file != p->module)
			continue;
		some = m;
		if (m->bias + p->address > m->start && m->bias + p->address <= m->end)
			break;
	}
	return (some ? some->bias : 0) + p->address;
}

const struct heap_module *heap_module_at(const struct heapprofile *h, taddr address)
{
	const struct heap_module *unloaded = NULL;

	for (size_t i = 0; i < h->n_modules; i++) {
		const struct heap_module *m = &h->modules[i];

		if (address < m->m.start || address >= m->m.end)
			continue;
		if (m->mapped)
			return m;
		unloaded = m;
	}
	return unloaded;
}

/* ---- stacks ---- */

/*
 * The address as printed. Readers take the first address of a stack as it is (or less one) and all
 * others less one: so the first is written as the return address less one, and both are within the
 * call. A place that is not a return address but an instruction itself (a signal came there) is
 * written plus one.
 */
static uint64_t printed(const struct heapprofile *h, uint32_t frame, bool first)
{
	const struct profile_place *p = &h->how.profile->places[frame];
	taddr a = address_of(h, p);

	if (first)
		return a - !p->exact;
	return a + p->exact;
}

static size_t stack_of(const struct heapprofile *h, const struct profile *p, uint32_t node,
		       uint64_t *out)
{
	size_t n = 0;

	for (; p->nodes[node].parent != PD_NONE && n < h->how.options->depth;
	     node = p->nodes[node].parent) {
		out[n] = printed(h, p->nodes[node].frame, n == 0);
		n++;
	}
	return n;
}

int heap_contexts(const struct heapprofile *h, struct stack_table *t)
{
	const struct profile *p = heap_counted(h);
	uint64_t *stack = malloc((h->how.options->depth + 1) * sizeof *stack);
	int err = stack ? 0 : -ENOMEM;

	*t = (struct stack_table){ 0 };
	for (size_t i = 0; !err && i < h->n_counts && i < p->n_leaves; i++) {
		const struct heap_count *c = &h->counts[i];
		uint64_t size = p->leaves[i].size, live = c->allocs - c->frees;
		/* An allocator may promise more bytes than there are. */
		uint64_t value[HEAP_VALUES] = { c->allocs, saturate_product(c->allocs, size), live,
						saturate_product(live, size) };

		if (!c->allocs)
			continue;
		err = stack_table_count(t, stack, stack_of(h, p, p->leaves[i].node, stack), value);
	}
	free(stack);
	if (err)
		stack_table_release(t);
	else
		stack_table_sort(t, INUSE_SPACE);
	return err;
}

int heap_mapped_contexts(const struct heapprofile *h, struct stack_table *t)
{
	const struct stack_table *m = &h->mapped.counts;
	uint64_t *stack = malloc((h->how.options->depth + 1) * sizeof *stack);
	int err = stack ? 0 : -ENOMEM;

	*t = (struct stack_table){ 0 };
	for (size_t i = 0; !err && h->how.options->mapped && i < m->n; i++) {
		uint32_t node = (uint32_t)m->elements[m->stacks[i].first];

		err = stack_table_add(t, stack, stack_of(h, h->how.profile, node, stack),
				      m->stacks[i].value);
	}
	free(stack);
	if (err)
		stack_table_release(t);
	else
		stack_table_sort(t, INUSE_SPACE);
	return err;
}

/* Recognized by its name, which is the same everywhere: ld-linux-x86-64.so.2,
 * ld-musl-x86_64.so.1. */
static bool is_loader_file(const char *path)
{
	return text_begins(path_last(path), "ld-");
}

bool heap_is_loader(const struct heapprofile *h, uint32_t node)
{
	const struct profile *p = h->how.profile;

	for (; node < p->n_nodes && p->nodes[node].parent != PD_NONE;
	     node = p->nodes[node].parent) {
		uint32_t file = p->places[p->nodes[node].frame].module;

		if (file == PD_NONE || !is_loader_file(h->how.files->files[file].path))
			return false;
	}
	return true;
}
