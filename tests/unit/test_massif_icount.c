/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting instructions: with fake counters, and with a counter of the kernel that every machine
 * has. */
#include "unit/unit.h"
#include "massif/icount.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a made-up counter ---- */

static int answer;	/* what opening one comes to */
static unsigned opened, closed;
static bool readable;
static struct icount_value value;

static int open_fake(pid_t tid)
{
	(void)tid;
	opened += answer >= 0;
	return answer;
}

static bool read_fake(int fd, struct icount_value *v)
{
	(void)fd;
	*v = value;
	return readable;
}

static void close_fake(int fd)
{
	assert_int_equal(fd, answer);
	closed++;
}

static const struct icount_source fake = { open_fake, read_fake, close_fake };

static int fake_setup(void **state)
{
	(void)state;
	answer = 3;
	opened = closed = 0;
	readable = true;
	value = (struct icount_value){ 0 };
	return 0;
}

static void why_there_is_no_counter_is_told(void **state)
{
	static const struct {
		int err;
		const char *words;
	} cases[] = {
		{ EACCES, "not permitted (see /proc/sys/kernel/perf_event_paranoid)" },
		{ EPERM, "not permitted (see /proc/sys/kernel/perf_event_paranoid)" },
		{ ENOENT, "this machine has no counter" },
		{ ENODEV, "this machine has no counter" },
		{ EOPNOTSUPP, "this machine has no counter" },
		{ EINVAL, "Linux 5.13" },
		{ ENOSYS, "Linux 5.13" },
		{ EMFILE, "Too many open files" },
	};
	struct error e;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		answer = -cases[i].err;
		assert_int_equal(icount_possible(&fake, &e), -cases[i].err);
		assert_non_null(strstr(e.text, "instructions cannot be counted: "));
		assert_non_null(strstr(e.text, cases[i].words));
	}
	assert_int_equal(closed, 0);
	answer = 3;
	assert_int_equal(icount_possible(&fake, &e), 0);
	assert_int_equal(closed, 1);
}

static void the_count_goes_on_from_what_was_before(void **state)
{
	struct icount c;

	(void)state;
	icount_open(&c, &fake, getpid(), 1000);
	assert_int_equal(opened, 1);
	value.count = 234;
	assert_int_equal(icount_read(&c), 1234);
	assert_int_equal(icount_error(&c), 0);
	assert_false(icount_estimated(&c));
	icount_close(&c);
	assert_int_equal(closed, 1);
}

static void a_counter_that_fails_is_told_of_and_time_does_not_go_back(void **state)
{
	struct icount c;

	(void)state;
	icount_open(&c, &fake, getpid(), 0);
	value.count = 500;
	assert_int_equal(icount_read(&c), 500);
	value.count = 400;
	assert_int_equal(icount_read(&c), 500);
	assert_int_equal(icount_error(&c), 0);
	readable = false;
	assert_int_equal(icount_read(&c), 500);
	assert_int_equal(icount_error(&c), -EIO);
	icount_close(&c);
	answer = -EMFILE;
	icount_open(&c, &fake, getpid(), 7);
	assert_int_equal(icount_error(&c), -EMFILE);
	assert_int_equal(icount_read(&c), 7);
	icount_close(&c);
}

static void a_thread_that_is_gone_is_no_error(void **state)
{
	struct icount c;

	(void)state;
	answer = -ESRCH;
	icount_open(&c, &fake, getpid(), 7);
	assert_int_equal(icount_error(&c), 0);
	assert_int_equal(icount_read(&c), 7);
	icount_close(&c);
	/* Without a process there is nothing to count. */
	icount_open(&c, &fake, -1, 0);
	assert_int_equal(icount_error(&c), -ENOENT);
	icount_close(&c);
}

static void a_counter_that_others_use_by_turns_is_scaled_and_told_of(void **state)
{
	struct icount c;

	(void)state;
	icount_open(&c, &fake, getpid(), 0);
	value = (struct icount_value){ .count = UINT64_C(1) << 62, .enabled = 3000,
				       .running = 2000 };
	assert_int_equal(icount_read(&c), (UINT64_C(1) << 62) + (UINT64_C(1) << 61));
	assert_true(icount_estimated(&c));
	assert_int_equal(icount_error(&c), 0);
	icount_close(&c);
	/* One that has not run yet has counted nothing. */
	icount_open(&c, &fake, getpid(), 0);
	value = (struct icount_value){ .count = 0, .enabled = 3000, .running = 0 };
	assert_int_equal(icount_read(&c), 0);
	assert_false(icount_estimated(&c));
	icount_close(&c);
}

/* ---- the kernel's, of page faults ---- */

static int open_faults(pid_t tid)
{
	return icount_open_perf(tid, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
}

enum { PAGES = 300 };

static void *touch_pages(void *unused)
{
	char *pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	if (pages == MAP_FAILED)
		_exit(1);
	memset(pages, 1, PAGES * 4096);
	munmap(pages, PAGES * 4096);
	return unused;
}

/* Threads created later are counted, including what they did before they ended; processes are
 * not. */
static void the_kernel_counts_threads_and_not_children(void **state)
{
	struct icount_source faults = perf_instructions;
	struct icount c;
	pthread_t thread;
	int status;

	(void)state;
	faults.open = open_faults;
	icount_open(&c, &faults, getpid(), 0);
	if (c.err == -EACCES || c.err == -EPERM || c.err == -ENOSYS) {
		icount_close(&c);
		skip(); /* nobody may count here */
	}
	assert_int_equal(icount_error(&c), 0);
	assert_int_equal(pthread_create(&thread, NULL, touch_pages, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	uint64_t threads = icount_read(&c);
	assert_true(threads >= PAGES);

	pid_t pid = fork();
	if (!pid) {
		touch_pages(NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(icount_read(&c) - threads < PAGES);
	assert_int_equal(icount_error(&c), 0);
	assert_false(icount_estimated(&c));
	icount_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(why_there_is_no_counter_is_told, fake_setup),
		cmocka_unit_test_setup(the_count_goes_on_from_what_was_before, fake_setup),
		cmocka_unit_test_setup(a_counter_that_fails_is_told_of_and_time_does_not_go_back,
				       fake_setup),
		cmocka_unit_test_setup(a_thread_that_is_gone_is_no_error, fake_setup),
		cmocka_unit_test_setup(a_counter_that_others_use_by_turns_is_scaled_and_told_of,
				       fake_setup),
		cmocka_unit_test(the_kernel_counts_threads_and_not_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
