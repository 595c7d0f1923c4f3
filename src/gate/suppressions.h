/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_GATE_SUPPRESSIONS_H
#define MPROF_GATE_SUPPRESSIONS_H

#include "base/error.h"
#include "profile/profile_data.h"

/*
 * Blocks that are known to be kept and no reason to fail, as in LeakSanitizer: lines
 * "leak:PATTERN", empty ones, and comments after #. A pattern (glob_finds()) is compared with the
 * function, the source file and the module of each place in a chain.
 */
struct gate_suppression {
	char *pattern;
	unsigned line;		/* its number in the file */
	uint64_t blocks, bytes; /* kept blocks that it has matched, in all profiles */
};

struct gate_suppressions {
	struct gate_suppression *items;
	size_t n, cap;
};

/* Read a file and add its suppressions. 0; -EINVAL: a line is malformed; or another -errno: it
 * cannot be read. On error a sentence is in @e. Call gate_suppressions_release() in any case. */
int gate_suppressions_read(struct gate_suppressions *s, const char *path, struct error *e);
void gate_suppressions_release(struct gate_suppressions *s);

/**
 * The suppression for the chains that end at each node: the one that matches the innermost place
 * that any matches, and of several the first.
 * Returns an array of their numbers, PD_NONE: none, for free(), or NULL: out of memory.
 */
uint32_t *gate_suppressions_of_nodes(const struct gate_suppressions *s,
				     const struct profile_data *d);

/* Count what each has matched in a profile. @of: from gate_suppressions_of_nodes(). */
void gate_suppressions_count(struct gate_suppressions *s, const struct profile_data *d,
			     const uint32_t *of);

#endif
