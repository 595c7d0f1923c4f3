/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary: by lines of own code, without what the runtime keeps. */
#include "unit/unit.h"
#include "unit/pd_build.h"

#include "profile/own_code.h"
#include "report/summary.h"
#include "report/verdicts.h"

enum { PROGRAM, PLUGIN, LIBC, LOADER, LIBSTDCXX, MUSL, N_MODULES };

static struct profile_data *begun(void)
{
	static const char *const paths[N_MODULES] = {
		"/usr/lib/app/server",
		"/opt/app/plugin.so",
		"/usr/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
		"/lib/ld-musl-x86_64.so.1",
	};
	struct profile_data *d = profile_data_new();

	assert_non_null(d);
	d->modules = calloc(N_MODULES, sizeof *d->modules);
	assert_non_null(d->modules);
	for (; d->n_modules < N_MODULES; d->n_modules++)
		d->modules[d->n_modules] = (struct pd_module){
			strdup(paths[d->n_modules]),
			strdup(""),
			strdup("DWARF"),
		};
	d->program = PROGRAM;
	return d;
}

/* Every function is the program's but for these. */
static void finish(struct profile_data *d, const char *const *not_own, const unsigned *modules)
{
	for (size_t i = 0; i < d->n_functions; i++)
		d->functions[i].module = PROGRAM;
	for (; not_own && *not_own; not_own++, modules++)
		d->functions[pd_build_function(d, *not_own)].module = *modules;
	pd_build_finish(d);
}

static void line(struct profile_data *d, const char *function, const char *file, uint32_t number)
{
	uint32_t f = pd_build_function(d, function);

	for (size_t i = 0; i < d->n_sites; i++)
		if (d->sites[i].function == f && !d->sites[i].file) {
			d->sites[i].file = strdup(file);
			d->sites[i].line = number;
		}
}

static struct summary collected(const struct profile_data *d)
{
	struct summary s;

	assert_int_equal(summary_collect(d, NULL, &s), 0);
	return s;
}

static const char *function_of(const struct profile_data *d, const struct summary_row *r)
{
	return d->functions[d->sites[r->site].function].name;
}

static void a_line_of_own_code_has_all_that_is_kept_below_it(void **state)
{
	struct profile_data *d = begun();
	static const char *const foreign[] = {"qsort", NULL};

	(void)state;
	pd_build_chain(d, "main > load > push_back > grow > deeper", 100, 3, 1);
	pd_build_chain(d, "main > load > xmalloc", 10, 5, 0);
	pd_build_chain(d, "main > load > qsort", 1, 1, 0);
	pd_build_chain(d, "main > other", 50, 1, 0);
	pd_build_chain(d, "main > clean", 50, 9, 9);
	line(d, "push_back", "/usr/include/c++/12/bits/stl_vector.h", 5);
	line(d, "grow", "/usr/include/c++/12/bits/vector.tcc", 5);
	line(d, "deeper", "/usr/include/x86_64-linux-gnu/sys/deeper.h", 5);
	finish(d, foreign, (const unsigned[]){LIBC});
	struct summary s = collected(d);

	assert_int_equal(s.bytes, 200 + 50 + 1 + 50);
	assert_int_equal(s.blocks, 9);
	assert_int_equal(s.n, 2);
	assert_string_equal(function_of(d, &s.rows[0]), "load");
	assert_int_equal(s.rows[0].bytes, 251);
	assert_int_equal(s.rows[0].blocks, 8);
	assert_int_equal(s.rows[0].frees, 1);
	assert_true(s.rows[0].own);
	assert_string_equal(function_of(d, &s.rows[1]), "other");
	summary_release(&s);
	profile_data_free(d);
}

/* The page has the same rule: web/test/unit has the same test. */
static void who_keeps_what_others_free_is_the_cause(void **state)
{
	struct profile_data *d = begun();

	(void)state;
	pd_build_chain(d, "main > keep > make", 100, 20, 0);
	pd_build_chain(d, "main > hoard > pass > make", 8, 30, 0);
	pd_build_chain(d, "main > use > pass > make", 8, 900, 900);
	pd_build_chain(d, "main > use > make", 100, 500, 500);
	/* All that call it keep some and free some: it is the cause itself. */
	pd_build_chain(d, "main > a > cache", 60, 9, 4);
	pd_build_chain(d, "main > b > cache", 60, 9, 4);
	finish(d, NULL, NULL);
	struct summary s = collected(d);

	assert_int_equal(s.n, 3);
	assert_string_equal(function_of(d, &s.rows[0]), "keep");
	assert_int_equal(s.rows[0].bytes, 2000);
	assert_int_equal(s.rows[0].frees, 0);
	assert_string_equal(d->functions[d->sites[s.rows[0].through].function].name, "make");
	assert_string_equal(function_of(d, &s.rows[1]), "cache");
	assert_int_equal(s.rows[1].blocks, 10);
	assert_int_equal(s.rows[1].through, PD_NONE);
	assert_string_equal(function_of(d, &s.rows[2]), "hoard");
	assert_string_equal(d->functions[d->sites[s.rows[2].through].function].name, "make");
	summary_release(&s);
	profile_data_free(d);
}

static void two_lines_of_a_function_are_two_rows(void **state)
{
	struct profile_data *d = begun();

	(void)state;
	pd_build_chain(d, "main > f+1", 8, 1, 0);
	pd_build_chain(d, "main > f+2", 8, 1, 0);
	line(d, "f", "f.c", 10);
	pd_build_chain(d, "main > f+3", 4, 1, 0);
	line(d, "f", "f.c", 11);
	/* A function may be of several files: what #include and #line make of it. */
	pd_build_chain(d, "main > f+4", 3, 1, 0);
	line(d, "f", "f.y", 11);
	finish(d, NULL, NULL);
	struct summary s = collected(d);

	assert_int_equal(s.n, 3);
	assert_int_equal(s.rows[0].bytes, 16);
	assert_int_equal(s.rows[1].bytes, 4);
	assert_int_equal(s.rows[2].bytes, 3);
	summary_release(&s);
	profile_data_free(d);
}

static void without_own_code_it_is_who_requested(void **state)
{
	struct profile_data *d = begun();
	static const char *const foreign[] = {"start", "worker", NULL};

	(void)state;
	pd_build_chain(d, "start > worker", 8, 1, 0);
	pd_build_chain(d, "", 8, 1, 0);
	finish(d, foreign, (const unsigned[]){LIBC, LIBSTDCXX});
	struct summary s = collected(d);

	assert_int_equal(s.n, 2);
	assert_false(s.rows[0].own || s.rows[1].own);
	for (size_t i = 0; i < s.n; i++)
		assert_true(s.rows[i].site == PD_NONE ||
			    !strcmp(function_of(d, &s.rows[i]), "worker"));
	summary_release(&s);
	profile_data_free(d);
}

static void a_plugin_is_own_code_and_a_library_of_the_system_is_not(void **state)
{
	struct profile_data *d = begun();
	static const char *const foreign[] = {"plug", "system", "_ZNSt6vector", NULL};

	(void)state;
	pd_build_chain(d, "main > plug > system > std::inner > _ZNSt6vector > my_strdup", 8, 1, 0);
	finish(d, foreign, (const unsigned[]){PLUGIN, LIBC, PROGRAM});
	bool *own = own_code_sites(d, NULL);

	assert_non_null(own);
	for (size_t i = 0; i < d->n_sites; i++) {
		const char *name = d->functions[d->sites[i].function].name;
		bool expected = !strcmp(name, "main") || !strcmp(name, "plug") ||
				!strcmp(name, "my_strdup");

		assert_int_equal(own[i], expected);
	}
	free(own);
	profile_data_free(d);
}

static void move_function(struct profile_data *d, const char *name, unsigned module)
{
	uint32_t i = pd_build_function(d, name); /* the array may be another one after that */

	d->functions[i].module = module;
}

/* A chain below main whose innermost functions are in a module, and what it is known as. */
static void assert_kind(const char *chain, uint64_t size, unsigned module, enum runtime_kind kind)
{
	struct profile_data *d = begun();

	pd_build_chain(d, chain, size, 2, 1);
	for (size_t i = 0; i < d->n_functions; i++)
		d->functions[i].module = module;
	if (strstr(chain, "main"))
		move_function(d, "main", PROGRAM);
	if (strstr(chain, "call_init"))
		move_function(d, "call_init", LOADER);
	pd_build_finish(d);
	struct summary s = collected(d);

	if (s.runtime[kind].blocks != 1)
		fail_msg("%s is not %s", chain, runtime_word(kind));
	assert_int_equal(s.n, kind == RUNTIME_NONE);
	assert_int_equal(s.blocks, 1);
	summary_release(&s);
	profile_data_free(d);
}

static void what_the_runtime_keeps_is_known_by_name(void **state)
{
	(void)state;
	assert_kind("main > puts > _IO_file_doallocate", 1024, LIBC, RUNTIME_STDIO);
	assert_kind("main > setlocale > _nl_find_locale", 80, LIBC, RUNTIME_LOCALE);
	/* without symbols only what is exported has a name */
	assert_kind("main > setlocale > libc.so.6+0x12", 80, LIBC, RUNTIME_LOCALE);
	assert_kind("main > localtime > tzset_internal", 15, LIBC, RUNTIME_TIME_ZONE);
	assert_kind("main > getpwuid > __nss_database_get > f > g", 216, LIBC, RUNTIME_NAMES);
	assert_kind("main > getpwuid", 1024, LIBC, RUNTIME_NAMES);
	/* what somebody has to give back */
	assert_kind("main > getaddrinfo > gaih_inet", 64, LIBC, RUNTIME_NONE);
	assert_kind("main > _dl_new_object", 1200, LOADER, RUNTIME_LOADER);
	assert_kind("main > atexit > __new_exitfn", 1040, LIBC, RUNTIME_EXIT);
	assert_kind("call_init > libstdc++.so.6+0x1", 72704, LIBSTDCXX, RUNTIME_EMERGENCY);
	assert_kind("libstdc++.so.6+0x1", 73728, LIBSTDCXX, RUNTIME_EMERGENCY);
	assert_kind("_GLOBAL__sub_I_eh_alloc.cc", 72704, PROGRAM, RUNTIME_EMERGENCY);
}

static void in_a_static_program_names_with_an_underscore_are_the_librarys(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	assert_non_null(d);
	d->modules = calloc(1, sizeof *d->modules);
	assert_non_null(d->modules);
	d->modules[d->n_modules++] =
		(struct pd_module){strdup("/opt/static"), strdup(""), strdup("")};
	d->program = 0;
	pd_build_chain(d, "main > puts > _IO_file_doallocate", 1024, 1, 0);
	pd_build_chain(d, "main > mine", 10, 1, 0);
	finish(d, NULL, NULL);
	struct summary s = collected(d);

	assert_int_equal(s.runtime[RUNTIME_STDIO].bytes, 1024);
	assert_int_equal(s.n, 1);
	summary_release(&s);
	profile_data_free(d);
}

static void what_looks_like_that_and_is_the_programs_is_not(void **state)
{
	(void)state;
	assert_kind("main > fopen", 472, LIBC, RUNTIME_NONE);
	assert_kind("main > newlocale", 160, LIBC, RUNTIME_NONE);
	assert_kind("main > strdup", 16, MUSL, RUNTIME_NONE);
	assert_kind("main > libstdc++.so.6+0x1", 72704, LIBSTDCXX, RUNTIME_NONE);
	assert_kind("call_init > libstdc++.so.6+0x1", 72705, LIBSTDCXX, RUNTIME_NONE);
	assert_kind("main > setlocale", 72, PROGRAM, RUNTIME_NONE);
	assert_kind("main > read_setlocale > helper", 72, PROGRAM, RUNTIME_NONE);
	assert_kind("call_init > _GLOBAL__sub_I_main.cpp", 72, PROGRAM, RUNTIME_NONE);
	/* with a C library of its own these are the program's */
	assert_kind("main > _nl_mine > _helper", 72, PROGRAM, RUNTIME_NONE);
	assert_kind("main > _dl_mine", 72, PROGRAM, RUNTIME_NONE);
}

static void windows(struct profile_data *d, const char *function, uint64_t step)
{
	for (uint32_t node = PD_FIRST_NODE; node < d->n_nodes; node++) {
		const struct pd_site *s = &d->sites[d->nodes[node].site];

		if (strcmp(d->functions[s->function].name, function))
			continue;
		for (uint32_t i = 0; i < d->windows_over; i++) {
			uint64_t low = step * i, high = step * (i + 1);

			d->windows = pd_build_grow(d->windows, d->n_windows, sizeof *d->windows);
			d->windows[d->n_windows++] =
				(struct pd_window){node, i, step, low, high, low, high};
		}
	}
}

static void what_grows_comes_before_what_keeps_most(void **state)
{
	struct profile_data *d = begun();

	(void)state;
	pd_build_chain(d, "main > big", 1, 100000, 0);
	pd_build_chain(d, "main > slow", 1, 80, 0);
	pd_build_chain(d, "main > fast", 1, 160, 0);
	for (char name[] = "main > a"; name[7] < 'f'; name[7]++)
		pd_build_chain(d, name, 1, 2, 0);
	finish(d, NULL, NULL);
	d->window_ns = 1000000000;
	d->windows_over = 40;
	windows(d, "slow", 2);
	windows(d, "fast", 4);
	struct summary s = collected(d);

	assert_int_equal(s.n, 8);
	assert_int_equal(s.growing, 2);
	assert_string_equal(function_of(d, &s.rows[0]), "fast");
	assert_string_equal(function_of(d, &s.rows[1]), "slow");
	assert_int_equal(s.rows[1].verdict.name, TREND_GROWS);
	assert_string_equal(function_of(d, &s.rows[2]), "big");
	assert_int_equal(s.rows[7].bytes, 2);
	summary_release(&s);
	profile_data_free(d);
}

static void lose(struct profile_data *d, const char *function, enum pd_reach_class class,
		 uint64_t blocks)
{
	for (size_t i = 0; i < d->n_leaves; i++) {
		uint32_t site = d->nodes[d->leaves[i].node].site;

		if (!strcmp(d->functions[d->sites[site].function].name, function))
			d->leaves[i].reach[class] = blocks;
	}
}

/* Lost blocks do not replace blocks from before. */
static void how_much_has_grown_is_told_without_what_is_lost(void **state)
{
	struct profile_data *d = begun();

	(void)state;
	pd_build_chain(d, "main > leak", 1, 100, 0);
	pd_build_chain(d, "main > cache", 1, 60, 0);
	pd_build_chain(d, "main > big", 1, 1000, 0);
	finish(d, NULL, NULL);
	d->window_ns = 1000000000;
	d->windows_over = 40;
	windows(d, "leak", 2);
	windows(d, "cache", 4);
	d->reach.known = 1;
	lose(d, "leak", PD_LOST, 70);
	lose(d, "leak", PD_LOST_THROUGH, 30);
	lose(d, "cache", PD_POSSIBLE, 5);
	lose(d, "big", PD_LOST, 5);
	struct summary s = collected(d);

	assert_int_equal(s.growing, 2);
	assert_int_equal(s.grown, 60);
	summary_release(&s);
	profile_data_free(d);
}

static void hang(struct profile_data *d, const char *function, uint64_t blocks, uint64_t bytes)
{
	for (size_t i = 0; i < d->n_leaves; i++) {
		uint32_t site = d->nodes[d->leaves[i].node].site;

		if (!strcmp(d->functions[d->sites[site].function].name, function))
			d->leaves[i].hanging = (struct pd_sum){blocks, bytes};
	}
}

static void assert_order(const struct profile_data *d, const struct summary *s,
			 const char *const *names)
{
	size_t i = 0;

	for (; i < s->n && names[i]; i++)
		assert_string_equal(function_of(d, &s->rows[i]), names[i]);
	assert_int_equal(i, s->n);
	assert_null(names[i]);
}

/* By direct losses and what hangs on these, not by what hangs on others. */
static void lost_rows_are_in_the_order_of_what_would_go_with_them(void **state)
{
	struct profile_data *d = begun();
	char text[VERDICT_TEXT];

	(void)state;
	pd_build_chain(d, "main > children", 100, 1000, 0);
	pd_build_chain(d, "main > rare", 100, 800, 0);
	pd_build_chain(d, "main > heads", 10, 3, 0);
	pd_build_chain(d, "main > alone", 1, 500, 0);
	pd_build_chain(d, "main > half", 1, 10, 0);
	finish(d, NULL, NULL);
	d->reach.known = 1;
	lose(d, "children", PD_LOST_THROUGH, 999);
	lose(d, "rare", PD_LOST, 1);
	lose(d, "rare", PD_LOST_THROUGH, 700);
	lose(d, "heads", PD_LOST, 3);
	hang(d, "heads", 1699, 200000);
	lose(d, "alone", PD_LOST, 500);
	lose(d, "half", PD_LOST_THROUGH, 5);
	struct summary s = collected(d);

	assert_order(d, &s,
		     (const char *[]){"heads", "alone", "rare", "half", "children", NULL});
	assert_int_equal(s.n_hanging, 1);
	assert_int_equal(s.rows[0].hanging.blocks, 1699);
	assert_int_equal(s.rows[0].hanging.bytes, 200000);
	assert_true(verdict_lost_text(text, s.rows[2].reach, s.rows[2].blocks));
	assert_string_equal(text, "LOST 1+700 of 800");
	assert_true(verdict_lost_text(text, s.rows[4].reach, s.rows[4].blocks));
	assert_string_equal(text, "LOST 0+999 of 1000");
	summary_release(&s);
	profile_data_free(d);
}

static void a_lost_row_has_the_caller_of_most_of_it(void **state)
{
	struct profile_data *d = begun();

	(void)state;
	pd_build_chain(d, "main > few > block", 5, 4, 0);
	pd_build_chain(d, "main > most > qsort > block > block", 6, 4, 0);
	pd_build_chain(d, "main > kept > block", 7, 1000, 0);
	pd_build_chain(d, "main > most > xmalloc > calloc_it", 8, 1, 0);
	finish(d, (const char *[]){"qsort", NULL}, (const unsigned[]){LIBC});
	d->reach.known = 1;
	for (size_t i = 0; i < d->n_leaves; i++)
		d->leaves[i].reach[PD_LOST] = d->leaves[i].size < 7 ? 4 : 0;
	struct summary s = collected(d);

	assert_order(d, &s, (const char *[]){"block", "most", NULL});
	assert_int_equal(s.rows[0].callers, 2);
	assert_string_equal(d->functions[d->sites[s.rows[0].caller].function].name, "most");
	assert_int_equal(s.rows[1].callers, 0);
	summary_release(&s);
	profile_data_free(d);
}

static void what_is_lost_and_grows_says_how_fast(void **state)
{
	struct profile_data *d = begun();
	char text[VERDICT_TEXT];

	(void)state;
	pd_build_chain(d, "main > loses", 1, 80, 0);
	pd_build_chain(d, "main > still", 1, 80, 0);
	finish(d, NULL, NULL);
	d->window_ns = 1000000000;
	d->windows_over = 40;
	windows(d, "loses", 2);
	d->reach.known = 1;
	lose(d, "loses", PD_LOST, 80);
	lose(d, "still", PD_LOST, 79);
	struct summary s = collected(d);

	assert_order(d, &s, (const char *[]){"loses", "still", NULL});
	verdict_lost_text(text, s.rows[0].reach, s.rows[0].blocks);
	verdict_append_growth(text, &s.rows[0].verdict);
	assert_string_equal(text, "LOST, grows 7.2 kB/h, 7200/h");
	verdict_lost_text(text, s.rows[1].reach, s.rows[1].blocks);
	verdict_append_growth(text, &s.rows[1].verdict);
	assert_string_equal(text, "LOST 79 of 80");
	summary_release(&s);
	profile_data_free(d);
}

/* What is lost through others comes last. */
static void what_is_lost_comes_before_what_grows(void **state)
{
	struct profile_data *d = begun();
	char text[VERDICT_TEXT];

	(void)state;
	pd_build_chain(d, "main > big", 1, 100000, 0);
	pd_build_chain(d, "main > fast", 1, 160, 0);
	pd_build_chain(d, "main > behind", 1, 50, 0);
	pd_build_chain(d, "main > heads", 1, 4, 1);
	pd_build_chain(d, "main > perhaps", 1, 5, 0);
	finish(d, NULL, NULL);
	d->window_ns = 1000000000;
	d->windows_over = 40;
	windows(d, "fast", 4);
	d->reach.known = 1;
	lose(d, "behind", PD_LOST_THROUGH, 50);
	lose(d, "heads", PD_LOST, 2);
	lose(d, "perhaps", PD_POSSIBLE, 5);
	struct summary s = collected(d);

	assert_order(d, &s, (const char *[]){"heads", "fast", "big", "perhaps", "behind", NULL});
	assert_int_equal(s.n_hanging, 1);
	assert_int_equal(s.reach[PD_LOST].blocks, 2);
	assert_int_equal(s.reach[PD_LOST_THROUGH].bytes, 50);
	assert_int_equal(s.reach[PD_POSSIBLE].blocks, 5);
	assert_true(verdict_lost_text(text, s.rows[0].reach, s.rows[0].blocks));
	assert_string_equal(text, "LOST 2 of 3");
	assert_true(verdict_lost_text(text, s.rows[4].reach, s.rows[4].blocks));
	assert_string_equal(text, "LOST through others");
	assert_false(verdict_lost_text(text, s.rows[3].reach, s.rows[3].blocks));
	summary_sort_by_growth(&s);
	assert_string_equal(function_of(d, &s.rows[0]), "fast");
	assert_int_equal(s.n_hanging, 0);
	summary_release(&s);
	profile_data_free(d);
}

/* Many blocks of one chain came and went; the kept ones are of others, with too few requests. */
static void a_verdict_is_about_what_is_kept(void **state)
{
	struct profile_data *d = begun();

	(void)state;
	pd_build_chain(d, "main > own > xalloc > often", 1, 80, 79);
	pd_build_chain(d, "main > own > xalloc > a", 1, 1, 0);
	finish(d, (const char *[]){"often", "a", NULL}, (const unsigned[]){LIBC, LIBC});
	d->window_ns = 1000000000;
	d->windows_over = 40;
	windows(d, "often", 0);
	for (size_t i = 0; i < d->n_windows; i++) {
		d->windows[i].births = 2;
		d->windows[i].high = 1;
	}
	struct summary s = collected(d);

	assert_int_equal(s.n, 1);
	assert_int_equal(s.rows[0].blocks, 2);
	assert_int_equal(s.rows[0].verdict.name, TREND_BRIEF);
	summary_release(&s);
	d->leaves[0].frees = d->leaves[0].allocs == 80 ? 80 : 0;
	d->leaves[1].frees = d->leaves[1].allocs == 80 ? 80 : 0;
	s = collected(d);
	assert_int_equal(s.rows[0].blocks, 1);
	assert_int_equal(s.rows[0].verdict.name, TREND_TOO_EARLY);
	summary_release(&s);
	profile_data_free(d);
}

static void of_nothing_there_is_nothing(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	assert_non_null(d);
	struct summary s = collected(d);

	assert_int_equal(s.n, 0);
	assert_int_equal(s.blocks, 0);
	summary_release(&s);
	profile_data_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_of_own_code_has_all_that_is_kept_below_it),
		cmocka_unit_test(who_keeps_what_others_free_is_the_cause),
		cmocka_unit_test(two_lines_of_a_function_are_two_rows),
		cmocka_unit_test(without_own_code_it_is_who_requested),
		cmocka_unit_test(a_plugin_is_own_code_and_a_library_of_the_system_is_not),
		cmocka_unit_test(what_the_runtime_keeps_is_known_by_name),
		cmocka_unit_test(in_a_static_program_names_with_an_underscore_are_the_librarys),
		cmocka_unit_test(what_looks_like_that_and_is_the_programs_is_not),
		cmocka_unit_test(what_grows_comes_before_what_keeps_most),
		cmocka_unit_test(how_much_has_grown_is_told_without_what_is_lost),
		cmocka_unit_test(lost_rows_are_in_the_order_of_what_would_go_with_them),
		cmocka_unit_test(a_lost_row_has_the_caller_of_most_of_it),
		cmocka_unit_test(what_is_lost_and_grows_says_how_fast),
		cmocka_unit_test(what_is_lost_comes_before_what_grows),
		cmocka_unit_test(a_verdict_is_about_what_is_kept),
		cmocka_unit_test(of_nothing_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
