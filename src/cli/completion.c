/* SPDX-License-Identifier: BSD-2-Clause */
/* Shell completion for mprof, from the tables of options. */
#include "cli/completion.h"

#include "base/text.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/stream.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- what there is ---- */

static bool is_word(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("-_", text[i]))
			return false;
	return len > 0;
}

size_t completion_words(const char *accepted, char words[COMPLETION_WORDS])
{
	size_t n = 0, used = 0;

	words[0] = '\0';
	for (const char *at = accepted, *end; *at; at = end) {
		end = strstr(at, ", ");
		const char * or = strstr(at, " or ");
		size_t behind = strlen(", ");

		if (or &&(!end || or < end)) {
			end = or ;
			behind = strlen(" or ");
		}
		size_t len = end ? (size_t)(end - at) : strlen(at);

		if (!is_word(at, len) || used + len + 2 > COMPLETION_WORDS)
			return words[0] = '\0', 0;
		used += (size_t)sprintf(words + used, "%s%.*s", n ? " " : "", (int)len, at);
		n++;
		end = end ? end + behind : at + len;
	}
	/* A single word is no choice but the name of the value's kind. */
	return n > 1 ? n : (words[0] = '\0', 0);
}

static bool is_file(const char *accepted)
{
	return strstr(accepted, "file") || strstr(accepted, "folder");
}

/* An option for several commands may be in several tables, and is listed once. */
static bool is_first(const struct option_def *d, uint64_t flags)
{
	for (size_t t = 0; t < n_option_tables; t++)
		for (const struct option_def *e = option_tables[t]; e->name; e++) {
			if (e == d)
				return true;
			if (e->flags & flags && !strcmp(e->name, d->name))
				return false;
		}
	return true;
}

/* ---- for each shell ---- */

typedef void put_option(const char *command, const struct option_def *d, FILE *out);

static const char *dashes(const struct option_def *d)
{
	return d->name[1] ? "--" : "-";
}

static void put_for_bash(const char *command, const struct option_def *d, FILE *out)
{
	char words[COMPLETION_WORDS], *rest = words;

	(void)command;
	if (d->accepted && completion_words(d->accepted, words)) {
		for (char *word; (word = strsep(&rest, " "));)
			fprintf(out, " --%s=%s", d->name, word);
		return;
	}
	if (!(d->flags & NEEDS_VALUE) || !d->name[1])
		fprintf(out, " %s%s", dashes(d), d->name);
	if (d->flags & (NEEDS_VALUE | TAKES_VALUE) && d->name[1])
		fprintf(out, " --%s=", d->name);
}

static void put_for_zsh(const char *command, const struct option_def *d, FILE *out)
{
	char words[COMPLETION_WORDS];

	(void)command;
	fprintf(out, " '*%s%s", dashes(d), d->name);
	if (d->accepted && d->flags & (NEEDS_VALUE | TAKES_VALUE)) {
		fputs(d->name[1] ? d->flags & TAKES_VALUE ? "=-::value:" : "=:value:" : ":value:",
		      out);
		if (completion_words(d->accepted, words))
			fprintf(out, "(%s)", words);
		else if (is_file(d->accepted))
			fputs("_files", out);
	}
	fputc('\'', out);
}

static void put_for_fish(const char *command, const struct option_def *d, FILE *out)
{
	char words[COMPLETION_WORDS];

	fprintf(out, "complete -c mprof -n '__fish_seen_subcommand_from %s' -%c %s", command,
		d->name[1] ? 'l' : 's', d->name);
	if (d->accepted && completion_words(d->accepted, words))
		fprintf(out, " -x -a '%s'", words);
	else if (d->accepted && d->flags & NEEDS_VALUE)
		fputs(is_file(d->accepted) ? " -r -F" : " -x", out);
	fputc('\n', out);
}

/* Scripts have places where commands and options are inserted. */
struct shell {
	const char *name, *text;
	const char *between;	    /* between names of commands in a pattern */
	const char *opens, *closes; /* around the options of a command; NULL: no list */
	put_option *put;
};

static const char bash[] =
#include "completion_bash.inc"
	;
static const char zsh[] =
#include "completion_zsh.inc"
	;
static const char fish[] =
#include "completion_fish.inc"
	;

static const struct shell shells[] = {
	{"bash", bash, "|", ") printf '%s\\n'", " ;;\n", put_for_bash},
	{"zsh", zsh, "|", ") options=(", ") ;;\n", put_for_zsh},
	{"fish", fish, " ", NULL, NULL, put_for_fish},
};

/* ---- the script ---- */

static void put_options_of(const struct shell *s, const char *command, uint64_t flags, FILE *out)
{
	if (s->opens)
		fprintf(out, "\t%s%s", command, s->opens);
	for (size_t t = 0; t < n_option_tables; t++)
		for (const struct option_def *d = option_tables[t]; d->name; d++)
			if (d->flags & flags && is_first(d, flags))
				s->put(command, d, out);
	if (s->closes)
		fputs(s->closes, out);
}

static void put_options(const struct shell *s, FILE *out)
{
	const char *command;
	uint64_t flags;

	for (size_t i = 0; (command = help_command(i, &flags)); i++)
		put_options_of(s, command, flags, out);
}

/* Put the names of all commands, or of those about processes. */
static void put_commands(const char *between, uint64_t which, FILE *out)
{
	const char *command, *before = "";
	uint64_t flags;

	for (size_t i = 0; (command = help_command(i, &flags)); i++) {
		if (which != UINT64_MAX && !(flags & which))
			continue;
		fprintf(out, "%s%s", before, command);
		before = between;
	}
}

static void put_script(const struct shell *s, FILE *out)
{
	static const char options[] = "@OPTIONS@", commands[] = "@COMMANDS@", pids[] = "@PIDS@";

	for (const char *at = s->text, *rest; *at; at = rest) {
		if ((rest = text_after(at, options)))
			put_options(s, out);
		else if ((rest = text_after(at, commands)))
			put_commands(" ", UINT64_MAX, out);
		else if ((rest = text_after(at, pids)))
			put_commands(s->between, FOR_PROCESSES, out);
		else
			fputc(*at++, out), rest = at;
	}
}

int command_completion(int argc, char **argv)
{
	for (size_t i = 0; argc == 3 && i < sizeof shells / sizeof *shells; i++)
		if (!strcmp(argv[2], shells[i].name)) {
			put_script(&shells[i], stdout);
			return stream_end_stdout(0);
		}
	say("completion: for which shell? Usage: mprof completion bash|zsh|fish");
	return STATUS_USAGE;
}
