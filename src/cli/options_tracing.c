/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that say how a program is traced and where its profile is written. */
#include "cli/option_values.h"
#include "cli/options.h"

#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static bool set_data(struct options *o, const char *v)
{
	o->data = v;
	return *v;
}

static bool set_trace_children(struct options *o, const char *v)
{
	o->trace_children_given = true;
	return value_yes_no(&o->trace_children, v);
}

static bool add_pid(struct options *o, const char *v)
{
	return value_add(o->pids, MAX_NAMES, v);
}

static bool set_tree(struct options *o, const char *v)
{
	(void)v;
	o->tree = true;
	return true;
}

static bool set_keep_execs(struct options *o, const char *v)
{
	(void)v;
	o->keep_execs = true;
	return true;
}

static bool set_autosave(struct options *o, const char *v)
{
	return value_count(&o->autosave, v);
}

static bool set_background(struct options *o, const char *v)
{
	(void)v;
	o->background = true;
	return true;
}

static bool set_wait(struct options *o, const char *v)
{
	static const char *const words[] = { "follow", "adaptive", "sleep", "spin", "pin" };
	static const enum tracer_wait waits[] = { WAIT_FOLLOW, WAIT_ADAPTIVE, WAIT_SLEEP, WAIT_SPIN,
						  WAIT_SLEEP };
	unsigned which;

	if (!value_word(&which, v, words, COUNT(words)))
		return false;
	o->wait = waits[which];
	o->one_cpu = which == COUNT(words) - 1;
	return true;
}

static bool set_engine(struct options *o, const char *v)
{
	static const char *const words[] = { [ENGINE_TRAP] = "trap", [ENGINE_FAST] = "fast",
					     [ENGINE_AUTO] = "auto" };
	unsigned which;

	if (!value_word(&which, v, words, COUNT(words)))
		return false;
	o->engine = which;
	return true;
}

static bool set_stats(struct options *o, const char *v)
{
	(void)v;
	o->stats = true;
	return true;
}

static bool set_check_unwinding(struct options *o, const char *v)
{
	(void)v;
	o->check_unwinding = o->stats = true;
	return true;
}

static bool set_duration(struct options *o, const char *v)
{
	return value_seconds(&o->duration, v);
}

/* Verdicts begin after a third of the time: then there are three times the required windows at its
 * end. */
static bool set_growth(struct options *o, const char *v)
{
	if (!value_seconds(&o->growth, v))
		return false;
	o->duration = o->growth;
	o->verdict_after = o->growth / 3;
	return true;
}

static bool set_verdict_after(struct options *o, const char *v)
{
	return value_seconds(&o->verdict_after, v);
}

static bool set_min_size(struct options *o, const char *v)
{
	return value_bytes(&o->min_size, v) && (!o->max_size || o->min_size <= o->max_size);
}

static bool set_max_size(struct options *o, const char *v)
{
	return value_bytes(&o->max_size, v) && o->max_size && o->min_size <= o->max_size;
}

bool engine_environment(struct options *o)
{
	const char *value = getenv("MPROF_ENGINE");

	if (!value || !*value || set_engine(o, value))
		return true;
	say("MPROF_ENGINE is %s; expected trap, fast or auto", value);
	return false;
}

bool engine_check_options(struct options *o)
{
	const char *with = o->massif.file && o->massif.settings.pages ? "--pages-as-heap=yes" :
			   o->massif.file && o->massif.unit_given &&
					   o->massif.settings.unit == MASSIF_INSTRUCTIONS ?
						 "--time-unit=i" :
						 NULL;

	if (o->engine == ENGINE_TRAP || !with)
		return true;
	if (o->engine == ENGINE_FAST) {
		say("the fast engine does not do %s yet; use --engine=trap", with);
		return false;
	}
	say("programs are watched by traps: the fast engine does not do %s yet", with);
	o->engine = ENGINE_TRAP;
	return true;
}

const struct option_def tracing_options[] = {
	{ "data", FOR_TRACING | FOR_TOP | NEEDS_VALUE, "a file name", set_data },
	{ "trace-children", FOR_TRACING | NEEDS_VALUE, "yes or no", set_trace_children },
	{ "keep-execs", FOR_TRACING, NULL, set_keep_execs },
	{ "min-size", FOR_TRACING | NEEDS_VALUE,
	  "a number of bytes, or one with K, M or G, and not above a --max-size", set_min_size },
	{ "max-size", FOR_TRACING | NEEDS_VALUE,
	  "a number of bytes above 0, or one with K, M or G, and not below a "
	  "--min-size", set_max_size },
	{ "autosave", FOR_TRACING | NEEDS_VALUE, "a number of allocations", set_autosave },
	{ "p", FOR_PROCESSES | NEEDS_VALUE,
	  "a process's number or name, 64 of them at most",
	  add_pid },
	{ "pid", FOR_PROCESSES | NEEDS_VALUE,
	  "a process's number or name, 64 of them at most",
	  add_pid },
	{ "tree", FOR_ATTACH, NULL, set_tree },
	{ "background", FOR_ATTACH, NULL, set_background },
	{ "wait", FOR_TRACING | NEEDS_VALUE, "follow, adaptive, sleep, spin or pin", set_wait },
	{ "engine", FOR_TRACING | FOR_TOP | NEEDS_VALUE, "trap, fast or auto", set_engine },
	{ "stats", FOR_TRACING, NULL, set_stats },
	{ "check-unwinding", FOR_TRACING, NULL, set_check_unwinding },
	{ "growth", FOR_ATTACH | NEEDS_VALUE | NOT_MASSIF | NOT_STACKS,
	  "a number of seconds above 0", set_growth },
	{ "verdict-after", FOR_TRACING | NEEDS_VALUE, "a number of seconds above 0",
	  set_verdict_after },
	{ "duration", FOR_TRACING | NEEDS_VALUE, "a number of seconds above 0", set_duration },
	{ 0 },
};
