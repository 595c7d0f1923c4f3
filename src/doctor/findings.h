/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DOCTOR_FINDINGS_H
#define MPROF_DOCTOR_FINDINGS_H

#include "base/advice.h"

#include <stddef.h>

/*
 * What has been found out about whether something can be profiled, a line for each check. The other
 * files of this room judge: from plain data, which somebody else has read.
 */

enum finding_level {
	FINDING_OK,
	FINDING_WARN, /* it can be profiled, and something will be lacking */
	FINDING_FAIL, /* it cannot */
};

extern const char *const finding_words[]; /* "ok", "warn", "fail" */

struct finding {
	const char *check; /* what was looked at, in a word */
	enum finding_level level;
	int status;	 /* FINDING_FAIL: what the command ends with */
	struct advice a; /* what is so, and what to do */
};

enum { FINDINGS_MAX = 24 }; /* there are not so many checks */

struct findings {
	struct finding v[FINDINGS_MAX];
	size_t n;
};

/* One more line, without a remedy. Returns what it says, to be filled in; never NULL. */
struct advice *findings_add(struct findings *f, const char *check, enum finding_level level);

/* A line that all is well. */
__attribute__((format(printf, 3, 4))) void findings_ok(struct findings *f, const char *check,
						       const char *fmt, ...);

/* A line that something will be lacking, and what to do about that. */
__attribute__((format(printf, 4, 5))) void findings_warn(struct findings *f, const char *check,
							 const char *remedy, const char *fmt, ...);

/* A line that it cannot be profiled, and the command's status for that. */
void findings_fail(struct findings *f, const char *check, int status, const struct advice *a);

/* The status of the first that fails; 0: none does. */
int findings_status(const struct findings *f);

/* How many there are of a level. */
size_t findings_count(const struct findings *f, enum finding_level level);

#endif
