/* SPDX-License-Identifier: BSD-2-Clause */
/* Only what dpkg and apt print becomes the name of a package. */
#include "unit/unit.h"

#include "doctor/packages.h"

#include <string.h>

static void an_owner_is_told_without_its_architecture(void **state)
{
	char name[PACKAGE_NAME];

	(void)state;
	assert_string_equal(package_owner("libc6:amd64: /lib/x/libc.so.6", name),
			    "/lib/x/libc.so.6");
	assert_string_equal(name, "libc6");
	assert_string_equal(package_owner("sqlite3: /usr/bin/sqlite3", name), "/usr/bin/sqlite3");
	assert_string_equal(name, "sqlite3");
	assert_string_equal(package_owner("libstdc++6:i386, libstdc++6:amd64: /a: /b", name),
			    "/a: /b");
	assert_string_equal(name, "libstdc++6");
}

static void what_is_no_owner_names_no_package(void **state)
{
	static const char *const lines[] = {
		"",
		": /bin/sh",
		"diversion by dash from: /bin/sh",
		"dpkg-query: no path found matching pattern /x",
		"$(reboot): /bin/sh",
		"-rf: /bin/sh",
		"sqlite3",
	};
	char name[PACKAGE_NAME];

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (package_owner(lines[i], name))
			fail_msg("\"%s\" is an owner", lines[i]);
}

static void only_what_apt_has_is_offered(void **state)
{
	char name[PACKAGE_NAME], with[PACKAGE_NAME + 32] = "Package: ";

	(void)state;
	assert_true(package_offered("Package: libc6-dbg\n", name));
	assert_string_equal(name, "libc6-dbg");
	assert_false(package_offered("Source: glibc\n", name));
	assert_false(package_offered("Package: a b\n", name));
	assert_false(package_offered("Package: \n", name));
	memset(with + 9, 'x', PACKAGE_NAME);
	assert_false(package_offered(with, name));
}

static void a_debug_package_may_have_two_names(void **state)
{
	char name[PACKAGE_NAME];

	(void)state;
	assert_true(package_debug_name("libc6", 0, name));
	assert_string_equal(name, "libc6-dbgsym");
	assert_true(package_debug_name("libc6", 1, name));
	assert_string_equal(name, "libc6-dbg");
	assert_false(package_debug_name("libc6", 2, name));
}

static void a_path_is_asked_for_on_both_sides_of_usr(void **state)
{
	char as[64];

	(void)state;
	assert_true(package_path("/usr/lib/libz.so.1", 0, as, sizeof as));
	assert_string_equal(as, "/usr/lib/libz.so.1");
	assert_true(package_path("/usr/lib/libz.so.1", 1, as, sizeof as));
	assert_string_equal(as, "/lib/libz.so.1");
	assert_true(package_path("/lib/libz.so.1", 1, as, sizeof as));
	assert_string_equal(as, "/usr/lib/libz.so.1");
	assert_true(package_path("/usrx/a", 1, as, sizeof as));
	assert_string_equal(as, "/usr/usrx/a");
	assert_false(package_path("/lib/libz.so.1", 2, as, sizeof as));
}

static void a_pattern_is_no_path(void **state)
{
	char as[64];

	(void)state;
	assert_false(package_path("/tmp/*", 0, as, sizeof as));
	assert_false(package_path("/tmp/[a]", 0, as, sizeof as));
	assert_false(package_path("/tmp/a\\b", 0, as, sizeof as));
	assert_false(package_path("/tmp/a\nb", 0, as, sizeof as));
	assert_false(package_path("relative", 0, as, sizeof as));
	assert_false(package_path("-x", 0, as, sizeof as));
	assert_false(package_path("/tmp/abc", 0, as, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_owner_is_told_without_its_architecture),
		cmocka_unit_test(what_is_no_owner_names_no_package),
		cmocka_unit_test(only_what_apt_has_is_offered),
		cmocka_unit_test(a_debug_package_may_have_two_names),
		cmocka_unit_test(a_path_is_asked_for_on_both_sides_of_usr),
		cmocka_unit_test(a_pattern_is_no_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
