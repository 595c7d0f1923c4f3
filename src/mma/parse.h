/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_PARSE_H
#define MPROF_MMA_PARSE_H

#include "mma/entry.h"

/*
 * The grammar of a log (doc/formats.md, section 3.2), a line at a time. Each element of a line may
 * be in the plain or in the humanized form, whatever the others are in.
 */
enum mma_line {
	MMA_LINE_ENTRY,
	MMA_LINE_EMPTY,		/* nothing but blanks */
	MMA_LINE_MALFORMED,
};

struct mma_mistake {
	const char *at;		/* in the line */
	const char *expected;	/* what should have been there, for "expected ..." */
};

/**
 * Read the line at @line, which ends with a newline.
 * @limit  the end of the text: what is before it may be read, though it is of other lines
 * @end    set to its newline; not set if the line is malformed
 * @e      filled if it is an entry   @m  filled if it is malformed
 */
enum mma_line mma_parse(const char *line, const char *limit, const char **end, struct mma_entry *e,
			struct mma_mistake *m);

#endif
