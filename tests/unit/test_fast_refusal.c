/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "fast/refusal.h"

#include <errno.h>
#include <string.h>

static void expect(enum fast_step step, int err, const char *words)
{
	struct error why;

	assert_int_equal(fast_refuse(&why, step, err, (size_t)166 << 20), err);
	if (!strstr(why.text, words))
		fail_msg("\"%s\" does not say \"%s\"", why.text, words);
}

static void each_failure_has_its_reason(void **state)
{
	(void)state;
	expect(FAST_SECCOMP, -EPERM, "seccomp filter");
	expect(FAST_KNOW, -EIO, "its agent cannot be read: Input/output error");
	expect(FAST_KNOW, -EMFILE, "mprof itself has no file descriptor left");
	expect(FAST_KNOW, -EFBIG, "no file in memory that is large enough (RLIMIT_FSIZE, "
				  "ulimit -f)");
	expect(FAST_HERE, -EFBIG, "(RLIMIT_FSIZE, ulimit -f)");
	for (int step = FAST_KNOW; step <= FAST_OWNER; step++)
		expect((enum fast_step)step, -ESRCH, "it has ended meanwhile, or was killed");
	expect(FAST_VDSO, -ENOSYS, "no vdso");
	expect(FAST_FILE, -EMFILE, "it has no file descriptor left (RLIMIT_NOFILE, ulimit -n)");
	expect(FAST_HERE, -EMFILE, "mprof itself has no file descriptor left (RLIMIT_NOFILE, "
				   "ulimit -n)");
	expect(FAST_HERE, -ENOMEM, "mprof itself cannot map 166 MiB more (RLIMIT_AS, ulimit -v)");
	expect(FAST_HERE, -ESTALE, "has put another file in the place of the one in memory");
	expect(FAST_HERE, -EIO, "by mprof itself: Input/output error");
	expect(FAST_FILE, -ENOSYS, "memfd_create): Function not implemented");
	expect(FAST_FILE, -EACCES, "memfd_create): Permission denied");
	expect(FAST_SHARED, -ENOMEM, "166 MiB more (RLIMIT_AS");
	expect(FAST_SHARED, -EIO, "shared memory cannot be mapped");
	expect(FAST_OWNER, -EAGAIN, "mprof itself cannot begin a thread: Resource temporarily");
	expect(FAST_AGENT, -EACCES, "execmem");
	expect(FAST_AGENT, -EPERM, "execmem");
	expect(FAST_AGENT, -ENOMEM, "code cannot be mapped into it: Cannot allocate memory");
}

static void why_functions_have_no_pads_is_told(void **state)
{
	(void)state;
	assert_non_null(strstr(fast_no_room(-EPERM), "seccomp"));
	assert_non_null(strstr(fast_no_room(-EAGAIN), "no thread"));
	assert_string_equal(fast_no_room(-ENOMEM), "no room for code near them");
	assert_string_equal(fast_no_room(-ENOSPC), "no room for code near them");
}

static void stays(bool left, bool tasks, bool caller, int err, const char *words)
{
	const char *why = fast_stays(left, tasks, caller, err);

	if (words ? !why || !strstr(why, words) : why != NULL)
		fail_msg("\"%s\", not \"%s\"", why ? why : "nothing", words ? words : "nothing");
}

static void what_stays_has_its_reason(void **state)
{
	(void)state;
	stays(true, true, true, 0, NULL);
	stays(true, false, false, 0, NULL);
	stays(false, true, true, 0, "has not returned");
	stays(false, true, false, 0, "has not returned");
	stays(true, true, true, -EPERM, "seccomp");
	stays(true, true, true, -EACCES, "mseal");
	stays(true, true, false, 0, "signals came");
	stays(true, true, true, -EAGAIN, "signals came");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_failure_has_its_reason),
		cmocka_unit_test(why_functions_have_no_pads_is_told),
		cmocka_unit_test(what_stays_has_its_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
