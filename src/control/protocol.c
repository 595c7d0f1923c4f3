/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/protocol.h"

#include "base/array.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MARK "mprof/"	/* begins a line that names its version */
#define MARKED(version) MARK #version
#define MARK_OF(version) MARKED(version)

/* ---- commands ---- */

const struct control_command control_commands[] = {
	{ "status", CONTROL_STATUS, 0, "what the session has seen so far" },
	{ "stats", CONTROL_STATS, 0, "the load up to now" },
	{ "suspend", CONTROL_SUSPEND, 0, "take the breakpoints out of the program" },
	{ "resume", CONTROL_RESUME, 0, "put them back" },
	{ "mark", CONTROL_MARK, 0, "a time stamp in the event logs (--mma-log-file)" },
	{ "save", CONTROL_SAVE, CONTROL_TAKES_FILE, "write the data file as it is now" },
	{ "snapshot", CONTROL_SNAPSHOT, CONTROL_TAKES_FILE | CONTROL_TELLS_PID,
	  "write a massif file with one snapshot of this moment (--massif-out-file)" },
	{ "detailed_snapshot", CONTROL_DETAILED_SNAPSHOT, CONTROL_TAKES_FILE | CONTROL_TELLS_PID,
	  "the same with a tree" },
	{ "all_snapshots", CONTROL_ALL_SNAPSHOTS, CONTROL_TAKES_FILE | CONTROL_TELLS_PID,
	  "write a massif file with all snapshots so far" },
	{ "heap_dump", CONTROL_HEAP_DUMP, CONTROL_TAKES_WORDS,
	  "write a heap profile of this moment (--heap-profile)" },
	{ "heap", CONTROL_LOOK_HEAP, CONTROL_TELLS_PID, "what is on the heap now, as mprof heap" },
	{ "leaks", CONTROL_LOOK_LEAKS, CONTROL_TELLS_PID,
	  "what nothing points at any more, as mprof leaks" },
	{ "rss", CONTROL_LOOK_RSS, CONTROL_TELLS_PID,
	  "what resident memory is for, as mprof rss" },
	{ "before", CONTROL_LOOK_BEFORE, CONTROL_TELLS_PID,
	  "what is left of what was there before (--before=walk)" },
	{ "figures", CONTROL_FIGURES, CONTROL_TELLS_PID,
	  "what is counted now, as numbers without names, for mprof top" },
	{ "discard", CONTROL_DISCARD, 0,
	  "give up what could not be saved, and end the session" },
	{ "help", CONTROL_HELP, 0, "this list" },
	{ "detach", CONTROL_DETACH, CONTROL_INTERNAL,
	  "end the session and tell what it has written" },
	{ "traces", CONTROL_TRACES, CONTROL_INTERNAL | CONTROL_TELLS_PID,
	  "is that process one of the session's?" },
	{ "writes", CONTROL_WRITES, CONTROL_INTERNAL | CONTROL_TAKES_FILE,
	  "is that a file that the session writes?" },
	{ "look", CONTROL_LOOK, CONTROL_INTERNAL | CONTROL_TAKES_WORDS,
	  "what a command that looks prints, with its status" },
};

const size_t n_control_commands = sizeof control_commands / sizeof *control_commands;

const struct control_command *control_command_find(const char *name, size_t len)
{
	for (size_t i = 0; i < n_control_commands; i++)
		if (strlen(control_commands[i].name) == len &&
		    !memcmp(control_commands[i].name, name, len))
			return &control_commands[i];
	return NULL;
}

const char *control_command_takes(const struct control_command *c)
{
	return c->flags & CONTROL_TAKES_FILE	? " [FILE]"
	       : c->flags & CONTROL_TAKES_WORDS ? " [REASON]"
						: "";
}

static bool is_for_people(const struct control_command *c)
{
	return !(c->flags & CONTROL_INTERNAL);
}

void control_print_names(FILE *out)
{
	const char *between = "";

	for (const struct control_command *c = control_commands;
	     c < control_commands + n_control_commands; c++) {
		if (!is_for_people(c))
			continue;
		fprintf(out, "%s%s%s", between, c->name, control_command_takes(c));
		between = "|";
	}
}

void control_print_names_of(const char *takes, FILE *out)
{
	const char *between = "";

	for (const struct control_command *c = control_commands;
	     c < control_commands + n_control_commands; c++) {
		if (!is_for_people(c) || strcmp(control_command_takes(c), takes) != 0)
			continue;
		fprintf(out, "%s%s", between, c->name);
		between = "|";
	}
}

void control_print_help(const char *before, int width, FILE *out)
{
	for (const struct control_command *c = control_commands;
	     c < control_commands + n_control_commands; c++)
		if (is_for_people(c))
			fprintf(out, "%s%s%-*s%s\n", before, c->name, width - (int)strlen(c->name),
				control_command_takes(c), c->help);
}

/* ---- requests ---- */

static const char *const form_names[] = { [CONTROL_TEXT] = "text", [CONTROL_JSON] = "json" };

/* What follows @with and a blank in @s; NULL: @s does not begin so. */
static const char *behind(const char *s, const char *with)
{
	const char *rest = text_after(s, with);

	return rest && *rest == ' ' ? rest + 1 : NULL;
}

/* Said to a client whose version we do not know: it may be newer or older. */
static const char other_version[] =
	"this session belongs to another version of mprof: ask it with the one that began it";
static const char no_such_command[] = "this session does not know that command";
static const char no_such_form[] = "this session does not answer that command in that form";

/* Remove what stands before the command. NULL: it is malformed, r->wrong says why. */
static const char *parse_head(struct control_request *r)
{
	const char *rest = behind(r->line, MARK_OF(CONTROL_VERSION)), *words;

	if (!text_begins(r->line, MARK)) {
		r->from.version = 1;
		return r->line;
	}
	if (!rest) {
		r->wrong = other_version;
		return NULL;
	}
	for (size_t i = 0; i < sizeof form_names / sizeof *form_names; i++) {
		words = behind(rest, form_names[i]);
		if (words) {
			r->from.form = i;
			return words;
		}
	}
	r->wrong = no_such_form;
	return NULL;
}

static bool takes_argument(const struct control_command *c)
{
	return c->flags & (CONTROL_TAKES_FILE | CONTROL_TAKES_WORDS | CONTROL_TELLS_PID);
}

void control_request_parse(struct control_request *r)
{
	r->from.version = CONTROL_VERSION;
	r->from.form = CONTROL_TEXT;
	r->command = NULL;
	r->wrong = r->arg = NULL;
	const char *words = parse_head(r);

	if (!words)
		return;
	const char *arg = strchr(words, ' ');
	size_t len = arg ? (size_t)(arg - words) : strlen(words);
	const struct control_command *c = control_command_find(words, len);

	if (!c || (arg && !takes_argument(c))) {
		r->wrong = no_such_command;
		return;
	}
	if (r->from.form == CONTROL_JSON && !is_for_people(c)) {
		r->wrong = no_such_form;
		return;
	}
	r->command = c;
	r->arg = arg && arg[1] ? arg + 1 : NULL;
}

char *control_request_make(unsigned version, enum control_form form, const char *words)
{
	char *line;
	int n = version == 1 ? asprintf(&line, "%s\n", words)
			     : asprintf(&line, MARK_OF(CONTROL_VERSION) " %s %s\n",
					form_names[form], words);

	return n < 0 ? NULL : line;
}

/* ---- answers ---- */

/* The result of asprintf(3), which returned @n. */
static char *made(char *bytes, int n, size_t *len)
{
	*len = n < 0 ? 0 : (size_t)n;
	return n < 0 ? NULL : bytes;
}

char *control_head_make(unsigned version, size_t parts, size_t *len)
{
	char *bytes = NULL;
	int n = version == 1 ? asprintf(&bytes, "%s", "") :
			       asprintf(&bytes, MARK_OF(CONTROL_VERSION) " %zu\n", parts);

	return made(bytes, n, len);
}

static char *part_behind(const char *head, unsigned version, bool ok, const char *text, size_t *len)
{
	char *bytes = NULL;
	int n;

	if (version == 1)
		n = ok ? asprintf(&bytes, "ok\n%s", text) : asprintf(&bytes, "error %s\n", text);
	else
		n = asprintf(&bytes, "%s%s\n%s", head, ok ? "ok" : "error", text);
	bytes = made(bytes, n, len);
	*len += bytes && version != 1; /* from version 2 on the NUL that ends it is sent */
	return bytes;
}

char *control_part_make(unsigned version, bool ok, const char *text, size_t *len)
{
	return part_behind("", version, ok, text, len);
}

char *control_answer_make(unsigned version, bool ok, const char *text, size_t *len)
{
	return part_behind(MARK_OF(CONTROL_VERSION) " 1\n", version, ok, text, len);
}

static int add_part(struct control_reply *r, size_t *cap, bool ok, char *text)
{
	int err = ARRAY_RESERVE(&r->parts, cap, r->n);

	if (!err)
		r->parts[r->n++] = (struct control_part){ ok, text };
	return err;
}

/* An answer of version 1: it cannot be told whether it has been cut. */
static int parse_unversioned(struct control_reply *r, char *bytes)
{
	char *text = text_after(bytes, "ok\n");
	size_t cap = 0;

	r->kind = CONTROL_REPLY_WHOLE;
	if (text)
		return add_part(r, &cap, true, text);
	text = text_after(bytes, "error ");
	if (text) {
		text[strcspn(text, "\n")] = '\0';
		return add_part(r, &cap, false, text);
	}
	r->kind = CONTROL_REPLY_CUT;
	return 0;
}

/* Reads "PARTS\n" and returns what follows. NULL: malformed. */
static char *parse_count(char *s, size_t *parts)
{
	char *end;

	if (*s < '1' || *s > '9')
		return NULL;
	*parts = strtoul(s, &end, 10);
	return *end == '\n' ? end + 1 : NULL;
}

static int parse_parts(struct control_reply *r, char *at, const char *end)
{
	size_t left = 0, cap = 0;

	for (at = parse_count(at, &left); at && left; left--) {
		char *ok = text_after(at, "ok\n"), *text = ok ? ok : text_after(at, "error\n");

		if (!text)
			break;
		at = text + strlen(text) + 1;
		if (at > end) /* the NUL behind all that was read is our own */
			break;
		int err = add_part(r, &cap, ok, text);
		if (err)
			return err;
	}
	if (at == end)
		r->kind = !left	  ? CONTROL_REPLY_WHOLE
			  : !r->n ? CONTROL_REPLY_NONE
				  : CONTROL_REPLY_CUT;
	return 0;
}

int control_reply_parse(struct control_reply *r, unsigned version, char *bytes, size_t len)
{
	char *rest = text_after(bytes, MARK_OF(CONTROL_VERSION) " ");

	*r = (struct control_reply){ CONTROL_REPLY_CUT, NULL, 0 };
	if (!strcmp(bytes, CONTROL_ENDED) && len == strlen(CONTROL_ENDED)) {
		r->kind = CONTROL_REPLY_ENDED;
		return 0;
	}
	if (!len) {
		r->kind = CONTROL_REPLY_NONE;
		return 0;
	}
	if (version == 1)
		return parse_unversioned(r, bytes);
	if (rest)
		return parse_parts(r, rest, bytes + len);
	if (text_begins(bytes, MARK) && strpbrk(bytes, " \n"))
		r->kind = CONTROL_REPLY_NEW;
	else if (text_begins(bytes, "error ") && len && bytes[len - 1] == '\n')
		r->kind = CONTROL_REPLY_OLD;
	return 0;
}
