/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known where two paths through a function join. */
#include "arch/x86_64_values.h"

/* Generalise a value: where the size is known to be 0, 1 is max(size, 1); where it is known not to
 * be, the size is. */
static struct value in_general(struct value v, enum argument argument)
{
	bool is_it = (argument == ARGUMENT_ZERO && value_is_number(v, 1)) ||
		     (argument == ARGUMENT_NOT_ZERO && value_same(v, value_size()));

	return is_it ? value_size_or_one() : v;
}

static struct value meet(struct value a, const struct values *in_a, struct value b,
			 const struct values *in_b)
{
	if (value_same(a, b))
		return a;
	/* On a path where the request failed its result is 0. */
	if ((value_is(a, VALUE_RESULT) && in_b->progress == PROGRESS_FAILED &&
	     value_is_number(b, 0)) ||
	    (value_is(b, VALUE_RESULT) && in_a->progress == PROGRESS_FAILED &&
	     value_is_number(a, 0)))
		return (struct value){ .kind = VALUE_RESULT };
	a = in_general(a, in_a->argument);
	b = in_general(b, in_b->argument);
	return value_same(a, b) ? a : (struct value){ .kind = VALUE_ANY };
}

static bool either(const struct values *a, const struct values *b, enum progress p)
{
	return a->progress == p || b->progress == p;
}

static bool meet_progress(const struct values *a, const struct values *b, enum progress *out)
{
	const struct values *early = a->progress == PROGRESS_NONE ? a : b;

	*out = a->progress;
	if (a->progress == b->progress)
		return true;
	if (either(a, b, PROGRESS_FREED)) {
		/* A block of 0 need not be freed. */
		*out = PROGRESS_FREED;
		return early->progress == PROGRESS_NONE && early->argument == ARGUMENT_ZERO;
	}
	*out = PROGRESS_ASKED;
	if (!either(a, b, PROGRESS_NONE))
		return true;
	*out = PROGRESS_NONE;
	return either(a, b, PROGRESS_FAILED);
}

bool values_join(struct values *into, const struct values *from)
{
	struct values out = *into;

	if (!meet_progress(into, from, &out.progress))
		return false;
	for (int i = 0; i < VALUE_REGS; i++)
		out.reg[i] = meet(into->reg[i], into, from->reg[i], from);
	for (int i = 0; i < VALUE_SLOTS; i++)
		out.slot[i] = meet(into->slot[i], into, from->slot[i], from);
	out.flags = into->flags && from->flags && value_same(into->compared, from->compared) &&
		    into->with == from->with;
	if (into->argument != from->argument)
		out.argument = ARGUMENT_ANY;
	*into = out;
	return true;
}

bool values_equal(const struct values *a, const struct values *b)
{
	bool equal = a->progress == b->progress && a->argument == b->argument &&
		     a->flags == b->flags;

	for (int i = 0; equal && i < VALUE_REGS; i++)
		equal = value_same(a->reg[i], b->reg[i]);
	for (int i = 0; equal && i < VALUE_SLOTS; i++)
		equal = value_same(a->slot[i], b->slot[i]);
	return equal && (!a->flags || (value_same(a->compared, b->compared) && a->with == b->with));
}
