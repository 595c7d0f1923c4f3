/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracer may be killed after any instruction: valid journal entries must be complete then. */
#include "unit/unit.h"

#include "attach/journal_internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS_MAX = 1000000 };

static const struct journal_who who = { .tid = 3, .pid = 3 };
static struct journal *g;
static uint32_t record;

static int set_up(void **state)
{
	(void)state;
	record = 0;
	g = journal_new();
	return !g;
}

static int tear_down(void **state)
{
	(void)state;
	journal_free(g);
	return 0;
}

/* A tracer that does @work, an instruction at a time; behind each @check says what counts: as many
 * as were seen. */
static unsigned steps(void (*work)(void), bool (*check)(void))
{
	pid_t pid = fork();
	unsigned counted = 0;
	int wstatus;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		work();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	for (unsigned i = 0; i < STEPS_MAX && WIFSTOPPED(wstatus); i++) {
		counted += check();
		assert_return_code(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), errno);
		assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	}
	assert_true(WIFEXITED(wstatus) && !WEXITSTATUS(wstatus));
	return counted;
}

/* All of it is of @c, whatever that is. */
static struct journal_entry entry(unsigned char c)
{
	struct journal_entry e = { .kind = JOURNAL_JUMP, .pid = c, .at = c, .insn_size = c,
				   .slot = c, .slot_size = c, .flag = c, .size = c };

	memset(e.own, c, sizeof e.own);
	memset(e.slot_own, c, sizeof e.slot_own);
	return e;
}

static void add_another(void)
{
	struct journal_entry e = entry(2);

	journal_add(g, &e);
}

static bool entry_is_whole(void)
{
	const struct journal_entry *e = &g->entries[0], two = entry(2);

	if (!e->pid)
		return false;
	assert_int_equal(e->pid, 2);
	assert_int_equal(e->kind, two.kind);
	assert_int_equal(e->at, 2);
	assert_memory_equal(e->own, two.own, sizeof two.own);
	assert_int_equal(e->insn_size, 2);
	assert_int_equal(e->slot, 2);
	assert_int_equal(e->slot_size, 2);
	assert_memory_equal(e->slot_own, two.slot_own, sizeof two.slot_own);
	assert_int_equal(e->flag, 2);
	assert_int_equal(e->size, 2);
	return true;
}

static void an_entry_that_takes_the_place_of_another_counts_when_it_is_whole(void **state)
{
	struct journal_entry first = entry(1);

	(void)state;
	first.kind = JOURNAL_BREAKPOINT;
	journal_remove(g, journal_add(g, &first));
	assert_true(steps(add_another, entry_is_whole) > 0);
	assert_int_equal(atomic_load(&g->n_entries), 1);
}

static struct journal_call call(unsigned char c)
{
	struct journal_call made;

	memset(&made, c, sizeof made);
	return made;
}

static void call_again(void)
{
	struct journal_call second = call(2);

	journal_calls(g, &record, who, &second);
}

static bool call_is_whole(void)
{
	const struct journal_call *now = &g->tasks[0].call, second = call(2);

	if (!now->insn)
		return false;
	assert_int_equal(now->insn, second.insn);
	assert_memory_equal(&now->regs, &second.regs, sizeof second.regs);
	assert_int_equal(now->mask, second.mask);
	return true;
}

static void what_a_task_gets_back_counts_when_it_is_whole(void **state)
{
	struct journal_call first = call(1);

	(void)state;
	journal_calls(g, &record, who, &first);
	journal_called(g, record);
	assert_true(steps(call_again, call_is_whole) > 0);
}

static siginfo_t owed(int c)
{
	siginfo_t si = { .si_signo = c };

	si.si_code = c;
	si.si_value.sival_int = c;
	return si;
}

static void owe_another(void)
{
	siginfo_t second = owed(2);

	journal_owes(g, &record, who, &second);
}

/* The one that was owed before, or the other one. */
static bool signal_is_whole(void)
{
	const siginfo_t *now = &g->tasks[0].owed;

	if (!now->si_signo)
		return false;
	assert_int_equal(now->si_code, now->si_signo);
	assert_int_equal(now->si_value.sival_int, now->si_signo);
	return now->si_signo == 2;
}

static void a_signal_that_is_owed_counts_when_it_is_whole(void **state)
{
	siginfo_t first = owed(1);

	(void)state;
	journal_owes(g, &record, who, &first);
	assert_true(steps(owe_another, signal_is_whole) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			an_entry_that_takes_the_place_of_another_counts_when_it_is_whole, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(what_a_task_gets_back_counts_when_it_is_whole,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_signal_that_is_owed_counts_when_it_is_whole,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
