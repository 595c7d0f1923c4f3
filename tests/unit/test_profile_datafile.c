/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/pd_site_types.h"
#include "unit/test_profile_datafile.h"

/* What was written is read again, and the file is not too large. */

static void write_read_compare(struct profile_data *d)
{
	write_ok("mprof.data", d);
	struct profile_data *back = read_ok("mprof.data");
	assert_profiles_equal(d, back);
	profile_data_free(d);
	profile_data_free(back);
	assert_int_equal(entries("."), 1);	/* no journal, no temporary file */
}

static void empty_profile_comes_back(void **state)
{
	(void)state;
	write_read_compare(profile_data_new());
}

static void random_profiles_come_back(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++)
		write_read_compare(random_profile(1 + 40 * seed, 100 * seed, 700 * seed, seed));
}

/* Each table with as many rows as fill a statement of the writer, with one fewer and one more. */
static void every_number_of_rows_comes_back(void **state)
{
	(void)state;
	for (size_t n = 2; n < 36; n++)
		write_read_compare(random_profile(n, n, n, n));
}

static void numbers_above_the_signed_range_come_back(void **state)
{
	const char *names[] = { "main" };
	struct profile_data *d = profile_of(names, 1);
	uint32_t main_ = node(d, PD_ROOT_WHOLE, 0);

	(void)state;
	d->pid = UINT32_MAX;
	d->started_ns = d->ended_ns = UINT64_MAX;
	d->memory.links = UINT64_MAX;
	d->functions[0].address = UINT64_MAX;
	d->sites[0].address = d->sites[0].offset = UINT64_MAX - 1;
	d->sites[0].line = UINT32_MAX;
	d->nodes[main_].resumed = UINT64_C(1) << 63;
	leaf(d, main_, 1, 1, 0);
	leaf(d, main_, UINT64_MAX - 1, 1, 1);
	d->types = array(2, sizeof *d->types);
	d->n_types = 2;
	d->types[0] = (struct pd_type){ 1, text("small"), UINT32_MAX };
	d->types[1] = (struct pd_type){ UINT64_MAX, text("large"), 0 };
	set_totals(d);
	write_read_compare(d);
}

/* Names and paths may contain anything but NUL. */
static void long_and_odd_texts_come_back(void **state)
{
	const char *names[] = {
		"", " ", "\x01\x1b[31m\n\t\x7f", "\xc3\x28\xff\xfe", "'; DROP TABLE nodes; --",
	};
	struct profile_data *d = profile_of(names, 5);

	(void)state;
	free(d->functions[1].name);
	d->functions[1].name = array(300001, 1);
	memset(d->functions[1].name, 'x', 300000);
	d->functions[2].linkage = text("%s", "");
	write_read_compare(d);
}

static void the_same_profile_makes_the_same_file(void **state)
{
	(void)state;
	struct profile_data *d = random_profile(50, 100, 1000, 3);
	write_ok("mprof.data", d);
	write_ok("other.data", d);
	profile_data_free(d);
	assert_int_equal(system("cmp mprof.data other.data"), 0);
}

static off_t size_of_file(const struct profile_data *d)
{
	struct stat st;

	write_ok("mprof.data", d);
	assert_int_equal(stat("mprof.data", &st), 0);
	return st.st_size;
}

/* Of the tree. Lifetimes come on top, as many as blocks have been freed in different ages, and
 * windows, as many as something has changed in. */
static double bytes_a_node(size_t functions, size_t sites, const char *which)
{
	struct profile_data *d = random_profile(functions, sites, 1000000, 42);
	off_t with_windows = size_of_file(d);
	size_t n_lifetimes = d->n_lifetimes, n_windows = d->n_windows + d->n_survivors;

	d->n_windows = d->n_survivors = 0;
	off_t with_types = size_of_file(d);
	size_t n_types = d->n_site_types;

	pd_site_types_drop(d);
	off_t with_lifetimes = size_of_file(d);

	d->n_lifetimes = 0;
	off_t size = size_of_file(d);
	assert_true((double)(with_lifetimes - size) / (double)n_lifetimes <= 16);
	/* A verdict for each two of them included. */
	assert_true((double)(with_windows - with_types) / (double)n_windows <= 40);
	assert_true((double)(with_types - with_lifetimes) / (double)n_types <= 40);
	struct profile_data *back = read_ok("mprof.data");
	assert_trees_equal(d, back);
	double a_node = (double)size / (double)d->n_nodes;
	print_message("%s: %zu nodes, %zu leaves: %.1f bytes a node\n", which, d->n_nodes,
		      d->n_leaves, a_node);
	profile_data_free(d);
	profile_data_free(back);
	return a_node;
}

static void a_million_nodes_take_at_most_64_bytes_each(void **state)
{
	(void)state;
	assert_true(bytes_a_node(500, 2000, "a small program") <= 64);
	/* Nearly every node an arc of its own, which no program does. */
	assert_true(bytes_a_node(20000, 60000, "the worst case") <= 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(empty_profile_comes_back, test_dir_clean),
		cmocka_unit_test_teardown(random_profiles_come_back, test_dir_clean),
		cmocka_unit_test_teardown(every_number_of_rows_comes_back, test_dir_clean),
		cmocka_unit_test_teardown(numbers_above_the_signed_range_come_back, test_dir_clean),
		cmocka_unit_test_teardown(long_and_odd_texts_come_back, test_dir_clean),
		cmocka_unit_test_teardown(the_same_profile_makes_the_same_file, test_dir_clean),
		cmocka_unit_test_teardown(a_million_nodes_take_at_most_64_bytes_each,
					  test_dir_clean),
	};

	return cmocka_run_group_tests_name("datafile", tests, test_dir_make, test_dir_remove);
}
