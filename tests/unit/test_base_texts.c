/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies of strings without memory: the caller gets an error, and either all copies or none.
 * strdup(3) is replaced here, and fails when a test wants it to.
 */
#include "unit/unit.h"

#include "base/texts.h"
#include "cli/options.h"
#include "cli/program.h"
#include "proc/arguments.h"
#include "probes/scan.h"
#include "profile/datafile.h"
#include "naming/resolve.h"
#include "outputs/data.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char __executable_start, etext;

static long to_fail = -1;	/* calls from this program until one fails; below 0: none does */

char *strdup(const char *s)
{
	const char *caller = __builtin_return_address(0);
	size_t size = strlen(s) + 1;

	/* Not what libraries copy: they are not tested here. */
	if (caller >= &__executable_start && caller < &etext && to_fail >= 0 && to_fail-- == 0) {
		errno = ENOMEM;
		return NULL;
	}
	char *copy = malloc(size);
	return copy ? memcpy(copy, s, size) : NULL;
}

/* The next to fail; false: the last round has had one call of strdup less than that. */
static bool fail_next(long *round)
{
	bool failed = to_fail < 0;

	if (*round && !failed) {
		to_fail = -1;
		return false;
	}
	to_fail = (*round)++;
	return true;
}

static size_t count(char *const *texts)
{
	size_t n = 0;

	while (texts[n])
		n++;
	return n;
}

static char *const words[] = { "one", "two", "", "four", NULL };

static void a_list_is_copied_whole_or_not_at_all(void **state)
{
	long round = 0;

	(void)state;
	while (fail_next(&round)) {
		char **copy = texts_copy(words);

		assert_int_equal(!copy, to_fail < 0);
		for (size_t i = 0; copy && words[i]; i++)
			assert_string_equal(copy[i], words[i]);
		assert_true(!copy || count(copy) == 4);
		texts_free(copy);
	}
	assert_int_equal(round, 5);
	char **none = texts_copy(NULL);
	assert_non_null(none);
	assert_null(none[0]);
	texts_free(none);
	texts_free(NULL);
}

static void the_arguments_of_a_process_are_told_all_or_none(void **state)
{
	char **all = proc_arguments(getpid());
	long round = 0;

	(void)state;
	assert_non_null(all);
	size_t n = count(all);
	assert_true(n > 0);
	while (fail_next(&round)) {
		char **args = proc_arguments(getpid());

		assert_int_equal(!args, to_fail < 0);
		assert_true(!args || count(args) == n);
		texts_free(args);
	}
	assert_int_equal(round, n + 1);
	texts_free(all);
}

static void why_a_program_cannot_be_run_is_never_success(void **state)
{
	struct advice a;
	int status;

	(void)state;
	to_fail = 0;
	assert_null(program_find("/bin/sh", &status, &a));
	assert_int_equal(to_fail, -1);
	assert_non_null(strstr(a.why.text, strerror(ENOMEM)));
	assert_int_equal(status, STATUS_CANNOT_RUN);
}

/* ---- what is written of a profile ---- */

static void request(struct profile *p, const struct profile_place *place)
{
	uint32_t frame = profile_frame(p, place);
	struct block_change change;
	struct alloc_event e = { .kind = AE_ALLOC, .ptr = 0x1000, .size = 40,
				 .chain = { .frames = &frame, .n = 1 } };

	assert_int_equal(profile_event(p, &e, &change), 0);
}

static void say_nothing(const char *sentence)
{
	(void)sentence;
}

static void a_profile_has_its_whole_command_or_is_not_written(void **state)
{
	struct image image = { .pid = 1, .command = (char **)words, .program = NO_FILE,
			       .profile = profile_new() };
	struct module_files files = { 0 };
	struct observer observer = { .files = &files };
	struct session s = { .images = &image, .observer = &observer };
	const struct output_host host = { .say = say_nothing };
	struct outputs o = { .session = &s, .settings.data = "unused", .host = &host };
	char path[] = "/tmp/mprof-test-XXXXXX";
	long round = 0, written = 0;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	request(image.profile, &(struct profile_place){ .address = 0x1234, .module = PD_NONE });
	while (fail_next(&round)) {
		struct profile_data *d = NULL;
		struct error e;
		char *name;

		unlink(path);
		if (data_save_as(&o, &image, path, &name, &e))
			continue;
		free(name);
		written++;
		long left = to_fail;
		to_fail = -1;
		assert_int_equal(datafile_read(path, &d, &e), 0);
		assert_int_equal(count(d->command), 4);
		for (size_t i = 0; words[i]; i++)
			assert_string_equal(d->command[i], words[i]);
		profile_data_free(d);
		to_fail = left;
	}
	assert_in_range(round, 6, 100);
	assert_int_equal(written, 1);
	unlink(path);
	profile_free(image.profile);
}

/* outer::inner(), as C++ would call it in an object file. */
__attribute__((noinline, used)) void _ZN5outer5innerEv(void);
void _ZN5outer5innerEv(void)
{
	__asm__ volatile("" ::: "memory");
}

static int take_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; /* the program is the first */
}

static void a_function_has_its_name_for_the_linker_or_there_is_an_error(void **state)
{
	struct resolve_module self = { "/proc/self/exe",
				       open("/proc/self/exe", O_RDONLY | O_CLOEXEC) };
	struct profile *p = profile_new();
	long round = 0, whole = 0;
	uint64_t bias;

	(void)state;
	dl_iterate_phdr(take_bias, &bias);
	request(p, &(struct profile_place){ .address = (uintptr_t)_ZN5outer5innerEv - bias,
					    .module = 0, .exact = true });
	while (fail_next(&round)) {
		struct profile_data *d = profile_data_new();
		bool found = false;
		int err = resolve_profile(p, &self, 1, 0, d);

		for (size_t i = 0; !err && i < d->n_functions; i++) {
			if (strcmp(d->functions[i].name, "outer::inner()"))
				continue;
			assert_non_null(d->functions[i].linkage);
			assert_string_equal(d->functions[i].linkage, "_ZN5outer5innerEv");
			found = true;
		}
		whole += found;
		profile_data_free(d);
	}
	assert_in_range(whole, 1, round);
	close(self.fd);
	profile_free(p);
}

/* ---- what is known of a file ---- */

static void a_file_whose_own_name_is_not_known_is_not_looked_at(void **state)
{
	struct module_file file = { .path = "libc.so.6" };
	struct module_files files = { .files = &file, .n = 1 };
	struct probes probes = { 0 };
	long round = 0, known = 0;
	Dl_info libc;

	(void)state;
	assert_true(dladdr(dlsym(RTLD_DEFAULT, "qsort"), &libc));
	file.fd = open(libc.dli_fname, O_RDONLY | O_CLOEXEC);
	assert_true(file.fd >= 0);
	while (fail_next(&round)) {
		struct scans scans = { .probes = &probes };
		const struct scan *scan = scan_file(&scans, &files, 0);

		assert_true(!scan || scan->soname);
		/* Nor when it is asked for again. */
		assert_ptr_equal(scan_file(&scans, &files, 0), scan);
		known += scan != NULL;
		scans_release(&scans);
	}
	assert_int_equal(known, 1);
	close(file.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_copied_whole_or_not_at_all),
		cmocka_unit_test(the_arguments_of_a_process_are_told_all_or_none),
		cmocka_unit_test(why_a_program_cannot_be_run_is_never_success),
		cmocka_unit_test(a_profile_has_its_whole_command_or_is_not_written),
		cmocka_unit_test(a_function_has_its_name_for_the_linker_or_there_is_an_error),
		cmocka_unit_test(a_file_whose_own_name_is_not_known_is_not_looked_at),
	};

	return cmocka_run_group_tests_name("out_of_memory", tests, NULL, NULL);
}
