/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said on a control socket: requests, answers, and the names of what a directory of them
 * has. */
#include "fuzz.h"

#include "control/control_dir.h"
#include "control/entry_name.h"
#include "control/protocol.h"

#include <stdbool.h>

static void check_request(const char *text)
{
	struct control_request r = {0};

	snprintf(r.line, sizeof r.line, "%s", text);
	r.line[strcspn(r.line, "\n")] = '\0';
	control_request_parse(&r);
	FUZZ_EXPECT(!r.command == (r.wrong != NULL));
	FUZZ_EXPECT(!r.arg || (*r.arg && r.arg > r.line && r.arg < r.line + sizeof r.line));
	FUZZ_EXPECT(r.from.version == 1 || r.from.version == CONTROL_VERSION || !r.command);
}

/* What a client sends is what a session understands. */
static void check_sent(const char *words, unsigned version, enum control_form form)
{
	char *line = control_request_make(version, form, words);
	struct control_request sent = {0}, bare = {0};

	FUZZ_EXPECT(line);
	snprintf(sent.line, sizeof sent.line, "%.*s", (int)strcspn(line, "\n"), line);
	snprintf(bare.line, sizeof bare.line, "%.*s", (int)strcspn(words, "\n"), words);
	free(line);
	if (strlen(words) >= CONTROL_WORDS_MAX || !strncmp(words, "mprof/", 6) ||
	    strchr(words, '\n'))
		return;
	control_request_parse(&sent);
	control_request_parse(&bare);
	FUZZ_EXPECT(sent.command == bare.command || version != 1);
	if (!sent.command || sent.command != bare.command)
		return;
	FUZZ_EXPECT(sent.from.version == version);
	FUZZ_EXPECT(!sent.arg == !bare.arg && (!sent.arg || !strcmp(sent.arg, bare.arg)));
}

static void check_reply(const uint8_t *data, size_t size, unsigned version)
{
	char *bytes = fuzz_text(data, size);
	struct control_reply r;

	FUZZ_EXPECT(!control_reply_parse(&r, version, bytes, size));
	for (size_t i = 0; i < r.n; i++) {
		FUZZ_EXPECT(r.parts[i].text >= bytes && r.parts[i].text <= bytes + size);
		FUZZ_EXPECT(strlen(r.parts[i].text) <= size);
	}
	FUZZ_EXPECT(r.kind != CONTROL_REPLY_WHOLE || r.n);
	free(r.parts);
	free(bytes);
}

/* What a session answers is what a client understands. */
static void check_answered(const char *text, unsigned version, bool ok)
{
	size_t len = 0;
	char *answer = control_answer_make(version, ok, text, &len);
	struct control_reply r;

	FUZZ_EXPECT(answer);
	FUZZ_EXPECT(!control_reply_parse(&r, version, answer, len));
	if (version == CONTROL_VERSION)
		FUZZ_EXPECT(r.kind == CONTROL_REPLY_WHOLE && r.n == 1 && r.parts[0].ok == ok &&
			    !strcmp(r.parts[0].text, text));
	free(r.parts);
	free(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	uid_t outside;
	pid_t pid;

	check_request(text);
	for (unsigned version = 1; version <= CONTROL_VERSION; version++) {
		check_sent(text, version, CONTROL_TEXT);
		check_reply(data, size, version);
		check_answered(text, version, size & 1);
	}
	check_sent(text, CONTROL_VERSION, CONTROL_JSON);
	entry_name_is(text, "sock", &pid);
	uid_outside(text, 0, 65534, &outside);
	free(text);
	return 0;
}
