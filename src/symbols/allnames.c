/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/allnames.h"

#include "symbols/internal.h"

#include <dwarf.h>

static void tell_symbols(const struct elfsyms *t, const struct allnames *to)
{
	for (size_t i = 0; i < t->n; i++)
		to->symbol(to->ctx, t->v[i].name);
}

static void tell_strings(Dwarf *dwarf, const struct allnames *to)
{
	size_t len;
	const char *text;

	for (Dwarf_Off at = 0; dwarf && (text = dwarf_getstring(dwarf, at, &len)); at += len + 1)
		if (len)
			to->debug(to->ctx, text);
}

/* Has it units whose names are in a .dwo file? */
static bool is_split(Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	uint8_t type;

	while (dwarf && !dwarf_get_units(dwarf, cu, &cu, NULL, &type, NULL, NULL))
		if (type == DW_UT_skeleton)
			return true;
	return false;
}

int symbols_allnames(struct symbols *s, int module, const struct allnames *to, bool *all)
{
	struct module *m = symbols_module(s, module);
	int err = module_read_symbols(m);

	if (err)
		return err;
	tell_symbols(&m->symtab, to);
	tell_symbols(&m->dynsym, to);
	tell_strings(m->dwarf, to);
	tell_strings(m->alt_dwarf, to);
	*all = m->symtab.n && !is_split(m->dwarf);
	return 0;
}
