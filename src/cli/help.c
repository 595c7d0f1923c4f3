/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/help.h"

#include "cli/options.h"
#include "control/protocol.h"

#include <string.h>

/* Additional flags for parts of the help, besides those of options.h. */
enum {
	FOR_ALL = 1 << 25,	/* only in the help of mprof as a whole */
};

static const struct {
	const char *name;
	uint64_t flags;
	const char *usage;	/* lines; NULL: made from the table of commands in
				   control/protocol.c */
	const char *about;
} commands[] = {
	{ "run", FOR_RUN,
	  "mprof run [options] [--] PROGRAM [ARG...]   run a program and profile it\n",
	  "What stands behind the program is the program's. When it has ended, the report is "
	  "printed to\n"
	  "standard error, the profile is written to mprof.data, and mprof ends as the program "
	  "ended.\n" },
	{ "attach", FOR_ATTACH,
	  "mprof attach [options] PID|NAME...          profile a running process, or several\n",
	  "Until the process ends, mprof detach, Ctrl-C, or the end of --duration: then the report "
	  "is printed\n"
	  "to standard error and the profile is written to mprof.data. The process goes on "
	  "unharmed.\n"
	  "A name is that of the only process that is called so.\n" },
	{ "detach", FOR_REPORT | FOR_DETACH,
	  "mprof detach [options] [PID|NAME]           end that, and print the report\n",
	  "The process goes on, and all that are traced in its session. Without PID: the only "
	  "session there is.\n" },
	{ "status", FOR_STATUS,
	  "mprof status                                list the sessions\n",
	  "State, seconds, allocations, frees and live bytes of each.\n" },
	{ "control", FOR_CONTROL, NULL, "Tell a session what to do while it goes on:\n" },
	{ "probes", FOR_PROBES,
	  "mprof probes [options] PID|PROGRAM          list what would be trapped in it\n",
	  "Where, and which definition says so.\n" },
	{ "doctor", FOR_DOCTOR,
	  "mprof doctor [options] [PID|PROGRAM [ARG...]]   can it be profiled, and if not, why\n",
	  "What is in the way, and what to do about each; without PID or PROGRAM what of this "
	  "machine matters to all.\n"
	  "No process is stopped or changed for it, and PROGRAM is not run.\n" },
	{ "heap", FOR_HEAP,
	  "mprof heap [options] PID|NAME               what is on the heap of a process now\n",
	  "Also what was there before anybody looked, by size. The process is stopped for some "
	  "milliseconds;\nnothing is trapped.\n" },
	{ "leaks", FOR_LEAKS,
	  "mprof leaks [options] PID|NAME              what nothing in a process points at any "
	  "more\n",
	  "Also of what was there before anybody looked, by size. The process is stopped for some "
	  "milliseconds;\nnothing is trapped.\n" },
	{ "rss", FOR_RSS,
	  "mprof rss [options] PID|NAME                what its resident memory is for\n",
	  "Rows that add up to Rss: live blocks, free ones, stacks, code, files and what else is "
	  "mapped.\nThe process is stopped for some milliseconds.\n" },
	{ "top", FOR_TOP,
	  "mprof top [options] PID|NAME                who allocates in a process, while it does\n",
	  "A screen of call sites, renewed each second. It attaches, and lets go at its end; if a "
	  "session has the\nprocess it joins that, and leaves it as it is. In it ? tells the "
	  "keys.\n" },
	{ "report", FOR_REPORT | FOR_FILES,
	  "mprof report [options] [FILE]               print a profile again (mprof.data), or a "
	  "log\n",
	  "Neither the program nor its libraries are needed. A page may be of several files.\n" },
	{ "diff", FOR_REPORT | FOR_FILES,
	  "mprof diff [options] OLD NEW                what has grown from one profile to "
	  "another\n",
	  "As mprof report --base=OLD NEW.\n" },
	{ "merge", FOR_MERGE,
	  "mprof merge -o SUM FILE...                  add profiles up, of many runs or "
	  "processes\n",
	  "Requests, frees, sizes, call chains, types and lifetimes. The peak is the highest of "
	  "any one; there is\nno timeline.\n" },
	{ "stats", FOR_LOGS,
	  "mprof stats [options] FILE...               statistics of event logs, or of a profile\n",
	  "The load over time, as --mma-stats-file has it.\n" },
	{ "log", FOR_LOGS,
	  "mprof log [options] FILE...                 print event logs in another form\n",
	  "For people or for programs, in the order of time.\n" },
	{ "completion", 0,
	  "mprof completion bash|zsh|fish              what a shell completes behind mprof\n",
	  "A script on standard output, for that shell to read.\n" },
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* One or more lines of the help, and the commands that they are for. */
struct part {
	uint64_t flags;
	const char *text;
};

#define TRACES FOR_TRACING
#define PRINTS FOR_PRINTING
#define SEEKS (FOR_TRACING | FOR_PROBES | FOR_DOCTOR)

static const struct part parts[] = {
	{ PRINTS, "\nwhat the report shows (run, attach, detach, report; one dash or two):\n" },
	{ PRINTS, "  --verbose        every size and every leak\n" },
	{ PRINTS, "  --normal         what contributes reasonably (default)\n" },
	{ PRINTS, "  --terse          what contributes significantly\n" },
	{ PRINTS, "  --leaktable      the table of leaks, without call sites (default)\n" },
	{ PRINTS, "  --offsets        the table of leaks, telling apart call sites within a "
		  "function\n" },
	{ PRINTS, "  --noleaktable    no table of leaks\n" },
	{ PRINTS, "  --lines          the tables of leaks and of direct allocation with lines of "
		  "the source\n" },
	{ FOR_REPORT, "  --depth=N|all    (report, detach) functions of a path in the table of "
		      "leaks; default 5,\n"
		      "                   and as many more as are needed to reach own code\n" },
	{ PRINTS, "  --own-code=FILE|auto      whose code is the program's own; * is any "
		  "characters\n" },
	{ PRINTS, "  --lifetimes      a table of how long blocks lived, and which were "
		  "temporary\n" },
	{ PRINTS, "  --summary        what matters first, and no tables\n" },
	{ PRINTS, "  --site-types=yes|no       the table of leaks with the type of what is "
		  "requested, or no\n                   types on the first screen either\n" },
	{ PRINTS, "  --verdicts=yes   the table of leaks with a verdict on each: does it grow, or "
		  "is it a cache?\n                   (not of a difference)\n" },
	{ PRINTS, "  --inlines=no     without functions that were inlined\n" },
	{ PRINTS, "  --names=short    without template arguments and parameters\n"
		  "  --names=full     with them at a terminal, too, where names are cut to fit\n" },
	{ PRINTS, "  --color=auto|always|never, --quiet   (report) --no-pager\n" },
	{ PRINTS, "  --types=all|program|none  whose types are shown (default all)\n" },
	{ PRINTS, "  --alloc-fn=NAME  take this function out of the inner ends of chains\n" },
	{ PRINTS, "  --ignore-fn=NAME leave out what this function requests itself\n"
		  "                   (in both * is any characters)\n" },
	{ PRINTS, "  --debug-dir=DIR  look for separate debugging files there, too\n" },
	{ FOR_REPORT, "  --symbols-from=DIR|FILE   (report) name the profile again from these "
		      "files\n" },
	{ PRINTS, "  --at=peak        the tables for what was live at the peak\n" },
	{ PRINTS, "  --format=FORMAT  tables (default), json, massif, ms_print (of a massif file, "
		  "too), text,\n"
		  "                   folded (flame graphs), heap, pprof or dot (the last five of "
		  "heap profiles, too);\n"
		  "                   html, a page for a browser (report, detach)\n" },
	{ FOR_FILES, "  --open           (report) show the page in the browser of $BROWSER, or "
		     "by xdg-open\n" },
	{ FOR_TRACING | FOR_DETACH, "  --html=FILE      (run, attach, detach) beside the report "
				    "a page of all processes;\n"
				    "                   with %p in its name one of each\n" },
	{ FOR_REPORT, "  --time-unit=ms|B --threshold=PERCENT --max-snapshots=N   (report) of "
		      "massif and ms_print\n"
		      "  --x=COLUMNS --y=ROWS      (report) the size of ms_print's graph\n" },
	{ PRINTS, "  -o FILE          write the report there (run, attach: instead of standard "
		  "error;\n"
		  "                   report, detach: instead of standard output)\n" },

	{ TRACES, "\nhow to profile (run, attach):\n" },
	{ TRACES, "  --data=FILE      the profile's data file (default mprof.data); %p is the "
		  "process,\n"
		  "                   %q{VAR} an environment variable, %% a per cent sign\n" },
	{ TRACES, "  --trace-children=yes|no   profile the processes it starts, too (default "
		  "no)\n" },
	{ TRACES, "  --keep-execs     a profile of each program that a process executes, not of "
		  "the last one only\n" },
	{ TRACES, "  --duration=SECONDS        end the profiling then\n" },
	{ TRACES, "  --verdict-after=SECONDS   when verdicts begin (default 16): until then it is "
		  "\"too early\"\n" },
	{ TRACES, "  --autosave=COUNT          write the data file after every COUNT "
		  "allocations\n" },
	{ TRACES, "  --snapshot-when='rss>SIZE'|'live>SIZE'|'growth>SIZE/s|min|h'   write it, too, "
		  "when that\n"
		  "                   comes true, to FILE.snapshot.N\n" },
	{ TRACES, "  --max-slowdown=FACTOR     if it takes longer than so many times as long as by "
		  "itself,\n"
		  "                   of the work it does (processor time), not of elapsed time:\n"
		  "                   --over=pause (default) for a while, or --over=detach\n" },
	{ TRACES, "  --max-memory=SIZE         what mprof's tables may take: before it is more, "
		  "less detail\n"
		  "                   is kept (see the manual); counts stay exact\n" },
	{ TRACES, "  --engine=trap|fast|auto   stop the program at each call (default), have it "
		  "tell by itself,\n                            or that where it can be done\n" },
	{ TRACES, "  --wait=follow|adaptive|sleep|spin|pin   how to wait for the program (see the "
		  "manual)\n" },
	{ TRACES, "  --min-size=BYTES --max-size=BYTES   record only requests of such sizes\n" },
	{ TRACES, "  --timeline=POINTS         so many points over time in the data file (default "
		  "1000)\n" },
	{ TRACES, "  --massif-out-file[=FILE]  write a massif file, too (default massif.out.%p), "
		  "with --time-unit\n"
		  "                   --detailed-freq --max-snapshots --peak-inaccuracy "
		  "--threshold --depth\n"
		  "                   --heap --stacks --pages-as-heap --heap-admin --alignment "
		  "--alloc-fn\n"
		  "                   --ignore-fn as Massif's; see the manual\n" },
	{ FOR_ATTACH, "  -p, --pid=PID|NAME        (attach) this process; PID,PID...: these\n" },
	{ FOR_ATTACH, "  --tree           (attach) the children that it has already, too, and all "
		      "that come\n" },
	{ FOR_ATTACH, "  --growth=SECONDS (attach) for so long, and print what grew, most growth "
		      "first\n" },
	{ FOR_ATTACH, "  --before=no|count|walk    (attach) how many blocks there are already; "
		      "walk: tell which of\n"
		      "                   them are freed; with --max-pause=MS --memory=auto|copy "
		      "as of mprof heap\n" },
	{ FOR_ATTACH, "  --background     (attach) return once tracing has begun\n" },
	{ TRACES, "  --mma-log-file[=FILE]     write an event log (default mma.log; compressed if "
		  "FILE ends in .zst)\n" },
	{ TRACES, "  --mma-stats-file[=FILE]   write its statistics: duration, load_max, "
		  "load_current ...\n" },
	{ TRACES, "  --humanized=no   (stats, log, too) log and statistics for programs; no "
		  "progress messages\n" },
	{ TRACES, "  --stats          tell how much work the profiling was\n" },
	{ TRACES, "  --check-unwinding         the same, and check every chain: slow, for tests of "
		  "mprof\n" },

	{ TRACES, "\nheap profiles for pprof (run, attach; see the manual):\n" },
	{ TRACES, "  --heap-profile=PREFIX     write PREFIX.NNNN.heap while the program runs\n" },
	{ TRACES, "  --heap-profile-{allocation,deallocation,inuse}-interval=BYTES, "
		  "-time-interval=SECONDS,\n"
		  "  -signal=NUMBER, -{mmap,only-mmap,mmap-log,cleanup}=yes|no, -defer;\n" },
	{ TRACES, "  --depth=FRAMES, --symbols=yes|no, --quiet\n" },

	{ PRINTS, "\nwhat is a failure (run, attach, detach, report):\n" },
	{ PRINTS, "  --fail-if='kept>0'        end with status 12, or --fail-status=N, if that is "
		  "so of a process;\n"
		  "                   allocs, frees, bytes, kept, kept-blocks, peak, temporary, "
		  "lost, lost-blocks ...;\n"
		  "                   'kept(FUNCTION)>1M' of what it and those it calls "
		  "request\n" },
	{ PRINTS, "  --base=OLD       (run, attach, detach) since when conditions are about "
		  "growth: 'peak>+5%'\n" },
	{ PRINTS, "  --suppressions=FILE       lines leak:PATTERN: what that matches does not "
		  "count as kept or lost\n" },
	{ PRINTS, "  --junit=FILE --sarif=FILE what came of it, for CI systems\n" },

	{ PRINTS, "\nas pprof prints (report FILE... [PROGRAM], of mprof.data, .heap files and "
		  "profile.proto):\n" },
	{ PRINTS, "  --inuse_space --inuse_objects --alloc_space --alloc_objects --show_bytes "
		  "--cum\n" },
	{ PRINTS, "  --functions --lines --files --addresses --focus=RE --ignore=RE --list=RE\n" },
	{ PRINTS, "  --nodecount=N --nodefraction=F --edgefraction=F --text --collapsed --dot\n" },
	{ FOR_FILES, "  --base=FILE --drop_negative   (report)\n" },
	{ FOR_REPORT, "  --symbols=yes|no   (report)\n" },
	{ FOR_LOGS, "\nstats, log: --humanized=yes|no, --format=mma|json, -o FILE; FILE - is "
		    "standard input\n" },

	{ FOR_LOOKS, "\nlooking at a process (heap, leaks, rss):\n" },
	{ FOR_LOOKS, "  --max-pause=MS   it may be stopped for so long (default 1000)\n" },
	{ FOR_LOOKS, "  --memory=auto|copy        the copy may take half of the memory there is "
		     "(default), or all\n" },
	{ FOR_HEAP, "  --types=yes|no   C++ objects by their classes (default), or not\n" },
	{ FOR_LOOKS, "  --format=text|json, -o FILE, -p, --pid=PID|NAME\n" },
	{ FOR_HEAP | FOR_LEAKS, "  --verbose        (heap, leaks) a line for each size\n" },
	{ FOR_LEAKS, "  --possible=yes   (leaks) a list of what only pointers into blocks lead to, "
		     "too\n" },
	{ FOR_LEAKS, "  --idioms=no      (leaks) no such pointer is as good as one to a start\n" },
	{ FOR_LEAKS, "  --passes=N       (leaks) copy it N times while it runs: lost is what was "
		     "lost in all\n" },
	{ FOR_LEAKS, "  --fail-if=lost>BYTES      (leaks) end with status 12, or --fail-status=N, "
		     "if more is lost;\n"
		     "                   lost-blocks>COUNT, possible>BYTES, "
		     "possible-blocks>COUNT\n" },
	{ FOR_RSS, "  --modules        (rss) a line for each file\n" },

	{ FOR_DOCTOR, "\nwhat is looked at, and how it is told (doctor):\n" },
	{ FOR_DOCTOR, "  --count=SECONDS  count its calls so long, by breakpoints of the "
		      "kernel's\n" },
	{ FOR_DOCTOR, "  -p, --pid=PID|NAME        this process\n" },
	{ FOR_DOCTOR, "  --debug-dir=DIR  look for separate debugging files there, too\n" },
	{ FOR_DOCTOR, "  --format=text|json, -o FILE\n" },

	{ FOR_TOP, "\nshowing a process while it runs (top):\n" },
	{ FOR_TOP, "  --once           print one look, after a second\n"
		   "  --batch=SECONDS  print one each time so many seconds are over\n"
		   "  --format=text|json        (top) what is printed: lines, or an object on a "
		   "line; json alone is\n"
		   "                   --batch=1\n" },
	{ FOR_TOP, "  --interval=SECONDS        of the screen, and before --once prints (default "
		   "1)\n"
		   "  --by=sites|sizes|threads   rows are call sites (default), sizes with their "
		   "types, or what\n"
		   "                   each thread has requested and freed\n"
		   "  --sort=live|growth|allocs|temporary   what the first row has most of "
		   "(default live)\n" },
	{ FOR_TOP, "  --depth=CALLERS  so many of a chain tell call sites apart (default 1)\n"
		   "  --innermost      call sites are where memory is requested, not in the "
		   "program's own code\n"
		   "  --filter=TEXT --rows=N|all   only rows with that; so many are printed "
		   "(default 40)\n" },
	{ FOR_TOP, "  --data=FILE --engine=trap|fast|auto   (top) if it attaches; -p, "
		   "--pid=PID|NAME\n" },
	{ FOR_DETACH | FOR_CONTROL | FOR_PROBES, "\ndetach, control, probes: -p, --pid=PID|NAME   "
						 "this process\n" },

	{ SEEKS, "\nwhich functions are trapped (run, attach, probes, doctor):\n" },
	{ SEEKS, "  --probes=FILE    those that this file defines, too (man "
			       "mprof.probes)\n" },
	{ SEEKS, "  --hook=KIND:NAME one more: malloc, calloc, realloc, free; "
			       "KIND:0xADDRESS without a name\n" },
	{ SEEKS, "  --malloc-lib=NAME         look only in this library; NONE: only "
			       "in the program\n" },
	{ SEEKS, "  --client-requests=yes|no  obey what a program built with "
			       "valgrind.h tells (default yes)\n" },

	{ FOR_RUN, "\nmprof run ends as the program ended: with its exit status, or by its "
		   "signal; a --fail-if\nthat is so comes first.\n" },
	{ FOR_RUN, "Other statuses: 126, 127 the program cannot be run, was not found; 2 wrong "
		   "usage; 1 anything else.\n" },
	{ FOR_ATTACH | FOR_TOP,
	  "\nStatuses: 3 to 9 that process cannot be attached to; 10 no allocator "
		      "found; 2 wrong usage;\n"
		      "1 anything else.\n" },
	{ FOR_DOCTOR, "\nStatuses: 0 it can be profiled; else that with which attach or run "
		      "would end: 3 to 10, 126, 127;\n"
		      "2 wrong usage; 1 anything else.\n" },
	{ FOR_CONTROL | FOR_STATUS, "\n  --format=text|json        (control, status) for people "
				    "(default), or for programs\n" },
	{ FOR_DETACH | FOR_CONTROL, "\nStatuses: 11 no session; 2 wrong usage; 1 anything "
				    "else.\n" },
	{ FOR_ALL, "\nmprof help COMMAND tells of one command; mprof --version tells the version; "
		   "man mprof everything.\n" },
};

static void print_usage(const char *usage, const char *before, FILE *out)
{
	for (const char *line = usage; *line; line += strcspn(line, "\n") + 1) {
		fprintf(out, "%s%.*s\n", before, (int)strcspn(line, "\n"), line);
		before = "       ";
	}
}

/* A line for each kind of argument of commands. */
static void print_control_usage(const char *before, FILE *out)
{
	static const char *const takes[] = { "", " [FILE]", " [REASON]" };

	for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
		fprintf(out, "%smprof control PID ", before);
		control_print_names_of(takes[i], out);
		fprintf(out, "%s\n", takes[i]);
		before = "       ";
	}
}

static void print_usage_of(size_t command, const char *before, FILE *out)
{
	if (commands[command].usage)
		print_usage(commands[command].usage, before, out);
	else
		print_control_usage(before, out);
}

static void print_parts(uint64_t flags, FILE *out)
{
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].flags & flags)
			fputs(parts[i].text, out);
}

static void print_all(FILE *out)
{
	fputs("mprof tells where a program's memory is allocated, by whom, and what is never "
	      "freed.\n\n", out);
	for (size_t i = 0; i < N_COMMANDS; i++)
		print_usage_of(i, i ? "       " : "usage: ", out);
	print_usage("mprof [options] [a.out [mprof.data]]        report, as in 1990\n", "       ",
		    out);
	print_parts(UINT64_MAX, out);
}

bool help_print(const char *command, FILE *out)
{
	if (!command) {
		print_all(out);
		return true;
	}
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (strcmp(command, commands[i].name))
			continue;
		print_usage_of(i, "usage: ", out);
		fprintf(out, "\n%s", commands[i].about);
		if (!commands[i].usage)
			control_print_help("  ", 26, out);
		print_parts(commands[i].flags, out);
		fprintf(out, "\nman mprof-%s tells everything.\n", command);
		return true;
	}
	return false;
}

const char *help_command(size_t i, uint64_t *flags)
{
	if (i >= N_COMMANDS)
		return NULL;
	*flags = commands[i].flags;
	return commands[i].name;
}

void help_try_commands(struct nearest *n)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		nearest_try(n, commands[i].name);
}
