/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "base/jsontext.h"

#include <stdlib.h>
#include <string.h>

/* As it stands in a file, which must be JSON. */
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
		cmocka_unit_test(no_string_is_null),
	};

	return cmocka_run_group_tests_name("base/jsontext", tests, NULL, NULL);
}
