/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "proc/status.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char text[] =
	"Name:\tcat\n"
	"Umask:\t0022\n"
	"State:\tt (tracing stop)\n"
	"Tgid:\t4711\n"
	"Ngid:\t1\n"
	"Pid:\t4712\n"
	"PPid:\t17\n"
	"TracerPid:\t99\n"
	"Uid:\t1000\t1001\t1002\t1003\n"
	"Gid:\t100\t101\t102\t103\n"
	"NStgid:\t4711\t5\n"
	"NSpid:\t4712\t33\t6\n"
	"VmPeak:\t    9999 kB\n"
	"VmSize:\t    2608 kB\n"
	"VmRSS:\t    1280 kB\n"
	"SigBlk:\t0000000000000400\n"
	"SigIgn:\tffffffffffffffff\n"
	"SigCgt:\t8000000000000010\n"
	"CapEff:\t0000000000080001\n"
	"NoNewPrivs:\t1\n"
	"Seccomp:\t2\n"
	"Threads:\t2\n";

static void every_field_is_that_of_its_line(void **state)
{
	struct proc_status s = proc_status_parse(text);

	(void)state;
	assert_string_equal(s.name, "cat");
	assert_int_equal(s.state, 't');
	assert_int_equal(s.tgid, 4711);
	assert_int_equal(s.ppid, 17);
	assert_int_equal(s.tracer, 99);
	assert_int_equal(s.inner, 6);
	assert_int_equal(s.pid_namespaces, 2);
	assert_true(proc_status_can(&s, 0));
	assert_true(proc_status_can(&s, 19));
	assert_false(proc_status_can(&s, 21));
	assert_true(s.no_new_privs);
	assert_int_equal(s.seccomp, 2);
	assert_true(s.has_ids);
	assert_int_equal(s.uid, 1000);
	assert_int_equal(s.effective_uid, 1001);
	assert_int_equal(s.gid, 100);
	assert_int_equal(s.effective_gid, 101);
	assert_int_equal(s.vm_size, 2608);
	assert_int_equal(s.vm_rss, 1280);
	assert_true(proc_status_catches(&s, 5));
	assert_true(proc_status_catches(&s, 64));
	assert_false(proc_status_catches(&s, 6));
	assert_int_equal(s.blocked, 0x400);
	assert_int_equal(s.ignored, UINT64_MAX);
	assert_true(proc_status_lives(&s));
}

/* As the kernel escapes it, and as it would be if it did not. */
static void a_name_counts_for_no_other_field(void **state)
{
	struct proc_status s = proc_status_parse("Name:\ta\\nTgid:\\t1\nState:\tS (x)\nTgid:\t7\n");

	(void)state;
	assert_string_equal(s.name, "a\\nTgid:\\t1");
	assert_int_equal(s.tgid, 7);
	s = proc_status_parse("Name:\tState: Z\nTgid:\t1\nUid:\t0 0 0 0\nTracerPid:\t1\n"
			      "State:\tS (x)\nTgid:\t7\n"
			      "TracerPid:\t0\nUid:\t5\t6\t7\t8\nGid:\t5\t6\t7\t8\n");
	assert_string_equal(s.name, "State: Z");
	assert_int_equal(s.state, 'S');
	assert_int_equal(s.tgid, 7);
	assert_int_equal(s.tracer, 0);
	assert_int_equal(s.uid, 5);
}

static void a_name_that_is_too_long_is_cut(void **state)
{
	char line[600] = "Name:\t";
	struct proc_status s;

	(void)state;
	memset(line + 6, 'x', 500);
	strcpy(line + 506, "\nTgid:\t8\n");
	s = proc_status_parse(line);
	assert_int_equal(strlen(s.name), sizeof s.name - 1);
	assert_int_equal(s.tgid, 8);
}

static void what_is_not_told_is_not_made_up(void **state)
{
	static const char *const texts[] = {
		"", "\n\n", "Tgid", "Tgid:", "Tgid:\t", "Tgid:\nPPid:\n", "Tgid:\tx\n",
		"Tgid:\t-1\n", "Tgid:\t+1\n", "Tgid:\tabc\n", "Tgidx:\t1\n", " Tgid:\t1\n",
		"Uid:\t1\n", "Uid:\t1\t2\n", "NSpid:\n", "SigCgt:\tg\n", "State:\t\n", "Name",
		"VmSize:\tkB\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct proc_status s = proc_status_parse(texts[i]);

		assert_int_equal(s.tgid, 0);
		assert_int_equal(s.ppid, 0);
		assert_int_equal(s.inner, 0);
		assert_false(s.has_ids);
		assert_int_equal(s.vm_size, 0);
		assert_int_equal(s.caught, 0);
		assert_int_equal(s.state, 'X');
		assert_false(proc_status_lives(&s));
		assert_string_equal(s.name, "?");
	}
}

static void numbers_that_do_not_fit_are_none(void **state)
{
	struct proc_status s = proc_status_parse(
		"Tgid:\t2147483648\nPPid:\t99999999999999999999999\nTracerPid:\t4294967297\n"
		"Uid:\t4294967296\t0\t0\t0\nGid:\t0\t0\nVmSize:\t18446744073709551616 kB\n"
		"SigCgt:\t10000000000000000\nNSpid:\t5\t99999999999\n");

	(void)state;
	assert_int_equal(s.tgid, 0);
	assert_int_equal(s.ppid, 0);
	assert_int_equal(s.tracer, 0);
	assert_false(s.has_ids);
	assert_int_equal(s.vm_size, 0);
	assert_int_equal(s.caught, 0);
	assert_int_equal(s.inner, 5);
	s = proc_status_parse("Tgid:\t2147483647\nUid:\t4294967295\t4294967295\nGid:\t0\t0");
	assert_int_equal(s.tgid, INT32_MAX);
	assert_true(s.has_ids);
	assert_int_equal(s.uid, UINT32_MAX);
}

static void every_beginning_of_a_text_can_be_parsed(void **state)
{
	char part[sizeof text];

	(void)state;
	for (size_t n = 0; n < sizeof text; n++) {
		memcpy(part, text, n);
		part[n] = '\0';
		struct proc_status s = proc_status_parse(part);

		assert_true(s.tgid >= 0 && s.tgid <= 4711);
	}
}

/* ---- the kernel's own ---- */

static void handler(int sig)
{
	(void)sig;
}

static void our_own_is_told_under_any_name(void **state)
{
	char was[16];

	(void)state;
	prctl(PR_GET_NAME, was);
	prctl(PR_SET_NAME, "a)\nTgid:\t1\n(\\");
	signal(SIGUSR2, handler);
	struct proc_status s = proc_status(getpid());
	prctl(PR_SET_NAME, was);

	assert_int_equal(s.tgid, getpid());
	assert_int_equal(s.ppid, getppid());
	assert_int_equal(s.state, 'R');
	assert_true(s.has_ids);
	assert_int_equal(s.uid, getuid());
	assert_int_equal(s.effective_uid, geteuid());
	assert_int_equal(s.gid, getgid());
	assert_int_equal(s.effective_gid, getegid());
	assert_true(s.inner > 0 && s.vm_size > s.vm_rss && s.vm_rss > 0);
	assert_true(proc_status_catches(&s, SIGUSR2));
	assert_false(proc_status_catches(&s, SIGUSR1));
}

static void whoever_has_ended_is_told_until_he_is_waited_for(void **state)
{
	siginfo_t si;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT), 0);
	struct proc_status s = proc_status(pid);
	assert_int_equal(s.tgid, pid);
	assert_int_equal(s.state, 'Z');
	assert_int_equal(s.vm_size, 0);
	assert_false(proc_status_lives(&s));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	s = proc_status(pid);
	assert_int_equal(s.tgid, 0);
	assert_false(proc_status_lives(&s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_that_of_its_line),
		cmocka_unit_test(a_name_counts_for_no_other_field),
		cmocka_unit_test(a_name_that_is_too_long_is_cut),
		cmocka_unit_test(what_is_not_told_is_not_made_up),
		cmocka_unit_test(numbers_that_do_not_fit_are_none),
		cmocka_unit_test(every_beginning_of_a_text_can_be_parsed),
		cmocka_unit_test(our_own_is_told_under_any_name),
		cmocka_unit_test(whoever_has_ended_is_told_until_he_is_waited_for),
	};

	return cmocka_run_group_tests_name("proc/status", tests, NULL, NULL);
}
