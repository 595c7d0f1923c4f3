/* SPDX-License-Identifier: BSD-2-Clause */
/* Base64, against the vectors of RFC 4648, section 10, and against an independent decoder. */
#include "unit/unit.h"

#include "html/base64.h"

#include <stdlib.h>
#include <string.h>

/* @n bytes, put in pieces of @piece; for free(). */
static char *encoded(const void *bytes, size_t n, size_t piece)
{
	const unsigned char *s = bytes;
	char *text = NULL;
	size_t len;
	struct base64 b = {.out = open_memstream(&text, &len)};

	assert_non_null(b.out);
	for (size_t i = 0; i < n; i += piece)
		base64_put(&b, s + i, n - i < piece ? n - i : piece);
	base64_end(&b);
	fclose(b.out);
	assert_int_equal(strlen(text), len);
	return text;
}

static void words_of_the_standard_are_encoded_as_it_says(void **state)
{
	static const char *const pairs[][2] = {
		{"", ""},
		{"f", "Zg=="},
		{"fo", "Zm8="},
		{"foo", "Zm9v"},
		{"foob", "Zm9vYg=="},
		{"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		char *text = encoded(pairs[i][0], strlen(pairs[i][0]), 1);

		assert_string_equal(text, pairs[i][1]);
		free(text);
	}
}

static unsigned value(char c)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(letters, c);

	assert_true(c && at);
	return (unsigned)(at - letters);
}

/* How many bytes a text stands for, which go to @to. */
static size_t decoded(const char *text, unsigned char *to)
{
	size_t n = 0;

	assert_int_equal(strlen(text) % 4, 0);
	for (; *text; text += 4) {
		unsigned fill = text[3] != '=' ? 0 : text[2] != '=' ? 1 : 2;
		unsigned bits = value(text[0]) << 18 | value(text[1]) << 12;

		if (fill < 2)
			bits |= value(text[2]) << 6;
		if (fill < 1)
			bits |= value(text[3]);
		for (unsigned i = 0; i < 3 - fill; i++)
			to[n++] = (unsigned char)(bits >> (16 - 8 * i));
		assert_true(!fill || !text[4]);
	}
	return n;
}

static void any_length_in_any_pieces_can_be_decoded(void **state)
{
	enum { MAX = 70, LONG = 20000 };
	static unsigned char bytes[LONG], back[LONG + 3];
	static const size_t lengths[] = {4095, 4096, 4097, 3071, 3072, 3073, 3 * 4096 + 1, LONG};

	(void)state;
	for (size_t i = 0; i < LONG; i++)
		bytes[i] = (unsigned char)(i * 167 + i / 256);
	for (size_t n = 0; n < MAX + sizeof lengths / sizeof *lengths; n++) {
		size_t len = n < MAX ? n : lengths[n - MAX];

		for (size_t piece = 1; piece < 8; piece++) {
			char *text = encoded(bytes, len, piece == 7 ? LONG : piece);

			assert_int_equal(decoded(text, back), len);
			assert_memory_equal(back, bytes, len);
			free(text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_the_standard_are_encoded_as_it_says),
		cmocka_unit_test(any_length_in_any_pieces_can_be_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
