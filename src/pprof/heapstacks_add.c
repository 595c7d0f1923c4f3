/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds a profile to another: which locations of the two are equal. */
#include "pprof/heapstacks.h"

#include "base/modulename.h"
#include "base/search.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct adding {
	struct heap_stacks *to;
	const struct heap_stacks *from;
	uint32_t *mapping_to;	/* by mapping of @from; PP_NONE: no mapping of that build */
	uint32_t *rebuilt;	/* the same for other builds of the file; PP_NONE: none */
	uint32_t *location_to;	/* by location of @from */
	uint32_t *by_function;	/* locations of @to, sorted by their functions' names */
	size_t n_by_function;
};

/* The first mapping is the program, if known, unless it is a library. */
static struct module_name name_of(const struct heap_stacks *h, size_t i)
{
	const struct pp_mapping *m = &h->mappings[i];

	return (struct module_name){ m->path, m->build_id,
				     !i && !strstr(path_last(m->path), ".so") };
}

static struct module_name *names_of(const struct heap_stacks *h)
{
	struct module_name *names = calloc(h->n_mappings + 1, sizeof *names);

	for (size_t i = 0; names && i < h->n_mappings; i++)
		names[i] = name_of(h, i);
	return names;
}

/* The mapping of @to with the same part of the same build of a file. */
static uint32_t same_place(const struct adding *a, size_t i)
{
	const struct module_name name = name_of(a->from, i);

	for (uint32_t j = 0; j < a->to->n_mappings; j++) {
		const struct module_name other = name_of(a->to, j);

		if (a->from->mappings[i].offset == a->to->mappings[j].offset &&
		    modules_compare(&name, &other) == MODULES_OF_BUILD)
			return j;
	}
	return PP_NONE;
}

static int pair_mappings(struct adding *a)
{
	struct module_name *from = names_of(a->from), *to = names_of(a->to);
	int err = from && to ? modules_pair(from, a->from->n_mappings, to, a->to->n_mappings,
					    a->rebuilt)
			     : -ENOMEM;

	for (size_t i = 0; !err && i < a->from->n_mappings; i++) {
		a->mapping_to[i] = same_place(a, i);
		if (a->rebuilt[i] != PP_NONE &&
		    modules_compare(&from[i], &to[a->rebuilt[i]]) == MODULES_OF_BUILD)
			a->rebuilt[i] = PP_NONE;
	}
	free(from);
	free(to);
	return err;
}

/* Compare the functions of two locations, innermost first. */
static int compare_functions(const struct heap_stacks *x, const struct pp_location *a,
			     const struct heap_stacks *y, const struct pp_location *b)
{
	for (uint32_t i = 0; i < a->n_lines && i < b->n_lines; i++) {
		int c = strcmp(x->functions[x->lines[a->first_line + i].function].name,
			       y->functions[y->lines[b->first_line + i].function].name);
		if (c)
			return c;
	}
	return (a->n_lines > b->n_lines) - (a->n_lines < b->n_lines);
}

static int in_order(const void *left, const void *right, void *stacks)
{
	const struct heap_stacks *h = stacks;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int c = compare_functions(h, &h->locations[a], h, &h->locations[b]);

	return c ? c : (a > b) - (a < b);
}

static int sort_by_function(struct adding *a)
{
	a->by_function = malloc((a->to->n_locations + 1) * sizeof *a->by_function);
	if (!a->by_function)
		return -ENOMEM;
	for (uint32_t i = 0; i < a->to->n_locations; i++)
		if (a->to->locations[i].n_lines)
			a->by_function[a->n_by_function++] = i;
	qsort_r(a->by_function, a->n_by_function, sizeof *a->by_function, in_order, a->to);
	return 0;
}

/* True if a location of @to is in a file of which @from has another build. */
static bool is_of_rebuilt(const struct adding *a, const struct pp_location *l)
{
	for (size_t i = 0; l->mapping != PP_NONE && i < a->from->n_mappings; i++)
		if (a->rebuilt[i] == l->mapping && a->mapping_to[i] == PP_NONE)
			return true;
	return false;
}

/*
 * Lines and addresses of different builds cannot be compared: in files that were rebuilt, all
 * locations with the same functions are merged into one.
 */
static int merge_rebuilt(struct adding *a)
{
	struct heap_stacks *to = a->to;
	uint64_t *same = malloc((to->n_locations + 1) * sizeof *same);
	struct stack_table was = to->stacks;
	bool any = false;
	int err = same ? 0 : -ENOMEM;

	for (uint32_t i = 0; same && i < to->n_locations; i++)
		same[i] = i;
	for (size_t i = 1; same && i < a->n_by_function; i++) {
		uint32_t before = a->by_function[i - 1], now = a->by_function[i];
		const struct pp_location *x = &to->locations[before], *y = &to->locations[now];

		if (x->mapping != y->mapping || compare_functions(to, x, to, y) ||
		    !is_of_rebuilt(a, y))
			continue;
		same[now] = same[before];
		any = true;
	}
	if (any) {
		for (size_t i = 0; i < was.n_elements; i++)
			was.elements[i] = same[was.elements[i]];
		to->stacks = (struct stack_table){ 0 };
		for (size_t i = 0; !err && i < was.n; i++)
			err = stack_table_add(&to->stacks, was.elements + was.stacks[i].first,
					      was.stacks[i].n, was.stacks[i].value);
		stack_table_release(&was);
	}
	free(same);
	return err;
}

/* A location in the other build with the same functions. */
static uint32_t find_by_function(const struct adding *a, const struct pp_location *l)
{
	if (!l->n_lines || l->mapping == PP_NONE || a->rebuilt[l->mapping] == PP_NONE)
		return PP_NONE;
	const struct pp_location *all = a->to->locations;
	const uint32_t *ids = a->by_function;
	size_t at = SEARCH_FIRST(a->n_by_function, i,
				 compare_functions(a->to, &all[ids[i]], a->from, l) >= 0);
	const char *file = a->to->mappings[a->rebuilt[l->mapping]].path;
	for (; at < a->n_by_function; at++) {
		const struct pp_location *t = &all[ids[at]];

		if (compare_functions(a->to, t, a->from, l))
			break;
		if (t->mapping != PP_NONE && !strcmp(a->to->mappings[t->mapping].path, file))
			return ids[at];
	}
	return PP_NONE;
}

/* Copy the names of a location. */
static int copy_lines(struct adding *a, const struct pp_location *l, struct pp_line *lines)
{
	for (uint32_t i = 0; i < l->n_lines; i++) {
		const struct pp_line *from = &a->from->lines[l->first_line + i];

		lines[i].line = from->line;
		lines[i].function = heap_stacks_function(a->to,
							 &a->from->functions[from->function]);
		if (lines[i].function == PP_NONE)
			return -ENOMEM;
	}
	return 0;
}

static uint32_t add_location(struct adding *a, const struct pp_location *l)
{
	struct pp_line *lines = malloc((l->n_lines + 1) * sizeof *lines);
	uint32_t mapping = PP_NONE, id = PP_NONE;
	uint64_t address = l->address;

	if (!lines || copy_lines(a, l, lines))
		goto out;
	if (l->mapping != PP_NONE) {
		if (a->mapping_to[l->mapping] == PP_NONE)
			a->mapping_to[l->mapping] =
				heap_stacks_mapping(a->to, &a->from->mappings[l->mapping]);
		mapping = a->mapping_to[l->mapping];
		if (mapping == PP_NONE)
			goto out;
		address = address - a->from->mappings[l->mapping].start +
			  a->to->mappings[mapping].start;
	}
	id = heap_stacks_same_location(a->to, mapping, address, lines, l->n_lines);
out:
	free(lines);
	return id;
}

static int pair_locations(struct adding *a)
{
	for (size_t i = 0; i < a->from->n_locations; i++) {
		const struct pp_location *l = &a->from->locations[i];

		a->location_to[i] = PP_NONE;
		if (l->mapping == PP_NONE || a->mapping_to[l->mapping] == PP_NONE)
			a->location_to[i] = find_by_function(a, l);
		if (a->location_to[i] == PP_NONE)
			a->location_to[i] = add_location(a, l);
		if (a->location_to[i] == PP_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int add_stack(struct adding *a, const struct stack *s, int sign)
{
	uint64_t *elements = malloc((s->n + 1) * sizeof *elements);
	int64_t value[HEAP_VALUES];
	int err = elements ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < s->n; i++)
		elements[i] = a->location_to[a->from->stacks.elements[s->first + i]];
	for (int v = 0; !err && v < HEAP_VALUES; v++)
		if (__builtin_mul_overflow(s->value[v], sign, &value[v]))
			err = -EOVERFLOW;
	if (!err)
		err = stack_table_add(&a->to->stacks, elements, s->n, value);
	free(elements);
	return err;
}

int heap_stacks_add(struct heap_stacks *to, const struct heap_stacks *from, int sign,
		    struct error *e)
{
	struct adding a = { .to = to, .from = from };
	size_t n = from->n_mappings + 1;
	int err = -ENOMEM;

	a.mapping_to = malloc(n * sizeof *a.mapping_to);
	a.rebuilt = malloc(n * sizeof *a.rebuilt);
	a.location_to = malloc((from->n_locations + 1) * sizeof *a.location_to);
	if (!a.mapping_to || !a.rebuilt || !a.location_to)
		goto out;
	err = pair_mappings(&a);
	if (!err)
		err = sort_by_function(&a);
	if (!err)
		err = merge_rebuilt(&a);
	if (!err)
		err = pair_locations(&a);
	for (size_t i = 0; !err && i < from->stacks.n; i++)
		err = add_stack(&a, &from->stacks.stacks[i], sign);
out:
	free(a.mapping_to);
	free(a.rebuilt);
	free(a.location_to);
	free(a.by_function);
	if (err)
		error_set(e, err, "cannot add up profiles: %s",
			  err == -EOVERFLOW ? "a sum is too large" : "out of memory");
	return err;
}
