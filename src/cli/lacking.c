/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lacking.h"

#include "base/array.h"
#include "cli/packages.h"
#include "doctor/judge.h"
#include "naming/codefiles.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void lacking_add(void *ctx, const struct pd_module *m)
{
	struct lacking *l = ctx;

	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].path, m->path) && !strcmp(l->v[i].build_id, m->build_id))
			return;
	struct lacking_file f = { strdup(m->path), strdup(m->build_id) };

	if (f.path && f.build_id && !ARRAY_RESERVE(&l->v, &l->cap, l->n)) {
		l->v[l->n++] = f;
		return;
	}
	free(f.path);
	free(f.build_id);
}

/* The files that exist here unchanged. @v: has room for all. 0 or -ENOMEM. */
static int find_here(const struct lacking *l, struct packaged *v, size_t *n)
{
	struct codefile_wanted *wanted = calloc(l->n + 1, sizeof *wanted);
	struct codefiles here = { 0 };
	int err = wanted ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < l->n; i++)
		if (*l->v[i].build_id)
			wanted[i] = (struct codefile_wanted){ l->v[i].path, l->v[i].build_id };
	err = err ? err : codefiles_open(&here, wanted, l->n, say_sentence);
	for (size_t i = 0; !err && i < l->n; i++)
		if (here.v[i].fd >= 0)
			v[(*n)++].path = l->v[i].path;
	codefiles_close(&here);
	free(wanted);
	return err;
}

/* Say what packages_ask() has found; if nothing was @asked, only that something is lacking. */
static void say_found(const struct packaged *v, size_t n, bool asked)
{
	struct module_facts *facts = calloc(n, sizeof *facts);
	struct error sentence;
	bool found = !asked;

	for (size_t i = 0; facts && i < n; i++)
		facts[i] = (struct module_facts){ .path = v[i].path, .names = "",
						  .debug_package = v[i].debug_package };
	if (facts && asked)
		found = names_can_be_installed(facts, n, &sentence);
	else if (facts)
		names_are_missing(facts, n, &sentence);
	if (facts && found)
		say_sentence(sentence.text);
	free(facts);
}

/* Without its cache apt takes half a second of processor time: ask only if a person reads the
 * answer. */
static bool is_worth_asking(const struct options *o)
{
	return o->report.level == REPORT_VERBOSE || (!o->quiet && isatty(STDERR_FILENO));
}

void lacking_say(const struct lacking *l, const struct options *o)
{
	struct packaged *v = calloc(l->n + 1, sizeof *v);
	const bool ask = is_worth_asking(o);
	size_t n = 0;

	if (v && find_here(l, v, &n))
		n = 0;
	if (n && (!ask || packages_ask(v, n)))
		say_found(v, n, ask);
	free(v);
}

void lacking_release(struct lacking *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].path);
		free(l->v[i].build_id);
	}
	free(l->v);
	*l = (struct lacking){ 0 };
}
