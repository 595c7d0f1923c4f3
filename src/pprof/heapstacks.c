/* SPDX-License-Identifier: BSD-2-Clause */
#include "pprof/heapstacks.h"

#include "base/array.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void heap_stacks_release(struct heap_stacks *h)
{
	for (size_t i = 0; i < h->n_mappings; i++) {
		free(h->mappings[i].path);
		free(h->mappings[i].build_id);
	}
	for (size_t i = 0; i < h->n_functions; i++) {
		free(h->functions[i].name);
		free(h->functions[i].system_name);
		free(h->functions[i].file);
	}
	free(h->mappings);
	free(h->functions);
	free(h->lines);
	free(h->locations);
	free(h->comment);
	idindex_release(&h->function_index);
	idindex_release(&h->location_index);
	idindex_release(&h->named_index);
	stack_table_release(&h->stacks);
	*h = (struct heap_stacks){ 0 };
}

uint32_t heap_stacks_mapping(struct heap_stacks *h, const struct pp_mapping *m)
{
	struct pp_mapping copy = *m;

	if (ARRAY_RESERVE(&h->mappings, &h->cap_mappings, h->n_mappings))
		return PP_NONE;
	copy.path = strdup(m->path);
	copy.build_id = strdup(m->build_id);
	if (!copy.path || !copy.build_id) {
		free(copy.path);
		free(copy.build_id);
		return PP_NONE;
	}
	h->mappings[h->n_mappings] = copy;
	return (uint32_t)h->n_mappings++;
}

uint32_t heap_stacks_mapping_of(const struct heap_stacks *h, uint64_t address)
{
	for (size_t i = 0; i < h->n_mappings; i++)
		if (address >= h->mappings[i].start && address < h->mappings[i].limit)
			return (uint32_t)i;
	return PP_NONE;
}

/* ---- functions ---- */

static uint64_t function_hash(const struct pp_function *f)
{
	return hash_text(hash_text(hash_text(1, f->name), f->system_name), f->file);
}

static bool function_eq(const void *owner, uint32_t id, const void *key)
{
	const struct pp_function *a = &((const struct heap_stacks *)owner)->functions[id], *b = key;

	return !strcmp(a->name, b->name) && !strcmp(a->system_name, b->system_name) &&
	       !strcmp(a->file, b->file) && a->start_line == b->start_line;
}

static uint64_t function_rehash(const void *owner, uint32_t id)
{
	return function_hash(&((const struct heap_stacks *)owner)->functions[id]);
}

uint32_t heap_stacks_function(struct heap_stacks *h, const struct pp_function *f)
{
	uint64_t hash = function_hash(f);
	uint32_t id = idindex_find(&h->function_index, hash, function_eq, h, f);

	if (id != IDINDEX_NONE)
		return id;
	if (ARRAY_RESERVE(&h->functions, &h->cap_functions, h->n_functions))
		return PP_NONE;
	struct pp_function *copy = &h->functions[h->n_functions];
	*copy = (struct pp_function){ strdup(f->name), strdup(f->system_name), strdup(f->file),
				      f->start_line };
	id = (uint32_t)h->n_functions++; /* from here on heap_stacks_release() frees it */
	if (!copy->name || !copy->system_name || !copy->file ||
	    idindex_add(&h->function_index, id, hash, function_rehash, h))
		return PP_NONE;
	return id;
}

/* ---- locations ---- */

static uint64_t location_hash(uint32_t mapping, uint64_t address)
{
	return hash_mix(hash_mix(address) + mapping);
}

static bool location_eq(const void *owner, uint32_t id, const void *key)
{
	const struct pp_location *a = &((const struct heap_stacks *)owner)->locations[id], *b = key;

	return a->address == b->address && a->mapping == b->mapping;
}

static uint64_t location_rehash(const void *owner, uint32_t id)
{
	const struct pp_location *l = &((const struct heap_stacks *)owner)->locations[id];

	return location_hash(l->mapping, l->address);
}

int heap_stacks_name(struct heap_stacks *h, uint32_t location, const struct pp_line *lines,
		     size_t n)
{
	uint32_t first = (uint32_t)h->n_lines;

	for (size_t i = 0; i < n; i++) {
		if (ARRAY_RESERVE(&h->lines, &h->cap_lines, h->n_lines))
			return -ENOMEM;
		h->lines[h->n_lines++] = lines[i];
	}
	h->locations[location].first_line = first;
	h->locations[location].n_lines = (uint32_t)n;
	return 0;
}

static uint32_t new_location(struct heap_stacks *h, uint32_t mapping, uint64_t address,
			     const struct pp_line *lines, size_t n)
{
	if (h->n_locations >= PP_NONE ||
	    ARRAY_RESERVE(&h->locations, &h->cap_locations, h->n_locations))
		return PP_NONE;
	uint32_t id = (uint32_t)h->n_locations++;
	h->locations[id] = (struct pp_location){ .mapping = mapping, .address = address };
	return heap_stacks_name(h, id, lines, n) ? PP_NONE : id;
}

/* Key of a location that has had names from the beginning. */
struct named_key {
	uint32_t mapping;
	uint64_t address;
	const struct pp_line *lines;
	size_t n;
};

static uint64_t named_hash(const struct named_key *k)
{
	uint64_t hash = location_hash(k->mapping, k->address);

	for (size_t i = 0; i < k->n; i++)
		hash = hash_mix(hash_mix(hash + k->lines[i].function) + (uint64_t)k->lines[i].line);
	return hash;
}

static bool named_eq(const void *owner, uint32_t id, const void *key)
{
	const struct heap_stacks *h = owner;
	const struct pp_location *l = &h->locations[id];
	const struct named_key *k = key;

	if (l->address != k->address || l->mapping != k->mapping || l->n_lines != k->n)
		return false;
	for (size_t i = 0; i < k->n; i++)
		if (h->lines[l->first_line + i].function != k->lines[i].function ||
		    h->lines[l->first_line + i].line != k->lines[i].line)
			return false;
	return true;
}

static uint64_t named_rehash(const void *owner, uint32_t id)
{
	const struct heap_stacks *h = owner;
	const struct pp_location *l = &h->locations[id];
	const struct named_key k = { l->mapping, l->address, h->lines + l->first_line, l->n_lines };

	return named_hash(&k);
}

static uint32_t find_at(const struct heap_stacks *h, uint32_t mapping, uint64_t address)
{
	const struct pp_location key = { .mapping = mapping, .address = address };

	return idindex_find(&h->location_index, location_hash(mapping, address), location_eq, h,
			    &key);
}

static int index_at(struct heap_stacks *h, uint32_t id)
{
	const struct pp_location *l = &h->locations[id];

	return idindex_add(&h->location_index, id, location_hash(l->mapping, l->address),
			   location_rehash, h);
}

uint32_t heap_stacks_named_location(struct heap_stacks *h, uint32_t mapping, uint64_t address,
				    const struct pp_line *lines, size_t n)
{
	const struct named_key key = { mapping, address, lines, n };

	if (!n)
		return heap_stacks_location(h, mapping, address, NULL, 0);
	uint32_t id = idindex_find(&h->named_index, named_hash(&key), named_eq, h, &key);
	if (id != IDINDEX_NONE)
		return id;
	bool first = find_at(h, mapping, address) == IDINDEX_NONE;
	id = new_location(h, mapping, address, lines, n);
	if (id == PP_NONE || idindex_add(&h->named_index, id, named_hash(&key), named_rehash, h) ||
	    (first && index_at(h, id)))
		return PP_NONE;
	return id;
}

uint32_t heap_stacks_location(struct heap_stacks *h, uint32_t mapping, uint64_t address,
			      const struct pp_line *lines, size_t n)
{
	uint32_t id = find_at(h, mapping, address);

	if (id != IDINDEX_NONE)
		return id;
	id = new_location(h, mapping, address, lines, n);
	return id == PP_NONE || index_at(h, id) ? PP_NONE : id;
}

uint32_t heap_stacks_same_location(struct heap_stacks *h, uint32_t mapping, uint64_t address,
				   const struct pp_line *lines, size_t n)
{
	const struct named_key key = { mapping, address, lines, n };
	uint32_t id = idindex_find(&h->named_index, named_hash(&key), named_eq, h, &key);

	if (id != IDINDEX_NONE)
		return id;
	return n && mapping == PP_NONE ? heap_stacks_named_location(h, mapping, address, lines, n) :
					 heap_stacks_location(h, mapping, address, lines, n);
}

/* ---- numbers ---- */

int64_t heap_stacks_total(const struct heap_stacks *h, enum heap_value v)
{
	int64_t sum = 0;

	for (size_t i = 0; i < h->stacks.n; i++)
		if (__builtin_add_overflow(sum, h->stacks.stacks[i].value[v], &sum))
			return sum < 0 ? INT64_MAX : INT64_MIN;
	return sum;
}

void heap_stacks_drop_negative(struct heap_stacks *h)
{
	for (size_t i = 0; i < h->stacks.n; i++)
		for (int v = 0; v < HEAP_VALUES; v++)
			if (h->stacks.stacks[i].value[v] < 0)
				h->stacks.stacks[i].value[v] = 0;
}
