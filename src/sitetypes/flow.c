/* SPDX-License-Identifier: BSD-2-Clause */
#include "sitetypes/flow.h"

#include <string.h>

/* What is known before an instruction. */
struct state {
	taddr pc;
	uint32_t held;				 /* registers that have the value: 1 << number */
	flow_type types[ARCH_FLOW_REGS];	 /* types of other things in registers */
	struct flow_place slots[FLOW_SLOTS_MAX]; /* stack slots that have the value */
	unsigned n_slots;
};

struct seen {
	taddr pc;
	uint32_t held;
	unsigned n_slots;
};

struct flow {
	const struct flow_host *host;
	struct state ways[FLOW_WAYS_MAX]; /* paths that must still be followed */
	unsigned n_ways;
	struct seen seen[FLOW_STEPS_MAX];
	unsigned steps;
};

static bool holds(const struct state *s, int reg)
{
	return reg >= 0 && s->held >> reg & 1;
}

static void found(const struct flow *f, enum flow_how how, flow_type type)
{
	if (type)
		f->host->found(f->host->ctx, how, type);
}

/* ---- types of other things than the value ---- */

/* The type of what is in a register: from the load that put it there, or of a variable there. */
static flow_type type_of(const struct flow *f, const struct state *s, int reg)
{
	flow_type v[FLOW_TYPES_MAX];
	struct flow_place at = {.reg = reg};

	if (reg < 0)
		return 0;
	if (s->types[reg])
		return s->types[reg];
	return f->host->variables(f->host->ctx, s->pc, &at, v) ? v[0] : 0;
}

/* The type of what is loaded; 0 if it has several, as in a union. */
static flow_type type_at(const struct flow *f, const struct state *s,
			 const struct arch_flow_place *at)
{
	struct flow_place place = {true, at->base, at->offset};
	flow_type v[FLOW_TYPES_MAX], base;

	if (at->indexed)
		return 0;
	if (at->base < 0)
		return f->host->global(f->host->ctx, (taddr)at->offset);
	if (f->host->variables(f->host->ctx, s->pc, &place, v))
		return v[0];
	base = type_of(f, s, at->base);
	return base && f->host->members(f->host->ctx, base, at->offset, v) == 1 ? v[0] : 0;
}

/* ---- where the value is ---- */

static unsigned find_slot(const struct state *s, const struct arch_flow_place *at)
{
	unsigned i = 0;

	while (i < s->n_slots && (s->slots[i].reg != at->base || s->slots[i].offset != at->offset))
		i++;
	return i;
}

static void drop_slot(struct state *s, unsigned i)
{
	if (i < s->n_slots)
		s->slots[i] = s->slots[--s->n_slots];
}

/* Registers are overwritten: their types are lost, and slots addressed through them. */
static void forget(struct state *s, uint32_t regs)
{
	s->held &= ~regs;
	for (int i = 0; i < ARCH_FLOW_REGS; i++)
		if (regs >> i & 1)
			s->types[i] = 0;
	for (unsigned i = s->n_slots; i-- > 0;)
		if (regs >> s->slots[i].reg & 1)
			drop_slot(s, i);
}

static bool is_frame(int reg)
{
	return reg == arch_flow_sp || reg == arch_flow_fp;
}

/* ---- what an instruction does ---- */

static void look_at_variables(const struct flow *f, const struct state *s)
{
	flow_type v[FLOW_TYPES_MAX];

	for (int reg = 0; reg < ARCH_FLOW_REGS; reg++) {
		struct flow_place at = {.reg = reg};
		unsigned n = holds(s, reg) ? f->host->variables(f->host->ctx, s->pc, &at, v) : 0;

		for (unsigned i = 0; i < n; i++)
			found(f, FLOW_VARIABLE, v[i]);
	}
	for (unsigned k = 0; k < s->n_slots; k++) {
		unsigned n = f->host->variables(f->host->ctx, s->pc, &s->slots[k], v);

		for (unsigned i = 0; i < n; i++)
			found(f, FLOW_VARIABLE, v[i]);
	}
}

static void load(const struct flow *f, struct state *s, const struct arch_flow *a)
{
	bool value = !a->at.indexed && find_slot(s, &a->at) < s->n_slots;
	flow_type type = value ? 0 : type_at(f, s, &a->at);

	forget(s, 1u << a->to);
	s->types[a->to] = type;
	if (value)
		s->held |= 1u << a->to;
}

static void copy(const struct flow *f, struct state *s, const struct arch_flow *a)
{
	bool value = holds(s, a->from);
	flow_type type = value ? 0 : type_of(f, s, a->from);

	forget(s, 1u << a->to);
	s->types[a->to] = type;
	if (value)
		s->held |= 1u << a->to;
}

/* A store to memory that is no stack slot. */
static void store_to_object(const struct flow *f, const struct state *s,
			    const struct arch_flow_place *at)
{
	flow_type v[FLOW_TYPES_MAX], base = type_of(f, s, at->base);

	if (!base)
		return;
	flow_type element = f->host->element(f->host->ctx, base);
	unsigned n =
		element || at->indexed ? 0 : f->host->members(f->host->ctx, base, at->offset, v);

	found(f, FLOW_MEMBER, element);
	for (unsigned i = 0; i < n; i++)
		found(f, FLOW_MEMBER, v[i]);
}

static void store(const struct flow *f, struct state *s, const struct arch_flow *a)
{
	struct flow_place slot = {true, a->at.base, a->at.offset};

	if (!a->at.indexed)
		drop_slot(s, find_slot(s, &a->at));
	if (!holds(s, a->from))
		return;
	if (a->at.base < 0 && !a->at.indexed)
		found(f, FLOW_GLOBAL, f->host->global(f->host->ctx, (taddr)a->at.offset));
	else if (is_frame(a->at.base) && !a->at.indexed && !type_of(f, s, a->at.base)) {
		if (s->n_slots < FLOW_SLOTS_MAX)
			s->slots[s->n_slots++] = slot;
	} else
		store_to_object(f, s, &a->at);
}

static void call(const struct flow *f, const struct state *s, taddr target)
{
	for (unsigned i = 0; target && i < ARCH_FLOW_ARGS; i++)
		if (holds(s, arch_flow_args[i]))
			found(f, FLOW_ARGUMENT, f->host->argument(f->host->ctx, target, i));
}

static void give_back(const struct flow *f, const struct state *s)
{
	if (!holds(s, arch_flow_result))
		return;
	found(f, FLOW_RETURNED, f->host->returned(f->host->ctx));
}

/* ---- paths ---- */

static void add_way(struct flow *f, const struct state *s, taddr pc)
{
	if (f->n_ways == FLOW_WAYS_MAX)
		return;
	f->ways[f->n_ways] = *s;
	f->ways[f->n_ways++].pc = pc;
}

/* Was this instruction reached before with the value in the same places? Notes it. */
static bool was_seen(struct flow *f, const struct state *s)
{
	for (unsigned i = 0; i < f->steps; i++)
		if (f->seen[i].pc == s->pc && f->seen[i].held == s->held &&
		    f->seen[i].n_slots == s->n_slots)
			return true;
	f->seen[f->steps++] = (struct seen){s->pc, s->held, s->n_slots};
	return false;
}

/* A jump: within the function it continues there, out of it it is a call. False: the path ends. */
static bool jump(const struct flow *f, struct state *s, taddr target)
{
	struct arch_flow there;

	if (!target)
		return false;
	if (!f->host->fetch(f->host->ctx, target, &there)) {
		call(f, s, target);
		return false;
	}
	s->pc = target;
	return true;
}

/* One instruction. False: the path ends. */
static bool step(struct flow *f, struct state *s)
{
	struct arch_flow a;

	if (!(s->held || s->n_slots) || f->steps == FLOW_STEPS_MAX || was_seen(f, s) ||
	    !f->host->fetch(f->host->ctx, s->pc, &a))
		return false;
	look_at_variables(f, s);
	taddr next = s->pc + a.size;
	switch (a.kind) {
	case ARCH_FLOW_COPY:
		copy(f, s, &a);
		break;
	case ARCH_FLOW_LOAD:
		load(f, s, &a);
		break;
	case ARCH_FLOW_STORE:
		store(f, s, &a);
		break;
	case ARCH_FLOW_CALL:
		call(f, s, a.target);
		forget(s, a.writes);
		break;
	case ARCH_FLOW_JUMP:
		return jump(f, s, a.target);
	case ARCH_FLOW_BRANCH:
		add_way(f, s, a.target);
		break;
	case ARCH_FLOW_RETURN:
		give_back(f, s);
		return false;
	case ARCH_FLOW_STOP:
		return false;
	case ARCH_FLOW_OTHER:
		forget(s, a.writes);
		break;
	}
	s->pc = next;
	return true;
}

void flow_follow(const struct flow_host *host, taddr from)
{
	struct flow f = {.host = host};
	struct state s = {.pc = from, .held = 1u << arch_flow_result};

	add_way(&f, &s, from);
	/* In the order in which they were found: the shortest paths first. */
	while (f.n_ways) {
		s = f.ways[0];
		memmove(f.ways, f.ways + 1, --f.n_ways * sizeof *f.ways);
		while (step(&f, &s))
			;
	}
}
