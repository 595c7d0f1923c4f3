/* SPDX-License-Identifier: BSD-2-Clause */
/* Truncated programs that cannot be executed, made of this test's own file. */
#include "unit/unit.h"

#include "attach/damage.h"
#include "base/preadall.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *whole;
static size_t size, loaded; /* bytes of it: all, and to the end of what is loaded */

static int read_ourselves(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	whole = pread_whole(fd, &size);
	close(fd);
	if (!whole)
		return -1;
	const Elf64_Ehdr *eh = (void *)whole;
	const Elf64_Phdr *ph = (void *)(whole + eh->e_phoff);

	for (unsigned i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_offset + ph[i].p_filesz > loaded)
			loaded = ph[i].p_offset + ph[i].p_filesz;
	return loaded > 8192 && loaded < size ? 0 : -1;
}

static int forget(void **state)
{
	(void)state;
	free(whole);
	return 0;
}

static void assert_damaged(const char *data, size_t len, bool want)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	struct error why = {""};
	char path[32], says[64];

	assert_int_equal(write(fd, data, len), len);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	snprintf(says, sizeof says, "it is damaged: it has %zu bytes, ", len);
	assert_int_equal(program_damaged(path, &why), want);
	if (want)
		assert_non_null(strstr(why.text, says));
	close(fd);
}

static void one_that_has_all_that_is_loaded_is_not(void **state)
{
	(void)state;
	assert_damaged(whole, size, false);
	/* Section headers stand behind that, and nobody needs them. */
	assert_damaged(whole, loaded, false);
}

static void one_that_ends_before_that_or_within_its_headers_is(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	assert_damaged(whole, (loaded - 1) / page * page, true);
	assert_damaged(whole, 3000, true);
	assert_damaged(whole, 100, true);
	assert_damaged(whole, sizeof(Elf64_Ehdr) - 1, true);
	assert_damaged(whole, EI_NIDENT, true);
}

static void headers_that_tell_of_more_than_there_can_be_are_damage(void **state)
{
	char *data = malloc(size);
	const Elf64_Ehdr *eh = (void *)data;

	(void)state;
	memcpy(data, whole, size);
	((Elf64_Phdr *)(void *)(data + eh->e_phoff))[0].p_type = PT_LOAD;
	((Elf64_Phdr *)(void *)(data + eh->e_phoff))[0].p_filesz = UINT64_MAX;
	assert_damaged(data, size, true);
	((Elf64_Ehdr *)(void *)data)->e_phoff = UINT64_MAX;
	assert_damaged(data, size, true);
	free(data);
}

static void what_is_no_program_of_ours_is_not_damaged(void **state)
{
	char other[EI_NIDENT + 1];
	struct error why;

	(void)state;
	assert_damaged("#!/bin/sh\n", 10, false);
	assert_damaged("", 0, false);
	assert_damaged(whole, SELFMAG, false);
	memcpy(other, whole, sizeof other);
	other[EI_CLASS] = ELFCLASS32;
	assert_damaged(other, sizeof other, false);
	assert_false(program_damaged("/", &why));
	assert_false(program_damaged("/nowhere", &why));
}

static void who_was_killed_before_it_began_was_killed_by_a_signal(void **state)
{
	struct error e;

	(void)state;
	assert_int_equal(launch_ended("/proc/self/exe", SIGKILL, &e), -ECHILD);
	assert_string_equal(e.text, "cannot run /proc/self/exe: it was killed before it began, by "
				    "signal 9 (Killed)");
	assert_int_equal(launch_ended("/nowhere", 126 << 8, &e), -ECHILD);
	assert_string_equal(e.text, "cannot run /nowhere: it ended before it began");
	assert_int_equal(launch_refused("/nowhere", ENOENT, &e), -ENOENT);
	assert_string_equal(e.text, "cannot run /nowhere: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_has_all_that_is_loaded_is_not),
		cmocka_unit_test(one_that_ends_before_that_or_within_its_headers_is),
		cmocka_unit_test(headers_that_tell_of_more_than_there_can_be_are_damage),
		cmocka_unit_test(what_is_no_program_of_ours_is_not_damaged),
		cmocka_unit_test(who_was_killed_before_it_began_was_killed_by_a_signal),
	};

	return cmocka_run_group_tests(tests, read_ourselves, forget);
}
