/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/target.h"

#include "proc/file.h"
#include "proc/stat.h"
#include "proc/status.h"
#include "proc/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PF_KTHREAD = 0x00200000 }; /* linux/sched.h; flags of proc(5), /proc/PID/stat */

bool is_traced_by_us(pid_t tid)
{
	return proc_status(tid).tracer == getpid();
}

static bool is_kernel_thread(pid_t pid)
{
	return procstat_number(pid, PROCSTAT_FLAGS) & PF_KTHREAD;
}

static bool shows_live_thread(pid_t pid)
{
	struct proc_tasks tasks;
	bool live = false;

	proc_tasks_open(&tasks, pid);
	for (pid_t tid; !live && (tid = proc_tasks_next(&tasks));) {
		struct proc_status s = proc_status(tid);

		live = proc_status_lives(&s);
	}
	proc_tasks_close(&tasks);
	return live;
}

pid_t target_tracer_of_a_thread(pid_t pid)
{
	struct proc_tasks tasks;
	pid_t tracer = 0;

	if (proc_tasks_open(&tasks, pid))
		return 0;
	for (pid_t tid; !tracer && (tid = proc_tasks_next(&tasks));) {
		tracer = proc_status(tid).tracer;
		tracer = tracer == getpid() ? 0 : tracer;
	}
	proc_tasks_close(&tasks);
	return tracer;
}

/* A thread that makes an exec takes the first one's number; who looks meanwhile may see it in
 * neither place. So none is to be seen several times. */
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
	char path[PROC_PATH];
	struct stat a, b;

	return !stat(proc_path(path, pid, "exe"), &a) && !stat("/proc/self/exe", &b) &&
	       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* A tracer's parent is the process that watches over it. */
static bool is_orphan(pid_t tracer)
{
	pid_t parent = proc_status(tracer).ppid;

	return parent > 0 && !runs_our_program(parent);
}

struct target_facts target_look(pid_t pid)
{
	struct proc_status s = proc_status(pid);
	struct target_facts f = { .exists = s.tgid > 0, .state = s.state, .tgid = s.tgid,
				  .tracer = s.tracer, .uid = s.uid };

	f.kernel_thread = f.exists && is_kernel_thread(pid);
	f.mprof = f.exists && runs_our_program(pid);
	f.tracer_is_mprof = f.tracer > 0 && runs_our_program(f.tracer);
	f.tracer_is_alone = f.tracer_is_mprof && is_orphan(f.tracer);
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

static void why_not_permitted(const struct target_facts *f, struct error *e)
{
	int scope = yama_scope();

	if (geteuid() == 0)
		error_set(e, 0, "not permitted, although we are root: this container or sandbox "
				"lacks the capability CAP_SYS_PTRACE (docker run "
				"--cap-add=SYS_PTRACE)");
	else if (f->uid != geteuid())
		error_set(e, 0, "it belongs to user %u, we are user %u; run mprof as that user or "
				"as root", (unsigned)f->uid, (unsigned)geteuid());
	else if (scope >= 1)
		error_set(e, 0, "kernel.yama.ptrace_scope is %d; run mprof as root, or start the "
				"program with mprof run%s", scope,
			  scope == 1 ? ", or set it to 0" : "");
	else
		error_set(e, 0, "not permitted; it may have more privileges than we have, or may "
				"have made itself undumpable (prctl PR_SET_DUMPABLE); run mprof as "
				"root");
}

void target_why(enum target_problem problem, pid_t pid, const struct target_facts *f,
		struct error *e)
{
	struct proc_status tracer;

	switch (problem) {
	case TARGET_FINE:
		break;
	case TARGET_NOT_THERE:
		error_set(e, 0, "there is no such process");
		break;
	case TARGET_ZOMBIE:
		error_set(e, 0, "it has ended and is a zombie that its parent has not waited for");
		break;
	case TARGET_KERNEL_THREAD:
		error_set(e, 0, "it is a kernel thread and runs no program");
		break;
	case TARGET_TRACED:
		tracer = proc_status(f->tracer);
		error_set(e, 0, "process %d (%s) traces it already; end that first", (int)f->tracer,
			  tracer.name);
		break;
	case TARGET_NOT_PERMITTED:
		why_not_permitted(f, e);
		break;
	case TARGET_OURSELVES:
		error_set(e, 0, "that is mprof itself");
		break;
	case TARGET_UNSUPPORTED:
		error_set(e, 0, "it is not a 64-bit program of this machine");
		break;
	case TARGET_IN_PARENT:
		error_set(e, 0,
			  "until it executes a program it runs in the memory of process %d, "
			  "which has made it; attach to that one", (int)proc_status(pid).ppid);
		break;
	case TARGET_RESTLESS:
		error_set(e, 0, "its threads come and go faster than they can be held, and it has "
				"been left alone; try again");
		break;
	}
}
