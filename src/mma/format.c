/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/format.h"

#include <string.h>

/* Formats by hand: printf would cost more than the rest of writing a log. */

const char *const mma_type_names[MMA_TYPES] = {
	[MMA_FREE] = "free",	   [MMA_MALLOC] = "malloc", [MMA_CALLOC] = "calloc",
	[MMA_REALLOC] = "realloc", [MMA_TMSTMP] = "tmstmp",
};

static char *put_text(char *at, const char *text)
{
	size_t n = strlen(text);

	memcpy(at, text, n);
	return at + n;
}

/* Two digits at a time: "00" to "99". */
#define TEN(d) #d "0" #d "1" #d "2" #d "3" #d "4" #d "5" #d "6" #d "7" #d "8" #d "9"
static const char pairs[] = TEN(0) TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9);

static char *put_number(char *at, uint64_t n)
{
	char digits[20], *d = digits + sizeof digits;

	for (; n >= 100; n /= 100) {
		d -= 2;
		memcpy(d, pairs + n % 100 * 2, 2);
	}
	if (n >= 10) {
		d -= 2;
		memcpy(d, pairs + n * 2, 2);
	} else {
		*--d = (char)('0' + n);
	}
	size_t len = (size_t)(digits + sizeof digits - d);
	memcpy(at, d, len);
	return at + len;
}

static char *put_hex(char *at, uint64_t n)
{
	int shift = n ? (63 - __builtin_clzll(n)) & ~3 : 0;

	*at++ = '0';
	*at++ = 'x';
	for (; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[n >> shift & 15];
	return at;
}

static char *put_time(char *at, uint64_t ns, bool humanized)
{
	if (!humanized)
		return put_number(at, ns);
	at = put_number(put_text(at, "secs="), ns / 1000000000);
	return put_number(put_text(at, " nsecs="), ns % 1000000000);
}

/* Put the name of a parameter, if humanized. */
static char *put_name(char *at, const char *name, bool humanized)
{
	*at++ = ' ';
	return humanized ? put_text(at, name) : at;
}

static char *put_parameters(char *at, const struct mma_entry *e, bool h)
{
	switch (e->type) {
	case MMA_FREE:
		return put_hex(put_name(at, "ptr=", h), e->ptr);
	case MMA_MALLOC:
		at = put_hex(put_name(at, "ptr=", h), e->ptr);
		return put_number(put_name(at, "size=", h), e->size);
	case MMA_CALLOC:
		at = put_hex(put_name(at, "ptr=", h), e->ptr);
		at = put_number(put_name(at, "num=", h), e->num);
		return put_number(put_name(at, "elem=", h), e->size);
	case MMA_REALLOC:
		at = put_hex(put_name(at, "newptr=", h), e->ptr);
		at = put_hex(put_name(at, "ptr=", h), e->old_ptr);
		return put_number(put_name(at, "size=", h), e->size);
	default:
		return at;
	}
}

size_t mma_format(const struct mma_entry *e, bool humanized, char *out)
{
	char *at = put_time(out, e->time_ns, humanized);

	at = put_number(put_name(at, "tid=", humanized), e->tid);
	*at++ = ' ';
	if (humanized)
		at = put_text(at, mma_type_names[e->type]);
	else
		*at++ = (char)('0' + e->type);
	at = put_parameters(at, e, humanized);
	*at++ = '\n';
	return (size_t)(at - out);
}
