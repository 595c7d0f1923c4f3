/* SPDX-License-Identifier: BSD-2-Clause */
/* A session with a scripted observer. */
#include "unit/scripted_observer.h"

#include "session/unseen.h"

#include <limits.h>
#include <signal.h>

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
	assert_ptr_equal(s->left_out, shell);
	assert_null(shell->next);
	assert_int_equal(script.saves, 0);
	session_release(s);
}

static void a_session_ends_as_its_own_process_not_as_a_later_one_of_that_number(void **state)
{
	struct session *s = begin(true);
	struct image *root = start(s, ROOT), *child = fork_from(s, root, CHILD);

	(void)state;
	gone(root);
	session_sink.ended(s, ROOT, 0x100);
	struct image *later = fork_from(s, child, ROOT);
	gone(later);
	session_sink.ended(s, ROOT, 0x700);
	assert_int_equal(s->root_status, 0x100);
	assert_true(later->ended);
	session_release(s);
}

static void what_a_process_ran_before_an_exec_is_saved_at_once_if_it_is_to_be_kept(void **state)
{
	struct session *s = begin_with(&(struct session_settings){ .keep_execs = true });

	(void)state;
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
	assert_null(s->left_out);
	session_release(s);
}

static void what_is_told_late_gives_a_program_no_name_of_another(void **state)
{
	struct session *s = begin(true);
	struct image *image = start(s, getpid());

	(void)state;
	strcpy(image->title, "before");
	image->observed->no_memory = true;
	alloc(image, 0x10, 10);
	assert_string_equal(image->title, "before");
	image->observed->no_memory = false;
	alloc(image, 0x20, 10);
	assert_true(image->retitled);
	assert_string_not_equal(image->title, "before");
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
	assert_int_equal(signals_attention, 1);
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
	mark_by(getpid(), i, MARK_RESTART, 0x1000);
	assert_int_equal(script.saves, 1);
	assert_true(s->save_children.n == 1 && s->save_children.v[0].last); /* begun anew since */
	assert_string_equal(i->data, "phase2.data");
	assert_int_equal(unseen_so_far(i).lost, 1);
	assert_int_equal(unseen_now(i).lost, 0);
	assert_int_equal(i->profile->totals.allocs, 0);
	assert_int_equal(i->restarts, 1);
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
	script.memory = "/etc/passwd";
	/* a task that there is not, of which nobody can tell what it may do */
	mark_by(INT_MAX, i, MARK_RESTART, 0x1000);
	assert_null(i->data);
	assert_non_null(strstr(script.said, "cannot be told"));
	s->foreign = true;
	mark_by(getpid(), i, MARK_RESTART, 0x1000);
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

static void what_was_there_in_a_pause_is_not_kept_unless_it_is_seen_freed(void **state)
{
	struct session *s = begin(false);
	struct image *i = start(s, ROOT);
	const struct pd_totals *t = &i->profile->totals;

	(void)state;
	alloc(i, 0x10, 100);
	alloc(i, 0x20, 50);
	session_suspend(s);
	assert_int_equal(t->missed, 2);
	assert_int_equal(script.missed, 0); /* the program did not wait for that */
	assert_int_equal(t->alloc_bytes - t->free_bytes, 0);
	assert_int_equal(i->profile->live_bytes, 0);
	assert_int_equal(session_state(s).frees, 0);
	assert_int_equal(session_state(s).live_bytes, 150);
	assert_true(unseen_now(i).pauses == 1 && i->paused_since_ns);
	session_resume(s);
	release(i, 0x10);
	release(i, 0x999); /* it came in the pause */
	alloc(i, 0x30, 7);
	assert_true(t->missed == 1 && t->missed_bytes == 50);
	assert_true(t->frees == 2 && t->paused_frees == 1 && t->unknown_frees == 0);
	assert_int_equal(session_state(s).frees, 2);
	assert_int_equal(session_state(s).live_bytes, 7);
	assert_int_equal(i->profile->live_bytes, 7);
	uint64_t paused = unseen_now(i).paused_ns;
	assert_true(paused > 0 && paused == i->paused_ns && !i->paused_since_ns);
	session_release(s);
}

/* As after mprof_suspend(), and as it stays if the program does not resume. */
static void a_program_that_suspends_itself_pauses_and_one_that_stops_does_not(void **state)
{
	struct session *s = begin(false);
	struct image *i = start(s, ROOT);

	(void)state;
	alloc(i, 0x10, 100);
	mark(i, MARK_SUSPEND, 0);
	assert_int_equal(i->profile->totals.missed, 1);
	session_suspend(s);
	mark(i, MARK_RESUME, 0);
	assert_true(i->pauses == 1 && i->paused_since_ns);
	session_resume(s);
	assert_false(i->paused_since_ns);
	alloc(i, 0x20, 10);
	mark(i, MARK_STOP, 0);
	session_suspend(s);
	assert_true(i->pauses == 1 && i->profile->totals.missed == 1);
	assert_int_equal(i->profile->live_bytes, 10);
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

static void write_beside(struct session *s, pid_t pid, bool last)
{
	save_children_add(&s->save_children,
			  &(struct save_child){ pid, ROOT, "the profile", last, hear });
}

static void a_full_disk_at_the_last_save_is_remembered_and_at_another_is_not(void **state)
{
	struct session *s = begin(false);

	(void)state;
	write_beside(s, 100, false);
	write_beside(s, 101, true);
	session_sink.reaped(s, 100, 0x100);
	assert_false(s->save_children.failed);
	session_sink.reaped(s, 102, 0x100); /* nobody's */
	assert_int_equal(s->save_children.n, 1);
	session_sink.reaped(s, 101, 0x100);
	assert_true(s->save_children.failed);
	assert_int_equal(s->save_children.n, 0);
	session_release(s);
}

static void who_is_killed_while_it_writes_is_told_of_for_it_cannot_say_so(void **state)
{
	struct session *s = begin(false);

	(void)state;
	write_beside(s, 100, false);
	session_sink.reaped(s, 100, SIGKILL);
	assert_string_equal(script.said,
			    "the process that was to write the profile of process 4711 ended with "
			    "signal 9 (Killed); the session goes on");
	/* The next one has to say itself what it could not. */
	assert_false(s->save_children.failed || s->save_children.failing);
	write_beside(s, 101, true);
	session_sink.reaped(s, 101, SIGKILL);
	assert_non_null(strstr(script.said, "nobody writes it again"));
	assert_true(s->save_children.failed);
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
			a_session_ends_as_its_own_process_not_as_a_later_one_of_that_number),
		cmocka_unit_test(
			what_a_process_ran_before_an_exec_is_saved_at_once_if_it_is_to_be_kept),
		cmocka_unit_test(what_is_told_late_gives_a_program_no_name_of_another),
		cmocka_unit_test(suspending_holds_all_once_and_what_begins_meanwhile_is_suspended),
		cmocka_unit_test(a_program_that_suspends_itself_is_lifted_when_no_stop_is_served),
		cmocka_unit_test(a_program_that_goes_on_before_it_is_lifted_is_left_as_it_is),
		cmocka_unit_test(a_restart_saves_and_forgets_and_takes_the_name_the_program_gives),
		cmocka_unit_test(another_users_program_names_no_file),
		cmocka_unit_test(a_realloc_whose_end_is_not_counted_leaves_its_block),
		cmocka_unit_test(
			what_was_there_in_a_pause_is_not_kept_unless_it_is_seen_freed),
		cmocka_unit_test(
			a_program_that_suspends_itself_pauses_and_one_that_stops_does_not),
		cmocka_unit_test(autosave_saves_after_every_so_many_allocations),
		cmocka_unit_test(a_full_disk_at_the_last_save_is_remembered_and_at_another_is_not),
		cmocka_unit_test(who_is_killed_while_it_writes_is_told_of_for_it_cannot_say_so),
		cmocka_unit_test(a_program_that_cannot_be_observed_is_refused_or_told_of),
		cmocka_unit_test(what_comes_after_the_end_has_the_time_of_the_end),
		cmocka_unit_test(system_calls_are_not_looked_at_while_nothing_is_counted),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
