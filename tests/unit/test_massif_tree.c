/* SPDX-License-Identifier: BSD-2-Clause */
/* Which stacks become contexts, and the tree of these. A stack is a string, innermost first, in
 * which each letter is a frame; a capital letter is inlined into the next. */
#include "unit/unit.h"
#include "massif/filter.h"
#include "massif/names.h"
#include "massif/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct massif_entry entries[128];
static char texts[128][24];

/* m is main, p and q allocate, n, x and y have no name; the tables call x and y something all the
 * same. */
static int entries_setup(void **state)
{
	static const char *const names[128] = { ['m'] = "main", ['p'] = "malloc",
						['N'] = "operator new(unsigned long)",
						['a'] = "a", ['b'] = "b", ['c'] = "c(int)",
						['w'] = "wrap",
						['v'] = "outer_wrap", ['s'] = "_start",
						['I'] = "inl" };
	static const char *const labels[128] = { ['x'] = "lib.so+0x12", ['y'] = "lib.so+0x34" };

	(void)state;
	for (int i = 0; i < 128; i++) {
		snprintf(texts[i], sizeof texts[i], "0x%X: %c", (unsigned)i, i >= ' ' ? i : '.');
		entries[i] = (struct massif_entry){ .text = texts[i], .name = names[i],
						    .label = names[i] ? names[i] : labels[i],
						    .address = (uint64_t)i, .inlined = i == 'I' };
	}
	return 0;
}

static size_t ids_of(uint32_t ids[64], const char *stack)
{
	size_t n = strlen(stack);

	for (size_t i = 0; i < n; i++)
		ids[i] = (uint32_t)stack[i];
	return n;
}

/* What the filter leaves; "-": it is ignored. */
static void assert_left(const struct massif_filter *f, const char *stack, const char *left)
{
	uint32_t buffer[64];
	const uint32_t *ids = buffer;
	size_t n = ids_of(buffer, stack);
	char text[65] = "-";

	if (massif_filter(f, entries, &ids, &n)) {
		for (size_t i = 0; i < n; i++)
			text[i] = (char)ids[i];
		text[n] = '\0';
	}
	assert_string_equal(text, left);
}

/* How many frames are looked at until enough is known. */
static void assert_seen(const struct massif_filter *f, const char *stack, size_t decided,
			size_t complete)
{
	uint32_t ids[64];
	size_t n = ids_of(ids, stack), seen[2] = { 0 };
	massif_enough *const enough[2] = { massif_filter_decided, massif_filter_complete };

	for (unsigned i = 0; i < 2; i++)
		while (seen[i] < n && !enough[i](f, entries, ids, seen[i]))
			seen[i]++;
	assert_int_equal(seen[0], decided);
	assert_int_equal(seen[1], complete);
}

static void no_more_is_looked_at_than_matters(void **state)
{
	const char *const wrap[] = { "wrap", NULL }, *const main_only[] = { "main", NULL };
	const struct massif_filter f = { .depth = 30 };

	(void)state;
	assert_seen(&f, "abmns", 1, 3);
	assert_seen(&f, "abns", 1, 4);
	assert_seen(&f, "ppamns", 3, 4);
	assert_seen(&f, "nnamns", 3, 4);
	assert_seen(&f, "pnpn", 3, 4);
	assert_seen(&(struct massif_filter){ wrap, NULL, 30 }, "wvmns", 2, 3);
	/* If main itself is dropped one frame below it is left, and one with a name decides. */
	assert_seen(&(struct massif_filter){ main_only, NULL, 30 }, "mnss", 3, 3);
	assert_seen(&(struct massif_filter){ main_only, NULL, 30 }, "mIasn", 2, 3);
	assert_seen(&(struct massif_filter){ .depth = 2 }, "IabcbamIs", 1, 3);
	assert_seen(&(struct massif_filter){ .depth = 2 }, "nnncbamIs", 4, 4);
}

static void allocation_functions_go_until_the_first_that_is_none(void **state)
{
	const struct massif_filter f = { .depth = 30 };

	(void)state;
	assert_left(&f, "abms", "abm");
	assert_left(&f, "pam", "am");
	assert_left(&f, "pNam", "am");
	assert_left(&f, "apm", "apm");
	assert_left(&f, "nam", "nam");
}

static void naming_only_the_outer_wrapper_has_no_effect(void **state)
{
	const char *const outer[] = { "outer_wrap", NULL },
		*const both[] = { "outer_wrap", "wrap", NULL };

	(void)state;
	assert_left(&(struct massif_filter){ outer, NULL, 30 }, "wvam", "wvam");
	assert_left(&(struct massif_filter){ both, NULL, 30 }, "wvam", "am");
	/* with parameters, as a whole */
	const char *const part[] = { "c", NULL }, *const whole[] = { "c(int)", NULL };
	assert_left(&(struct massif_filter){ part, NULL, 30 }, "cam", "cam");
	assert_left(&(struct massif_filter){ whole, NULL, 30 }, "cam", "am");
}

static void only_the_innermost_function_with_a_name_is_ignored(void **state)
{
	const char *const a[] = { "a", NULL }, *const wrap[] = { "wrap", NULL };

	(void)state;
	assert_left(&(struct massif_filter){ NULL, a, 30 }, "abm", "-");
	assert_left(&(struct massif_filter){ NULL, a, 30 }, "nnam", "-");
	assert_left(&(struct massif_filter){ NULL, a, 30 }, "bam", "bam");
	assert_left(&(struct massif_filter){ NULL, a, 30 }, "pam", "-");
	assert_left(&(struct massif_filter){ wrap, a, 30 }, "wam", "-");
}

static void what_nothing_names_is_meant_by_what_the_tables_call_it(void **state)
{
	const char *const x[] = { "lib.so+0x12", NULL }, *const y[] = { "lib.so+0x34", NULL },
		*const a[] = { "a", NULL };

	(void)state;
	assert_left(&(struct massif_filter){ x, NULL, 30 }, "xam", "am");
	assert_left(&(struct massif_filter){ x, NULL, 30 }, "yxam", "yxam");
	assert_left(&(struct massif_filter){ NULL, x, 30 }, "xam", "-");
	assert_left(&(struct massif_filter){ x, y, 30 }, "xyam", "-");
	/* Further out it does not count; a name there does. */
	assert_left(&(struct massif_filter){ NULL, y, 30 }, "xyam", "xyam");
	assert_left(&(struct massif_filter){ NULL, a, 30 }, "xyam", "-");
}

static void what_is_below_main_is_cut_unless_main_was_dropped(void **state)
{
	const char *const main_only[] = { "main", NULL }, *const all[] = { "a", "b", NULL };

	(void)state;
	assert_left(&(struct massif_filter){ .depth = 30 }, "abmns", "abm");
	assert_left(&(struct massif_filter){ .depth = 30 }, "abns", "abns");
	assert_left(&(struct massif_filter){ main_only, NULL, 30 }, "mns", "n");
	/* main is not at the inner end */
	assert_left(&(struct massif_filter){ main_only, NULL, 30 }, "amns", "am");
	assert_left(&(struct massif_filter){ all, NULL, 30 }, "ab", "-");
	/* could not be unwound: it counts */
	assert_left(&(struct massif_filter){ all, NULL, 30 }, "", "");
}

static void inlined_functions_are_no_depth(void **state)
{
	(void)state;
	assert_left(&(struct massif_filter){ .depth = 3 }, "abcbam", "abc");
	assert_left(&(struct massif_filter){ .depth = 1 }, "IIabm", "IIa");
	assert_left(&(struct massif_filter){ .depth = 2 }, "aIIbm", "aIIb");
	assert_left(&(struct massif_filter){ .depth = 6 }, "abcbam", "abcbam");
}

/* ---- trees ---- */

struct share {
	const char *stack;
	uint64_t bytes;
};

static void put_line(void *ctx, unsigned depth, size_t n, uint64_t bytes, const char *text)
{
	fprintf(ctx, "%*sn%zu %llu %s\n", (int)depth, "", n, (unsigned long long)bytes, text);
}

static void assert_tree(const struct share *shares, uint64_t total, uint64_t useful,
			double threshold, const char *expected)
{
	struct massif_tree t;
	struct massif_weight w[256] = { 0 };
	struct massif_cut cut = { total, useful, threshold, "top" };
	uint32_t ids[64];
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(massif_tree_init(&t, entries), 0);
	for (const struct share *s = shares; s->stack; s++) {
		uint32_t node = massif_tree_add(&t, ids, ids_of(ids, s->stack));

		assert_int_not_equal(node, IDINDEX_NONE);
		w[node].bytes += s->bytes;
		w[node].known = true;
	}
	assert_int_equal(massif_tree_emit(&t, w, &cut, put_line, out), 0);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	massif_tree_release(&t);
}

static void contexts_are_merged_and_the_larger_comes_first(void **state)
{
	(void)state;
	assert_tree((struct share[]){ { "abm", 10 }, { "acm", 30 }, { "bm", 30 }, { "abm", 5 },
				      { 0 } }, 75,
		    75, 1.0,
		    "n2 75 top\n"
		    " n2 45 0x61: a\n"
		    "  n1 30 0x63: c\n"
		    "   n0 30 0x6D: m\n"
		    "  n1 15 0x62: b\n"
		    "   n0 15 0x6D: m\n"
		    " n1 30 0x62: b\n"
		    "  n0 30 0x6D: m\n");
}

static void equal_ones_are_ordered_by_address_and_the_aggregate_comes_first(void **state)
{
	(void)state;
	assert_tree((struct share[]){ { "c", 50 }, { "b", 50 }, { "m", 49 }, { "s", 1 }, { 0 } },
		    5000, 150,
		    1.0,
		    "n3 150 top\n"
		    " n0 50 in 2 places, all below massif's threshold (1.00%)\n"
		    " n0 50 0x62: b\n"
		    " n0 50 0x63: c\n");
}

static void one_place_is_told_in_the_singular(void **state)
{
	(void)state;
	assert_tree((struct share[]){ { "a", 99 }, { "b", 1 }, { 0 } }, 200, 100, 1.0,
		    "n2 100 top\n"
		    " n0 99 0x61: a\n"
		    " n0 1 in 1 place, below massif's threshold (1.00%)\n");
}

static void the_limit_is_rounded_down(void **state)
{
	/* 1% of 199 is 1 */
	(void)state;
	assert_tree((struct share[]){ { "a", 99 }, { "b", 1 }, { 0 } }, 199, 100, 1.0,
		    "n2 100 top\n"
		    " n0 99 0x61: a\n"
		    " n0 1 0x62: b\n");
}

static void a_context_without_bytes_is_still_there(void **state)
{
	(void)state;
	assert_tree((struct share[]){ { "am", 0 }, { "bm", 0 }, { 0 } }, 0, 0, 1.0,
		    "n1 0 top\n"
		    " n0 0 in 2 places, all below massif's threshold (1.00%)\n");
	assert_tree((struct share[]){ { "am", 0 }, { "b", 0 }, { 0 } }, 0, 0, 0,
		    "n2 0 top\n"
		    " n1 0 0x61: a\n"
		    "  n0 0 0x6D: m\n"
		    " n0 0 0x62: b\n");
	assert_tree((struct share[]){ { 0 } }, 0, 0, 1.0, "n0 0 top\n");
}

static void at_a_hundred_per_cent_only_the_whole_is_left(void **state)
{
	(void)state;
	assert_tree((struct share[]){ { "am", 10 }, { "bm", 20 }, { 0 } }, 30, 30, 100.0,
		    "n1 30 top\n"
		    " n0 30 in 2 places, all below massif's threshold (100.00%)\n");
}

static void a_stack_that_is_the_beginning_of_another_gives_its_node_more_than_the_children(
	void **state)
{
	(void)state;
	assert_tree((struct share[]){ { "ab", 10 }, { "abm", 20 }, { 0 } }, 30, 30, 0,
		    "n1 30 top\n"
		    " n1 30 0x61: a\n"
		    "  n1 30 0x62: b\n"
		    "   n0 20 0x6D: m\n");
}

static void aggregates_of_different_levels_do_not_mix(void **state)
{
	(void)state;
	assert_tree((struct share[]){ { "ab", 500 }, { "ac", 1 }, { "am", 2 }, { "bm", 400 },
				      { "bs", 3 },
				      { "c", 4 }, { "m", 5 }, { "s", 1 }, { 0 } }, 1000, 916, 1.0,
		    "n3 916 top\n"
		    " n2 503 0x61: a\n"
		    "  n0 500 0x62: b\n"
		    "  n0 3 in 2 places, all below massif's threshold (1.00%)\n"
		    " n2 403 0x62: b\n"
		    "  n0 400 0x6D: m\n"
		    "  n0 3 in 1 place, below massif's threshold (1.00%)\n"
		    " n0 10 in 3 places, all below massif's threshold (1.00%)\n");
}

/* ---- texts ---- */

static void assert_text(struct massif_place p, const char *expected)
{
	char *text = massif_entry_text(&p);

	assert_string_equal(text, expected);
	free(text);
}

static void an_entry_tells_what_is_known(void **state)
{
	(void)state;
	assert_text((struct massif_place){ 0x40113a, "main", "/src/example.c", 20, "/bin/x" },
		    "0x40113A: main (example.c:20)");
	assert_text((struct massif_place){ 0x1a, "f(int)", NULL, 0, "/lib/l.so" },
		    "0x1A: f(int) (in /lib/l.so)");
	assert_text((struct massif_place){ 0x1a, "f", "f.c", 0, "/lib/l.so" },
		    "0x1A: f (in /lib/l.so)");
	assert_text((struct massif_place){ 0x1a, NULL, NULL, 0, "/lib/l.so" },
		    "0x1A: ??? (in /lib/l.so)");
	assert_text((struct massif_place){ .address = 0 }, "0x0: ???");
	assert_text((struct massif_place){ 1, "jit", NULL, 0, NULL }, "0x1: jit");
}

static void names_cannot_break_a_line_or_steer_a_terminal(void **state)
{
	(void)state;
	assert_text((struct massif_place){ 1, "a\nb", "x\x1b[2Jy.c", 3, NULL },
		    "0x1: a\\012b (x\\033[2Jy.c:3)");
}

/* ---- files ---- */

static void a_file_has_the_lines_that_readers_expect(void **state)
{
	struct massif_detail *d = malloc(sizeof *d + sizeof *d->shares);
	struct massif_forest f = { .threshold = 1.0, .n = 2 };
	uint32_t ids[64];
	char *text;
	size_t len;

	(void)state;
	assert_non_null(d);
	*d = (struct massif_detail){ .n_contexts = 2, .n = 1 };
	d->shares[0] = (struct massif_share){ 1, 20 };
	assert_int_equal(massif_tree_init(&f.tree, entries), 0);
	uint32_t ignored_and_counted[] = { IDINDEX_NONE,
					   massif_tree_add(&f.tree, ids, ids_of(ids, "am")) };
	f.node_of = ignored_and_counted;
	const struct massif_snapshot s[] = {
		{ .at = { .time = 0 } },
		{ .at = { .time = 40, .useful = 20, .extra = 20, .stacks = 7 }, .detail = d,
		  .peak = true },
	};
	char *const command[] = { "./a", "b\nc", "\033[31m\xe2\x80\xae", NULL };
	FILE *out = open_memstream(&text, &len);
	assert_int_equal(massif_write(out, &(struct massif_heading){ "--x=1", command, MASSIF_MS },
				      s, 2, &f),
			 0);
	fclose(out);
	assert_string_equal(text,
		"desc: --x=1\ncmd: ./a b c \\033[31m\\342\\200\\256\n"
		"time_unit: ms\n"
		"#-----------\nsnapshot=0\n#-----------\ntime=0\nmem_heap_B=0\nmem_heap_extra_B=0\n"
		"mem_stacks_B=0\nheap_tree=empty\n"
		"#-----------\nsnapshot=1\n#-----------\ntime=40\nmem_heap_B=20\n"
		"mem_heap_extra_B=20\n"
		"mem_stacks_B=7\nheap_tree=peak\n"
		"n1: 20 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
		" n1: 20 0x61: a\n"
		"  n0: 20 0x6D: m\n");
	free(text);
	free(d);
	massif_tree_release(&f.tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_more_is_looked_at_than_matters),
		cmocka_unit_test(allocation_functions_go_until_the_first_that_is_none),
		cmocka_unit_test(naming_only_the_outer_wrapper_has_no_effect),
		cmocka_unit_test(only_the_innermost_function_with_a_name_is_ignored),
		cmocka_unit_test(what_nothing_names_is_meant_by_what_the_tables_call_it),
		cmocka_unit_test(what_is_below_main_is_cut_unless_main_was_dropped),
		cmocka_unit_test(inlined_functions_are_no_depth),
		cmocka_unit_test(contexts_are_merged_and_the_larger_comes_first),
		cmocka_unit_test(equal_ones_are_ordered_by_address_and_the_aggregate_comes_first),
		cmocka_unit_test(one_place_is_told_in_the_singular),
		cmocka_unit_test(the_limit_is_rounded_down),
		cmocka_unit_test(a_context_without_bytes_is_still_there),
		cmocka_unit_test(at_a_hundred_per_cent_only_the_whole_is_left),
		cmocka_unit_test(
		a_stack_that_is_the_beginning_of_another_gives_its_node_more_than_the_children),
		cmocka_unit_test(aggregates_of_different_levels_do_not_mix),
		cmocka_unit_test(an_entry_tells_what_is_known),
		cmocka_unit_test(names_cannot_break_a_line_or_steer_a_terminal),
		cmocka_unit_test(a_file_has_the_lines_that_readers_expect),
	};

	return cmocka_run_group_tests(tests, entries_setup, NULL);
}
