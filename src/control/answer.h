/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_ANSWER_H
#define MPROF_CONTROL_ANSWER_H

/* Long enough for a sentence with two paths in it; what is longer is cut. */
enum { CONTROL_ANSWER_MAX = 8300 };

/* Answer a client. Never waits: who does not read his answer does without. @fd -1: nobody asks. */
__attribute__((format(printf, 2, 3))) void control_answer(int fd, const char *fmt, ...);

#endif
