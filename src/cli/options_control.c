/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of commands that talk to a session, and for the form of short answers. */
#include "cli/options.h"

#include "cli/option_values.h"

static bool set_format(struct options *o, const char *v)
{
	static const char *const words[] = { "text", "json" };
	unsigned which;

	if (!value_word(&which, v, words, sizeof words / sizeof *words))
		return false;
	o->format = which == 1 ? FORMAT_JSON : FORMAT_TABLES;
	return true;
}

const struct option_def control_options[] = {
	{ "format", FOR_CONTROL | FOR_STATUS | FOR_LOOKS | FOR_DOCTOR | FOR_TOP | NEEDS_VALUE,
	  "text or json",
	  set_format },
	{ 0 },
};
