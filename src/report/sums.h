/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_SUMS_H
#define MPROF_REPORT_SUMS_H

#include <stdint.h>

/* The size classes s, m, l, x of spec "tables", section 1. */
#define N_SIZE_CLASSES 4

/* Requests and the bytes they asked for, by size class. */
struct sums {
	uint64_t calls;
	uint64_t bytes[N_SIZE_CLASSES];
};

/* The class of a request of @size bytes, 0 (small) to 3 (extra large). */
static inline unsigned sums_class(uint64_t size)
{
	return (size > 32) + (size > 256) + (size > 2048);
}

/* Count @calls requests of @size bytes each. */
static inline void sums_count(struct sums *s, uint64_t size, uint64_t calls)
{
	s->calls += calls;
	s->bytes[sums_class(size)] += size * calls;
}

static inline void sums_add(struct sums *to, const struct sums *from)
{
	to->calls += from->calls;
	for (unsigned i = 0; i < N_SIZE_CLASSES; i++)
		to->bytes[i] += from->bytes[i];
}

/* The bytes of all classes together. */
static inline uint64_t sums_total(const uint64_t bytes[N_SIZE_CLASSES])
{
	return bytes[0] + bytes[1] + bytes[2] + bytes[3];
}

#endif
