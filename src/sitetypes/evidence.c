/* SPDX-License-Identifier: BSD-2-Clause */
#include "sitetypes/evidence.h"

#include "base/array.h"
#include "sitetypes/code.h"
#include "sitetypes/scope.h"
#include "symbols/die.h"
#include "symbols/module.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The variables of a function or unit that were read, by the address of its DIE. */
struct known_scope {
	uint64_t die;
	struct scope *scope;
};

struct evidence {
	struct symbols *symbols;
	struct types types;
	struct addrtable scopes;
	/* For the return address being looked up: */
	struct module *m;
	struct code *code;
	struct code **codes; /* by module */
	size_t n_codes, cap_codes;
	struct cu_hit hit;
	const struct scope *scope;
	struct site_evidence *out;
	Dwarf_Die plain[SITE_CANDIDATES_MAX]; /* types of its candidates */
	int err;
};

void site_evidence_release(struct site_evidence *e)
{
	for (unsigned i = 0; i < e->n; i++)
		free(e->v[i].name);
	*e = (struct site_evidence){0};
}

struct evidence *evidence_new(struct symbols *s)
{
	struct evidence *x = calloc(1, sizeof *x);

	if (x)
		x->symbols = s;
	return x;
}

void evidence_free(struct evidence *x)
{
	if (!x)
		return;
	for (size_t i = 0; x->scopes.slots && i <= x->scopes.mask; i++) {
		struct known_scope *k = addrtable_slot(&x->scopes, i, sizeof *k);

		if (!k->die)
			continue;
		scope_release(k->scope);
		free(k->scope);
	}
	for (size_t i = 0; i < x->n_codes; i++)
		code_free(x->codes[i]);
	free(x->codes);
	addrtable_release(&x->scopes);
	types_release(&x->types);
	free(x);
}

/* ---- scopes ---- */

/* The variables of a function, or if @f is NULL, the globals of a unit. NULL: out of memory, in
 * x->err. */
static const struct scope *scope_of(struct evidence *x, const struct func *f, Dwarf_Die *unit)
{
	uint64_t key = (uint64_t)(uintptr_t)(f ? f->die.addr : unit->addr);
	struct known_scope *k = addrtable_find(&x->scopes, key, sizeof *k);
	bool known;

	if (k)
		return k->scope;
	struct scope *s = malloc(sizeof *s);
	int err = !s  ? -ENOMEM
		  : f ? scope_read(s, &x->types, f)
		      : scope_read_globals(s, &x->types, unit);
	k = err ? NULL : addrtable_put(&x->scopes, key, sizeof *k, &known);
	if (!k) {
		if (s)
			scope_release(s);
		free(s);
		x->err = -ENOMEM;
		return NULL;
	}
	return k->scope = s;
}

/* ---- callbacks of flow.c ---- */

static bool fetch(void *ctx, taddr pc, struct arch_flow *f)
{
	struct evidence *x = ctx;
	struct cu_hit hit;
	uint8_t bytes[ARCH_FLOW_LONGEST];

	if (cus_find(&x->m->cus, &x->m->main, pc, &hit)) {
		x->err = -ENOMEM;
		return false;
	}
	return hit.func && hit.func == x->hit.func &&
	       arch_flow(bytes, code_read(x->code, pc, bytes, sizeof bytes), pc, f);
}

static bool is_at(struct evidence *x, const struct spot *s, taddr pc, const struct flow_place *at)
{
	struct flow_place base;
	int64_t offset;

	switch (s->kind) {
	case SPOT_REG:
		return !at->in_memory && s->reg == at->reg;
	case SPOT_MEMORY:
		return at->in_memory && s->reg == at->reg && s->offset == at->offset;
	case SPOT_FRAME:
		if (!at->in_memory)
			return false;
		base = (struct flow_place){true, x->scope->base_reg, 0};
		return (!x->scope->base_is_cfa || code_cfa(x->code, pc, &base)) &&
		       base.reg == at->reg &&
		       !__builtin_add_overflow(base.offset, s->offset, &offset) &&
		       offset == at->offset;
	case SPOT_ADDRESS:
		break;
	}
	return false;
}

static unsigned variables(void *ctx, taddr pc, const struct flow_place *at,
			  flow_type types[FLOW_TYPES_MAX])
{
	struct evidence *x = ctx;
	unsigned n = 0;

	for (size_t i = 0; i < x->scope->n && n < FLOW_TYPES_MAX; i++) {
		const struct spot *s = &x->scope->v[i];

		if (pc >= s->low && pc < s->high && is_at(x, s, pc, at))
			types[n++] = s->type;
	}
	return n;
}

static unsigned members(void *ctx, flow_type pointer, int64_t offset,
			flow_type types[FLOW_TYPES_MAX])
{
	struct evidence *x = ctx;
	Dwarf_Die plain, named;

	return types_target(&x->types, pointer, &plain, &named) == TARGET_TYPE
		       ? types_members(&x->types, &plain, offset, types)
		       : 0;
}

static flow_type element(void *ctx, flow_type pointer)
{
	struct evidence *x = ctx;
	Dwarf_Die plain, named;

	return types_target(&x->types, pointer, &plain, &named) == TARGET_TYPE &&
			       dwarf_tag(&plain) == DW_TAG_pointer_type
		       ? types_number(&x->types, &named)
		       : 0;
}

/* The type of what is at an address, from the variables of a scope that have addresses. */
static flow_type type_at(struct evidence *x, const struct scope *s, taddr at)
{
	flow_type v[FLOW_TYPES_MAX];

	for (size_t i = 0; s && i < s->n; i++)
		if (s->v[i].kind == SPOT_ADDRESS && at - (taddr)s->v[i].offset < s->v[i].size &&
		    types_at(&x->types, s->v[i].type, (int64_t)(at - (taddr)s->v[i].offset), v) ==
			    1)
			return v[0];
	return 0;
}

/* The same for a variable that is defined in another unit, and declared in this one. */
static flow_type declared(struct evidence *x, const struct scope *unit, taddr at)
{
	flow_type v[FLOW_TYPES_MAX];
	uint64_t start;
	const char *name = unit ? code_object(x->code, at, &start) : NULL;
	flow_type type = name ? scope_declared(unit, name) : 0;

	return type && types_at(&x->types, type, (int64_t)(at - start), v) == 1 ? v[0] : 0;
}

static flow_type global(void *ctx, taddr at)
{
	struct evidence *x = ctx;
	Dwarf_Die content;
	flow_type type = type_at(x, x->scope, at);

	if (type)
		return type;
	cu_content(&x->m->dwp, &x->hit.cu->die, &content);
	const struct scope *unit = scope_of(x, NULL, &content);
	type = type_at(x, unit, at);
	return type ? type : declared(x, unit, at);
}

/* Is a base type passed in a general register? */
static bool is_integer(Dwarf_Die *base)
{
	uint64_t encoding;

	if (!die_number(base, DW_AT_encoding, &encoding))
		return false;
	switch (encoding) {
	case DW_ATE_address:
	case DW_ATE_boolean:
	case DW_ATE_signed:
	case DW_ATE_signed_char:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		return types_size(base) <= sizeof(uint64_t);
	default:
		return false;
	}
}

/* Does a parameter of this type take exactly one general register? */
static bool is_number(struct types *t, flow_type type)
{
	Dwarf_Die plain;

	if (!types_plain(&t->v[type - 1].die, &plain))
		return false;
	switch (dwarf_tag(&plain)) {
	case DW_TAG_base_type:
		return is_integer(&plain);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return true;
	case DW_TAG_enumeration_type:
		return types_size(&plain) <= sizeof(uint64_t);
	default:
		return false;
	}
}

/* If a function returns a structure, the first register may have the address to store it at. */
static bool may_return_by_address(struct types *t, const struct func *f)
{
	Dwarf_Die die = f->die, plain;
	flow_type type = types_of(t, &die);

	if (!type)
		return false;
	return !is_number(t, type) && !(types_plain(&t->v[type - 1].die, &plain) &&
					dwarf_tag(&plain) == DW_TAG_base_type);
}

/*
 * The parameter passed in a register: the one that is in it at the function's entry, because
 * compilers drop parameters of functions that only their own unit calls. Without optimization
 * DWARF has no registers; then their order is that of the parameters.
 */
static flow_type argument(void *ctx, taddr function, unsigned n)
{
	struct evidence *x = ctx;
	struct cu_hit hit;
	bool any = false;
	unsigned i = 0;

	if (cus_find(&x->m->cus, &x->m->main, function, &hit))
		x->err = -ENOMEM;
	if (x->err || !hit.func || hit.func->entry != function)
		return 0;
	const struct scope *s = scope_of(x, hit.func, NULL);
	for (size_t k = 0; s && k < s->n; k++) {
		const struct spot *p = &s->v[k];

		if (!p->parameter || p->kind != SPOT_REG || function < p->low ||
		    function >= p->high)
			continue;
		any = true;
		if (p->reg == arch_flow_args[n])
			return p->type;
	}
	if (any || may_return_by_address(&x->types, hit.func))
		return 0;
	for (size_t k = 0; s && k < s->n; k++) {
		const struct spot *p = &s->v[k];

		if (!p->parameter || p->kind != SPOT_FRAME || p->low != function)
			continue;
		/* A structure may take two registers, or none: the order is lost. */
		if (!is_number(&x->types, p->type))
			return 0;
		if (i++ == n)
			return p->type;
	}
	return 0;
}

static flow_type returned(void *ctx)
{
	struct evidence *x = ctx;
	Dwarf_Die die = x->hit.func->die;

	return types_of(&x->types, &die);
}

/* ---- candidates ---- */

static struct site_candidate *known_candidate(struct site_evidence *e, const char *name)
{
	for (unsigned i = 0; i < e->n; i++)
		if (!strcmp(e->v[i].name, name))
			return &e->v[i];
	return NULL;
}

static void found(void *ctx, enum flow_how how, flow_type type)
{
	struct evidence *x = ctx;
	struct site_evidence *e = x->out;
	Dwarf_Die plain, named;
	char name[SITE_NAME_MAX];
	enum types_target what = types_target(&x->types, type, &plain, &named);

	if (what == TARGET_VOID && how == FLOW_RETURNED)
		e->passes_on = true;
	if (what != TARGET_TYPE || !types_name(&plain, &named, name, sizeof name))
		return;
	bool may_be_part = types_may_be_of_part(&x->types, type);
	struct site_candidate *c = known_candidate(e, name);
	if (c) {
		c->how = how < c->how ? how : c->how;
		c->may_be_part &= may_be_part;
		if (!c->size)
			c->size = types_size(&plain);
		return;
	}
	if (e->n == SITE_CANDIDATES_MAX) {
		e->too_many = true;
		return;
	}
	x->plain[e->n] = plain;
	e->v[e->n] = (struct site_candidate){
		.name = strdup(name),
		.size = types_size(&plain),
		.how = how,
		.may_be_part = may_be_part,
		.may_go_on = types_may_go_on(&plain),
		.is_bytes = types_are_bytes(&plain),
		.ends_open = types_ends_open(&plain),
	};
	if (e->v[e->n].name)
		e->n++;
	else
		x->err = -ENOMEM;
}

static void relate(struct evidence *x)
{
	struct site_evidence *e = x->out;

	for (unsigned i = 0; i < e->n; i++)
		for (unsigned k = 0; k < e->n; k++)
			if (i != k && types_begins_with(&x->plain[k], &x->plain[i]))
				e->v[i].begins |= 1u << k;
}

/* The code of a module, opened when first needed. NULL: out of memory. */
static struct code *code_of(struct evidence *x, int module)
{
	while (x->n_codes <= (size_t)module) {
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): the elements are pointers */
		if (ARRAY_RESERVE(&x->codes, &x->cap_codes, x->n_codes))
			return NULL;
		x->codes[x->n_codes++] = NULL;
	}
	if (!x->codes[module])
		x->codes[module] = code_new(x->m);
	return x->codes[module];
}

int evidence_at(struct evidence *x, int module, uint64_t address, struct site_evidence *out)
{
	const struct flow_host host = {fetch,	 variables, members, element, global,
				       argument, returned,  found,   x};

	*out = (struct site_evidence){0};
	x->m = symbols_module(x->symbols, module);
	x->out = out;
	x->err = 0;
	struct cus *cus = module_cus(x->m);
	if (!cus)
		return -ENOMEM;
	/* Types need DWARF, and code needs the file. */
	if (!x->m->dwarf || !x->m->main.elf || !address)
		return 0;
	x->code = code_of(x, module);
	if (!x->code || cus_find(cus, &x->m->main, address - 1, &x->hit))
		return -ENOMEM;
	if (!x->hit.func)
		return 0;
	x->scope = scope_of(x, x->hit.func, NULL);
	if (!x->err)
		flow_follow(&host, address);
	if (!x->err)
		relate(x);
	if (x->err)
		site_evidence_release(out);
	return x->err;
}
