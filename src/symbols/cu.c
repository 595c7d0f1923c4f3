/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cu.h"

#include "base/array.h"
#include "base/search.h"
#include "symbols/die.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Many DIEs may share one long list of ranges: this bounds a file forged for that. */
#define SPANS_MAX ((size_t)1 << 24)

static int by_low(const void *a, const void *b)
{
	const struct code_span *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->owner < y->owner ? -1 : x->owner > y->owner;
}

static void code_spans_finish(struct code_spans *s)
{
	uint64_t reach = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof *s->v, by_low);
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].high > reach)
			reach = s->v[i].high;
		s->v[i].reach = reach;
	}
}

/* The number of spans that start at or before @at. */
static size_t code_spans_up_to(const struct code_spans *s, uint64_t at)
{
	return SEARCH_FIRST(s->n, i, s->v[i].low > at);
}

/*
 * Add the code of @die to @s; *@first is the start of the first part listed. Functions that the
 * linker dropped have ranges that begin at 0 or elsewhere outside of code: they are skipped.
 */
static int code_spans_add(struct code_spans *s, Dwarf_Die *die, uint32_t owner,
			  struct objfile *main, uint64_t *first)
{
	Dwarf_Addr base = 0, low, high;
	ptrdiff_t at = 0;

	*first = 0;
	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (!low || high <= low || s->n >= SPANS_MAX || !objfile_is_code(main, low))
			continue;
		if (ARRAY_RESERVE(&s->v, &s->cap, s->n))
			return -ENOMEM;
		if (!*first)
			*first = low;
		s->v[s->n++] = (struct code_span){ .low = low, .high = high, .owner = owner };
	}
	return 0;
}

/*
 * libdw opens the file of a split unit without checking its type, and would block for ever on a
 * FIFO.
 */
static bool split_file_is_regular(Dwarf_Die *unit)
{
	Dwarf_Attribute a;
	char path[PATH_MAX];
	struct stat st;
	const char *name = NULL;

	if (dwarf_attr(unit, DW_AT_dwo_name, &a) || dwarf_attr(unit, DW_AT_GNU_dwo_name, &a))
		name = dwarf_formstring(&a);
	if (!name || !die_whole_path(unit, name, path))
		return false;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool cus_use_dwp(Dwarf *dwarf, struct objfile *o, struct dwp *dwp)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	bool any = false;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0)
		if (type == DW_UT_skeleton && !split_file_is_regular(&die) &&
		    dwp_redirect(dwp, &die, o))
			any = true;
	return any;
}

int cus_read(struct cus *c, Dwarf *dwarf, struct objfile *main)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	uint64_t first;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (c->n >= UINT32_MAX || ARRAY_RESERVE(&c->v, &c->cap, c->n))
			return -ENOMEM;
		if (type == DW_UT_skeleton)
			c->split = true;
		if (type == DW_UT_skeleton && !split_file_is_regular(&die))
			c->split_missing = true;
		c->v[c->n] = (struct cu){ .die = die };
		if (code_spans_add(&c->spans, &die, (uint32_t)c->n, main, &first))
			return -ENOMEM;
		c->n++;
	}
	code_spans_finish(&c->spans);
	return 0;
}

void cus_release(struct cus *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].funcs);
		free(c->v[i].spans.v);
	}
	free(c->v);
	free(c->spans.v);
	*c = (struct cus){ 0 };
}

static bool is_skeleton(Dwarf_Die *unit)
{
	uint8_t type = 0;

	return dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 &&
	       type == DW_UT_skeleton;
}

void cu_content(struct dwp *dwp, Dwarf_Die *unit, Dwarf_Die *content)
{
	Dwarf_Die split;

	*content = *unit;
	dwp_offer(dwp, unit);
	if (is_skeleton(unit) && split_file_is_regular(unit) &&
	    dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 &&
	    split.addr && dwarf_tag(&split) == DW_TAG_compile_unit)
		*content = split;
}

struct index {
	struct cu *cu;
	struct objfile *main;
	struct die_walk walk;
};

static int add_func(struct index *x, Dwarf_Die *die)
{
	struct cu *cu = x->cu;
	Dwarf_Addr low;
	Dwarf_Die origin;
	uint64_t first;

	if (ARRAY_RESERVE(&cu->funcs, &cu->cap_funcs, cu->n_funcs) ||
	    code_spans_add(&cu->spans, die, (uint32_t)cu->n_funcs, x->main, &first))
		return -ENOMEM;
	if (!first)
		return 0;
	if (dwarf_hasattr(die, DW_AT_low_pc) && dwarf_lowpc(die, &low) == 0 && low)
		first = low;
	die_origin(die, &origin);
	cu->funcs[cu->n_funcs++] = (struct func){ .die = *die, .entry = first,
						  .origin = origin.addr };
	return 0;
}

/* May functions with code be defined inside a DIE of this kind? */
static bool holds_functions(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

static int index_children(struct index *x, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	int err = 0;

	if (depth > DIE_DEPTH_MAX || !die_child(&x->walk, parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			err = add_func(x, &die);
		if (!err && holds_functions(tag))
			err = index_children(x, &die, depth + 1);
	} while (!err && die_sibling(&x->walk, &die));
	return err;
}

static int index_cu(struct cus *c, struct cu *cu, struct objfile *main)
{
	struct index x = { .cu = cu, .main = main };
	Dwarf_Die content;

	if (cu->indexed)
		return 0;
	cu->indexed = true;
	cu_content(c->dwp, &cu->die, &content);
	/* There is a file of that name, but of another build. */
	if (c->split && content.addr == cu->die.addr && is_skeleton(&cu->die) &&
	    split_file_is_regular(&cu->die))
		c->split_stale = true;
	int err = index_children(&x, &content, 0);

	code_spans_finish(&cu->spans);
	return err;
}

static const struct code_span *code_span_at(const struct code_spans *s, uint64_t at)
{
	for (size_t i = code_spans_up_to(s, at); i-- > 0 && s->v[i].reach > at;)
		if (s->v[i].high > at)
			return &s->v[i];
	return NULL;
}

int cus_find(struct cus *c, struct objfile *main, uint64_t at, struct cu_hit *hit)
{
	*hit = (struct cu_hit){ 0 };
	/* Units may overlap (a linker's leftovers): the right one has a function there. */
	for (size_t i = code_spans_up_to(&c->spans, at); i-- > 0 && c->spans.v[i].reach > at;) {
		if (c->spans.v[i].high <= at)
			continue;
		struct cu *cu = &c->v[c->spans.v[i].owner];
		int err = index_cu(c, cu, main);

		if (err)
			return err;
		const struct code_span *s = code_span_at(&cu->spans, at);

		if (!s && hit->cu)
			continue;
		*hit = (struct cu_hit){ .cu = cu };
		if (!s)
			continue;
		hit->func = &cu->funcs[s->owner];
		hit->part = s->low;
		return 0;
	}
	return 0;
}

uint64_t cu_entry_of(const struct cu *cu, const void *origin)
{
	for (size_t i = 0; i < cu->n_funcs; i++)
		if (cu->funcs[i].origin == origin)
			return cu->funcs[i].entry;
	return 0;
}
