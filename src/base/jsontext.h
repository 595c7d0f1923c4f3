/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_JSONTEXT_H
#define MPROF_BASE_JSONTEXT_H

#include <jansson.h>
#include <stdio.h>

/* A new JSON string, with U+FFFD instead of every byte that is not valid UTF-8; JSON's null if @s
 * is NULL. Returns NULL: out of memory. */
json_t *json_text(const char *s);

/**
 * Write JSON as json_dumpf() does, but safe for terminals: what printable_unseen() finds is written
 * as \uXXXX, which is the same in JSON.
 * @value  NULL: out of memory
 * @flags  jansson's
 * Returns 0, or -1: out of memory, or it could not be written, which ferror(3) tells.
 */
int json_text_write(const json_t *value, size_t flags, FILE *out);

/* The same, and release @value. 0 or -errno: -ENOMEM, or why it could not be written. */
int json_text_put(json_t *value, size_t flags, FILE *out);

/* The same into memory, for free(); NULL: out of memory. */
char *json_text_dump(const json_t *value, size_t flags);

#endif
