/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ADDRSET_H
#define MPROF_ADDRSET_H

#include <stdbool.h>
#include <stddef.h>

/* A set of addresses. A zeroed struct is an empty one; free(slots) releases it. */
struct addrset {
	const void **slots;
	size_t n, n_slots;
};

/* 1: added, 0: it was there before, or -ENOMEM. */
int addrset_add(struct addrset *s, const void *addr);

#endif
