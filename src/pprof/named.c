/* SPDX-License-Identifier: BSD-2-Clause */
#include "pprof/named.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void named_release(struct named *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i].names);
	free(t->v);
	*t = (struct named){ 0 };
}

int named_add(struct named *t, uint64_t address, const char *name)
{
	char *copy = ARRAY_RESERVE(&t->v, &t->cap, t->n) ? NULL : strdup(name);

	if (!copy)
		return -ENOMEM;
	t->v[t->n++] = (struct named_address){ address, copy };
	return 0;
}

/* Join two names into one. */
static int join(struct named_address *a, const char *first, const char *second)
{
	char *longer;

	if (asprintf(&longer, "%s\n%s", first, second) < 0)
		return -ENOMEM;
	free(a->names);
	a->names = longer;
	return 0;
}

int named_add_inner(struct named *t, const char *name)
{
	struct named_address *last = &t->v[t->n - 1];

	return join(last, name, last->names);
}

int named_add_outer(struct named *t, const char *name)
{
	struct named_address *last = &t->v[t->n - 1];

	return join(last, last->names, name);
}

static int by_address(const void *left, const void *right)
{
	const struct named_address *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

void named_sort(struct named *t)
{
	if (t->n)
		qsort(t->v, t->n, sizeof *t->v, by_address);
}

/* Cut "name" or "name\tfile:line" into its parts. */
static uint32_t function_of(struct heap_stacks *h, char *text, int64_t *line)
{
	static char unknown[] = "";
	struct pp_function f = { text, text, unknown, 0 };
	char *tab = strchr(text, '\t'), *colon = tab ? strrchr(tab, ':') : NULL;

	*line = 0;
	if (colon) {
		*line = strtoll(colon + 1, NULL, 10);
		*colon = '\0';
	}
	if (tab) {
		*tab = '\0';
		f.file = tab + 1;
	}
	return heap_stacks_function(h, &f);
}

int named_lines(const struct named *t, uint64_t address, struct heap_stacks *h,
		struct pp_line **lines, size_t *n)
{
	const struct named_address key = { .address = address };
	const struct named_address *found = t->n ? bsearch(&key, t->v, t->n, sizeof key, by_address)
						 : NULL;
	char *names = found ? strdup(found->names) : NULL, *rest = names, *name;
	size_t cap = 0;
	int err = found && !names ? -ENOMEM : 0;

	*lines = NULL;
	*n = 0;
	while (!err && (name = strsep(&rest, "\n"))) {
		int64_t line;
		uint32_t id = function_of(h, name, &line);

		if (id == PP_NONE || ARRAY_RESERVE(lines, &cap, *n))
			err = -ENOMEM;
		else
			(*lines)[(*n)++] = (struct pp_line){ id, line };
	}
	free(names);
	return err;
}
