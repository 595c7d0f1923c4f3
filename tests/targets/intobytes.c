/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * intobytes PID N: steps N threads of a process that allocates, but not its leader, to the second
 * instruction of malloc(), and leaves the process stopped as by SIGSTOP.
 */
#include "target.h"

#include <dirent.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

enum { STEPS = 5000000, BYTES = 5 };

/* Where the C library begins in a process. */
static unsigned long library_of(int pid)
{
	char name[64], line[512];
	unsigned long at = 0;

	snprintf(name, sizeof name, "/proc/%d/maps", pid);
	FILE *f = fopen(name, "r");
	MUST(f);
	while (!at && fgets(line, sizeof line, f))
		if (strstr(line, "/libc.so.6"))
			at = strtoul(line, NULL, 16);
	fclose(f);
	MUST(at);
	return at;
}

static bool step_into(int tid, unsigned long function)
{
	struct user_regs_struct r;
	int wstatus;

	for (long i = 0; i < STEPS; i++) {
		MUST(!ptrace(PTRACE_GETREGS, tid, NULL, &r));
		if (r.rip > function && r.rip < function + BYTES)
			return true;
		MUST(!ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL));
		MUST(waitpid(tid, &wstatus, __WALL) == tid && WIFSTOPPED(wstatus));
	}
	return false;
}

int main(int argc, char **argv)
{
	MUST(argc > 2);
	int pid = atoi(argv[1]), n = atoi(argv[2]), tids[64], found = 0, wstatus;
	unsigned long function = (unsigned long)malloc - library_of(getpid()) + library_of(pid);
	char name[64];

	snprintf(name, sizeof name, "/proc/%d/task", pid);
	DIR *d = opendir(name);
	MUST(d);
	for (struct dirent *e; found < n && found < 64 && (e = readdir(d));) {
		int tid = atoi(e->d_name);

		if (tid <= pid)
			continue;
		MUST(!ptrace(PTRACE_SEIZE, tid, NULL, NULL) &&
		     !ptrace(PTRACE_INTERRUPT, tid, NULL, NULL));
		MUST(waitpid(tid, &wstatus, __WALL) == tid && step_into(tid, function));
		tids[found++] = tid;
	}
	closedir(d);
	/* Those whom we hold run nothing before they stop for it. */
	MUST(!kill(pid, SIGSTOP));
	for (int i = 0; i < found; i++)
		MUST(!ptrace(PTRACE_DETACH, tids[i], NULL, SIGSTOP));
	say("%d in the bytes\n", found);
	return 0;
}
