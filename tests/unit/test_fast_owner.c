/* SPDX-License-Identifier: BSD-2-Clause */
/* The word by which a program knows that its tracer lives: the kernel writes to it at its end. */
#include "unit/unit.h"

#include "agent/layout.h"
#include "fast/owner.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 3, PIECE = 2 * OWNER_NODE_BELOW };

/* Shared with the children; each word has a page of its own before it. */
static uint8_t *memory;
static int ready[2];

static uint32_t *word(unsigned i)
{
	return (uint32_t *)(void *)(memory + i * PIECE + OWNER_NODE_BELOW);
}

static uint32_t load(unsigned i)
{
	return __atomic_load_n(word(i), __ATOMIC_ACQUIRE);
}

static int set_up(void **state)
{
	(void)state;
	memory = mmap(NULL, WORDS * PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	return memory == MAP_FAILED || pipe(ready) ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(ready[0]);
	close(ready[1]);
	return munmap(memory, WORDS * PIECE);
}

/* A tracer that holds all words but the one it has released, once this returns. */
static pid_t tracer(unsigned released)
{
	pid_t pid = fork();
	char c = 0;

	if (pid == 0) {
		for (unsigned i = 0; i < WORDS; i++)
			if (owner_hold(word(i)))
				_exit(1);
		/* Its memory goes: the kernel would get no farther there. */
		if (released < WORDS) {
			owner_release(word(released));
			munmap(memory + released * PIECE, PIECE);
		}
		if (write(ready[1], &c, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	assert_int_equal(read(ready[0], &c, 1), 1);
	return pid;
}

static void kill_it(pid_t pid)
{
	int wstatus;

	assert_return_code(kill(pid, SIGKILL), errno);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_true(WIFSIGNALED(wstatus));
}

static bool lives(uint32_t value)
{
	return value & AGENT_OWNER_TID && !(value & AGENT_OWNER_DIED);
}

static void words_of_a_tracer_that_was_killed_say_so(void **state)
{
	pid_t pid = tracer(WORDS);

	(void)state;
	for (unsigned i = 0; i < WORDS; i++)
		assert_true(lives(load(i)));
	kill_it(pid);
	for (unsigned i = 0; i < WORDS; i++)
		assert_true(load(i) & AGENT_OWNER_DIED);
}

/* Whichever of the held words it is: the others stay valid. */
static void a_word_that_was_released_is_nobodys(void **state)
{
	(void)state;
	for (unsigned released = 0; released < WORDS; released++) {
		pid_t pid = tracer(released);

		for (unsigned i = 0; i < WORDS; i++)
			assert_int_equal(lives(load(i)), i != released);
		kill_it(pid);
		for (unsigned i = 0; i < WORDS; i++)
			assert_int_equal((load(i) & AGENT_OWNER_DIED) != 0, i != released);
		assert_int_equal(load(released), 0);
	}
}

/* The kernel follows a list in our memory: what the program writes beside its word cannot mislead
 * it. */
static void what_is_written_around_a_word_does_not_matter(void **state)
{
	pid_t pid = tracer(WORDS);

	(void)state;
	for (unsigned i = 0; i < WORDS; i++)
		for (unsigned k = 1; k < OWNER_NODE_BELOW / sizeof(uint32_t); k++)
			word(i)[k] = UINT32_MAX;
	kill_it(pid);
	for (unsigned i = 0; i < WORDS; i++)
		assert_true(load(i) & AGENT_OWNER_DIED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(words_of_a_tracer_that_was_killed_say_so, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_word_that_was_released_is_nobodys, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_written_around_a_word_does_not_matter,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
