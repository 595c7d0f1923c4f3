/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MMA_PARSE_H
#define MPROF_MMA_PARSE_H

#include "mma/entry.h"

/*
 * The grammar of a log (doc/formats.md, section 3.2), line by line. Each element of a line may be
 * in plain or humanized form, independently of the others.
 */
enum mma_line {
	MMA_LINE_ENTRY,
	MMA_LINE_EMPTY,		/* only blanks */
	MMA_LINE_MALFORMED,
};

struct mma_mistake {
	const char *at;		/* points into the line */
	const char *expected;	/* what should be there, for "expected ..." */
};

/**
 * Parse the line at @line, which ends with a newline.
 * @limit  the end of the text; bytes before it may be read, even after the line
 * @end    set to its newline; not set if the line is malformed
 * @e      set if it is an entry   @m  set if it is malformed
 */
enum mma_line mma_parse(const char *line, const char *limit, const char **end, struct mma_entry *e,
			struct mma_mistake *m);

#endif
