/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json_out.h"

#include "base/jsontext.h"

#include <errno.h>

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

/* jansson reports only a failure; the stream knows whether writing failed. Else it was memory. */
static void dump(struct json_out *o, json_t *value)
{
	if (!value)
		json_out_fail(o, -ENOMEM);
	if (!o->err && json_text_write(value, JSON_COMPACT | JSON_ENCODE_ANY, o->out))
		o->err = !ferror(o->out) ? -ENOMEM : errno ? -errno : -EIO;
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

json_t *json_out_num(uint64_t n)
{
	return n <= INT64_MAX ? json_integer((json_int_t)n) : json_real((double)n);
}

json_t *json_out_classes(const struct profile_data *d, const uint64_t bytes[N_SIZE_CLASSES])
{
	json_t *classes = json_object();

	for (unsigned i = 0; classes && i < N_SIZE_CLASSES; i++) {
		char letter[2] = { sums_letters(d)[i], '\0' };

		json_object_set_new(classes, letter, json_out_num(bytes[i]));
	}
	return classes;
}
