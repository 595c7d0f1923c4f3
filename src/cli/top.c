/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof top: what a process allocates, while it runs. */
#include "cli/look.h"
#include "cli/top_print.h"
#include "cli/top_screen.h"
#include "cli/top_signals.h"

/* True if it prints instead of using the screen. */
static bool prints(const struct options *o)
{
	return o->top.once || o->top.batch || o->format == FORMAT_JSON;
}

/* 0, or a status: a sentence has been printed, and the process was not touched. */
static int check(const struct options *o)
{
	if (o->top.how.by != TOP_SITES && o->top.how.sort == TOP_TEMPORARY) {
		say("top: which blocks are temporary is known of call sites: --sort=temporary is "
		    "not for --by=%s",
		    top_by_words[o->top.how.by]);
		return STATUS_USAGE;
	}
	return prints(o) || top_screen_possible() ? 0 : STATUS_USAGE;
}

int command_top(int argc, char **argv)
{
	struct options o;
	struct top_session s;
	bool detach = false;
	pid_t pid;
	int first = options_parse(&o, "top", argc, argv, 2);

	if (first < 0)
		return STATUS_USAGE;
	int status = look_meant(&o, argc - first, argv + first, &pid);

	if (!status)
		status = check(&o);
	if (status)
		return status;
	top_await_signals();
	status = top_session_begin(&s, &o, pid);
	if (status)
		return status;
	if (prints(&o))
		s.namer.say = say_sentence;
	if (!top_told_to_end())
		status = prints(&o) ? top_print(&s) : top_screen(&s, &detach);
	int ended = top_session_end(&s, detach);

	return status ? status : ended;
}
