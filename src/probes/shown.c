/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/shown.h"

#include "symbols/demangle.h"

const char *probe_shown(const char *name, char out[PROBE_SHOWN])
{
	return demangle(name, out, PROBE_SHOWN) ? out : name;
}

void probe_unseen(const char *name, const char *why, struct error *out)
{
	char text[PROBE_SHOWN];
	const char *shown = probe_shown(name, text);

	error_set(out, 0, "its %s%s cannot be seen without a trap: %s", shown,
		  shown == name ? "()" : "", why);
}
