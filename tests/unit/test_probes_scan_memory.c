/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that there was no memory for is lost; it is not a file that has fewer functions. */
#include "unit/unit.h"
#include "unit/no_memory.h"
#include "probes/probes.h"
#include "probes/scan.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Number of a new module file: each is read once. */
static uint32_t add_file(struct module_files *files, const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	files->files = reallocarray(files->files, files->n + 1, sizeof *files->files);
	assert_non_null(files->files);
	files->files[files->n] = (struct module_file){ .path = strdup(path), .fd = fd };
	return (uint32_t)files->n++;
}

static void whichever_request_for_memory_fails_no_function_is_missing(void **state)
{
	struct probes probes = { 0 };
	struct module_files files = { 0 };
	struct scans scans = { .probes = &probes };
	long n = 0, lost = 0;
	bool failed;
	Dl_info libc;

	(void)state;
	assert_true(dladdr((const void *)(uintptr_t)abort, &libc));
	assert_int_equal(probes_add_builtin(&probes, true, NULL), 0);
	const size_t whole = scan_file(&scans, &files, add_file(&files, libc.dli_fname))->n_probes;

	assert_true(whole > 0);
	do {
		const uint32_t number = add_file(&files, libc.dli_fname);

		no_memory_after(n++);
		const struct scan *s = scan_file(&scans, &files, number);
		failed = no_memory_end();
		assert_true(failed || s);
		if (s && s->n_probes != whole)
			fail_msg("%zu of %zu after %ld requests", s->n_probes, whole, n - 1);
		lost += !s;
	} while (failed);
	assert_in_range(lost, 3, n);
	print_message("# %ld requests, %ld of them needed\n", n - 1, lost);
	scans_release(&scans);
	probes_release(&probes);
	module_files_release(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whichever_request_for_memory_fails_no_function_is_missing),
	};

	return cmocka_run_group_tests_name("probes/scan", tests, NULL, NULL);
}
