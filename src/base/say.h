/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_SAY_H
#define MPROF_BASE_SAY_H

/* How a room that does not print gets a sentence to the user: by a function that it was given. */
typedef void say_fn(const char *sentence);

/* A say_fn that drops the sentence, if it is reported elsewhere. */
void say_elsewhere(const char *sentence);

/* Say one formatted line, made harmless for a terminal. */
__attribute__((format(printf, 2, 3))) void say_to(say_fn *say, const char *fmt, ...);

#endif
