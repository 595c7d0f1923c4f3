/* SPDX-License-Identifier: BSD-2-Clause */
/* A tracer that does nothing is killed only if somebody waits for it, and has waited for long. */
#include "unit/unit.h"

#include "attach/hang.h"
#include "attach/journal_internal.h"
#include "proc/status.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* So many looks at a tracer that does nothing: how many of them say that it hangs. */
static unsigned looks(struct hang *h, uint64_t beats, bool waiting, unsigned n)
{
	unsigned hanging = 0;

	for (unsigned i = 0; i < n; i++)
		hanging += hang_judge(h, &(struct hang_seen){ .beats = beats, .waiting = waiting });
	return hanging;
}

static void who_does_nothing_while_somebody_waits_hangs(void **state)
{
	struct hang h = { 0 };

	(void)state;
	assert_int_equal(looks(&h, 7, true, HANG_LOOKS), 0);
	assert_int_equal(looks(&h, 7, true, 1), 1);
}

static void who_does_something_does_not_hang(void **state)
{
	struct hang h = { 0 };

	(void)state;
	for (uint64_t beats = 1; beats < 100; beats++)
		assert_int_equal(looks(&h, beats, true, HANG_LOOKS), 0);
}

static void who_keeps_nobody_waiting_may_do_nothing(void **state)
{
	struct hang h = { 0 };

	(void)state;
	assert_int_equal(looks(&h, 7, false, 1000), 0);
	assert_int_equal(looks(&h, 7, true, HANG_LOOKS - 1), 0);
	/* It has been waited for, but not all the time. */
	assert_int_equal(looks(&h, 7, false, 1), 0);
	assert_int_equal(looks(&h, 7, true, HANG_LOOKS - 1), 0);
}

/* Others use its processor: it is runnable, but does not run. */
static void who_cannot_run_does_not_hang(void **state)
{
	struct hang_seen seen = { .beats = 7, .waiting = true, .wants_to_run = true, .ran_ns = 5 };
	struct hang h = { .beats = 7 };

	(void)state;
	for (unsigned i = 0; i < 100 * HANG_LOOKS; i++) {
		seen.ran_ns += HANG_RAN_NS / (101 * HANG_LOOKS);
		assert_false(hang_judge(&h, &seen));
	}
	/* it is stuck, and has only been slow to show it */
	seen.ran_ns += HANG_RAN_NS / 50;
	assert_true(hang_judge(&h, &seen));
}

static void who_runs_and_does_nothing_hangs(void **state)
{
	struct hang_seen seen = { .beats = 7, .waiting = true, .wants_to_run = true };
	struct hang h = { .beats = 7 };

	(void)state;
	for (unsigned i = 1; i <= HANG_LOOKS; i++) {
		assert_int_equal(hang_judge(&h, &seen), i == HANG_LOOKS);
		seen.ran_ns += HANG_RAN_NS;
	}
}

/* ---- a tracer and a program that are two children, and memory that the program has ---- */

/* It is asleep when this returns: who has not come to that yet wants to run. */
static pid_t child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	while (proc_status(pid).state != 'S')
		usleep(1000);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void the_tracer_of_a_program_that_waits_is_ended(void **state)
{
	enum { BYTES = 3 * 4096 + 100, LAST = BYTES - 1 };
	uint8_t *waits = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			      0);
	pid_t tracer = child(), program = child();
	struct journal *g = journal_new();
	struct hang h = { 0 };
	int wstatus;

	(void)state;
	assert_true(waits != MAP_FAILED && g);
	const struct journal_entry e = { .kind = JOURNAL_WAITS, .pid = program,
					 .at = (uintptr_t)waits, .size = BYTES };
	assert_int_not_equal(journal_add(g, &e), JOURNAL_NONE);
	journal_beats(g);
	for (unsigned i = 0; i < 3 * HANG_LOOKS; i++)
		hang_look(&h, g, tracer);
	assert_int_equal(waitpid(tracer, &wstatus, WNOHANG), 0);
	waits[LAST] = 1;
	for (unsigned i = 0; i < 3 * HANG_LOOKS; i++) {
		journal_beats(g);
		hang_look(&h, g, tracer);
	}
	assert_int_equal(waitpid(tracer, &wstatus, WNOHANG), 0);
	for (unsigned i = 0; i < HANG_LOOKS; i++) {
		assert_false(atomic_load(&g->hung));
		hang_look(&h, g, tracer);
	}
	assert_true(atomic_load(&g->hung));
	assert_int_equal(waitpid(tracer, &wstatus, 0), tracer);
	assert_true(WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == SIGKILL);
	end(program);
	journal_free(g);
	munmap(waits, BYTES);
}

/* ---- the journal is written meanwhile: the tracer as another thread ---- */

struct writing {
	struct journal *g;
	bool over;
};

static void *write_journal(void *arg)
{
	static const uint8_t nobody[2];
	struct writing *w = arg;

	while (!__atomic_load_n(&w->over, __ATOMIC_RELAXED))
		for (unsigned size = 1; size <= sizeof nobody; size++)
			journal_remove(w->g, journal_add(w->g, &(struct journal_entry){
							 .kind = JOURNAL_WAITS, .pid = getpid(),
							 .at = (uintptr_t)nobody, .size = size }));
	return NULL;
}

static void who_writes_while_somebody_looks_does_not_hang(void **state)
{
	struct writing w = { .g = journal_new() };
	struct hang h = { 0 };
	pid_t tracer = child();
	pthread_t thread;

	(void)state;
	assert_non_null(w.g);
	assert_int_equal(pthread_create(&thread, NULL, write_journal, &w), 0);
	for (unsigned i = 0; i < 200 * HANG_LOOKS; i++)
		hang_look(&h, w.g, tracer);
	__atomic_store_n(&w.over, true, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_false(atomic_load(&w.g->hung));
	end(tracer);
	journal_free(w.g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_does_nothing_while_somebody_waits_hangs),
		cmocka_unit_test(who_does_something_does_not_hang),
		cmocka_unit_test(who_keeps_nobody_waiting_may_do_nothing),
		cmocka_unit_test(who_cannot_run_does_not_hang),
		cmocka_unit_test(who_runs_and_does_nothing_hangs),
		cmocka_unit_test(the_tracer_of_a_program_that_waits_is_ended),
		cmocka_unit_test(who_writes_while_somebody_looks_does_not_hang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
