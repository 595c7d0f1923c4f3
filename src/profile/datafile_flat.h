/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATAFILE_FLAT_H
#define MPROF_PROFILE_DATAFILE_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The tables of a data file as a stream of values, for a reader of the same program: what one
 * process of ours has found out, and another one goes on with. Nobody can look something up in it,
 * which is what most of the time is for that a database takes.
 *
 * Each table is the number of its rows and then all their values. A value begins with a byte, that
 * says what it is.
 */

/* Values on their way out. The first failure ends all. */
struct flat_out {
	int fd;
	int err;     /* 0 or -errno */
	uint64_t at; /* in the file, where the next bytes go */
	size_t n;
	unsigned char bytes[64 << 10];
};

void flat_put_int(struct flat_out *f, uint64_t value);
void flat_put_real(struct flat_out *f, double value);
void flat_put_null(struct flat_out *f);
void flat_put_text(struct flat_out *f, const char *text, size_t len);

/* What is still here. 0 or -errno: the first thing that failed. */
int flat_out_end(struct flat_out *f);

/* Untrusted values on their way in. */
struct flat_in {
	int fd;
	uint64_t read, size; /* bytes of the file: in bytes[] or before, and all */
	size_t at, n;
	unsigned char bytes[64 << 10];
};

/* From the beginning of @fd. 0 or -errno. */
int flat_in_begin(struct flat_in *f, int fd);

/* False: the next value is none of these, or there is none. */
bool flat_get_int(struct flat_in *f, uint64_t *value);
bool flat_get_real(struct flat_in *f, double *value);

/* For free(); *@text NULL: out of memory. */
bool flat_get_text(struct flat_in *f, char **text, size_t *len);

/* True: it is none, and has been taken. */
bool flat_get_null(struct flat_in *f);

/* Has all been read? */
bool flat_in_is_over(const struct flat_in *f);

#endif
