/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/locals.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

void locals_release(struct locals *l)
{
	free(l->v);
	free(l->global);
	*l = (struct locals){ 0 };
}

void locals_file(struct locals *l, const char *name)
{
	l->in_linkers = !name || !*name;
	l->has_linkers |= l->in_linkers;
}

int locals_add(struct locals *l, const GElf_Sym *sym, uint32_t number, size_t most)
{
	if (l->n == most)
		return -ENOSPC;
	if (ARRAY_RESERVE(&l->v, &l->cap, l->n))
		return -ENOMEM;
	l->v[l->n++] = (struct local_function){ *sym, number, l->in_linkers };
	return 0;
}

int locals_global(struct locals *l, uint32_t number, size_t n)
{
	if (!l->global) {
		l->global = calloc(n, sizeof *l->global);
		l->n_global = n;
	}
	if (!l->global)
		return -ENOMEM;
	if (number < l->n_global)
		l->global[number] = true;
	return 0;
}

bool locals_counts(const struct locals *l, size_t i)
{
	const struct local_function *f = &l->v[i];

	if (f->number < l->n_global && l->global[f->number])
		return false;
	return f->of_linker || !l->has_linkers;
}
