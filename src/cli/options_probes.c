/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that say which functions are trapped. */
#include "cli/option_values.h"
#include "cli/options.h"

static bool add_probes(struct options *o, const char *v)
{
	return value_add(o->probes.files, MAX_NAMES, v);
}

static bool add_hook(struct options *o, const char *v)
{
	return value_add(o->probes.hooks, MAX_NAMES, v);
}

static bool add_malloc_lib(struct options *o, const char *v)
{
	return value_add(o->probes.malloc_libs, MAX_MALLOC_LIBS, v);
}

static bool set_client_requests(struct options *o, const char *v)
{
	bool yes;

	if (!value_yes_no(&yes, v))
		return false;
	o->probes.no_client_requests = !yes;
	return true;
}

const struct option_def probe_options[] = {
	{ "probes", FOR_TRACING | FOR_PROBES | FOR_DOCTOR | NEEDS_VALUE,
	  "a file name, 64 of them at most", add_probes },
	{ "hook", FOR_TRACING | FOR_PROBES | FOR_DOCTOR | NEEDS_VALUE,
	  "KIND:NAME or KIND:0xADDRESS, 64 of them at most",
	  add_hook },
	{ "malloc-lib", FOR_TRACING | FOR_PROBES | FOR_DOCTOR | NEEDS_VALUE,
	  "a file name or soname, or NONE, 16 of them at most", add_malloc_lib },
	{ "client-requests", FOR_TRACING | FOR_PROBES | FOR_DOCTOR | NEEDS_VALUE, "yes or no",
	  set_client_requests },
	{ 0 },
};
