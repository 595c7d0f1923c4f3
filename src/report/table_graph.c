/* SPDX-License-Identifier: BSD-2-Clause */
/* Table 4: the allocation call graph. */
#include "profile/pd_names.h"
#include "report/graph.h"
#include "report/graph_cut.h"
#include "report/percent.h"
#include "report/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char heading[] =
	"        self                |     /ances  |     /ances  |  called/total       ancestors\n"
	"index    +       self (%)   | size-func   | frac        |  called/recur   name [index]\n"
	"        desc                |     \\desc   |     \\desc   |  called/total       "
	"descendents\n";

static const char rule[] =
	"\n-------------------------------s--m--l--x----s--m--l--x----------\n\n";

static const char labelled_heading[] =
	"        self                |     /ances  |     /ances  |  called/total       ancestors\n"
	"index    +       self (%)   | kind-func   | frac        |  called/recur   name [index]\n"
	"        desc                |     \\desc   |     \\desc   |  called/total       "
	"descendents\n";

static const char labelled_rule[] =
	"\n-------------------------------c--f--s--o----c--f--s--o----------\n\n";

/* The table of 1990 has no title; one that is not about all requests needs one. */
static const char title_at_peak[] = "---------  Call Graph of what was live at the Peak "
				    "------------";

#define DASHES " -----------"
#define BLANK ""

/* The columns of one line but the name. */
struct cells {
	const char *index, *percent;
	bool has_self, has_called;
	uint64_t self, called;
	char brackets[PERCENT_BRACKETS], size[PERCENT_BREAKDOWN], frac[PERCENT_BREAKDOWN];
	char attached[24];	/* /total or +recur */
};

/* What an entry is printed from. */
struct shown {
	struct row *r;
	const struct graph *g;
	struct graph_cut cut;
	struct graph_relatives callers, callees;
};

static void print_cells(struct row *r, const struct cells *c)
{
	row_left(r, 1, 5, c->index ? c->index : BLANK);
	if (c->percent)
		row_right(r, 6, 12, c->percent);
	if (c->has_self)
		row_number(r, 13, 21, c->self);
	row_left(r, 23, 27, c->brackets);
	row_left(r, 29, 29, "|");
	row_left(r, 30, 41, c->size);
	row_left(r, 43, 43, "|");
	row_left(r, 44, 55, c->frac);
	row_left(r, 57, 57, "|");
	if (c->has_called) {
		row_number(r, 58, 65, c->called);
		row_attach(r, 74, c->attached);
	}
}

static void print_in(struct row *r, const char *before, uint32_t n, const char *after)
{
	row_append(r, before);
	row_append_number(r, n);
	row_append(r, after);
}

/* name [index], with the cycle it belongs to; a cycle is `<cycle n> [index]`. */
static void print_name(const struct shown *v, uint32_t part, uint32_t node)
{
	const struct graph_part *p = &v->g->parts[part];

	if (node == GRAPH_WHOLE) {
		print_in(v->r, "<cycle ", p->cycle, ">");
		print_in(v->r, " [", p->index, "]");
		return;
	}
	row_spare(v->r, strlen(" [1000]"));
	tables_append_function(v->r, v->g->d, v->g->nodes[node].function);
	print_in(v->r, " [", v->g->nodes[node].index, "]");
	if (p->cycle)
		print_in(v->r, " in <cycle ", p->cycle, ">");
}

/* The line of an ancestor or descendent; @whole: the bytes of in or out, of which it has a
 * share. */
static void print_relative(const struct shown *v, const struct graph_relative *rel, uint64_t whole)
{
	struct cells c = { .has_called = true, .called = rel->over.calls };

	if (!rel->fellow) {
		c.has_self = true;
		c.self = sums_total(rel->over.bytes);
		percent_brackets(c.brackets, c.self, whole);
		percent_breakdown(c.size, rel->over.bytes, c.self);
		percent_breakdown(c.frac, rel->over.bytes, whole);
		snprintf(c.attached, sizeof c.attached, "/%" PRIu64, rel->total);
	}
	print_cells(v->r, &c);
	row_move(v->r, 79);
	print_name(v, rel->part, rel->node);
	row_end(v->r);
}

/* The sum of the relatives that are left out; *n: how many. */
static struct sums sum_others(const struct shown *v, const struct graph_relatives *rels, size_t *n)
{
	struct sums sum = { 0 };

	*n = 0;
	for (size_t i = 0; i < rels->n; i++) {
		if (!graph_cut_has_relative(&v->cut, &rels->items[i]))
			continue;
		sums_add(&sum, &rels->items[i].over);
		++*n;
	}
	return sum;
}

/* The line for relatives that are left out, if there are any; @whole as above. */
static void print_others(const struct shown *v, const struct graph_relatives *rels, uint64_t whole)
{
	size_t n;
	struct sums sum = sum_others(v, rels, &n);
	struct cells c = { .has_self = true, .self = sums_total(sum.bytes), .has_called = true,
			   .called = sum.calls };

	if (!n)
		return;
	percent_brackets(c.brackets, c.self, whole);
	percent_breakdown(c.size, sum.bytes, c.self);
	percent_breakdown(c.frac, sum.bytes, whole);
	print_cells(v->r, &c);
	row_move(v->r, 79);
	row_append_number(v->r, n);
	row_append(v->r, n == 1 ? " other" : " others");
	row_end(v->r);
}

/* The line `all` above or below two or more lines of relatives. */
static void print_summary(const struct shown *v, const struct graph_relatives *rels)
{
	struct sums sum = { 0 };
	size_t others;

	sum_others(v, rels, &others);
	if (rels->n - others + (others != 0) < 2)
		return;
	for (size_t i = 0; i < rels->n; i++)
		sums_add(&sum, &rels->items[i].over);
	struct cells c = { .percent = "all", .has_self = true, .self = sums_total(sum.bytes) };

	percent_breakdown(c.size, sum.bytes, c.self);
	print_cells(v->r, &c);
	row_end(v->r);
}

/* The lines of relatives that are not left out. */
static void print_relatives(const struct shown *v, const struct graph_relatives *rels,
			    uint64_t whole)
{
	for (size_t i = 0; i < rels->n; i++)
		if (!graph_cut_has_relative(&v->cut, &rels->items[i]))
			print_relative(v, &rels->items[i], whole);
}

/* The line of the entry itself. @described: own + out; (%) is blank if it is 0 or not known. */
static void print_entry_line(const struct shown *v, const struct graph_entry *e, uint64_t called,
			     uint64_t described, const char *after_name)
{
	const struct graph *g = v->g;
	const struct graph_part *p = &g->parts[e->part];
	bool whole = e->node == GRAPH_WHOLE;
	const struct sums *own = whole ? &p->own : &g->nodes[e->node].own;
	uint64_t recursive = whole ? p->inside : g->nodes[e->node].recursive;
	char index[24], percent[PERCENT_DECIMAL];
	struct cells c = {
		.index = index,
		.percent = percent,
		.has_self = true,
		.self = sums_total(own->bytes),
		.frac = DASHES,
		.has_called = true,
		.called = called,
	};

	snprintf(index, sizeof index, "[%" PRIu32 "]", whole ? p->index : g->nodes[e->node].index);
	percent_decimal(percent, e->bytes, sums_total(g->total.bytes));
	percent_brackets(c.brackets, c.self, described);
	percent_breakdown(c.size, own->bytes, c.self);
	if (recursive)
		snprintf(c.attached, sizeof c.attached, "+%" PRIu64, recursive);
	print_cells(v->r, &c);
	row_move(v->r, 75);
	print_name(v, e->part, e->node);
	row_append(v->r, after_name);
	row_end(v->r);
}

/* The first entry of a cycle: its members. */
static void print_members(const struct shown *v, const struct graph_entry *e)
{
	const struct graph *g = v->g;
	const struct graph_part *p = &g->parts[e->part];
	uint64_t own = sums_total(p->own.bytes);

	print_entry_line(v, e, p->in.calls, e->bytes, " as a whole");
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t node = g->members[p->first + i];
		const uint64_t *bytes = g->nodes[node].own.bytes;
		struct cells c = { .has_self = true, .self = sums_total(bytes) };

		percent_brackets(c.brackets, c.self, own);
		percent_breakdown(c.size, bytes, c.self);
		percent_breakdown(c.frac, bytes, own);
		print_cells(v->r, &c);
		row_move(v->r, 79);
		print_name(v, e->part, node);
		row_end(v->r);
	}
	row_lines(v->r, v->g->d->labelled ? labelled_rule : rule);
}

static void print_entry(const struct shown *v, const struct graph_entry *e)
{
	const struct graph_part *p = &v->g->parts[e->part];
	bool member = p->cycle && e->node != GRAPH_WHOLE;
	uint64_t in = sums_total(p->in.bytes), out = sums_total(p->out.bytes), called = 0;

	for (size_t i = 0; i < v->callers.n; i++)
		called += v->callers.items[i].over.calls;
	if (!member)
		print_summary(v, &v->callers);
	print_others(v, &v->callers, in);
	print_relatives(v, &v->callers, in);
	print_entry_line(v, e, called, member ? 0 : e->bytes, "");
	print_relatives(v, &v->callees, out);
	print_others(v, &v->callees, out);
	if (!member)
		print_summary(v, &v->callees);
	row_lines(v->r, v->g->d->labelled ? labelled_rule : rule);
}

/* The line about functions without an entry. */
static void print_cut(const struct shown *v)
{
	if (!v->cut.functions)
		return;
	row_append_number(v->r, v->cut.functions);
	row_append(v->r, " functions are left out: with all they called, each requested at most 1% "
			 "of the bytes; directly, together ");
	row_append_number(v->r, v->cut.own);
	row_end(v->r);
}

static int print_graph(struct shown *v, bool at_peak)
{
	const struct graph *g = v->g;

	if (at_peak)
		row_title(v->r, title_at_peak);
	row_lines(v->r, v->g->d->labelled ? labelled_heading : heading);
	row_lines(v->r, v->g->d->labelled ? labelled_rule : rule);
	for (size_t i = 0; i < g->n_entries; i++) {
		const struct graph_entry *e = &g->entries[i];

		if (graph_cut_has_entry(&v->cut, e))
			continue;
		int err = graph_relatives(g, e, GRAPH_CALLERS, &v->callers);

		if (!err)
			err = graph_relatives(g, e, GRAPH_CALLEES, &v->callees);
		if (err)
			return err;
		if (e->node == GRAPH_WHOLE)
			print_members(v, e);
		print_entry(v, e);
	}
	print_cut(v);
	return 0;
}

int tables_graph(struct row *r, const struct profile_data *d, const uint32_t *rank,
		 const struct report_options *o)
{
	struct graph g;
	struct shown v = { .r = r, .g = &g };
	int err = graph_build(&g, d, rank);

	if (!err) {
		v.cut = graph_cut_find(&g, o->level);
		err = print_graph(&v, o->at_peak);
	}
	free(v.callers.items);
	free(v.callees.items);
	graph_release(&g);
	return err;
}
