/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/apart.h"
#include "cli/gating.h"
#include "cli/limits.h"
#include "cli/load_rules.h"
#include "cli/program.h"
#include "cli/record.h"
#include "cli/serve.h"
#include "cli/unheard.h"
#include "proc/status.h"
#include "session/signals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct run {
	struct options options;
	struct rules rules;
	struct gate gate;
	char *path;
	char **argv;
};

/* How mprof ends: as the program did, unless that was successful and mprof failed. */
static struct ending ending_of(const struct session *s, int err)
{
	if (s->root_ended && WIFSIGNALED(s->root_status))
		return (struct ending){ .signal = WTERMSIG(s->root_status) };
	if (s->root_ended && (WEXITSTATUS(s->root_status) || !err))
		return (struct ending){ .status = WEXITSTATUS(s->root_status) };
	if (err)
		return (struct ending){ .status = STATUS_FAILED };
	return (struct ending){ .status = serve_told() ? 128 + serve_told() : 0 };
}

/* Say that processes go on: the end of mprof looks like the end of the program and all that it has
 * started. */
static void tell_that_it_goes_on(const struct session *s)
{
	pid_t first = !s->root_ended && proc_lives(s->root) ? s->root : 0;
	size_t others = 0;
	char more[64] = "";

	for (const struct image *i = s->images; i; i = i->next) {
		if (i->over || i->ended || i->pid == s->root || !proc_lives(i->pid))
			continue;
		others += first != 0;
		first = first ? first : i->pid;
	}
	if (others)
		snprintf(more, sizeof more, ", and so %s %zu more that %s profiled",
			 others == 1 ? "does" : "do", others, others == 1 ? "was" : "were");
	if (first && !s->too_slow)
		say("process %d goes on by itself, without mprof%s", (int)first, more);
}

static struct ending run_session(struct serve *v, const struct run *run)
{
	struct session *s = v->session;
	struct error e;

	s->launched = true;
	/* First what may fail, before there is a program. */
	if (signals_prepare(&e)) {
		say("%s", e.text);
		return (struct ending){ .status = STATUS_FAILED };
	}
	/* Before the fork: the program inherits it. */
	if (run->options.one_cpu && share_one_cpu(0, &e))
		say("%s", e.text);
	pid_t pid = tracer_launch(v->tracer, run->path, run->argv, &e);
	if (pid < 0) {
		say("%s", e.text);
		return (struct ending){ .status = pid == -ENOENT ? STATUS_NOT_FOUND
								 : STATUS_CANNOT_RUN };
	}
	s->root = pid;
	limits_raise();
	/* After the fork: the program starts with the signal handling that mprof was started
	 * with. */
	signals_begin(v->tracer, v->end_on_interrupt, say_sentence);
	unheard_begin();
	serve_open_control(v, pid);
	int err = serve_session(v);
	control_close(v->control);
	if (s->refused) {
		say("cannot profile %s: %s", run->argv[0], s->refused);
		return (struct ending){ .status = STATUS_FAILED };
	}
	if (!s->images && s->root_ended)
		say("%s was killed before its first instruction: there is no profile",
		    run->argv[0]);
	tell_that_it_goes_on(s);
	return gating_end(v->gate, &run->options, ending_of(s, err));
}

static struct ending trace_run(struct journal *journal, int ready, void *arg)
{
	struct run *run = arg;
	struct serve v = { .gate = &run->gate };
	struct session s;
	struct ending end = { .status = STATUS_FAILED };

	(void)ready;
	if (record_open(&v, &s, &run->rules, journal, &run->options))
		say("cannot start: out of memory");
	else
		end = run_session(&v, run);
	record_close(&v);
	return end;
}

int command_run(int argc, char **argv)
{
	struct run run;
	int first = options_parse(&run.options, "run", argc, argv, 2), status;

	if (first < 0)
		return STATUS_USAGE;
	if (limits_check(LIMITS_TO_LOOK, true))
		return STATUS_FAILED;
	if (first >= argc) {
		say("run: which program? Usage: mprof run [options] [--] PROGRAM [ARG...]");
		return STATUS_USAGE;
	}
	if (!outputs_apart(&run.options))
		return STATUS_USAGE;
	run.argv = argv + first;
	run.path = program_find_or_say(argv[first], &status);
	if (!run.path)
		return status;
	if (!outputs_spare_program(&run.options, run.path)) {
		free(run.path);
		return STATUS_USAGE;
	}
	struct ending end = { .status = load_rules(&run.rules, &run.options) };
	int gated = gating_begin(&run.gate, &run.options);
	if (!end.status)
		end.status = gated;
	if (!end.status)
		end.status = record_prepare(&run.options);
	if (!end.status)
		end = supervise(false, trace_run, &run, say_sentence);
	gating_release(&run.gate);
	rules_release(&run.rules);
	free(run.path);
	return end_with(end);
}
