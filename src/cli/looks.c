/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof heap and similar commands: carried out here, or by the session that traces the process. */
#include "cli/looks.h"

#include "base/memstream.h"
#include "cli/asking.h"
#include "cli/look.h"
#include "cli/options.h"
#include "cli/unattachable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_SECONDS = 600 };

/* The options that matter to the looker; those about the output stay here. For free(), or NULL. */
static char *request(const char *name, const struct options *o, pid_t pid)
{
	char *words = NULL;
	size_t len;
	FILE *f = memstream_open(&words, &len);

	if (!f)
		return NULL;
	fprintf(f, "look %s %d --max-pause=%lu", name, (int)pid, (unsigned long)o->max_pause_ms);
	if (o->copy_anyway)
		fputs(" --memory=copy", f);
	if (o->format == FORMAT_JSON)
		fputs(" --format=json", f);
	if (o->report.level == REPORT_VERBOSE)
		fputs(" --verbose", f);
	if (o->modules)
		fputs(" --modules", f);
	if (!o->classes)
		fputs(" --types=no", f);
	if (o->no_idioms)
		fputs(" --idioms=no", f);
	if (o->lists_possible)
		fputs(" --possible=yes", f);
	if (o->passes)
		fprintf(f, " --passes=%lu", (unsigned long)o->passes);
	for (size_t i = 0; o->gate.fail_ifs[i]; i++)
		fprintf(f, " --fail-if=%s", o->gate.fail_ifs[i]);
	/* only leaks has this option */
	if (o->gate.fail_status != STATUS_FOUND)
		fprintf(f, " --fail-status=%lu", (unsigned long)o->gate.fail_status);
	fclose(f);
	return words;
}

static int put(void *ctx, FILE *out)
{
	return fputs(ctx, out) == EOF ? -EIO : 0;
}

/* Take the answer: "STATUS SAID\n", SAID bytes of sentences, and the output. */
static int take(const struct options *o, char *answer)
{
	char *at, *printed;
	long status = strtol(answer, &at, 10), said = strtol(at, &at, 10);

	if (*at != '\n' || said < 0 || (size_t)said > strlen(at + 1)) {
		say("the session's answer makes no sense");
		return STATUS_FAILED;
	}
	printed = at + 1 + said;
	int failed = *printed ? look_print(o, put, printed) : 0;

	*printed = '\0';
	fputs(at + 1, stderr);
	return status ? (int)status : failed;
}

static int ask(const char *name, const struct options *o, pid_t pid, pid_t session)
{
	char *words = request(name, o, pid);
	struct control_answer a = {0};
	struct error e;
	int err = words ? control_ask(session, CONTROL_TEXT, words, PATIENCE_SECONDS, &a, &e)
			: error_set(&e, -ENOMEM, "out of memory");

	free(words);
	if (err) {
		say("%s", e.text);
		return asking_status(err);
	}
	int status = asking_say_errors(session, &a, CONTROL_TEXT);

	/* a complete answer has a part */
	if (!status && a.reply.n)
		status = take(o, a.reply.parts[0].text);
	control_answer_release(&a);
	return status;
}

int look_command(const char *name, look_fn *look, int argc, char **argv)
{
	struct options options;
	struct target_facts f;
	pid_t pid;
	int first = options_parse(&options, name, argc, argv, 2);

	if (first < 0)
		return STATUS_USAGE;
	int status = look_meant(&options, argc - first, argv + first, &pid);
	if (status)
		return status;
	pid_t session = target_at(pid, &f) == TARGET_TRACED ? control_tracing(pid) : 0;

	return session ? ask(name, &options, pid, session) : look(&options, pid, NULL);
}
