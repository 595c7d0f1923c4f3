/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/ownstack.h"
#include "base/sigchld.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
};

static int print_help(const char *command)
{
	if (help_print(command, stdout) || !command)
		return stream_end_stdout(0);
	struct nearest n = { .word = command, .len = strlen(command) };

	help_try_commands(&n);
	say("\"%s\" is no command of mprof%s%s%s mprof help", command,
	    n.best ? ": did you mean " : "", n.best ? n.best : "", n.best ? "? See" : "; see");
	return STATUS_USAGE;
}

/* The help of help is that of all. */
static bool has_help(const char *command)
{
	return command[0] != '-' && strcmp(command, "help");
}

static int command_help(int argc, char **argv)
{
	if (argc > 3) {
		say("help: of one command at a time; \"%s\" is one too many", argv[3]);
		return STATUS_USAGE;
	}
	bool of_one = argc > 2 && has_help(argv[2]);

	return print_help(of_one ? argv[2] : NULL);
}

static int command_version(int argc, char **argv)
{
	(void)argc, (void)argv;
	puts("mprof " MPROF_VERSION);
	return stream_end_stdout(0);
}

/* These look at processes, and start no program: they can have all descriptors that there are. */
static const struct command lookers[] = {
	{ "attach", command_attach }, { "heap", command_heap }, { "leaks", command_leaks },
	{ "rss", command_rss },	      { "top", command_top },
};

/* These look, too, and start other programs, which have the limits that we have. */
static const struct command starters[] = {
	{ "doctor", command_doctor },
	{ "probes", command_probes },
};

/* These ask sessions. */
static const struct command askers[] = {
	{ "detach", command_detach },
	{ "control", command_control },
	{ "status", command_status },
};

static const struct command others[] = {
	{ "run", command_run },		{ "report", command_report },
	{ "stats", command_stats },	{ "log", command_log },
	{ "diff", command_diff },	{ "merge", command_merge },
	{ "completion", command_completion },
	{ "help", command_help },	{ "--help", command_help },
	{ "-help", command_help },	{ "-h", command_help },
	{ "--version", command_version }, { "-version", command_version },
	{ "-V", command_version },
};

/* If we were started with standard files closed, no file of ours may take their numbers; and the
 * program is to find them closed as well. What we then read from there, or print, fails: opened the
 * wrong way round they are as good as closed. */
static void keep_standard_files(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", modes[fd] | O_CLOEXEC);
}

#define FIND(name, v) find(name, v, sizeof(v) / sizeof *(v))

/* The command @name of @n; NULL: it is none of these. */
static const struct command *find(const char *name, const struct command *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, v[i].name))
			return &v[i];
	return NULL;
}

/* 0, or a status: too few descriptors for this command. */
static int check_files(const char *name)
{
	if (FIND(name, starters))
		return limits_check(LIMITS_TO_LOOK, false);
	if (FIND(name, askers))
		return limits_check(LIMITS_TO_ASK, false);
	if (!FIND(name, lookers))
		return 0;
	limits_raise_open_files();
	return limits_check(LIMITS_TO_LOOK, false);
}

static int run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	const struct command *c = FIND(name, lookers);

	c = c ? c : FIND(name, starters);
	c = c ? c : FIND(name, askers);
	c = c ? c : FIND(name, others);
	if (c && has_help(name) && options_ask_for_help(name, argc, argv, 2))
		return print_help(name);
	int status = check_files(name);
	if (status)
		return status;
	if (c)
		return c->run(argc, argv);
	if (options_ask_for_help("report", argc, argv, 1))
		return print_help(NULL);
	return command_classic(argc, argv);
}

int main(int argc, char **argv)
{
	keep_standard_files();
	sigchld_want();
	return ownstack_call(run, argc, argv);
}
