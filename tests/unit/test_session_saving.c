/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session has written, when, and by which process. */
#include "unit/scripted_observer.h"

#include "session/save_children.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A recorder that counts, of an output that has files. */
struct counter {
	struct recorder base;
	unsigned events;
};

static void on_event(struct recorder *r, const struct alloc_event *e, const struct block_change *c)
{
	(void)e, (void)c;
	((struct counter *)r)->events++;
}

static struct recorder *on_fork(const struct recorder *r, const struct profile *child, pid_t pid)
{
	struct counter *c = calloc(1, sizeof *c);

	(void)child, (void)pid;
	assert_non_null(c);
	*c = (struct counter){ { .ops = r->ops }, ((const struct counter *)r)->events };
	return &c->base;
}

static bool on_finish(struct recorder *r)
{
	(void)r;
	return true;
}

static void on_free(struct recorder *r)
{
	free(r);
}

static const struct recorder_ops counter_ops = { .event = on_event, .fork = on_fork,
						 .finish = on_finish, .free = on_free };

static int begins(struct output *o, struct image *i)
{
	struct counter *c = calloc(1, sizeof *c);

	assert_non_null(c);
	script.records++;
	c->base.ops = &counter_ops;
	session_record(i, o, &c->base);
	return script.refuse_record ? -12 : 0;
}

static int write_file(struct output *o, struct image *i, bool superseded)
{
	size_t n = strlen(script.written);

	snprintf(script.written + n, sizeof script.written - n, "%s%d.%u%s", n ? " " : "",
		 (int)i->pid, i->of[o->slot].nth, superseded ? "+" : "");
	return script.disk_full ? -28 : 0;
}

static bool keeps_execs(const struct output *o)
{
	return o->ticks; /* which nothing here asks for */
}

static bool ask(struct output *o, struct image *i, struct task_ref task,
		enum program_question what, const uint64_t arg[2], uint64_t *result)
{
	(void)o, (void)i, (void)task, (void)arg;
	*result = 1;
	return what == ASK_HEAP_RUNNING;
}

static int finish(struct output *o)
{
	(void)o;
	return script.disk_full ? -28 : 0;
}

static void leave(struct output *o)
{
	(void)o;
	script.left++;
}

static int begins_without(struct output *o, struct image *i)
{
	(void)o, (void)i;
	return 0;
}

static const struct output_ops with_files = { .begins = begins, .file = "a file",
					      .write = write_file,
					      .keeps_execs = keeps_execs, .finish = finish,
					      .leave = leave };
static const struct output_ops of_questions = { .begins = begins_without, .ask = ask };

static unsigned counted(const struct image *i, const struct output *o)
{
	const struct recorder *r = i->of[o->slot].recorder;

	return r ? ((const struct counter *)r)->events : 0;
}

/* ---- orders of events ---- */

static void without_memory_for_its_recorders_an_image_does_not_begin(void **state)
{
	struct session *s = begin(false);
	struct output o = { .ops = &with_files };

	(void)state;
	assert_int_equal(session_add_output(s, &o), 0);
	script.refuse_record = true;
	assert_null(session_sink.begins(s, ROOT));
	assert_null(s->images);
	session_release(s);
}

static void each_output_has_its_own_of_an_image_and_a_fork_goes_on_with_it(void **state)
{
	struct session *s = begin(true);
	struct output a = { .ops = &with_files }, none = { .ops = &of_questions },
		      b = { .ops = &with_files };

	(void)state;
	assert_int_equal(session_add_output(s, &a), 0);
	assert_int_equal(session_add_output(s, &none), 0);
	assert_int_equal(session_add_output(s, &b), 0);
	struct image *parent = start(s, ROOT);
	alloc(parent, 0x10, 1);
	struct image *child = fork_from(s, parent, CHILD);
	alloc(child, 0x20, 1);
	assert_int_equal(counted(parent, &a), 1);
	assert_int_equal(counted(parent, &b), 1);
	assert_int_equal(counted(child, &a), 2);
	assert_int_equal(counted(child, &b), 2);
	assert_null(child->of[none.slot].recorder);
	assert_int_equal(child->of[a.slot].nth, 1);
	session_release(s);
}

static void a_session_says_that_it_has_too_many_outputs(void **state)
{
	struct session *s = begin(true);
	struct output o[SESSION_OUTPUTS + 1];

	(void)state;
	for (unsigned k = 0; k < SESSION_OUTPUTS; k++)
		assert_int_equal(session_add_output(s, &o[k]), 0);
	assert_int_equal(session_add_output(s, &o[SESSION_OUTPUTS]), -ENOSPC);
	assert_int_equal(s->n_outputs, SESSION_OUTPUTS);
	session_release(s);
}

static void the_file_of_who_has_ended_is_written_by_a_copy_and_its_recorder_freed(void **state)
{
	struct session *s = begin(true);
	struct output o = { .ops = &with_files };

	(void)state;
	session_add_output(s, &o);
	struct image *parent = start(s, ROOT), *child = fork_from(s, parent, CHILD);
	gone(child);
	assert_non_null(child->of[o.slot].recorder); /* it is to be written still */
	session_sink.ended(s, CHILD, 0);
	assert_string_equal(script.written, "4712.1");
	assert_true(child->of[o.slot].written);
	assert_null(child->of[o.slot].recorder);
	assert_null(child->recorders);
	assert_int_equal(script.left, 1); /* the copy */
	assert_true(s->save_children.n == 1 && s->save_children.v[0].last);
	session_sink.reaped(s, FIRST_COPY, script.status);
	assert_false(s->save_children.failed);
	session_release(s);
}

static void the_last_file_is_written_by_ourselves_and_tried_again_if_the_disk_was_full(void **state)
{
	struct session *s = begin(true);
	struct output o = { .ops = &with_files };

	(void)state;
	session_add_output(s, &o);
	struct image *i = start(s, ROOT);
	script.tasks = 0;
	gone(i);
	session_sink.ended(s, ROOT, 0);
	assert_int_equal(script.copies, 0);
	assert_non_null(i->of[o.slot].recorder);
	assert_true(session_has_unwritten(s, i));
	script.disk_full = true;
	assert_int_equal(session_finish_outputs(s), -28);
	assert_int_equal(session_write_files(s, i), -28);
	assert_true(session_has_unwritten(s, i));
	script.disk_full = false;
	assert_int_equal(session_finish_outputs(s), 0);
	assert_int_equal(session_write_files(s, i), 0);
	assert_false(session_has_unwritten(s, i));
	assert_string_equal(script.written, "4711.1 4711.1");
	assert_int_equal(session_write_files(s, i), 0);
	assert_string_equal(script.written, "4711.1 4711.1");
	session_release(s);
}

static void a_file_that_a_copy_could_not_write_is_a_failure(void **state)
{
	struct session *s = begin(true);
	struct output o = { .ops = &with_files };

	(void)state;
	session_add_output(s, &o);
	struct image *child = fork_from(s, start(s, ROOT), CHILD);
	script.disk_full = true;
	gone(child);
	session_sink.ended(s, CHILD, 0);
	assert_true(child->of[o.slot].written); /* by who will say that it could not */
	assert_int_equal(script.status, 0x100);
	session_sink.reaped(s, FIRST_COPY, script.status);
	assert_true(s->save_children.failed);
	session_release(s);
}

/* What waitpid(2) tells of a process that writes and gets this signal. @handler: ours. */
static int told(int sig, void (*handler)(int))
{
	void (*before)(int) = signal(sig, handler);
	pid_t pid = save_child_fork(NULL, NULL);
	int wstatus = -1;

	if (!pid) {
		raise(sig);
		_exit(0);
	}
	signal(sig, before);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	return wstatus;
}

static void on_signal(int sig)
{
	(void)sig;
}

static void a_hangup_ends_who_writes_but_under_nohup(void **state)
{
	(void)state;
	assert_int_equal(told(SIGHUP, on_signal), SIGHUP);
	assert_int_equal(told(SIGTERM, on_signal), SIGTERM);
	assert_int_equal(told(SIGHUP, SIG_IGN), 0);
}

static void without_a_copy_the_file_is_left_to_ourselves(void **state)
{
	struct session *s = begin(true);
	struct output o = { .ops = &with_files };

	(void)state;
	session_add_output(s, &o);
	struct image *child = fork_from(s, start(s, ROOT), CHILD);
	script.refuse_copy = true;
	gone(child);
	session_sink.ended(s, CHILD, 0);
	assert_non_null(strstr(script.said, "process 4712"));
	assert_true(session_has_unwritten(s, child));
	assert_non_null(child->of[o.slot].recorder);
	assert_false(s->save_children.failed);
	assert_int_equal(session_write_files(s, child), 0);
	assert_string_equal(script.written, "4712.1");
	session_release(s);
}

static void the_file_of_what_was_before_an_exec_waits_until_it_is_known_to_be_kept(void **state)
{
	struct session *s = begin(false);
	struct output o = { .ops = &with_files };

	(void)state;
	session_add_output(s, &o);
	struct image *shell = start(s, ROOT);
	alloc(shell, 0x10, 400);
	struct image *middle = start(s, ROOT);
	gone(shell);
	alloc(middle, 0x10, 1);
	struct image *program = start(s, ROOT);
	gone(middle);
	alloc(program, 0x10, 1000);
	assert_string_equal(script.written, "");
	assert_int_equal(program->of[o.slot].nth, 3);
	gone(program);
	script.tasks = 0;
	session_sink.ended(s, ROOT, 0);
	assert_string_equal(script.written, "4711.1+");
	assert_int_equal(middle->fate, EXEC_LEFT_OUT);
	assert_null(middle->of[o.slot].recorder); /* its file is not wanted */
	assert_null(shell->of[o.slot].recorder);
	assert_non_null(program->of[o.slot].recorder);
	session_release(s);
}

static void an_output_that_keeps_all_programs_writes_at_the_exec(void **state)
{
	struct session *s = begin(false);
	struct output o = { .ops = &with_files, .ticks = true };

	(void)state;
	session_add_output(s, &o);
	struct image *shell = start(s, ROOT);
	start(s, ROOT);
	assert_string_equal(script.written, "4711.1+");
	assert_true(shell->over);
	gone(shell);
	assert_null(shell->of[o.slot].recorder);
	session_release(s);
}

static void a_restart_writes_the_file_and_begins_the_next(void **state)
{
	struct session *s = begin(false);
	struct output o = { .ops = &with_files };

	(void)state;
	session_add_output(s, &o);
	struct image *i = start(s, ROOT);
	mark(i, MARK_RESTART, 0);
	mark(i, MARK_RESTART, 0);
	assert_string_equal(script.written, "4711.1+ 4711.2+");
	assert_false(i->of[o.slot].written);
	assert_int_equal(start(s, ROOT)->of[o.slot].nth, 4);
	session_release(s);
}

static void a_question_goes_to_the_output_that_answers_it(void **state)
{
	struct session *s = begin(false);
	struct output files = { .ops = &with_files }, o = { .ops = &of_questions };
	uint64_t result = 0, arg[2] = { 0 };

	(void)state;
	session_add_output(s, &files);
	struct image *i = start(s, ROOT);
	struct task_ref task = { ROOT, NULL };
	assert_false(session_sink.ask(i, task, ASK_HEAP_RUNNING, arg, &result));
	session_add_output(s, &o);
	assert_true(session_sink.ask(i, task, ASK_HEAP_RUNNING, arg, &result));
	assert_int_equal(result, 1);
	assert_false(session_sink.ask(i, task, ASK_HEAP_STOP, arg, &result));
	session_release(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_memory_for_its_recorders_an_image_does_not_begin),
		cmocka_unit_test(each_output_has_its_own_of_an_image_and_a_fork_goes_on_with_it),
		cmocka_unit_test(a_session_says_that_it_has_too_many_outputs),
		cmocka_unit_test(
			the_file_of_who_has_ended_is_written_by_a_copy_and_its_recorder_freed),
		cmocka_unit_test(
			the_last_file_is_written_by_ourselves_and_tried_again_if_the_disk_was_full),
		cmocka_unit_test(a_file_that_a_copy_could_not_write_is_a_failure),
		cmocka_unit_test(a_hangup_ends_who_writes_but_under_nohup),
		cmocka_unit_test(without_a_copy_the_file_is_left_to_ourselves),
		cmocka_unit_test(
			the_file_of_what_was_before_an_exec_waits_until_it_is_known_to_be_kept),
		cmocka_unit_test(an_output_that_keeps_all_programs_writes_at_the_exec),
		cmocka_unit_test(a_restart_writes_the_file_and_begins_the_next),
		cmocka_unit_test(a_question_goes_to_the_output_that_answers_it),
	};

	return cmocka_run_group_tests_name("saving", tests, NULL, NULL);
}
