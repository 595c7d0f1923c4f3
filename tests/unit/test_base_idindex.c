/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "base/idindex.h"

#include <stdlib.h>

/* The owner of an index: words, by number. */
struct words {
	struct idindex index;
	uint64_t (*hash)(uint64_t word);
	uint64_t v[100000];
	uint32_t n;
};

static bool word_eq(const void *owner, uint32_t id, const void *key)
{
	const struct words *w = owner;

	assert_in_range(id, 0, w->n - 1);
	return w->v[id] == *(const uint64_t *)key;
}

static uint64_t word_rehash(const void *owner, uint32_t id)
{
	const struct words *w = owner;

	/* Only of what is in it: the newest may not be written yet. */
	assert_in_range(id, 0, w->n - 1);
	return w->hash(w->v[id]);
}

static uint32_t find(const struct words *w, uint64_t word)
{
	return idindex_find(&w->index, w->hash(word), word_eq, w, &word);
}

static void add(struct words *w, uint64_t word)
{
	assert_int_equal(idindex_add(&w->index, w->n, w->hash(word), word_rehash, w), 0);
	w->v[w->n++] = word;
}

static uint64_t all_alike(uint64_t word)
{
	(void)word;
	return 0x123456789abcdef0u;
}

static uint64_t at_the_end(uint64_t word)
{
	return UINT64_MAX - word % 3;
}

static int words_setup(void **state)
{
	struct words *w = calloc(1, sizeof *w);

	*state = w;
	if (w)
		w->hash = hash_mix;
	return w ? 0 : -1;
}

static int words_teardown(void **state)
{
	struct words *w = *state;

	idindex_release(&w->index);
	free(w);
	return 0;
}

static void nothing_is_in_an_empty_index(void **state)
{
	assert_int_equal(find(*state, 0), IDINDEX_NONE);
	assert_int_equal(find(*state, 5), IDINDEX_NONE);
}

static void every_element_is_found_by_its_number_and_no_other_is(void **state)
{
	struct words *w = *state;

	for (uint64_t i = 0; i < 100000; i++)
		add(w, i * 2);
	for (uint64_t i = 0; i < 100000; i++) {
		assert_int_equal(find(w, i * 2), i);
		assert_int_equal(find(w, i * 2 + 1), IDINDEX_NONE);
	}
	assert_int_equal(w->index.n, 100000);
}

static void elements_of_one_hash_are_told_apart(void **state)
{
	struct words *w = *state;

	w->hash = all_alike;
	for (uint64_t i = 0; i < 300; i++) {
		assert_int_equal(find(w, i), IDINDEX_NONE);
		add(w, i);
		for (uint64_t j = 0; j <= i; j++)
			assert_int_equal(find(w, j), j);
	}
}

static void a_search_goes_on_over_the_end_of_the_table(void **state)
{
	struct words *w = *state;

	w->hash = at_the_end;
	for (uint64_t i = 0; i < 30; i++)
		add(w, i);
	for (uint64_t i = 0; i < 30; i++)
		assert_int_equal(find(w, i), i);
	assert_int_equal(find(w, 30), IDINDEX_NONE);
}

/* The table must never be full: a search for a missing element would not end. */
static void there_is_always_room(void **state)
{
	struct words *w = *state;

	for (uint64_t i = 0; i < 5000; i++) {
		add(w, i);
		assert_in_range(w->index.n, 1, w->index.mask);
		assert_int_equal(w->index.mask & (w->index.mask + 1), 0);
	}
}

static void a_released_index_can_be_used_again(void **state)
{
	struct words *w = *state;

	add(w, 1);
	idindex_release(&w->index);
	w->n = 0;
	assert_int_equal(find(w, 1), IDINDEX_NONE);
	add(w, 2);
	assert_int_equal(find(w, 2), 0);
	idindex_release(&w->index);
	idindex_release(&w->index);
}

static void a_cleared_index_has_room_for_as_many_and_a_copy_has_the_same(void **state)
{
	struct words *w = *state;
	struct idindex copy = { 0 };

	idindex_clear(&w->index); /* an empty one stays so */
	assert_null(w->index.slots);
	assert_int_equal(idindex_copy(&copy, &w->index), 0);
	assert_null(copy.slots);
	for (uint64_t i = 0; i < 1000; i++)
		add(w, i);
	assert_int_equal(idindex_copy(&copy, &w->index), 0);
	const uint32_t *slots = w->index.slots;
	idindex_clear(&w->index);
	w->n = 0;
	assert_int_equal(find(w, 7), IDINDEX_NONE);
	for (uint64_t i = 1000; i > 0; i--)
		add(w, i);
	assert_ptr_equal(w->index.slots, slots);
	assert_int_equal(find(w, 1), 999);
	assert_int_equal(copy.n, 1000);
	assert_memory_not_equal(copy.slots, slots, 4096);
	idindex_release(&copy);
}

static void what_was_taken_out_is_gone_and_all_else_is_found(void **state)
{
	struct words *w = *state;
	uint64_t (*hashes[])(uint64_t) = { hash_mix, all_alike, at_the_end };

	for (size_t h = 0; h < 3; h++) {
		w->hash = hashes[h];
		w->n = 0;
		idindex_clear(&w->index);
		for (uint64_t i = 0; i < 500; i++)
			add(w, i);
		for (uint32_t i = 0; i < 500; i += 3)
			idindex_remove(&w->index, i, w->hash(i), word_rehash, w);
		assert_int_equal(w->index.n, 500 - 167);
		for (uint32_t i = 0; i < 500; i++)
			assert_int_equal(find(w, i), i % 3 ? i : IDINDEX_NONE);
		idindex_remove(&w->index, 0, w->hash(0), word_rehash, w); /* not there */
		assert_int_equal(w->index.n, 500 - 167);
	}
}

static void mixing_loses_no_bit(void **state)
{
	(void)state;
	assert_int_equal(hash_mix(0), 0);
	for (int bit = 0; bit < 64; bit++) {
		uint64_t changed = hash_mix(12345) ^ hash_mix(12345 ^ 1ull << bit);

		assert_in_range(__builtin_popcountll(changed), 12, 52);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_is_in_an_empty_index, words_setup,
						words_teardown),
		cmocka_unit_test_setup_teardown(
			every_element_is_found_by_its_number_and_no_other_is, words_setup,
			words_teardown),
		cmocka_unit_test_setup_teardown(elements_of_one_hash_are_told_apart, words_setup,
						words_teardown),
		cmocka_unit_test_setup_teardown(a_search_goes_on_over_the_end_of_the_table,
						words_setup, words_teardown),
		cmocka_unit_test_setup_teardown(there_is_always_room, words_setup, words_teardown),
		cmocka_unit_test_setup_teardown(a_released_index_can_be_used_again, words_setup,
						words_teardown),
		cmocka_unit_test_setup_teardown(
			a_cleared_index_has_room_for_as_many_and_a_copy_has_the_same, words_setup,
			words_teardown),
		cmocka_unit_test_setup_teardown(what_was_taken_out_is_gone_and_all_else_is_found,
						words_setup, words_teardown),
		cmocka_unit_test(mixing_loses_no_bit),
	};

	return cmocka_run_group_tests_name("idindex", tests, NULL, NULL);
}
