/* SPDX-License-Identifier: BSD-2-Clause */
/* The call tree of the page, of profiles made by hand, read back with jansson. */
#include "unit/unit.h"

#include "html/tree.h"
#include "unit/pd_build.h"

#include <errno.h>
#include <jansson.h>

/* For free(). */
static char *text_of(const struct profile_data *d)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct tree *built;

	assert_non_null(f);
	assert_int_equal(tree_new(d, NULL, &built), 0);
	assert_int_equal(tree_json(built, f), 0);
	tree_free(built);
	fclose(f);
	return text;
}

static json_t *tree_of(const struct profile_data *d)
{
	char *text = text_of(d);
	json_error_t why;
	json_t *tree = json_loads(text, JSON_REJECT_DUPLICATES, &why);

	if (!tree)
		fail_msg("line %d: %s in:\n%s", why.line, why.text, text);
	free(text);
	return tree;
}

/* What is at "table.column", or "column", as compact text is @want. */
static void assert_at(const json_t *tree, const char *path, const char *want)
{
	char *key = strdup(path), *dot = strchr(key, '.');
	const json_t *j = tree;

	if (dot) {
		*dot = '\0';
		j = json_object_get(j, key);
	}
	j = json_object_get(j, dot ? dot + 1 : key);
	char *got = j ? json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

	if (!got || strcmp(got, want))
		fail_msg("%s: %s; expected %s", path, got ? got : "nothing", want);
	free(got);
	free(key);
}

static void add_temporary(struct profile_data *d, uint32_t node, uint64_t blocks)
{
	d->lifetimes = pd_build_grow(d->lifetimes, d->n_lifetimes, sizeof *d->lifetimes);
	d->lifetimes[d->n_lifetimes++] = (struct pd_lifetime){
		.node = node,
		.axis = PD_LIFE_TEMPORARY,
		.blocks = blocks,
	};
}

static void add_type(struct profile_data *d, uint32_t node, const char *name, uint8_t certain)
{
	d->site_types = pd_build_grow(d->site_types, d->n_site_types, sizeof *d->site_types);
	d->site_types[d->n_site_types++] = (struct pd_site_type){
		.node = node,
		.name = strdup(name),
		.certain = certain,
	};
}

static void a_small_tree_is_written_depth_first_with_what_is_each_nodes_own(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	/* Nodes get their numbers in this order, which is not depth first. */
	pd_build_chain(d, "main+1 > f+2", 100, 3, 1);
	pd_build_chain(d, "start+5", 7, 1, 1);
	pd_build_chain(d, "main+1 > g+3 > f+2", 10, 2, 0);
	pd_build_chain(d, "main+1 > f+2", 50, 4, 4);
	pd_build_cut_chain(d, "h+4", 8, 5, 2);
	d->modules = calloc(2, sizeof *d->modules);
	d->modules[0] = (struct pd_module){strdup("/nobody"), strdup(""), strdup("")};
	d->modules[1] = (struct pd_module){strdup("/bin/x"), strdup(""), strdup("")};
	d->n_modules = 2;
	d->functions[0].module = 1;
	d->sites[1].file = strdup("a.c");
	d->sites[1].line = 12;
	d->sites[1].inlined = 1;
	pd_build_finish(d);
	uint32_t f = pd_build_path(d, PD_ROOT_WHOLE, "main+1 > f+2");

	for (size_t i = 0; i < d->n_leaves; i++)
		d->leaves[i].at_peak = d->leaves[i].node == f ? 1 : 0;
	add_temporary(d, f, 2);
	add_type(d, f, "struct a", 0);
	add_type(d, f, "x.c", 1);
	json_t *t = tree_of(d);

	assert_at(t, "schema", "\"mprof.tree.v1\"");
	assert_at(t, "strings",
		  "[\"main\",\"f\",\"g\",\"start\",\"h\",\"a.c\",\"/bin/x\",\"struct a\",\"x.c\"]");
	assert_at(t, "modules", "[6]");
	assert_at(t, "functions.name", "[0,1,2,3,4]");
	assert_at(t, "functions.module", "[0,-1,-1,-1,-1]");
	assert_at(t, "sites.function", "[0,1,2,3,4]");
	assert_at(t, "sites.file", "[-1,5,-1,-1,-1]");
	assert_at(t, "sites.line", "[0,12,0,0,0]");
	assert_at(t, "sites.inlined", "[0,1,0,0,0]");
	assert_at(t, "sites.own", "[1,0,0,0,0]");
	/* main, main f, main g, main g f, start, ..., ... h */
	assert_at(t, "nodes.up", "[0,1,2,1,0,0,1]");
	assert_at(t, "nodes.site", "[0,1,2,1,3,-1,4]");
	assert_at(t, "leaves.node", "[1,2,1,2]");
	assert_at(t, "leaves.allocs", "[7,2,1,5]");
	assert_at(t, "leaves.bytes", "[500,20,7,40]");
	/* Of the first there are blocks of 100 and of 50 bytes. */
	assert_at(t, "leaves.size", "[-1,10,7,8]");
	assert_at(t, "leaves.frees", "[5,0,1,2]");
	assert_at(t, "leaves.kept_blocks", "[2,2,0,3]");
	assert_at(t, "leaves.kept_bytes", "[200,20,0,24]");
	assert_at(t, "leaves.peak_blocks", "[2,0,0,0]");
	assert_at(t, "leaves.peak_bytes", "[150,0,0,0]");
	assert_at(t, "leaves.temporary", "[2,0,0,0]");
	assert_at(t, "leaves.runtime_bytes", "[0,0,0,0]");
	assert_null(json_object_get(t, "lost"));
	assert_at(t, "types.node", "[1,1]");
	assert_at(t, "types.name", "[7,8]");
	assert_at(t, "types.certain", "[0,1]");
	json_decref(t);
	profile_data_free(d);
}

static void what_the_runtime_keeps_and_what_is_lost_are_columns(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	pd_build_chain(d, "main+1 > f+2", 100, 3, 1);
	pd_build_chain(d, "main+1 > std::pool::pool+3", 72704, 1, 0);
	pd_build_chain(d, "main+1 > std::pool::pool+3", 8, 5, 1);
	pd_build_finish(d);
	d->reach.known = true;
	for (size_t i = 0; i < d->n_leaves; i++)
		if (d->leaves[i].size == 100) {
			d->leaves[i].reach[PD_LOST] = 2;
			d->leaves[i].hanging = (struct pd_sum){7, 168};
		}
	json_t *t = tree_of(d);

	assert_at(t, "leaves.kept_bytes", "[200,72736]");
	assert_at(t, "leaves.runtime_blocks", "[0,1]");
	assert_at(t, "leaves.runtime_bytes", "[0,72704]");
	assert_at(t, "lost.lost_blocks", "[2,0]");
	assert_at(t, "lost.lost_bytes", "[200,0]");
	assert_at(t, "lost.hanging_blocks", "[7,0]");
	assert_at(t, "lost.hanging_bytes", "[168,0]");
	json_decref(t);
	profile_data_free(d);
}

static void what_requested_nothing_is_left_out_with_its_names(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	/* As a forked process has them of its parent. */
	pd_build_chain(d, "main+1 > parents+2", 100, 0, 0);
	pd_build_cut_chain(d, "parents+3", 8, 0, 0);
	pd_build_chain(d, "main+1 > own+4", 100, 1, 0);
	pd_build_finish(d);
	add_type(d, pd_build_path(d, PD_ROOT_WHOLE, "main+1 > parents+2"), "struct b", 1);
	json_t *t = tree_of(d);

	assert_at(t, "strings", "[\"main\",\"own\"]");
	assert_at(t, "nodes.up", "[0,1]");
	assert_at(t, "nodes.site", "[0,1]");
	assert_at(t, "leaves.node", "[1]");
	assert_at(t, "types.node", "[]");
	json_decref(t);
	profile_data_free(d);
}

static void an_empty_chain_ends_in_a_function_nobody_knows(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	pd_build_chain(d, "", 3, 2, 0);
	pd_build_cut_chain(d, "", 4, 1, 0);
	pd_build_chain(d, "main+1", 5, 1, 0);
	pd_build_finish(d);
	json_t *t = tree_of(d);

	assert_at(t, "strings", "[\"?\",\"main\"]");
	assert_at(t, "functions.module", "[-1,-1]");
	assert_at(t, "nodes.up", "[0,0,0]");
	assert_at(t, "nodes.site", "[0,1,-1]");
	assert_at(t, "leaves.node", "[0,1,1]");
	assert_at(t, "leaves.bytes", "[6,5,4]");
	json_decref(t);
	profile_data_free(d);
}

static void an_empty_profile_has_an_empty_tree(void **state)
{
	struct profile_data *d = profile_data_new();

	(void)state;
	json_t *t = tree_of(d);

	assert_at(t, "strings", "[]");
	assert_at(t, "modules", "[]");
	assert_at(t, "nodes.up", "[]");
	assert_at(t, "leaves.temporary", "[]");
	assert_at(t, "types.certain", "[]");
	json_decref(t);
	profile_data_free(d);
}

static void names_are_data_whatever_they_are(void **state)
{
	static const char *const names[][2] = {
		{"</script><img src=x onerror=alert()>", "</script><img src=x onerror=alert()>"},
		{"\x01\x1b[31m\"\\\x7f\n", "\x01\x1b[31m\"\\\x7f\n"},
		{"a\xff\xc3(\xe2\x82z\xc3\xa9",
		 "a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbdz\xc3\xa9"},
		{"", ""},
	};
	enum { N = sizeof names / sizeof *names };
	struct profile_data *d = profile_data_new();

	(void)state;
	pd_build_chain(d, "a > b > c > d", 1, 1, 0);
	for (size_t i = 0; i < N; i++) {
		free(d->functions[i].name);
		d->functions[i].name = strdup(names[i][0]);
	}
	pd_build_finish(d);
	json_t *t = tree_of(d);
	const json_t *strings = json_object_get(t, "strings");

	assert_int_equal(json_array_size(strings), N);
	for (size_t i = 0; i < N; i++)
		assert_string_equal(json_string_value(json_array_get(strings, i)), names[i][1]);
	json_decref(t);
	profile_data_free(d);
}

static json_int_t sum(const json_t *tree, const char *column)
{
	const json_t *list = json_object_get(json_object_get(tree, "leaves"), column), *one;
	json_int_t total = 0;
	size_t i;

	json_array_foreach(list, i, one) total += json_integer_value(one);
	return total;
}

/* Each node's parent, depth first: what is below a node follows it at once. */
static void assert_is_a_tree(const json_t *tree)
{
	const json_t *up = json_object_get(json_object_get(tree, "nodes"), "up"), *one;
	size_t n = json_array_size(up), depth = 0, i;
	size_t *path = calloc(n + 1, sizeof *path);

	assert_non_null(path);
	json_array_foreach(up, i, one)
	{
		size_t by = (size_t)json_integer_value(one);

		assert_true(by <= i);
		while (depth && (!by || path[depth - 1] != i - by))
			depth--;
		assert_true(!by || depth);
		path[depth++] = i;
	}
	free(path);
}

static void sums_of_leaves_are_the_totals(void **state)
{
	(void)state;
	srand(19);
	for (int round = 0; round < 50; round++) {
		struct profile_data *d = profile_data_new();

		for (int i = 0; i < 40; i++) {
			char chain[200] = "";
			uint64_t allocs = (uint64_t)rand() % 9, size = (uint64_t)rand() % 100;

			for (int k = rand() % 8; k > 0; k--)
				snprintf(chain + strlen(chain), sizeof chain - strlen(chain),
					 "%sf%d+%d", *chain ? " > " : "", rand() % 3, rand() % 2);
			pd_build_leaf(d, pd_build_path(d, (uint32_t)rand() % 2, chain), size,
				      allocs, allocs / 2);
		}
		pd_build_finish(d);
		json_t *t = tree_of(d);

		assert_is_a_tree(t);
		assert_int_equal(sum(t, "allocs"), d->totals.allocs);
		assert_int_equal(sum(t, "bytes"), d->totals.alloc_bytes);
		assert_int_equal(sum(t, "frees"), d->totals.frees);
		assert_int_equal(sum(t, "kept_blocks"), d->totals.allocs - d->totals.frees);
		assert_int_equal(sum(t, "kept_bytes"),
				 d->totals.alloc_bytes - d->totals.free_bytes);
		assert_int_equal(sum(t, "peak_bytes"), d->totals.peak_bytes);
		json_decref(t);
		profile_data_free(d);
	}
}

static void a_full_disk_is_told(void **state)
{
	struct profile_data *d = profile_data_new();
	FILE *full = fopen("/dev/full", "w");
	struct tree *t;

	(void)state;
	assert_non_null(full);
	assert_int_equal(tree_new(d, NULL, &t), 0);
	assert_int_equal(tree_json(t, full), -ENOSPC);
	tree_free(t);
	fclose(full);
	profile_data_free(d);
}

static void numbers_of_2_to_the_63_and_more_are_not_negative(void **state)
{
	(void)state;
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main+1", 1ull << 62, 3, 0);
	pd_build_finish(d);
	char *text = text_of(d);

	assert_non_null(strstr(text, "\"bytes\":[13835058055282163712]"));
	assert_non_null(strstr(text, "\"kept_bytes\":[13835058055282163712]"));
	/* What is less than 0 has not become more. */
	assert_non_null(strstr(text, "\"module\":[-1]"));
	free(text);
	profile_data_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_tree_is_written_depth_first_with_what_is_each_nodes_own),
		cmocka_unit_test(what_the_runtime_keeps_and_what_is_lost_are_columns),
		cmocka_unit_test(what_requested_nothing_is_left_out_with_its_names),
		cmocka_unit_test(an_empty_chain_ends_in_a_function_nobody_knows),
		cmocka_unit_test(an_empty_profile_has_an_empty_tree),
		cmocka_unit_test(names_are_data_whatever_they_are),
		cmocka_unit_test(sums_of_leaves_are_the_totals),
		cmocka_unit_test(a_full_disk_is_told),
		cmocka_unit_test(numbers_of_2_to_the_63_and_more_are_not_negative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
