/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "pprof/allocators.h"
#include "pprof/heap_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add(struct stack_table *t, uint64_t a, uint64_t b, int64_t objects, int64_t bytes)
{
	uint64_t elements[2] = { a, b };
	int64_t value[HEAP_VALUES] = { objects, bytes, objects, bytes };

	assert_int_equal(stack_table_add(t, elements, b ? 2 : a ? 1 : 0, value), 0);
}

static int names_of(void *ctx, uint64_t address, bool first, void (*name)(void *, const char *),
		    void *to)
{
	(void)ctx;
	if (first)
		name(to, "out\033[1mer");
	name(to, address == 0x2001 ? "ns::operator--()" : "f");
	return 0;
}

static void assert_written(const struct stack_table *t, const struct stack_table *mapped,
			   const struct heap_names *names, const char *want)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(heap_write(out, t, mapped, "the map\n", names), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, want);
	free(text);
}

static void numbers_are_aligned_and_mapped_memory_is_not_in_the_totals(void **state)
{
	struct stack_table t = { 0 }, mapped = { 0 };

	(void)state;
	add(&t, 0x1000, 0x2001, 1, 10);
	add(&t, 0, 0, 1234567, 123456789);
	add(&mapped, 0x7f0011223344, 0, 1, 4096);
	stack_table_sort(&t, INUSE_SPACE);
	assert_written(&t, &mapped, NULL,
		       "heap profile: 1234568: 123456799 [1234568: 123456799] @ heapprofile\n"
		       "     1:     4096 [     1:     4096] @ 0x7f0011223344\n"
		       "1234567: 123456789 [1234567: 123456789] @ 0x00000000\n"
		       "     1:       10 [     1:       10] @ 0x00001000 0x00002001\n"
		       "\nMAPPED_LIBRARIES:\nthe map\n");
	stack_table_release(&t);
	stack_table_release(&mapped);
}

static void names_stand_for_each_address_once_and_have_no_separator_in_them(void **state)
{
	struct stack_table t = { 0 };
	struct heap_names names = { "/bin/x\a", names_of, NULL };

	(void)state;
	add(&t, 0x1000, 0x2001, 1, 10);
	add(&t, 0x1000, 0, 1, 10);
	assert_written(&t, NULL, &names,
		       "--- symbol\nbinary=/bin/x\\007\n0x00001000 out\\033[1mer--f\n"
		       "0x00002001 ns::operator- -()\n---\n"
		       "heap profile:      2:       20 [     2:       20] @ heapprofile\n"
		       "     1:       10 [     1:       10] @ 0x00001000 0x00002001\n"
		       "     1:       10 [     1:       10] @ 0x00001000\n"
		       "\nMAPPED_LIBRARIES:\nthe map\n");
	stack_table_release(&t);
}

static void assert_path(const char *path, const char *want)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	heap_write_path(out, path);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, want);
	free(text);
}

static void paths_that_others_open_stay_as_they_are(void **state)
{
	static const char *const paths[] = {
		"", "/usr/lib/libc.so.6", "/a b/c\\012.so (deleted)",
		"/gr\xc3\xbc\xc3\x9f/\xe2\x82\xac.so",
		"/gr\xfc\xdf.so", /* Latin-1 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		assert_path(paths[i], paths[i]);
}

static void a_terminal_obeys_no_byte_of_a_path(void **state)
{
	(void)state;
	assert_path("/\033]0;x\a\177", "/\\033]0;x\\007\\177");
	assert_path("/a\nb\tc", "/a\\012b\\011c");
	/* CSI in eight bits: as UTF-8, alone, and behind a byte that begins a longer character. */
	assert_path("/\xc2\x9b/\x9b/\xe2\x9b/", "/\\302\\233/\\233/\xe2\\233/");
	assert_path("/\xe2\x80\xae", "/\\342\\200\\256");
}

static void lines_of_a_map_stay_lines(void **state)
{
	struct stack_table t = { 0 };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(heap_write(out, &t, NULL, "1-2 /a\033\n3-4 /\xc3\xbc\n", NULL), 0);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "\nMAPPED_LIBRARIES:\n1-2 /a\\033\n3-4 /\xc3\xbc\n"));
	free(text);
}

static void a_sum_that_overflows_adds_nothing(void **state)
{
	struct stack_table t = { 0 };
	uint64_t e = 1;
	int64_t most[HEAP_VALUES] = { 1, INT64_MAX, 1, 1 };

	(void)state;
	assert_int_equal(stack_table_add(&t, &e, 1, most), 0);
	assert_int_equal(stack_table_add(&t, &e, 1, most), -EOVERFLOW);
	assert_int_equal(t.stacks[0].value[ALLOC_OBJECTS], 1);
	assert_int_equal(t.stacks[0].value[INUSE_SPACE], 1);
	stack_table_release(&t);
}

static void allocation_functions_are_told_by_their_whole_names(void **state)
{
	(void)state;
	assert_true(heap_is_allocator("malloc"));
	assert_true(heap_is_allocator("operator new[](unsigned long)"));
	assert_true(heap_is_allocator("tcmalloc::allocate_full_cpp_throw_oom(unsigned long)"));
	assert_true(heap_is_allocator("(anonymous namespace)::do_malloc(unsigned long)"));
	assert_false(heap_is_allocator("my_malloc"));
	assert_false(heap_is_allocator("malloc_pool"));
	assert_false(heap_is_allocator("(anonymous namespace)::work()"));
	assert_false(heap_is_allocator(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_aligned_and_mapped_memory_is_not_in_the_totals),
		cmocka_unit_test(names_stand_for_each_address_once_and_have_no_separator_in_them),
		cmocka_unit_test(paths_that_others_open_stay_as_they_are),
		cmocka_unit_test(a_terminal_obeys_no_byte_of_a_path),
		cmocka_unit_test(lines_of_a_map_stay_lines),
		cmocka_unit_test(a_sum_that_overflows_adds_nothing),
		cmocka_unit_test(allocation_functions_are_told_by_their_whole_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
