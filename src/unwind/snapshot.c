/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/snapshot.h"

#include "base/idindex.h"
#include "base/zeroed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 1024u
#define STEP_MAX (256u << 10)
/* How far above the snapshot an access may be and still count as the same stack. */
#define REACH (1u << 20)
/* So many bytes take as long to read as one page more. */
#define NEAR (16u << 10)

int snapshot_init(struct snapshot *s, bool (*lasting)(void *ctx, taddr at), void *ctx)
{
	*s = (struct snapshot){ .first = FIRST_BYTES, .lasting = lasting, .ctx = ctx };
	s->pages = zeroed_new(SNAPSHOT_PAGES * sizeof *s->pages);
	return s->pages ? 0 : -ENOMEM;
}

void snapshot_release(struct snapshot *s)
{
	free(s->stack);
	zeroed_free(s->pages, SNAPSHOT_PAGES * sizeof *s->pages);
}

void snapshot_flush(struct snapshot *s)
{
	for (size_t i = 0; i < SNAPSHOT_PAGES; i++)
		s->pages[i].at = 0;
}

/* Make room for @more bytes behind what has been read. False: out of memory. */
static bool reserve(struct snapshot *s, size_t more)
{
	if (s->len + more <= s->cap)
		return true;
	size_t cap = s->cap ? s->cap * 2 : 16384;

	while (cap < s->len + more)
		cap *= 2;
	uint8_t *grown = realloc(s->stack, cap);
	if (!grown)
		return false;
	s->stack = grown;
	s->cap = cap;
	return true;
}

/* Read @more bytes behind what has been read. False: they are not readable. */
static bool extend(struct snapshot *s, size_t more)
{
	if (s->copied || !reserve(s, more))
		return false;
	ssize_t n = address_space_read(s->space, s->start + s->len, s->stack + s->len, more);
	if (n <= 0)
		return false;
	s->len += (size_t)n;
	return true;
}

int snapshot_take(struct snapshot *s, const struct address_space *space, taddr sp)
{
	/* Read at first what the last stop needed; but let it shrink again. */
	if (s->len > s->first)
		s->first = s->len < STEP_MAX ? s->len : STEP_MAX;
	else if (s->first > FIRST_BYTES)
		s->first -= s->first / 64;
	s->stop++;
	s->space = space;
	s->start = sp;
	s->len = 0;
	s->copied = false;
	return extend(s, s->first) ? 0 : -EFAULT;
}

int snapshot_take_copy(struct snapshot *s, const struct address_space *space, taddr sp,
		       const void *bytes, size_t len)
{
	s->stop++;
	s->space = space;
	s->start = sp;
	s->len = 0;
	s->copied = true;
	if (!reserve(s, len))
		return -ENOMEM;
	if (len)
		memcpy(s->stack, bytes, len);
	s->len = len;
	return 0;
}

static bool stack_word(struct snapshot *s, taddr at, uint64_t *value)
{
	taddr offset = at - s->start;

	if (at < s->start || offset > s->len + REACH)
		return false;
	while (offset + sizeof *value > s->len) {
		size_t more = s->len < FIRST_BYTES ? FIRST_BYTES : s->len;

		if (!extend(s, more < STEP_MAX ? more : STEP_MAX))
			return false;
	}
	memcpy(value, s->stack + offset, sizeof *value);
	return true;
}

static const struct snapshot_page *page_at(struct snapshot *s, taddr at)
{
	struct snapshot_page *p = &s->pages[hash_mix(at >> 12) & (SNAPSHOT_PAGES - 1)];
	bool may_be_new = !s->copied || s->as_it_is_now;

	if (p->at == at && at && ((may_be_new && p->stop == s->stop) || s->lasting(s->ctx, at)))
		return p;
	if (!may_be_new && !s->lasting(s->ctx, at))
		return NULL;
	p->at = 0;
	if (address_space_read(s->space, at, p->bytes, sizeof p->bytes) != (ssize_t)sizeof p->bytes)
		return NULL;
	p->at = at;
	p->stop = s->stop;
	return p;
}

static bool paged_word(struct snapshot *s, taddr at, uint64_t *value)
{
	uint8_t *out = (uint8_t *)value;

	for (size_t i = 0; i < sizeof *value; i++) {
		taddr page = (at + i) & ~(taddr)4095;
		const struct snapshot_page *p = page_at(s, page);

		if (!p)
			return false;
		out[i] = p->bytes[at + i - page];
	}
	return true;
}

bool snapshot_read_word(struct snapshot *s, taddr at, uint64_t *value)
{
	return stack_word(s, at, value) || paged_word(s, at, value);
}

bool snapshot_far_word(struct snapshot *s, taddr at, uint64_t *value)
{
	bool near = at >= s->start && at - s->start < s->len + NEAR;

	return near ? snapshot_word(s, at, value) : paged_word(s, at, value);
}

bool snapshot_code(struct snapshot *s, taddr at, uint8_t *code, size_t bytes)
{
	bool before = s->as_it_is_now;
	uint64_t word = 0;
	size_t i = 0;

	s->as_it_is_now = true;
	for (; i < bytes && snapshot_word(s, at + i, &word); i += sizeof word)
		memcpy(code + i, &word, sizeof word);
	s->as_it_is_now = before;
	return i == bytes;
}
