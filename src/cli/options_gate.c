/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that define what is a failure, and where it is reported. */
#include "cli/gating.h"

#include "cli/option_values.h"
#include "cli/options.h"

void gate_defaults(struct options *o)
{
	o->gate.fail_status = STATUS_FOUND;
}

/* True for conditions of looks: about what is lost, in the whole process. */
static bool is_for_looks(const struct gate_condition *c)
{
	return GATE_OF_LOOKS >> c->figure & 1 && !c->site && c->measure == GATE_ABSOLUTE;
}

static bool add_condition(struct options *o, const char *v, bool looks)
{
	struct gate_condition c;

	if (gate_condition_parse(&c, v))
		return false;
	bool fits = !looks || is_for_looks(&c);
	gate_condition_release(&c);
	return fits && value_add(o->gate.fail_ifs, MAX_NAMES, v);
}

static bool add_fail_if(struct options *o, const char *v)
{
	return add_condition(o, v, false);
}

static bool add_fail_if_of_look(struct options *o, const char *v)
{
	return add_condition(o, v, true);
}

static bool set_fail_status(struct options *o, const char *v)
{
	return value_in_range(&o->gate.fail_status, v, 1, 255);
}

static bool add_suppressions(struct options *o, const char *v)
{
	return value_add(o->gate.suppressions, MAX_SUPPRESSIONS, v);
}

static bool set_gate_base(struct options *o, const char *v)
{
	o->gate.base = v;
	return *v;
}

static bool set_junit(struct options *o, const char *v)
{
	o->gate.junit = v;
	return *v;
}

static bool set_sarif(struct options *o, const char *v)
{
	o->gate.sarif = v;
	return *v;
}

#define OF_DATA (NOT_OF_HEAP | NOT_OF_MASSIF | NOT_OF_LOG)

const struct option_def gate_options[] = {
	{"fail-if", FOR_PRINTING | NEEDS_VALUE | OF_DATA,
	 "FIGURE>NUMBER or FIGURE(FUNCTION)>NUMBER with >, >=, <, <= or ==, 64 at most; FIGURE is "
	 "allocs, frees, bytes, kept, kept-blocks, unfreed, unfreed-blocks, peak, temporary, lost, "
	 "lost-blocks, possible or possible-blocks; +NUMBER or +N% is growth since --base",
	 add_fail_if},
	{"fail-if", FOR_LEAKS | NEEDS_VALUE,
	 "lost>BYTES, lost-blocks>COUNT, possible>BYTES or possible-blocks>COUNT",
	 add_fail_if_of_look},
	{"fail-status", FOR_PRINTING | FOR_LEAKS | NEEDS_VALUE | OF_DATA, "a number from 1 to 255",
	 set_fail_status},
	{"suppressions", FOR_PRINTING | NEEDS_VALUE | OF_DATA, "a file name, 16 of them at most",
	 add_suppressions},
	{"base", FOR_PRINTING | NEEDS_VALUE, "a file name", set_gate_base},
	{"junit", FOR_PRINTING | NEEDS_VALUE | OF_DATA, "a file name", set_junit},
	{"sarif", FOR_PRINTING | NEEDS_VALUE | OF_DATA, "a file name", set_sarif},
	{0},
};
