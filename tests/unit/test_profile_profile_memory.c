/* SPDX-License-Identifier: BSD-2-Clause */
/* Without memory an event is counted completely or not at all. */
#include "unit/unit.h"
#include "lib/random.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 300, EVENTS = 400, BLOCKS = 60, TASKS = 7, PLACES = 5 };

extern const char __executable_start, etext;

static unsigned one_in;	/* so many requests of the profile fail; 0: none */

static bool fails(const char *caller)
{
	return caller >= &__executable_start && caller < &etext && one_in && !random_below(one_in);
}

void *calloc(size_t n, size_t size)
{
	size_t bytes;

	if (fails(__builtin_return_address(0)) || __builtin_mul_overflow(n, size, &bytes))
		return NULL;
	void *p = malloc(bytes);

	__asm__("" : "+r"(p)); /* or gcc calls this very function */
	return p ? memset(p, 0, bytes) : NULL;
}

void *reallocarray(void *was, size_t n, size_t size)
{
	size_t bytes;

	if (fails(__builtin_return_address(0)) || __builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return realloc(was, bytes);
}

/* What is counted, and what of the lifetimes must agree with it. */
struct sums {
	struct pd_totals totals;
	uint64_t live_bytes, blocks[PD_LIFE_AXES], leaf_allocs, leaf_frees;
};

static struct sums sums_of(const struct profile *p)
{
	struct sums s = { .totals = p->totals, .live_bytes = p->live_bytes };

	struct lifecounts_cursor at = { 0 };
	struct pd_lifetime l;

	while (lifecounts_next(&p->lifetimes.counts, &at, &l))
		s.blocks[l.axis] += l.blocks;
	for (size_t i = 0; i < p->n_leaves; i++) {
		s.leaf_allocs += p->leaves[i].allocs;
		s.leaf_frees += p->leaves[i].frees;
	}
	return s;
}

struct script {
	struct profile *p;
	bool live[BLOCKS];	/* in the program */
	uint64_t time, lost;
};

static struct alloc_event random_event(struct script *s, const uint32_t *frames)
{
	uint64_t k = random_below(BLOCKS);
	struct alloc_event e = { .kind = s->live[k] ? AE_FREE : AE_ALLOC,
				 .call = s->live[k] ? CALL_FREE : CALL_MALLOC,
				 .task = (int32_t)(1 + random_below(TASKS)),
				 .time_ns = s->time += random_below(1000),
				 .ptr = 0x1000 * (k + 1),
				 .size = 16 + random_below(20),
				 .chain = { .frames = frames, .n = random_below(PLACES) } };

	s->live[k] = !s->live[k];
	return e;
}

static void one_event(struct script *s)
{
	static const uint32_t frames[PLACES] = { 0, 1, 2, 3, 4 };
	struct alloc_event e = random_event(s, frames);
	struct sums before = sums_of(s->p);
	struct block_change c;

	one_in = 3;
	int err = profile_event(s->p, &e, &c);

	one_in = 0;
	struct sums after = sums_of(s->p);

	if (err) {
		s->lost++;
		assert_memory_equal(&before, &after, sizeof before);
	}
	assert_int_equal(after.leaf_allocs, after.totals.allocs);
	assert_int_equal(after.leaf_frees, after.totals.frees);
	/* A block whose free was lost ends when its address is given again, with no lifetime. */
	assert_int_equal(after.blocks[PD_LIFE_EVENTS], after.blocks[PD_LIFE_NS]);
	assert_true(after.blocks[PD_LIFE_EVENTS] <= after.totals.frees);
	assert_true(after.blocks[PD_LIFE_TEMPORARY] <= after.totals.frees);
}

static void what_there_is_no_memory_for_is_not_counted_in_part(void **state)
{
	uint64_t lost = 0, counted = 0;

	(void)state;
	random_state = 7;
	for (int round = 0; round < ROUNDS; round++) {
		struct script s = { .p = profile_new() };

		assert_non_null(s.p);
		for (uint32_t i = 0; i < PLACES; i++)
			profile_frame(s.p, &(struct profile_place){ .address = i });
		for (int i = 0; i < EVENTS; i++)
			one_event(&s);
		lost += s.lost;
		counted += s.p->totals.allocs + s.p->totals.frees;
		profile_free(s.p);
	}
	assert_true(lost > ROUNDS && counted > ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_there_is_no_memory_for_is_not_counted_in_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
