/* SPDX-License-Identifier: BSD-2-Clause */
/* Follows all paths through a function that may only forward to another one. */
#include "arch/forward.h"

#include "arch/x86_64_values.h"
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

enum {
	INSNS_MAX = 256,	/* longer functions do something else as well */
	STEPS_MAX = 4096,
	LEAF_MAX = 64,
	INSN_MAX = 15,
};

/* An instruction, and what is known before it on all paths to it found so far. */
struct place {
	uint64_t at;
	bool waits;	/* to be continued from */
	struct values known;
};

struct walk {
	const struct arch_forward_host *host;
	const struct arch_forwarded *of;
	struct place *v;
	size_t n, cap;
	const char *why;	/* not NULL: it is no forwarder */
};

struct insn {
	uint64_t at, next;
	ZydisDecodedInstruction z;
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
};

static const char passes_nothing[] = "it returns without having passed anything on";
static const char calls_else[] = "it calls something else";

static bool decode(const struct walk *w, uint64_t at, struct insn *i)
{
	uint8_t code[INSN_MAX];
	ZydisDecoder d;

	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	size_t len = w->host->read(w->host->ctx, at, code, sizeof code);

	i->at = at;
	if (!len || !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, code, len, &i->z, i->o)))
		return false;
	i->next = at + i->z.length;
	return true;
}

static bool is_direct(const struct insn *i)
{
	return i->o[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && i->o[0].imm.is_relative;
}

static uint64_t target(const struct insn *i)
{
	return i->next + (uint64_t)i->o[0].imm.value.s;
}

/* ---- continuing ---- */

static void go_on(struct walk *w, uint64_t at, const struct values *known)
{
	for (size_t i = 0; i < w->n; i++) {
		struct place *p = &w->v[i];

		if (p->at != at)
			continue;
		struct values was = p->known;

		if (!values_join(&p->known, known))
			w->why = "it is not clear whether it has passed anything on";
		p->waits |= !values_equal(&was, &p->known);
		return;
	}
	if (w->n == INSNS_MAX)
		w->why = "it is long";
	else if (ARRAY_RESERVE(&w->v, &w->cap, w->n))
		w->why = "out of memory";
	else
		w->v[w->n++] = (struct place){ .at = at, .waits = true, .known = *known };
}

/* ---- what is called ---- */

/* Does a function only compute? It calls nothing, and returns. */
static bool is_leaf(const struct walk *w, uint64_t at)
{
	for (int n = 0; n < LEAF_MAX; n++) {
		struct insn i;

		if (!decode(w, at, &i))
			return false;
		switch (i.z.meta.category) {
		case ZYDIS_CATEGORY_RET:
			return true;
		case ZYDIS_CATEGORY_CALL:
		case ZYDIS_CATEGORY_COND_BR:
		case ZYDIS_CATEGORY_UNCOND_BR:
		case ZYDIS_CATEGORY_SYSCALL:
		case ZYDIS_CATEGORY_INTERRUPT:
			return false;
		default:
			at = i.next;
		}
	}
	return false;
}

static struct arch_callee callee_of(const struct walk *w, const struct insn *i)
{
	const ZydisDecodedOperand *o = &i->o[0];

	if (is_direct(i))
		return w->host->callee(w->host->ctx, target(i));
	if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.base == ZYDIS_REGISTER_RIP &&
	    o->mem.index == ZYDIS_REGISTER_NONE)
		return w->host->callee_in(w->host->ctx, i->next + (uint64_t)o->mem.disp.value);
	return (struct arch_callee){ .kind = ARCH_CALLEE_OTHER };
}

static bool only_computes(const struct walk *w, const struct insn *i, struct arch_callee c)
{
	return c.kind == ARCH_CALLEE_COMPUTES ||
	       (c.kind == ARCH_CALLEE_OTHER && is_direct(i) && is_leaf(w, target(i)));
}

/* The value of an argument of a call. */
static struct value argument(const struct values *s, uint8_t number)
{
	static const uint8_t regs[] = { VALUE_RDI, VALUE_RSI, VALUE_RDX, VALUE_RCX, 8, 9 };

	return number < sizeof regs ? s->reg[regs[number]] : (struct value){ .kind = VALUE_ANY };
}

/* Has the request failed, so that the function may do what it wants? */
static bool has_nothing(const struct values *s)
{
	return s->progress == PROGRESS_FAILED;
}

static bool is_asked_for(const struct values *s, struct value size)
{
	return value_is_size(size) || value_is(size, VALUE_ROUNDED) ||
	       (s->argument == ARGUMENT_ZERO &&
		(value_is_number(size, 0) || value_is_number(size, 1)));
}

/* The request, or the free, is passed on. NULL, or why it is no forwarder. */
static const char *pass(const struct walk *w, const struct insn *i, struct values *s,
			struct arch_callee c)
{
	const struct arch_forwarded *f = w->of;
	struct value v = argument(s, c.arg);

	/* A frame outside of the function would not be known to be the function's. */
	if (i->z.meta.category == ZYDIS_CATEGORY_CALL &&
	    (i->at < f->at || i->at - f->at >= f->size))
		return "it passes on from outside of its own code";
	if (f->gives && s->progress != PROGRESS_NONE && !has_nothing(s))
		return "it asks twice";
	if (f->gives && !is_asked_for(s, v))
		return "it asks for another size";
	if (!f->gives && s->progress != PROGRESS_NONE)
		return "it frees twice";
	if (!f->gives && !value_is(v, VALUE_BLOCK))
		return "it frees something else";
	s->progress = f->gives ? PROGRESS_ASKED : PROGRESS_FREED;
	return NULL;
}

static bool passes(const struct walk *w, struct arch_callee c)
{
	return c.kind == (w->of->gives ? ARCH_CALLEE_GIVES : ARCH_CALLEE_TAKES);
}

/* Continue where an exception lands that leaves a call which has given nothing. */
static void land(struct walk *w, const struct insn *i, const struct values *before)
{
	struct values s = *before;
	uint64_t at;

	if (!w->of->gives)
		return;
	switch (w->host->landing(w->host->ctx, i->at, &at)) {
	case ARCH_LANDING_NONE:
		return;
	case ARCH_LANDING_UNKNOWN:
		w->why = "it is not known where exceptions go on";
		return;
	case ARCH_LANDING_HERE:
		values_called(&s);
		s.progress = PROGRESS_FAILED;
		go_on(w, at, &s);
	}
}

/* False: it does not return. */
static bool call(struct walk *w, const struct insn *i, struct values *s)
{
	const struct arch_callee c = callee_of(w, i);
	const struct values before = *s;

	if (c.kind == ARCH_CALLEE_ENDS)
		return false;
	if (passes(w, c)) {
		w->why = pass(w, i, s, c);
	} else if (c.kind == ARCH_CALLEE_FAILS && w->of->gives && s->progress == PROGRESS_NONE) {
		s->progress = PROGRESS_FAILED;
	} else if (!has_nothing(s)) {
		if (!only_computes(w, i, c))
			w->why = calls_else;
		values_called(s);
		return true;
	}
	values_called(s);
	if (passes(w, c) && w->of->gives)
		s->reg[VALUE_RAX] = (struct value){ .kind = VALUE_RESULT };
	if (!w->why)
		land(w, i, &before);
	return c.kind != ARCH_CALLEE_LEAVES;
}

/* ---- how it ends ---- */

static const char *at_end(const struct walk *w, const struct values *s)
{
	const struct value sp = s->reg[VALUE_RSP];

	if (!value_is(sp, VALUE_STACK) || sp.c)
		return "it does not return to its caller";
	if (!w->of->gives)
		return s->progress == PROGRESS_FREED || s->argument == ARGUMENT_ZERO
			       ? NULL
			       : passes_nothing;
	if (s->progress == PROGRESS_NONE)
		return passes_nothing;
	bool given = has_nothing(s) ? value_is_number(s->reg[VALUE_RAX], 0) :
				      value_is(s->reg[VALUE_RAX], VALUE_RESULT);
	return given ? NULL : "it returns something else";
}

/* A jump to another function, which returns in its place, or within its own code. */
static void jump(struct walk *w, const struct insn *i, struct values *s)
{
	const struct arch_callee c = callee_of(w, i);

	if (c.kind == ARCH_CALLEE_OTHER && is_direct(i)) {
		go_on(w, target(i), s);
		return;
	}
	if (c.kind == ARCH_CALLEE_ENDS)
		return;
	w->why = passes(w, c) ? pass(w, i, s, c) : "it jumps somewhere else";
	s->reg[VALUE_RAX] = (struct value){ .kind = VALUE_RESULT };
	if (!w->why)
		w->why = at_end(w, s);
}

static void branch(struct walk *w, const struct insn *i, const struct values *s)
{
	struct values taken = *s, not_taken = *s;

	if (!is_direct(i)) {
		w->why = "a branch that is not understood";
		return;
	}
	values_branch(&taken, i->z.mnemonic, true);
	values_branch(&not_taken, i->z.mnemonic, false);
	go_on(w, target(i), &taken);
	if (!w->why)
		go_on(w, i->next, &not_taken);
}

static void step(struct walk *w, uint64_t at, struct values s)
{
	struct insn i;

	if (!decode(w, at, &i)) {
		w->why = "its code cannot be read";
		return;
	}
	switch (i.z.meta.category) {
	case ZYDIS_CATEGORY_RET:
		w->why = at_end(w, &s);
		return;
	case ZYDIS_CATEGORY_UNCOND_BR:
		jump(w, &i, &s);
		return;
	case ZYDIS_CATEGORY_COND_BR:
		branch(w, &i, &s);
		return;
	case ZYDIS_CATEGORY_CALL:
		if (call(w, &i, &s) && !w->why)
			go_on(w, i.next, &s);
		return;
	default:
		w->why = values_step(&s, &i.z, i.o);
		if (!w->why)
			go_on(w, i.next, &s);
	}
}

static struct values at_entry(const struct arch_forwarded *f)
{
	static const uint8_t regs[] = { VALUE_RDI, VALUE_RSI, VALUE_RDX, VALUE_RCX, 8, 9 };
	struct values s = { 0 };

	s.reg[VALUE_RSP] = (struct value){ .kind = VALUE_STACK };
	if (f->arg < sizeof regs)
		s.reg[regs[f->arg]] = f->gives ? value_size() :
						 (struct value){ .kind = VALUE_BLOCK };
	if (f->gives && f->align_arg < sizeof regs)
		s.reg[regs[f->align_arg]] = (struct value){ .kind = VALUE_SUM, .a = 1 };
	return s;
}

/* The next place to continue from, or NULL. */
static struct place *waiting(const struct walk *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].waits)
			return &w->v[i];
	return NULL;
}

int arch_forwards(const struct arch_forward_host *host, const struct arch_forwarded *f,
		  const char **why)
{
	struct walk w = { .host = host, .of = f };
	const struct values s = at_entry(f);
	struct place *p;

	go_on(&w, f->at, &s);
	for (int n = 0; !w.why && (p = waiting(&w)); n++) {
		if (n == STEPS_MAX)
			w.why = "it is not understood";
		p->waits = false;
		if (!w.why)
			step(&w, p->at, p->known);
	}
	free(w.v);
	*why = w.why;
	return w.why ? -ENOTSUP : 0;
}
