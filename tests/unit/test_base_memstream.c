/* SPDX-License-Identifier: BSD-2-Clause */
/* A text that is printed into memory is whole, or there is none and fclose() says so. */
#include "unit/unit.h"
#include "unit/no_memory.h"

#include "base/memstream.h"
#include "base/stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 3000, LINE = 10 };

static void print_lines(FILE *out)
{
	for (int i = 0; i < LINES; i++)
		fprintf(out, "%09d\n", i);
}

static void what_was_printed_and_a_zero(void **state)
{
	char *text = (char *)"before";
	size_t len = 99;
	FILE *out = memstream_open(&text, &len);

	(void)state;
	assert_non_null(out);
	assert_null(text);
	assert_int_equal(len, 0);
	print_lines(out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(len, LINES * LINE);
	assert_int_equal(strlen(text), len);
	for (int i = 0; i < LINES; i++)
		assert_int_equal(strtol(text + (size_t)i * LINE, NULL, 10), i);
	free(text);
}

static void bytes_that_are_zero_are_kept(void **state)
{
	char *text;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	(void)state;
	assert_non_null(out);
	assert_int_equal(fwrite("one\0two", 1, 7, out), 7);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(len, 7);
	assert_memory_equal(text, "one\0two", 8);
	free(text);
}

static void nothing_printed_is_an_empty_text(void **state)
{
	char *text;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	(void)state;
	assert_non_null(out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(text);
	assert_string_equal(text, "");
	assert_int_equal(len, 0);
	free(text);
}

/* Only one request fails: what comes later has its memory again, and may not make the text look
 * whole. */
static void a_text_of_which_a_part_is_lost_is_none(void **state)
{
	long n = 0, lost = 0;
	bool failed;

	(void)state;
	do {
		char *text;
		size_t len;
		int closed = EOF;

		no_memory_after(n++);
		FILE *out = memstream_open(&text, &len);
		if (out) {
			print_lines(out);
			closed = fclose(out);
		}
		failed = no_memory_end();
		if (closed) {
			assert_true(failed);
			assert_null(text);
			lost++;
		} else {
			assert_int_equal(len, LINES * LINE);
			assert_int_equal(strlen(text), len);
		}
		free(text);
	} while (failed);
	/* To open it, and each time that it grew. */
	assert_in_range(lost, 4, n);
}

static void that_the_last_part_is_lost_is_said_by_fclose(void **state)
{
	char *text;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	(void)state;
	assert_non_null(out);
	setvbuf(out, NULL, _IOFBF, 4096);
	fputs("short", out);
	assert_false(ferror(out));
	no_memory_after(0);
	errno = 0;
	assert_int_equal(fclose(out), EOF);
	assert_int_equal(errno, ENOMEM);
	assert_true(no_memory_end());
	assert_null(text);
}

static void that_output_was_lost_a_while_ago_is_lack_of_memory(void **state)
{
	char *text;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	(void)state;
	assert_non_null(out);
	no_memory_after(1); /* the first is for the stream's buffer */
	print_lines(out);
	assert_true(no_memory_end());
	assert_int_equal(stream_error(out), -ENOMEM);
	assert_int_equal(stream_close(out), -ENOMEM);
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_printed_and_a_zero),
		cmocka_unit_test(bytes_that_are_zero_are_kept),
		cmocka_unit_test(nothing_printed_is_an_empty_text),
		cmocka_unit_test(a_text_of_which_a_part_is_lost_is_none),
		cmocka_unit_test(that_the_last_part_is_lost_is_said_by_fclose),
		cmocka_unit_test(that_output_was_lost_a_while_ago_is_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
