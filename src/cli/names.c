/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/names.h"

struct symbols_search names_search(const struct options *o)
{
	return (struct symbols_search){ .debug_dirs = o->debug_dirs, .fetch = true, .cache = true,
					.progress = say_sentence };
}

enum tell_names names_told(const struct options *o)
{
	return o->report.level == REPORT_VERBOSE || o->stats ? TELL_NAMES_ALL : TELL_NAMES_MISSING;
}
