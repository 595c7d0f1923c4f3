/* SPDX-License-Identifier: BSD-2-Clause */
#include "sitetypes/scope.h"

#include "base/array.h"
#include "base/search.h"
#include "symbols/die.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	SPOTS_MAX = 1 << 16, /* kept */
	/* Locations that are read: any number of variables may share one list, and none of its
	 * locations need be usable. */
	PLACES_MAX = 1 << 18,
};

struct reading {
	struct scope *s;
	struct types *t;
	struct die_walk walk;
	int left; /* locations that may still be read */
};

void scope_release(struct scope *s)
{
	free(s->v);
	free(s->declared);
	*s = (struct scope){0};
}

static int add_spot(struct reading *r, struct spot *spot)
{
	struct scope *s = r->s;

	if (s->n >= SPOTS_MAX)
		return 0;
	if (spot->kind == SPOT_ADDRESS)
		spot->size = types_whole_size(r->t, spot->type);
	if (ARRAY_RESERVE(&s->v, &s->cap, s->n))
		return -ENOMEM;
	s->v[s->n++] = *spot;
	return 0;
}

/* Sets the place of a location with one operation; others are of parts, or computed. */
static bool set_place(struct spot *spot, const Dwarf_Op *op, size_t n)
{
	if (n != 1)
		return false;
	if (op->atom >= DW_OP_reg0 && op->atom < DW_OP_reg0 + ARCH_FLOW_REGS) {
		spot->kind = SPOT_REG;
		spot->reg = op->atom - DW_OP_reg0;
	} else if (op->atom >= DW_OP_breg0 && op->atom < DW_OP_breg0 + ARCH_FLOW_REGS) {
		spot->kind = SPOT_MEMORY;
		spot->reg = op->atom - DW_OP_breg0;
		spot->offset = (int64_t)op->number;
	} else if (op->atom == DW_OP_fbreg) {
		spot->kind = SPOT_FRAME;
		spot->offset = (int64_t)op->number;
	} else if (op->atom == DW_OP_addr) {
		spot->kind = SPOT_ADDRESS;
		spot->offset = (int64_t)op->number;
	} else {
		return false;
	}
	return true;
}

/* Adds a variable that is in one place in all of the code of @around. */
static int add_everywhere(struct reading *r, Dwarf_Die *around, struct spot spot)
{
	Dwarf_Addr base = 0;
	ptrdiff_t at = 0;
	int err = 0;

	while (!err && r->left-- > 0 &&
	       (at = dwarf_ranges(around, at, &base, &spot.low, &spot.high)) > 0)
		err = add_spot(r, &spot);
	return err;
}

static int add_variable(struct reading *r, Dwarf_Die *die, Dwarf_Die *around, bool parameter)
{
	struct spot spot = {.parameter = parameter};
	Dwarf_Attribute a;
	Dwarf_Addr base, low, high;
	Dwarf_Op *ops;
	size_t n;
	ptrdiff_t at = 0;
	int err = 0;

	if (!dwarf_attr(die, DW_AT_location, &a) || !(spot.type = types_of(r->t, die)))
		return 0;
	while (!err && r->left-- > 0 && r->s->n < SPOTS_MAX &&
	       (at = dwarf_getlocations(&a, at, &base, &low, &high, &ops, &n)) > 0) {
		if (!set_place(&spot, ops, n))
			continue;
		spot.low = low;
		spot.high = high;
		if (!low && high == (Dwarf_Addr)-1)
			return add_everywhere(r, around, spot);
		err = add_spot(r, &spot);
	}
	return err;
}

static bool has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

/* @around: the innermost DIE that has code. */
static int read_children(struct reading *r, Dwarf_Die *parent, Dwarf_Die *around, int depth)
{
	Dwarf_Die die;
	int err = 0;

	if (depth > DIE_DEPTH_MAX || !die_child(&r->walk, parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			err = add_variable(r, &die, around,
					   tag == DW_TAG_formal_parameter && !depth);
		else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
			err = read_children(r, &die, has_code(&die) ? &die : around, depth + 1);
	} while (!err && r->left > 0 && r->s->n < SPOTS_MAX && die_sibling(&r->walk, &die));
	return err;
}

/* DWARF 5, 3.3.5: an expression, mostly of one operation. */
static void set_base(struct scope *s, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	*s = (struct scope){.base_reg = -1};
	if (!dwarf_attr(die, DW_AT_frame_base, &a) || dwarf_getlocation(&a, &ops, &n) || n != 1)
		return;
	s->base_is_cfa = ops->atom == DW_OP_call_frame_cfa;
	if (ops->atom >= DW_OP_reg0 && ops->atom < DW_OP_reg0 + ARCH_FLOW_REGS)
		s->base_reg = ops->atom - DW_OP_reg0;
}

int scope_read(struct scope *s, struct types *t, const struct func *f)
{
	struct reading r = {.s = s, .t = t, .left = PLACES_MAX};
	Dwarf_Die die = f->die;

	set_base(s, &die);
	return read_children(&r, &die, &die, 0);
}

/* ---- of a unit ---- */

static int add_declared(struct reading *r, Dwarf_Die *die)
{
	struct scope *s = r->s;
	const char *name = dwarf_diename(die);
	flow_type type = name ? types_of(r->t, die) : 0;

	if (!type || s->n_declared >= SPOTS_MAX)
		return 0;
	if (ARRAY_RESERVE(&s->declared, &s->cap_declared, s->n_declared))
		return -ENOMEM;
	s->declared[s->n_declared++] = (struct declared){name, type};
	return 0;
}

/* Types of one name differ only in damaged DWARF; the order is the same in any case. */
static int by_name(const void *left, const void *right)
{
	const struct declared *a = left, *b = right;
	int by = strcmp(a->name, b->name);

	return by ? by : a->type < b->type ? -1 : a->type > b->type;
}

flow_type scope_declared(const struct scope *s, const char *name)
{
	size_t i = SEARCH_FIRST(s->n_declared, k, strcmp(s->declared[k].name, name) >= 0);

	return i < s->n_declared && !strcmp(s->declared[i].name, name) ? s->declared[i].type : 0;
}

static int read_globals(struct reading *r, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;
	int err = 0;

	if (depth > DIE_DEPTH_MAX || !die_child(&r->walk, parent, &die))
		return 0;
	do {
		struct spot spot = {.high = UINT64_MAX};
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_namespace)
			err = read_globals(r, &die, depth + 1);
		if (tag == DW_TAG_variable && !depth)
			err = add_declared(r, &die);
		if (tag != DW_TAG_variable || err || !dwarf_attr(&die, DW_AT_location, &a) ||
		    dwarf_getlocation(&a, &ops, &n) || !set_place(&spot, ops, n) ||
		    spot.kind != SPOT_ADDRESS || !(spot.type = types_of(r->t, &die)))
			continue;
		err = add_spot(r, &spot);
	} while (!err && r->s->n < SPOTS_MAX && die_sibling(&r->walk, &die));
	return err;
}

int scope_read_globals(struct scope *s, struct types *t, Dwarf_Die *unit)
{
	struct reading r = {.s = s, .t = t};

	*s = (struct scope){0};
	int err = read_globals(&r, unit, 0);
	if (s->n_declared)
		qsort(s->declared, s->n_declared, sizeof *s->declared, by_name);
	return err;
}
