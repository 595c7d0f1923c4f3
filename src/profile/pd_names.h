/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_PD_NAMES_H
#define MPROF_PROFILE_PD_NAMES_H

#include "profile/profile_data.h"

/*
 * Functions by number: those of profile_data.functions[], and one more, number n_functions, which
 * is called "?" and stands for requests with an empty chain, so that all sums add up.
 */

/* How many numbers there are. */
static inline size_t names_count(const struct profile_data *d)
{
	return d->n_functions + 1;
}

/* The function of a site; "?" for PD_NONE. */
uint32_t names_function(const struct profile_data *d, uint32_t site);

/* Its name as it is in the program: not made harmless for a terminal. */
const char *names_text(const struct profile_data *d, uint32_t function);

/* The line of a site; 0: not known. */
uint32_t names_line(const struct profile_data *d, uint32_t site);

/* Compares two sites by file, then line; sites without come first. */
int names_compare_lines(const struct profile_data *d, uint32_t s, uint32_t t);

/**
 * The place of every function in the order by name (strcmp), among equal names by address.
 * Returns an array of names_count() different numbers for free(), or NULL: out of memory.
 */
uint32_t *names_ranks(const struct profile_data *d);

/**
 * The same for the order by decreasing name; functions of one name are still sorted by increasing
 * address. @rank  from names_ranks(). Returns as above.
 */
uint32_t *names_falling(const struct profile_data *d, const uint32_t *rank);

/* Is this the substitute name of a function without one ("libfoo.so+0x1230")? The file name in it
 * may contain anything. */
bool names_is_nameless(const char *name);

/* Has this function of the profile no name? If it is in no module, its substitute is the address,
 * "0x7f12". */
bool names_nothing_names(const struct profile_data *d, uint32_t function);

#endif
