/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_OPTION_VALUES_H
#define MPROF_CLI_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parse values of options. Each returns false, and changes nothing, if the text is not as
 * described.
 */

/* "yes" or "no", exactly. */
bool value_yes_no(bool *flag, const char *text);

/* A decimal number without sign or blanks. */
bool value_count(uint64_t *count, const char *text);

/* The same, from @min to @max. */
bool value_in_range(uint64_t *count, const char *text, uint64_t min, uint64_t max);

/* A number of bytes, see number_bytes(). */
bool value_bytes(uint64_t *bytes, const char *text);

/* A number of seconds above 0, fractions allowed. */
bool value_seconds(double *seconds, const char *text);

/* A number from 0 to @max, fractions allowed. */
bool value_percent(double *percent, const char *text, double max);

/* One of @n words; *which: its index in @words. */
bool value_word(unsigned *which, const char *text, const char *const *words, size_t n);

/* Append a text, not empty, to a NULL-terminated array of at most @max. */
bool value_add(const char **list, size_t max, const char *text);

#endif
