/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json_out.h"
#include "base/printable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"	/* U+FFFD */

void json_out_fail(struct json_out *o, int err)
{
	if (!o->err)
		o->err = err;
}

void json_out_raw(struct json_out *o, const char *text)
{
	if (!o->err && fputs_unlocked(text, o->out) == EOF)
		o->err = errno ? -errno : -EIO;
}

/* json_dumpf() would lock the stream for every piece, of which there are hundreds of millions. */
static int write_piece(const char *text, size_t len, void *out)
{
	return fwrite_unlocked(text, 1, len, out) == len ? 0 : -1;
}

/* jansson says only that something failed; the stream knows whether it was the writing. */
static void dump(struct json_out *o, json_t *value)
{
	if (!value)
		json_out_fail(o, -ENOMEM);
	if (!o->err &&
	    json_dump_callback(value, write_piece, o->out, JSON_COMPACT | JSON_ENCODE_ANY)) {
		o->err = !ferror(o->out) ? -ENOMEM : errno ? -errno : -EIO;
	}
	json_decref(value);
}

static void key_text(struct json_out *o, const char *key)
{
	json_out_raw(o, o->filled ? ",\n\"" : "\"");
	json_out_raw(o, key);
	json_out_raw(o, "\":");
}

void json_out_member(struct json_out *o, const char *key, json_t *value)
{
	key_text(o, key);
	dump(o, value);
	o->filled = true;
}

void json_out_begin_rows(struct json_out *o, const char *key)
{
	key_text(o, key);
	json_out_raw(o, "[");
	o->filled = false;
}

void json_out_next_row(struct json_out *o)
{
	json_out_raw(o, o->filled ? ",\n" : "\n");
	o->filled = true;
}

void json_out_row(struct json_out *o, json_t *value)
{
	json_out_next_row(o);
	dump(o, value);
}

void json_out_end_rows(struct json_out *o)
{
	json_out_raw(o, "]");
	o->filled = true;
}

/* Bytes that JSON and terminals take as they are, from the beginning of @s. */
static size_t plain(const char *s)
{
	size_t n = 0;

	while (s[n] >= ' ' && s[n] <= '~')
		n++;
	return n;
}

json_t *json_out_text(const char *s)
{
	if (!s)
		return json_null();
	/* Nearly all text is. */
	size_t len = plain(s);

	if (!s[len])
		return json_stringn_nocheck(s, len);
	char *valid = malloc(strlen(s) * strlen(REPLACEMENT) + 1), *end = valid;

	if (!valid)
		return NULL;
	while (*s) {
		size_t n = printable_utf8(s);

		end = n ? mempcpy(end, s, n) : mempcpy(end, REPLACEMENT, strlen(REPLACEMENT));
		s += n ? n : 1;
	}
	*end = '\0';
	json_t *text = json_string(valid);

	free(valid);
	return text;
}

json_t *json_out_classes(const struct profile_data *d, const uint64_t bytes[N_SIZE_CLASSES])
{
	json_t *classes = json_object();

	for (unsigned i = 0; classes && i < N_SIZE_CLASSES; i++) {
		char letter[2] = { sums_letters(d)[i], '\0' };

		json_object_set_new(classes, letter, json_integer(json_out_int(bytes[i])));
	}
	return classes;
}
