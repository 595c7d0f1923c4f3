/* SPDX-License-Identifier: BSD-2-Clause */
/* Untrusted massif files: what is refused, and where; what is printed. */
#include "unit/unit.h"
#include "massif/ms_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "desc: (none)\ncmd: ./a\ntime_unit: B\n"
#define SNAP "#-\nsnapshot=0\n#-\ntime=8\nmem_heap_B=60\nmem_heap_extra_B=30\nmem_stacks_B=10\n"

static int read_text(const char *text, struct massif_file **f, struct error *e)
{
	/* From the heap, so that a byte too many is seen. */
	size_t n = strlen(text);
	char *copy = malloc(n);

	assert_non_null(copy);
	memcpy(copy, text, n);
	FILE *in = fmemopen(copy, n, "r");
	assert_non_null(in);
	int err = massif_read(in, "F", f, e);
	fclose(in);
	free(copy);
	return err;
}

static void assert_refused(const char *text, const char *words)
{
	struct massif_file *f = (void *)1;
	struct error e = { "" };

	assert_int_equal(read_text(text, &f, &e), -EINVAL);
	assert_string_equal(e.text, words);
	assert_null(f);
}

static void what_is_missing_or_misspelt_is_told_with_its_line(void **state)
{
	(void)state;
	assert_refused("\n", "F: line 1: expected a \"cmd:\" line, got the end of the file");
	assert_refused("desc: x\nfoo: y\n", "F: line 2: expected a \"cmd:\" line, got: foo: y");
	assert_refused("cmd: x\n",
		       "F: line 1: expected a \"time_unit:\" line, got the end of the file");
	assert_refused("cmd: x\n# c\n\ntime_unit: s\n",
		       "F: line 4: expected the time unit i, ms or B, got: "
		       "time_unit: s");
	assert_refused(HEAD, "F: line 3: there is no snapshot");
	assert_refused(HEAD "snapshot=x\n",
		       "F: line 4: expected \"snapshot=\" and a number, got: snapshot=x");
	assert_refused(HEAD "snapshot=0\ntime=-1\n",
		       "F: line 5: expected \"time=\" and a number, got: time=-1");
	assert_refused(HEAD "snapshot=0\ntime=1 2\n",
		       "F: line 5: expected \"time=\" and a number, got: time=1 2");
	assert_refused(HEAD "snapshot=0\ntime=18446744073709551616\n",
		       "F: line 5: expected \"time=\" and a number, got: "
		       "time=18446744073709551616");
	assert_refused(HEAD SNAP, "F: line 10: expected a \"heap_tree=\" line, got the end of the "
				  "file");
	assert_refused(HEAD SNAP "heap_tree=full\n",
		       "F: line 11: expected empty, detailed or peak behind "
		       "\"heap_tree=\", got: heap_tree=full");
	assert_refused(HEAD
		       "snapshot=0\ntime=1\nmem_heap_B=18446744073709551615\nmem_heap_extra_B=1\n"
		       "mem_stacks_B=0\n",
		       "F: line 8: expected bytes whose sum is a number, got: mem_stacks_B=0");
}

static void a_broken_tree_is_told_with_its_line(void **state)
{
	(void)state;
	assert_refused(HEAD SNAP "heap_tree=peak\n",
		       "F: line 11: expected a tree node, got the end of the file");
	assert_refused(HEAD SNAP "heap_tree=peak\nn2: 5 a\n n0: 5 b\n",
		       "F: line 13: expected a tree node, got the end of the file");
	assert_refused(HEAD SNAP "heap_tree=peak\nn: 5 a\n",
		       "F: line 12: expected a tree node, got: n: 5 a");
	assert_refused(HEAD SNAP "heap_tree=peak\nn1: 5 a\nsnapshot=1\n",
		       "F: line 13: expected a tree node, got: snapshot=1");
	assert_refused(HEAD SNAP "heap_tree=peak\nn0: 101 a\n",
		       "F: line 12: expected a tree node with no more "
		       "bytes than its snapshot, got: n0: 101 a");
}

static void a_tree_of_too_many_levels_is_refused(void **state)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct massif_file *f;
	struct error e;

	(void)state;
	fputs(HEAD SNAP "heap_tree=peak\n", out);
	for (int i = 0; i < MASSIF_MAX_LEVELS; i++)
		fputs("n1: 5 a\n", out);
	long whole = ftell(out);
	fputs("n0: 5 a\n", out);
	fclose(out);
	assert_int_equal(read_text(text, &f, &e), -EINVAL);
	assert_non_null(strstr(e.text, "10000 levels"));
	memcpy(text + whole - 8, "n0", 2);
	text[whole] = '\0';
	assert_int_equal(read_text(text, &f, &e), 0);
	assert_int_equal(f->n_lines, MASSIF_MAX_LEVELS);
	massif_file_free(f);
	free(text);
}

static void a_time_after_the_last_is_refused(void **state)
{
	(void)state;
	assert_refused(HEAD SNAP "heap_tree=empty\n"
		       "snapshot=1\ntime=7\nmem_heap_B=0\nmem_heap_extra_B=0\nmem_stacks_B=0\n"
		       "heap_tree=empty\n",
		       "F: snapshot 0 is later than the last one");
}

static void comments_and_empty_lines_are_passed_over(void **state)
{
	struct massif_file *f;
	struct error e;

	(void)state;
	assert_int_equal(read_text("# first\ndesc: --a # b\n \t\ndesc: c\ncmd:   x y \n"
				   "time_unit:B\n"
				   SNAP "heap_tree=detailed\n n1: 60 top\n\n# between\n"
					"  n0:7 low#er", &f, &e), 0);
	assert_string_equal(f->desc, " --a \n c\n");
	assert_string_equal(f->cmd, "x y ");
	assert_int_equal(f->n_records, 1);
	assert_int_equal(f->records[0].n, 2);
	assert_string_equal(f->lines[0].text, " top");
	assert_int_equal(f->lines[1].bytes, 7);
	assert_string_equal(f->lines[1].text, " low");
	massif_file_free(f);
}

static void assert_label(uint64_t value, const char *time_unit, const char *text, const char *unit)
{
	struct ms_label l = ms_label(value, time_unit);

	assert_string_equal(l.text, text);
	assert_string_equal(l.unit, unit);
}

static void labels_have_five_columns(void **state)
{
	(void)state;
	assert_label(1, "B", "    1", "B");
	assert_label(999, "B", "  999", "B");
	assert_label(1000, "B", "0.977", "KB");
	assert_label(10240, "B", "10.00", "KB");
	assert_label(102400, "B", "100.0", "KB");
	assert_label(1024000, "B", "0.977", "MB");
	assert_label(UINT64_MAX, "B", "16.00", "EB");
	assert_label(116122, "i", "113.4", "ki");
	assert_label(999, "ms", "  999", "ms");
	assert_label(3599000, "ms", "3599.0", "s");
	assert_label(3600000, "ms", "1.000", "h");
}

static void numbers_have_commas(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(ms_commas(text, 0), "0");
	assert_string_equal(ms_commas(text, 999), "999");
	assert_string_equal(ms_commas(text, 1000), "1,000");
	assert_string_equal(ms_commas(text, UINT64_MAX), "18,446,744,073,709,551,615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_missing_or_misspelt_is_told_with_its_line),
		cmocka_unit_test(a_broken_tree_is_told_with_its_line),
		cmocka_unit_test(a_tree_of_too_many_levels_is_refused),
		cmocka_unit_test(a_time_after_the_last_is_refused),
		cmocka_unit_test(comments_and_empty_lines_are_passed_over),
		cmocka_unit_test(labels_have_five_columns),
		cmocka_unit_test(numbers_have_commas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
