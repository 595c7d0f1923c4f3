/* SPDX-License-Identifier: BSD-2-Clause */
#include "html/columns.h"

#include "base/jsontext.h"

#include <errno.h>
#include <stdbool.h>

/* There are millions of numbers, and printf(3) would take most of the time. */
static void put_number(int64_t n, bool count, FILE *out)
{
	bool negative = n < 0 && !count;
	char digits[20], *end = digits + sizeof digits, *s = end;
	uint64_t left = negative ? -(uint64_t)n : (uint64_t)n;

	do {
		*--s = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (negative)
		*--s = '-';
	fwrite_unlocked(s, 1, (size_t)(end - s), out);
}

void columns_put(const void *of, const struct column *c, size_t n, FILE *out)
{
	fprintf(out, "\"%s\":[", c->key);
	for (size_t i = 0; i < n; i++) {
		if (i)
			putc_unlocked(',', out);
		put_number(c->get(of, i), c->count, out);
	}
	putc_unlocked(']', out);
}

void columns_put_table(const void *of, const char *key, const struct column *columns,
		       size_t n_columns, size_t n, FILE *out)
{
	fprintf(out, ",\n\"%s\":{", key);
	for (size_t i = 0; i < n_columns; i++) {
		if (i)
			putc_unlocked(',', out);
		columns_put(of, &columns[i], n, out);
	}
	putc_unlocked('}', out);
}

int columns_put_strings(const struct strings *s, FILE *out)
{
	bool fine = true;

	fputs("\"strings\":[", out);
	for (size_t i = 0; fine && i < s->n; i++) {
		json_t *text = json_text(s->v[i]);

		fputs(i ? ",\n" : "\n", out);
		fine = text && (!json_text_write(text, JSON_COMPACT | JSON_ENCODE_ANY, out) ||
				ferror(out));
		json_decref(text);
	}
	putc_unlocked(']', out);
	return fine ? 0 : -ENOMEM;
}
