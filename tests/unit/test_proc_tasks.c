/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of threads, and files of any length. */
#include "unit/unit.h"

#include "proc/file.h"
#include "proc/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 5 };

static pthread_barrier_t begun, over;
static pid_t tids[THREADS];

static void *stay(void *arg)
{
	*(pid_t *)arg = gettid();
	pthread_barrier_wait(&begun);
	pthread_barrier_wait(&over);
	return NULL;
}

static void each_thread_is_listed_once(void **state)
{
	pthread_t threads[THREADS];
	unsigned seen[THREADS] = { 0 }, first = 0, others = 0;
	struct proc_tasks t;

	(void)state;
	pthread_barrier_init(&begun, NULL, THREADS + 1);
	pthread_barrier_init(&over, NULL, THREADS + 1);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, stay, &tids[i]), 0);
	pthread_barrier_wait(&begun);
	int err = proc_tasks_open(&t, getpid());
	for (pid_t tid; (tid = proc_tasks_next(&t));) {
		unsigned known = 0;

		for (unsigned i = 0; i < THREADS; i++)
			known += tid == tids[i] && ++seen[i];
		first += tid == getpid();
		others += !known && tid != getpid();
	}
	proc_tasks_close(&t);
	pthread_barrier_wait(&over);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(err, 0);
	assert_int_equal(first, 1);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(seen[i], 1);
	/* A sanitizer may have one of its own. */
	assert_true(others <= 1);
}

static void a_process_that_is_not_there_has_no_threads(void **state)
{
	struct proc_tasks t;

	(void)state;
	/* above PID_MAX_LIMIT, so nobody's */
	assert_int_equal(proc_tasks_open(&t, 999999999), -ENOENT);
	assert_int_equal(proc_tasks_next(&t), 0);
	proc_tasks_close(&t);
	proc_tasks_close(&t);
}

/* ---- files ---- */

static void a_file_that_is_longer_than_the_kernel_gives_at_once_is_read_whole(void **state)
{
	enum { ARGS = 400, LONG = 100 };
	char *argv[ARGS + 1], arg[LONG + 1];
	size_t len;
	int ready[2];

	(void)state;
	memset(arg, 'x', LONG);
	arg[LONG] = '\0';
	for (unsigned i = 0; i < ARGS; i++)
		argv[i] = arg;
	argv[0] = "sh";
	argv[1] = "-c";
	argv[2] = "echo; read x";
	argv[ARGS] = NULL;
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ready[1], STDOUT_FILENO);
		/* Its own input never ends, until it is killed. */
		if (pipe(ready) == 0)
			dup2(ready[0], STDIN_FILENO);
		execv("/bin/sh", argv);
		_exit(1);
	}
	close(ready[1]);
	bool runs = read(ready[0], arg, 1) == 1;
	char *text = proc_read(pid, "cmdline", &len);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	assert_true(runs);
	assert_non_null(text);
	assert_int_equal(len, strlen("sh") + 1 + strlen("-c") + 1 + strlen("echo; read x") + 1 +
			 (ARGS - 3) * (LONG + 1));
	assert_memory_equal(text, "sh\0-c\0echo; read x\0xxx", 22);
	assert_string_equal(text + len - 4, "xxx");
	free(text);
	errno = 0;
	assert_null(proc_read(pid, "cmdline", &len));
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_is_listed_once),
		cmocka_unit_test(a_process_that_is_not_there_has_no_threads),
		cmocka_unit_test(a_file_that_is_longer_than_the_kernel_gives_at_once_is_read_whole),
	};

	return cmocka_run_group_tests_name("proc/tasks", tests, NULL, NULL);
}
