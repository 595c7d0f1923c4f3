/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "base/replace.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/mprof-test-XXXXXX";

static int begin(void **state)
{
	(void)state;
	strcpy(dir + sizeof dir - 7, "XXXXXX");
	umask(022);
	return !mkdtemp(dir) || chdir(dir);
}

static int end(void **state)
{
	(void)state;
	unlink("page");
	unlink("elsewhere");
	return chdir("/") || rmdir(dir);
}

static int print(FILE *out, void *ctx)
{
	return fputs(ctx, out) == EOF;
}

static void replace(void)
{
	struct error e;

	assert_int_equal(replace_stream("page", ".new-", print, (void *)(uintptr_t)"text", &e), 0);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_size, 4);
	return st.st_mode;
}

static void was(const char *path, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void a_private_file_stays_private(void **state)
{
	static const mode_t modes[] = { 0600, 0640, 0644, 0664, 0400 };

	(void)state;
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		was("page", modes[i]);
		replace();
		assert_int_equal(mode_of("page"), S_IFREG | modes[i]);
		unlink("page");
	}
}

static void a_new_file_has_the_mode_that_the_user_s_umask_gives(void **state)
{
	(void)state;
	replace();
	assert_int_equal(mode_of("page"), S_IFREG | 0644);
}

static void what_a_link_leads_to_says_nothing_of_the_file_that_takes_its_place(void **state)
{
	(void)state;
	was("elsewhere", 0666);
	assert_int_equal(symlink("elsewhere", "page"), 0);
	replace();
	assert_int_equal(mode_of("page"), S_IFREG | 0644);
}

static void a_file_of_somebody_else_s_gets_no_more_bits_than_it_had(void **state)
{
	(void)state;
	was("page", 0606);
	if (chown("page", 65534, 65534)) {
		print_message("skipped: only root can give a file away\n");
		skip();
	}
	replace();
	assert_int_equal(mode_of("page"), S_IFREG | 0604);
}

#define in_a_folder(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_folder(a_private_file_stays_private),
		in_a_folder(a_new_file_has_the_mode_that_the_user_s_umask_gives),
		in_a_folder(what_a_link_leads_to_says_nothing_of_the_file_that_takes_its_place),
		in_a_folder(a_file_of_somebody_else_s_gets_no_more_bits_than_it_had),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
