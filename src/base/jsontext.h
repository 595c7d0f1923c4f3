/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_JSONTEXT_H
#define MPROF_BASE_JSONTEXT_H

#include <jansson.h>
#include <stdio.h>

/* A string, with U+FFFD instead of every byte that is not valid UTF-8; null for NULL. NULL: out of
 * memory. */
json_t *json_text(const char *s);

/**
 * Write JSON as json_dumpf() does, for terminals, too: what printable_unseen() has stands as
 * \uXXXX, which is the same to whoever reads JSON.
 * @value  NULL: out of memory
 * @flags  jansson's
 * Returns 0, or -1: out of memory, or it could not be written, which ferror(3) tells.
 */
int json_text_write(const json_t *value, size_t flags, FILE *out);

/* The same of what is released by that. 0 or -errno: -ENOMEM, or why it could not be written. */
int json_text_put(json_t *value, size_t flags, FILE *out);

/* The same in memory, for free(); NULL: out of memory. */
char *json_text_dump(const json_t *value, size_t flags);

#endif
