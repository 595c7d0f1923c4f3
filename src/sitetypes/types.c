/* SPDX-License-Identifier: BSD-2-Clause */
#include "sitetypes/types.h"

#include "base/array.h"
#include "symbols/die.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

enum {
	TYPES_MAX = 1 << 20,
	/* Visited for one question, in a structure and those inside of it: nested ones multiply,
	 * and damaged ones may contain each other. */
	MEMBERS_MAX = 4096,
	INNER_MAX = 6,	    /* structures in structures */
};

struct number {
	uint64_t die;
	flow_type n;
};

void types_release(struct types *t)
{
	free(t->v);
	addrtable_release(&t->numbers);
	*t = (struct types){0};
}

static flow_type number_of(struct types *t, const Dwarf_Die *type, bool of_object)
{
	const uint64_t object_bit = UINT64_C(1) << 63; /* not set in any address of a process */
	bool known;
	uint64_t at = (uint64_t)(uintptr_t)type->addr;

	if (at && of_object)
		at |= object_bit;
	struct number *slot = at ? addrtable_find(&t->numbers, at, sizeof *slot) : NULL;

	if (slot)
		return slot->n;
	if (!at || t->n >= TYPES_MAX || ARRAY_RESERVE(&t->v, &t->cap, t->n))
		return 0;
	slot = addrtable_put(&t->numbers, at, sizeof *slot, &known);
	if (!slot)
		return 0;
	t->v[t->n++] = (struct known_type){*type, of_object};
	return slot->n = (flow_type)t->n;
}

flow_type types_number(struct types *t, const Dwarf_Die *type)
{
	return number_of(t, type, false);
}

flow_type types_of(struct types *t, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Die type;

	if (!dwarf_attr_integrate(die, DW_AT_type, &a) || !dwarf_formref_die(&a, &type))
		return 0;
	return number_of(t, &type,
			 dwarf_tag(die) == DW_TAG_formal_parameter &&
				 dwarf_hasattr_integrate(die, DW_AT_artificial));
}

static bool is_name_or_qualifier(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

bool types_plain(Dwarf_Die *type, Dwarf_Die *plain)
{
	Dwarf_Die next;

	*plain = *type;
	for (int i = 0; i < DIE_DEPTH_MAX; i++) {
		int tag = dwarf_tag(plain);

		if (!is_name_or_qualifier(tag)) {
			/* The type itself is in a type unit. */
			if (die_is_structure(tag) && die_ref(plain, DW_AT_signature, &next))
				*plain = next;
			return tag != DW_TAG_invalid;
		}
		if (!die_ref(plain, DW_AT_type, &next))
			return false;
		*plain = next;
	}
	return false;
}

bool types_may_be_of_part(struct types *t, flow_type type)
{
	Dwarf_Die plain;

	if (!type || type > t->n)
		return false;
	if (t->v[type - 1].of_object)
		return true;
	return types_plain(&t->v[type - 1].die, &plain) &&
	       (dwarf_tag(&plain) == DW_TAG_reference_type ||
		dwarf_tag(&plain) == DW_TAG_rvalue_reference_type);
}

/* The type that DW_AT_type of a DIE refers to: with its names in @named, without in @plain. */
static bool type_below(Dwarf_Die *die, Dwarf_Die *plain, Dwarf_Die *named)
{
	return die_ref(die, DW_AT_type, named) && types_plain(named, plain);
}

static bool is_pointer(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

enum types_target types_target(struct types *t, flow_type pointer, Dwarf_Die *plain,
			       Dwarf_Die *named)
{
	Dwarf_Die p;

	if (!pointer || pointer > t->n || !types_plain(&t->v[pointer - 1].die, &p) ||
	    !is_pointer(dwarf_tag(&p)))
		return TARGET_NONE;
	if (!type_below(&p, plain, named))
		return TARGET_VOID;
	switch (dwarf_tag(plain)) {
	case DW_TAG_subroutine_type:
		return TARGET_CODE;
	case DW_TAG_unspecified_type:
		return TARGET_VOID;
	default:
		return TARGET_TYPE;
	}
}

uint64_t types_size(Dwarf_Die *plain)
{
	uint64_t size;

	if (die_number(plain, DW_AT_byte_size, &size))
		return size;
	return is_pointer(dwarf_tag(plain)) ? sizeof(uint64_t) : 0;
}

/* ---- members ---- */

/* A search for what is at an offset of a structure. */
struct members {
	struct types *t;
	flow_type *out;
	unsigned n;
	int left; /* members that may still be visited, in all structures */
};

static void add(struct members *q, Dwarf_Die *named)
{
	flow_type number = types_number(q->t, named);

	for (unsigned i = 0; i < q->n; i++)
		if (q->out[i] == number)
			return;
	if (number && q->n < FLOW_TYPES_MAX)
		q->out[q->n++] = number;
}

static void inside(struct members *q, Dwarf_Die *named, int64_t offset, int depth);

static void in_structure(struct members *q, Dwarf_Die *s, int64_t offset, int depth)
{
	struct die_walk w = {0};
	Dwarf_Die m, named, plain;

	if (!die_child(&w, s, &m))
		return;
	do {
		int tag = dwarf_tag(&m);
		uint64_t at = 0;

		if (q->left-- <= 0)
			return;
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		/* A static member has no offset, a virtual base none that is known. */
		if (!die_number(&m, DW_AT_data_member_location, &at) &&
		    (dwarf_hasattr(&m, DW_AT_data_member_location) ||
		     dwarf_hasattr(&m, DW_AT_external) || dwarf_tag(s) != DW_TAG_union_type))
			continue;
		if (at > (uint64_t)offset || !type_below(&m, &plain, &named))
			continue;
		inside(q, &named, offset - (int64_t)at, depth + 1);
	} while (die_sibling(&w, &m));
}

/* The number of elements of an array; 0: not known. */
static uint64_t array_length(Dwarf_Die *array)
{
	struct die_walk w = {0};
	Dwarf_Die r;
	uint64_t n = 1, bound;
	int left = INNER_MAX;

	if (!die_child(&w, array, &r))
		return 0;
	do {
		if (dwarf_tag(&r) != DW_TAG_subrange_type)
			continue;
		if (die_number(&r, DW_AT_upper_bound, &bound))
			bound++;
		else if (!die_number(&r, DW_AT_count, &bound))
			return 0;
		if (__builtin_mul_overflow(n, bound, &n))
			return 0;
	} while (--left && die_sibling(&w, &r));
	return n;
}

/* The type of the last member of a structure. */
static bool last_member(Dwarf_Die *structure, Dwarf_Die *plain)
{
	struct die_walk w = {0};
	Dwarf_Die m, last, named;
	int left = MEMBERS_MAX;
	bool any = false;

	if (!die_is_structure(dwarf_tag(structure)) || !die_child(&w, structure, &m))
		return false;
	do {
		if (dwarf_tag(&m) == DW_TAG_member && !dwarf_hasattr(&m, DW_AT_external)) {
			last = m;
			any = true;
		}
	} while (--left && die_sibling(&w, &m));
	return any && type_below(&last, plain, &named);
}

bool types_ends_open(Dwarf_Die *plain)
{
	Dwarf_Die at = *plain, last;
	int depth = 0;

	for (; depth < INNER_MAX && last_member(&at, &last); depth++)
		at = last;
	/* std::array<T, 1> is a member like any other. */
	return depth && dwarf_tag(&at) == DW_TAG_array_type && array_length(&at) <= (depth == 1);
}

bool types_may_go_on(Dwarf_Die *plain)
{
	Dwarf_Die unit;

	if (dwarf_diecu(plain, &unit, NULL, NULL) && die_unit_is_c(&unit))
		return true;
	return types_ends_open(plain);
}

/* sizeof an array, *@each that of its elements, whose type is @named; 0: not known. */
static uint64_t array_size(Dwarf_Die *array, Dwarf_Die *named, uint64_t *each)
{
	Dwarf_Die plain;
	uint64_t all;

	if (!type_below(array, &plain, named))
		return 0;
	*each = types_size(&plain);
	return __builtin_mul_overflow(*each, array_length(array), &all) ? 0 : all;
}

uint64_t types_whole_size(struct types *t, flow_type type)
{
	Dwarf_Die plain, named;
	uint64_t each;

	if (!type || type > t->n || !types_plain(&t->v[type - 1].die, &plain))
		return 0;
	return dwarf_tag(&plain) == DW_TAG_array_type ? array_size(&plain, &named, &each)
						      : types_size(&plain);
}

static void in_array(struct members *q, Dwarf_Die *array, int64_t offset, int depth)
{
	Dwarf_Die named;
	uint64_t each;

	if ((uint64_t)offset >= array_size(array, &named, &each) || !each)
		return;
	inside(q, &named, (int64_t)((uint64_t)offset % each), depth + 1);
}

static void inside(struct members *q, Dwarf_Die *named, int64_t offset, int depth)
{
	Dwarf_Die plain;

	if (depth > INNER_MAX || offset < 0 || !types_plain(named, &plain))
		return;
	int tag = dwarf_tag(&plain);
	if (is_pointer(tag)) {
		if (!offset)
			add(q, named);
	} else if (tag == DW_TAG_array_type) {
		in_array(q, &plain, offset, depth);
	} else if (die_is_structure(tag) && (uint64_t)offset < types_size(&plain)) {
		in_structure(q, &plain, offset, depth);
	}
}

unsigned types_members(struct types *t, Dwarf_Die *structure, int64_t offset,
		       flow_type out[FLOW_TYPES_MAX])
{
	struct members q = {.t = t, .out = out, .left = MEMBERS_MAX};

	if (die_is_structure(dwarf_tag(structure)) && offset >= 0)
		in_structure(&q, structure, offset, 0);
	return q.n;
}

unsigned types_at(struct types *t, flow_type type, int64_t offset, flow_type out[FLOW_TYPES_MAX])
{
	struct members q = {.t = t, .out = out, .left = MEMBERS_MAX};

	if (!type || type > t->n)
		return 0;
	Dwarf_Die named = t->v[type - 1].die;
	inside(&q, &named, offset, 0);
	return q.n;
}

/* Is it the same type, perhaps in another unit? */
static bool is_same(Dwarf_Die *a, Dwarf_Die *b)
{
	const char *x = dwarf_diename(a), *y = dwarf_diename(b);

	return a->addr == b->addr || (x && y && !strcmp(x, y) && types_size(a) == types_size(b));
}

/* @left: members that may still be visited, in all structures. */
static bool begins_with(Dwarf_Die *whole, Dwarf_Die *part, int depth, int *left)
{
	struct die_walk w = {0};
	Dwarf_Die m, named, plain;

	if (depth > INNER_MAX || !die_is_structure(dwarf_tag(whole)) || !die_child(&w, whole, &m))
		return false;
	do {
		uint64_t at = 0;
		int tag = dwarf_tag(&m);

		if ((*left)-- <= 0)
			return false;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    (dwarf_hasattr(&m, DW_AT_data_member_location) &&
		     (!die_number(&m, DW_AT_data_member_location, &at) || at)) ||
		    dwarf_hasattr(&m, DW_AT_external) || !type_below(&m, &plain, &named) ||
		    !die_is_structure(dwarf_tag(&plain)))
			continue;
		if (is_same(&plain, part) || begins_with(&plain, part, depth + 1, left))
			return true;
	} while (die_sibling(&w, &m));
	return false;
}

bool types_begins_with(Dwarf_Die *whole, Dwarf_Die *part)
{
	int left = MEMBERS_MAX;

	return die_is_structure(dwarf_tag(part)) && begins_with(whole, part, 0, &left);
}

/* ---- names ---- */

/* The innermost typedef of a type that has no name itself. */
static const char *given_name(Dwarf_Die *named)
{
	Dwarf_Die at = *named, next;
	const char *name = NULL;

	for (int i = 0; i < DIE_DEPTH_MAX && is_name_or_qualifier(dwarf_tag(&at)); i++) {
		if (dwarf_tag(&at) == DW_TAG_typedef)
			name = dwarf_diename(&at);
		if (!die_ref(&at, DW_AT_type, &next))
			break;
		at = next;
	}
	return name;
}

static const char *tag_word(Dwarf_Die *plain)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(plain, &unit, NULL, NULL) || !die_unit_is_c(&unit))
		return "";
	switch (dwarf_tag(plain)) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

bool types_are_bytes(Dwarf_Die *plain)
{
	const char *name = dwarf_diename(plain);

	return dwarf_tag(plain) == DW_TAG_base_type && types_size(plain) == 1 && name &&
	       strcmp(name, "bool") != 0 && strcmp(name, "_Bool") != 0;
}

/* Appends a star to the name of what a pointer points to. */
static bool add_star(char *out, size_t size)
{
	size_t n = strlen(out);
	bool blank = n && out[n - 1] != '*';

	return n + 3 < size && snprintf(out + n, size - n, blank ? " *" : "*") > 0;
}

static bool name_at(Dwarf_Die *plain, Dwarf_Die *named, char *out, size_t size, int depth)
{
	Dwarf_Die below, below_named;
	const char *name = dwarf_diename(plain);
	int tag = dwarf_tag(plain), n;

	if (depth > INNER_MAX)
		return false;
	if (is_pointer(tag)) {
		if (!type_below(plain, &below, &below_named))
			snprintf(out, size, "void");
		else if (dwarf_tag(&below) == DW_TAG_subroutine_type)
			snprintf(out, size, "function");
		else if (!name_at(&below, &below_named, out, size, depth + 1))
			return false;
		return add_star(out, size);
	}
	if (tag == DW_TAG_array_type)
		return type_below(plain, &below, &below_named) &&
		       name_at(&below, &below_named, out, size, depth + 1);
	if (!depth && types_are_bytes(plain))
		name = "bytes";
	if (!name || !*name) {
		name = given_name(named);
		n = name ? snprintf(out, size, "%s", name) : -1;
	} else if (die_is_scope(tag) && !*tag_word(plain)) {
		return die_scoped_name(plain, out, size);
	} else {
		n = snprintf(out, size, "%s%s", tag_word(plain), name);
	}
	return n > 0 && (size_t)n < size;
}

bool types_name(Dwarf_Die *plain, Dwarf_Die *named, char *out, size_t size)
{
	return name_at(plain, named, out, size, 0);
}
