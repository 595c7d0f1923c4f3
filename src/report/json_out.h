/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_JSON_OUT_H
#define MPROF_REPORT_JSON_OUT_H

#include "report/sums.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * One big JSON object that is written piece by piece: only one row is in memory at a time.
 * Errors stick, as in row.h: after the first one nothing more is written.
 */
struct json_out {
	FILE *out;
	bool filled;	/* the object or array has an element: a comma comes first */
	int err;	/* 0 or the first error, -errno */
};

/* Note an error, unless there was one before. @err may be 0. */
void json_out_fail(struct json_out *o, int err);

/* Write @text as it is. */
void json_out_raw(struct json_out *o, const char *text);

/* A member of the object, or a row of an array. Takes over @value; NULL means out of memory. */
void json_out_member(struct json_out *o, const char *key, json_t *value);
void json_out_row(struct json_out *o, json_t *value);

/* A row follows that is written piece by piece. */
void json_out_next_row(struct json_out *o);

/* Begin and end a member that is an array of rows. */
void json_out_begin_rows(struct json_out *o, const char *key);
void json_out_end_rows(struct json_out *o);

/* {"s":..., "m":..., "l":..., "x":...} */
json_t *json_out_classes(const struct profile_data *d, const uint64_t bytes[N_SIZE_CLASSES]);

/* A count. jansson's integers end at 2^63 - 1: a larger count, which only an allocator that
 * promises more memory than there is can cause, becomes the nearest double. */
json_t *json_out_num(uint64_t n);

#endif
