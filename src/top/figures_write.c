/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/figures.h"
#include "top/figures_internal.h"

#include "base/jsontext.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* What is listed: leaves by their number in the profile; nodes and places with their new
 * numbers. */
struct chosen {
	const struct profile *p;
	bool *leaves;
	uint32_t *nodes, *places; /* PD_NONE: not listed */
};

/* ---- which leaves ---- */

static uint64_t live_bytes(const struct call_leaf *l)
{
	return (l->allocs - l->frees) * l->size;
}

static int by_live_bytes(const void *a, const void *b, void *ctx)
{
	const struct call_leaf *leaves = ctx;
	uint64_t x = live_bytes(&leaves[*(const uint32_t *)a]),
		 y = live_bytes(&leaves[*(const uint32_t *)b]);

	return x < y ? 1 : x > y ? -1 : 0;
}

static int by_allocs(const void *a, const void *b, void *ctx)
{
	const struct call_leaf *leaves = ctx;
	uint64_t x = leaves[*(const uint32_t *)a].allocs, y = leaves[*(const uint32_t *)b].allocs;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* Choose the first @n in this order that are not chosen yet. */
static void choose_first(struct chosen *c, const uint32_t *order, size_t n_order, size_t n)
{
	for (size_t i = 0; i < n_order && n; i++) {
		n -= !c->leaves[order[i]];
		c->leaves[order[i]] = true;
	}
}

/* Choose those with most live bytes, and as many of the others with most requests. 0 or -ENOMEM. */
static int choose_leaves(struct chosen *c, size_t max)
{
	const struct profile *p = c->p;
	uint32_t *order = malloc(p->n_leaves * sizeof *order + 1);
	size_t n = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->n_leaves; i++)
		if (p->leaves[i].allocs)
			order[n++] = i;
	if (n > max) {
		qsort_r(order, n, sizeof *order, by_live_bytes, p->leaves);
		choose_first(c, order, n, max / 2);
		qsort_r(order, n, sizeof *order, by_allocs, p->leaves);
		choose_first(c, order, n, max - max / 2);
	} else {
		choose_first(c, order, n, n);
	}
	free(order);
	return 0;
}

/* Choose their chains. A parent has a lower number than its children. */
static void choose_chains(struct chosen *c)
{
	const struct profile *p = c->p;

	for (size_t i = 0; i < p->n_nodes; i++)
		c->nodes[i] = i < PD_FIRST_NODE ? 0 : PD_NONE;
	for (size_t i = 0; i < p->n_places; i++)
		c->places[i] = PD_NONE;
	for (size_t i = 0; i < p->n_leaves; i++)
		if (c->leaves[i])
			c->nodes[p->leaves[i].node] = 0;
	for (size_t i = p->n_nodes; i-- > PD_FIRST_NODE;) {
		if (c->nodes[i] == PD_NONE)
			continue;
		c->nodes[p->nodes[i].parent] = 0;
		c->places[p->nodes[i].frame] = 0;
	}
}

static void number(uint32_t *v, size_t n)
{
	uint32_t next = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i] != PD_NONE)
			v[i] = next++;
}

static int choose(struct chosen *c, const struct profile *p, size_t max)
{
	*c = (struct chosen){p, calloc(p->n_leaves + 1, sizeof *c->leaves),
			     calloc(p->n_nodes + 1, sizeof *c->nodes),
			     calloc(p->n_places + 1, sizeof *c->places)};
	int err = c->leaves && c->nodes && c->places ? choose_leaves(c, max) : -ENOMEM;

	if (err)
		return err;
	choose_chains(c);
	number(c->nodes, p->n_nodes);
	number(c->places, p->n_places);
	return 0;
}

static void chosen_release(struct chosen *c)
{
	free(c->leaves);
	free(c->nodes);
	free(c->places);
}

/* ---- what is written ---- */

static void begin(FILE *out, const char *name)
{
	fprintf(out, ",\"%s\":[", name);
}

/* Write the next number of a list. JSON's integers are signed: larger ones are read back as they
 * were. */
static void put(FILE *out, bool *first, uint64_t n)
{
	fprintf(out, "%s%" PRId64, *first ? "" : ",", (int64_t)n);
	*first = false;
}

static void write_places(const struct chosen *c, FILE *out)
{
	bool first = true;

	begin(out, FIGURES_PLACES);
	for (size_t i = 0; i < c->p->n_places; i++) {
		const struct profile_place *p = &c->p->places[i];

		if (c->places[i] == PD_NONE)
			continue;
		put(out, &first, p->module);
		put(out, &first, p->address);
		put(out, &first, p->exact | p->guessed << 1);
	}
	fputc(']', out);
}

static void write_nodes(const struct chosen *c, FILE *out)
{
	bool first = true;

	begin(out, FIGURES_NODES);
	for (size_t i = PD_FIRST_NODE; i < c->p->n_nodes; i++) {
		if (c->nodes[i] == PD_NONE)
			continue;
		put(out, &first, c->nodes[c->p->nodes[i].parent]);
		put(out, &first, c->places[c->p->nodes[i].frame]);
	}
	fputc(']', out);
}

static void write_leaves(const struct chosen *c, FILE *out)
{
	struct figures_rest rest = {0};
	bool first = true;

	begin(out, FIGURES_LEAVES_NAME);
	for (size_t i = 0; i < c->p->n_leaves; i++) {
		const struct call_leaf *l = &c->p->leaves[i];

		if (c->leaves[i]) {
			put(out, &first, c->nodes[l->node]);
			put(out, &first, l->size);
			put(out, &first, l->allocs);
			put(out, &first, l->frees);
		} else if (l->allocs) {
			rest.leaves++;
			rest.allocs += l->allocs;
			rest.frees += l->frees;
			rest.live_bytes += live_bytes(l);
		}
	}
	fprintf(out, "],\"" FIGURES_REST "\":[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]",
		rest.leaves, rest.allocs, rest.frees, rest.live_bytes);
}

static void write_temporary(const struct chosen *c, FILE *out)
{
	const struct lifecounts *counts = &c->p->lifetimes.counts;
	bool first = true;

	begin(out, FIGURES_TEMPORARY);
	for (size_t i = 0; i < counts->n_sites; i++) {
		const struct life_site *s = &counts->sites[i];

		if (!s->temporary || c->nodes[s->node] == PD_NONE)
			continue;
		put(out, &first, c->nodes[s->node]);
		put(out, &first, s->temporary);
	}
	fputc(']', out);
}

static void write_threads(const struct lifetimes *l, FILE *out)
{
	bool first = true;

	begin(out, FIGURES_THREADS);
	for (size_t i = 0; i < l->n_threads; i++) {
		const struct thread_counts *did = &l->threads[i].did;

		put(out, &first, (uint64_t)l->threads[i].task);
		put(out, &first, did->allocs);
		put(out, &first, did->alloc_bytes);
		put(out, &first, did->frees);
		put(out, &first, did->free_bytes);
	}
	fputc(']', out);
}

static void write_totals(const struct pd_totals *t, FILE *out)
{
	bool first = true;

	begin(out, FIGURES_TOTALS);
	for (size_t i = 0; i < N_FIGURES_TOTALS; i++)
		put(out, &first, *figures_total((struct pd_totals *)(uintptr_t)t, i));
	fputc(']', out);
}

/* A path may be any bytes: what is not valid UTF-8 becomes U+FFFD. 0 or -ENOMEM. */
static int write_files(const struct figures_file *files, size_t n, FILE *out)
{
	json_t *list = json_array();
	char *text = NULL;

	for (size_t i = 0; list && i < n; i++)
		if (json_array_append_new(
			    list, json_pack("[oi]", json_text(files[i].path), files[i].fd))) {
			json_decref(list);
			list = NULL;
		}
	text = list ? json_text_dump(list, JSON_COMPACT) : NULL;
	if (text)
		fprintf(out, ",\"" FIGURES_FILES "\":%s", text);
	free(text);
	json_decref(list);
	return text ? 0 : -ENOMEM;
}

static void write_head(const struct figures_head *h, FILE *out)
{
	bool first = true;

	fprintf(out, "{\"" FIGURES_MARK "\":%d", FIGURES_VERSION);
	begin(out, FIGURES_HEAD);
	for (size_t i = 0; i < N_FIGURES_HEAD; i++)
		put(out, &first, *figures_head_number((struct figures_head *)(uintptr_t)h, i));
	put(out, &first, h->fast);
	put(out, &first, h->suspended);
	fputc(']', out);
}

int figures_write(const struct figures_head *h, const struct profile *p, size_t max,
		  const struct figures_file *files, size_t n_files, FILE *out)
{
	struct chosen c;
	int err = choose(&c, p, max);

	if (!err) {
		write_head(h, out);
		write_totals(&p->totals, out);
		write_places(&c, out);
		write_nodes(&c, out);
		write_leaves(&c, out);
		write_temporary(&c, out);
		write_threads(&p->lifetimes, out);
		err = write_files(files, n_files, out);
		fputs("}\n", out);
	}
	chosen_release(&c);
	return err;
}
