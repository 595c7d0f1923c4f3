/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/parse.h"

#include "mma/written.h"

#include <stdbool.h>
#include <string.h>

/* Position in the line. No element contains the newline at its end, so parsing an element stops
 * there. */
struct cursor {
	const char *at;
	struct mma_mistake *mistake;
};

static bool expected(struct cursor *c, const char *at, const char *what)
{
	*c->mistake = (struct mma_mistake){ at, what };
	return false;
}

/* Skip @word if it comes next. */
__attribute__((always_inline)) static inline bool take(struct cursor *c, const char *word,
						       size_t len)
{
	/* An unrolled loop: a call of strncmp() would cost more than the comparison. */
	for (size_t i = 0; i < len; i++)
		if (c->at[i] != word[i])
			return false;
	c->at += len;
	return true;
}

#define TAKE(c, word) take(c, word, sizeof(word) - 1)

static void skip_blanks(struct cursor *c)
{
	while (*c->at == ' ')
		c->at++;
}

static bool blanks(struct cursor *c, const char *before)
{
	if (*c->at != ' ')
		return expected(c, c->at, before);
	skip_blanks(c);
	return true;
}

static bool at_end_of_element(const struct cursor *c)
{
	return *c->at == ' ' || *c->at == '\n';
}

static unsigned decimal_digit(const char *at)
{
	return (unsigned)(unsigned char)*at - '0';
}

/* A decimal number; @what names it. */
static bool number(struct cursor *c, uint64_t *value, const char *what)
{
	const char *start = c->at, *safe = start + 19; /* so many digits never overflow */
	uint64_t n = 0;
	unsigned digit;

	/* The newline stops this at the end of the line at the latest. */
	while (c->at != safe && (digit = decimal_digit(c->at)) < 10) {
		n = n * 10 + digit;
		c->at++;
	}
	while ((digit = decimal_digit(c->at)) < 10) {
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, digit, &n))
			return expected(c, start, "a number of at most 18446744073709551615");
		c->at++;
	}
	if (c->at == start || !at_end_of_element(c))
		return expected(c, c->at, c->at == start ? what : "a digit or a blank");
	*value = n;
	return true;
}

/* The value of a hexadecimal digit plus 1, 0: not a digit. A table, since branches on the digits of
 * an address are unpredictable. */
static const uint8_t hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,	['6'] = 7,
	['7'] = 8,
	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
	['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool address(struct cursor *c, uint64_t *value, const char *what)
{
	const char *start = c->at, *digits;
	uint64_t n = 0;
	unsigned digit;

	*value = 0;
	if (TAKE(c, "(nil)"))
		return at_end_of_element(c) || expected(c, c->at, "a blank");
	if (c->at[0] == '0' && c->at[1] == 'x')
		c->at += 2;
	for (digits = c->at; (digit = hex_digits[(unsigned char)*c->at]); c->at++) {
		if (n >> 60)
			return expected(c, start, "an address of at most 64 bits");
		n = n << 4 | (digit - 1);
	}
	if (c->at == digits || !at_end_of_element(c))
		return expected(c, c->at, c->at == start ? what : "a hexadecimal digit or a blank");
	*value = n;
	return true;
}

static bool time_stamp(struct cursor *c, uint64_t *ns)
{
	const char *start = c->at;
	uint64_t secs, nsecs;

	if (!TAKE(c, "secs="))
		return number(c, ns, "a time in nanoseconds or \"secs=\"");
	if (!number(c, &secs, "a number of seconds") || !blanks(c, "a blank"))
		return false;
	if (!TAKE(c, "nsecs="))
		return expected(c, c->at, "\"nsecs=\"");
	const char *at = c->at;
	if (!number(c, &nsecs, "a number of nanoseconds"))
		return false;
	if (nsecs > 999999999)
		return expected(c, at, "nanoseconds from 0 to 999999999");
	if (__builtin_mul_overflow(secs, UINT64_C(1000000000), ns) ||
	    __builtin_add_overflow(*ns, nsecs, ns))
		return expected(c, start, "a time of at most 18446744073709551615 nanoseconds");
	return true;
}

static bool thread(struct cursor *c, uint32_t *tid)
{
	uint64_t n;

	(void)TAKE(c, "tid=");
	const char *at = c->at;
	if (!number(c, &n, "a thread id or \"tid=\""))
		return false;
	if (n > UINT32_MAX)
		return expected(c, at, "a thread id of at most 4294967295");
	*tid = (uint32_t)n;
	return true;
}

static bool type(struct cursor *c, uint8_t *type)
{
	const char *start = c->at;
	int found = -1;

	if (*c->at >= '0' && *c->at < '0' + MMA_TYPES)
		found = *c->at++ - '0';
	for (int i = 0; found < 0 && i < MMA_TYPES; i++)
		if (take(c, mma_type_names[i], strlen(mma_type_names[i])))
			found = i;
	if (found < 0 || !at_end_of_element(c))
		return expected(c, start, "free, malloc, calloc, realloc, tmstmp, or its number, 0 "
					  "to 4");
	*type = (uint8_t)found;
	return true;
}

static bool parameters(struct cursor *c, struct mma_entry *e)
{
	const char *at;
	uint64_t bytes;

	if (e->type == MMA_TMSTMP)
		return true;
	if (!blanks(c, "a blank"))
		return false;
	if (e->type == MMA_REALLOC) {
		(void)TAKE(c, "newptr=");
		if (!address(c, &e->ptr, "an address or \"newptr=\"") || !blanks(c, "a blank"))
			return false;
		(void)TAKE(c, "ptr=");
		if (!address(c, &e->old_ptr, "an address or \"ptr=\"") || !blanks(c, "a blank"))
			return false;
		(void)TAKE(c, "size=");
		return number(c, &e->size, "a number of bytes or \"size=\"");
	}
	(void)TAKE(c, "ptr=");
	if (!address(c, &e->ptr, "an address or \"ptr=\""))
		return false;
	if (e->type == MMA_FREE)
		return true;
	if (!blanks(c, "a blank"))
		return false;
	if (e->type == MMA_MALLOC) {
		(void)TAKE(c, "size=");
		return number(c, &e->size, "a number of bytes or \"size=\"");
	}
	(void)TAKE(c, "num=");
	if (!number(c, &e->num, "a number of elements or \"num=\"") || !blanks(c, "a blank"))
		return false;
	(void)TAKE(c, "elem=");
	at = c->at;
	if (!number(c, &e->size, "a number of bytes or \"elem=\""))
		return false;
	/* If the call failed, an overflow may be the reason. */
	if (e->ptr && __builtin_mul_overflow(e->num, e->size, &bytes))
		return expected(c, at, "an element size with which the block is below 2^64 bytes");
	return true;
}

static bool entry(struct cursor *c, struct mma_entry *e)
{
	return time_stamp(c, &e->time_ns) && blanks(c, "a blank") && thread(c, &e->tid) &&
	       blanks(c, "a blank") && type(c, &e->type) && parameters(c, e);
}

enum mma_line mma_parse(const char *line, const char *limit, const char **end, struct mma_entry *e,
			struct mma_mistake *m)
{
	struct cursor c = { line, m };

	if (limit - line >= MMA_WRITTEN_BYTES && mma_written(line, end, e))
		return MMA_LINE_ENTRY;
	skip_blanks(&c);
	if (*c.at == '\n') {
		*end = c.at;
		return MMA_LINE_EMPTY;
	}
	c.at = line;
	*e = (struct mma_entry){ 0 };
	if (!entry(&c, e))
		return MMA_LINE_MALFORMED;
	skip_blanks(&c);
	if (*c.at != '\n') {
		expected(&c, c.at, "the end of the line");
		return MMA_LINE_MALFORMED;
	}
	*end = c.at;
	return MMA_LINE_ENTRY;
}
