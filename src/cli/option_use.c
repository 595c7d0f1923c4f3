/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that every option that was given has an effect on what is printed or read. */
#include "cli/heapfiles.h"
#include "cli/options.h"

/* Flags of options without effect on an output or input; and how to say so. */
struct form {
	uint64_t flags;
	const char *words;
};

static struct form form_of(const struct options *o, enum option_input input)
{
	static const struct form formats[] = {
		[FORMAT_TABLES] = { 0, NULL },
		[FORMAT_JSON] = { 0, NULL }, /* all rows, and table options select from them */
		[FORMAT_MASSIF] = { NOT_MASSIF, "with --format=massif" },
		[FORMAT_MS_PRINT] = { NOT_MASSIF, "with --format=ms_print" },
		[FORMAT_TEXT] = { NOT_STACKS, "with --format=text" },
		[FORMAT_FOLDED] = { NOT_STACKS, "with --format=folded" },
		[FORMAT_HEAP] = { NOT_STACKS | NOT_FOR_TOOLS, "with --format=heap" },
		[FORMAT_PPROF] = { NOT_STACKS | NOT_FOR_TOOLS, "with --format=pprof" },
		[FORMAT_DOT] = { NOT_STACKS, "with --format=dot" },
		[FORMAT_HTML] = { 0, NULL }, /* contains the JSON */
	};

	if (o->pprof.list)
		return (struct form){ NOT_STACKS | NOT_LIST, "with --list" };
	if (o->format == FORMAT_JSON && (input == INPUT_HEAP || o->pprof.base))
		return (struct form){ NOT_STACKS, "in the JSON of stacks" };
	return formats[o->format];
}

static struct form input_of(enum option_input input)
{
	static const struct form inputs[] = {
		[INPUT_DATA] = { 0, NULL },
		[INPUT_HEAP] = { NOT_OF_HEAP, "for a heap profile" },
		[INPUT_MASSIF] = { NOT_OF_MASSIF, "for a massif file" },
		[INPUT_LOG] = { NOT_OF_LOG, "for an event log" },
	};

	return inputs[input];
}

/* A screen instead of the tables; JSON has both. */
static struct form screen_of(const struct options *o)
{
	if (o->format == FORMAT_TABLES && o->growth)
		return (struct form){ NOT_SUMMARY | NOT_GROWTH, "with --growth" };
	if (o->format == FORMAT_TABLES && o->report.summary)
		return (struct form){ NOT_SUMMARY, "with --summary" };
	return (struct form){ 0, NULL };
}

static bool is_obeyed(const struct options *o, const struct form *f)
{
	const struct option_def *d = f->flags ? options_find_given(o, f->flags) : NULL;

	if (d)
		say("option %s means nothing %s", d->name, f->words);
	return !d;
}

bool options_obeyed(const struct options *o, enum option_input input)
{
	struct form form = form_of(o, input), of = input_of(input), screen = screen_of(o);

	if (o->report.lifetimes && o->view.at_peak && (o->format == FORMAT_TABLES)) {
		say("option lifetimes means nothing with --at=peak: what was live then had not "
		    "been freed");
		return false;
	}
	if (o->pprof.list && o->format_given) {
		say("option list means nothing with --format: it prints in a form of its own");
		return false;
	}
	return is_obeyed(o, &of) && is_obeyed(o, &form) && is_obeyed(o, &screen);
}
