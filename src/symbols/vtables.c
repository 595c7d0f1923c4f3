/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/vtables.h"

#include "base/search.h"
#include "base/text.h"
#include "symbols/demangle.h"
#include "symbols/dyntable.h"
#include "symbols/internal.h"
#include "symbols/symtab.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	VTABLE_BEFORE = 16,   /* objects point behind offset-to-top and the type information */
	DEMANGLED_MAX = 1000, /* the demangler refuses names that are a little longer */
	/* Pairs of an address and a symbol that contains it: as compilers write symbols, an address
	 * is in one or two; in a damaged file each may be in all. */
	VISITS_MAX = 1 << 24,
};

struct vtable_search {
	struct symbols *s;
	struct sym_vtable *v;
	size_t n;
	bool cxx; /* some symbol is of C++ */
	bool any; /* there are symbols */
	int left; /* visits */
	int err;
};

/* @i if the address with that index is in the symbol, and visits are left; else x->n. */
static size_t next_in(struct vtable_search *x, const GElf_Sym *sym, size_t i)
{
	return i < x->n && x->v[i].at - sym->st_value < sym->st_size && x->left-- > 0 ? i : x->n;
}

/* Names the addresses in a vtable's symbol. Offsets of virtual bases may come first. */
static void set_name(struct vtable_search *x, const GElf_Sym *sym, const char *mangled)
{
	uint64_t start = sym->st_value;
	const char *name = NULL;
	char text[NAME_MAX_LEN];

	for (size_t i = next_in(x, sym, SEARCH_FIRST(x->n, k, x->v[k].at >= start + VTABLE_BEFORE));
	     i < x->n; i = next_in(x, sym, i + 1)) {
		if (x->v[i].name)
			continue;
		if (!name && !symbols_type_name(mangled, text, sizeof text))
			return;
		name = name ? name : strpool_add(&x->s->names, text, NULL);
		if (!name) {
			x->err = -ENOMEM;
			return;
		}
		x->v[i].name = name;
	}
}

static void look_at(void *ctx, const GElf_Sym *sym, const char *name)
{
	struct vtable_search *x = ctx;
	uint64_t start = sym->st_value;

	if (!name || !*name)
		return;
	x->any = true;
	x->cxx |= text_begins(name, "_Z");
	if (sym->st_shndx == SHN_UNDEF || GELF_ST_TYPE(sym->st_info) != STT_OBJECT)
		return;
	const char *of = text_after(name, "_ZTV");

	if (of) {
		set_name(x, sym, of);
		return;
	}
	for (size_t i = next_in(x, sym, SEARCH_FIRST(x->n, k, x->v[k].at >= start)); i < x->n;
	     i = next_in(x, sym, i + 1))
		x->v[i].other = true;
}

/* All symbols of a file, imports too: a stripped C++ program still imports operator new. */
static void look_in_file(struct vtable_search *x, struct objfile *o)
{
	struct dyntable d;
	const char *name;
	GElf_Sym sym;

	if (!o->elf)
		return;
	symtabs_each(o->elf, look_at, x);
	if (!dyntable_read(&d, o->elf))
		return;
	for (size_t i = 1; dyntable_symbol(&d, i, &sym, &name); i++)
		look_at(x, &sym, name);
}

int symbols_vtables(struct symbols *s, int module, struct sym_vtable *v, size_t n)
{
	struct module *m = s->modules[module];
	struct vtable_search x = {.s = s, .v = v, .n = n, .left = VISITS_MAX};

	if (module_open(m))
		return -ENOMEM;
	look_in_file(&x, &m->main);
	look_in_file(&x, &m->debug);
	for (size_t i = 0; i < n; i++)
		v[i].other = !v[i].name && (v[i].other || (x.any && !x.cxx));
	return x.err;
}

/* For a name too long for the demangler: does it have only characters of mangled names? */
static bool is_mangled(const char *s)
{
	while (isalnum((unsigned char)*s) || *s == '_' || *s == '.' || (unsigned char)*s >= 0x80)
		s++;
	return !*s;
}

bool symbols_type_name(const char *mangled, char *out, size_t size)
{
	static const char about[] = "typeinfo name for ";
	char symbol[DEMANGLED_MAX + 8];
	size_t len = strlen(mangled);

	if (len > DEMANGLED_MAX) {
		if (len >= size || !is_mangled(mangled))
			return false;
		memcpy(out, mangled, len + 1);
		return true;
	}
	/* As a symbol, because demangle() takes only these. */
	snprintf(symbol, sizeof symbol, "_ZTS%s", mangled);
	if (!demangle(symbol, out, size) || !text_begins(out, about))
		return false;
	memmove(out, out + strlen(about), strlen(out) - strlen(about) + 1);
	return true;
}
