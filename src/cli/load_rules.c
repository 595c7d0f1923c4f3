/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/load_rules.h"

#include "base/printable.h"

#include <errno.h>
#include <stdlib.h>

/* In the order in which they apply: --hook, --probes, built-in definitions. */
int load_rules(struct rules *r, const struct options *o)
{
	struct error e;
	int err = 0;

	const char *libc = getenv("MMA_LIBC_NAME");

	*r = (struct rules){ 0 };
	if (libc && *libc && !o->probes.malloc_libs[0])
		r->libs[r->n_libs++].name = libc;
	for (const char *const *name = o->probes.malloc_libs; *name; name++)
		r->libs[r->n_libs++].name = *name;
	for (const char *const *hook = o->probes.hooks; !err && *hook; hook++)
		err = probes_add_hook(&r->probes, *hook, &e);
	for (const char *const *path = o->probes.files; !err && *path; path++)
		err = probes_add_file(&r->probes, *path, &e);
	if (!err)
		err = probes_add_builtin(&r->probes, !o->probes.no_client_requests, &e);
	if (err == -ENOMEM)
		say("cannot read the probe definitions: out of memory");
	else if (err)
		say("%s", e.text);
	return err == -ENOMEM ? STATUS_FAILED : err ? STATUS_USAGE : 0;
}

/* Of several definitions of a name only the first is used. */
static bool is_found(const struct probes *probes, const struct probe *p)
{
	return p->address ? p->found : probes->v[probes_named(probes, p->name)].found;
}

void say_not_found(const struct rules *r)
{
	for (size_t i = 0; i < r->n_libs; i++)
		if (!r->libs[i].found)
			say("--malloc-lib=%s: no object of this name was mapped", r->libs[i].name);
	for (size_t i = 0; i < r->probes.n; i++) {
		const struct probe *p = &r->probes.v[i];

		if (p->address && p->found && !p->placed)
			say("%s: there is no instruction at this address but the middle of one: "
			    "not trapped", p->where);
		if (p->must_be_found && !is_found(&r->probes, p))
			say("%s: %s", p->where,
			    p->address ? "the program has no code at this address"
				       : "no function of this name was found");
	}
}

void say_not_resolved(const struct watch_shared *s)
{
	for (size_t i = 0; i < s->scans.n; i++) {
		const struct scan *scan = &s->scans.of[i];

		for (size_t j = 0; j < scan->n_probes; j++) {
			const struct scan_probe *p = &scan->probes[j];
			char path[4096 + 64];

			if (!p->sought || p->resolved)
				continue;
			printable(path, sizeof path, s->files.files[i].path);
			say("%s of %s is indirect (an ifunc), and nothing tells where it is: calls "
			    "of it were not seen",
			    s->rules->probes.v[p->probe].name, path);
		}
	}
}
