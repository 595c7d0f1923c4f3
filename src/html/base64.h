/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_BASE64_H
#define MPROF_HTML_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* Encodes bytes as base64. Zeroed except for @out; needs no release. */
struct base64 {
	FILE *out;
	unsigned char left[3]; /* bytes not written yet */
	size_t n_left;
};

/* Encode @n bytes. The caller checks @out for errors. Source: RFC 4648, section 4. */
void base64_put(struct base64 *b, const void *bytes, size_t n);

/* Write the last bytes and the padding. */
void base64_end(struct base64 *b);

#endif
