/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of functions that the link editor has dropped. */
#include "unit/test_symbols_fixture.h"

/* A function that nobody calls, with more code than what is before the others in the file, and a
 * line for each of its statements; and one whose lines are told by where it is. */
static void write_program(struct fixture *x)
{
	enum { STATEMENTS = 1000, ROOM = 64 };
	char *text = malloc(STATEMENTS * ROOM + 1024), *end = text;

	assert_non_null(text);
	end += sprintf(end, "volatile int sink;\n"
			    "__attribute__((visibility(\"hidden\"))) void dropped(int n)\n{\n");
	for (int i = 0; i < STATEMENTS; i++)
		end += sprintf(end, "	sink += n * %d;\n", i);
	sprintf(end, "}\n"
		     "#line 10\n"
		     "void kept(int n)\n"
		     "{\n"
		     "	sink += n;\n"
		     "	sink += n;\n"
		     "	__asm__ volatile(\".globl here\\nhere:\");\n"
		     "	sink += n;\n"
		     "}\n");
	write_file(x, "t.c", text);
	free(text);
}

static void check_lines(struct fixture *x, const char *compiler)
{
	sh(x, "%s -O0 -fPIC -shared -nostdlib -ffunction-sections -Wl,--gc-sections t.c -o t",
	   compiler);
	const int m = load(x, "t");
	const uint64_t from = nm(x, "t", "kept"), here = nm(x, "t", "here");

	/* The largest of its addresses is below the size of the other one. */
	assert_in_range(here, from, 10000);
	for (uint64_t at = from; at < here; at++) {
		struct sym_frames f = look(x, m, at, false);

		assert_string_equal(f.frames[0].name, "kept");
		if (f.frames[0].line < 11 || f.frames[0].line > 14)
			fail_msg("%s: line %u", compiler, f.frames[0].line);
	}
	assert_int_equal(look(x, m, here, false).frames[0].line, 15);
}

static void lines_of_dropped_functions_do_not_come_between_others(void **state)
{
	struct fixture *x = *state;

	write_program(x);
	check_lines(x, "gcc -gdwarf-4");
	check_lines(x, "gcc -gdwarf-5");
	check_lines(x, "gcc -gdwarf64 -gdwarf-5");
	check_lines(x, "gcc -gdwarf-5 -gz");
	check_lines(x, "gcc -gdwarf-5 -fuse-ld=gold");
	check_lines(x, "clang -gdwarf-5 -fuse-ld=lld");
}

/* A table that ends anywhere is read to there. */
static void of_a_table_that_is_cut_off_the_rest_is_read(void **state)
{
	struct fixture *x = *state;

	write_file(x, "t.c", "int f(void) { return 1; }\nint g(void) { return 2; }\n");
	sh(x, "gcc -gdwarf-5 -O0 -fPIC -shared -nostdlib t.c -o t");
	sh(x, "objcopy -O binary --only-section=.debug_line --set-section-flags .debug_line=alloc "
	      "t lines");
	for (int size = 1; size < 24; size += 3) {
		sh(x, "head -c %d lines >cut && objcopy --update-section .debug_line=cut t t%d",
		   size, size);
		char name[16];

		snprintf(name, sizeof name, "t%d", size);
		const int m = load(x, name);

		assert_string_equal(look(x, m, nm(x, "t", "g"), false).frames[0].name, "g");
		assert_int_equal(look(x, m, nm(x, "t", "g"), false).frames[0].line, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			lines_of_dropped_functions_do_not_come_between_others, fixture_setup,
			fixture_teardown),
		cmocka_unit_test_setup_teardown(of_a_table_that_is_cut_off_the_rest_is_read,
						fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
