/* SPDX-License-Identifier: BSD-2-Clause */
/* The first lines on a growth: what matters most. */
#include "report/growth_internal.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Rows for each direction. */
enum { MOST = 10 };

/* How much more or less a function of the program's own code, or a line of it, has. */
struct changed {
	uint64_t site;
	int64_t bytes, blocks;
};

struct answer {
	bool of_kept; /* false: of what was requested, as the kept bytes have not changed */
	struct changed *v; /* by number of a site of the growth; collect() leaves only changes */
	size_t n;
};

/* ---- which functions ---- */

/* The innermost site of own code; if there is none, the innermost site. */
static uint64_t answering(const struct growth *g, const uint64_t *path, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (g->sites[path[i]].own)
			return path[i];
	return path[0];
}

static int most_first(const void *left, const void *right)
{
	const struct changed *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return (a->site > b->site) - (a->site < b->site);
}

static void add(const struct growth *g, struct answer *a, const struct stack *s,
		const uint64_t *elements, int sign)
{
	const uint64_t *path = elements + s->first + 1;
	struct changed *c = &a->v[answering(g, path, s->n - 1)];
	int64_t kept = s->value[GROWN_ALLOCS] - s->value[GROWN_FREES];

	c->bytes += sign * (a->of_kept ? growth_kept(s->value) : s->value[GROWN_BYTES]);
	c->blocks += sign * (a->of_kept ? kept : s->value[GROWN_ALLOCS]);
}

/* What the runtime keeps on purpose is no growth of the program. */
static void leave_out_runtime(const struct growth *g, struct answer *a)
{
	for (size_t i = 0; a->of_kept && i < g->runtime.n; i++)
		add(g, a, &g->runtime.stacks[i], g->runtime.elements, -1);
}

/* 0 or -ENOMEM. Sums are not checked: those of the tables would have overflowed before. */
static int collect(struct answer *a, const struct growth_printer *p)
{
	const struct growth *g = p->g;
	size_t n = 0;

	a->v = calloc(g->n_sites + 1, sizeof *a->v);
	if (!a->v)
		return -ENOMEM;
	for (size_t i = 0; i < g->paths.n; i++)
		add(g, a, &g->paths.stacks[i], g->paths.elements, 1);
	leave_out_runtime(g, a);
	for (size_t i = 0; i < g->n_sites; i++) {
		a->v[i].site = i;
		if (a->v[i].bytes)
			a->v[n++] = a->v[i];
	}
	a->n = n;
	qsort(a->v, n, sizeof *a->v, most_first);
	return 0;
}

/* ---- what is printed ---- */

static uint64_t magnitude(int64_t n)
{
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

static void print_total(const struct growth_printer *p, const char *what, int64_t bytes,
			unsigned __int128 before, unsigned __int128 now)
{
	/* Both sums fit 64 bits: otherwise growth_find() would have failed. */
	if (bytes)
		fprintf(p->out,
			"%-10s %+14" PRId64 " byte%s  (%" PRIu64 " before, %" PRIu64 " now)\n",
			what, bytes, text_plural(magnitude(bytes)), (uint64_t)before,
			(uint64_t)now);
	else
		fprintf(p->out, "%-10s %14s  (%" PRIu64 " bytes)\n", what, "as before",
			(uint64_t)now);
}

static void print_changed(const struct growth_printer *p, const struct answer *a,
			  const struct changed *c)
{
	fprintf(p->out, "  %s %+16" PRId64 " byte%s in %+" PRId64 " %s%s   ",
		c->bytes < 0 ? "less" : "more", c->bytes,
		text_plural(magnitude(c->bytes)), c->blocks,
		a->of_kept ? "block" : "request",
		text_plural(magnitude(c->blocks)));
	growth_print_site(p, c->site);
	fputc('\n', p->out);
}

/* The changes in one direction, largest first. */
static void print_direction(const struct growth_printer *p, const struct answer *a, bool less)
{
	size_t all = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct changed *c = &a->v[less ? a->n - 1 - i : i];

		if ((c->bytes < 0) != less)
			break;
		if (all++ < MOST || p->o->level == REPORT_VERBOSE)
			print_changed(p, a, c);
	}
	if (all > MOST && p->o->level != REPORT_VERBOSE)
		fprintf(p->out, "  and %zu more that have become %s\n", all - MOST,
			less ? "less" : "more");
}

/* "kept by the runtime, in none of these: +4096 bytes (stdio buffers +4096)" */
static void print_runtime(const struct growth_printer *p)
{
	const int64_t *kept = p->g->runtime_kept;
	int64_t all = 0;
	const char *before = " (";

	for (int k = 0; k < RUNTIME_KINDS; k++)
		all = stack_sum(all, kept[k]);
	if (!all)
		return;
	fprintf(p->out, "kept by the runtime, in no row: %+" PRId64 " byte%s", all,
		text_plural(magnitude(all)));
	for (int k = 0; k < RUNTIME_KINDS; k++) {
		if (!kept[k])
			continue;
		fprintf(p->out, "%s%s %+" PRId64, before, runtime_word((enum runtime_kind)k),
			kept[k]);
		before = ", ";
	}
	fputs(")\n", p->out);
}

int growth_print_answer(const struct growth_printer *p)
{
	const int64_t *t = p->g->total;
	bool kept = false;

	for (size_t i = 0; !kept && i < p->g->paths.n; i++)
		kept = growth_kept(p->g->paths.stacks[i].value);
	struct answer a = { .of_kept = kept };
	int err = collect(&a, p);

	if (!err) {
		print_total(p, p->o->at_peak ? "live" : "kept", growth_kept(t), p->had.kept,
			    p->has.kept);
		if (!p->o->at_peak)
			print_total(p, "requested", t[GROWN_BYTES], p->had.bytes, p->has.bytes);
		if (a.n)
			fprintf(p->out, "%s, by the %s of the program's own code:\n",
				p->o->at_peak ? "live at the peak" : kept ? "kept" : "requested",
				p->g->key == LEAKS_BY_FUNCTION ? "functions" : "lines");
		print_direction(p, &a, false);
		print_direction(p, &a, true);
		if (a.of_kept)
			print_runtime(p);
		fputs("\n\n", p->out);
	}
	free(a.v);
	return err;
}
