/* SPDX-License-Identifier: BSD-2-Clause */
/* waitpid's reports of tasks that are created and end, in rare orders. There is no process, except
 * where one is launched: the tids are larger than any the kernel assigns. */
#include "unit/unit.h"

#include "attach/tracer_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum { PID = 5000000, THREAD, CHILD };

#define EXITED(status) ((status) << 8)
#define KILLED(sig) (sig)
#define FIRST_STOP (PTRACE_EVENT_STOP << 16 | SIGTRAP << 8 | 0x7f)
#define EXEC_STOP (PTRACE_EVENT_EXEC << 16 | SIGTRAP << 8 | 0x7f)
#define TRAP_STOP (SIGTRAP << 8 | 0x7f)

struct heard {
	int threads_gone, spaces_gone, ended, reaped;
};

static void on_task_gone(void *ctx, struct task *task)
{
	struct heard *h = ctx;

	h->threads_gone += task->tid != task->tgid;
}

static void on_space_gone(void *ctx, struct address_space *space)
{
	struct heard *h = ctx;

	(void)space;
	h->spaces_gone++;
}

static void on_ended(void *ctx, pid_t pid, int wstatus)
{
	struct heard *h = ctx;

	(void)pid;
	(void)wstatus;
	h->ended++;
}

static void on_reaped(void *ctx, pid_t pid, int wstatus)
{
	struct heard *h = ctx;

	(void)pid;
	(void)wstatus;
	h->reaped++;
}

static const struct tracer_ops ops = {
	.task_gone = on_task_gone,
	.space_gone = on_space_gone,
	.ended = on_ended,
	.reaped = on_reaped,
};

static struct heard heard;

static void add(struct tracer *t, pid_t tid, struct address_space *s)
{
	struct task *task = tasks_add(&t->tasks, tid);

	assert_non_null(task);
	task->tgid = PID;
	tracer_enter_space(task, s);
}

/* A process with one more thread, both running. */
static int begin(void **state)
{
	struct address_space *s = calloc(1, sizeof *s);
	struct tracer *t = tracer_new(&ops, &heard, NULL);

	if (!s || !t)
		return -1;
	s->mem = -1;
	heard = (struct heard){ 0 };
	add(t, PID, s);
	add(t, THREAD, s);
	*state = t;
	return 0;
}

static int end(void **state)
{
	struct tracer *t = *state;
	struct task *task;

	for (size_t i = 0; (task = tasks_next(&t->tasks, &i)); i = 0)
		tracer_forget(t, task);
	tracer_free(t);
	return 0;
}

static struct task *find(void **state, pid_t tid)
{
	struct tracer *t = *state;

	return tasks_find(&t->tasks, tid);
}

static void note(void **state, pid_t tid, int wstatus)
{
	assert_int_equal(tracer_note(*state, tid, wstatus), 0);
}

static void an_end_waits_for_its_turn(void **state)
{
	note(state, THREAD, EXITED(0));
	assert_int_equal(find(state, THREAD)->state, TASK_QUEUED);
	assert_int_equal(heard.threads_gone, 0);
}

/* Tids are reused at once if there are few, or if threads come and go fast enough. */
static void a_new_thread_with_the_number_of_one_whose_end_is_not_served_is_new(void **state)
{
	find(state, THREAD)->exiting = true;
	note(state, THREAD, EXITED(0));
	note(state, THREAD, FIRST_STOP);
	assert_int_equal(heard.threads_gone, 1);
	assert_true(find(state, THREAD)->fresh);
	assert_false(find(state, THREAD)->exiting);
	assert_null(find(state, THREAD)->space);
	assert_int_equal(find(state, THREAD)->wstatus, FIRST_STOP);
	assert_int_equal(find(state, PID)->space->tasks, 1);
}

static void a_new_process_with_the_number_of_one_whose_end_is_not_served_is_new(void **state)
{
	note(state, THREAD, KILLED(SIGKILL));
	note(state, PID, KILLED(SIGKILL));
	note(state, PID, FIRST_STOP);
	assert_int_equal(heard.ended, 1);
	assert_true(find(state, PID)->fresh);
	assert_null(find(state, PID)->space);
	/* the thread's end is still to be served, and the memory is there until then */
	assert_int_equal(heard.spaces_gone, 0);
}

static void a_trap_that_is_not_served_and_then_the_end_are_one_task(void **state)
{
	note(state, THREAD, TRAP_STOP);
	note(state, THREAD, KILLED(SIGKILL));
	assert_int_equal(heard.threads_gone, 0);
	assert_false(find(state, THREAD)->fresh);
	assert_int_equal(find(state, THREAD)->wstatus, KILLED(SIGKILL));
}

static void a_first_stop_before_the_parent_has_told_is_kept_as_new(void **state)
{
	note(state, CHILD, FIRST_STOP);
	assert_true(find(state, CHILD)->fresh);
	assert_null(find(state, CHILD)->space);
}

static void an_end_of_nobody_known_needs_no_record(void **state)
{
	note(state, CHILD, KILLED(SIGKILL));
	assert_null(find(state, CHILD));
	assert_int_equal(heard.reaped, 1);
}

/* It continues under the leader's tid; the leader may have ended long before. */
static void an_exec_by_a_thread_takes_the_leaders_place_over_or_not(void **state)
{
	find(state, PID)->over = true;
	note(state, PID, EXEC_STOP);
	assert_null(find(state, THREAD));
	assert_false(find(state, PID)->over);
	assert_int_equal(find(state, PID)->space->tasks, 1);
	assert_int_equal(heard.threads_gone, 1);
}

/* One of its threads may be making a system call for us just then. */
static void who_an_exec_ends_during_a_call_for_us_is_forgotten_afterwards(void **state)
{
	struct tracer *t = *state;

	t->calling = true;
	note(state, PID, EXEC_STOP);
	assert_non_null(find(state, THREAD));
	assert_int_equal(heard.threads_gone, 0);
	t->calling = false;
	tracer_take_overs(t);
	assert_null(find(state, THREAD));
	assert_int_equal(find(state, PID)->space->tasks, 1);
	tracer_take_overs(t);
	assert_int_equal(heard.threads_gone, 1);
}

/* ---- launching, where this kernel is asked: its first wait fails, and leaves a stop behind
 * ---- */

struct lost_child {
	int waits, resumed;
};

static pid_t wait_fails_first(void *ctx, pid_t tid, int *wstatus, int flags)
{
	struct lost_child *l = ctx;

	(void)flags;
	*wstatus = SIGUSR1 << 8 | 0x7f;
	if (l->waits++ == 0) {
		errno = ECHILD;
		return -1;
	}
	*wstatus = KILLED(SIGKILL);
	return tid;
}

static long request_is_granted(void *ctx, int request, pid_t tid, void *addr, void *data)
{
	struct lost_child *l = ctx;

	(void)tid;
	(void)addr;
	(void)data;
	l->resumed += request == PTRACE_CONT;
	return 0;
}

static void a_wait_that_fails_while_a_program_is_launched_tells_of_nothing(void **state)
{
	struct lost_child lost = { 0 };
	const struct kernel kernel = { .wait = wait_fails_first,
				       .request = request_is_granted,
				       .ctx = &lost };
	struct tracer *t = tracer_new_on(&kernel, &ops, &heard, NULL);
	char *argv[] = { "true", NULL };
	struct error e = { 0 };

	(void)state;
	assert_non_null(t);
	pid_t pid = tracer_launch(t, "/bin/true", argv, &e);

	while (wait(NULL) > 0)
		;
	assert_int_equal(pid, -ECHILD);
	assert_int_equal(lost.waits, 1);
	assert_int_equal(lost.resumed, 0);
	assert_non_null(strstr(e.text, strerror(ECHILD)));
	assert_false(tracer_has_tasks(t));
	tracer_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
		TEST(an_end_waits_for_its_turn),
		TEST(a_new_thread_with_the_number_of_one_whose_end_is_not_served_is_new),
		TEST(a_new_process_with_the_number_of_one_whose_end_is_not_served_is_new),
		TEST(a_trap_that_is_not_served_and_then_the_end_are_one_task),
		TEST(a_first_stop_before_the_parent_has_told_is_kept_as_new),
		TEST(an_end_of_nobody_known_needs_no_record),
		TEST(an_exec_by_a_thread_takes_the_leaders_place_over_or_not),
		TEST(who_an_exec_ends_during_a_call_for_us_is_forgotten_afterwards),
		cmocka_unit_test(
			a_wait_that_fails_while_a_program_is_launched_tells_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
