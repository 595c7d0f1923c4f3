/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_UNWIND_SNAPSHOT_H
#define MPROF_UNWIND_SNAPSHOT_H

#include "attach/task.h"

#include <stdbool.h>
#include <string.h>

/* A space's memory as it is during one stop: the stack in one piece, the rest by pages. Read-only
 * pages, such as those with call frame information, are kept over stops. */

#define SNAPSHOT_PAGES 64	/* pages kept, a power of two */

struct snapshot_page {
	taddr at;	/* 0: nothing here */
	uint64_t stop;	/* during which it was read */
	uint8_t bytes[4096];
};

struct snapshot {
	const struct address_space *space;
	taddr start;		/* of the stack that was read */
	uint8_t *stack;
	size_t len, cap;
	size_t first;		/* bytes to read at first, from what was needed before */
	struct snapshot_page *pages;
	uint64_t stop;		/* counts the stops */
	bool copied;		/* the stack is an older copy: words that are not in it are not
				   known ... */
	bool as_it_is_now;	/* ... unless this is set, for words that no chain depends on */
	/* Can the page at @at not change? */
	bool (*lasting)(void *ctx, taddr at);
	void *ctx;
};

/* 0 or -ENOMEM. */
int snapshot_init(struct snapshot *s, bool (*lasting)(void *ctx, taddr at), void *ctx);
void snapshot_release(struct snapshot *s);
void snapshot_flush(struct snapshot *s);

/* Read the stack from @sp on. 0 or -errno. */
int snapshot_take(struct snapshot *s, const struct address_space *space, taddr sp);

/* The same for a stack that was copied earlier: of memory that may have changed since, only the
 * @len bytes of the copy are known. 0 or -ENOMEM. */
int snapshot_take_copy(struct snapshot *s, const struct address_space *space, taddr sp,
		       const void *bytes, size_t len);

/* Is @at in the stack that has been read? */
static inline bool snapshot_has(const struct snapshot *s, taddr at)
{
	return at - s->start < s->len;
}

/* snapshot_word() of what has not been read yet. */
bool snapshot_read_word(struct snapshot *s, taddr at, uint64_t *value);

/* Read a word; up to a megabyte above the stack read so far is read as part of it. */
static inline bool snapshot_word(struct snapshot *s, taddr at, uint64_t *value)
{
	taddr offset = at - s->start;

	if (offset >= s->len || s->len - offset < sizeof *value)
		return snapshot_read_word(s, at, value);
	memcpy(value, s->stack + offset, sizeof *value);
	return true;
}

/* The same, but the stack up to there is not read if that is much. */
bool snapshot_far_word(struct snapshot *s, taddr at, uint64_t *value);

/* @bytes (a multiple of 8) of the code at @at, as it is now, even if the stack is a copy: code that
 * will be returned to is not rewritten before that. */
bool snapshot_code(struct snapshot *s, taddr at, uint8_t *code, size_t bytes);

#endif
