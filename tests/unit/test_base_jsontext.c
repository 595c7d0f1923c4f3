/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "base/jsontext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As it is written to a file, which must be JSON. */
static void assert_text(const char *s, const char *want)
{
	json_t *j = json_text(s);
	char *text = json_dumps(j, JSON_ENCODE_ANY);
	json_t *again = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;

	assert_non_null(again);
	assert_string_equal(text, want);
	json_decref(again);
	free(text);
	json_decref(j);
}

static void what_is_utf_8_stays_as_it_is(void **state)
{
	(void)state;
	assert_text("", "\"\"");
	assert_text("operator new[](unsigned long)", "\"operator new[](unsigned long)\"");
	assert_text("a\"b\\\n\033", "\"a\\\"b\\\\\\n\\u001B\"");
	assert_text("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
		    "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80\"");
}

static void each_byte_that_is_not_is_replaced(void **state)
{
	(void)state;
	assert_text("a\xff" "b", "\"a\xef\xbf\xbd" "b\"");
	assert_text("\xc3", "\"\xef\xbf\xbd\"");
	/* A surrogate, and an overlong slash. */
	assert_text("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	assert_text("\xc0\xaf!", "\"\xef\xbf\xbd\xef\xbf\xbd!\"");
}

/* The text that @json is written as, and whether it has the same value. */
static void assert_written(const json_t *json, size_t flags, const char *want)
{
	char *text = json_text_dump(json, flags), *written = NULL;
	size_t len;
	FILE *out = open_memstream(&written, &len);
	json_t *again = json_loads(text ? text : "", JSON_DECODE_ANY, NULL);

	assert_int_equal(json_text_write(json, flags, out), 0);
	fclose(out);
	assert_string_equal(text, want);
	assert_string_equal(written, want);
	assert_true(json_equal(again, json));
	json_decref(again);
	free(written);
	free(text);
}

static void assert_text_written(const char *s, const char *want)
{
	json_t *j = json_text(s);

	assert_written(j, JSON_ENCODE_ANY, want);
	json_decref(j);
}

static void what_is_not_seen_is_written_as_its_number(void **state)
{
	(void)state;
	/* CSI in eight bits, DEL, and the last of C1. */
	assert_text_written("a\xc2\x9b" "31mb\x7f\xc2\x9f", "\"a\\u009B31mb\\u007F\\u009F\"");
	assert_text_written("\x1b]0;\x07", "\"\\u001B]0;\\u0007\"");
	/* Ends of lines and paragraphs, what turns the direction, what has no width. */
	assert_text_written("\xe2\x80\xa8\xe2\x80\xa9", "\"\\u2028\\u2029\"");
	assert_text_written("\xe2\x80\xaa\xe2\x80\xae", "\"\\u202A\\u202E\"");
	assert_text_written("\xe2\x81\xa6\xe2\x81\xa9", "\"\\u2066\\u2069\"");
	assert_text_written("x\xe2\x80\x8by\xef\xbb\xbf", "\"x\\u200By\\uFEFF\"");
	/* A tag, which takes two. */
	assert_text_written("\xf3\xa0\x81\x81", "\"\\uDB40\\uDC41\"");
}

static void what_is_seen_is_written_as_it_is(void **state)
{
	(void)state;
	assert_text_written("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd",
			    "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd\"");
	assert_text_written("", "\"\"");
}

static void keys_are_written_like_values_and_lines_as_asked(void **state)
{
	json_t *j = json_pack("{ss}", "k\xc2\x9b", "v\xe2\x80\xae");

	(void)state;
	assert_written(j, JSON_COMPACT, "{\"k\\u009B\":\"v\\u202E\"}");
	assert_written(j, JSON_INDENT(1), "{\n \"k\\u009B\": \"v\\u202E\"\n}");
	json_decref(j);
}

static void what_is_not_there_or_cannot_be_written_fails(void **state)
{
	FILE *full = fopen("/dev/full", "we");
	json_t *j = json_text("x");

	(void)state;
	assert_null(json_text_dump(NULL, JSON_ENCODE_ANY));
	assert_int_equal(json_text_write(NULL, JSON_ENCODE_ANY, full), -1);
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(json_text_write(j, JSON_ENCODE_ANY, full), -1);
	json_decref(j);
	fclose(full);
}

/* More than a stdio buffer, so that the error comes in the middle. */
static void that_a_device_takes_nothing_is_not_want_of_memory(void **state)
{
	static char large[100000];
	FILE *out = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(out);
	assert_int_equal(json_text_put(NULL, JSON_COMPACT, out), -ENOMEM);
	memset(large, 'x', sizeof large - 1);
	assert_int_equal(json_text_put(json_text(large), JSON_ENCODE_ANY, out), -ENOSPC);
	fclose(out);
}

static void no_string_is_null(void **state)
{
	(void)state;
	assert_text(NULL, "null");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_utf_8_stays_as_it_is),
		cmocka_unit_test(each_byte_that_is_not_is_replaced),
		cmocka_unit_test(what_is_not_seen_is_written_as_its_number),
		cmocka_unit_test(what_is_seen_is_written_as_it_is),
		cmocka_unit_test(keys_are_written_like_values_and_lines_as_asked),
		cmocka_unit_test(what_is_not_there_or_cannot_be_written_fails),
		cmocka_unit_test(that_a_device_takes_nothing_is_not_want_of_memory),
		cmocka_unit_test(no_string_is_null),
	};

	return cmocka_run_group_tests_name("base/jsontext", tests, NULL, NULL);
}
