/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_APART_H
#define MPROF_NAMING_APART_H

#include "base/say.h"
#include "naming/resolve.h"

/*
 * resolve.h, in a confined process (confine/apart.h): what reads the files of a program holds
 * neither that nor anything else. A file that ends it, or takes too much, is left out, with a
 * sentence, and what was counted is named without it.
 */

/* As resolve_profile_by(), with a namer of its own. @say: told what is left out. */
int resolve_profile_apart(const struct resolve_how *how, const struct profile *p,
			  const struct resolve_module *modules, size_t n_modules, uint32_t program,
			  say_fn *say, struct profile_data **out);

/* As resolve_again(). */
int resolve_again_apart(const struct profile_data *old, const struct resolve_module *files,
			const struct symbols_search *search, say_fn *say,
			struct profile_data **out);

#endif
