/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/shown.h"

#include "symbols/demangle.h"

const char *probe_shown(const char *name, char out[PROBE_SHOWN])
{
	return demangle(name, out, PROBE_SHOWN) ? out : name;
}
