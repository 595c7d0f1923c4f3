/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "fast/threads.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct table {
	struct agent_shared *s;
	struct threads *t;
};

static int setup(void **state)
{
	struct table *x = calloc(1, sizeof *x);

	assert_non_null(x);
	x->s = mmap(NULL, sizeof *x->s, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(x->s, MAP_FAILED);
	x->t = threads_new(x->s);
	assert_non_null(x->t);
	*state = x;
	return 0;
}

static int teardown(void **state)
{
	struct table *x = *state;

	threads_free(x->t);
	munmap(x->s, sizeof *x->s);
	free(x);
	return 0;
}

/* As the agent does it: src/agent/name.c. */
static uint32_t agent_finds(const struct agent_shared *s, uint64_t pointer)
{
	for (uint32_t i = 0; i < AGENT_KEYS; i++) {
		const struct agent_key *k = &s->keys[(agent_key_slot(pointer) + i) % AGENT_KEYS];

		if (!k->thread_pointer)
			return AGENT_NO_THREAD;
		if (k->thread_pointer == pointer + 1)
			return k->number;
	}
	return AGENT_NO_THREAD;
}

static void assert_known(const struct table *x, uint64_t pointer, uint32_t number)
{
	assert_int_equal(agent_finds(x->s, pointer), number);
	assert_int_equal(threads_find(x->t, pointer),
			 number == AGENT_STRANGER ? AGENT_NO_THREAD : number);
}

/* Of threads whose keys all want the same slot. */
static uint64_t alike(uint32_t i)
{
	uint64_t pointer = 0x7f0000000000, slot = agent_key_slot(pointer);

	while (i)
		if (agent_key_slot(pointer += 64) == slot)
			i--;
	return pointer;
}

static void a_thread_is_found_by_its_pointer_until_it_ends(void **state)
{
	struct table *x = *state;
	uint32_t a = threads_begin(x->t, 0, 10), b = threads_begin(x->t, 0x7f1000, 11);

	assert_in_range(a, AGENT_SPARES, AGENT_THREADS - 1);
	assert_in_range(b, AGENT_SPARES, AGENT_THREADS - 1);
	assert_int_not_equal(a, b);
	assert_known(x, 0, a);
	assert_known(x, 0x7f1000, b);
	assert_known(x, 0x7f2000, AGENT_NO_THREAD);
	threads_end(x->t, a, 50);
	assert_known(x, 0, AGENT_NO_THREAD);
	assert_known(x, 0x7f1000, b);
	/* What is still in the ring is its own. */
	assert_int_equal(threads_tid(x->t, a), 10);
	threads_reap(x->t, 49);
	assert_int_equal(threads_tid(x->t, a), 10);
	threads_reap(x->t, 50);
	assert_int_equal(threads_tid(x->t, a), 0);
	assert_int_equal(threads_tid(x->t, b), 11);
}

static void a_thread_whose_pointer_is_set_later_is_known_by_that(void **state)
{
	struct table *x = *state;
	uint32_t a = threads_begin(x->t, 0, 10), b;

	assert_int_equal(threads_moved(x->t, a, 0, 50), a);
	assert_known(x, 0, a);
	b = threads_moved(x->t, a, 0x7f1000, 50);
	assert_known(x, 0, AGENT_NO_THREAD);
	assert_int_not_equal(a, b);
	assert_known(x, 0x7f1000, b);
	/* What it has recorded before is its own, too. */
	assert_int_equal(threads_tid(x->t, a), 10);
	assert_int_equal(threads_tid(x->t, b), 10);
	/* One that has no number does not get one so. */
	assert_int_equal(threads_moved(x->t, AGENT_NO_THREAD, 0x7f1000, 50), AGENT_NO_THREAD);
	assert_int_equal(threads_moved(x->t, a, 0x7f2000, 50), a);
	threads_end(x->t, b, 60);
	assert_known(x, 0x7f1000, AGENT_NO_THREAD);
}

static void a_number_is_not_given_away_before_its_last_record_is_read(void **state)
{
	struct table *x = *state;
	uint32_t a = threads_begin(x->t, 0x7f1000, 10), b;

	threads_end(x->t, a, 50);
	/* C libraries use the memory of a thread that has ended for the next. */
	b = threads_begin(x->t, 0x7f1000, 11);
	assert_int_not_equal(a, b);
	assert_known(x, 0x7f1000, b);
	assert_int_equal(threads_tid(x->t, a), 10);
	assert_int_equal(threads_tid(x->t, b), 11);
}

static void tasks_with_one_pointer_are_one_thread_until_the_last_has_ended(void **state)
{
	struct table *x = *state;
	uint32_t a = threads_begin(x->t, 0x7f1000, 10);

	assert_int_equal(threads_begin(x->t, 0x7f1000, 11), a);
	threads_end(x->t, a, 1);
	assert_known(x, 0x7f1000, a);
	threads_end(x->t, a, 1);
	assert_known(x, 0x7f1000, AGENT_NO_THREAD);
}

static void threads_whose_keys_collide_come_and_go_in_any_order(void **state)
{
	struct table *x = *state;
	uint32_t number[40] = { 0 }, seed = 1;
	uint64_t pointer[40];
	bool runs[40] = { false };

	for (uint32_t k = 0; k < 40; k++)
		pointer[k] = alike(k);
	for (int i = 0; i < 20000; i++) {
		uint32_t k;

		seed = seed * 1664525u + 1013904223u;
		k = (seed >> 8) % 40;
		if (runs[k])
			threads_end(x->t, number[k], 0);
		else
			number[k] = threads_begin(x->t, pointer[k], 100 + (pid_t)k);
		runs[k] = !runs[k];
		threads_reap(x->t, 0);
		if (i % 100)
			continue;
		for (k = 0; k < 40; k++)
			assert_known(x, pointer[k], runs[k] ? number[k] : AGENT_NO_THREAD);
	}
}

static void there_are_as_many_as_there_are_and_the_others_are_strangers(void **state)
{
	struct table *x = *state;
	uint32_t last = 0;

	for (uint32_t i = AGENT_SPARES; i < AGENT_THREADS; i++) {
		last = threads_begin(x->t, 0x1000 * (uint64_t)i, 1);
		assert_int_not_equal(last, AGENT_NO_THREAD);
	}
	assert_int_equal(threads_begin(x->t, 0x10, 1), AGENT_NO_THREAD);
	/* It need not ask. */
	assert_known(x, 0x10, AGENT_STRANGER);
	threads_end(x->t, last, 7);
	assert_int_equal(threads_begin(x->t, 0x10, 1), AGENT_NO_THREAD);
	threads_reap(x->t, 7);
	assert_int_equal(threads_begin(x->t, 0x10, 1), last);
}

static void a_pointer_whose_key_would_be_the_empty_one_is_a_stranger_s(void **state)
{
	struct table *x = *state;

	assert_int_equal(threads_begin(x->t, UINT64_MAX, 1), AGENT_NO_THREAD);
	assert_known(x, UINT64_MAX, AGENT_NO_THREAD);
}

static void a_stranger_is_one_until_its_task_is_known(void **state)
{
	struct table *x = *state;
	uint32_t a;

	threads_stranger(x->t, 0x7f1000);
	threads_stranger(x->t, 0x7f1000);
	threads_stranger(x->t, UINT64_MAX);
	assert_known(x, 0x7f1000, AGENT_STRANGER);
	a = threads_begin(x->t, 0x7f1000, 10);
	assert_int_not_equal(a, AGENT_NO_THREAD);
	assert_known(x, 0x7f1000, a);
	/* Whose thread is known is no stranger. */
	threads_stranger(x->t, 0x7f1000);
	assert_known(x, 0x7f1000, a);
	threads_end(x->t, a, 0);
	threads_stranger(x->t, 0x7f1000);
	assert_known(x, 0x7f1000, AGENT_STRANGER);
}

/* A program can have any number of them. */
static void strangers_leave_room_for_threads(void **state)
{
	struct table *x = *state;

	for (uint64_t i = 1; i <= 2 * AGENT_KEYS; i++)
		threads_stranger(x->t, i << 40);
	assert_known(x, UINT64_C(1) << 40, AGENT_STRANGER);
	for (uint32_t i = AGENT_SPARES; i < AGENT_THREADS; i++)
		assert_int_not_equal(threads_begin(x->t, 0x1000 * (uint64_t)i, 1),
				     AGENT_NO_THREAD);
	for (uint32_t i = AGENT_SPARES; i < AGENT_THREADS; i++)
		assert_int_not_equal(threads_find(x->t, 0x1000 * (uint64_t)i), AGENT_NO_THREAD);
	assert_known(x, 0x10, AGENT_NO_THREAD);
}

static void what_a_thread_had_taken_when_it_was_killed_is_given_back(void **state)
{
	struct table *x = *state;
	uint32_t a = threads_begin(x->t, 0x7f1000, 10);
	struct agent_shared *s = x->s;

	s->threads[a].busy = s->threads[3].busy = 0x7f1000 + 1;
	s->threads[4].busy = 0x7f2000 + 1;
	s->threads[a].depth = 2;
	s->threads[a].n_frames = 9;
	s->threads[a].stack = 8;
	s->stacks[7].claim = a + 1;
	s->threads[3].stack = 9;
	s->stacks[8].claim = 77; /* somebody else was quicker */
	s->deep_taken = a + 1;
	s->waiting[a] = 1;
	threads_end(x->t, a, 0);
	assert_int_equal(s->threads[a].busy, 0);
	assert_int_equal(s->threads[3].busy, 0);
	assert_int_equal(s->threads[4].busy, 0x7f2000 + 1);
	assert_int_equal(s->threads[a].depth, 0);
	assert_int_equal(s->threads[a].n_frames, 0);
	assert_int_equal(claim_owner(s->stacks[7].claim), 0);
	assert_int_equal(claim_owner(s->stacks[8].claim), 77);
	assert_int_equal((uint32_t)s->deep_taken, 0);
	assert_int_equal(s->waiting[a], 0);
}

static void what_the_program_writes_into_the_table_is_not_believed(void **state)
{
	struct table *x = *state;
	uint32_t a = threads_begin(x->t, 0x7f1000, 10);

	memset(x->s->keys, 0xff, sizeof x->s->keys);
	memset(&x->s->threads[a], 0xff, sizeof x->s->threads[a]);
	assert_int_equal(threads_find(x->t, 0x7f1000), a);
	threads_end(x->t, a, 0);
	threads_end(x->t, a, 0);
	threads_end(x->t, 3, 0);
	threads_end(x->t, UINT32_MAX, 0);
	threads_reap(x->t, 0);
	assert_int_equal(threads_begin(x->t, 0x7f1000, 11), a);
	assert_int_equal(threads_tid(x->t, UINT32_MAX), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_thread_is_found_by_its_pointer_until_it_ends),
		TEST(a_thread_whose_pointer_is_set_later_is_known_by_that),
		TEST(a_number_is_not_given_away_before_its_last_record_is_read),
		TEST(tasks_with_one_pointer_are_one_thread_until_the_last_has_ended),
		TEST(threads_whose_keys_collide_come_and_go_in_any_order),
		TEST(there_are_as_many_as_there_are_and_the_others_are_strangers),
		TEST(a_pointer_whose_key_would_be_the_empty_one_is_a_stranger_s),
		TEST(a_stranger_is_one_until_its_task_is_known),
		TEST(strangers_leave_room_for_threads),
		TEST(what_a_thread_had_taken_when_it_was_killed_is_given_back),
		TEST(what_the_program_writes_into_the_table_is_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
