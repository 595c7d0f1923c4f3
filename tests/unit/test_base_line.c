/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of untrusted files. */
#include "unit/unit.h"

#include "base/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text {
	FILE *in;
	char *line;
	size_t cap;
};

static void open_text(struct text *t, const void *bytes, size_t n)
{
	*t = (struct text){ .in = tmpfile() };
	assert_non_null(t->in);
	assert_int_equal(fwrite(bytes, 1, n, t->in), n);
	rewind(t->in);
}

static ssize_t next(struct text *t)
{
	return line_next(&t->line, &t->cap, t->in);
}

static void close_text(struct text *t)
{
	free(t->line);
	fclose(t->in);
}

static void lines_have_their_ends_and_the_last_one_may_have_none(void **state)
{
	struct text t;

	(void)state;
	open_text(&t, "one\n\nthree", 10);
	assert_int_equal(next(&t), 4);
	assert_string_equal(t.line, "one\n");
	assert_int_equal(next(&t), 1);
	assert_string_equal(t.line, "\n");
	assert_int_equal(next(&t), 5);
	assert_string_equal(t.line, "three");
	assert_int_equal(next(&t), 0);
	assert_int_equal(next(&t), 0);
	close_text(&t);
}

static void a_zero_byte_is_no_text(void **state)
{
	struct text t;

	(void)state;
	open_text(&t, "one\ntw\0o\n", 9);
	assert_int_equal(next(&t), 4);
	assert_int_equal(next(&t), -EILSEQ);
	close_text(&t);
}

static void a_hole_of_a_terabyte_is_seen_at_its_first_byte(void **state)
{
	struct text t;

	(void)state;
	open_text(&t, "", 0);
	assert_int_equal(ftruncate(fileno(t.in), INT64_C(1) << 40), 0);
	assert_int_equal(next(&t), -EILSEQ);
	close_text(&t);
}

static void the_longest_line_is_read_and_a_longer_one_is_not(void **state)
{
	char *many = malloc(LINE_LONGEST + 1);
	struct text t;

	(void)state;
	assert_non_null(many);
	memset(many, 'x', LINE_LONGEST + 1);
	open_text(&t, many, LINE_LONGEST);
	assert_int_equal(next(&t), LINE_LONGEST);
	assert_int_equal(strlen(t.line), LINE_LONGEST);
	close_text(&t);
	open_text(&t, many, LINE_LONGEST + 1);
	assert_int_equal(next(&t), -EMSGSIZE);
	close_text(&t);
	free(many);
}

static void what_cannot_be_read_is_no_end(void **state)
{
	struct text t = { .in = fopen("/", "r") };

	(void)state;
	assert_non_null(t.in);
	assert_int_equal(next(&t), -EISDIR);
	close_text(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_their_ends_and_the_last_one_may_have_none),
		cmocka_unit_test(a_zero_byte_is_no_text),
		cmocka_unit_test(a_hole_of_a_terabyte_is_seen_at_its_first_byte),
		cmocka_unit_test(the_longest_line_is_read_and_a_longer_one_is_not),
		cmocka_unit_test(what_cannot_be_read_is_no_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
