/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_NUMBER_H
#define MPROF_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Numbers that people write. Each returns false, and changes nothing, if the text is not valid.
 */

/* A decimal number without sign or blanks, from @min to @max. */
bool number_in_range(uint64_t *n, const char *text, uint64_t min, uint64_t max);

/* A number of bytes: such a number, or one with the suffix K, M, G or T, or KiB to TiB, in upper or
 * lower case (powers of 1024); or KB to TB (powers of 1000), or B, as in dd(1). */
bool number_bytes(uint64_t *bytes, const char *text);

#endif
