/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/row.h"
#include "base/printable.h"
#include "base/stream.h"

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
	if (!r->err)
		r->err = stream_flush(r->out);
	free(r->text);
	r->text = NULL;
	return r->err;
}

/* Room for @more bytes and a terminating zero. */
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
	r->width += len;	/* ASCII only: a byte is a column */
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

static size_t columns_of(const char *text, size_t len)
{
	size_t columns = 0;

	for (size_t i = 0; i < len; i++)
		columns += !is_continuation(text[i]);
	return columns;
}

/* The columns that a name takes once it is made harmless. */
size_t row_name_columns(const char *name)
{
	size_t len = strlen(name), columns = columns_of(name, len);

	if (is_plain(name))
		return len;
	char *shown = malloc(4 * len + 1);

	if (shown)
		columns = columns_of(shown, printable(shown, 4 * len + 1, name));
	free(shown);
	return columns;
}

/* The byte at which column @column of @text begins. */
static size_t byte_of(const char *text, size_t len, size_t column)
{
	size_t i = 0;

	while (i < len && (column || is_continuation(text[i])))
		column -= !is_continuation(text[i++]);
	return i;
}

/* Cuts the name from byte @first to the end of the line in its middle, because names often differ
 * only at their ends. */
static void cut_name(struct row *r, size_t first, size_t columns, size_t most)
{
	static const char dots[] = "...";
	const size_t n_dots = sizeof dots - 1, head = (most - n_dots) / 2;
	const size_t tail = most - n_dots - head;
	char *name = r->text + first;
	size_t len = r->len - first, keep = byte_of(name, len, head);
	size_t from = byte_of(name, len, columns - tail);

	memcpy(name + keep, dots, n_dots);
	memmove(name + keep + n_dots, name + from, len - from);
	r->len = first + keep + n_dots + len - from;
}

/* How many columns a name that begins here may take; 0: no limit. */
static size_t room_for_name(const struct row *r)
{
	if (!r->columns)
		return 0;
	size_t left = r->columns > r->width ? r->columns - r->width : 0;
	size_t most = r->widest ? r->widest : left;

	return most > ROW_NAME_LEAST ? most : ROW_NAME_LEAST;
}

/* Writes the name, made harmless for a terminal. Returns its length in bytes; the caller adds
 * it. */
static size_t put_name(struct row *r, const char *name, size_t *columns)
{
	size_t len = *columns = strlen(name);

	if (is_plain(name)) {	/* nearly all are, and a big report spends its time here */
		if (!make_room(r, len))
			return *columns = 0;
		memcpy(r->text + r->len, name, len);
		return len;
	}
	if (!make_room(r, 4 * len))
		return *columns = 0;
	len = printable(r->text + r->len, 4 * len + 1, name);
	*columns = columns_of(r->text + r->len, len);
	return len;
}

void row_append_whole_name(struct row *r, const char *name)
{
	size_t columns;

	r->len += put_name(r, name, &columns);
	r->width += columns;
}

void row_append_name(struct row *r, const char *name)
{
	size_t most = room_for_name(r), first = r->len, columns;

	r->len += put_name(r, name, &columns);
	if (most && columns > most) {
		cut_name(r, first, columns, most);
		columns = most;
	}
	r->width += columns;
}

void row_share(struct row *r, const char *const *names, size_t n, size_t between)
{
	size_t taken = r->width + between, room, most = 0;

	if (!r->columns || !n)
		return;
	room = r->columns > taken ? r->columns - taken : 0;
	/* Names that need less than their share leave the rest to the others. */
	for (size_t fair = room / n, before = 0; fair != before;) {
		size_t wide = 0, left = room;

		before = most = fair;
		for (size_t i = 0; i < n; i++) {
			size_t columns = row_name_columns(names[i]);

			wide += columns > fair;
			left -= columns > fair ? 0 : columns < left ? columns : left;
		}
		fair = wide ? left / wide : fair;
	}
	/* Not 0, which means all that is left. */
	r->widest = most ? most : 1;
}

void row_spare(struct row *r, size_t behind)
{
	size_t taken = r->width + behind;

	if (r->columns)
		r->widest = r->columns > taken ? r->columns - taken : 1;
}

bool row_is_too_wide(const struct row *r, const char *name)
{
	return r->columns && row_name_columns(name) > room_for_name(r);
}

void row_coloured(struct row *r, enum row_colour colour, const char *text)
{
	static const char *const codes[] = {
		[ROW_BOLD] = "\033[1m", [ROW_RED] = "\033[1;31m", [ROW_YELLOW] = "\033[33m",
	};
	size_t width = r->width + strlen(text);

	if (r->colour)
		row_append(r, codes[colour]);
	row_append(r, text);
	if (r->colour)
		row_append(r, "\033[m");
	r->width = width;
}

/* Removes blanks at the end of a column, so that width is where the next one may begin. */
static void strip(struct row *r)
{
	while (r->len && r->text[r->len - 1] == ' ') {
		r->len--;
		r->width--;
	}
}

/* If a text is wider than its columns, which end with @last, the rest of the line is shifted. */
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

/* Decimal digits, much faster than printf(3): a big report is mostly numbers. Returns where they
 * begin. */
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
	r->len = r->width = r->shift = r->widest = 0;
}

void row_lines(struct row *r, const char *text)
{
	if (!r->err && fputs(text, r->out) == EOF)
		r->err = errno ? -errno : -EIO;
}

void row_title(struct row *r, const char *text)
{
	row_coloured(r, ROW_BOLD, text);
	row_end(r);
	row_lines(r, "\n");
}
