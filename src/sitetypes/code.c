/* SPDX-License-Identifier: BSD-2-Clause */
#include "sitetypes/code.h"

#include "base/array.h"
#include "base/search.h"
#include "symbols/symtab.h"

#include <dwarf.h>
#include <stdlib.h>
#include <unistd.h>

struct object {
	uint64_t start, size;
	const char *name; /* belongs to the file */
};

struct code {
	struct module *m;
	Dwarf_CFI *cfi;
	bool has_cfi, has_objects;
	uint64_t cfa_pc; /* pc of the last look-up; 0: none */
	bool cfa_known;
	struct flow_place cfa;
	struct object *objects; /* by start */
	size_t n_objects, cap_objects;
};

struct code *code_new(struct module *m)
{
	struct code *c = calloc(1, sizeof *c);

	if (c)
		c->m = m;
	return c;
}

void code_free(struct code *c)
{
	if (!c)
		return;
	dwarf_cfi_end(c->cfi);
	free(c->objects);
	free(c);
}

size_t code_read(struct code *c, uint64_t at, uint8_t *to, size_t size)
{
	return module_read(c->m, at, to, size);
}

/* ---- frames ---- */

static bool find_cfa(struct code *c, uint64_t pc, struct flow_place *cfa)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t n;
	bool is = false;

	if (!c->has_cfi)
		c->cfi = dwarf_getcfi_elf(c->m->main.elf);
	c->has_cfi = true;
	if (!c->cfi || dwarf_cfi_addrframe(c->cfi, pc, &frame))
		return false;
	/* "breg N", or that followed by "plus_uconst". */
	if (dwarf_frame_cfa(frame, &ops, &n) == 0 && n >= 1 && n <= 2) {
		if (ops[0].atom == DW_OP_bregx && ops[0].number < ARCH_FLOW_REGS) {
			*cfa = (struct flow_place){true, (int)ops[0].number,
						   (int64_t)ops[0].number2};
			is = true;
		} else if (ops[0].atom >= DW_OP_breg0 &&
			   ops[0].atom < DW_OP_breg0 + ARCH_FLOW_REGS) {
			*cfa = (struct flow_place){true, ops[0].atom - DW_OP_breg0,
						   (int64_t)ops[0].number};
			is = true;
		}
		if (n == 2)
			is = is && ops[1].atom == DW_OP_plus_uconst &&
			     !__builtin_add_overflow(cfa->offset, ops[1].number, &cfa->offset);
	}
	free(frame);
	return is;
}

bool code_cfa(struct code *c, uint64_t pc, struct flow_place *cfa)
{
	if (c->cfa_pc != pc || !pc) {
		c->cfa_pc = pc;
		c->cfa_known = find_cfa(c, pc, &c->cfa);
	}
	*cfa = c->cfa;
	return c->cfa_known;
}

/* ---- objects ---- */

static void add_object(void *ctx, const GElf_Sym *sym, const char *name)
{
	struct code *c = ctx;

	if (GELF_ST_TYPE(sym->st_info) != STT_OBJECT || sym->st_shndx == SHN_UNDEF || !name ||
	    !*name || ARRAY_RESERVE(&c->objects, &c->cap_objects, c->n_objects))
		return;
	c->objects[c->n_objects++] = (struct object){sym->st_value, sym->st_size, name};
}

static void read_tables(struct code *c, struct objfile *o)
{
	if (o->elf)
		symtabs_each(o->elf, add_object, c);
}

static int by_start(const void *a, const void *b)
{
	const struct object *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

const char *code_object(struct code *c, uint64_t at, uint64_t *start)
{
	if (!c->has_objects) {
		read_tables(c, &c->m->main);
		if (!c->n_objects)
			read_tables(c, &c->m->debug);
		if (c->n_objects)
			qsort(c->objects, c->n_objects, sizeof *c->objects, by_start);
		c->has_objects = true;
	}
	size_t i = SEARCH_FIRST(c->n_objects, k, c->objects[k].start > at);
	if (!i || at - c->objects[i - 1].start >= c->objects[i - 1].size)
		return NULL;
	*start = c->objects[i - 1].start;
	return c->objects[i - 1].name;
}
