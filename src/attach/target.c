/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/target.h"

#include "base/procstat.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PF_KTHREAD = 0x00200000 }; /* linux/sched.h; flags of proc(5), /proc/PID/stat */

/* The value of a line "Field:\tvalue" of /proc/TID/status. */
static bool status_text(pid_t tid, const char *field, char value[128])
{
	char path[64], line[256];
	size_t n = strlen(field);
	bool found = false;

	snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof line, f)) {
		found = !strncmp(line, field, n) && line[n] == ':';
		if (found)
			snprintf(value, 128, "%.127s", line + n + 1 + strspn(line + n + 1, " \t"));
	}
	fclose(f);
	return found;
}

long status_field(pid_t tid, const char *field)
{
	char value[128];

	return status_text(tid, field, value) ? strtol(value, NULL, 10) : -1;
}

bool is_traced_by_us(pid_t tid)
{
	return status_field(tid, "TracerPid") == getpid();
}

static bool is_kernel_thread(pid_t pid)
{
	enum { FLAGS = 9 };
	char path[64], line[1024];
	unsigned long flags = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	if (fgets(line, sizeof line, f)) {
		const char *at = procstat_field(line, FLAGS);

		flags = at ? strtoul(at, NULL, 10) : 0;
	}
	fclose(f);
	return flags & PF_KTHREAD;
}

char status_state(pid_t tid)
{
	char value[128];

	return status_text(tid, "State", value) ? value[0] : 'X';
}

static bool shows_live_thread(pid_t pid)
{
	char path[64];
	bool live = false;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	for (struct dirent *e; d && !live && (e = readdir(d));) {
		pid_t tid = (pid_t)atoi(e->d_name);

		live = tid > 0 && !strchr("ZX", status_state(tid));
	}
	if (d)
		closedir(d);
	return live;
}

pid_t target_tracer_of_a_thread(pid_t pid)
{
	char path[64];
	long tracer = 0;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	for (struct dirent *e; d && tracer <= 0 && (e = readdir(d));) {
		pid_t tid = (pid_t)atoi(e->d_name);

		tracer = tid > 0 ? status_field(tid, "TracerPid") : 0;
		tracer = tracer == getpid() ? 0 : tracer;
	}
	if (d)
		closedir(d);
	return tracer > 0 ? (pid_t)tracer : 0;
}

/* A thread that makes an exec takes the first one's number; who looks meanwhile may see it in neither
 * place. So none is to be seen several times. */
static bool has_live_threads(pid_t pid)
{
	enum { LOOKS = 10 };
	bool live = false;

	for (int i = 0; i < LOOKS && !live; i++)
		live = shows_live_thread(pid);
	return live;
}

/* Does it run the same file as we do? */
static bool runs_our_program(pid_t pid)
{
	char path[64];
	struct stat a, b;

	snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	return !stat(path, &a) && !stat("/proc/self/exe", &b) && a.st_ino == b.st_ino &&
	       a.st_dev == b.st_dev;
}

struct target_facts target_look(pid_t pid)
{
	struct target_facts f = { .state = status_state(pid) };
	long tgid = status_field(pid, "Tgid"), tracer = status_field(pid, "TracerPid");
	long uid = status_field(pid, "Uid");

	f.exists = tgid > 0;
	f.tgid = (pid_t)tgid;
	f.tracer = tracer > 0 ? (pid_t)tracer : 0;
	f.uid = uid >= 0 ? (uid_t)uid : 0;
	f.kernel_thread = f.exists && is_kernel_thread(pid);
	f.mprof = f.exists && runs_our_program(pid);
	f.live_threads = f.exists && has_live_threads(pid);
	return f;
}

enum target_problem target_judge(const struct target_facts *f, pid_t pid, pid_t self)
{
	if (!f->exists)
		return TARGET_NOT_THERE;
	if (pid == self || f->tgid == self || f->mprof)
		return TARGET_OURSELVES;
	if (f->kernel_thread)
		return TARGET_KERNEL_THREAD;
	if (!f->live_threads)
		return TARGET_ZOMBIE;
	return f->tracer ? TARGET_TRACED : TARGET_FINE;
}

static int yama_scope(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (f && fscanf(f, "%d", &scope) != 1)
		scope = 0;
	if (f)
		fclose(f);
	return scope;
}

static void name_of(pid_t pid, char name[128])
{
	if (!status_text(pid, "Name", name))
		strcpy(name, "?");
	name[strcspn(name, "\n")] = '\0';
}

static void explain_permission(pid_t pid, const struct target_facts *f, struct error *e)
{
	int scope = yama_scope();

	if (geteuid() == 0)
		error_set(e, 0,
			  "cannot attach to process %d: not permitted, although we are root: this "
			  "container or sandbox lacks the capability CAP_SYS_PTRACE (docker run "
			  "--cap-add=SYS_PTRACE)", (int)pid);
	else if (f->uid != geteuid())
		error_set(e, 0,
			  "cannot attach to process %d: it belongs to user %u, we are user %u; run mprof "
			  "as that user or as root", (int)pid, (unsigned)f->uid, (unsigned)geteuid());
	else if (scope >= 1)
		error_set(e, 0,
			  "cannot attach to process %d: kernel.yama.ptrace_scope is %d; run mprof as root, "
			  "or start the program with mprof run%s", (int)pid, scope,
			  scope == 1 ? ", or set it to 0" : "");
	else
		error_set(e, 0,
			  "cannot attach to process %d: not permitted; it may have more privileges than we "
			  "have, or may have made itself undumpable (prctl PR_SET_DUMPABLE); run mprof as root",
			  (int)pid);
}

enum target_problem target_explain(enum target_problem problem, pid_t pid,
				   const struct target_facts *f, struct error *e)
{
	char name[128];

	switch (problem) {
	case TARGET_FINE:
		break;
	case TARGET_NOT_THERE:
		error_set(e, 0, "cannot attach to process %d: there is no such process", (int)pid);
		break;
	case TARGET_ZOMBIE:
		error_set(e, 0,
			  "cannot attach to process %d: it has ended and is a zombie that its parent has "
			  "not waited for", (int)pid);
		break;
	case TARGET_KERNEL_THREAD:
		error_set(e, 0, "cannot attach to process %d: it is a kernel thread and runs no program",
			  (int)pid);
		break;
	case TARGET_TRACED:
		name_of(f->tracer, name);
		error_set(e, 0,
			  "cannot attach to process %d: process %d (%s) traces it already; end that first",
			  (int)pid, (int)f->tracer, name);
		break;
	case TARGET_NOT_PERMITTED:
		explain_permission(pid, f, e);
		break;
	case TARGET_OURSELVES:
		error_set(e, 0, "cannot attach to process %d: that is mprof itself", (int)pid);
		break;
	case TARGET_UNSUPPORTED:
		error_set(e, 0, "cannot attach to process %d: it is not a 64-bit program of this machine",
			  (int)pid);
		break;
	case TARGET_RESTLESS:
		error_set(e, 0,
			  "cannot attach to process %d: its threads come and go faster than they can be held, "
			  "and it has been left alone; try again", (int)pid);
		break;
	}
	return problem;
}
