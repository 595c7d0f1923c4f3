/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/written.h"

#include <endian.h>
#include <string.h>

/*
 * Parses eight characters at a time as the bytes of a word, the first one in the lowest byte. The
 * number of digits and their value are computed without branches, since lengths of numbers are
 * unpredictable.
 */
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define HIGH_BITS EACH(0x80)

/* More characters than any number has: ends the loops before they read past MMA_WRITTEN_BYTES. */
enum { MOST_CHARACTERS = 24 };

#define INLINE __attribute__((always_inline)) static inline

INLINE uint64_t eight(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return le64toh(word);
}

/* The number of bytes before the first one whose highest bit is set in @marks. */
INLINE unsigned bytes_before(uint64_t marks)
{
	return marks ? (unsigned)__builtin_ctzll(marks) / 8 : 8;
}

/* Move the first @n bytes, 1 to 8, to the end of the word, and fill with 0. */
INLINE uint64_t as_last(uint64_t word, unsigned n)
{
	return word << (64 - 8 * n);
}

/* ---- decimal ---- */

/* Carries of the sum go to higher bytes only, which are after the first mark. */
INLINE unsigned decimal_digits(uint64_t values)
{
	return bytes_before((values | (values + EACH(0x7f - 9))) & HIGH_BITS);
}

/* The value of eight digits: neighbours are combined, three times. */
INLINE uint64_t decimal_value(uint64_t v)
{
	v = (v * 10 + (v >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v * 100 + (v >> 16)) & UINT64_C(0x0000ffff0000ffff);
	return (v * 10000 + (v >> 32)) & UINT64_C(0xffffffff);
}

INLINE bool decimal(const char **at, uint64_t *value)
{
	static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
					   100000000 };
	uint64_t v = 0;
	unsigned n, length = 0;

	do {
		uint64_t digits = eight(*at + length) ^ EACH('0');

		n = decimal_digits(digits);
		if (!n)
			break;
		v = v * powers[n] + decimal_value(as_last(digits, n));
		length += n;
	} while (n == 8 && length < MOST_CHARACTERS);
	*at += length;
	*value = v;
	return length && length <= 19; /* so many digits never overflow */
}

/* ---- hexadecimal ---- */

INLINE unsigned hex_digits(uint64_t word)
{
	uint64_t digit = word ^ EACH('0'), letter = word ^ EACH('a' - 1);
	uint64_t no_digit = digit | (digit + EACH(0x7f - 9));
	uint64_t no_letter = letter | (letter + EACH(0x7f - 6)) | ~(letter + EACH(0x7f));

	return bytes_before(no_digit & no_letter & HIGH_BITS);
}

INLINE uint64_t hex_value(uint64_t word)
{
	uint64_t v = (word & EACH(0x0f)) + (word >> 6 & EACH(1)) * 9;

	v = (v << 4 | v >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v << 8 | v >> 16) & UINT64_C(0x0000ffff0000ffff);
	return (v << 16 | v >> 32) & UINT64_C(0xffffffff);
}

INLINE bool hexadecimal(const char **at, uint64_t *value)
{
	uint64_t v = 0;
	unsigned n, length = 0;

	do {
		uint64_t word = eight(*at + length);

		n = hex_digits(word);
		if (!n)
			break;
		v = v << 4 * n | hex_value(as_last(word, n));
		length += n;
	} while (n == 8 && length < MOST_CHARACTERS);
	*at += length;
	*value = v;
	return length && length <= 16;
}

/* ---- lines ---- */

INLINE bool passes(const char **at, const char *text, size_t len)
{
	if (memcmp(*at, text, len) != 0)
		return false;
	*at += len;
	return true;
}

/* Skip the text in humanized (@h) or plain form. */
#define PASSES(at, h, humanized, plain) \
	((h) ? passes(at, humanized, sizeof(humanized) - 1) : passes(at, plain, sizeof(plain) - 1))

INLINE bool time_of(const char **at, bool h, uint64_t *ns)
{
	uint64_t secs;

	if (!h)
		return decimal(at, ns);
	if (!passes(at, "secs=", 5) || !decimal(at, &secs) || !passes(at, " nsecs=", 7) ||
	    !decimal(at, ns))
		return false;
	/* Times near the limit are left to mma_parse(), which is exact. */
	if (*ns > 999999999 || secs >= UINT64_MAX / 1000000000)
		return false;
	*ns += secs * 1000000000;
	return true;
}

INLINE bool type_of(const char **at, bool h, uint8_t *type)
{
	if (!h) {
		*type = (uint8_t)(*(*at)++ - '0');
		return *type < MMA_TYPES;
	}
	switch (**at) {
	case 'f':
		*type = MMA_FREE;
		return passes(at, "free", 4);
	case 'm':
		*type = MMA_MALLOC;
		return passes(at, "malloc", 6);
	case 'c':
		*type = MMA_CALLOC;
		return passes(at, "calloc", 6);
	case 'r':
		*type = MMA_REALLOC;
		return passes(at, "realloc", 7);
	default:
		*type = MMA_TMSTMP;
		return passes(at, "tmstmp", 6);
	}
}

INLINE bool parameters_of(const char **at, bool h, struct mma_entry *e)
{
	uint64_t bytes;

	switch (e->type) {
	case MMA_FREE:
		return PASSES(at, h, " ptr=0x", " 0x") && hexadecimal(at, &e->ptr);
	case MMA_MALLOC:
		return PASSES(at, h, " ptr=0x", " 0x") && hexadecimal(at, &e->ptr) &&
		       PASSES(at, h, " size=", " ") && decimal(at, &e->size);
	case MMA_CALLOC:
		return PASSES(at, h, " ptr=0x", " 0x") && hexadecimal(at, &e->ptr) &&
		       PASSES(at, h, " num=", " ") && decimal(at, &e->num) &&
		       PASSES(at, h, " elem=", " ") && decimal(at, &e->size) &&
		       !__builtin_mul_overflow(e->num, e->size, &bytes);
	case MMA_REALLOC:
		return PASSES(at, h, " newptr=0x", " 0x") && hexadecimal(at, &e->ptr) &&
		       PASSES(at, h, " ptr=0x", " 0x") && hexadecimal(at, &e->old_ptr) &&
		       PASSES(at, h, " size=", " ") && decimal(at, &e->size);
	default:
		return true;
	}
}

INLINE bool line_of(const char *at, bool h, const char **end, struct mma_entry *e)
{
	uint64_t tid;

	*e = (struct mma_entry){ 0 };
	if (!time_of(&at, h, &e->time_ns) || !PASSES(&at, h, " tid=", " ") || !decimal(&at, &tid) ||
	    tid > UINT32_MAX || !passes(&at, " ", 1) || !type_of(&at, h, &e->type) ||
	    !parameters_of(&at, h, e))
		return false;
	e->tid = (uint32_t)tid;
	*end = at;
	return *at == '\n';
}

bool mma_written(const char *line, const char **end, struct mma_entry *e)
{
	return *line == 's' ? line_of(line, true, end, e) : line_of(line, false, end, e);
}
