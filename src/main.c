/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
};

static int command_help(int argc, char **argv)
{
	(void)argc, (void)argv;
	fputs(help_text, stdout);
	return fflush(stdout) ? STATUS_FAILED : 0;
}

static int command_version(int argc, char **argv)
{
	(void)argc, (void)argv;
	puts("mprof " MPROF_VERSION);
	return fflush(stdout) ? STATUS_FAILED : 0;
}

static const struct command commands[] = {
	{ "run", command_run },		{ "report", command_report },
	{ "attach", command_attach },	{ "detach", command_detach },
	{ "control", command_control },	{ "status", command_status },
	{ "probes", command_probes },
	{ "stats", command_stats },	{ "log", command_log },
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

static bool asks_for_help(const char *arg)
{
	return !strcmp(arg, "--help") || !strcmp(arg, "-help") || !strcmp(arg, "-h");
}

int main(int argc, char **argv)
{
	keep_standard_files();
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++) {
		if (strcmp(argv[1], commands[i].name) != 0)
			continue;
		bool help = argc > 2 && asks_for_help(argv[2]);

		return help ? command_help(argc, argv) : commands[i].run(argc, argv);
	}
	return command_classic(argc, argv);
}
