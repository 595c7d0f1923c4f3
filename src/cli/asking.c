/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/asking.h"

#include "cli/cli.h"
#include "cli/meant.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int asking_status(int err)
{
	return err == -ENOENT || err == -ECONNRESET ? STATUS_NO_SESSION : STATUS_FAILED;
}

char *asking_sentence(const struct control_part *p, enum control_form form)
{
	json_t *o = form == CONTROL_JSON ? json_loads(p->text, 0, NULL) : NULL;
	const char *error = o ? json_string_value(json_object_get(o, "error")) : p->text;
	char *sentence = strdup(error ? error : "it failed, and has not said why");

	json_decref(o);
	return sentence;
}

int asking_say_errors(pid_t pid, const struct control_answer *a, enum control_form form)
{
	int status = 0;

	for (size_t i = 0; i < a->reply.n; i++) {
		const struct control_part *p = &a->reply.parts[i];

		if (p->ok)
			continue;
		char *sentence = asking_sentence(p, form);

		say("process %d: %s", (int)pid, sentence ? sentence : "out of memory");
		free(sentence);
		status = STATUS_FAILED;
	}
	return status;
}

void asking_explain(const char *command, pid_t pid, int err, struct error *e)
{
	pid_t by = err == -ENOENT ? control_tracing(pid) : 0;

	if (by)
		meant_traced(e, command, pid, by);
}
