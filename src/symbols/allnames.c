/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/allnames.h"

#include "symbols/die.h"
#include "symbols/internal.h"

#include <dwarf.h>

/* A unit whose functions are reported. */
struct telling {
	const struct allnames *to;
	struct die_walk walk;
	bool c_names;
};

static void tell_symbols(const struct elfsyms *t, const struct allnames *to)
{
	for (size_t i = 0; i < t->n; i++)
		to->symbol(to->ctx, t->v[i].name);
}

/* Reports the name that frames of the function have. */
static void tell_function(const struct telling *t, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die), *linkage;
	char scoped[NAME_MAX_LEN];

	if (!name || !t->to->is_wanted(t->to->ctx, name))
		return;
	linkage = die_linkage(die);
	if (linkage)
		name = linkage;
	else if (!t->c_names && die_function_name(die, scoped, sizeof scoped))
		name = scoped;
	t->to->debug(t->to->ctx, name);
}

static void tell_children(struct telling *t, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > DIE_DEPTH_MAX || !die_child(&t->walk, parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			tell_function(t, &die);
		if (die_is_scope(tag) || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
		    tag == DW_TAG_module)
			tell_children(t, &die, depth + 1);
	} while (die_sibling(&t->walk, &die));
}

/* Returns whether a part of the names is in .dwo files. */
static bool tell_units(Dwarf *dwarf, const struct allnames *to)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	bool split = false;

	while (dwarf && !dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL)) {
		struct telling t = {.to = to, .c_names = die_unit_is_c(&unit)};

		split |= type == DW_UT_skeleton;
		tell_children(&t, &unit, 0);
	}
	return split;
}

int symbols_allnames(struct symbols *s, int module, const struct allnames *to, bool *all)
{
	struct module *m = symbols_module(s, module);
	int err = module_read_symbols(m);

	if (err)
		return err;
	tell_symbols(&m->symtab, to);
	tell_symbols(&m->dynsym, to);
	bool split = tell_units(m->dwarf, to);
	tell_units(m->alt_dwarf, to);
	*all = m->symtab.n && !split;
	return 0;
}
