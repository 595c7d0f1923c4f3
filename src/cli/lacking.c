/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lacking.h"

#include "base/array.h"
#include "cli/cli.h"
#include "cli/packages.h"
#include "doctor/judge.h"
#include "naming/codefile.h"

#include <stdlib.h>
#include <string.h>

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

static bool is_here(const struct lacking_file *f)
{
	struct codefile here;

	if (!*f->build_id || !codefile_open(&here, f->path, f->build_id))
		return false;
	codefile_close(&here);
	return true;
}

/* What packages_ask() has found. */
static void say_found(const struct packaged *v, size_t n)
{
	struct module_facts *facts = calloc(n, sizeof *facts);
	struct error sentence;

	for (size_t i = 0; facts && i < n; i++)
		facts[i] = (struct module_facts){ .path = v[i].path, .names = "",
						  .debug_package = v[i].debug_package };
	if (facts && names_can_be_installed(facts, n, &sentence))
		say_sentence(sentence.text);
	free(facts);
}

void lacking_say(const struct lacking *l)
{
	struct packaged *v = calloc(l->n + 1, sizeof *v);
	size_t n = 0;

	for (size_t i = 0; v && i < l->n; i++)
		if (is_here(&l->v[i]))
			v[n++].path = l->v[i].path;
	if (n && packages_ask(v, n))
		say_found(v, n);
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
