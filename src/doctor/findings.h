/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DOCTOR_FINDINGS_H
#define MPROF_DOCTOR_FINDINGS_H

#include "base/advice.h"

#include <stddef.h>

/*
 * What has been found out about whether something can be profiled, one line for each check. The
 * other files of this room judge plain data, which the caller has read.
 */

enum finding_level {
	FINDING_OK,
	FINDING_WARN, /* it can be profiled, but something will be lacking */
	FINDING_FAIL, /* it cannot */
};

extern const char *const finding_words[]; /* "ok", "warn", "fail" */

struct finding {
	const char *check; /* what was checked, in a word */
	enum finding_level level;
	int status;	 /* FINDING_FAIL: exit status of the command */
	struct advice a; /* what was found, and what to do */
};

enum { FINDINGS_MAX = 24 }; /* more than there are checks */

struct findings {
	struct finding v[FINDINGS_MAX];
	size_t n;
};

/* Add a line without a remedy. Returns its text, to be filled in; never NULL. */
struct advice *findings_add(struct findings *f, const char *check, enum finding_level level);

/* Add a line that says that all is well. */
__attribute__((format(printf, 3, 4))) void findings_ok(struct findings *f, const char *check,
						       const char *fmt, ...);

/* Add a line that says that something will be lacking, and what to do about it. */
__attribute__((format(printf, 4, 5))) void findings_warn(struct findings *f, const char *check,
							 const char *remedy, const char *fmt, ...);

/* Add a line that says that it cannot be profiled, and the command's status for that. */
void findings_fail(struct findings *f, const char *check, int status, const struct advice *a);

/* The status of the first line that fails; 0: none does. */
int findings_status(const struct findings *f);

/* The number of lines of a level. */
size_t findings_count(const struct findings *f, enum finding_level level);

#endif
