/* SPDX-License-Identifier: BSD-2-Clause */
/* What --inlines, --names and --types leave out of a profile. */
#include "unit/test_report_text.h"

#include "naming/view.h"
#include "profile/pd_site_types.h"

static void inline_site(struct profile_data *d, const char *function, uint64_t offset)
{
	d->sites[pd_build_site(d, function, offset)].inlined = 1;
}

static char *leaks_text(struct profile_data *d)
{
	return tables_text(d, REPORT_VERBOSE, REPORT_LEAKS);
}

static void without_inlined_functions_what_they_did_is_their_callers_doing(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main+1 > in1+1 > in2+1 > g+5", 24, 3, 1);
	pd_build_chain(d, "main+1 > in1+1 > in2+1", 24, 1, 0);
	pd_build_chain(d, "main+1 > in3+1 > g+5", 24, 4, 4);
	pd_build_chain(d, "main+1", 24, 2, 1);
	pd_build_chain(d, "main+2 > in1+2", 16, 1, 0);
	inline_site(d, "in1", 1);
	inline_site(d, "in2", 1);
	inline_site(d, "in3", 1);
	inline_site(d, "in1", 2);
	pd_build_finish(d);
	for (size_t i = PD_FIRST_NODE; i < d->n_nodes; i++)
		d->nodes[i].resumed = 1;
	size_t n_nodes = d->n_nodes;

	assert_int_equal(view_apply(&(struct view){ .no_inlines = true }, d), 0);
	assert_true(d->is_folded);
	/* main+1, g below it, main+2 and the roots */
	assert_int_equal(d->n_nodes, 5);
	assert_int_equal(d->n_leaves, 3);
	uint64_t allocs = 0, frees = 0, resumed = 0;

	for (size_t i = 0; i < d->n_leaves; i++) {
		allocs += d->leaves[i].allocs;
		frees += d->leaves[i].frees;
		assert_true(d->leaves[i].node >= PD_FIRST_NODE && d->leaves[i].node < d->n_nodes);
	}
	for (size_t i = 0; i < d->n_nodes; i++) {
		resumed += d->nodes[i].resumed;
		assert_true(i < PD_FIRST_NODE || d->nodes[i].parent < i);
	}
	assert_int_equal(allocs, d->totals.allocs);
	assert_int_equal(frees, d->totals.frees);
	assert_int_equal(resumed, n_nodes - PD_FIRST_NODE);
	char *text = leaks_text(d);

	assert_has_not(text, "in1");
	assert_has(text, "        64 (57)         4        88 (34)         1        24 (16)   || > "
			 "main\n");
	free(text);
	profile_data_free(d);
}

static void a_profile_without_inlined_functions_stays_what_it_is(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > f", 24, 3, 1);
	pd_build_cut_chain(d, "", 8, 1, 0);
	pd_build_finish(d);
	char *before = leaks_text(d);

	assert_int_equal(view_apply(&(struct view){ .no_inlines = true }, d), 0);
	char *after = leaks_text(d);

	assert_text(after, before);
	assert_false(d->is_folded);
	free(before);
	free(after);
	profile_data_free(d);
}

static void an_inlined_function_without_a_caller_becomes_nobody(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	/* No real profile is like that, but a data file may be. */
	pd_build_chain(d, "in1+1", 8, 1, 0);
	inline_site(d, "in1", 1);
	pd_build_finish(d);
	assert_int_equal(view_apply(&(struct view){ .no_inlines = true }, d), 0);
	assert_int_equal(d->n_nodes, PD_FIRST_NODE);
	assert_int_equal(d->leaves[0].node, PD_ROOT_WHOLE);
	char *text = leaks_text(d);

	assert_has(text, "         8 (**)         1         8 (**)   || > ?\n");
	free(text);
	profile_data_free(d);
}

static void set_name(struct profile_data *d, uint32_t function, const char *name,
		     const char *linkage)
{
	free(d->functions[function].name);
	free(d->functions[function].linkage);
	d->functions[function].name = strdup(name);
	d->functions[function].linkage = linkage ? strdup(linkage) : NULL;
}

/* What nothing names is called after its file, so it is in one. */
static void set_nameless(struct profile_data *d, uint32_t function, const char *name)
{
	set_name(d, function, name, NULL);
	d->functions[function].module = 0;
}

static void short_names_have_no_types_and_functions_stay_different(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > f", 8, 1, 0);
	pd_build_chain(d, "main > g", 16, 1, 0);
	pd_build_chain(d, "main > h", 24, 1, 0);
	pd_build_finish(d);
	set_name(d, 1, "void ns::any<long>(long)", "_ZN2ns3anyIlEEvT_");
	set_name(d, 2, "void ns::any<int>(int)", "_ZN2ns3anyIiEEvT_");
	set_name(d, 3, "my (odd) lib.so+0x12f", NULL);
	assert_int_equal(view_apply(&(struct view){ .short_names = true }, d), 0);
	assert_string_equal(d->functions[0].name, "main");
	assert_string_equal(d->functions[1].name, "ns::any");
	assert_string_equal(d->functions[2].name, "ns::any");
	assert_string_equal(d->functions[3].name, "my (odd) lib.so+0x12f");
	char *text = leaks_text(d);

	assert_has(text, "        24 (50)         1        24 (50)   || > main > my (odd) "
			 "lib.so+0x12f\n"
			 "        16 (33)         1        16 (33)   || > main > ns::any\n"
			 "         8 (16)         1         8 (16)   || > main > ns::any\n");
	free(text);
	profile_data_free(d);
}

static struct profile_data *typed(void)
{
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 8, 1, 0);
	pd_build_type(d, 8, "own", 0);
	pd_build_type(d, 8, "theirs", 1);
	pd_build_type(d, 16, "theirs too", 1);
	pd_build_type(d, 24, "own too", 0);
	return d;
}

static void types_are_those_of_everybody_the_program_or_nobody(void **state)
{
	(void)state;
	struct profile_data *d = typed();

	assert_int_equal(view_apply(&(struct view){ .types = VIEW_TYPES_ALL }, d), 0);
	assert_int_equal(d->n_types, 4);
	assert_int_equal(view_apply(&(struct view){ .types = VIEW_TYPES_PROGRAM }, d), 0);
	assert_int_equal(d->n_types, 2);
	assert_string_equal(d->types[0].name, "own");
	assert_string_equal(d->types[1].name, "own too");
	assert_int_equal(view_apply(&(struct view){ .types = VIEW_TYPES_NONE }, d), 0);
	assert_int_equal(d->n_types, 0);
	profile_data_free(d);
}

static void types_are_shortened_too_and_then_stand_once(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 24, 1, 0);
	pd_build_type(d, 24, "a::tree<int>", 1);
	pd_build_type(d, 24, "std::vector<int, std::allocator<int> >", 0);
	pd_build_type(d, 24, "std::vector<long, std::allocator<long> >", 1);
	pd_build_type(d, 24, "(anonymous namespace)::box<b>::node", 0);
	pd_build_type(d, 48, "std::vector<int, std::allocator<int> >", 0);
	assert_int_equal(view_apply(&(struct view){ .short_names = true }, d), 0);
	assert_int_equal(d->n_types, 4);
	assert_string_equal(d->types[0].name, "(anonymous namespace)::box::node");
	assert_string_equal(d->types[1].name, "std::vector");
	assert_string_equal(d->types[2].name, "a::tree");
	assert_int_equal(d->types[3].size, 48);
	profile_data_free(d);
}

static int apply_fns(struct profile_data *d, name_list alloc_fns, name_list ignore_fns)
{
	return view_apply(&(struct view){ .alloc_fns = alloc_fns, .ignore_fns = ignore_fns }, d);
}

static struct profile_data *wrapped(void)
{
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main+1 > load+1 > xmalloc+1 > xrealloc+1", 24, 3, 1);
	pd_build_chain(d, "main+1 > load+1 > xmalloc+1", 24, 2, 0);
	pd_build_chain(d, "main+1 > load+2 > xmalloc+1 > log+1", 40, 1, 0);
	pd_build_chain(d, "main+2 > load+1", 8, 1, 0);
	pd_build_finish(d);
	return d;
}

static void allocation_functions_vanish_from_the_inner_end_only(void **state)
{
	(void)state;
	struct profile_data *d = wrapped();

	assert_int_equal(apply_fns(d, (const char *const[]){ "xmalloc", "xrealloc", NULL }, NULL),
			 0);
	assert_true(d->is_folded);
	char *text = leaks_text(d);

	assert_has(text, "       104 (72)         6       128 (76)         1        24 (**)   || > "
			 "main > load\n"
			 "        40 (27)         1        40 (23)         0         0        || > "
			 "main > load > xmalloc > log\n");
	free(text);
	profile_data_free(d);
}

static void add_type(struct profile_data *d, size_t leaf, const char *name)
{
	d->site_types = realloc(d->site_types, (d->n_site_types + 1) * sizeof *d->site_types);
	assert_non_null(d->site_types);
	d->site_types[d->n_site_types++] = (struct pd_site_type){
		.node = d->leaves[leaf].node, .certain = 1, .name = strdup(name), .size = 24 };
	pd_site_types_sort(d);
}

static void a_type_is_certain_only_for_those_who_have_it(void **state)
{
	(void)state;
	for (int known = 1; known <= 2; known++) {
		struct profile_data *d = profile_data_new();
		struct pd_types_seen seen = { 0 };

		pd_build_chain(d, "main+1 > load+1 > xmalloc+1", 24, 3, 1);
		pd_build_chain(d, "main+1 > load+1 > xmalloc+2", 24, 2, 0);
		pd_build_finish(d);
		assert_int_equal(d->n_leaves, 2);
		for (int i = 0; i < known; i++)
			add_type(d, (size_t)i, "struct node");
		assert_int_equal(apply_fns(d, (const char *const[]){ "xmalloc", NULL }, NULL), 0);
		assert_int_equal(d->n_leaves, 1);
		assert_int_equal(pd_types_seen_add(&seen, d, d->leaves[0].node), 0);
		assert_int_equal(seen.n, 1);
		assert_int_equal(seen.certain, known == 2);
		pd_types_seen_release(&seen);
		profile_data_free(d);
	}
}

static void an_outer_wrapper_alone_has_no_effect(void **state)
{
	(void)state;
	struct profile_data *d = wrapped();

	assert_int_equal(apply_fns(d, (const char *const[]){ "xmalloc", NULL }, NULL), 0);
	char *text = leaks_text(d);

	assert_has(text, "        48 (33)         3        72 (42)         1        24 (**)   "
			 "|| > main > load > xmalloc > xrealloc\n");
	free(text);
	profile_data_free(d);
}

static void what_an_ignored_function_requests_itself_is_no_part_of_any_number(void **state)
{
	(void)state;
	struct profile_data *d = wrapped();
	const struct pd_totals all = d->totals;

	assert_int_equal(apply_fns(d, (const char *const[]){ "xrealloc", NULL },
				   (const char *const[]){ "xmalloc", "main", NULL }), 0);
	assert_int_equal(d->totals.allocs, 2);
	assert_int_equal(d->totals.alloc_bytes, 48);
	assert_int_equal(d->totals.frees, 0);
	assert_int_equal(d->totals.free_bytes, 0);
	assert_int_equal(d->left_out.allocs, all.allocs - 2);
	assert_int_equal(d->left_out.bytes, all.alloc_bytes - 48);
	assert_int_equal(d->left_out.frees, all.frees);
	assert_int_equal(d->left_out.freed_bytes, all.free_bytes);
	assert_int_equal(d->n_leaves, 2);
	for (size_t i = PD_FIRST_NODE; i < d->n_nodes; i++)
		assert_true(d->nodes[i].parent < i);
	char *text = leaks_text(d);

	assert_has(text, "Total bytes not freed: 48\n");
	assert_has(text, "        40 (83)         1        40 (83)   || > main > load > xmalloc > "
			 "log\n");
	assert_has_not(text, "xrealloc");
	free(text);
	profile_data_free(d);
}

/* Its lost blocks have known paths, which are just not shown. */
static void what_is_lost_of_what_is_ignored_is_counted(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	assert_non_null(d);
	pd_build_chain(d, "main > f", 8, 9, 0);
	pd_build_chain(d, "main > g", 8, 9, 0);
	pd_build_finish(d);
	d->reach.known = 1;
	for (size_t i = 0; i < d->n_leaves; i++)
		for (int k = 0; k < PD_REACH_CLASSES; k++)
			d->leaves[i].reach[k] = (uint64_t)k + 1;
	assert_int_equal(apply_fns(d, NULL, (const char *[]){ "g", NULL }), 0);
	assert_int_equal(d->n_leaves, 1);
	assert_int_equal(d->reach.ignored, 3);
	profile_data_free(d);
}

static void only_the_first_function_with_a_name_can_be_ignored(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > named > lib.so+0x12", 8, 1, 0);
	pd_build_chain(d, "main > named > other", 16, 1, 0);
	pd_build_finish(d);
	set_nameless(d, 2, "lib.so+0x12");
	assert_int_equal(apply_fns(d, NULL, (const char *const[]){ "named", NULL }), 0);
	assert_int_equal(d->totals.allocs, 1);
	assert_int_equal(d->totals.alloc_bytes, 16);
	profile_data_free(d);
}

static void what_nothing_names_is_ignored_by_what_the_report_calls_it(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > named > lib1", 8, 1, 0);
	pd_build_chain(d, "main > lib1 > lib2", 16, 1, 0);
	pd_build_chain(d, "main > named > generated", 32, 1, 0);
	pd_build_finish(d);
	set_nameless(d, 2, "lib.so+0x12");
	set_nameless(d, 3, "lib.so+0x34");
	set_name(d, 4, "0x7f1234", NULL);
	/* Further out it does not count. */
	assert_int_equal(apply_fns(d, NULL, (const char *const[]){ "lib.so+0x12", NULL }), 0);
	assert_int_equal(d->totals.allocs, 2);
	assert_int_equal(d->totals.alloc_bytes, 48);
	assert_int_equal(apply_fns(d, NULL, (const char *const[]){ "lib.so+0x34", NULL }), 0);
	assert_int_equal(d->totals.alloc_bytes, 32);
	/* The address of generated code is no name, either. */
	assert_int_equal(apply_fns(d, NULL, (const char *const[]){ "named", NULL }), 0);
	assert_int_equal(d->totals.allocs, 0);
	profile_data_free(d);
}

static void a_chain_with_nothing_left_is_ignored_but_not_an_empty_one(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > xmalloc", 8, 1, 0);
	pd_build_cut_chain(d, "", 16, 1, 0);
	pd_build_finish(d);
	assert_int_equal(apply_fns(d, (const char *const[]){ "xmalloc", "main", NULL }, NULL), 0);
	assert_int_equal(d->totals.alloc_bytes, 16);
	assert_int_equal(d->n_nodes, PD_FIRST_NODE);
	profile_data_free(d);
}

static void operator_new_vanishes_by_itself_but_never_a_request(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main > f > new", 8, 1, 0);
	pd_build_cut_chain(d, "new", 16, 1, 0);
	pd_build_finish(d);
	set_name(d, 2, "operator new(unsigned long)", "_Znwm");
	assert_int_equal(apply_fns(d, NULL, NULL), 0);
	assert_int_equal(d->totals.allocs, 2);
	char *text = leaks_text(d);

	assert_has(text, "        16 (66)         1        16 (66)   ...> operator new(unsigned "
			 "long)\n"
			 "         8 (33)         1         8 (33)   || > main > f\n");
	free(text);
	profile_data_free(d);
}

static void set_line(struct profile_data *d, const char *function, uint64_t offset,
		     const char *file, uint32_t line)
{
	struct pd_site *s = &d->sites[pd_build_site(d, function, offset)];

	s->file = strdup(file);
	s->line = line;
}

/* Two calls in one line are one path, two in two lines are two. */
static void with_lines_paths_are_told_apart_by_them(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main+1 > f+5", 10, 1, 0);
	pd_build_chain(d, "main+2 > f+5", 10, 1, 0);
	pd_build_chain(d, "main+3 > f+5", 10, 1, 0);
	pd_build_chain(d, "main+4 > f+6", 10, 1, 0);
	set_line(d, "main", 1, "/src/main.c", 12);
	set_line(d, "main", 2, "/src/main.c", 12);
	set_line(d, "main", 3, "/src/main.c", 14);
	set_line(d, "main", 4, "odd\033file.c", 14);
	set_line(d, "f", 5, "f.c", 7);
	pd_build_finish(d);
	char *text = tables_text_by(d, &(struct report_options){ REPORT_VERBOSE, REPORT_LEAKS,
								 .lines = true });

	assert_has(text, "        20 (50)         2        20 (50)   || > main (main.c:12) > f "
			 "(f.c:7)\n"
			 "        10 (25)         1        10 (25)   || > main (main.c:14) > f "
			 "(f.c:7)\n"
			 "        10 (25)         1        10 (25)   || > main (odd\\033file.c:14) "
			 "> f\n");
	free(text);
	text = tables_text_by(d, &(struct report_options){ REPORT_VERBOSE, REPORT_LEAKS_OFFSETS,
							   .lines = true });
	assert_has(text, "        10 (25)         1        10 (25)   || > main+2 (main.c:12) > f+5 "
			 "(f.c:7)\n");
	free(text);
	profile_data_free(d);
}

static const char direct[] =
"     % mem        bytes | % mem(kind) |   bytes kept |  % all kept |        calls   name\n"
"\n"
"---------------------------c--f--s--o-------------------c--f--s--o---------------\n"
"\n"
"     -----         7240 |  1  2 41 55 |         3200 |  1  5 93    |           22   <TOTAL>\n"
"\n"
"      96.7         7000 |       41 55 |         3000 |       93    |            2   f\n"
"       3.3          240 |  1  2       |          200 |  1  5       |           20   main\n";

static void with_labels_the_classes_are_kinds_not_sizes(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main", 8, 10, 5);
	pd_build_chain(d, "main", 16, 10, 0);
	pd_build_chain(d, "main > f", 3000, 1, 0);
	pd_build_chain(d, "main > f", 4000, 1, 1);
	pd_build_finish(d);
	for (size_t i = 0; i < d->n_leaves; i++)
		d->leaves[i].label = d->leaves[i].size == 8 ? 1 : d->leaves[i].size == 16 ? 2 :
				     d->leaves[i].size == 3000 ? 3 : 0;
	d->labelled = true;
	char *text = leaks_text(d);

	assert_has(text, direct);
	assert_has(text, "-------------------------------c--f--s--o----c--f--s--o----------\n");
	assert_has_not(text, "s--m--l--x");
	free(text);
	profile_data_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_inlined_functions_what_they_did_is_their_callers_doing),
		cmocka_unit_test(a_profile_without_inlined_functions_stays_what_it_is),
		cmocka_unit_test(an_inlined_function_without_a_caller_becomes_nobody),
		cmocka_unit_test(short_names_have_no_types_and_functions_stay_different),
		cmocka_unit_test(types_are_shortened_too_and_then_stand_once),
		cmocka_unit_test(types_are_those_of_everybody_the_program_or_nobody),
		cmocka_unit_test(with_lines_paths_are_told_apart_by_them),
		cmocka_unit_test(with_labels_the_classes_are_kinds_not_sizes),
		cmocka_unit_test(allocation_functions_vanish_from_the_inner_end_only),
		cmocka_unit_test(a_type_is_certain_only_for_those_who_have_it),
		cmocka_unit_test(an_outer_wrapper_alone_has_no_effect),
		cmocka_unit_test(what_an_ignored_function_requests_itself_is_no_part_of_any_number),
		cmocka_unit_test(what_is_lost_of_what_is_ignored_is_counted),
		cmocka_unit_test(only_the_first_function_with_a_name_can_be_ignored),
		cmocka_unit_test(what_nothing_names_is_ignored_by_what_the_report_calls_it),
		cmocka_unit_test(a_chain_with_nothing_left_is_ignored_but_not_an_empty_one),
		cmocka_unit_test(operator_new_vanishes_by_itself_but_never_a_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
