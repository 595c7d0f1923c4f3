/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CONTROL_PROTOCOL_H
#define MPROF_CONTROL_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * What is said on a control socket, by both sides, as functions of plain data.
 *
 * A request is one line, "mprof/2 FORM COMMAND [ARGUMENT]", where FORM is "text" or "json"; the
 * answer is
 *
 *	mprof/2 PARTS\n
 *
 * and that many times "ok\n" or "error\n", the text, and a NUL, without which it has been cut.
 * Whoever did not come in time to be heard reads "ended\n" and nothing else.
 *
 * Version 1 knew no versions: the request is the bare "COMMAND [ARGUMENT]", and the answer "ok\n"
 * and the text or "error ", a sentence and "\n". Sessions still understand it. A session of that
 * time answers a line of this one with an error and does nothing; then it is asked again in its own
 * words.
 */
#define CONTROL_VERSION 2

#define CONTROL_WORDS_MAX 4096	/* bytes of "COMMAND [ARGUMENT]" with its newline, ... */
#define CONTROL_LINE_MAX (CONTROL_WORDS_MAX + 32)	/* ... and of a request */
#define CONTROL_ENDED "ended\n"

/* How lines of an answer begin that programs read, too. */
#define CONTROL_DATA "data "		/* a profile that is written: its file */
#define CONTROL_MEMORY "memory " /* ... that can be read there as long as the session keeps it */
#define CONTROL_FILE "file "		/* a massif file */
#define CONTROL_HEAP "heap "		/* a heap profile */
#define CONTROL_PROCESS "process "	/* whose the next profile is */
#define CONTROL_SAID "said "
#define CONTROL_FAILED "failed "
#define CONTROL_UNSAVED "unsaved " /* "KIND NAME": a file that could not be written */
#define CONTROL_KEPT "kept"		/* the session stays, with what it could not save; ... */
#define CONTROL_KEPT_AGAIN "kept again"	/* ... and has done so before */

/* ---- commands ---- */

enum control_id {
	CONTROL_STATUS,
	CONTROL_STATS,
	CONTROL_SUSPEND,
	CONTROL_RESUME,
	CONTROL_MARK,
	CONTROL_SAVE,
	CONTROL_SNAPSHOT,
	CONTROL_DETAILED_SNAPSHOT,
	CONTROL_ALL_SNAPSHOTS,
	CONTROL_HEAP_DUMP,
	CONTROL_LOOK_HEAP,
	CONTROL_LOOK_LEAKS,
	CONTROL_LOOK_RSS,
	CONTROL_LOOK_BEFORE,
	CONTROL_FIGURES,
	CONTROL_DISCARD,
	CONTROL_HELP,
	CONTROL_DETACH,
	CONTROL_TRACES,
	CONTROL_WRITES,
	CONTROL_LOOK,
};

enum {
	CONTROL_TAKES_FILE = 1,	/* one may be named */
	CONTROL_TAKES_WORDS = 2, /* some may follow */
	CONTROL_TELLS_PID = 4,	/* the number of a process comes before them */
	CONTROL_INTERNAL = 8,	/* sent by mprof itself, and answered as text only: "mprof control"
				   has it not */
};

struct control_command {
	const char *name;
	enum control_id id;
	unsigned flags;
	const char *help;	/* a line without its end */
};

extern const struct control_command control_commands[];
extern const size_t n_control_commands;

/* The command called @name, of @len bytes; NULL: there is none. */
const struct control_command *control_command_find(const char *name, size_t len);

/* What may stand behind it, " [FILE]"; empty: nothing. */
const char *control_command_takes(const struct control_command *c);

/* Print all that people may use: "status|stats|...|save [FILE]|...". */
void control_print_names(FILE *out);

/* The same, only of those that take @takes: "save|snapshot|...". */
void control_print_names_of(const char *takes, FILE *out);

/* A line for each: its name and what it takes, @width columns wide, and its help. @before begins
 * each line. */
void control_print_help(const char *before, int width, FILE *out);

/* ---- requests ---- */

enum control_form { CONTROL_TEXT, CONTROL_JSON };

/* Who wants an answer. */
struct control_asker {
	int fd;
	unsigned version;
	enum control_form form;
};

/* A command and who sent it. */
struct control_request {
	struct control_asker from;	/* its descriptor is the caller's to close() */
	const struct control_command *command;	/* NULL: it cannot be carried out, */
	const char *wrong;			/* for this reason */
	const char *arg;	/* in @line, not empty; NULL: none */
	char line[CONTROL_LINE_MAX];	/* as it came, without its end */
};

/* Understand r->line: sets all but the descriptor. */
void control_request_parse(struct control_request *r);

/**
 * The request for a command, with its newline; of @version 1 or CONTROL_VERSION.
 * @words  "COMMAND [ARGUMENT]"
 * Returns it, for free(), or NULL: out of memory.
 */
char *control_request_make(unsigned version, enum control_form form, const char *words);

/* ---- answers ---- */

/**
 * An answer as it is sent to an asker of @version: a whole one; the beginning of one that has
 * @parts; a part.
 * @text  text, a sentence, or JSON
 * Returns *len bytes, for free(), or NULL: out of memory.
 */
char *control_answer_make(unsigned version, bool ok, const char *text, size_t *len);
char *control_head_make(unsigned version, size_t parts, size_t *len);
char *control_part_make(unsigned version, bool ok, const char *text, size_t *len);

enum control_reply_kind {
	CONTROL_REPLY_WHOLE,
	CONTROL_REPLY_NONE,	/* it ends before it has begun */
	CONTROL_REPLY_CUT,	/* it ends too early, or is no answer; what is whole of it is
				   there */
	CONTROL_REPLY_ENDED,	/* the session did not hear us */
	CONTROL_REPLY_OLD,	/* the session knows no versions, and has done nothing */
	CONTROL_REPLY_NEW,	/* the answer is of a version that we do not know */
};

struct control_part {
	bool ok;
	char *text;	/* in what the reply was parsed from */
};

struct control_reply {
	enum control_reply_kind kind;
	struct control_part *parts;	/* for free() */
	size_t n;
};

/**
 * Understand all that came as the answer to a request of @version.
 * @bytes  @len bytes and a NUL; it is cut up into texts
 * Returns 0 or -ENOMEM.
 */
int control_reply_parse(struct control_reply *r, unsigned version, char *bytes, size_t len);

#endif
