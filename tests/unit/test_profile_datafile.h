/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TEST_DATAFILE_H
#define MPROF_TEST_DATAFILE_H

/* What the tests of the data file share: profiles to write, and a directory to write them to. */

#include "unit/unit.h"
#include "lib/random.h"
#include "profile/datafile.h"

#include <stdbool.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char test_dir[] = "/tmp/mprof-datafile-XXXXXX";

static inline int test_dir_make(void **state)
{
	(void)state;
	return mkdtemp(test_dir) ? chdir(test_dir) : -1;
}

/* Removes what a test left in the directory, so that the next one finds it empty. */
static inline int test_dir_clean(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof command, "find %s -mindepth 1 -delete", test_dir);
	return system(command);
}

static inline int test_dir_remove(void **state)
{
	(void)state;
	return chdir("/") || rmdir(test_dir);
}

/* How many entries the directory has: 1 means that nothing was left beside the data file. */
static inline int entries(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

static inline void *array(size_t n, size_t size)
{
	void *a = calloc(n ? n : 1, size);

	assert_non_null(a);
	return a;
}

static inline char *text(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	assert_true(vasprintf(&s, fmt, ap) >= 0);
	va_end(ap);
	return s;
}

static inline void set_command(struct profile_data *d, const char *a, const char *b)
{
	free(d->command);
	d->command = array(3, sizeof *d->command);
	d->command[0] = text("%s", a);
	d->command[1] = text("%s", b);
}

/* Sums the leaves up into the totals. */
static inline void set_totals(struct profile_data *d)
{
	d->totals.allocs = d->totals.alloc_bytes = d->totals.frees = d->totals.free_bytes = 0;
	d->totals.peak_bytes = 0;
	for (size_t i = 0; i < d->n_leaves; i++) {
		d->totals.allocs += d->leaves[i].allocs;
		d->totals.alloc_bytes += d->leaves[i].allocs * d->leaves[i].size;
		d->totals.frees += d->leaves[i].frees;
		d->totals.free_bytes += d->leaves[i].frees * d->leaves[i].size;
		/* Most of what a program allocates is not there all the time. */
		d->leaves[i].at_peak = i % 4 ? 0 : d->leaves[i].allocs - d->leaves[i].allocs / 2;
		d->totals.peak_bytes += d->leaves[i].at_peak * d->leaves[i].size;
	}
}

static inline void random_names(struct profile_data *d, size_t n_functions, size_t n_sites,
				uint64_t *r)
{
	d->n_modules = 3;
	d->modules = array(d->n_modules, sizeof *d->modules);
	for (size_t i = 0; i < d->n_modules; i++) {
		d->modules[i].path = text("/usr/lib/lib \xc3\xa4 %zu.so", i);
		d->modules[i].build_id = text(i ? "%016zx" : "", i);
		d->modules[i].names = text(i == 1 ? ".dynsym" : "DWARF");
	}
	d->n_functions = n_functions;
	d->functions = array(n_functions, sizeof *d->functions);
	for (size_t i = 0; i < n_functions; i++) {
		d->functions[i].name = text("std::vector<int>::f%zu(int)", i);
		d->functions[i].linkage = i % 3 ? text("_ZNSt6vectorIiE%zuEi", i) : NULL;
		d->functions[i].module = i % 7 ? (uint32_t)(i % d->n_modules) : PD_NONE;
		d->functions[i].address = 0x1000 + 64 * i;
	}
	d->n_sites = n_sites;
	d->sites = array(n_sites, sizeof *d->sites);
	for (size_t i = 0; i < n_sites; i++) {
		d->sites[i].function = (uint32_t)(i < n_functions ? i
								  : random_next(r) % n_functions);
		d->sites[i].offset = random_next(r) % 64;
		d->sites[i].address = d->functions[d->sites[i].function].address +
				      d->sites[i].offset;
		d->sites[i].file = i % 5 ? text("src/file%zu.cc", i % 50) : NULL;
		d->sites[i].line = i % 5 ? (uint32_t)(1 + random_next(r) % 5000) : 0;
		d->sites[i].inlined = i % 11 == 0;
	}
}

/*
 * A random call tree. Four of five nodes hang below one of the nodes just before them, as in a
 * tree numbered while the program runs; every second one is the end of a chain, with one size
 * or two.
 */
static inline struct profile_data *random_profile(size_t n_functions, size_t n_sites,
						  size_t n_nodes, uint64_t seed)
{
	struct profile_data *d = profile_data_new();

	assert_non_null(d);
	set_command(d, "./program", "\xff bad UTF-8, 'quoted'\n");
	d->pid = 4242;
	d->started_ns = UINT64_C(1700000000123456789);
	d->ended_ns = d->started_ns + 987654321;
	d->memory = (struct pd_memory){ 1024, 2048, 4096, 8192 };
	random_names(d, n_functions, n_sites, &seed);
	free(d->nodes);
	d->n_nodes = n_nodes;
	d->nodes = array(n_nodes, sizeof *d->nodes);
	d->leaves = array(n_nodes * 2, sizeof *d->leaves);
	for (uint32_t i = 0; i < n_nodes; i++) {
		if (i < PD_FIRST_NODE) {
			d->nodes[i] = (struct pd_node){ PD_NONE, PD_NONE, 0 };
			continue;
		}
		uint32_t near = (uint32_t)(i < 40 ? random_next(&seed) % i
						  : i - 1 - random_next(&seed) % 20);
		d->nodes[i].parent = random_next(&seed) % 5 ? near
							    : (uint32_t)(random_next(&seed) % i);
		d->nodes[i].site = (uint32_t)(random_next(&seed) % n_sites);
		d->nodes[i].resumed = random_next(&seed) % 3 ? random_next(&seed) % 100000 : 0;
		for (uint64_t k = random_next(&seed) % 2 * (1 + random_next(&seed) % 2), size = 0;
		     k; k--) {
			struct pd_leaf *l = &d->leaves[d->n_leaves++];

			size += 1 + random_next(&seed) % 3000;
			*l = (struct pd_leaf){ .node = i,
					       .size = size,
					       .allocs = 1 + random_next(&seed) % 100000,
					       .label = size % 50 ? 0
								  : (uint8_t)(1 + size / 50 % 4) };
			d->labelled |= l->label != 0;
			l->frees = random_next(&seed) % 2 ? l->allocs
							  : random_next(&seed) % (l->allocs + 1);
		}
	}
	d->n_types = n_functions;
	d->types = array(d->n_types, sizeof *d->types);
	for (size_t i = 0; i < d->n_types; i++)
		d->types[i] = (struct pd_type){ 8 * (i / 4), text("type_%05zu", i), i % 4 / 2 };
	set_totals(d);
	d->n_points = 50;
	d->points = array(d->n_points, sizeof *d->points);
	for (size_t i = 0; i < d->n_points; i++)
		d->points[i] = (struct pd_point){ i / 2 * 1000,
						  i * 3,
						  random_next(&seed) % (d->totals.peak_bytes + 1),
						  i,
						  i,
						  0 };
	/* As much of it as two sites may hold. */
	d->n_series = d->totals.allocs > 60 ? 60 : 0;
	d->series = array(d->n_series, sizeof *d->series);
	d->held = array(d->n_series * 2, sizeof *d->held);
	for (uint32_t i = 0; i < d->n_series; i++) {
		uint64_t live = random_next(&seed) % (d->totals.peak_bytes + 1);
		uint32_t last = (uint32_t)d->n_sites - 1;

		d->series[i] = (struct pd_series_point){ i / 3 * 500, live, i / 2, i, 0 };
		if (live < 2 || !last)
			continue;
		d->held[d->n_held++] = (struct pd_held){ i, i % last, live / 2 };
		d->held[d->n_held++] = (struct pd_held){ i, last, live - live / 2 };
	}
	if (d->n_series) {
		d->series[30].peak = 1;
		d->series[30].live_bytes = d->totals.peak_bytes;
	}
	/* Two buckets a node, of one block each that was freed; as above, not everywhere. */
	d->lifetimes = array(d->n_leaves * 2 + 2, sizeof *d->lifetimes);
	for (size_t i = 0; i < d->n_leaves; i++) {
		uint32_t n = d->leaves[i].node;

		if (i % 4 || !d->leaves[i].frees ||
		    (d->n_lifetimes && d->lifetimes[d->n_lifetimes - 1].node == n))
			continue;
		d->lifetimes[d->n_lifetimes++] =
			(struct pd_lifetime){ n, PD_LIFE_EVENTS, n % 64, 1 };
		d->lifetimes[d->n_lifetimes++] =
			(struct pd_lifetime){ n, n % 2 + 1, n % 2 ? 0 : n % 64, 1 };
	}
	/* Two windows a node and one survivor, where something is kept; not everywhere either. */
	d->window_ns = 1000000000;
	d->windows_over = 40;
	d->windows = array(d->n_leaves * 2 + 2, sizeof *d->windows);
	d->survivors = array(d->n_leaves + 1, sizeof *d->survivors);
	for (size_t i = 0; i < d->n_leaves; i++) {
		uint32_t n = d->leaves[i].node;

		if (i % 4 || d->leaves[i].frees == d->leaves[i].allocs ||
		    (d->n_windows && d->windows[d->n_windows - 1].node == n))
			continue;
		d->windows[d->n_windows++] = (struct pd_window){ n, n % 20, 1, i, i + 3, 9, 10 };
		d->windows[d->n_windows++] = (struct pd_window){ n, 30, 0, i + 1, i + 1, 9, 9 };
		d->survivors[d->n_survivors++] = (struct pd_survivor){ n, n % 20, 1, 9 };
	}
	/* One type at some nodes, two at others. */
	d->site_types = array(d->n_leaves * 2 + 2, sizeof *d->site_types);
	for (size_t i = 0; i < d->n_leaves; i += 5) {
		uint32_t n = d->leaves[i].node;
		uint8_t how = n % PD_HOWS, two = n % 3 == 0;

		if (d->n_site_types && d->site_types[d->n_site_types - 1].node == n)
			continue;
		d->site_types[d->n_site_types++] =
			(struct pd_site_type){ n, how, !two, n % 90, text("struct a%d", n % 7) };
		if (two)
			d->site_types[d->n_site_types++] =
				(struct pd_site_type){ n, how, 0, 0, text("struct b") };
	}
	d->load = (struct pd_load){ 1, 2, 3, UINT64_MAX - 4, 5, 6, 7, 8, 9, 10, 0, 0, 77 };
	if (d->totals.frees > 2 && d->totals.free_bytes > 3) {
		d->totals.missed = 2;
		d->totals.missed_bytes = 3;
		d->load.missed = 1;
		d->load.missed_bytes = 2;
	}
	d->points[20].peak = 1;
	d->points[20].live_bytes = d->totals.peak_bytes;
	d->totals.failed_allocs = 3;
	d->totals.unknown_frees = 7;
	d->totals.inherited_frees = 5;
	d->totals.truncated_chains = d->totals.truncated_cut = 1;
	d->spared.depth = 8;
	d->unseen = (struct pd_unseen){ 11, 4, 2, 12, 13, 14, 15, 1, 16, UINT64_MAX - 9 };
	d->slowdown_milli = 2345;
	d->engines = PD_ENGINE_FAST | PD_ENGINE_UNTOLD;
	d->from = PD_FROM_ATTACH;
	d->totals.paused_frees = 17;
	d->before.how = 2;
	d->before.n_bins = 30;
	d->before.bins = array(d->before.n_bins, sizeof *d->before.bins);
	for (size_t i = 0; i < d->before.n_bins; i++) {
		struct pd_before_bin *b = &d->before.bins[i];

		*b = (struct pd_before_bin){ 24 + 16 * i * i, i + 5, i / 2, i % 5 };
		d->before.blocks += b->blocks;
		d->before.bytes += b->blocks * b->usable;
		d->totals.before_frees += b->freed;
		d->before.freed_bytes += b->freed * b->usable;
		d->before.missed += b->missed;
		d->before.missed_bytes += b->missed * b->usable;
	}
	d->before.walk_ns = UINT64_MAX - 3;
	for (size_t i = 0; i < d->n_leaves; i++) {
		uint64_t kept = d->leaves[i].allocs - d->leaves[i].frees;

		for (int k = 0; i % 17 == 0 && k < PD_REACH_CLASSES && kept; k++, kept--)
			d->leaves[i].reach[(i + (size_t)k) % PD_REACH_CLASSES] = 1;
		/* The rest was not seen. */
		if (i % 34)
			d->leaves[i].reach[PD_REACHABLE] += kept;
	}
	struct pd_sum hanging = { 2, 3 };

	for (size_t i = 0; i < d->n_leaves; i++)
		if (d->leaves[i].reach[PD_LOST]) {
			d->leaves[i].hanging = hanging;
			hanging = (struct pd_sum){ hanging.blocks / 2, hanging.bytes / 3 };
		}
	/* The sums are as large as they may be. */
	d->reach = (struct pd_reach){
		1, { { 4, 2 }, { 5, 4 }, { 3, 6 }, { 7, UINT64_MAX - 12 } }, 9, 8, 0
	};
	for (size_t i = 0; i < d->n_leaves; i++)
		for (int k = 0; k < PD_REACH_CLASSES; k++)
			d->reach.sums[k].blocks += d->leaves[i].reach[k];
	d->n_rss = 3;
	d->rss = array(d->n_rss, sizeof *d->rss);
	for (size_t i = 0; i < d->n_rss; i++)
		d->rss[i] = (struct pd_rss_row){ text("row %zu", i), 4096 * i, 4095 * i };
	d->min_size = 12;
	d->max_size = UINT64_MAX - 7;
	return d;
}

/* A profile made by hand: functions with one call site each, numbered alike. */
static inline struct profile_data *profile_of(const char *const *functions, size_t n)
{
	struct profile_data *d = profile_data_new();

	assert_non_null(d);
	d->functions = array(n, sizeof *d->functions);
	d->sites = array(n, sizeof *d->sites);
	d->nodes = realloc(d->nodes, 100 * sizeof *d->nodes);
	d->leaves = array(100, sizeof *d->leaves);
	assert_non_null(d->nodes);
	d->n_functions = d->n_sites = n;
	for (size_t i = 0; i < n; i++) {
		d->functions[i].name = text("%s", functions[i]);
		d->functions[i].module = PD_NONE;
		d->functions[i].address = 16 * i;
		d->sites[i].function = (uint32_t)i;
	}
	return d;
}

static inline uint32_t node(struct profile_data *d, uint32_t parent, uint32_t site)
{
	d->nodes[d->n_nodes] = (struct pd_node){ parent, site, 0 };
	return (uint32_t)d->n_nodes++;
}

static inline void leaf(struct profile_data *d, uint32_t n, uint64_t size, uint64_t allocs,
			uint64_t frees)
{
	d->leaves[d->n_leaves++] = (struct pd_leaf){ n, size, allocs, frees, 0,
						     (uint8_t)(size % 5), { 0 }, { 0 } };
	d->labelled |= size % 5 != 0;
}

static inline void assert_text_equal(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

/* Plain comparisons where there are a million of them: cmocka's are slow. */
static inline void differs(const char *member, size_t i)
{
	fail_msg("%s of element %zu differs", member, i);
}

#define SAME(x) (a->x == b->x ? (void)0 : differs(#x, i))

static inline void assert_trees_equal(const struct profile_data *x, const struct profile_data *y)
{
	assert_int_equal(x->n_nodes, y->n_nodes);
	for (size_t i = 0; i < x->n_nodes; i++) {
		const struct pd_node *a = &x->nodes[i], *b = &y->nodes[i];

		SAME(parent), SAME(site), SAME(resumed);
	}
	assert_int_equal(x->labelled, y->labelled);
	assert_int_equal(x->engines, y->engines);
	assert_int_equal(x->from, y->from);
	assert_int_equal(x->spared.lifetimes, y->spared.lifetimes);
	assert_int_equal(x->spared.timeline, y->spared.timeline);
	assert_int_equal(x->spared.depth, y->spared.depth);
	assert_int_equal(x->min_size, y->min_size);
	assert_int_equal(x->max_size, y->max_size);
	assert_memory_equal(&x->unseen, &y->unseen, sizeof x->unseen);
	assert_int_equal(x->n_leaves, y->n_leaves);
	for (size_t i = 0; i < x->n_leaves; i++) {
		const struct pd_leaf *a = &x->leaves[i], *b = &y->leaves[i];

		SAME(node), SAME(size), SAME(allocs), SAME(frees), SAME(at_peak),
			SAME(label), SAME(hanging.blocks), SAME(hanging.bytes);
		assert_memory_equal(a->reach, b->reach, sizeof a->reach);
	}
}

static inline void assert_series_equal(const struct profile_data *x, const struct profile_data *y)
{
	assert_int_equal(x->n_series, y->n_series);
	for (size_t i = 0; i < x->n_series; i++) {
		const struct pd_series_point *a = &x->series[i], *b = &y->series[i];

		assert_int_equal(a->time_ns, b->time_ns);
		assert_int_equal(a->live_bytes, b->live_bytes);
		assert_int_equal(a->live_blocks, b->live_blocks);
		assert_int_equal(a->allocs, b->allocs);
		assert_int_equal(a->peak, b->peak);
	}
	assert_int_equal(x->n_held, y->n_held);
	for (size_t i = 0; i < x->n_held; i++) {
		assert_int_equal(x->held[i].point, y->held[i].point);
		assert_int_equal(x->held[i].site, y->held[i].site);
		assert_int_equal(x->held[i].bytes, y->held[i].bytes);
	}
}

static inline void assert_points_equal(const struct profile_data *x, const struct profile_data *y)
{
	assert_int_equal(x->n_points, y->n_points);
	for (size_t i = 0; i < x->n_points; i++) {
		const struct pd_point *a = &x->points[i], *b = &y->points[i];

		SAME(time_ns), SAME(churn_bytes), SAME(live_bytes), SAME(extra_bytes),
			SAME(live_blocks), SAME(peak);
	}
}

static inline void assert_lifetimes_equal(const struct profile_data *x,
					  const struct profile_data *y)
{
	assert_int_equal(x->n_lifetimes, y->n_lifetimes);
	for (size_t i = 0; i < x->n_lifetimes; i++) {
		const struct pd_lifetime *a = &x->lifetimes[i], *b = &y->lifetimes[i];

		SAME(node), SAME(axis), SAME(bucket), SAME(blocks);
	}
}

static inline void assert_besides_equal(const struct profile_data *x, const struct profile_data *y)
{
	assert_memory_equal(&x->before, &y->before, offsetof(struct pd_before, bins));
	assert_int_equal(x->before.n_bins, y->before.n_bins);
	for (size_t i = 0; i < x->before.n_bins; i++)
		assert_memory_equal(&x->before.bins[i], &y->before.bins[i],
				    sizeof *x->before.bins);
	assert_memory_equal(&x->reach, &y->reach, sizeof x->reach);
	assert_int_equal(x->n_rss, y->n_rss);
	for (size_t i = 0; i < x->n_rss; i++) {
		const struct pd_rss_row *a = &x->rss[i], *b = &y->rss[i];

		assert_string_equal(a->name, b->name);
		SAME(rss), SAME(pss);
	}
}

static inline void assert_windows_equal(const struct profile_data *x, const struct profile_data *y)
{
	assert_int_equal(x->window_ns, y->window_ns);
	assert_int_equal(x->windows_over, y->windows_over);
	assert_int_equal(x->n_windows, y->n_windows);
	for (size_t i = 0; i < x->n_windows; i++) {
		const struct pd_window *a = &x->windows[i], *b = &y->windows[i];

		SAME(node), SAME(i), SAME(births), SAME(low), SAME(high), SAME(low_bytes),
			SAME(high_bytes);
	}
	assert_int_equal(x->n_survivors, y->n_survivors);
	for (size_t i = 0; i < x->n_survivors; i++) {
		const struct pd_survivor *a = &x->survivors[i], *b = &y->survivors[i];

		SAME(node), SAME(i), SAME(blocks), SAME(bytes);
	}
}

static inline void assert_site_types_equal(const struct profile_data *x,
					   const struct profile_data *y)
{
	assert_int_equal(x->n_site_types, y->n_site_types);
	for (size_t i = 0; i < x->n_site_types; i++) {
		const struct pd_site_type *a = &x->site_types[i], *b = &y->site_types[i];

		assert_string_equal(a->name, b->name);
		SAME(node), SAME(how), SAME(certain), SAME(size);
	}
}

static inline void assert_names_equal(const struct profile_data *x, const struct profile_data *y)
{
	assert_int_equal(x->n_modules, y->n_modules);
	for (size_t i = 0; i < x->n_modules; i++) {
		assert_text_equal(x->modules[i].path, y->modules[i].path);
		assert_text_equal(x->modules[i].build_id, y->modules[i].build_id);
		assert_text_equal(x->modules[i].names, y->modules[i].names);
	}
	assert_int_equal(x->n_functions, y->n_functions);
	for (size_t i = 0; i < x->n_functions; i++) {
		const struct pd_function *a = &x->functions[i], *b = &y->functions[i];

		assert_text_equal(a->name, b->name);
		assert_text_equal(a->linkage, b->linkage);
		SAME(module), SAME(address);
	}
	assert_int_equal(x->n_sites, y->n_sites);
	for (size_t i = 0; i < x->n_sites; i++) {
		const struct pd_site *a = &x->sites[i], *b = &y->sites[i];

		assert_text_equal(a->file, b->file);
		SAME(function), SAME(address), SAME(offset), SAME(line), SAME(inlined);
	}
	assert_int_equal(x->n_types, y->n_types);
	for (size_t i = 0; i < x->n_types; i++) {
		const struct pd_type *a = &x->types[i], *b = &y->types[i];

		assert_text_equal(a->name, b->name);
		SAME(size), SAME(rank);
	}
}

static inline void assert_profiles_equal(const struct profile_data *x, const struct profile_data *y)
{
	size_t i = 0;

	for (; x->command[i] && y->command[i]; i++)
		assert_string_equal(x->command[i], y->command[i]);
	assert_true(!x->command[i] && !y->command[i]);
	assert_int_equal(x->pid, y->pid);
	assert_int_equal(x->started_ns, y->started_ns);
	assert_int_equal(x->ended_ns, y->ended_ns);
	assert_memory_equal(&x->totals, &y->totals, sizeof x->totals);
	assert_memory_equal(&x->load, &y->load, sizeof x->load);
	assert_memory_equal(&x->memory, &y->memory, sizeof x->memory);
	assert_names_equal(x, y);
	assert_trees_equal(x, y);
	assert_points_equal(x, y);
	assert_series_equal(x, y);
	assert_windows_equal(x, y);
	assert_besides_equal(x, y);
	assert_site_types_equal(x, y);
}

static inline void write_ok(const char *path, const struct profile_data *d)
{
	struct error e = { "" };

	if (datafile_write(path, d, &e))
		fail_msg("%s", e.text);
}

static inline struct profile_data *read_ok(const char *path)
{
	struct error e = { "" };
	struct profile_data *d = NULL;

	if (datafile_read(path, &d, &e))
		fail_msg("%s", e.text);
	assert_non_null(d);
	return d;
}

/* For the tests of the reader: the file they change, and what was in it. */
static const char *const bad_file = "mprof.data";

/* Reads it; must fail with @want and say @words. */
static inline void assert_unreadable(int want, const char *words)
{
	struct profile_data *d = (void *)&d;
	struct error e = { "" };
	int err = datafile_read(bad_file, &d, &e);

	if (err != want || !strstr(e.text, words) || !strstr(e.text, bad_file))
		fail_msg("%d, not %d, or no '%s' in: %s", err, want, words, e.text);
	assert_null(d);
	assert_int_equal(datafile_read(bad_file, &d, NULL), want);
}

static inline void put_file(const unsigned char *bytes, size_t n)
{
	FILE *f = fopen(bad_file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static inline unsigned char *get_file(size_t *n)
{
	struct stat st;
	FILE *f = fopen(bad_file, "r");

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	*n = (size_t)st.st_size;
	unsigned char *bytes = array(*n, 1);
	assert_int_equal(fread(bytes, 1, *n, f), *n);
	fclose(f);
	return bytes;
}

static inline struct profile_data *sample(void)
{
	return random_profile(20, 60, 700, 5);
}

static inline void write_sample(void)
{
	struct profile_data *d = sample();

	write_ok(bad_file, d);
	profile_data_free(d);
}

static inline void assert_sample(void)
{
	struct profile_data *want = sample(), *d = read_ok(bad_file);

	assert_profiles_equal(want, d);
	profile_data_free(want);
	profile_data_free(d);
}

/* Changes the sample's file with SQL, as somebody with sqlite3 could. */
static inline void change(const char *sql)
{
	sqlite3 *db;
	char *words = NULL;

	write_sample();
	assert_int_equal(sqlite3_open(bad_file, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &words))
		fail_msg("%s: %s", sql, words);
	sqlite3_close(db);
}

#endif
