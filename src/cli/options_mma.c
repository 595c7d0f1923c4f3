/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of MMA's outputs: event logs and their statistics. */
#include "cli/option_values.h"
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

void mma_defaults(struct options *o)
{
	const char *humanized = getenv("MMA_OUTPUT_HUMANIZED");

	o->mma = (struct mma_options){ .plain = humanized && !strcmp(humanized, "0") };
}

/* Without a value, MMA's default name. */
static const char *name_or_default(const char *v)
{
	const char *name = getenv("MMA_OUTPUT_FILE");

	if (v)
		return v;
	return name && *name ? name : "mma.log";
}

static bool set_log_file(struct options *o, const char *v)
{
	o->mma.log_file = name_or_default(v);
	return *o->mma.log_file;
}

static bool set_stats_file(struct options *o, const char *v)
{
	o->mma.stats_file = name_or_default(v);
	return *o->mma.stats_file;
}

static bool set_humanized(struct options *o, const char *v)
{
	bool humanized;

	if (!value_yes_no(&humanized, v))
		return false;
	o->mma.plain = !humanized;
	return true;
}

static bool set_format(struct options *o, const char *v)
{
	static const char *const words[] = { "mma", "json" };
	unsigned which;

	if (!value_word(&which, v, words, COUNT(words)))
		return false;
	o->mma.json = which == 1;
	return true;
}

const struct option_def mma_options[] = {
	{ "mma-log-file", FOR_TRACING | TAKES_VALUE, "a file name", set_log_file },
	{ "mma-stats-file", FOR_TRACING | TAKES_VALUE, "a file name", set_stats_file },
	{ "humanized", FOR_TRACING | NEEDS_VALUE, "yes or no", set_humanized },
	{ "humanized", FOR_LOGS | NEEDS_VALUE | NOT_JSON, "yes or no", set_humanized },
	{ "format", FOR_LOGS | NEEDS_VALUE, "mma or json", set_format },
	{ 0 },
};
