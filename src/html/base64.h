/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_BASE64_H
#define MPROF_HTML_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* Bytes as base64, written as they come. Zeroed but for @out; it needs no release. */
struct base64 {
	FILE *out;
	unsigned char left[3]; /* not written yet */
	size_t n_left;
};

/* What cannot be written shows in the stream, ferror(3). Source: RFC 4648, section 4. */
void base64_put(struct base64 *b, const void *bytes, size_t n);

/* All has been put: the last ones, and what fills them up. */
void base64_end(struct base64 *b);

#endif
