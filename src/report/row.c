/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/row.h"
#include "base/printable.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void row_init(struct row *r, FILE *out)
{
	*r = (struct row){ .out = out };
}

int row_release(struct row *r)
{
	if (!r->err && fflush(r->out))
		r->err = errno ? -errno : -EIO;
	free(r->text);
	r->text = NULL;
	return r->err;
}

/* Room for @more bytes and a nought. */
static bool make_room(struct row *r, size_t more)
{
	if (r->err)
		return false;
	if (r->len + more < r->cap)
		return true;
	size_t cap = 2 * (r->len + more) + 256;
	char *grown = realloc(r->text, cap);

	if (!grown) {
		r->err = -ENOMEM;
		return false;
	}
	r->text = grown;
	r->cap = cap;
	return true;
}

static void pad_to(struct row *r, size_t width)
{
	if (width <= r->width || !make_room(r, width - r->width))
		return;
	memset(r->text + r->len, ' ', width - r->width);
	r->len += width - r->width;
	r->width = width;
}

void row_append(struct row *r, const char *text)
{
	size_t len = strlen(text);

	if (!make_room(r, len))
		return;
	memcpy(r->text + r->len, text, len);
	r->len += len;
	r->width += len;	/* our own texts and plain names: a byte is a column */
}

static bool is_plain(const char *name)
{
	while (*name >= 0x20 && *name < 0x7f)
		name++;
	return !*name;
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

void row_append_name(struct row *r, const char *name)
{
	if (is_plain(name)) {	/* nearly all are: a big report spends its time here */
		row_append(r, name);
		return;
	}
	size_t most = 4 * strlen(name);

	if (!make_room(r, most))
		return;
	size_t len = printable(r->text + r->len, most + 1, name);

	for (size_t i = 0; i < len; i++)
		r->width += !is_continuation(r->text[r->len + i]);
	r->len += len;
}

/* Blanks at the end of a column are left out, so that width is where the next one may begin. */
static void strip(struct row *r)
{
	while (r->len && r->text[r->len - 1] == ' ') {
		r->len--;
		r->width--;
	}
}

/* What should have ended with column @last may be wider: then the rest moves. */
static void push(struct row *r, size_t last)
{
	if (r->width > last + r->shift)
		r->shift = r->width - last;
}

void row_right(struct row *r, size_t first, size_t last, const char *text)
{
	size_t len = strlen(text), places = last - first + 1;
	size_t before = first - 1 + r->shift;	/* columns before the text */

	if (len < places)
		before += places - len;
	if (r->width && before < r->width + 1)
		before = r->width + 1;
	pad_to(r, before);
	row_append(r, text);
	push(r, last);
}

/* In decimal; much faster than printf(3), and a big report is mostly numbers. Returns its
 * beginning. */
static char *digits(char buf[24], uint64_t n)
{
	char *at = buf + 23;

	*at = '\0';
	do {
		*--at = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	return at;
}

void row_number(struct row *r, size_t first, size_t last, uint64_t n)
{
	char buf[24];

	row_right(r, first, last, digits(buf, n));
}

void row_append_number(struct row *r, uint64_t n)
{
	char buf[24];

	row_append(r, digits(buf, n));
}

void row_left(struct row *r, size_t first, size_t last, const char *text)
{
	pad_to(r, first - 1 + r->shift);
	row_attach(r, last, text);
}

void row_left_name(struct row *r, size_t first, size_t last, const char *name)
{
	pad_to(r, first - 1 + r->shift);
	row_append_name(r, name);
	push(r, last);
}

void row_attach(struct row *r, size_t last, const char *text)
{
	row_append(r, text);
	strip(r);
	push(r, last);
}

void row_move(struct row *r, size_t first)
{
	size_t before = first - 1 + r->shift;

	if (r->width && before < r->width + 1)
		before = r->width + 1;
	pad_to(r, before);
}

void row_end(struct row *r)
{
	strip(r);
	row_append(r, "\n");
	if (!r->err && fwrite_unlocked(r->text, 1, r->len, r->out) != r->len)
		r->err = errno ? -errno : -EIO;
	r->len = r->width = r->shift = 0;
}

void row_lines(struct row *r, const char *text)
{
	if (!r->err && fputs(text, r->out) == EOF)
		r->err = errno ? -errno : -EIO;
}
