/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_SUMS_H
#define MPROF_REPORT_SUMS_H

#include "profile/profile_data.h"

#include <stdint.h>

/* The size classes s, m, l, x of the tables; or the labels c, f, s, o of a labelled profile. */
#define N_SIZE_CLASSES 4

/* Requests and the bytes they asked for, by class. */
struct sums {
	uint64_t calls;
	uint64_t bytes[N_SIZE_CLASSES];
};

/* The letters of the classes, in order. */
static inline const char *sums_letters(const struct profile_data *d)
{
	return d->labelled ? "cfso" : "smlx";
}

/* The class of requests: 0 (small) to 3 (extra large), or their label. */
static inline unsigned sums_class(const struct profile_data *d, const struct pd_leaf *l)
{
	if (d->labelled)
		return l->label ? l->label - 1u : N_SIZE_CLASSES - 1;
	return (l->size > 32) + (l->size > 256) + (l->size > 2048);
}

/* Add the requests of a leaf. */
static inline void sums_count(struct sums *s, const struct profile_data *d, const struct pd_leaf *l)
{
	s->calls += l->allocs;
	s->bytes[sums_class(d, l)] += l->size * l->allocs;
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
