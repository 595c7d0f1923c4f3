/* SPDX-License-Identifier: BSD-2-Clause */
/* The four tables of what has grown. */
#include "report/growth.h"

#include "base/printable.h"
#include "report/bins.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct printer {
	const struct growth *g;
	const struct profile_data *now, *base;
	FILE *out;
};

/* With its sign, so that growth and loss are told apart at a glance. */
static void print_number(FILE *out, int64_t n)
{
	if (n)
		fprintf(out, " %+12" PRId64, n);
	else
		fprintf(out, " %12d", 0);
}

static void print_numbers(FILE *out, const int64_t value[HEAP_VALUES])
{
	print_number(out, value[GROWN_ALLOCS]);
	print_number(out, value[GROWN_BYTES]);
	print_number(out, value[GROWN_FREES]);
	print_number(out, growth_kept(value));
}

static bool is_nothing(const int64_t value[HEAP_VALUES])
{
	return !value[GROWN_ALLOCS] && !value[GROWN_BYTES] && !value[GROWN_FREES] && !value[GROWN_FREED];
}

/* Said in a word, too: a sign is easily overlooked. */
static void print_less(FILE *out, int64_t n)
{
	fputs(n < 0 ? "  (less)" : "", out);
}

static void print_name(FILE *out, const char *name)
{
	char *safe = printable_copy(name);

	if (!safe)
		return;
	fputs(safe, out);
	free(safe);
}

static void print_function(const struct printer *p, uint64_t number)
{
	print_name(p->out, p->g->functions[number].name);
}

static const char columns[] = "       allocs        bytes        frees         kept";

/* ---- the order of rows ---- */

typedef int64_t key_fn(const int64_t value[HEAP_VALUES]);

static int64_t by_bytes(const int64_t value[HEAP_VALUES])
{
	return value[GROWN_BYTES];
}

struct order {
	const struct growth *g;
	const struct stack_table *t;
	key_fn *key;		/* NULL: by the element itself */
};

static int in_order(const void *left, const void *right, void *ctx)
{
	const struct stack *a = *(const struct stack *const *)left, *b = *(const struct stack *const *)right;
	const struct order *o = ctx;
	uint64_t x = o->t->elements[a->first + a->n - 1], y = o->t->elements[b->first + b->n - 1];

	if (!o->key)
		return (x > y) - (x < y);
	int64_t ka = o->key(a->value), kb = o->key(b->value);
	if (ka != kb)
		return ka > kb ? -1 : 1;
	int c = strcmp(o->g->functions[x].name, o->g->functions[y].name);
	return c ? c : (a->first > b->first) - (a->first < b->first);
}

/* The rows of a table that are something, in order; for free(), or NULL: out of memory. */
static const struct stack **rows_of(const struct growth *g, const struct stack_table *t, key_fn *key, size_t *n)
{
	const struct stack **rows = malloc((t->n + 1) * sizeof *rows);
	struct order o = { g, t, key };

	*n = 0;
	for (size_t i = 0; rows && i < t->n; i++)
		if (!is_nothing(t->stacks[i].value))
			rows[(*n)++] = &t->stacks[i];
	if (rows)
		qsort_r(rows, *n, sizeof *rows, in_order, &o);
	return rows;
}

/* ---- the tables ---- */

static void print_types(const struct printer *p, uint64_t size)
{
	const struct profile_data *d = p->now;
	size_t i = bins_first_type(d, size);

	if (i >= d->n_types || d->types[i].size != size) {
		d = p->base;
		i = bins_first_type(d, size);
	}
	for (const char *before = "   "; i < d->n_types && d->types[i].size == size; i++, before = ", ") {
		fputs(before, p->out);
		print_name(p->out, d->types[i].name);
	}
}

static int print_sizes(const struct printer *p)
{
	size_t n;
	const struct stack **rows = rows_of(p->g, &p->g->sizes, NULL, &n);

	if (!rows)
		return -ENOMEM;
	fprintf(p->out, "--------- Growth by Size, with possible Types ------------\n\n        size: %s   types\n\n",
		columns);
	for (size_t i = 0; i < n; i++) {
		uint64_t size = p->g->sizes.elements[rows[i]->first];

		fprintf(p->out, "%12" PRIu64 "  ", size);
		print_numbers(p->out, rows[i]->value);
		print_types(p, size);
		print_less(p->out, growth_kept(rows[i]->value));
		fputc('\n', p->out);
	}
	fputs("\n     <TOTAL>  ", p->out);
	print_numbers(p->out, p->g->total);
	print_less(p->out, growth_kept(p->g->total));
	fputs("\n\n\n", p->out);
	free(rows);
	return 0;
}

static int print_paths(const struct printer *p)
{
	const struct stack_table *t = &p->g->paths;
	size_t n;
	const struct stack **rows = rows_of(p->g, t, growth_kept, &n);

	if (!rows)
		return -ENOMEM;
	fprintf(p->out, "--------- Growth of Memory Leaks, by Partial Dynamic Call Paths ------------\n\n"
			"%s     path\n\n", columns);
	for (size_t i = 0; i < n; i++) {
		const uint64_t *e = t->elements + rows[i]->first;

		if (!growth_kept(rows[i]->value))
			continue;
		print_numbers(p->out, rows[i]->value);
		fputs(e[0] ? "     ||" : "     ...", p->out);
		for (size_t k = rows[i]->n; k-- > 1;) {
			fputs(" > ", p->out);
			print_function(p, e[k]);
		}
		print_less(p->out, growth_kept(rows[i]->value));
		fputc('\n', p->out);
	}
	fputs("\n\n", p->out);
	free(rows);
	return 0;
}

static int print_direct(const struct printer *p)
{
	size_t n;
	const struct stack **rows = rows_of(p->g, &p->g->direct, by_bytes, &n);

	if (!rows)
		return -ENOMEM;
	fprintf(p->out, "--------- Growth of Direct Allocation ------------\n\n%s     name\n\n", columns);
	for (size_t i = 0; i < n; i++) {
		print_numbers(p->out, rows[i]->value);
		fputs("     ", p->out);
		print_function(p, p->g->direct.elements[rows[i]->first]);
		print_less(p->out, rows[i]->value[GROWN_BYTES]);
		fputc('\n', p->out);
	}
	fputs("\n\n", p->out);
	free(rows);
	return 0;
}

/* The callers (@end 1 is the function) or the called (@end 0 is). */
static void print_arcs(const struct printer *p, const struct stack **arcs, size_t n, uint64_t function, int end)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t *e = p->g->arcs.elements + arcs[i]->first;

		if (e[end] != function)
			continue;
		print_numbers(p->out, arcs[i]->value);
		fputs(end ? "         from " : "         in ", p->out);
		print_function(p, e[!end]);
		print_less(p->out, arcs[i]->value[GROWN_BYTES]);
		fputc('\n', p->out);
	}
}

static int print_graph(const struct printer *p)
{
	size_t n, n_arcs;
	const struct stack **rows = rows_of(p->g, &p->g->all, by_bytes, &n);
	const struct stack **arcs = rows_of(p->g, &p->g->arcs, by_bytes, &n_arcs);
	int err = rows && arcs ? 0 : -ENOMEM;

	fprintf(p->out, "--------- Growth in the Allocation Call Graph ------------\n\n"
			"Of each function and all it called; above it on whose behalf, below it in what it called.\n\n"
			"%s     name\n\n", columns);
	for (size_t i = 0; !err && i < n; i++) {
		uint64_t function = p->g->all.elements[rows[i]->first];

		print_arcs(p, arcs, n_arcs, function, 1);
		print_numbers(p->out, rows[i]->value);
		fputs("     ", p->out);
		print_function(p, function);
		print_less(p->out, rows[i]->value[GROWN_BYTES]);
		fputc('\n', p->out);
		print_arcs(p, arcs, n_arcs, function, 0);
		fputs("  ----\n", p->out);
	}
	free(rows);
	free(arcs);
	return err;
}

int report_growth(const struct profile_data *now, const struct profile_data *base, FILE *out)
{
	struct growth g;
	int err = growth_find(&g, now, base);
	struct printer p = { &g, now, base, out };

	if (!err)
		fputs("MPROF: growth since the base; what is negative has become less\n\n\n", out);
	err = err ? err : print_sizes(&p);
	err = err ? err : print_paths(&p);
	err = err ? err : print_direct(&p);
	err = err ? err : print_graph(&p);
	growth_release(&g);
	if (!err && fflush(out))
		err = errno ? -errno : -EIO;
	return err;
}
