/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of heap profiles, and gperftools' variables of the same meaning. */
#include "cli/option_values.h"
#include "cli/options.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static bool set_prefix(struct options *o, const char *v)
{
	o->heap.prefix = v;
	return *v;
}

static bool set_allocated(struct options *o, const char *v)
{
	return value_bytes(&o->heap.intervals.allocated, v);
}

static bool set_freed(struct options *o, const char *v)
{
	return value_bytes(&o->heap.intervals.freed, v);
}

static bool set_in_use(struct options *o, const char *v)
{
	return value_bytes(&o->heap.intervals.in_use, v);
}

static bool set_time(struct options *o, const char *v)
{
	uint64_t seconds;

	if (!value_in_range(&seconds, v, 0, UINT32_MAX))
		return false;
	o->heap.intervals.time_ns = seconds * 1000000000u;
	return true;
}

/* Signals that are not reported to a tracer, or that we need ourselves, are refused. */
static bool set_signal(struct options *o, const char *v)
{
	uint64_t sig;

	if (!value_in_range(&sig, v, 1, (uint64_t)SIGRTMAX) || sig == SIGKILL || sig == SIGSTOP ||
	    sig == SIGTRAP)
		return false;
	o->heap.signal = (int)sig;
	return true;
}

static bool set_cleanup(struct options *o, const char *v)
{
	bool cleanup;

	if (!value_yes_no(&cleanup, v))
		return false;
	o->heap.no_cleanup = !cleanup;
	return true;
}

static bool set_mapped(struct options *o, const char *v)
{
	return value_yes_no(&o->heap.mapped, v);
}

static bool set_only_mapped(struct options *o, const char *v)
{
	if (!value_yes_no(&o->heap.only_mapped, v))
		return false;
	o->heap.mapped |= o->heap.only_mapped;
	return true;
}

static bool set_log(struct options *o, const char *v)
{
	return value_yes_no(&o->heap.log, v);
}

static bool set_symbols(struct options *o, const char *v)
{
	return value_yes_no(&o->heap.symbols, v);
}

static bool set_defer(struct options *o, const char *v)
{
	(void)v;
	o->heap.defer = true;
	return true;
}

static bool set_quiet(struct options *o, const char *v)
{
	(void)v;
	o->heap.quiet = true;
	return true;
}

static bool set_depth(struct options *o, const char *v)
{
	uint64_t depth;

	if (!value_in_range(&depth, v, 1, 200))
		return false;
	o->heap.depth = (unsigned)depth;
	return true;
}

#define BYTES "a number of bytes, or one with K, M or G; 0: never"
#define SIGNALS "the number of a signal that can be caught, and not that of SIGTRAP"

const struct option_def heap_options[] = {
	{ "heap-profile", FOR_TRACING | NEEDS_VALUE, "the beginning of a file name", set_prefix },
	{ "heap-profile-allocation-interval", FOR_TRACING | NEEDS_VALUE, BYTES, set_allocated },
	{ "heap-profile-deallocation-interval", FOR_TRACING | NEEDS_VALUE, BYTES, set_freed },
	{ "heap-profile-inuse-interval", FOR_TRACING | NEEDS_VALUE, BYTES, set_in_use },
	{ "heap-profile-time-interval", FOR_TRACING | NEEDS_VALUE, "a number of seconds; 0: never",
	  set_time },
	{ "heap-profile-signal", FOR_TRACING | NEEDS_VALUE, SIGNALS, set_signal },
	{ "heap-profile-mmap", FOR_TRACING | NEEDS_VALUE, "yes or no", set_mapped },
	{ "heap-profile-only-mmap", FOR_TRACING | NEEDS_VALUE, "yes or no", set_only_mapped },
	{ "heap-profile-mmap-log", FOR_TRACING | NEEDS_VALUE, "yes or no", set_log },
	{ "heap-profile-cleanup", FOR_TRACING | NEEDS_VALUE, "yes or no", set_cleanup },
	{ "heap-profile-defer", FOR_TRACING, NULL, set_defer },
	{ "symbols", FOR_TRACING | NEEDS_VALUE, "yes or no", set_symbols },
	{ "symbols", FOR_REPORT | ONLY_PPROF | NEEDS_VALUE, "yes or no", set_symbols },
	{ "depth", FOR_TRACING | NEEDS_VALUE, "a number of frames from 1 to 200", set_depth },
	{ "quiet", FOR_TRACING, NULL, set_quiet },
	{ 0 },
};

void heap_defaults(struct options *o)
{
	o->pprof.value = INUSE_SPACE;
	o->pprof.graph = (struct heap_graph){ .nodes = 80, .node_fraction = 0.005,
					      .edge_fraction = 0.001 };
	o->heap.intervals.allocated = 1ull << 30;
	o->heap.intervals.in_use = 100ull << 20;
	o->heap.depth = HEAPPROFILE_DEPTH;
}

/* ---- the environment ---- */

/* As gperftools reads its own: t, T, y, Y, 1 and the empty string mean yes. */
static const char *yes_no(const char *v)
{
	return !*v || strchr("tTyY1", *v) ? "yes" : "no";
}

static bool set_cleanup_variable(struct options *o, const char *v)
{
	return set_cleanup(o, yes_no(v));
}

static bool set_mapped_variable(struct options *o, const char *v)
{
	return set_mapped(o, yes_no(v));
}

static bool set_only_mapped_variable(struct options *o, const char *v)
{
	return set_only_mapped(o, yes_no(v));
}

static bool set_log_variable(struct options *o, const char *v)
{
	return set_log(o, yes_no(v));
}

static const struct {
	const char *name;
	bool (*set)(struct options *o, const char *value);
} variables[] = {
	{ "HEAPPROFILE", set_prefix },
	{ "HEAP_PROFILE_ALLOCATION_INTERVAL", set_allocated },
	{ "HEAP_PROFILE_DEALLOCATION_INTERVAL", set_freed },
	{ "HEAP_PROFILE_INUSE_INTERVAL", set_in_use },
	{ "HEAP_PROFILE_TIME_INTERVAL", set_time },
	{ "HEAPPROFILESIGNAL", set_signal },
	{ "HEAP_PROFILE_MMAP", set_mapped_variable },
	{ "HEAP_PROFILE_ONLY_MMAP", set_only_mapped_variable },
	{ "HEAP_PROFILE_MMAP_LOG", set_log_variable },
	{ "HEAP_PROFILE_CLEANUP", set_cleanup_variable },
};

#define N_VARIABLES (sizeof variables / sizeof *variables)

void heap_environment(struct options *o)
{
	for (size_t i = 0; i < N_VARIABLES; i++) {
		const char *value = getenv(variables[i].name);

		/* An empty prefix means no profiles. */
		if (value && (*value || i) && !variables[i].set(o, value))
			o->heap_senseless = variables[i].name;
	}
	if (o->heap.prefix && !*o->heap.prefix)
		o->heap.prefix = NULL;
}

bool heap_environment_done(const struct options *o)
{
	const char *name = o->heap_senseless;

	if (!o->heap.prefix && !o->heap.defer)
		return true;
	if (name) {
		say("the environment variable %s: \"%s\" has no sense there", name, getenv(name));
		return false;
	}
	return true;
}

void heap_environment_take(void)
{
	for (size_t i = 0; i < N_VARIABLES; i++)
		unsetenv(variables[i].name);
}
