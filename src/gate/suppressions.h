/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_GATE_SUPPRESSIONS_H
#define MPROF_GATE_SUPPRESSIONS_H

#include "base/error.h"
#include "profile/profile_data.h"

/*
 * What is known to be kept and is no reason to fail, as LeakSanitizer has it: lines "leak:PATTERN",
 * empty ones, and comments behind #. A pattern (glob_finds()) is for the name of a function, of a
 * source file or of a module, of any place in a chain.
 */
struct gate_suppression {
	char *pattern;
	unsigned line;		/* in the file */
	uint64_t blocks, bytes; /* kept ones that it has matched, of all profiles */
};

struct gate_suppressions {
	struct gate_suppression *items;
	size_t n, cap;
};

/* Read a file, besides what there is. 0; -EINVAL: a line of it makes no sense; or another -errno:
 * it cannot be read. A sentence is in @e then. gate_suppressions_release() either way. */
int gate_suppressions_read(struct gate_suppressions *s, const char *path, struct error *e);
void gate_suppressions_release(struct gate_suppressions *s);

/**
 * Which of them is for the chains that end at a node: that which matches the innermost place that
 * any matches, and of several the first.
 * Returns an array of their numbers, PD_NONE: none, for free(), or NULL: out of memory.
 */
uint32_t *gate_suppressions_of_nodes(const struct gate_suppressions *s,
				     const struct profile_data *d);

/* Count what each has matched in a profile. @of: of its nodes. */
void gate_suppressions_count(struct gate_suppressions *s, const struct profile_data *d,
			     const uint32_t *of);

#endif
