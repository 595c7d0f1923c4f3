/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/own_code.h"

#include "base/glob.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static bool begins_with_any(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (text_begins(text, *list))
			return true;
	return false;
}

static bool is_named(const char *path, const char *const *modules)
{
	for (; *modules; modules++)
		if (glob_matches(*modules, path) || glob_matches(*modules, path_last(path)))
			return true;
	return false;
}

/* Not in a directory where systems keep libraries. The program itself is always own code. */
static bool is_own_module(const struct profile_data *d, const char *const *modules, uint32_t module)
{
	static const char *const system[] = {"/lib/",	      "/lib64/",     "/lib32/",
					     "/usr/lib/",     "/usr/lib64/", "/usr/lib32/",
					     "/usr/libexec/", "[",	     "/nix/store/",
					     "/gnu/store/",   NULL};

	if (module >= d->n_modules)
		return false;
	if (modules && *modules)
		return is_named(d->modules[module].path, modules);
	return module == d->program || !begins_with_any(d->modules[module].path, system);
}

static bool is_system_header(const char *file)
{
	static const char *const system[] = {"/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm",
					     "/rustc/", NULL};

	return file && (begins_with_any(file, system) || strstr(file, "/include/c++/"));
}

/* By its name, or by the one in the symbol table, which does not begin with a return type. */
static bool is_of_language(const struct pd_function *f)
{
	static const char *const names[] = {"std::",	    "__gnu_cxx::",     "core::", "alloc::",
					    "operator new", "operator delete", NULL};
	static const char *const linkages[] = {"_ZSt",		"_ZNSt",	  "_ZNKSt",
					       "_ZNSs",		"_ZNSa",	  "_ZNKSs",
					       "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", NULL};

	return begins_with_any(f->name, names) ||
	       (f->linkage && begins_with_any(f->linkage, linkages));
}

/* Is it a wrapper of an allocator, by its name? Arguments and template arguments do not count. */
static bool is_wrapper(const char *name)
{
	static const char *const parts[] = {"alloc", "strdup", "strndup", "memdup", "ALLOC"};
	char plain[80];
	size_t len = strcspn(name, "(<");

	len = len < sizeof plain - 1 ? len : sizeof plain - 1;
	memcpy(plain, name, len);
	plain[len] = '\0';
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strstr(plain, parts[i]))
			return true;
	return false;
}

static bool is_own_site(const struct profile_data *d, const char *const *modules, uint32_t site)
{
	const struct pd_site *s = &d->sites[site];
	const struct pd_function *f = &d->functions[s->function];

	return is_own_module(d, modules, f->module) && !is_system_header(s->file) &&
	       !is_of_language(f);
}

bool *own_code_sites(const struct profile_data *d, const char *const *modules)
{
	bool *own = calloc(d->n_sites + 1, sizeof *own);

	for (uint32_t i = 0; own && i < d->n_sites; i++)
		own[i] = is_own_site(d, modules, i);
	return own;
}

bool *own_code_holders(const struct profile_data *d, const char *const *modules)
{
	bool *sites = own_code_sites(d, modules);

	for (uint32_t i = 0; sites && i < d->n_sites; i++)
		sites[i] = sites[i] && !is_wrapper(d->functions[d->sites[i].function].name);
	return sites;
}

uint32_t *own_code_nodes(const struct profile_data *d, const char *const *modules)
{
	uint32_t *own = calloc(d->n_nodes, sizeof *own);
	bool *sites = own_code_holders(d, modules);

	for (uint32_t i = 0; own && sites && i < d->n_nodes; i++) {
		const struct pd_node *n = &d->nodes[i];

		own[i] = i < PD_FIRST_NODE ? PD_NONE : sites[n->site] ? i : own[n->parent];
	}
	if (!sites) {
		free(own);
		own = NULL;
	}
	free(sites);
	return own;
}
