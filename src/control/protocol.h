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
 * A client whose request was not read in time gets "ended\n" and nothing else.
 *
 * Version 1 had no version numbers: the request is the bare "COMMAND [ARGUMENT]", and the answer
 * "ok\n" and the text or "error ", a sentence and "\n". Sessions still understand it. A session of
 * version 1 answers a request of version 2 with an error and does nothing; then it is asked again
 * by version 1.
 */
#define CONTROL_VERSION 2

#define CONTROL_WORDS_MAX 4096	/* bytes of "COMMAND [ARGUMENT]" with its newline, ... */
#define CONTROL_LINE_MAX (CONTROL_WORDS_MAX + 32)	/* ... and of a request */
#define CONTROL_ENDED "ended\n"

/* Lines of an answer that programs read, too, begin with these words. */
#define CONTROL_DATA "data "		/* a profile that has been written: its file */
#define CONTROL_MEMORY "memory " /* one that can be read from there as long as the session keeps
				    it */
#define CONTROL_FILE "file "		/* a massif file */
#define CONTROL_HEAP "heap "		/* a heap profile */
#define CONTROL_PROCESS "process "	/* the process of the next profile */
#define CONTROL_SAID "said "
#define CONTROL_FAILED "failed "
#define CONTROL_UNSAVED "unsaved " /* "KIND NAME": a file that could not be written */
#define CONTROL_KEPT "kept"		/* the session stays, with what it could not save; ... */
#define CONTROL_KEPT_AGAIN "kept again"	/* ... and had stayed for it before */

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
	CONTROL_TAKES_FILE = 1,	/* a file may be named */
	CONTROL_TAKES_WORDS = 2, /* words may follow */
	CONTROL_TELLS_PID = 4,	/* the pid of a process comes before them */
	CONTROL_INTERNAL = 8,	/* sent by mprof itself, and answered as text only: "mprof control"
				   does not have it */
};

struct control_command {
	const char *name;
	enum control_id id;
	unsigned flags;
	const char *help;	/* one line without the newline */
};

extern const struct control_command control_commands[];
extern const size_t n_control_commands;

/* The command called @name, of @len bytes; NULL: there is none. */
const struct control_command *control_command_find(const char *name, size_t len);

/* What may follow its name, " [FILE]"; "": nothing. */
const char *control_command_takes(const struct control_command *c);

/* Print the commands for users: "status|stats|...|save [FILE]|...". */
void control_print_names(FILE *out);

/* The same, only those whose arguments are @takes: "save|snapshot|...". */
void control_print_names_of(const char *takes, FILE *out);

/* A line for each command for users: @before, its name and arguments in @width columns, and its
 * help. */
void control_print_help(const char *before, int width, FILE *out);

/* ---- requests ---- */

enum control_form { CONTROL_TEXT, CONTROL_JSON };

/* The client that waits for an answer. */
struct control_asker {
	int fd;
	unsigned version;
	enum control_form form;
};

/* A command and the client that sent it. */
struct control_request {
	struct control_asker from;	/* the caller closes its descriptor */
	const struct control_command *command;	/* NULL: it cannot be carried out, ... */
	const char *wrong;			/* ... for this reason */
	const char *arg;	/* in @line, not empty; NULL: none */
	char line[CONTROL_LINE_MAX];	/* as it came, without its end */
};

/* Parse r->line: sets all but the descriptor. */
void control_request_parse(struct control_request *r);

/**
 * Make the request for a command, with its newline; @version: 1 or CONTROL_VERSION.
 * @words  "COMMAND [ARGUMENT]"
 * Returns it, for free(), or NULL: out of memory.
 */
char *control_request_make(unsigned version, enum control_form form, const char *words);

/* ---- answers ---- */

/**
 * The bytes of an answer to a client of @version: a whole answer; the head of one of @parts parts;
 * one part.
 * @text  text, a sentence, or JSON
 * Returns *len bytes, for free(), or NULL: out of memory.
 */
char *control_answer_make(unsigned version, bool ok, const char *text, size_t *len);
char *control_head_make(unsigned version, size_t parts, size_t *len);
char *control_part_make(unsigned version, bool ok, const char *text, size_t *len);

enum control_reply_kind {
	CONTROL_REPLY_WHOLE,
	CONTROL_REPLY_NONE,	/* nothing was received */
	CONTROL_REPLY_CUT,	/* it ends too early, or is malformed; the parts that are complete
				   are there */
	CONTROL_REPLY_ENDED,	/* the session ended without reading the request */
	CONTROL_REPLY_OLD,	/* the session is of version 1, and has done nothing */
	CONTROL_REPLY_NEW,	/* the answer is of a version that we do not know */
};

struct control_part {
	bool ok;
	char *text;	/* points into the bytes that were parsed */
};

struct control_reply {
	enum control_reply_kind kind;
	struct control_part *parts;	/* for free() */
	size_t n;
};

/**
 * Parse all that was received as the answer to a request of @version.
 * @bytes  @len bytes and a NUL; cut up into the texts of @r
 * Returns 0 or -ENOMEM.
 */
int control_reply_parse(struct control_reply *r, unsigned version, char *bytes, size_t len);

#endif
