/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls injected into children that are in the middle of something, without any effect on
 * them. */
#include "unit/unit.h"
#include "arch/arch.h"
#include "attach/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 17, DEADLINE_MS = 60000 };

/* What a child shares with the test. */
struct shared {
	volatile uint32_t futex, stop;
	volatile int ready, handled, value; /* signals: how many, what came with the last */
	volatile long result;
	volatile int error;
	char name[16];
};

struct child {
	pid_t pid;
	int to[2]; /* a pipe: what the child waits for comes from here */
	struct shared *shared;
	struct remote remote;
	struct kernel kernel;
	taddr insn;
	unsigned noted;
	pid_t noted_tid;
	int noted_status;
};

static struct shared *shared_of_child; /* for signal handlers */

static void note(void *ctx, pid_t tid, int wstatus)
{
	struct child *c = ctx;

	c->noted++;
	c->noted_tid = tid;
	c->noted_status = wstatus;
}

/* ---- what children do ---- */

typedef long child_fn(struct child *c);

static long sleeps(struct child *c)
{
	struct timespec t = { 600, 0 };

	(void)c;
	return nanosleep(&t, NULL);
}

static long polls(struct child *c)
{
	struct pollfd fd = { c->to[0], POLLIN, 0 };

	return poll(&fd, 1, 600000);
}

static long reads(struct child *c)
{
	char byte;

	return read(c->to[0], &byte, 1);
}

static long waits_on_futex(struct child *c)
{
	return syscall(SYS_futex, &c->shared->futex, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static long waits_on_futex_for_a_while(struct child *c)
{
	struct timespec t = { 600, 0 };

	return syscall(SYS_futex, &c->shared->futex, FUTEX_WAIT, 0, &t, NULL, 0);
}

static long waits_for_a_child(struct child *c)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(reads(c) == 1 ? 3 : 4);
	return wait4(pid, &status, 0, NULL) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static long waits_on_epoll(struct child *c)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = epoll_create1(0);

	if (epoll_ctl(fd, EPOLL_CTL_ADD, c->to[0], &event))
		return -2;
	return epoll_wait(fd, &event, 1, -1);
}

/* Blocked, but for these calls. */
static long polls_for_a_signal(struct child *c)
{
	struct pollfd fd = { c->to[0], POLLIN, 0 };
	sigset_t usr1, none;

	sigemptyset(&none);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	return ppoll(&fd, 1, NULL, &none);
}

static long suspends(struct child *c)
{
	sigset_t usr1, none;

	(void)c;
	sigemptyset(&none);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	return sigsuspend(&none);
}

/* In no call, with everything in registers. */
static long computes(struct child *c)
{
	uint64_t a = 1, b = 0, n = 0;

	while (!c->shared->stop) {
		a = a * 6364136223846793005u + 1442695040888963407u;
		b ^= a >> 7;
		n++;
	}
	uint64_t a2 = 1, b2 = 0;
	for (uint64_t i = 0; i < n; i++) {
		a2 = a2 * 6364136223846793005u + 1442695040888963407u;
		b2 ^= a2 >> 7;
	}
	return a == a2 && b == b2 ? 7 : 8;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	shared_of_child->handled++;
	shared_of_child->value = info->si_value.sival_int;
}

static void run_child(struct child *c, child_fn *what)
{
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &act, NULL);
	c->shared->ready = 1;
	c->shared->result = what(c);
	c->shared->error = c->shared->result < 0 ? errno : 0;
	_exit(0);
}

/* ---- the test's side ---- */

static void nap(void)
{
	struct timespec t = { 0, 1000000 };

	nanosleep(&t, NULL);
}

/* Wait until the child sleeps in a system call, or, if @nr is -1, runs. */
static void await_call(const struct child *c, long nr)
{
	char path[64], text[256];

	snprintf(path, sizeof path, "/proc/%d/syscall", (int)c->pid);
	for (unsigned i = 0; i < DEADLINE_MS; i++) {
		FILE *f = fopen(path, "r");
		char *got = f ? fgets(text, sizeof text, f) : NULL;

		if (f)
			fclose(f);
		bool runs = got && !strncmp(text, "running", 7);

		if (got && c->shared->ready && runs == (nr < 0) &&
		    (runs || strtol(text, NULL, 10) == nr))
			return;
		nap();
	}
	fail_msg("the child does not come to call %ld", nr);
}

static taddr find_insn(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned long from = 0, to = 0;

	assert_non_null(f);
	while (fgets(line, sizeof line, f))
		if (strstr(line, "[vdso]"))
			assert_int_equal(sscanf(line, "%lx-%lx", &from, &to), 2);
	fclose(f);
	ssize_t offset = arch_find_syscall((const uint8_t *)from, to - from);
	assert_true(offset >= 0);
	return from + (taddr)offset;
}

static void start(struct child *c, child_fn *what)
{
	*c = (struct child){ .kernel = kernel_of_system(NULL), .insn = find_insn() };
	c->remote = (struct remote){ .kernel = &c->kernel, .note = note, .ctx = c };
	c->shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(c->shared != MAP_FAILED);
	shared_of_child = c->shared;
	strcpy(c->shared->name, "remote");
	assert_return_code(pipe(c->to), errno);
	c->pid = fork();
	if (c->pid == 0)
		run_child(c, what);
	assert_return_code(
		ptrace(PTRACE_SEIZE, c->pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL),
		errno);
}

static int next_stop(const struct child *c)
{
	int status;

	assert_int_equal(waitpid(c->pid, &status, __WALL), c->pid);
	return status;
}

static void hold(struct child *c)
{
	assert_return_code(ptrace(PTRACE_INTERRUPT, c->pid, NULL, NULL), errno);
	assert_int_equal(next_stop(c) >> 8, SIGTRAP | PTRACE_EVENT_STOP << 8);
}

static void go_on(const struct child *c, int sig)
{
	assert_return_code(ptrace(PTRACE_CONT, c->pid, NULL, (void *)(intptr_t)sig), errno);
}

/* One call, and the child has back what is its own. */
static int remote_call(const struct child *c, taddr insn, long nr, const uint64_t arg[6],
		       int64_t *result)
{
	struct remote_run run;
	int err = remote_begin(&run, &c->remote, c->pid, insn);

	if (err)
		return err;
	err = remote_next(&run, nr, arg, result);
	int back = remote_end(&run);
	return err ? err : back;
}

static int64_t call(struct child *c, long nr, const uint64_t arg[6])
{
	int64_t result = -1;

	assert_int_equal(remote_call(c, c->insn, nr, arg, &result), 0);
	return result;
}

/* Signals go to the child as they come. Returns what it has told. */
static struct shared end(struct child *c)
{
	struct shared told;
	int status;

	while (WIFSTOPPED(status = next_stop(c)))
		go_on(c, status >> 16 ? 0 : WSTOPSIG(status));
	told = *c->shared;
	close(c->to[0]);
	close(c->to[1]);
	munmap(c->shared, 4096);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return told;
}

/* A few calls, each with its own result, and nothing left of them. */
static void make_calls(struct child *c)
{
	static const uint64_t none[6];
	const uint64_t map[6] = { 0, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0 };
	const uint64_t bad[6] = { 0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0 };
	const uint64_t memfd[6] = { (uintptr_t)c->shared->name, MFD_CLOEXEC };
	const uint64_t no_file[6] = { UINT64_MAX };

	assert_int_equal(call(c, SYS_getpid, none), c->pid);
	assert_int_equal(call(c, SYS_getppid, none), getpid());
	int64_t at = call(c, SYS_mmap, map);
	assert_true(at > 0 && at % 4096 == 0);
	assert_int_equal(call(c, SYS_munmap, (uint64_t[6]){ (uint64_t)at, 8192 }), 0);
	assert_int_equal(call(c, SYS_mmap, bad), -EINVAL);
	assert_int_equal(call(c, SYS_close, no_file), -EBADF);
	int64_t fd = call(c, SYS_memfd_create, memfd);
	char path[64], name[64] = "";

	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)c->pid, (int)fd);
	assert_true(readlink(path, name, sizeof name - 1) > 0);
	assert_non_null(strstr(name, "memfd:remote"));
	assert_int_equal(call(c, SYS_close, (uint64_t[6]){ (uint64_t)fd }), 0);
}

struct sleeper {
	const char *what;
	child_fn *fn;
	long nr;    /* the call that it is in */
	long again; /* what the kernel shows once it has been begun again */
	enum { WRITE, WAKE, SIGNAL, STOP } how; /* it goes on */
	long result;
	int error, handled;
};

static const struct sleeper sleepers[] = {
	{ "nanosleep", sleeps, SYS_clock_nanosleep, SYS_restart_syscall, SIGNAL, -1, EINTR, 1 },
	{ "poll", polls, SYS_poll, SYS_restart_syscall, WRITE, 1, 0, 0 },
	{ "read", reads, SYS_read, SYS_read, WRITE, 1, 0, 0 },
	{ "futex", waits_on_futex, SYS_futex, SYS_futex, WAKE, 0, 0, 0 },
	{ "futex with a limit", waits_on_futex_for_a_while, SYS_futex, SYS_restart_syscall, WAKE, 0,
	  0, 0 },
	{ "wait4", waits_for_a_child, SYS_wait4, SYS_wait4, WRITE, 3, 0, 0 },
	{ "ppoll with a mask", polls_for_a_signal, SYS_ppoll, SYS_ppoll, SIGNAL, -1, EINTR, 1 },
	{ "sigsuspend", suspends, SYS_rt_sigsuspend, SYS_rt_sigsuspend, SIGNAL, -1, EINTR, 1 },
	{ "no call", computes, -1, -1, STOP, 7, 0, 0 },
};
#define N_SLEEPERS (sizeof sleepers / sizeof *sleepers)

static void wake(struct child *c, const struct sleeper *s)
{
	if (s->how == WRITE)
		assert_int_equal(write(c->to[1], "x", 1), 1);
	if (s->how == WAKE)
		assert_int_equal(
			syscall(SYS_futex, &c->shared->futex, FUTEX_WAKE, 1, NULL, NULL, 0), 1);
	if (s->how == SIGNAL)
		assert_return_code(kill(c->pid, SIGUSR1), errno);
	c->shared->stop = s->how == STOP;
}

static void interrupted_calls_go_on_as_if_nothing_had_happened(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SLEEPERS; i++) {
		const struct sleeper *s = &sleepers[i];
		struct child c;

		start(&c, s->fn);
		await_call(&c, s->nr);
		for (unsigned k = 0; k < TIMES; k++) {
			hold(&c);
			make_calls(&c);
			go_on(&c, 0);
			await_call(&c, s->again);
		}
		assert_int_equal(c.noted, 0);
		wake(&c, s);
		struct shared told = end(&c);

		if (told.result != s->result || told.error != s->error ||
		    told.handled != s->handled)
			fail_msg("%s: %ld, errno %d, %d signals", s->what, told.result, told.error,
				 told.handled);
	}
}

/* Any ptrace stop ends epoll_wait(2), whatever is done during it. */
static void epoll_wait_ends_as_it_does_with_every_stop(void **state)
{
	struct child c;

	(void)state;
	start(&c, waits_on_epoll);
	await_call(&c, SYS_epoll_wait);
	hold(&c);
	make_calls(&c);
	go_on(&c, 0);
	struct shared told = end(&c);
	assert_int_equal(told.result, -1);
	assert_int_equal(told.error, EINTR);
}

/* ---- signals ---- */

static void a_signal_that_waits_comes_afterwards_with_all_that_belongs_to_it(void **state)
{
	const union sigval value = { .sival_int = 4711 };
	struct child c;

	(void)state;
	start(&c, reads);
	await_call(&c, SYS_read);
	hold(&c);
	assert_return_code(sigqueue(c.pid, SIGUSR1, value), errno);
	make_calls(&c);
	assert_int_equal(c.noted, 0);
	assert_int_equal(c.shared->handled, 0);
	go_on(&c, 0);
	int status = next_stop(&c);
	assert_int_equal(status >> 8, SIGUSR1);
	go_on(&c, SIGUSR1);
	struct shared told = end(&c);
	assert_int_equal(told.handled, 1);
	assert_int_equal(told.value, 4711);
	assert_int_equal(told.result, -1); /* no SA_RESTART */
	assert_int_equal(told.error, EINTR);
}

/* Signal masks and dispositions, as /proc has them. */
static void read_signals(const struct child *c, char text[512])
{
	char path[64], line[256];

	snprintf(path, sizeof path, "/proc/%d/status", (int)c->pid);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	*text = 0;
	while (fgets(line, sizeof line, f))
		if (!strncmp(line, "Sig", 3) && strncmp(line, "SigQ", 4))
			strcat(text, line);
	fclose(f);
}

static long ignores_traps(struct child *c)
{
	signal(SIGTRAP, SIG_IGN);
	return reads(c);
}

static long blocks_traps(struct child *c)
{
	sigset_t trap;

	signal(SIGTRAP, SIG_DFL);
	sigaction(SIGTRAP, &(struct sigaction){ .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO },
		  NULL);
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigprocmask(SIG_BLOCK, &trap, NULL);
	return reads(c);
}

static void what_is_done_about_sigtrap_stays_as_it_is(void **state)
{
	static child_fn *const fns[] = { ignores_traps, blocks_traps, reads };

	(void)state;
	for (size_t i = 0; i < sizeof fns / sizeof *fns; i++) {
		char before[512], after[512];
		struct child c;

		start(&c, fns[i]);
		await_call(&c, SYS_read);
		read_signals(&c, before);
		hold(&c);
		make_calls(&c);
		go_on(&c, 0);
		await_call(&c, SYS_read);
		read_signals(&c, after);
		assert_string_equal(after, before);
		assert_int_equal(write(c.to[1], "x", 1), 1);
		struct shared told = end(&c);
		assert_int_equal(told.result, 1);
	}
}

static void a_child_stopped_by_job_control_stays_so(void **state)
{
	struct child c;

	(void)state;
	start(&c, reads);
	await_call(&c, SYS_read);
	assert_return_code(kill(c.pid, SIGSTOP), errno);
	assert_int_equal(next_stop(&c) >> 8, SIGSTOP);
	go_on(&c, SIGSTOP);
	assert_int_equal(next_stop(&c) >> 8, SIGSTOP | PTRACE_EVENT_STOP << 8);
	assert_int_equal(call(&c, SYS_getpid, (uint64_t[6]){ 0 }), c.pid);
	assert_int_equal(c.noted, 1);
	assert_int_equal(c.noted_tid, c.pid);
	assert_int_equal(c.noted_status >> 8, SIGSTOP | PTRACE_EVENT_STOP << 8);
	assert_return_code(kill(c.pid, SIGCONT), errno);
	go_on(&c, 0);
	assert_int_equal(write(c.to[1], "x", 1), 1);
	struct shared told = end(&c);
	assert_int_equal(told.result, 1);
}

/* SIGSTOP cannot be deferred. */
static void a_stop_of_job_control_that_comes_in_between_holds(void **state)
{
	struct child c;

	(void)state;
	start(&c, reads);
	await_call(&c, SYS_read);
	hold(&c);
	assert_return_code(kill(c.pid, SIGSTOP), errno);
	assert_int_equal(call(&c, SYS_getpid, (uint64_t[6]){ 0 }), c.pid);
	assert_int_equal(c.noted, 1);
	assert_int_equal(c.noted_status >> 8, SIGSTOP | PTRACE_EVENT_STOP << 8);
	assert_return_code(kill(c.pid, SIGCONT), errno);
	go_on(&c, 0);
	assert_int_equal(write(c.to[1], "x", 1), 1);
	struct shared told = end(&c);
	assert_int_equal(told.result, 1);
}

/* ---- ends ---- */

static void of_a_child_that_is_killed_nothing_comes_but_its_end(void **state)
{
	int64_t result;
	struct child c;

	(void)state;
	start(&c, reads);
	await_call(&c, SYS_read);
	hold(&c);
	assert_return_code(kill(c.pid, SIGKILL), errno);
	int err = remote_call(&c, c.insn, SYS_getpid, (uint64_t[6]){ 0 }, &result);
	assert_int_equal(err, -ESRCH);
	int status = c.noted ? c.noted_status : next_stop(&c);
	assert_true(WIFSIGNALED(status));
	close(c.to[0]);
	close(c.to[1]);
	munmap(c.shared, 4096);
}

/* Killed by the injected call: its end is reported. */
static void the_end_of_a_child_in_its_call_is_told(void **state)
{
	int64_t result;
	struct child c;

	(void)state;
	start(&c, reads);
	await_call(&c, SYS_read);
	hold(&c);
	int err = remote_call(&c, c.insn, SYS_exit_group, (uint64_t[6]){ 5 }, &result);
	assert_int_equal(err, -ESRCH);
	assert_int_equal(c.noted, 1);
	assert_int_equal(c.noted_tid, c.pid);
	assert_true(WIFEXITED(c.noted_status));
	assert_int_equal(WEXITSTATUS(c.noted_status), 5);
	close(c.to[0]);
	close(c.to[1]);
	munmap(c.shared, 4096);
}

/* The end of another child is reported now or left for the next wait, depending on timing: it is
 * never lost, and never reported twice. */
static void what_others_do_meanwhile_is_told(void **state)
{
	struct child c;
	siginfo_t info;

	(void)state;
	start(&c, reads);
	await_call(&c, SYS_read);
	pid_t other = fork();
	if (other == 0)
		_exit(9);
	assert_return_code(waitid(P_PID, (id_t)other, &info, WEXITED | WNOWAIT), errno);
	hold(&c);
	make_calls(&c);
	if (!c.noted) {
		c.noted_tid = waitpid(other, &c.noted_status, 0);
		c.noted++;
	}
	assert_int_equal(c.noted, 1);
	assert_int_equal(c.noted_tid, other);
	assert_true(WIFEXITED(c.noted_status));
	assert_int_equal(WEXITSTATUS(c.noted_status), 9);
	assert_int_equal(waitpid(other, NULL, WNOHANG), -1);
	go_on(&c, 0);
	assert_int_equal(write(c.to[1], "x", 1), 1);
	struct shared told = end(&c);
	assert_int_equal(told.result, 1);
}

static void where_no_instruction_is_no_call_is_made(void **state)
{
	int64_t result;
	struct child c;

	(void)state;
	start(&c, reads);
	await_call(&c, SYS_read);
	hold(&c);
	int err = remote_call(&c, 16, SYS_getpid, (uint64_t[6]){ 0 }, &result);
	assert_int_equal(err, -EFAULT);
	go_on(&c, 0);
	await_call(&c, SYS_read);
	assert_int_equal(write(c.to[1], "x", 1), 1);
	struct shared told = end(&c);
	assert_int_equal(told.result, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupted_calls_go_on_as_if_nothing_had_happened),
		cmocka_unit_test(epoll_wait_ends_as_it_does_with_every_stop),
		cmocka_unit_test(a_signal_that_waits_comes_afterwards_with_all_that_belongs_to_it),
		cmocka_unit_test(what_is_done_about_sigtrap_stays_as_it_is),
		cmocka_unit_test(a_child_stopped_by_job_control_stays_so),
		cmocka_unit_test(a_stop_of_job_control_that_comes_in_between_holds),
		cmocka_unit_test(of_a_child_that_is_killed_nothing_comes_but_its_end),
		cmocka_unit_test(the_end_of_a_child_in_its_call_is_told),
		cmocka_unit_test(what_others_do_meanwhile_is_told),
		cmocka_unit_test(where_no_instruction_is_no_call_is_made),
	};

	return cmocka_run_group_tests_name("attach_remote", tests, NULL, NULL);
}
