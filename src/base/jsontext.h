/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_JSONTEXT_H
#define MPROF_BASE_JSONTEXT_H

#include <jansson.h>

/* A string, with U+FFFD instead of every byte that is not valid UTF-8; null for NULL. NULL: out of
 * memory. */
json_t *json_text(const char *s);

#endif
