/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles are checked against conditions. */
#include "unit/unit.h"

#include "gate/gate.h"
#include "unit/pd_build.h"

#include <errno.h>
#include <unistd.h>

/* 10 x 100 by make, 4 of them kept; 3 x 8 by xmalloc for load, all kept; 2 x 50 by a chain that was
 * cut, one kept. */
static struct profile_data *example(void)
{
	struct profile_data *d = profile_data_new();

	assert_non_null(d);
	pd_build_chain(d, "main+1 > build+2 > make+3", 100, 10, 6);
	pd_build_chain(d, "main+5 > load+6 > malloc+7", 8, 3, 0);
	pd_build_cut_chain(d, "other+9", 50, 2, 1);
	pd_build_finish(d);
	d->pid = 77;
	return d;
}

static void suppress(struct gate *g, const char *lines)
{
	char path[] = "/tmp/mprof-gate-XXXXXX";
	struct error e;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, lines, strlen(lines)), strlen(lines));
	close(fd);
	int err = gate_suppressions_read(&g->suppressions, path, &e);
	unlink(path);
	if (err)
		fail_msg("%s", e.text);
}

/* One condition, held against one profile. */
static struct gate judged(const struct profile_data *d, const char *text, const char *suppressed)
{
	const char *const texts[] = {text, NULL};
	struct gate g = {0};

	assert_int_equal(gate_add_conditions(&g, texts), 0);
	if (suppressed)
		suppress(&g, suppressed);
	assert_int_equal(gate_judge(&g, d), 0);
	assert_int_equal(g.n_results, 1);
	return g;
}

static void figure_is(const struct profile_data *d, const char *figure, uint64_t low, uint64_t high,
		      unsigned doubts)
{
	char text[128];

	snprintf(text, sizeof text, "%s>0", figure);
	struct gate g = judged(d, text, NULL);
	const struct gate_value *v = &g.results[0].now;

	if (v->is.low != low || v->is.high != high || v->doubts != doubts)
		fail_msg("%s: %lu to %lu, doubts %x", figure, v->is.low, v->is.high, v->doubts);
	gate_release(&g);
}

static void figures_of_the_whole_are_the_totals(void **state)
{
	(void)state;
	struct profile_data *d = example();

	figure_is(d, "allocs", 15, 15, 0);
	figure_is(d, "frees", 7, 7, 0);
	figure_is(d, "bytes", 1124, 1124, 0);
	figure_is(d, "kept", 474, 474, 0);
	figure_is(d, "kept-blocks", 8, 8, 0);
	figure_is(d, "peak", 1124, 1124, 0);
	figure_is(d, "temporary", 0, 0, 0);
	profile_data_free(d);
}

static void a_site_has_what_it_and_those_it_calls_request(void **state)
{
	(void)state;
	struct profile_data *d = example();

	/* What was cut may have been theirs. */
	figure_is(d, "kept(make)", 400, 450, GATE_TRUNCATED);
	figure_is(d, "kept(build)", 400, 450, GATE_TRUNCATED);
	figure_is(d, "kept-blocks(main)", 7, 8, GATE_TRUNCATED);
	figure_is(d, "kept(other)", 50, 50, 0);
	figure_is(d, "allocs(*)", 15, 15, 0);
	figure_is(d, "kept(mak)", 0, 50, GATE_TRUNCATED);
	figure_is(d, "peak(make)", 1000, 1100, GATE_TRUNCATED);
	/* Once, however often it is in a chain. */
	pd_build_chain(d, "main+1 > build+2 > build+2 > build+4", 1, 7, 7);
	figure_is(d, "allocs(build)", 17, 19, GATE_TRUNCATED);
	profile_data_free(d);
}

static void a_function_without_a_name_may_be_any_of_the_programs_own(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > named", 10, 2, 0);
	pd_build_chain(d, "main > x", 10, 3, 0);
	pd_build_chain(d, "main > y", 10, 5, 0);
	pd_build_finish(d);
	d->modules = calloc(2, sizeof *d->modules);
	d->n_modules = 2;
	d->modules[0] = (struct pd_module){strdup("/opt/a.out"), strdup(""), strdup("")};
	d->modules[1] = (struct pd_module){strdup("/usr/lib/libc.so.6"), strdup(""), strdup("")};
	d->program = 0;
	for (size_t i = 0; i < d->n_functions; i++) {
		struct pd_function *f = &d->functions[i];
		bool x = !strcmp(f->name, "x"), y = !strcmp(f->name, "y");

		f->module = y;
		if (x || y) {
			free(f->name);
			f->name = strdup(x ? "a.out+0x12" : "libc.so.6+0x34");
		}
	}
	figure_is(d, "kept(named)", 20, 50, GATE_NAMELESS);
	figure_is(d, "kept(main)", 100, 100, 0);
	figure_is(d, "kept", 100, 100, 0);
	profile_data_free(d);
}

/* 1000 of the program, 4096 of the C library's stdio, in one module each. */
static struct profile_data *with_a_runtime(void)
{
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main+1 > make+2", 1000, 1, 0);
	pd_build_chain(d, "main+3 > puts+4 > _IO_file_doallocate+5", 4096, 1, 0);
	pd_build_finish(d);
	d->modules = calloc(1, sizeof *d->modules);
	d->n_modules = 1;
	d->modules[0] = (struct pd_module){strdup("/usr/lib/libc.so.6"), strdup(""), strdup("")};
	for (size_t i = 0; i < d->n_functions; i++)
		if (strcmp(d->functions[i].name, "main") && strcmp(d->functions[i].name, "make"))
			d->functions[i].module = 0;
	return d;
}

static void what_the_runtime_keeps_is_not_kept_by_the_program(void **state)
{
	(void)state;
	struct profile_data *d = with_a_runtime();
	char text[512];

	figure_is(d, "kept", 1000, 1000, 0);
	figure_is(d, "kept-blocks", 1, 1, 0);
	figure_is(d, "kept(main)", 1000, 1000, 0);
	figure_is(d, "kept(puts)", 0, 0, 0);
	figure_is(d, "unfreed", 5096, 5096, 0);
	figure_is(d, "unfreed-blocks(puts)", 1, 1, 0);
	figure_is(d, "bytes", 5096, 5096, 0);

	struct gate g = judged(d, "kept>0", NULL);
	assert_int_equal(g.results[0].rows.n, 1);
	assert_string_equal(g.results[0].rows.items[0].path, "main > make");
	assert_true(gate_runtime_print(&g, 0, text, sizeof text));
	assert_string_equal(text, "--fail-if=kept does not count 4096 bytes in 1 block that the "
				  "runtime keeps (stdio buffers 4096): unfreed does");
	gate_release(&g);
	g = judged(d, "unfreed>0", NULL);
	assert_int_equal(g.results[0].rows.n, 2);
	assert_false(gate_runtime_print(&g, 0, text, sizeof text));
	gate_release(&g);
	/* What is suppressed is said as that. */
	g = judged(d, "kept>0", "leak:puts\n");
	assert_false(gate_runtime_print(&g, 0, text, sizeof text));
	gate_release(&g);
	profile_data_free(d);
}

static void what_was_not_seen_makes_figures_uncertain(void **state)
{
	(void)state;
	struct profile_data *d = example();

	d->unseen.lost = 3;
	figure_is(d, "allocs", 15, 18, GATE_UNCOUNTED);
	figure_is(d, "frees", 7, 10, GATE_UNCOUNTED);
	figure_is(d, "kept-blocks", 5, 11, GATE_UNCOUNTED);
	figure_is(d, "kept", 0, UINT64_MAX, GATE_UNCOUNTED);
	figure_is(d, "bytes", 1124, UINT64_MAX, GATE_UNCOUNTED);
	d->unseen.lost = 0;
	d->unseen.doubtful = 4;
	figure_is(d, "allocs", 11, 15, GATE_DOUBTFUL);
	figure_is(d, "bytes", 0, 1124, GATE_DOUBTFUL);
	d->unseen.doubtful = 0;
	d->unseen.untrapped = 1;
	figure_is(d, "kept", 0, UINT64_MAX, GATE_UNTRAPPED);
	figure_is(d, "allocs", 15, UINT64_MAX, GATE_UNTRAPPED);
	d->unseen.untrapped = 0;
	for (size_t i = 0; i < d->n_leaves; i++)
		d->leaves[i].at_peak = 0;
	figure_is(d, "peak", 1124, 1124, 0);
	figure_is(d, "peak(make)", 0, 1124, GATE_NO_PEAK);
	profile_data_free(d);
}

/* What was seen is certain; what was not seen may be anything. */
static void in_a_pause_there_may_have_been_more_of_everything(void **state)
{
	(void)state;
	struct profile_data *d = example();

	d->unseen.pauses = 1;
	d->totals.missed = 2;
	figure_is(d, "allocs", 15, UINT64_MAX, GATE_PAUSED);
	figure_is(d, "bytes", 1124, UINT64_MAX, GATE_PAUSED);
	figure_is(d, "frees", 5, UINT64_MAX, GATE_PAUSED); /* two of the seven were not seen */
	figure_is(d, "kept-blocks", 8, UINT64_MAX, GATE_PAUSED);
	figure_is(d, "peak", 1124, UINT64_MAX, GATE_PAUSED);
	figure_is(d, "peak(make)", 0, UINT64_MAX, GATE_PAUSED | GATE_TRUNCATED);
	d->reach.known = 1; /* a look comes after all of them */
	figure_is(d, "lost", 0, 0, 0);
	struct gate g = judged(d, "kept-blocks>7", NULL);
	assert_int_equal(g.results[0].outcome, GATE_BROKEN);
	gate_release(&g);
	g = judged(d, "kept-blocks>8", NULL);
	assert_int_equal(g.results[0].outcome, GATE_CANNOT_TELL);
	gate_release(&g);
	g = judged(d, "allocs<15", NULL);
	assert_int_equal(g.results[0].outcome, GATE_PASSED);
	gate_release(&g);
	profile_data_free(d);
}

static void what_is_lost_is_known_when_somebody_has_looked(void **state)
{
	(void)state;
	struct profile_data *d = example();

	figure_is(d, "lost", 0, UINT64_MAX, GATE_NO_LOOK);
	figure_is(d, "lost(make)", 0, UINT64_MAX, GATE_NO_LOOK);
	d->reach.known = 1;
	/* One of make's, and two that nobody saw requested; usable bytes. */
	d->reach.sums[PD_LOST] = (struct pd_sum){2, 204};
	d->reach.sums[PD_LOST_THROUGH] = (struct pd_sum){1, 24};
	d->reach.sums[PD_POSSIBLE] = (struct pd_sum){1, 24};
	for (size_t i = 0; i < d->n_leaves; i++)
		if (d->leaves[i].size == 100)
			d->leaves[i].reach[PD_LOST] = 1;
	figure_is(d, "lost", 228, 228, 0);
	figure_is(d, "lost-blocks", 3, 3, 0);
	figure_is(d, "possible", 24, 24, 0);
	figure_is(d, "possible-blocks", 1, 1, 0);
	figure_is(d, "lost(make)", 100, 100, 0);
	struct gate g = judged(d, "lost>0", "leak:make\n");
	assert_int_equal(g.results[0].now.is.low, 0);
	assert_int_equal(g.results[0].now.is.high, 128);
	assert_int_equal(g.results[0].now.doubts, GATE_USABLE);
	assert_int_equal(g.results[0].outcome, GATE_CANNOT_TELL);
	gate_release(&g);
	profile_data_free(d);
}

static void temporary_blocks_are_those_of_the_lifetimes(void **state)
{
	(void)state;
	struct profile_data *d = example();
	uint32_t node = d->leaves[0].node;

	d->lifetimes = calloc(2, sizeof *d->lifetimes);
	d->n_lifetimes = 2;
	d->lifetimes[0] = (struct pd_lifetime){node, PD_LIFE_EVENTS, 0, 6};
	d->lifetimes[1] = (struct pd_lifetime){node, PD_LIFE_TEMPORARY, 0, 5};
	figure_is(d, "temporary", 5, 5, 0);
	figure_is(d, "temporary(make)", 5, 5, 0);
	figure_is(d, "temporary(load)", 0, 0, 0);
	d->n_lifetimes = 0;
	d->spared.lifetimes = 1;
	figure_is(d, "temporary", 0, UINT64_MAX, GATE_SPARED);
	profile_data_free(d);
}

static void suppressions_take_out_what_is_kept_and_are_counted(void **state)
{
	(void)state;
	static const char lines[] = "# known\n\n  leak:^mak*\r\nleak:nothing\nleak:build\n";
	struct profile_data *d = example();
	struct gate g = judged(d, "kept>0", lines);
	const struct gate_suppression *s = g.suppressions.items;

	assert_int_equal(g.results[0].now.is.low, 74);
	assert_int_equal(g.results[0].now.is.high, 74);
	assert_int_equal(g.suppressions.n, 3);
	/* That of the innermost place has it. */
	assert_int_equal(s[0].blocks, 4);
	assert_int_equal(s[0].bytes, 400);
	assert_int_equal(s[0].line, 3);
	assert_int_equal(s[1].blocks, 0);
	assert_int_equal(s[2].blocks, 0);
	assert_int_equal(g.results[0].rows.n, 2);
	gate_release(&g);
	/* What is not about what is kept counts all. */
	g = judged(d, "bytes>0", lines);
	assert_int_equal(g.results[0].now.is.low, 1124);
	gate_release(&g);
	g = judged(d, "peak>0", lines);
	assert_int_equal(g.results[0].now.is.low, 1124);
	gate_release(&g);
	g = judged(d, "kept(make)>0", lines);
	assert_int_equal(g.results[0].now.is.low, 0);
	assert_false(gate_is_unmet(&g, 0));
	gate_release(&g);
	profile_data_free(d);
}

static void suppressions_match_files_modules_and_names_of_the_linker(void **state)
{
	(void)state;
	static const char *const lines[] = {"leak:/src/widgets.c$\n", "leak:^/opt/libw*.so\n",
					    "leak:_Zmake\n"};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct profile_data *d = example();

		d->modules = calloc(1, sizeof *d->modules);
		d->n_modules = 1;
		d->modules[0] = (struct pd_module){strdup("/opt/libwidgets.so"), strdup(""),
						   strdup("")};
		for (size_t k = 0; k < d->n_sites; k++) {
			struct pd_function *f = &d->functions[d->sites[k].function];

			if (strcmp(f->name, "make"))
				continue;
			d->sites[k].file = strdup("/home/src/widgets.c");
			f->module = 0;
			free(f->linkage);
			f->linkage = strdup("_Zmakev");
		}
		struct gate g = judged(d, "kept>0", lines[i]);
		assert_int_equal(g.suppressions.items[0].blocks, 4);
		gate_release(&g);
		profile_data_free(d);
	}
}

static void lines_that_are_no_suppressions_are_refused(void **state)
{
	(void)state;
	static const char *const lines[] = {"leak:a\nrace:b\n", "leak:\n", "leak:*\n", "leak\n",
					    "Leak:a\n", "leak:^$\n"};
	char path[] = "/tmp/mprof-gate-XXXXXX";
	struct error e;

	close(mkstemp(path));
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct gate_suppressions s = {0};
		FILE *f = fopen(path, "w");

		fputs(lines[i], f);
		fclose(f);
		assert_int_equal(gate_suppressions_read(&s, path, &e), -EINVAL);
		assert_non_null(strstr(e.text, i ? "line 1: " : "line 2: \"race:b\" is no supp"));
		gate_suppressions_release(&s);
	}
	struct gate_suppressions s = {0};
	unlink(path);
	assert_int_equal(gate_suppressions_read(&s, path, &e), -ENOENT);
	gate_suppressions_release(&s);
}

static void rows_are_by_path_and_most_comes_first(void **state)
{
	(void)state;
	struct profile_data *d = example();

	pd_build_chain(d, "main+8 > build+9 > make+3", 100, 1, 0);
	struct gate g = judged(d, "kept>0", NULL);
	const struct gate_rows *rows = &g.results[0].rows;

	assert_int_equal(rows->n, 3);
	assert_string_equal(rows->items[0].path, "main > build > make");
	assert_string_equal(rows->items[0].function, "make");
	assert_int_equal(rows->items[0].value, 500);
	assert_int_equal(rows->items[0].blocks, 5);
	assert_string_equal(rows->items[1].path, "...> other");
	assert_int_equal(rows->items[1].value, 50);
	/* Who allocates for others is not who requests. */
	assert_string_equal(rows->items[2].path, "main > load");
	assert_int_equal(rows->items[2].value, 24);
	gate_release(&g);
	profile_data_free(d);
}

/* The largest that a file may have, of several processes. */
static void sums_that_do_not_fit_are_as_much_as_fits(void **state)
{
	(void)state;
	const char *const texts[] = {"kept>0", NULL};
	struct profile_data *d = profile_data_new();
	struct gate g = {0};
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	pd_build_chain(d, "main+1 > huge+2", UINT64_MAX / 2 + 5, 1, 0);
	pd_build_chain(d, "main+2 > huge+2", UINT64_MAX / 2 - 9, 1, 0);
	pd_build_finish(d);
	assert_int_equal(gate_add_conditions(&g, texts), 0);
	suppress(&g, "leak:no_such_function\n");
	for (int i = 0; i < 3; i++)
		assert_int_equal(gate_judge(&g, d), 0);
	assert_int_equal(g.results[0].rows.items[0].value, INT64_MAX);
	assert_int_equal(gate_table_print(&g, out), 0);
	fclose(out);
	assert_non_null(strstr(text, "18446744073709551615"));
	assert_null(strstr(strstr(text, "all"), "1844674407370955160"));
	free(text);
	gate_release(&g);
	memset(&g, 0, sizeof g);
	assert_int_equal(gate_add_conditions(&g, texts), 0);
	suppress(&g, "leak:huge\n");
	for (int i = 0; i < 3; i++)
		assert_int_equal(gate_judge(&g, d), 0);
	assert_true(g.suppressions.items[0].bytes == UINT64_MAX);
	gate_release(&g);
	profile_data_free(d);
}

static void only_the_first_rows_are_kept_and_the_others_counted(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();
	char chain[64];

	for (int i = 0; i < GATE_ROWS + 5; i++) {
		snprintf(chain, sizeof chain, "a > b > c > d > e > f > site%02d", i);
		pd_build_chain(d, chain, 10, (uint64_t)i + 1, 0);
	}
	pd_build_finish(d);
	struct gate g = judged(d, "allocs>0", NULL);
	const struct gate_rows *rows = &g.results[0].rows;

	assert_int_equal(rows->n, GATE_ROWS);
	assert_int_equal(rows->n_all, GATE_ROWS + 5);
	assert_string_equal(rows->items[0].path, "...> c > d > e > f > site14");
	assert_int_equal(rows->items[0].value, 15);
	gate_release(&g);
	profile_data_free(d);
}

static void growth_is_since_the_base_whole_and_by_row(void **state)
{
	(void)state;
	const char *const texts[] = {"kept>+0", "kept(make)>+10%", "allocs<+0", "kept>0",
				     "kept>-50%", NULL};
	struct profile_data *now = example(), *base = profile_data_new();
	struct gate g = {0};

	pd_build_chain(base, "main+1 > build+2 > make+3", 100, 3, 0);
	pd_build_chain(base, "main+5 > gone+6", 9, 2, 0);
	pd_build_finish(base);
	assert_int_equal(gate_add_conditions(&g, texts), 0);
	assert_ptr_equal(gate_growth(&g), &g.conditions[0]);
	suppress(&g, "leak:load\nleak:other\n");
	assert_int_equal(gate_set_base(&g, base), 0);
	assert_int_equal(gate_judge(&g, now), 0);
	assert_int_equal(g.results[0].now.is.low, 400);
	assert_int_equal(g.results[0].base.is.low, 318);
	assert_int_equal(g.results[0].outcome, GATE_BROKEN);
	/* What has become less is in the answer only where less was asked about. */
	assert_int_equal(g.results[0].rows.n, 1);
	assert_int_equal(g.results[0].rows.n_all, 1);
	assert_int_equal(g.results[0].rows.items[0].value, 100);
	assert_int_equal(g.results[4].rows.n, 2);
	assert_string_equal(g.results[4].rows.items[1].path, "main > gone");
	assert_int_equal(g.results[4].rows.items[1].value, -18);
	assert_int_equal(g.results[1].outcome, GATE_BROKEN);
	assert_int_equal(g.results[2].outcome, GATE_PASSED);
	assert_int_equal(g.results[3].rows.n, 1);
	char text[512];
	gate_result_print(&g, &g.results[0], text, sizeof text);
	assert_string_equal(text, "there are 400 bytes, and in the base 318 bytes");
	gate_release(&g);
	profile_data_free(now);
}

static void of_several_processes_the_worst_counts(void **state)
{
	(void)state;
	const char *const texts[] = {"kept(make)>100", "kept(nobody)>1G", "kept(make)>100", NULL};
	struct profile_data *a = example(), *b = profile_data_new();
	struct gate g = {0};

	pd_build_finish(b);
	assert_int_equal(gate_add_conditions(&g, texts), 0);
	assert_int_equal(g.n_conditions, 2);
	assert_int_equal(gate_judge(&g, b), 0);
	assert_int_equal(gate_outcome(&g), GATE_PASSED);
	assert_true(gate_is_unmet(&g, 0));
	assert_int_equal(gate_judge(&g, a), 0);
	assert_int_equal(gate_outcome(&g), GATE_BROKEN);
	assert_false(gate_is_unmet(&g, 0));
	assert_true(gate_is_unmet(&g, 1));
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	assert_int_equal(gate_table_print(&g, out), 0);
	fclose(out);
	assert_string_equal(text,
			    " process  kept(make)>100    kept(nobody)>1G    program\n"
			    "       0               0                  0    ?\n"
			    "      77         400-450 !             0-50    ?\n"
			    "     all         400-450               0-50    2 processes\n");
	free(text);
	gate_release(&g);
	profile_data_free(a);
	profile_data_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_of_the_whole_are_the_totals),
		cmocka_unit_test(a_site_has_what_it_and_those_it_calls_request),
		cmocka_unit_test(a_function_without_a_name_may_be_any_of_the_programs_own),
		cmocka_unit_test(what_the_runtime_keeps_is_not_kept_by_the_program),
		cmocka_unit_test(what_was_not_seen_makes_figures_uncertain),
		cmocka_unit_test(in_a_pause_there_may_have_been_more_of_everything),
		cmocka_unit_test(what_is_lost_is_known_when_somebody_has_looked),
		cmocka_unit_test(temporary_blocks_are_those_of_the_lifetimes),
		cmocka_unit_test(suppressions_take_out_what_is_kept_and_are_counted),
		cmocka_unit_test(suppressions_match_files_modules_and_names_of_the_linker),
		cmocka_unit_test(lines_that_are_no_suppressions_are_refused),
		cmocka_unit_test(rows_are_by_path_and_most_comes_first),
		cmocka_unit_test(sums_that_do_not_fit_are_as_much_as_fits),
		cmocka_unit_test(only_the_first_rows_are_kept_and_the_others_counted),
		cmocka_unit_test(growth_is_since_the_base_whole_and_by_row),
		cmocka_unit_test(of_several_processes_the_worst_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
