/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/typetable.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int typetable_add_tag(struct typetable *t, struct tag_rec rec)
{
	if (ARRAY_RESERVE(&t->tags, &t->cap_tags, t->n_tags))
		return -ENOMEM;
	t->tags[t->n_tags++] = rec;
	return 0;
}

int typetable_add_typedef(struct typetable *t, struct typedef_rec rec)
{
	if (ARRAY_RESERVE(&t->typedefs, &t->cap_typedefs, t->n_typedefs))
		return -ENOMEM;
	t->typedefs[t->n_typedefs++] = rec;
	return 0;
}

void typetable_release(struct typetable *t)
{
	free(t->tags);
	free(t->typedefs);
	*t = (struct typetable){ 0 };
}

static int cmp(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int cmp_ptr(const void *a, const void *b)
{
	return cmp((uintptr_t)a, (uintptr_t)b);
}

static int by_id(const void *a, const void *b)
{
	const struct typedef_rec *x = a, *y = b;
	int c = cmp_ptr(x->id, y->id);

	return c ? c : cmp_ptr(x->tag, y->tag);
}

/* Same name, size and line: the same type, in several units. */
static int by_identity(const void *a, const void *b)
{
	const struct tag_rec *x = a, *y = b;
	int c = cmp_ptr(x->name, y->name);

	if (!c)
		c = cmp(x->size, y->size);
	return c ? c : cmp(x->line, y->line);
}

static int by_size(const void *a, const void *b)
{
	const struct sym_type *x = a, *y = b;
	int c = cmp(x->size, y->size);

	return c ? c : strcmp(x->name, y->name);
}

static const struct typedef_rec *find(const struct typetable *t, const void *id, const char *tag)
{
	struct typedef_rec key = { .id = id, .tag = tag };

	return t->n_typedefs ? bsearch(&key, t->typedefs, t->n_typedefs, sizeof key, by_id) : NULL;
}

struct list {
	struct sym_type *v;
	size_t n, cap;
};

static int list_add(struct list *l, uint64_t size, const char *name)
{
	if (l->n && l->v[l->n - 1].size == size && l->v[l->n - 1].name == name)
		return 0;
	if (ARRAY_RESERVE(&l->v, &l->cap, l->n))
		return -ENOMEM;
	l->v[l->n++] = (struct sym_type){ size, name };
	return 0;
}

/* Adds typedefs of the tag of @rec in units where its type is incomplete. */
static int add_incomplete(struct typetable *t, const struct tag_rec *rec, struct list *l, bool *any)
{
	const struct typedef_rec *d = find(t, NULL, rec->name);

	if (!d)
		return 0;
	const struct typedef_rec *end = t->typedefs + t->n_typedefs;

	while (d > t->typedefs && by_id(d - 1, d) == 0)
		d--;
	for (; d < end && !d->id && d->tag == rec->name; d++) {
		*any = true;
		if (list_add(l, rec->size, d->name))
			return -ENOMEM;
	}
	return 0;
}

/* tags[from, to) are one type. Its tag is listed only if no unit has a typedef for it. */
static int add_tags(struct typetable *t, size_t from, size_t to, struct list *l)
{
	bool any = false;
	int err = add_incomplete(t, &t->tags[from], l, &any);

	for (size_t i = from; i < to && !any; i++)
		any = find(t, t->tags[i].id, NULL);
	return err || any ? err : list_add(l, t->tags[from].size, t->tags[from].name);
}

static void unique(struct list *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_size);
	for (size_t i = 0; i < l->n; i++)
		if (!n || by_size(&l->v[n - 1], &l->v[i]))
			l->v[n++] = l->v[i];
	l->n = n;
}

int typetable_list(struct typetable *t, struct sym_type **types, size_t *n)
{
	struct list l = { 0 };
	int err = 0;

	if (t->n_typedefs)
		qsort(t->typedefs, t->n_typedefs, sizeof *t->typedefs, by_id);
	if (t->n_tags)
		qsort(t->tags, t->n_tags, sizeof *t->tags, by_identity);
	for (size_t i = 0; i < t->n_typedefs && !err; i++)
		if (t->typedefs[i].id)
			err = list_add(&l, t->typedefs[i].size, t->typedefs[i].name);
	for (size_t i = 0, j; i < t->n_tags && !err; i = j) {
		for (j = i + 1; j < t->n_tags && by_identity(&t->tags[i], &t->tags[j]) == 0; j++)
			;
		err = add_tags(t, i, j, &l);
	}
	if (err) {
		free(l.v);
		return err;
	}
	unique(&l);
	*types = l.v;
	*n = l.n;
	return 0;
}
