/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATAFILE_FLAT_H
#define MPROF_PROFILE_DATAFILE_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The tables of a data file as a stream of values, from one process of ours to another that runs
 * the same program. It cannot be searched: a database can, which is what most of its time goes
 * into.
 *
 * Each table is its number of rows, followed by all their values. The first byte of a value is its
 * type.
 */

/* A stream being written. After the first failure nothing more is written. */
struct flat_out {
	int fd;
	int err;     /* 0 or -errno */
	uint64_t at; /* offset in the file of the next bytes */
	size_t n;
	unsigned char bytes[64 << 10];
};

/* Write a value; errors are kept in f->err. */
void flat_put_int(struct flat_out *f, uint64_t value);
void flat_put_real(struct flat_out *f, double value);
void flat_put_null(struct flat_out *f);
void flat_put_text(struct flat_out *f, const char *text, size_t len);

/* Writes what is still buffered. 0 or -errno of the first failure. */
int flat_out_end(struct flat_out *f);

/* A stream being read; it is untrusted. */
struct flat_in {
	int fd;
	uint64_t read, size; /* bytes of the file read so far, and in all */
	size_t at, n;
	unsigned char bytes[64 << 10];
};

/* Begins at offset 0 of @fd. 0 or -errno. */
int flat_in_begin(struct flat_in *f, int fd);

/* False: the next value has another type, or the stream ends. */
bool flat_get_int(struct flat_in *f, uint64_t *value);
bool flat_get_real(struct flat_in *f, double *value);

/* *@text is the caller's, to be freed with free(); NULL with true: out of memory. */
bool flat_get_text(struct flat_in *f, char **text, size_t *len);

/* True: the next value is NULL, and has been read. */
bool flat_get_null(struct flat_in *f);

/* Has all been read? */
bool flat_in_is_over(const struct flat_in *f);

#endif
