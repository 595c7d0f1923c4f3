/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session that is told by a script what programs do: no process is observed, none is made. The
 * script is the second implementation of observer.h.
 */
#include "unit/unit.h"

#include "proc/modules.h"
#include "session/execs.h"
#include "session/session.h"
#include "session/unseen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT = 4711, CHILD = 4712 };

/* What is observed of an image in the script. */
struct observed {
	bool suspended;
	unsigned times_resumed;
};

static struct script {
	struct observer base;	/* first */
	struct observed observed[8];
	size_t n;
	bool held;
	char calls[400];	/* what the session has asked, word by word */
	char said[400];
	unsigned saves, ended, restarts, wakes, records;
	struct image *saved;	/* last */
	bool refuse_record;
	const char *memory;	/* of every program */
} script;

static void note(const char *word)
{
	size_t n = strlen(script.calls);

	snprintf(script.calls + n, sizeof script.calls - n, "%s%s", n ? " " : "", word);
}

/* ---- the observer ---- */

static void hold(struct observer *o)
{
	(void)o;
	assert_false(script.held);
	script.held = true;
	note("hold");
}

static void let_run(struct observer *o)
{
	(void)o;
	assert_true(script.held);
	script.held = false;
	note("run");
}

static void suspend(struct observer *o, struct observed *of)
{
	(void)o;
	of->suspended = true;
	note("suspend");
}

static void resume(struct observer *o, struct observed *of)
{
	(void)o;
	of->suspended = false;
	of->times_resumed++;
	note("resume");
}

static struct observed_counts counts(const struct observed *of)
{
	(void)of;
	return (struct observed_counts){ .lost = 1 };
}

static uint32_t program(const struct observed *of)
{
	(void)of;
	return 7;
}

static ssize_t read_memory(const struct address_space *s, taddr at, void *buf, size_t len)
{
	(void)s;
	size_t n = script.memory ? strlen(script.memory) + 1 : 0;

	if (!n || at != 0x1000)
		return -5;
	memcpy(buf, script.memory, n < len ? n : len);
	return (ssize_t)(n < len ? n : len);
}

static unsigned tasks(struct observer *o)
{
	(void)o;
	return 3;
}

static const struct observer_ops ops = {
	.hold = hold, .let_run = let_run, .suspend = suspend, .resume = resume, .counts = counts,
	.program = program, .read = read_memory, .tasks = tasks,
};

/* ---- who began the session ---- */

static void save(struct session *s, struct image *i)
{
	(void)s;
	script.saves++;
	script.saved = i;
}

static void ended(struct session *s, struct image *i)
{
	(void)s, (void)i;
	script.ended++;
}

static void restarts(struct session *s, struct image *i)
{
	(void)s, (void)i;
	script.restarts++;
}

static void wake(struct session *s)
{
	(void)s;
	script.wakes++;
}

static int record(struct session *s, struct image *i)
{
	(void)s, (void)i;
	script.records++;
	return script.refuse_record ? -12 : 0;
}

static void hear(const char *sentence)
{
	snprintf(script.said, sizeof script.said, "%s", sentence);
}

static struct session *begin(bool children)
{
	static struct module_files files;
	static struct session s;

	script = (struct script){ .base = { &ops, &files } };
	session_init(&s, children);
	s.observer = &script.base;
	s.save = save;
	s.ended = ended;
	s.restarts = restarts;
	s.wake = wake;
	s.record = record;
	s.say = hear;
	s.root = ROOT;
	return &s;
}

/* ---- what the script tells ---- */

static struct image *start(struct session *s, pid_t pid)
{
	assert_true(session_sink.wanted(s, pid));
	struct image *i = session_sink.begins(s, pid);
	assert_non_null(i);
	session_sink.observed(i, &script.observed[script.n++]);
	return i;
}

static struct image *fork_from(struct session *s, struct image *parent, pid_t pid)
{
	struct image *i = session_sink.forked(s, parent, pid);

	if (i)
		session_sink.observed(i, &script.observed[script.n++]);
	return i;
}

static void alloc(struct image *i, taddr ptr, uint64_t size)
{
	uint32_t frame = session_sink.frame(i, NO_FILE, 0x400000, false, false);
	struct alloc_event e = { .kind = AE_ALLOC, .task = i->pid, .ptr = ptr, .size = size,
				 .time_ns = 5,
				 .chain = { .frames = &frame, .n = 1 } };

	assert_int_equal(session_sink.event(i, &e), 0);
}

static void release(struct image *i, taddr ptr)
{
	struct alloc_event e = { .kind = AE_FREE, .task = i->pid, .ptr = ptr, .time_ns = 6 };

	assert_int_equal(session_sink.event(i, &e), 0);
}

static void mark(struct image *i, enum program_mark what, uint64_t arg)
{
	session_sink.mark(i, (struct task_ref){ i->pid, NULL }, what, arg);
}

static void gone(struct image *i)
{
	session_sink.gone(i, &(struct observed_counts){ .traps = 9 });
}

/* ---- orders of events ---- */

static void a_child_of_fork_knows_its_parents_blocks_and_counts_for_itself(void **state)
{
	struct session *s = begin(true);
	struct image *parent = start(s, ROOT);

	(void)state;
	alloc(parent, 0x10, 100);
	struct image *child = fork_from(s, parent, CHILD);
	assert_non_null(child);
	assert_int_equal(child->program, 7);
	alloc(child, 0x20, 50);
	release(child, 0x10);
	release(child, 0x20);
	assert_int_equal(parent->profile->totals.frees, 0);
	assert_int_equal(parent->profile->live_bytes, 100);
	assert_int_equal(child->profile->totals.allocs, 1);
	assert_int_equal(child->profile->totals.frees, 1);
	assert_int_equal(child->profile->totals.inherited_frees, 1);
	assert_int_equal(session_state(s).processes, 2);
	assert_int_equal(session_state(s).lost, 2);
	session_release(s);
}

static void a_child_that_is_not_followed_is_not_observed(void **state)
{
	struct session *s = begin(false);
	struct image *parent = start(s, ROOT);

	(void)state;
	assert_null(fork_from(s, parent, CHILD));
	assert_false(session_sink.wanted(s, CHILD));
	assert_string_equal(script.said, "");
	session_release(s);
}

static void what_a_process_ran_before_an_exec_is_left_out_if_it_is_little(void **state)
{
	struct session *s = begin(false);
	struct image *shell = start(s, ROOT), *program;

	(void)state;
	alloc(shell, 0x10, 10);
	program = start(s, ROOT); /* the new program is there before the old one is gone */
	assert_true(shell->over);
	assert_int_equal(program->number, 1);
	gone(shell);
	alloc(program, 0x10, 1000);
	gone(program);
	session_sink.ended(s, ROOT, 0x100);
	assert_true(s->root_ended);
	assert_int_equal(s->root_status, 0x100);
	assert_int_equal(shell->fate, EXEC_LEFT_OUT);
	session_leave_out(s);
	assert_ptr_equal(s->images, program);
	assert_null(program->next);
	assert_non_null(strstr(s->left_out_text, "1 allocations of 10 bytes"));
	assert_int_equal(script.saves, 0);
	session_release(s);
}

static void what_a_process_ran_before_an_exec_is_saved_at_once_if_it_is_to_be_kept(void **state)
{
	struct session *s = begin(false);

	(void)state;
	s->keep_execs = true;
	struct image *shell = start(s, ROOT);
	alloc(shell, 0x10, 10);
	struct image *program = start(s, ROOT);
	assert_int_equal(script.saves, 1);
	assert_ptr_equal(script.saved, shell);
	gone(shell);
	alloc(program, 0x10, 1000);
	gone(program);
	session_sink.ended(s, ROOT, 0);
	session_leave_out(s);
	assert_ptr_equal(s->images, shell);
	assert_ptr_equal(shell->next, program);
	assert_null(s->left_out_text);
	session_release(s);
}

static void suspending_holds_all_once_and_what_begins_meanwhile_is_suspended(void **state)
{
	struct session *s = begin(true);
	struct image *a = start(s, ROOT), *b = fork_from(s, a, CHILD);

	(void)state;
	assert_true(session_suspend(s));
	assert_string_equal(script.calls, "hold suspend suspend run");
	assert_false(session_suspend(s));
	assert_true(session_is_suspended(s));
	script.calls[0] = '\0';
	struct image *c = start(s, CHILD); /* an exec */
	assert_true(c->observed->suspended);
	gone(b);
	assert_string_equal(script.calls, "suspend");
	script.calls[0] = '\0';
	assert_true(session_resume(s));
	assert_string_equal(script.calls, "hold resume resume run");
	assert_false(session_is_suspended(s));
	assert_false(session_resume(s));
	assert_false(a->observed->suspended || c->observed->suspended);
	session_release(s);
}

static void a_program_that_suspends_itself_is_lifted_when_no_stop_is_served(void **state)
{
	struct session *s = begin(false);
	struct image *i = start(s, ROOT);

	(void)state;
	alloc(i, 0x10, 1);
	mark(i, MARK_SUSPEND, 0);
	assert_int_equal(script.wakes, 1);
	assert_string_equal(script.calls, "");
	alloc(i, 0x20, 1);
	assert_int_equal(i->profile->totals.allocs, 1);
	session_attend(s);
	assert_string_equal(script.calls, "hold suspend run");
	session_attend(s);
	mark(i, MARK_RESUME, 0);
	assert_string_equal(script.calls, "hold suspend run resume");
	alloc(i, 0x30, 1);
	assert_int_equal(i->profile->totals.allocs, 2);
	session_release(s);
}

static void a_program_that_goes_on_before_it_is_lifted_is_left_as_it_is(void **state)
{
	struct session *s = begin(false);
	struct image *i = start(s, ROOT);

	(void)state;
	mark(i, MARK_SUSPEND, 0);
	mark(i, MARK_RESUME, 0);
	session_attend(s);
	assert_string_equal(script.calls, "");
	mark(i, MARK_SUSPEND, 0);
	session_suspend(s);
	session_attend(s); /* it is suspended with all others */
	assert_string_equal(script.calls, "hold suspend run");
	session_release(s);
}

static void a_restart_saves_and_forgets_and_takes_the_name_the_program_gives(void **state)
{
	struct session *s = begin(false);
	struct image *i = start(s, ROOT);

	(void)state;
	script.memory = "phase2.data";
	alloc(i, 0x10, 1);
	mark(i, MARK_RESTART, 0x1000);
	assert_int_equal(script.saves, 1);
	assert_int_equal(script.restarts, 1);
	assert_string_equal(i->data, "phase2.data");
	assert_int_equal(unseen_so_far(i).lost, 1);
	assert_int_equal(unseen_now(i).lost, 0);
	assert_int_equal(i->profile->totals.allocs, 0);
	mark(i, MARK_STOP, 0);
	assert_int_equal(script.saves, 2);
	alloc(i, 0x20, 1);
	mark(i, MARK_STOP, 0); /* nothing has been counted since */
	assert_int_equal(script.saves, 2);
	assert_int_equal(i->profile->totals.allocs, 0);
	session_release(s);
}

static void another_users_program_names_no_file(void **state)
{
	struct session *s = begin(false);
	struct image *i = start(s, ROOT);

	(void)state;
	s->foreign = true;
	script.memory = "/etc/passwd";
	mark(i, MARK_RESTART, 0x1000);
	assert_null(i->data);
	assert_non_null(strstr(script.said, "another user's"));
	session_release(s);
}

static void a_realloc_whose_end_is_not_counted_leaves_its_block(void **state)
{
	struct session *s = begin(false);
	struct image *i = start(s, ROOT);

	(void)state;
	alloc(i, 0x10, 100);
	session_sink.event(i, &(struct alloc_event){ .kind = AE_REALLOC_BEGIN, .task = 1,
						     .old_ptr = 0x10 });
	mark(i, MARK_STOP, 0);
	session_sink.event(i, &(struct alloc_event){ .kind = AE_REALLOC_MOVED, .task = 1,
						     .old_ptr = 0x10,
						     .ptr = 0x20, .size = 200 });
	assert_true(session_sink.knows(i, 0x10));
	assert_false(session_sink.knows(i, 0x20));
	assert_int_equal(i->profile->live_bytes, 100);
	session_release(s);
}

static void autosave_saves_after_every_so_many_allocations(void **state)
{
	struct session *s = begin(false);
	struct image *i = start(s, ROOT);

	(void)state;
	mark(i, MARK_AUTOSAVE, 3);
	for (unsigned n = 1; n <= 10; n++) {
		alloc(i, 0x10 * n, 1);
		release(i, 0x10 * n);
	}
	assert_int_equal(script.saves, 3);
	mark(i, MARK_AUTOSAVE, 0);
	alloc(i, 0x1000, 1);
	alloc(i, 0x1010, 1);
	assert_int_equal(script.saves, 3);
	session_release(s);
}

static void a_full_disk_at_the_last_save_is_remembered_and_at_another_is_not(void **state)
{
	struct session *s = begin(false);

	(void)state;
	save_children_add(&s->save_children, 100, ROOT, false, s->say);
	save_children_add(&s->save_children, 101, ROOT, true, s->say);
	session_sink.reaped(s, 100, 0x100);
	assert_false(s->save_children.failed);
	session_sink.reaped(s, 102, 0x100); /* nobody's */
	assert_int_equal(s->save_children.n, 1);
	session_sink.reaped(s, 101, 0x100);
	assert_true(s->save_children.failed);
	assert_int_equal(s->save_children.n, 0);
	session_release(s);
}

static void a_program_that_cannot_be_observed_is_refused_or_told_of(void **state)
{
	struct session *s = begin(true);

	(void)state;
	s->attaching = ROOT;
	session_sink.unobserved(s, ROOT, NULL, UNOBSERVED_UNSUPPORTED, "it is none of ours");
	s->attaching = 0;
	assert_string_equal(s->refused, "it is none of ours");
	assert_int_equal(s->refused_why, UNOBSERVED_UNSUPPORTED);
	assert_string_equal(script.said, "");
	s->refused = NULL;
	struct image *root = start(s, ROOT), *child = session_sink.begins(s, CHILD);
	session_sink.unobserved(s, CHILD, child, UNOBSERVED_NO_ALLOCATOR, "no allocator");
	assert_null(s->refused);
	assert_string_equal(script.said, "process 4712 goes on unobserved: no allocator");
	assert_ptr_equal(s->images, root);
	assert_null(root->next);
	/* The list goes on where it was. */
	const struct image *again = start(s, CHILD);
	assert_ptr_equal(again, root->next);
	session_release(s);
}

static void without_memory_for_its_recorders_an_image_does_not_begin(void **state)
{
	struct session *s = begin(false);

	(void)state;
	script.refuse_record = true;
	assert_null(session_sink.begins(s, ROOT));
	assert_null(s->images);
	session_release(s);
}

static void what_comes_after_the_end_has_the_time_of_the_end(void **state)
{
	struct session *s = begin(false);
	struct image *i = start(s, ROOT);

	(void)state;
	session_end(s);
	struct alloc_event e = { .kind = AE_ALLOC, .ptr = 0x10, .size = 1, .time_ns = UINT64_MAX };
	assert_int_equal(session_sink.event(i, &e), 0);
	assert_int_equal(i->profile->load.end_ns, s->end_ns);
	gone(i);
	assert_int_equal(i->counts.traps, 9);
	assert_null(i->observed);
	session_release(s);
}

static void system_calls_are_not_looked_at_while_nothing_is_counted(void **state)
{
	struct session *s = begin(false);
	struct image *i = start(s, ROOT);
	struct syscall_call c = { 0 };

	(void)state;
	assert_true(session_sink.call(i, &c));
	session_suspend(s);
	assert_false(session_sink.call(i, &c));
	session_resume(s);
	mark(i, MARK_STOP, 0);
	assert_false(session_sink.call(i, &c));
	session_release(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_of_fork_knows_its_parents_blocks_and_counts_for_itself),
		cmocka_unit_test(a_child_that_is_not_followed_is_not_observed),
		cmocka_unit_test(what_a_process_ran_before_an_exec_is_left_out_if_it_is_little),
		cmocka_unit_test(
			what_a_process_ran_before_an_exec_is_saved_at_once_if_it_is_to_be_kept),
		cmocka_unit_test(suspending_holds_all_once_and_what_begins_meanwhile_is_suspended),
		cmocka_unit_test(a_program_that_suspends_itself_is_lifted_when_no_stop_is_served),
		cmocka_unit_test(a_program_that_goes_on_before_it_is_lifted_is_left_as_it_is),
		cmocka_unit_test(a_restart_saves_and_forgets_and_takes_the_name_the_program_gives),
		cmocka_unit_test(another_users_program_names_no_file),
		cmocka_unit_test(a_realloc_whose_end_is_not_counted_leaves_its_block),
		cmocka_unit_test(autosave_saves_after_every_so_many_allocations),
		cmocka_unit_test(a_full_disk_at_the_last_save_is_remembered_and_at_another_is_not),
		cmocka_unit_test(a_program_that_cannot_be_observed_is_refused_or_told_of),
		cmocka_unit_test(without_memory_for_its_recorders_an_image_does_not_begin),
		cmocka_unit_test(what_comes_after_the_end_has_the_time_of_the_end),
		cmocka_unit_test(system_calls_are_not_looked_at_while_nothing_is_counted),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
