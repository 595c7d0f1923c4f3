/* SPDX-License-Identifier: BSD-2-Clause */
/* Pointers into blocks that programs use like pointers to their starts. */
#include "heapwalk/marking.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

enum {
	TAG_MAX = 15,
	ENOUGH_ALIKE = 16, /* blocks: fewer may be similar by chance */
	STRING_TEXT = 24,  /* the header of an old std::string in front of its text */
	SLACK = 16,	   /* a block may be less than so many bytes larger than requested */
};

const char *const reach_idiom_names[N_REACH_IDIOMS] = {
	[IDIOM_NONE] = "",
	[IDIOM_TAG] = "tag bits or a short header",
	[IDIOM_STRING] = "std::string",
	[IDIOM_BASE] = "another base class",
	[IDIOM_REGULAR] = "the same place in all",
};

/* ---- one pointer ---- */

/* A length, a capacity, a count of references, the text, and a 0. Source: struct _Rep of
 * libstdc++'s old ABI. */
static bool is_string(struct marking *m, taddr at, uint64_t size)
{
	uint64_t length = still_word_or_0(&m->heads, at);
	uint64_t capacity = still_word_or_0(&m->heads, at + 8);

	return size > STRING_TEXT && length <= capacity && capacity < size - STRING_TEXT &&
	       size - STRING_TEXT - 1 - capacity < SLACK;
}

/* Vtables are in read-only mappings of files. */
static bool is_vtable(const struct still *s, taddr at)
{
	const struct still_area *a = at % 8 ? NULL : still_area_at(s, at);

	return a && a->kind == STILL_FILE && a->readable && !a->writable && !a->executable;
}

enum reach_idiom idiom_of(struct marking *m, uint32_t block, uint64_t offset, taddr word)
{
	const struct still *s = m->asked->still;
	uint64_t size;

	if (m->asked->no_idioms)
		return IDIOM_NONE;
	if (offset <= TAG_MAX)
		return IDIOM_TAG;
	if (m->seen[block] & SEEN_REGULAR && (m->seen[block] & SEEN_CLASS) != SEEN_REACHABLE)
		return IDIOM_REGULAR;
	taddr at = spans_at(&m->blocks, block, &size);
	if (offset == STRING_TEXT && is_string(m, at, size))
		return IDIOM_STRING;
	if (offset % 8 == 0 && is_vtable(s, still_word_or_0(&m->heads, word)) &&
	    is_vtable(s, still_word_or_0(&m->heads, at)))
		return IDIOM_BASE;
	return IDIOM_NONE;
}

/* ---- many similar blocks ---- */

/* A block with pointers to only one offset in it. */
struct alike {
	uint64_t size, place;
	uint32_t block;
};

static int by_place(const void *left, const void *right)
{
	const struct alike *a = left, *b = right;

	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static bool may_be_regular(const struct marking *m, uint32_t block)
{
	unsigned class = m->seen[block] & SEEN_CLASS;

	return (class == SEEN_INSIDE || class == SEEN_POSSIBLE) && m->inner[block] &&
	       m->inner[block] != INNER_SEVERAL;
}

static void mark_alike(struct marking *m, struct alike *v, size_t n)
{
	qsort(v, n, sizeof *v, by_place);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && !by_place(&v[i], &v[k]);)
			k++;
		for (size_t j = i; k - i >= ENOUGH_ALIKE && j < k; j++)
			m->seen[v[j].block] |= SEEN_REGULAR;
	}
}

int idioms_mark_regular(struct marking *m)
{
	struct alike *v = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t i = 0; i < m->blocks.n; i++) {
		uint64_t size;

		if (!may_be_regular(m, i))
			continue;
		if (ARRAY_RESERVE(&v, &cap, n)) {
			free(v);
			return -ENOMEM;
		}
		spans_at(&m->blocks, i, &size);
		v[n++] = (struct alike){size, m->inner[i], i};
	}
	if (n)
		mark_alike(m, v, n);
	free(v);
	return 0;
}

/* ---- counting ---- */

static int by_number(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static int by_blocks(const void *left, const void *right)
{
	const struct reach_idiom_row *a = left, *b = right;

	if (a->blocks != b->blocks)
		return a->blocks > b->blocks ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int add_row(struct reach *r, uint64_t reason, uint64_t blocks)
{
	if (ARRAY_RESERVE(&r->idioms, &r->cap_idioms, r->n_idioms))
		return -ENOMEM;
	r->idioms[r->n_idioms++] = (struct reach_idiom_row){(enum reach_idiom)(reason >> 32),
							    (uint32_t)reason, blocks};
	return 0;
}

int idioms_count(const struct marking *m, struct reach *r)
{
	uint64_t *reasons = NULL;
	size_t n = 0, cap = 0;
	int err = 0;

	for (uint32_t i = 0; !err && i < m->blocks.n; i++) {
		uint64_t why = m->seen[i] >> SEEN_IDIOM;

		if (!why)
			continue;
		err = ARRAY_RESERVE(&reasons, &cap, n);
		if (!err)
			reasons[n++] = why << 32 | m->inner[i];
	}
	if (n)
		qsort(reasons, n, sizeof *reasons, by_number);
	for (size_t i = 0, k; !err && i < n; i = k) {
		for (k = i + 1; k < n && reasons[k] == reasons[i];)
			k++;
		err = add_row(r, reasons[i], k - i);
	}
	free(reasons);
	if (r->n_idioms)
		qsort(r->idioms, r->n_idioms, sizeof *r->idioms, by_blocks);
	return err;
}
