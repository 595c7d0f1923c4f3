/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/fn_names.h"

#include "base/glob.h"
#include "base/text.h"

#include <string.h>

static bool looked, alloc_met[MAX_FUNCTIONS], ignore_met[MAX_FUNCTIONS], own_met[MAX_NAMES];
static bool looked_at_modules;
static bool matched;
static struct heap_matches matches;

static void meet_in(name_list list, bool *met, const char *name)
{
	for (size_t i = 0; list[i]; i++)
		met[i] |= glob_matches(list[i], name);
}

static void meet(const struct options *o, const char *name)
{
	meet_in(o->alloc_fns, alloc_met, name);
	meet_in(o->ignore_fns, ignore_met, name);
}

void fn_names_meet(const struct options *o, const struct profile_data *d)
{
	looked = true;
	for (size_t i = 0; i < d->n_functions; i++)
		meet(o, d->functions[i].name);
	looked_at_modules = true;
	for (size_t i = 0; i < d->n_modules; i++) {
		meet_in(o->own_code, own_met, d->modules[i].path);
		meet_in(o->own_code, own_met, path_last(d->modules[i].path));
	}
}

void fn_names_meet_entries(const struct options *o, const struct massif_names *names)
{
	looked = true;
	for (size_t i = 0; i < names->n; i++) {
		const char *called = massif_entry_called(&names->entries[i]);

		if (called)
			meet(o, called);
	}
}

void fn_names_meet_matches(const struct heap_matches *m)
{
	matched = true;
	matches.focus |= m->focus;
	matches.ignore |= m->ignore;
	matches.list |= m->list;
}

/* Known allocation functions are not reported: they are in no profile, and naming them is no
 * mistake. */
static void say_names(const char *option, name_list list, const bool *met)
{
	for (size_t i = 0; list[i]; i++)
		if (!met[i] && !is_allocation_function(list[i], NULL))
			say("--%s=%s: no function in the profile has this name", option, list[i]);
}

static void say_expression(const char *option, const char *re, bool met)
{
	const char *hint = !re || !strpbrk(re, ".+*?()[]{}|^$") ? "" :
		"; it is a regular expression: what is not just a letter in one stands behind a "
		"backslash";

	if (re && !met)
		say("--%s=%s: no function and no file in the profile matches%s", option, re, hint);
}

void fn_names_say_unmet(const struct options *o)
{
	if (looked) {
		say_names("alloc-fn", o->alloc_fns, alloc_met);
		say_names("ignore-fn", o->ignore_fns, ignore_met);
	}
	for (size_t i = 0; looked_at_modules && o->own_code[i]; i++)
		if (!own_met[i])
			say("--own-code=%s: no file in the profile has this name", o->own_code[i]);
	if (matched) {
		say_expression("focus", o->pprof.focus, matches.focus);
		say_expression("ignore", o->pprof.ignore, matches.ignore);
		say_expression("list", o->pprof.list, matches.list);
	}
}
