/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TEST_RANDOM_H
#define MPROF_TEST_RANDOM_H

/*
 * Random numbers for tests: xorshift64*, the same in every run and on every machine, so that a
 * failure can be repeated. They depend on a state that the test sets; it must not be 0.
 */
#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* For tests that need only one state. */
static uint64_t random_state = 1;

static inline uint64_t random_word(void)
{
	return random_next(&random_state);
}

/* 0 to @n - 1; @n is at most 2^32. */
static inline uint64_t random_below(uint64_t n)
{
	return (random_word() >> 32) % n;
}

#endif
