/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_APART_H
#define MPROF_NAMING_APART_H

#include "base/say.h"
#include "naming/resolve.h"

/*
 * The functions of resolve.h in a confined process (confine/apart.h): a process that reads the
 * files of a program has no access to that program, nor to anything else. A file that ends the
 * process, or takes too much time or memory, is left out, with a sentence, and its places get no
 * names.
 */

/* As resolve_profile_by(), with a namer of its own. @say is told what is left out. */
int resolve_profile_apart(const struct resolve_how *how, const struct profile *p,
			  const struct resolve_module *modules, size_t n_modules, uint32_t program,
			  say_fn *say, struct profile_data **out);

/* One of several profiles that have the same modules. */
struct resolve_one {
	const struct profile *profile;
	uint32_t program;
	int jit_map;	/* -1: none */
};

/* Called for each of them, in their order. @d: as from resolve_profile_by(); the callee frees it.
 * NULL: out of memory. */
typedef void resolve_named(void *ctx, size_t which, struct profile_data *d);

/* The same for @n profiles, with one namer for many of them: most of the time is spent on opening
 * the program's libraries. */
void resolve_profiles_apart(const struct symbols_search *search, const struct resolve_one *v,
			    size_t n, const struct resolve_module *modules, size_t n_modules,
			    say_fn *say, resolve_named *named, void *ctx);

/* As resolve_again(). */
int resolve_again_apart(const struct profile_data *old, const struct resolve_module *files,
			const struct symbols_search *search, say_fn *say,
			struct profile_data **out);

#endif
