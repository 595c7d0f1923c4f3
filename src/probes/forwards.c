/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/forwards.h"

#include "arch/arch.h"
#include "arch/forward.h"
#include "base/array.h"
#include "symbols/landing.h"

#include <stdlib.h>
#include <string.h>

/* A word that the dynamic linker fills with the address of an imported function. */
struct imported {
	uint64_t address;
	struct arch_callee callee;
};

struct code {
	const struct scan *scan;
	const struct probes *probes;
	Elf *elf;
	int fd;
	const Elf_Data *window;		/* the part of the file read last */
	uint64_t window_at;
	struct imported *imported;
	size_t n_imported, cap_imported;
	struct landings landings;
	bool landings_asked, has_landings;
};

bool forwards_knows(const char *name, enum scan_range_kind *kind)
{
	static const char *const leave[] = { "__cxa_throw", "__cxa_rethrow", "_Unwind_Resume",
					     "_ZSt17__throw_bad_allocv" };
	static const char *const end[] = { "abort", "__stack_chk_fail", "_ZSt9terminatev" };

	if (*name != '_' && *name != 'a')
		return false;
	*kind = RANGE_LEAVES;
	for (size_t i = 0; i < sizeof leave / sizeof *leave; i++)
		if (!strcmp(name, leave[i]))
			return true;
	*kind = RANGE_ENDS;
	for (size_t i = 0; i < sizeof end / sizeof *end; i++)
		if (!strcmp(name, end[i]))
			return true;
	return false;
}

/* ---- what is called ---- */

static struct arch_callee callee_of_kind(enum scan_range_kind kind)
{
	return (struct arch_callee){
		.kind = kind == RANGE_LEAVES ? ARCH_CALLEE_LEAVES : ARCH_CALLEE_ENDS,
	};
}

static struct arch_callee callee_of_probe(const struct probe *p)
{
	struct arch_callee c = { .kind = ARCH_CALLEE_OTHER };

	if (p->kind == PROBE_GIVE_UP)
		c.kind = ARCH_CALLEE_FAILS;
	if (p->pool_arg != NO_ARG || p->label_arg != NO_ARG || p->label)
		return c;
	if (p->kind == PROBE_FREE)
		c = (struct arch_callee){ ARCH_CALLEE_TAKES, p->ptr_arg };
	if (p->kind == PROBE_ALLOC && p->size_arg != NO_ARG && p->count_arg == NO_ARG &&
	    p->string_arg == NO_ARG && p->limit_arg == NO_ARG && p->out_arg == NO_ARG)
		c = (struct arch_callee){ ARCH_CALLEE_GIVES, p->size_arg };
	return c;
}

static struct arch_callee callee_named(const struct probes *probes, const char *name)
{
	uint32_t number = probes_named(probes, name);
	enum scan_range_kind kind;

	if (number != IDINDEX_NONE)
		return callee_of_probe(&probes->v[number]);
	/* libstdc++ calls this to check an alignment. */
	if (!strcmp(name, "__popcountdi2"))
		return (struct arch_callee){ .kind = ARCH_CALLEE_COMPUTES };
	return forwards_knows(name, &kind) ? callee_of_kind(kind)
					   : (struct arch_callee){ .kind = ARCH_CALLEE_OTHER };
}

static struct arch_callee callee_in(void *ctx, uint64_t word)
{
	const struct code *c = ctx;

	for (size_t i = 0; i < c->n_imported; i++)
		if (c->imported[i].address == word)
			return c->imported[i].callee;
	return (struct arch_callee){ .kind = ARCH_CALLEE_OTHER };
}

static size_t read_code(void *ctx, uint64_t at, uint8_t *code, size_t len)
{
	enum { AT_ONCE = 1024, BEHIND = 256 };
	struct code *c = ctx;
	uint64_t end = c->window ? c->window_at + c->window->d_size : 0;

	if (!c->window || at < c->window_at || at >= end || end - at < len) {
		c->window_at = at - at % BEHIND;
		c->window = dyntable_loaded(c->elf, c->window_at, AT_ONCE, ELF_T_BYTE);
		/* Near the end of the segment: read less. */
		for (size_t n = AT_ONCE / 2; !c->window && n; n /= 2) {
			c->window_at = at;
			c->window = dyntable_loaded(c->elf, at, n, ELF_T_BYTE);
		}
	}
	if (!c->window)
		return 0;
	size_t there = c->window->d_size - (size_t)(at - c->window_at);

	len = len < there ? len : there;
	memcpy(code, (const uint8_t *)c->window->d_buf + (at - c->window_at), len);
	return len;
}

static struct arch_callee callee(void *ctx, uint64_t at)
{
	const struct code *c = ctx;
	const struct scan *s = c->scan;
	uint8_t stub[ARCH_STUB_SIZE];

	for (size_t i = 0; i < s->n_probes; i++)
		if (s->probes[i].address == at && !s->probes[i].indirect)
			return callee_of_probe(&c->probes->v[s->probes[i].probe]);
	for (size_t i = 0; i < s->n_ranges; i++)
		if (s->ranges[i].start == at && (s->ranges[i].kind == RANGE_LEAVES ||
						 s->ranges[i].kind == RANGE_ENDS))
			return callee_of_kind(s->ranges[i].kind);
	if (read_code(ctx, at, stub, sizeof stub) < sizeof stub)
		return (struct arch_callee){ .kind = ARCH_CALLEE_OTHER };
	uint64_t word = arch_stub_got_entry(stub, at);

	return word ? callee_in(ctx, word) : (struct arch_callee){ .kind = ARCH_CALLEE_OTHER };
}

static enum arch_landing landing(void *ctx, uint64_t call, uint64_t *at)
{
	struct code *c = ctx;

	if (!c->landings_asked)
		c->has_landings = !landings_open(&c->landings, c->fd);
	c->landings_asked = true;
	if (!c->has_landings)
		return ARCH_LANDING_UNKNOWN;
	switch (landing_of(&c->landings, call, at)) {
	case LANDING_NONE:
		return ARCH_LANDING_NONE;
	case LANDING_HERE:
		return ARCH_LANDING_HERE;
	default:
		return ARCH_LANDING_UNKNOWN;
	}
}

/* ---- the file ---- */

/* If there is no memory to note a word, its callee is treated as unknown. */
static void look_at_reloc(struct code *c, const struct dyntable *d, const GElf_Rela *rela)
{
	const char *name;
	GElf_Sym sym;

	if (arch_reloc((uint32_t)GELF_R_TYPE(rela->r_info)) != ARCH_RELOC_SYMBOL ||
	    rela->r_addend || !dyntable_symbol(d, GELF_R_SYM(rela->r_info), &sym, &name))
		return;
	const struct imported i = { rela->r_offset, callee_named(c->probes, name) };

	if (i.callee.kind != ARCH_CALLEE_OTHER &&
	    !ARRAY_RESERVE(&c->imported, &c->cap_imported, c->n_imported))
		c->imported[c->n_imported++] = i;
}

static void read_imported(struct code *c, const struct dyntable *d)
{
	GElf_Rela rela;

	for (int i = 0; i < DYNTABLE_RELOCS; i++)
		for (int j = 0; d->relocs[i] && j < INT32_MAX &&
				gelf_getrela(d->relocs[i], j, &rela); j++)
			look_at_reloc(c, d, &rela);
}

/* True if it may be a forwarder. The user's own definitions are trapped in any case. */
static bool is_operator(const struct probe *p, const struct scan_probe *at)
{
	return p->operator_new && !p->user && !at->indirect && at->size &&
	       (p->kind == PROBE_ALLOC || p->kind == PROBE_FREE);
}

static void judge(struct code *c, struct scan_probe *at)
{
	const struct probe *p = &c->probes->v[at->probe];
	const struct arch_forward_host host = { read_code, callee, callee_in, landing, c };
	const struct arch_forwarded f = {
		.at = at->address,
		.size = at->size,
		.gives = p->kind == PROBE_ALLOC,
		.arg = p->kind == PROBE_ALLOC ? p->size_arg : p->ptr_arg,
		.align_arg = p->align_arg == NO_ARG ? ARCH_FORWARD_NO_ARG : p->align_arg,
	};

	at->forwards = !arch_forwards(&host, &f, &at->no_forwarder);
}

/* There are 24 such names: a file with more was made to keep us busy. */
enum { OPERATORS_MAX = 64 };

void forwards_find(struct scan *s, const struct probes *probes, Elf *elf, const struct dyntable *d,
		   int fd)
{
	struct code c = { .scan = s, .probes = probes, .elf = elf, .fd = fd };
	unsigned n = 0;

	for (size_t i = 0; i < s->n_probes; i++) {
		if (!is_operator(&probes->v[s->probes[i].probe], &s->probes[i]))
			continue;
		if (!n++)
			read_imported(&c, d);
		if (n <= OPERATORS_MAX)
			judge(&c, &s->probes[i]);
		else
			s->probes[i].no_forwarder = "its file has too many of them";
	}
	free(c.imported);
	if (c.has_landings)
		landings_close(&c.landings);
}
