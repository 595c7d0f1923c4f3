/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "proc/available.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[64];

/* A file of a made-up root, with the folders that lead to it. */
static void put(const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof path, "%s%s", root, name);
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(path, 0755);
	}
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int begin(void **state)
{
	(void)state;
	strcpy(root, "/tmp/test_proc_available.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	put("/proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    4000 kB\n");
	return 0;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", root);
	return system(command);
}

static void a_machine_without_groups_has_what_it_has(void **state)
{
	(void)state;
	assert_int_equal(memory_available_in(root), 4000 * 1024);
	assert_int_equal(memory_available_in("/nowhere/at/all"), UINT64_MAX);
}

static void the_least_of_all_parents_counts(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "0::/a/b\n");
	put("/sys/fs/cgroup/a/b/memory.max", "max\n");
	put("/sys/fs/cgroup/a/b/memory.current", "100\n");
	put("/sys/fs/cgroup/a/memory.max", "1000000\n");
	put("/sys/fs/cgroup/a/memory.current", "900000\n");
	assert_int_equal(memory_available_in(root), 100000);
	/* What files have in memory can be had back. */
	put("/sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 50000\nactive_file 7\n");
	assert_int_equal(memory_available_in(root), 150000);
	/* In a container the path may be the host's. */
	put("/sys/fs/cgroup/memory.max", "700\n");
	put("/sys/fs/cgroup/memory.current", "600\n");
	assert_int_equal(memory_available_in(root), 100);
	put("/sys/fs/cgroup/memory.current", "800\n");
	assert_int_equal(memory_available_in(root), 0);
}

static void groups_of_version_1_count_too(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/x/y\n");
	put("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "5000\n");
	put("/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "2000\n");
	assert_int_equal(memory_available_in(root), 3000);
}

static void what_makes_no_sense_is_passed_over(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "nonsense\n:\n::\n1:memory\n0::\n4:memory:no/slash\n");
	assert_int_equal(memory_available_in(root), 4000 * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_machine_without_groups_has_what_it_has, begin,
						end),
		cmocka_unit_test_setup_teardown(the_least_of_all_parents_counts, begin, end),
		cmocka_unit_test_setup_teardown(groups_of_version_1_count_too, begin, end),
		cmocka_unit_test_setup_teardown(what_makes_no_sense_is_passed_over, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
