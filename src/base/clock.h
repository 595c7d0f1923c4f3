/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_CLOCK_H
#define MPROF_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Nanoseconds of CLOCK_MONOTONIC: the clock of events. */
static inline uint64_t clock_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* The same in milliseconds, signed: what is left until a deadline may be negative. */
static inline int64_t clock_now_ms(void)
{
	return (int64_t)(clock_now_ns() / 1000000u);
}

/* Nanoseconds at the last tick of the kernel, some milliseconds ago at most, for a tenth of the
 * cost. */
static inline uint64_t clock_tick_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC_COARSE);
}

/* Nanoseconds since 1970, for people. */
static inline uint64_t clock_wall_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

#endif
