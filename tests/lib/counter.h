/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TESTS_COUNTER_H
#define MPROF_TESTS_COUNTER_H

#include <stdint.h>

/*
 * What the counter writes: the file $COUNTER_OUT.<pid>.<n>, mapped MAP_SHARED, one for each
 * image a process has run (n counts execs). The kernel keeps it however the process ends, so
 * nothing has to be written at exit. counter-read turns it into JSON.
 */
#define COUNTER_MAGIC UINT64_C(0x31746e756f63706d)
#define COUNTER_BINS (1u << 17)

struct counter_bin {
	uint64_t key; /* size + 1; 0: the slot is free */
	uint64_t allocs;
	uint64_t frees;
};

struct counter_record {
	uint64_t magic;
	uint64_t pid;
	uint64_t live_bytes;
	uint64_t peak_bytes;
	uint64_t failed_allocs;
	uint64_t unknown_frees;
	uint64_t inherited_frees; /* of unknown_frees: blocks inherited over fork */
	uint64_t reappeared;	  /* an address was returned twice without a free: must be 0 */
	uint64_t overflow;	  /* a table was full: the record is worthless */
	struct counter_bin bins[COUNTER_BINS];
};

#endif
