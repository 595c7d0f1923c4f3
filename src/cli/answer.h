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
 * What a session answers to a command, in the form that was asked for: lines for people, or one
 * JSON object on one line, {"ok": true, ...}. A failure is a sentence, or {"ok": false, "error":
 * SENTENCE}.
 */
struct answer {
	const struct control_asker *to;
	FILE *out;	/* text for people goes here; NULL: out of memory */
	char *text;
	size_t len;
	json_t *json;	/* NULL: text is wanted, or out of memory */
};

void answer_begin(struct answer *a, const struct control_asker *to);

/* A line "LABEL: VALUE", and a member of the object. @label NULL: of that only. */
void answer_text(struct answer *a, const char *label, const char *key, const char *value);
void answer_number(struct answer *a, const char *label, const char *key, uint64_t value);
void answer_seconds(struct answer *a, const char *label, const char *key, double value,
		    int decimals);

/* A sentence on a line (answer_said(): behind CONTROL_SAID), and the member "note". */
void answer_note(struct answer *a, const char *sentence);
void answer_said(struct answer *a, const char *sentence);

/* A file that has been written: a line that begins with @mark, and one more of the array
 * "files". */
void answer_file(struct answer *a, const char *mark, const char *path);

struct answer_process {
	pid_t pid;
	const char *command;
	uint64_t allocs, frees, live_bytes;
	bool is_told; /* there is a line of it for people */
};

/* A line of a process of the session, and one more of the array "each_process". */
void answer_process(struct answer *a, const struct answer_process *p);

/* The commands that there are. */
void answer_commands(struct answer *a);

/* As mma_stats_print() has them, and the member "stats". */
void answer_stats(struct answer *a, const struct mma_stats *st, bool humanized);

/* Send it, as the whole answer or as one of several parts, and free what it holds. */
void answer_send(struct answer *a);
void answer_send_part(struct answer *a);

/* {"ok": false, "error": @sentence}, a line of its own for free(), or NULL; with the process unless
 * that is 0. */
char *answer_error_json(pid_t pid, const char *sentence);

/* Free what it holds; it is not sent. */
void answer_drop(struct answer *a);

/* The whole answer, or one of several parts, is that it failed. */
void answer_error(const struct control_asker *to, const char *sentence);
void answer_error_part(const struct control_asker *to, const char *sentence);

#endif
