/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "control/protocol.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static void test_every_command_stands_once_and_has_help(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_control_commands; i++) {
		const struct control_command *c = &control_commands[i];

		assert_true(*c->name && *c->help);
		assert_null(strpbrk(c->name, " \n"));
		assert_null(strchr(c->help, '\n'));
		assert_ptr_equal(control_command_find(c->name, strlen(c->name)), c);
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(control_commands[k].id, c->id);
	}
	/* As many as there are ids: none is without a row. */
	assert_int_equal(n_control_commands, CONTROL_LOOK + 1);
	assert_null(control_command_find("statu", 5));
	assert_null(control_command_find("status", 5));
	assert_null(control_command_find("", 0));
}

static char *printed(void print(FILE *out))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	print(out);
	fclose(out);
	return text;
}

static void print_help(FILE *out)
{
	control_print_help("> ", 26, out);
}

static void print_of_file(FILE *out)
{
	control_print_names_of(" [FILE]", out);
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void test_people_are_told_of_each_command_but_those_of_mprof_itself(void **state)
{
	char *names = printed(control_print_names), *help = printed(print_help),
	     *of = printed(print_of_file);
	size_t internal = 0;

	(void)state;
	assert_string_equal(names, "status|stats|suspend|resume|mark|save [FILE]|snapshot [FILE]|"
				   "detailed_snapshot [FILE]|all_snapshots [FILE]|heap_dump "
				   "[REASON]|heap|leaks|rss|before|figures|discard|help");
	assert_string_equal(of, "save|snapshot|detailed_snapshot|all_snapshots");
	for (size_t i = 0; i < n_control_commands; i++) {
		const struct control_command *c = &control_commands[i];
		bool hidden = c->flags & CONTROL_INTERNAL;

		internal += hidden;
		assert_int_equal(strstr(help, c->help) != NULL, !hidden);
	}
	assert_int_equal(lines_of(help), n_control_commands - internal);
	assert_memory_equal(help, "> status                    what", 32);
	assert_non_null(strstr(help, "\n> detailed_snapshot [FILE]  the same with a tree\n"));
	free(names);
	free(help);
	free(of);
}

/* ---- requests ---- */

static struct control_request request(const char *line)
{
	static struct control_request r; /* its argument points into it */

	memset(&r, 0xa5, sizeof r);
	assert_true(strlen(line) < sizeof r.line);
	strcpy(r.line, line);
	r.from.fd = 7;
	control_request_parse(&r);
	assert_int_equal(r.from.fd, 7);
	assert_true(!r.command == !!r.wrong);
	return r;
}

static void assert_request(const char *line, unsigned version, enum control_form form,
			   enum control_id id, const char *arg)
{
	struct control_request r = request(line);

	assert_null(r.wrong);
	assert_int_equal(r.from.version, version);
	assert_int_equal(r.from.form, form);
	assert_int_equal(r.command->id, id);
	if (arg)
		assert_string_equal(r.arg, arg);
	else
		assert_null(r.arg);
}

static void test_requests(void **state)
{
	(void)state;
	assert_request("status", 1, CONTROL_TEXT, CONTROL_STATUS, NULL);
	assert_request("detach", 1, CONTROL_TEXT, CONTROL_DETACH, NULL);
	assert_request("save /a b", 1, CONTROL_TEXT, CONTROL_SAVE, "/a b");
	assert_request("save ", 1, CONTROL_TEXT, CONTROL_SAVE, NULL);
	assert_request("mprof/2 text status", 2, CONTROL_TEXT, CONTROL_STATUS, NULL);
	assert_request("mprof/2 json heap_dump before  it", 2, CONTROL_JSON, CONTROL_HEAP_DUMP,
		       "before  it");
	assert_request("mprof/2 json snapshot 12 x", 2, CONTROL_JSON, CONTROL_SNAPSHOT, "12 x");
	assert_request("mprof/2 text traces 12", 2, CONTROL_TEXT, CONTROL_TRACES, "12");
	/* a file may be called so */
	assert_request("save mprof/2 json help", 1, CONTROL_TEXT, CONTROL_SAVE,
		       "mprof/2 json help");
}

static void assert_wrong(const char *line, unsigned version, const char *why)
{
	struct control_request r = request(line);

	assert_null(r.command);
	assert_null(r.arg);
	assert_int_equal(r.from.version, version);
	assert_non_null(strstr(r.wrong, why));
}

static void test_wrong_requests(void **state)
{
	static const char *const unknown[] = { "", " ", "dance", "statusstatus", "status ",
					       "status x", " status",
					       "STATUS", "detach now", "%s%n", "stats\tx", "mprof",
					       "mprof 2" };

	(void)state;
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
		assert_wrong(unknown[i], 1, "does not know that command");
	assert_wrong("mprof/2 text ", 2, "does not know that command");
	assert_wrong("mprof/2 json dance", 2, "does not know that command");
	assert_wrong("mprof/2 json  status", 2, "does not know that command");
	assert_wrong("mprof/2 xml status", 2, "in that form");
	assert_wrong("mprof/2 status", 2, "in that form");
	assert_wrong("mprof/2 json", 2, "in that form");
	assert_wrong("mprof/2 json detach", 2, "in that form");
	assert_wrong("mprof/2", 2, "another version");
	assert_wrong("mprof/3 text status", 2, "another version");
	assert_wrong("mprof/22 text status", 2, "another version");
	assert_wrong("mprof/", 2, "another version");
}

static void test_what_is_made_is_understood(void **state)
{
	static const char *const words[] = { "status", "save /a b", "snapshot 12",
					     "heap_dump it's \"odd\"" };

	(void)state;
	for (unsigned version = 1; version <= CONTROL_VERSION; version++)
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			char *line = control_request_make(version, CONTROL_JSON, words[i]);
			char *end = strchr(line, '\n');
			struct control_request r;

			assert_true(end && !end[1]);
			*end = '\0';
			r = request(line);
			assert_null(r.wrong);
			assert_int_equal(r.from.version, version);
			assert_int_equal(r.from.form, version == 1 ? CONTROL_TEXT : CONTROL_JSON);
			free(line);
		}
	/* The longest words have room behind what stands before them. */
	char longest[CONTROL_WORDS_MAX];

	memset(longest, 'x', sizeof longest);
	memcpy(longest, "save ", 5);
	longest[sizeof longest - 1] = '\0';
	char *line = control_request_make(CONTROL_VERSION, CONTROL_TEXT, longest);
	assert_true(strlen(line) <= CONTROL_LINE_MAX);
	free(line);
}

/* ---- answers ---- */

static struct control_reply parse(unsigned version, const char *bytes, size_t len, char **copy)
{
	struct control_reply r;

	/* Exactly as long as what came and its NUL, for whoever watches what is read. */
	*copy = malloc(len + 1);
	memcpy(*copy, bytes, len);
	(*copy)[len] = '\0';
	assert_int_equal(control_reply_parse(&r, version, *copy, len), 0);
	return r;
}

static void assert_kind(enum control_reply_kind kind, unsigned version, const char *bytes,
			size_t len)
{
	char *copy;
	struct control_reply r = parse(version, bytes, len, &copy);

	assert_int_equal(r.kind, kind);
	free(r.parts);
	free(copy);
}

/* Without the NUL behind the literal. */
#define ASSERT_KIND(kind, version, bytes) assert_kind(kind, version, bytes, sizeof(bytes) - 1)

static void assert_one_part(unsigned version, const char *bytes, size_t len, bool ok,
			    const char *text)
{
	char *copy;
	struct control_reply r = parse(version, bytes, len, &copy);

	assert_int_equal(r.kind, CONTROL_REPLY_WHOLE);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.parts[0].ok, ok);
	assert_string_equal(r.parts[0].text, text);
	free(r.parts);
	free(copy);
}

/* A client of an older version gets the same answers as ever. */
static void test_answers_of_version_1(void **state)
{
	size_t len;
	char *bytes = control_answer_make(1, true, "state: tracing\n", &len);

	(void)state;
	assert_int_equal(len, strlen("ok\nstate: tracing\n"));
	assert_memory_equal(bytes, "ok\nstate: tracing\n", len);
	assert_one_part(1, bytes, len, true, "state: tracing\n");
	free(bytes);
	bytes = control_answer_make(1, false, "disk full", &len);
	assert_int_equal(len, strlen("error disk full\n"));
	assert_memory_equal(bytes, "error disk full\n", len);
	assert_one_part(1, bytes, len, false, "disk full");
	free(bytes);
	bytes = control_head_make(1, 3, &len);
	assert_int_equal(len, 0);
	free(bytes);
	ASSERT_KIND(CONTROL_REPLY_NONE, 1, "");
	ASSERT_KIND(CONTROL_REPLY_CUT, 1, "o");
	ASSERT_KIND(CONTROL_REPLY_CUT, 1, "nonsense\n");
}

static void test_answers(void **state)
{
	static const char *const texts[] = { "", "state: tracing\n", "ok\n", "error x\n",
					     "mprof/2 1\nok\n", "\n" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (int ok = 0; ok < 2; ok++) {
			size_t len;
			char *bytes = control_answer_make(CONTROL_VERSION, ok, texts[i], &len);

			assert_one_part(CONTROL_VERSION, bytes, len, ok, texts[i]);
			for (size_t cut = 0; cut < len; cut++) {
				char *copy;
				struct control_reply r = parse(CONTROL_VERSION, bytes, cut, &copy);

				assert_true(r.kind == CONTROL_REPLY_CUT ||
					    r.kind == CONTROL_REPLY_NONE);
				assert_int_equal(r.n, 0);
				free(r.parts);
				free(copy);
			}
			free(bytes);
		}
}

static size_t append(char *all, size_t at, char *bytes, const size_t *len)
{
	memcpy(all + at, bytes, *len);
	free(bytes);
	return at + *len;
}

static void test_an_answer_in_parts(void **state)
{
	char all[256], *copy;
	size_t len, n = 0, ends[3];

	(void)state;
	n = append(all, n, control_head_make(CONTROL_VERSION, 3, &len), &len);
	n = ends[0] = append(all, n, control_part_make(CONTROL_VERSION, true, "data /a\n", &len),
			     &len);
	n = ends[1] = append(all, n, control_part_make(CONTROL_VERSION, false, "disk full", &len),
			     &len);
	n = ends[2] = append(all, n, control_part_make(CONTROL_VERSION, true, "", &len), &len);
	for (size_t cut = 0; cut <= n; cut++) {
		struct control_reply r = parse(CONTROL_VERSION, all, cut, &copy);

		assert_int_equal(r.kind == CONTROL_REPLY_WHOLE, cut == n);
		assert_int_equal(r.n, (cut >= ends[0]) + (cut >= ends[1]) + (cut >= ends[2]));
		if (r.n == 3) {
			assert_string_equal(r.parts[0].text, "data /a\n");
			assert_false(r.parts[1].ok);
			assert_string_equal(r.parts[1].text, "disk full");
			assert_string_equal(r.parts[2].text, "");
		}
		free(r.parts);
		free(copy);
	}
	/* More than was announced is no answer, either. */
	n = append(all, n, control_part_make(CONTROL_VERSION, true, "", &len), &len);
	assert_kind(CONTROL_REPLY_CUT, CONTROL_VERSION, all, n);
}

static void test_hostile_answers(void **state)
{
	(void)state;
	ASSERT_KIND(CONTROL_REPLY_NONE, 2, "");
	ASSERT_KIND(CONTROL_REPLY_NONE, 2, "mprof/2 1\n");
	ASSERT_KIND(CONTROL_REPLY_ENDED, 2, CONTROL_ENDED);
	ASSERT_KIND(CONTROL_REPLY_ENDED, 1, CONTROL_ENDED);
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "ended\nok\n");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "ended\n\0");
	ASSERT_KIND(CONTROL_REPLY_OLD, 2, "error this session does not know that command\n");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "error this session does not kn");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "ok\nof whom?\n");
	ASSERT_KIND(CONTROL_REPLY_NEW, 2, "mprof/3 whatever");
	ASSERT_KIND(CONTROL_REPLY_NEW, 2, "mprof/21 1\nok\n\0");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "mprof/3");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "mprof/2 0\n");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "mprof/2 -1\nok\n\0");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "mprof/2 1 \nok\n\0");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "mprof/2 99999999999999999999999999\nok\n\0");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "mprof/2 2\nok\n\0");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "mprof/2 1\nmaybe\n\0");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "mprof/2 1\nok\nin the\0 middle\0");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "\0");
	ASSERT_KIND(CONTROL_REPLY_CUT, 2, "\0mprof/2 1\nok\n\0");
	ASSERT_KIND(CONTROL_REPLY_WHOLE, 2, "mprof/2 1\nok\n\0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_command_stands_once_and_has_help),
		cmocka_unit_test(test_people_are_told_of_each_command_but_those_of_mprof_itself),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_wrong_requests),
		cmocka_unit_test(test_what_is_made_is_understood),
		cmocka_unit_test(test_answers_of_version_1),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_an_answer_in_parts),
		cmocka_unit_test(test_hostile_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
