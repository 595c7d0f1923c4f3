/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/die.h"
#include "symbols/namecache.h"
#include "symbols/typetable.h"

#include "base/addrtable.h"
#include "base/array.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The DIEs around the one that is visited, innermost first. */
struct scope {
	Dwarf_Die *die;
	const struct scope *up;
	int depth;
};

struct types_walk {
	struct symbols *s;
	bool (*want)(uint64_t size, void *ctx);
	void *ctx;
	struct die_walk pos;
	struct typetable table;
	struct addrtable seen;	/* addresses of units that are in the queue or were walked */
	Dwarf_Die *queue;	/* imported units that must still be walked */
	size_t n_queue, cap_queue;
	bool c_names;		/* the unit is in C: a tag is the whole name of a type */
	char name[NAME_MAX_LEN];	/* buffer for name_of() */
};

/* @scope: of @die. Returns the pool's string, "" if it has no name, or NULL: out of memory. */
static const char *name_of(struct types_walk *w, Dwarf_Die *die, const struct scope *scope)
{
	const struct scope *way[DIE_DEPTH_MAX + 1];
	const char *last = dwarf_diename(die);
	size_t n = 0, len = 0;
	bool fits = true;

	if (!last || !*last)
		return "";
	if (dwarf_hasattr(die, DW_AT_specification)) {
		/* Defined outside of where it was declared: the name is that of the declaration. */
		fits = die_scoped_name(die, w->name, sizeof w->name);
	} else {
		for (const struct scope *c = scope; c && !die_is_code(dwarf_tag(c->die)); c = c->up)
			way[n++] = c;
		while (n-- > 0)
			if (die_is_scope(dwarf_tag(way[n]->die)))
				len = die_append_scope(way[n]->die, w->name, sizeof w->name, len);
		fits = strlen(last) < sizeof w->name - len;
		if (fits)
			strcpy(w->name + len, last); /* NOLINT: it fits */
	}
	return strpool_add(&w->s->names, fits ? w->name : last, NULL);
}

static int add_structure(struct types_walk *w, Dwarf_Die *die, const struct scope *scope)
{
	uint64_t size, line = 0;

	if (dwarf_hasattr(die, DW_AT_declaration) || !die_number(die, DW_AT_byte_size, &size) ||
	    !w->want(size, w->ctx))
		return 0;
	const char *name = name_of(w, die, scope);

	if (!name || !*name)
		return name ? 0 : -ENOMEM;
	die_number(die, DW_AT_decl_line, &line);
	return typetable_add_tag(&w->table, (struct tag_rec){ .id = die->addr,
							       .name = name,
							       .size = size,
							       .line = (uint32_t)line });
}

/* The structure that a typedef refers to, through other typedefs, const and volatile. */
static bool typedef_target(Dwarf_Die *die, Dwarf_Die *target)
{
	Dwarf_Die next;

	*target = *die;
	for (int i = 0; i < DIE_DEPTH_MAX; i++) {
		int tag = dwarf_tag(target);

		if (die_is_structure(tag))
			/* The type itself is in a type unit, the unit that uses it has only a
			 * stub. */
			return !die_ref(target, DW_AT_signature, &next) || (*target = next, true);
		if ((tag != DW_TAG_typedef && tag != DW_TAG_const_type &&
		     tag != DW_TAG_volatile_type) ||
		    !die_ref(target, DW_AT_type, &next))
			return false;
		*target = next;
	}
	return false;
}

/*
 * A typedef that is a member of a class (value_type, element_type) describes the class, and would
 * hide the usual name of the type.
 */
static bool is_member(const struct scope *scope)
{
	return scope && die_is_structure(dwarf_tag(scope->die));
}

static int add_typedef(struct types_walk *w, Dwarf_Die *die, const struct scope *scope)
{
	Dwarf_Die target;
	struct typedef_rec rec = { 0 };

	if (!typedef_target(die, &target) || (is_member(scope) && dwarf_diename(&target)))
		return 0;
	if (dwarf_hasattr(&target, DW_AT_declaration)) {
		const char *tag = w->c_names ? dwarf_diename(&target) : NULL;

		if (!tag)
			return 0;
		rec.tag = strpool_add(&w->s->names, tag, NULL);
		if (!rec.tag)
			return -ENOMEM;
	} else {
		if (!die_number(&target, DW_AT_byte_size, &rec.size) || !w->want(rec.size, w->ctx))
			return 0;
		rec.id = target.addr;
	}
	rec.name = name_of(w, die, scope);
	if (!rec.name || !*rec.name)
		return rec.name ? 0 : -ENOMEM;
	return typetable_add_typedef(&w->table, rec);
}

static int add_import(struct types_walk *w, Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!die_ref(die, DW_AT_import, &unit))
		return 0;
	bool known;

	if (!addrtable_put(&w->seen, (uint64_t)(uintptr_t)unit.addr, sizeof(uint64_t), &known))
		return -ENOMEM;
	if (known)
		return 0;
	if (ARRAY_RESERVE(&w->queue, &w->cap_queue, w->n_queue))
		return -ENOMEM;
	w->queue[w->n_queue++] = unit;
	return 0;
}

static bool may_hold_types(int tag)
{
	return die_is_scope(tag) || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_module || tag == DW_TAG_variant_part || tag == DW_TAG_variant;
}

static int walk_children(struct types_walk *w, Dwarf_Die *parent, const struct scope *scope)
{
	Dwarf_Die die;
	struct scope inner = { .die = &die, .up = scope, .depth = scope ? scope->depth + 1 : 1 };
	int err = 0;

	if (inner.depth > DIE_DEPTH_MAX || !die_child(&w->pos, parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (die_is_structure(tag))
			err = add_structure(w, &die, scope);
		else if (tag == DW_TAG_typedef)
			err = add_typedef(w, &die, scope);
		else if (tag == DW_TAG_imported_unit)
			err = add_import(w, &die);
		if (!err && may_hold_types(tag))
			err = walk_children(w, &die, &inner);
	} while (!err && die_sibling(&w->pos, &die));
	return err;
}

static int walk_unit(struct types_walk *w, Dwarf_Die *unit)
{
	w->pos = (struct die_walk){ 0 };
	w->c_names = die_unit_is_c(unit);
	return walk_children(w, unit, NULL);
}

/*
 * Of the parts that dwz(1) moved to another file, only those that a unit imports are walked: the
 * file may be shared by several programs.
 */
static int walk_all(struct types_walk *w, struct module *m)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, content;
	uint8_t type;
	int err = 0;

	while (!err && dwarf_get_units(m->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type == DW_UT_partial)
			continue;
		cu_content(&m->dwp, &die, &content);
		err = walk_unit(w, &content);
		while (!err && w->n_queue) {
			Dwarf_Die part = w->queue[--w->n_queue];

			err = walk_unit(w, &part);
		}
	}
	return err;
}

static int find_types(struct symbols *s, struct module *m, bool (*want)(uint64_t size, void *ctx),
		      void *ctx, struct sym_type **types, size_t *n)
{
	struct types_walk *w = calloc(1, sizeof *w);
	int err = w ? module_open(m) : -ENOMEM;

	if (err)
		goto out;
	w->s = s;
	w->want = want;
	w->ctx = ctx;
	err = m->dwarf ? walk_all(w, m) : 0;
	if (!err)
		err = typetable_list(&w->table, types, n);
	typetable_release(&w->table);
	addrtable_release(&w->seen);
	free(w->queue);
out:
	free(w);
	return err;
}

static bool want_all(uint64_t size, void *ctx)
{
	(void)size, (void)ctx;
	return true;
}

/* The wanted ones of m->types. */
static int select_types(const struct module *m, bool (*want)(uint64_t size, void *ctx), void *ctx,
			struct sym_type **types, size_t *n)
{
	bool wanted = false;

	*types = calloc(m->n_types + 1, sizeof **types);
	if (!*types)
		return -ENOMEM;
	for (size_t i = 0; i < m->n_types; i++) {
		if (!i || m->types[i].size != m->types[i - 1].size)
			wanted = want(m->types[i].size, ctx);
		if (wanted)
			(*types)[(*n)++] = m->types[i];
	}
	return 0;
}

int symbols_types(struct symbols *s, int module, bool (*want)(uint64_t size, void *ctx), void *ctx,
		  struct sym_type **types, size_t *n)
{
	struct module *m = symbols_module(s, module);
	int err = namecache_load(s, (uint32_t)module);

	*types = NULL;
	*n = 0;
	if (err)
		return err;
	if (!m->has_types && !(s->search.cache && namecache_wanted(m)))
		return find_types(s, m, want, ctx, types, n);
	if (!m->has_types) {
		err = find_types(s, m, want_all, NULL, &m->types, &m->n_types);
		m->has_types = m->cache_dirty = !err;
	}
	return err ? err : select_types(m, want, ctx, types, n);
}
