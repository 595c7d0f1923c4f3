/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "base/modulename.h"

static enum module_likeness likeness(const char *a, const char *b)
{
	return modules_compare(&(struct module_name){ a, "12", false },
			       &(struct module_name){ b, "34", false });
}

static void likeness_is_by_build_path_name_and_version(void **state)
{
	struct module_name p = { "/a/app-1.0", "12", true }, q = { "/a/app-2.0", "34", true };

	(void)state;
	assert_int_equal(modules_compare(&p, &q), MODULES_ARE_PROGRAMS);
	q.build_id = "12";
	assert_int_equal(modules_compare(&p, &q), MODULES_OF_BUILD);
	q.build_id = "";
	q.is_program = false;
	assert_int_equal(modules_compare(&p, &q), MODULES_DIFFER);
	q.path = p.path;
	assert_int_equal(modules_compare(&p, &q), MODULES_OF_BUILD);
	assert_int_equal(likeness("/a/x", "/a/x"), MODULES_OF_PATH);
	assert_int_equal(likeness("/a/x", "/b/x"), MODULES_OF_NAME);
	assert_int_equal(likeness("/a/libx.so.1.2", "/b/libx.so.1.3"), MODULES_OF_VERSIONS);
	assert_int_equal(likeness("/a/libx.so.1", "/b/libx.so"), MODULES_OF_VERSIONS);
	assert_int_equal(likeness("/a/libx.so.1", "/a/liby.so.1"), MODULES_DIFFER);
	assert_int_equal(likeness("/a/libx.so.1", "/a/libx.sock"), MODULES_DIFFER);
	assert_int_equal(likeness("/a/.so", "/a/.so.1"), MODULES_DIFFER);
	assert_int_equal(likeness("", "/a/x-2"), MODULES_DIFFER);
}

static void each_goes_with_what_is_most_like_it(void **state)
{
	const struct module_name from[] = { { "/p", "1", true }, { "/libx.so.1", "2", false },
					    { "/libx.so.2", "3", false },
					    { "/other", "4", false } },
				 to[] = { { "/libx.so.2", "5", false }, { "/q", "6", true } };
	uint32_t pair[4];

	(void)state;
	assert_int_equal(modules_pair(from, 4, to, 2, pair), 0);
	assert_int_equal(pair[0], 1);
	/* its other version is somebody else's other build */
	assert_int_equal(pair[1], MODULE_UNPAIRED);
	assert_int_equal(pair[2], 0);
	assert_int_equal(pair[3], MODULE_UNPAIRED);
	assert_int_equal(modules_pair(from, 4, to, 0, pair), 0);
	assert_int_equal(pair[0], MODULE_UNPAIRED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(likeness_is_by_build_path_name_and_version),
		cmocka_unit_test(each_goes_with_what_is_most_like_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
