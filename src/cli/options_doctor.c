/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of mprof doctor only. */
#include "cli/option_values.h"
#include "cli/options.h"

static bool set_count(struct options *o, const char *v)
{
	return value_seconds(&o->count_seconds, v);
}

const struct option_def doctor_options[] = {
	{"count", FOR_DOCTOR | NEEDS_VALUE, "a number of seconds above 0", set_count},
	{0},
};
