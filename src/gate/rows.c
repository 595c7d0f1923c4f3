/* SPDX-License-Identifier: BSD-2-Clause */
#include "gate/rows.h"

#include "base/array.h"
#include "base/idindex.h"
#include "base/memstream.h"
#include "base/text.h"
#include "naming/allocfn.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The longest path, as in the report. */
enum { DEPTH = 5 };

struct collecting {
	struct gate_row *rows;
	size_t n, cap;
	struct idindex index; /* by path */
};

static bool path_eq(const void *owner, uint32_t id, const void *key)
{
	return !strcmp(((const struct collecting *)owner)->rows[id].path, key);
}

static uint64_t path_rehash(const void *owner, uint32_t id)
{
	return hash_text(0, ((const struct collecting *)owner)->rows[id].path);
}

static const char *function_at(const struct profile_data *d, uint32_t node)
{
	return names_text(d, names_function(d, d->nodes[node].site));
}

/* The node of the requesting function: allocation functions are skipped, unless there is no
 * other. */
static uint32_t requester(const struct profile_data *d, uint32_t node)
{
	uint32_t at = node;

	while (at >= PD_FIRST_NODE && is_allocation_function(function_at(d, at), NULL))
		at = d->nodes[at].parent;
	return at >= PD_FIRST_NODE ? at : node;
}

/* The path as text, for free(), or NULL. */
static char *path_of(const struct profile_data *d, uint32_t node)
{
	uint32_t nodes[DEPTH], at = node;
	size_t n = 0, len;
	char *text = NULL;
	FILE *out = memstream_open(&text, &len);

	if (!out)
		return NULL;
	for (; at >= PD_FIRST_NODE && n < DEPTH; at = d->nodes[at].parent)
		nodes[n++] = at;
	if (at != PD_ROOT_WHOLE)
		fputs("...> ", out);
	for (size_t i = n; i-- > 0;)
		fprintf(out, "%s%s", function_at(d, nodes[i]), i ? " > " : "");
	if (!n)
		fputs("?", out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static void release_row(struct gate_row *r)
{
	free(r->path);
	free(r->function);
	free(r->file);
}

/* Takes ownership of @path. 0 or -ENOMEM. */
static int add_row(struct collecting *c, const struct profile_data *d, uint32_t node, char *path)
{
	const struct pd_site *s = node >= PD_FIRST_NODE ? &d->sites[d->nodes[node].site] : NULL;
	struct gate_row r = {.path = path, .line = s ? s->line : 0};

	if (s) {
		r.function = strdup(d->functions[s->function].name);
		r.file = s->file ? strdup(s->file) : NULL;
	}
	if ((s && (!r.function || (s->file && !r.file))) || c->n >= IDINDEX_NONE ||
	    ARRAY_RESERVE(&c->rows, &c->cap, c->n)) {
		release_row(&r);
		return -ENOMEM;
	}
	c->rows[c->n++] = r;
	return idindex_add(&c->index, (uint32_t)(c->n - 1), hash_text(0, path), path_rehash, c);
}

/* Saturates: a profile may hold any numbers. */
static void count(int64_t *sum, int sign, uint64_t n)
{
	__int128 is = *sum + (__int128)n * sign;

	*sum = is > INT64_MAX ? INT64_MAX : is < INT64_MIN ? INT64_MIN : (int64_t)is;
}

/* 0 or -ENOMEM. */
static int count_row(struct collecting *c, const struct profile_data *d,
		     const struct gate_count *n, int sign)
{
	uint32_t node = requester(d, n->node);
	char *path = path_of(d, node);

	if (!path)
		return -ENOMEM;
	uint32_t id = idindex_find(&c->index, hash_text(0, path), path_eq, c, path);
	if (id != IDINDEX_NONE) {
		free(path);
	} else if (add_row(c, d, node, path)) {
		return -ENOMEM;
	} else {
		id = (uint32_t)(c->n - 1);
	}
	count(&c->rows[id].value, sign, n->value);
	count(&c->rows[id].blocks, sign, n->blocks);
	return 0;
}

/* Add the values of a profile (@sign 1), or subtract them (-1). 0 or -ENOMEM. */
static int count_all(struct collecting *to, const struct profile_data *d,
		     const uint32_t *suppressed, const struct gate_condition *c, int sign)
{
	struct gate_count n;
	bool met;
	uint8_t *bits = gate_nodes(d, c, &met);
	int err = bits ? 0 : -ENOMEM;

	for (size_t i = 0; !err && gate_count_at(d, c->figure, i, &n); i++) {
		bool out = suppressed && suppressed[n.node] != PD_NONE &&
			   gate_is_of_kept(c->figure);

		if (n.value && !out && bits[n.node] & GATE_IN)
			err = count_row(to, d, &n, sign);
	}
	free(bits);
	return err;
}

/* Highest value first; equal ones by path, for the same order in every run. */
static int compare(const void *a, const void *b)
{
	const struct gate_row *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return strcmp(x->path, y->path);
}

/* A decrease breaks a condition about growth only if that allows less than none. */
static bool breaks(const struct gate_condition *c, const struct gate_row *r)
{
	return c->less ? r->value != 0 : r->value > 0;
}

/* Keep the first GATE_ROWS that break the condition, and free the others. */
static void keep_first(struct collecting *c, const struct gate_condition *of,
		       struct gate_rows *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (!breaks(of, &c->rows[i])) {
			release_row(&c->rows[i]);
			continue;
		}
		c->rows[kept++] = c->rows[i];
	}
	if (kept)
		qsort(c->rows, kept, sizeof *c->rows, compare);
	for (size_t i = GATE_ROWS; i < kept; i++)
		release_row(&c->rows[i]);
	*rows = (struct gate_rows){c->rows, kept < GATE_ROWS ? kept : GATE_ROWS, kept};
}

int gate_rows_collect(const struct profile_data *d, const uint32_t *suppressed,
		      const struct profile_data *base, const uint32_t *suppressed_base,
		      const struct gate_condition *c, struct gate_rows *rows)
{
	struct collecting all = {0};
	int err = count_all(&all, d, suppressed, c, 1);

	if (!err && base)
		err = count_all(&all, base, suppressed_base, c, -1);
	keep_first(&all, c, rows);
	idindex_release(&all.index);
	return err;
}

void gate_rows_release(struct gate_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		release_row(&rows->items[i]);
	free(rows->items);
	*rows = (struct gate_rows){0};
}
