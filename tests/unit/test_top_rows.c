/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "unit/pd_build.h"

#include "top/rows.h"

/* A look at what pd_build made, at second @s. */
static void look(struct top_look *l, struct profile_data *d, uint64_t s)
{
	pd_build_finish(d);
	*l = (struct top_look){ .head = { .pid = 1, .time_ns = s * 1000000000 }, .data = d,
				.own = malloc(d->n_nodes * sizeof *l->own) };
	assert_non_null(l->own);
	for (size_t i = 0; i < d->n_nodes; i++)
		l->own[i] = PD_NONE;
}

/* f is the program's own, "new" what it calls. */
static struct profile_data *first_data(void)
{
	struct profile_data *d = profile_data_new();

	assert_non_null(d);
	pd_build_chain(d, "main+1 > f+5 > new", 10, 5, 1);
	pd_build_chain(d, "main+2 > g+5 > new", 100, 2, 2);
	return d;
}

static struct profile_data *second_data(void)
{
	struct profile_data *d = profile_data_new();

	assert_non_null(d);
	/* In another order: numbers must not matter. */
	pd_build_chain(d, "main+3 > late", 30, 1, 0);
	pd_build_chain(d, "main+2 > g+5 > new", 100, 22, 22);
	pd_build_chain(d, "main+1 > f+5 > new", 10, 9, 1);
	pd_build_chain(d, "main+1 > f+5 > new", 20, 1, 0);
	return d;
}

struct looks {
	struct top_look first, second;
};

static int setup(void **state)
{
	struct looks *l = calloc(1, sizeof *l);

	*state = l;
	look(&l->first, first_data(), 1);
	look(&l->second, second_data(), 3);
	return 0;
}

static int teardown(void **state)
{
	struct looks *l = *state;

	top_look_release(&l->first);
	top_look_release(&l->second);
	free(l);
	return 0;
}

static void rows(const struct looks *l, const struct top_how *how, struct top_rows *r)
{
	assert_int_equal(top_rows(&l->second, &l->first, how, r), 0);
}

static void sites_are_told_apart_by_depth(void **state)
{
	struct top_how how = { .depth = 1 };
	struct top_rows r;

	rows(*state, &how, &r);
	assert_int_equal(r.n, 2);
	assert_string_equal(r.v[0].name, "new");
	assert_int_equal(r.v[0].live_bytes, 8 * 10 + 20);
	assert_int_equal(r.v[0].live_blocks, 9);
	assert_int_equal(r.v[0].allocs, 32);
	assert_string_equal(r.v[1].name, "late");
	top_rows_release(&r);
	how.depth = 2;
	rows(*state, &how, &r);
	assert_int_equal(r.n, 3);
	assert_string_equal(r.v[0].name, "new < f");
	assert_string_equal(r.v[2].name, "new < g");
	top_rows_release(&r);
}

static void differences_are_since_the_look_before(void **state)
{
	const struct top_how how = { .depth = 2 };
	const struct looks *l = *state;
	struct top_rows r;

	rows(l, &how, &r);
	assert_int_equal(r.v[0].growth, 100 - 40);
	assert_true(r.v[0].allocs_per_s == 2.5);
	/* It was not there before. */
	assert_string_equal(r.v[1].name, "late < main");
	assert_int_equal(r.v[1].growth, 30);
	assert_true(r.v[1].allocs_per_s == 0.5);
	assert_int_equal(r.v[2].growth, 0);
	assert_true(r.v[2].allocs_per_s == 10);
	top_rows_release(&r);
	assert_int_equal(top_rows(&l->second, NULL, &how, &r), 0);
	assert_int_equal(r.v[0].growth, 0);
	assert_true(r.v[0].allocs_per_s == 0);
	top_rows_release(&r);
}

static void what_has_become_less_grows_by_less_than_nothing(void **state)
{
	const struct top_how how = { .depth = 2, .sort = TOP_GROWTH };
	const struct looks *l = *state;
	struct top_look now = l->first;
	struct top_rows r;

	/* The same but for its time: there it has less, of more that was requested. */
	now.head.time_ns = l->second.head.time_ns + 1;
	struct pd_totals totals = now.data->totals;
	now.data->totals.allocs = now.data->totals.frees = 1000;
	assert_int_equal(top_rows(&now, &l->second, &how, &r), 0);
	assert_string_equal(r.v[r.n - 1].name, "new < f");
	assert_int_equal(r.v[r.n - 1].growth, -60);
	assert_true(r.v[r.n - 1].allocs_per_s == 0);
	top_rows_release(&r);
	now.data->totals = totals;
}

static void rows_are_sorted_as_asked(void **state)
{
	static const char *const by[TOP_SORTS] = { [TOP_LIVE] = "new < f",
						   [TOP_GROWTH] = "new < f",
						   [TOP_ALLOCS] = "new < g",
						   [TOP_TEMPORARY] = "late < main" };
	struct looks *l = *state;
	struct profile_data *d = l->second.data;

	d->lifetimes = calloc(2, sizeof *d->lifetimes);
	assert_non_null(d->lifetimes);
	for (size_t i = 0; i < d->n_leaves; i++)
		if (d->leaves[i].size == 30)
			d->lifetimes[0] = (struct pd_lifetime){ d->leaves[i].node,
								PD_LIFE_EVENTS, 3, 50 };
	d->lifetimes[1] = d->lifetimes[0];
	d->lifetimes[1].axis = PD_LIFE_TEMPORARY;
	d->lifetimes[1].blocks = 7;
	d->n_lifetimes = 2;
	for (enum top_sort sort = 0; sort < TOP_SORTS; sort++) {
		const struct top_how how = { .depth = 2, .sort = sort };
		struct top_rows r;

		rows(l, &how, &r);
		assert_string_equal(r.v[0].name, by[sort]);
		if (sort == TOP_TEMPORARY)
			assert_int_equal(r.v[0].temporary, 7);
		top_rows_release(&r);
	}
}

static void a_filter_leaves_rows_with_its_text(void **state)
{
	struct top_how how = { .depth = 2, .filter = "< F" };
	struct top_rows r;

	rows(*state, &how, &r);
	assert_int_equal(r.n, 1);
	assert_string_equal(r.v[0].name, "new < f");
	top_rows_release(&r);
	how.filter = "nowhere";
	rows(*state, &how, &r);
	assert_int_equal(r.n, 0);
	top_rows_release(&r);
}

static void sites_begin_in_the_programs_own_code(void **state)
{
	struct looks *l = *state;
	struct profile_data *d = l->second.data;
	struct top_how how = { .depth = 1 };
	struct top_rows r;

	for (uint32_t i = PD_FIRST_NODE; i < d->n_nodes; i++)
		l->second.own[i] =
			strcmp(d->functions[d->sites[d->nodes[i].site].function].name, "new") ?
				i :
				d->nodes[i].parent;
	assert_int_equal(top_rows(&l->second, NULL, &how, &r), 0);
	assert_int_equal(r.n, 3);
	assert_string_equal(r.v[0].name, "f");
	top_rows_release(&r);
	how.innermost = true;
	assert_int_equal(top_rows(&l->second, NULL, &how, &r), 0);
	assert_int_equal(r.n, 2);
	assert_string_equal(r.v[0].name, "new");
	top_rows_release(&r);
}

static void a_row_is_opened_to_its_chains(void **state)
{
	const struct top_how how = { .depth = 1 };
	const struct looks *l = *state;
	struct top_rows r, chains;

	rows(l, &how, &r);
	assert_int_equal(top_chains(&l->second, &l->first, &how, &r.v[0], &chains), 0);
	assert_int_equal(chains.n, 2);
	assert_int_equal(chains.v[0].live_bytes, 100);
	assert_int_equal(chains.v[0].growth, 60);
	assert_int_equal(chains.v[1].allocs, 22);
	char *text = top_chain_text(l->second.data, chains.v[0].node);
	assert_string_equal(text, "new\nf\nmain");
	free(text);
	top_rows_release(&chains);
	top_rows_release(&r);
}

static void sizes_have_their_types(void **state)
{
	struct looks *l = *state;
	struct profile_data *d = l->second.data;
	const struct top_how how = { .by = TOP_SIZES };
	struct top_rows r;

	pd_build_type(d, 10, "ten", 0);
	pd_build_type(d, 30, "a", 0);
	pd_build_type(d, 30, "b", 0);
	pd_build_type(d, 30, "c", 0);
	pd_build_type(d, 30, "d", 0);
	d->site_types = calloc(1, sizeof *d->site_types);
	assert_non_null(d->site_types);
	for (size_t i = 0; i < d->n_leaves; i++)
		if (d->leaves[i].size == 10)
			d->site_types[0] = (struct pd_site_type){ d->leaves[i].node,
								  PD_HOW_VARIABLE, 1, 10,
								  strdup("struct at_site") };
	d->n_site_types = 1;
	rows(l, &how, &r);
	assert_int_equal(r.n, 4);
	assert_int_equal(r.v[0].size, 10);
	assert_int_equal(r.v[0].growth, 40);
	assert_string_equal(r.v[0].name, "struct at_site");
	assert_int_equal(r.v[1].size, 30);
	assert_string_equal(r.v[1].name, "a | b | c and 1 more");
	assert_int_equal(r.v[3].size, 100);
	assert_string_equal(r.v[3].name, "");
	top_rows_release(&r);
}

static void a_size_is_opened_to_the_chains_that_request_it(void **state)
{
	struct looks *l = *state;
	const struct top_how how = { .by = TOP_SIZES };
	const struct top_row row = { .size = 10, .name = (char *)(uintptr_t) "" };
	struct top_rows r;

	assert_int_equal(top_chains(&l->second, &l->first, &how, &row, &r), 0);
	assert_int_equal(r.n, 1);
	/* What the same chain requests of 20 bytes is not in it. */
	assert_int_equal(r.v[0].allocs, 9);
	assert_int_equal(r.v[0].live_bytes, 80);
	assert_int_equal(r.v[0].growth, 40);
	char *text = top_chain_text(l->second.data, r.v[0].node);
	assert_string_equal(text, "new\nf\nmain");
	free(text);
	top_rows_release(&r);
}

static void rows_of_nothing_are_left_out_if_that_is_wanted(void **state)
{
	struct looks *l = *state;
	struct top_how how = { .by = TOP_SIZES, .no_zeros = true };
	struct top_rows r;

	/* g's blocks are all freed, but 20 were requested since. */
	rows(l, &how, &r);
	assert_int_equal(r.n, 4);
	top_rows_release(&r);
	assert_int_equal(top_rows(&l->second, NULL, &how, &r), 0);
	assert_int_equal(r.n, 3);
	for (size_t i = 0; i < r.n; i++)
		assert_int_not_equal(r.v[i].size, 100);
	top_rows_release(&r);
	how.no_zeros = false;
	assert_int_equal(top_rows(&l->second, NULL, &how, &r), 0);
	assert_int_equal(r.n, 4);
	top_rows_release(&r);
}

static void a_size_is_found_by_its_number(void **state)
{
	struct looks *l = *state;
	const struct top_how how = { .by = TOP_SIZES, .filter = "30" };
	struct top_rows r;

	rows(l, &how, &r);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.v[0].size, 30);
	top_rows_release(&r);
}

/* The second thread is new, and the third has the tid of an earlier one. */
static void a_thread_has_what_it_has_done_itself(void **state)
{
	struct top_thread then[] = { { 7, { 10, 100, 2, 20 }, "main", false },
				     { 9, { 5, 50, 0, 0 }, "a", false } },
			  now[] = { { 7, { 14, 160, 2, 20 }, "main", false },
				    { 8, { 8, 80, 6, 60 }, "crew", false },
				    { 11, { 0, 0, 4, 44 }, "", false } };
	struct looks *l = *state;
	struct top_look first = l->first, second = l->second;
	struct top_how how = { .by = TOP_THREADS };
	struct top_rows r;

	first.by_thread = then;
	first.n_by_thread = 2;
	second.by_thread = now;
	second.n_by_thread = 3;
	assert_int_equal(top_rows(&second, &first, &how, &r), 0);
	assert_int_equal(r.n, 3);
	assert_string_equal(r.v[0].name, "main");
	assert_int_equal(r.v[0].size, 7);
	assert_int_equal(r.v[0].alloc_bytes, 160);
	assert_int_equal(r.v[0].growth, 60);
	assert_true(r.v[0].allocs_per_s == 2 && r.v[0].frees_per_s == 0);
	assert_int_equal(r.v[1].growth, 80);
	assert_true(r.v[1].allocs_per_s == 4 && r.v[1].frees_per_s == 3);
	assert_int_equal(r.v[2].frees, 4);
	assert_int_equal(r.v[2].free_bytes, 44);
	top_rows_release(&r);
	how = (struct top_how){ .by = TOP_THREADS, .sort = TOP_GROWTH, .filter = "CREW" };
	assert_int_equal(top_rows(&second, NULL, &how, &r), 0);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.v[0].size, 8);
	assert_true(r.v[0].growth == 0 && r.v[0].allocs_per_s == 0);
	top_rows_release(&r);
	how = (struct top_how){ .by = TOP_THREADS, .sort = TOP_GROWTH };
	assert_int_equal(top_rows(&second, &first, &how, &r), 0);
	assert_int_equal(r.v[0].size, 8);
	top_rows_release(&r);
	/* In lines those that have ended share one, unless the process has, or one is sought. */
	now[0].ended = now[1].ended = true;
	second.threads = 1;
	how.no_zeros = true;
	assert_int_equal(top_rows(&second, &first, &how, &r), 0);
	assert_int_equal(r.n, 2);
	assert_string_equal(r.v[0].name, "(2 that have ended)");
	assert_int_equal(r.v[0].size, 0);
	assert_int_equal(r.v[0].alloc_bytes, 240);
	assert_int_equal(r.v[0].growth, 140);
	assert_int_equal(r.v[1].size, 11);
	top_rows_release(&r);
	how.filter = "crew";
	assert_int_equal(top_rows(&second, &first, &how, &r), 0);
	assert_string_equal(r.v[0].name, "crew");
	top_rows_release(&r);
	how.filter = NULL;
	second.threads = 0;
	assert_int_equal(top_rows(&second, &first, &how, &r), 0);
	assert_int_equal(r.n, 3);
	top_rows_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sites_are_told_apart_by_depth, setup, teardown),
		cmocka_unit_test_setup_teardown(differences_are_since_the_look_before, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_has_become_less_grows_by_less_than_nothing,
						setup, teardown),
		cmocka_unit_test_setup_teardown(rows_are_sorted_as_asked, setup, teardown),
		cmocka_unit_test_setup_teardown(a_size_is_opened_to_the_chains_that_request_it,
						setup, teardown),
		cmocka_unit_test_setup_teardown(rows_of_nothing_are_left_out_if_that_is_wanted,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_size_is_found_by_its_number,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_thread_has_what_it_has_done_itself, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_filter_leaves_rows_with_its_text, setup,
						teardown),
		cmocka_unit_test_setup_teardown(sites_begin_in_the_programs_own_code, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_row_is_opened_to_its_chains, setup, teardown),
		cmocka_unit_test_setup_teardown(sizes_have_their_types, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
