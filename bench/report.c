/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report NODES FILE: what it takes to write, read and print a profile with a call tree of NODES nodes, and to
 * make a page of it, FILE.html, without a template. Prints the seconds of each and the bytes of both files.
 */
#include "html/page.h"
#include "profile/datafile.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { FUNCTIONS = 5000, SITES = 20000, SIZES = 40 };

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % n);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *text(const char *fmt, unsigned n)
{
	char *s = NULL;

	if (asprintf(&s, fmt, n) < 0)
		abort();
	return s;
}

static void *array(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		abort();
	return p;
}

static void add_names(struct profile_data *d)
{
	d->modules = array(d->n_modules = 1, sizeof *d->modules);
	d->modules[0] = (struct pd_module){ text("/nowhere/program", 0), text("00", 0), text("DWARF", 0) };
	d->functions = array(d->n_functions = FUNCTIONS, sizeof *d->functions);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		d->functions[i] = (struct pd_function){
			.name = text("some_function_%u", i), .module = 0, .address = 0x1000 + i * 256 };
	d->sites = array(d->n_sites = SITES, sizeof *d->sites);
	for (uint32_t i = 0; i < SITES; i++) {
		uint32_t f = i % FUNCTIONS, offset = 5 + i / FUNCTIONS * 16;

		d->sites[i] = (struct pd_site){ .function = f,
						.address = d->functions[f].address + offset,
						.offset = offset,
						.file = text("source/file_%u.c", f / 50),
						.line = 10 + i % 1000 };
	}
}

/* A random tree, a dozen or two deep: a child of one of the nodes so far, the later ones more often. No
 * two children of a node have the same site. */
static void add_nodes(struct profile_data *d, size_t n)
{
	uint32_t *children = array(n, sizeof *children);
	struct pd_node *nodes = array(n, sizeof *nodes);

	nodes[0] = d->nodes[0];
	nodes[1] = d->nodes[1];
	free(d->nodes);
	for (uint32_t i = PD_FIRST_NODE; i < n; i++) {
		uint32_t parent = i < 10 ? 0 : below(3) ? i - 1 - below(i / 2) : below(i);

		if (parent == PD_ROOT_TRUNCATED)
			parent = PD_ROOT_WHOLE;
		nodes[i] = (struct pd_node){ .parent = parent,
					     .site = (parent * 7919u + children[parent]++) % SITES };
	}
	d->nodes = nodes;
	d->n_nodes = n;
	free(children);
}

/* Two nodes of five end a chain. */
static void add_leaves(struct profile_data *d)
{
	struct pd_totals *t = &d->totals;

	d->leaves = array(d->n_nodes, sizeof *d->leaves);
	for (uint32_t i = PD_FIRST_NODE; i < d->n_nodes; i++) {
		if (below(5) > 1)
			continue;
		uint64_t allocs = 1 + below(100), size = 16u * (1 + below(SIZES));
		uint64_t frees = below(4) ? allocs : below((uint32_t)allocs);

		d->leaves[d->n_leaves++] = (struct pd_leaf){
			.node = i, .size = size, .allocs = allocs, .frees = frees,
			.at_peak = below((uint32_t)allocs + 1)
		};
		t->allocs += allocs;
		t->alloc_bytes += allocs * size;
		t->frees += frees;
		t->free_bytes += frees * size;
		t->peak_bytes += d->leaves[d->n_leaves - 1].at_peak * size;
	}
}

static void add_life(struct profile_data *d, uint32_t node, enum pd_life_axis axis, uint8_t bucket,
		     uint64_t blocks)
{
	if (blocks)
		d->lifetimes[d->n_lifetimes++] = (struct pd_lifetime){
			.node = node, .axis = axis, .bucket = bucket, .blocks = blocks };
}

/* How long what was freed has lived: a part was temporary, and the times are a few neighbours. */
static void add_lifetimes(struct profile_data *d)
{
	d->lifetimes = array(d->n_leaves * 6, sizeof *d->lifetimes);
	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];
		uint64_t half = l->frees / 2, temporary = below(3) ? 0 : below((uint32_t)l->frees + 1);
		uint8_t bucket = (uint8_t)(10 + below(20)), events = (uint8_t)below(12);

		add_life(d, l->node, PD_LIFE_EVENTS, events, half);
		add_life(d, l->node, PD_LIFE_EVENTS, (uint8_t)(events + 1), l->frees - half);
		add_life(d, l->node, PD_LIFE_NS, bucket, half);
		add_life(d, l->node, PD_LIFE_NS, (uint8_t)(bucket + 2), l->frees - half);
		add_life(d, l->node, PD_LIFE_TEMPORARY, 0, temporary);
	}
}

static struct profile_data *make(size_t n)
{
	struct profile_data *d = profile_data_new();

	if (!d)
		abort();
	if (!d->command)
		d->command = array(1, sizeof *d->command);
	d->program = 0;
	add_names(d);
	add_nodes(d, n);
	add_leaves(d);
	add_lifetimes(d);
	return d;
}

static double lap(double *from)
{
	double to = now(), taken = to - *from;

	*from = to;
	return taken;
}

static void make_page(struct profile_data *d, const struct report_options *o, const char *path)
{
	static const char marks[] = TITLE_MARK DATA_MARK;
	const struct page_template t = { (char *)marks, sizeof marks - 1 };
	FILE *out = fopen(path, "w");

	if (!out || page_write(&t, &d, 1, o, out) || fclose(out))
		abort();
}

int main(int argc, char **argv)
{
	size_t n = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	struct report_options o = { .level = REPORT_NORMAL, .leaks = REPORT_LEAKS };
	struct profile_data *d, *again;
	struct error e = { "" };
	struct stat st;

	if (n < 100)
		return 2;
	d = make(n);
	FILE *null = fopen("/dev/null", "w");
	double t = now();
	if (datafile_write(argv[2], d, &e)) {
		fprintf(stderr, "report: %s\n", e.text);
		return 1;
	}
	double wrote = lap(&t);
	if (datafile_read(argv[2], &again, &e)) {
		fprintf(stderr, "report: %s\n", e.text);
		return 1;
	}
	double read = lap(&t);
	if (!null || report_tables(again, &o, null))
		return 1;
	double tables = lap(&t);
	if (report_json(again, &o, null) || stat(argv[2], &st))
		return 1;
	printf("write %.4f\nread %.4f\ntables %.4f\njson %.4f\nbytes %lld\n", wrote, read, tables, lap(&t),
	       (long long)st.st_size);
	char page[4096];
	snprintf(page, sizeof page, "%s.html", argv[2]);
	make_page(again, &o, page);
	printf("page %.4f\npage_bytes %lld\n", lap(&t), stat(page, &st) ? 0 : (long long)st.st_size);
	profile_data_free(again);
	profile_data_free(d);
	return 0;
}
