/* SPDX-License-Identifier: BSD-2-Clause */
/* The four tables of what has grown. */
#include "report/growth_internal.h"

#include "base/printable.h"
#include "base/stream.h"
#include "base/text.h"
#include "report/bins.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* With its sign, so that increases and decreases are told apart at a glance. */
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

/* A decrease is marked by a word, too: a sign is easily overlooked. */
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

static void print_function(const struct growth_printer *p, uint64_t number)
{
	print_name(p->out, p->g->functions[number].name);
}

void growth_print_site(const struct growth_printer *p, uint64_t number)
{
	const struct growth_site *s = &p->g->sites[number];

	print_function(p, s->function);
	if (p->o->leaks == REPORT_LEAKS_OFFSETS)
		fprintf(p->out, "+%" PRIu64, s->offset);
	if (!p->o->lines || !s->file || !s->line)
		return;
	fputs(" (", p->out);
	print_name(p->out, path_last(s->file));
	fprintf(p->out, ":%" PRIu32 ")", s->line);
}

static void print_columns(const struct growth_printer *p)
{
	fputs(p->o->at_peak ? "       blocks        bytes        frees         live" :
			      "       allocs        bytes        frees         kept", p->out);
}

/* ---- the order of rows ---- */

typedef int64_t key_fn(const int64_t value[HEAP_VALUES]);

static int64_t by_bytes(const int64_t value[HEAP_VALUES])
{
	return value[GROWN_BYTES];
}

/* What the last element of a table's rows is. */
enum elements { SIZES, SITES, FUNCTIONS };

struct order {
	const struct growth *g;
	const struct stack_table *t;
	enum elements elements;
	key_fn *key;		/* NULL: by the element itself */
};

static const char *name_of(const struct order *o, uint64_t element)
{
	return o->g->functions[o->elements == SITES ? o->g->sites[element].function : element].name;
}

static int in_order(const void *left, const void *right, void *ctx)
{
	const struct stack *a = *(const struct stack *const *)left,
			   *b = *(const struct stack *const *)right;
	const struct order *o = ctx;
	uint64_t x = o->t->elements[a->first + a->n - 1], y = o->t->elements[b->first + b->n - 1];

	if (o->elements == SIZES)
		return (x > y) - (x < y);
	int64_t ka = o->key(a->value), kb = o->key(b->value);
	if (ka != kb)
		return ka > kb ? -1 : 1;
	int c = strcmp(name_of(o, x), name_of(o, y));
	return c ? c : (a->first > b->first) - (a->first < b->first);
}

/* ---- the choice of rows ---- */

/* The rows of a table that are not all zero, in order; and what is left out of it. */
struct rows {
	const struct stack **v;
	size_t n, left_out;
	int64_t others[HEAP_VALUES];	/* the sum of those left out */
};

static uint64_t size_of(int64_t n)
{
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

static struct growth_change change_of(const struct stack_table *t)
{
	struct growth_change c = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		c.bytes += size_of(t->stacks[i].value[GROWN_BYTES]);
		c.kept += size_of(growth_kept(t->stacks[i].value));
	}
	return c;
}

static bool is_part(const struct growth_change *all, unsigned part,
		    const int64_t value[HEAP_VALUES])
{
	return (unsigned __int128)size_of(value[GROWN_BYTES]) * part <= all->bytes &&
	       (unsigned __int128)size_of(growth_kept(value)) * part <= all->kept;
}

/* All that was requested and kept in a profile. */
static struct growth_change whole_of(const struct profile_data *d)
{
	struct growth_change c = { 0 };

	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];

		c.bytes += (unsigned __int128)l->allocs * l->size;
		c.kept += (unsigned __int128)(l->allocs - l->frees) * l->size;
	}
	return c;
}

static struct growth_change greater(struct growth_change a, struct growth_change b)
{
	return (struct growth_change){ a.bytes > b.bytes ? a.bytes : b.bytes,
				       a.kept > b.kept ? a.kept : b.kept };
}

/* In a terse table, at most 1% of the change; else at most a thousandth of the larger profile: both
 * of what was requested and of what was kept. */
static bool is_slight(const struct growth_printer *p, const struct growth_change *all,
		      const int64_t value[HEAP_VALUES])
{
	struct growth_change most = greater(p->has, p->had);

	switch (p->o->level) {
	case REPORT_TERSE:
		return is_part(all, 100, value);
	case REPORT_NORMAL:
		return is_part(&most, 1000, value);
	case REPORT_VERBOSE:
		break;
	}
	return false;
}

static void leave_out(struct rows *r, const int64_t value[HEAP_VALUES])
{
	r->left_out++;
	for (int v = 0; v < HEAP_VALUES; v++)
		r->others[v] = (int64_t)((uint64_t)r->others[v] + (uint64_t)value[v]);
}

static void rows_release(struct rows *r)
{
	free(r->v);
}

/* @all: the change of which a terse table leaves out up to 1%. 0 or -ENOMEM; rows_release() must be
 * called in any case. */
static int rows_find(struct rows *r, const struct growth_printer *p,
		     const struct stack_table *t, enum elements elements, key_fn *key,
		     const struct growth_change *all)
{
	struct order o = { p->g, t, elements, key };

	*r = (struct rows){ .v = malloc((t->n + 1) * sizeof *r->v) };
	if (!r->v)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		const int64_t *value = t->stacks[i].value;

		if (growth_is_nothing(value) || (key == growth_kept && !growth_kept(value)))
			continue;
		if (is_slight(p, all, value))
			leave_out(r, value);
		else
			r->v[r->n++] = &t->stacks[i];
	}
	qsort_r(r->v, r->n, sizeof *r->v, in_order, &o);
	return 0;
}

/* The row for those that are left out, if there are any. */
static void print_others(const struct growth_printer *p, const struct rows *r, const char *one,
			 const char *more)
{
	if (!r->left_out)
		return;
	print_numbers(p->out, r->others);
	fprintf(p->out, "     %zu %s\n", r->left_out, r->left_out == 1 ? one : more);
}

/* ---- the tables ---- */

#define TYPES_MOST 12 /* in a line, unless all are asked for */

static void print_types(const struct growth_printer *p, uint64_t size)
{
	const struct profile_data *d = growth_typed(p->now, p->base, size);
	size_t i = bins_first_type(d, size), shown = 0;
	size_t more = bins_first_type(d, size + 1) - i;

	for (const char *before = "   "; more; i++, more--, before = ", ") {
		fputs(before, p->out);
		if (shown++ == TYPES_MOST && p->o->level != REPORT_VERBOSE) {
			fprintf(p->out, "and %zu more", more);
			return;
		}
		print_name(p->out, d->types[i].name);
	}
}

static int print_sizes(const struct growth_printer *p)
{
	struct growth_change all = change_of(&p->g->sizes);
	struct rows rows;
	int err = rows_find(&rows, p, &p->g->sizes, SIZES, NULL, &all);

	fprintf(p->out, "--------- Growth by Size, with possible Types ------------\n\n"
			"        size: ");
	print_columns(p);
	fputs("   types\n\n", p->out);
	for (size_t i = 0; !err && i < rows.n; i++) {
		uint64_t size = p->g->sizes.elements[rows.v[i]->first];

		fprintf(p->out, "%12" PRIu64 "  ", size);
		print_numbers(p->out, rows.v[i]->value);
		print_types(p, size);
		print_less(p->out, growth_kept(rows.v[i]->value));
		fputc('\n', p->out);
	}
	if (!err && rows.left_out) {
		fputs("\n      others  ", p->out);
		print_numbers(p->out, rows.others);
		fprintf(p->out, "   %zu sizes", rows.left_out);
		print_less(p->out, growth_kept(rows.others));
	}
	fputs("\n     <TOTAL>  ", p->out);
	print_numbers(p->out, p->g->total);
	print_less(p->out, growth_kept(p->g->total));
	fputs("\n\n\n", p->out);
	rows_release(&rows);
	return err;
}

static int print_paths(const struct growth_printer *p)
{
	const struct stack_table *t = &p->g->paths;
	struct growth_change all = change_of(t);
	struct rows rows;
	int err = rows_find(&rows, p, t, SITES, growth_kept, &all);

	fprintf(p->out, "--------- Growth of %s, by Partial Dynamic Call Paths ------------\n\n",
		p->o->at_peak ? "what was live at the Peak" : "Memory Leaks");
	print_columns(p);
	fputs("     path\n\n", p->out);
	for (size_t i = 0; !err && i < rows.n; i++) {
		const uint64_t *e = t->elements + rows.v[i]->first;

		print_numbers(p->out, rows.v[i]->value);
		fputs(e[0] ? "     ||" : "     ...", p->out);
		for (size_t k = rows.v[i]->n; k-- > 1;) {
			fputs(" > ", p->out);
			growth_print_site(p, e[k]);
		}
		print_less(p->out, growth_kept(rows.v[i]->value));
		fputc('\n', p->out);
	}
	print_others(p, &rows, "other path", "other paths");
	if (!err && !rows.n && !rows.left_out)
		fputs("            0 on all paths\n", p->out);
	fputs("\n\n", p->out);
	rows_release(&rows);
	return err;
}

static int print_direct(const struct growth_printer *p, const struct growth_change *all)
{
	struct rows rows;
	int err = rows_find(&rows, p, &p->g->direct, FUNCTIONS, by_bytes, all);

	fputs("--------- Growth of Direct Allocation ------------\n\n", p->out);
	print_columns(p);
	fputs("     name\n\n", p->out);
	for (size_t i = 0; !err && i < rows.n; i++) {
		print_numbers(p->out, rows.v[i]->value);
		fputs("     ", p->out);
		print_function(p, p->g->direct.elements[rows.v[i]->first]);
		print_less(p->out, rows.v[i]->value[GROWN_BYTES]);
		fputc('\n', p->out);
	}
	print_others(p, &rows, "other function", "other functions");
	fputs("\n\n", p->out);
	rows_release(&rows);
	return err;
}

/* The callers of @function (@end 1), or the functions it calls (@end 0). */
static void print_arcs(const struct growth_printer *p, const struct rows *arcs, uint64_t function,
		       int end)
{
	for (size_t i = 0; i < arcs->n; i++) {
		const uint64_t *e = p->g->arcs.elements + arcs->v[i]->first;

		if (e[end] != function)
			continue;
		print_numbers(p->out, arcs->v[i]->value);
		fputs(end ? "         from " : "         in ", p->out);
		print_function(p, e[!end]);
		print_less(p->out, arcs->v[i]->value[GROWN_BYTES]);
		fputc('\n', p->out);
	}
}

static void print_graph_rows(const struct growth_printer *p, const struct rows *rows,
			     const struct rows *arcs)
{
	for (size_t i = 0; i < rows->n; i++) {
		uint64_t function = p->g->all.elements[rows->v[i]->first];

		print_arcs(p, arcs, function, 1);
		print_numbers(p->out, rows->v[i]->value);
		fputs("     ", p->out);
		print_function(p, function);
		print_less(p->out, rows->v[i]->value[GROWN_BYTES]);
		fputc('\n', p->out);
		print_arcs(p, arcs, function, 0);
		fputs("  ----\n", p->out);
	}
	if (rows->left_out || arcs->left_out)
		fprintf(p->out,
			"%zu functions and %zu calls of one by another are left out: none has "
			"changed by more than %s\n",
			rows->left_out, arcs->left_out,
			p->o->level == REPORT_TERSE ?
				"1% of all" :
				"a thousandth of what there is; --verbose has all");
}

static int print_graph(const struct growth_printer *p, const struct growth_change *all)
{
	struct rows rows, arcs;
	int err = rows_find(&rows, p, &p->g->all, FUNCTIONS, by_bytes, all);
	int arcs_err = rows_find(&arcs, p, &p->g->arcs, FUNCTIONS, by_bytes, all);

	fputs("--------- Growth in the Allocation Call Graph ------------\n\n"
	      "Of each function and all it called; above it on whose behalf, below it in what it "
	      "called.\n\n", p->out);
	print_columns(p);
	fputs("     name\n\n", p->out);
	err = err ? err : arcs_err;
	if (!err)
		print_graph_rows(p, &rows, &arcs);
	rows_release(&rows);
	rows_release(&arcs);
	return err;
}

static bool has_changed(const struct stack_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		for (int v = 0; v < HEAP_VALUES; v++)
			if (t->stacks[i].value[v])
				return true;
	return false;
}

/* 0 or -errno. */
static int print_tables(const struct growth_printer *p)
{
	struct growth_change all = change_of(&p->g->direct);
	int err = print_sizes(p);

	if (!err && p->o->leaks != REPORT_NO_LEAKS)
		err = print_paths(p);
	err = err ? err : print_direct(p, &all);
	return err ? err : print_graph(p, &all);
}

int report_growth(const struct profile_data *now, const struct profile_data *base,
		  const struct report_options *o, FILE *out)
{
	struct growth g;
	int err = growth_find(&g, leaks_key_of(o), now, base);
	struct growth_printer p = { &g, now, base, o, out, whole_of(now), whole_of(base) };

	if (!err)
		fprintf(out, "MPROF: growth %ssince the base; what is negative has become less\n\n"
			     "\n",
			o->at_peak ? "of what was live at the peak " : "");
	bool changed = has_changed(&g.sizes) || has_changed(&g.paths) || has_changed(&g.direct);
	if (!err && !changed)
		fputs("Nothing has changed: both have the same by size, by path and by function.\n",
		      out);
	else if (!err)
		err = growth_print_answer(&p);
	if (!err && !o->summary && changed)
		err = print_tables(&p);
	growth_release(&g);
	return err ? err : stream_flush(out);
}
