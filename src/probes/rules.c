/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/rules.h"

#include "base/text.h"
#include "probes/outcome.h"

#include <string.h>

void rules_release(struct rules *r)
{
	probes_release(&r->probes);
	*r = (struct rules){ 0 };
}

static bool is_called(const struct malloc_lib *lib, const char *path, const char *soname,
		      bool program)
{
	if (!strcmp(lib->name, "NONE"))
		return program;
	return (path && !strcmp(path_last(path), lib->name)) ||
	       (soname && !strcmp(soname, lib->name));
}

bool rules_allow(struct rules *r, const char *path, const char *soname, bool program)
{
	bool allowed = !r->n_libs;

	for (size_t i = 0; i < r->n_libs; i++) {
		if (!is_called(&r->libs[i], path, soname, program))
			continue;
		r->libs[i].found = allowed = true;
	}
	return allowed;
}

bool rules_restrict(const struct probe *p)
{
	return p->kind != PROBE_NONE && p->kind != PROBE_GIVE_UP && !probe_announces(p) &&
	       !p->must_be_found;
}
