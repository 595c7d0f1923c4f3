/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_ANSWER_H
#define MPROF_CLI_ANSWER_H

#include "control/answer.h"
#include "mma/stats.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * A session's answer to a command, in the form that was asked for: lines for people, or one JSON
 * object on one line, {"ok": true, ...}. A failure is a sentence, or {"ok": false, "error":
 * SENTENCE}.
 */
struct answer {
	const struct control_asker *to;
	FILE *out;	/* receives text for people; NULL: out of memory */
	char *text;
	size_t len;
	json_t *json;	/* NULL: text is wanted, or out of memory */
};

/* Begin an empty answer to @to, which must outlive it. */
void answer_begin(struct answer *a, const struct control_asker *to);

/* Add a line "LABEL: VALUE", or a member of the object. @label NULL: the member only. */
void answer_text(struct answer *a, const char *label, const char *key, const char *value);
void answer_number(struct answer *a, const char *label, const char *key, uint64_t value);
void answer_seconds(struct answer *a, const char *label, const char *key, double value,
		    int decimals);

/* Add a sentence on a line (answer_said(): after CONTROL_SAID), or as the member "note". */
void answer_note(struct answer *a, const char *sentence);
void answer_said(struct answer *a, const char *sentence);

/* Add a file that has been written: a line that begins with @mark, or an element of the array
 * "files". */
void answer_file(struct answer *a, const char *mark, const char *path);

struct answer_process {
	pid_t pid;
	const char *command;
	uint64_t allocs, frees, live_bytes;
	bool is_told; /* also print a line for people */
};

/* Add a process of the session: a line, or an element of the array "each_process". */
void answer_process(struct answer *a, const struct answer_process *p);

/* Add the list of commands. */
void answer_commands(struct answer *a);

/* Add statistics, as by mma_stats_print(), or as the member "stats". */
void answer_stats(struct answer *a, const struct mma_stats *st, bool humanized);

/* Send the answer, as a whole or as one of several parts, and free what it holds. */
void answer_send(struct answer *a);
void answer_send_part(struct answer *a);

/* A line {"ok": false, "error": @sentence}, with the process unless @pid is 0. For free(), or
 * NULL. */
char *answer_error_json(pid_t pid, const char *sentence);

/* Free what it holds without sending it. */
void answer_drop(struct answer *a);

/* Answer with an error, as a whole answer or as one of several parts. */
void answer_error(const struct control_asker *to, const char *sentence);
void answer_error_part(const struct control_asker *to, const char *sentence);

#endif
