/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/target.h"

#include "attach/permission.h"
#include "attach/supported.h"
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

/* A thread that makes an exec takes over the leader's tid; a reader of /proc may see it under
 * neither number meanwhile. So several readings have to find no live thread. */
static bool has_live_threads(pid_t pid)
{
	enum { LOOKS = 10 };
	bool live = false;

	for (int i = 0; i < LOOKS && !live; i++)
		live = proc_tasks_living(pid);
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

/* A tracer of mprof's is a child of its watchdog: without one it is about to end. */
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
	f.of_another = f.tracer > 0 && f.uid != geteuid() && permission_ask(pid);
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
	/* If we have no permission it would not help to end the other tracer. */
	return f->of_another ? TARGET_NOT_PERMITTED : f->tracer ? TARGET_TRACED : TARGET_FINE;
}

static void why_traced(const struct target_facts *f, struct advice *a)
{
	struct proc_status tracer = proc_status(f->tracer);

	error_set(&a->why, 0, "process %d (%s) traces it already", (int)f->tracer, tracer.name);
	error_set(&a->remedy, 0, "end that first");
}

void target_why(enum target_problem problem, pid_t pid, const struct target_facts *f,
		struct advice *a)
{
	struct permission_facts permission;

	*a = (struct advice){0};
	switch (problem) {
	case TARGET_FINE:
		break;
	case TARGET_NOT_THERE:
		error_set(&a->why, 0, "there is no such process");
		break;
	case TARGET_ZOMBIE:
		error_set(&a->why, 0, "it has ended and is a zombie that its parent has not waited "
				      "for");
		break;
	case TARGET_KERNEL_THREAD:
		error_set(&a->why, 0, "it is a kernel thread and runs no program");
		break;
	case TARGET_TRACED:
		why_traced(f, a);
		break;
	case TARGET_NOT_PERMITTED:
		permission = permission_look(pid);
		permission_why(&permission, a);
		break;
	case TARGET_OURSELVES:
		error_set(&a->why, 0, "that is mprof itself");
		break;
	case TARGET_UNSUPPORTED:
		if (!program_unsupported(pid, a))
			error_set(&a->why, 0, "it was no program that mprof can profile "
					      "when it was looked at");
		break;
	case TARGET_IN_PARENT:
		error_set(&a->why, 0, "until it executes a program it runs in the memory of "
				      "process %d, which has made it",
			  (int)proc_status(pid).ppid);
		error_set(&a->remedy, 0, "attach to that one");
		break;
	case TARGET_RESTLESS:
		error_set(&a->why, 0, "its threads come and go faster than they can be held, and "
				      "it has been left alone");
		error_set(&a->remedy, 0, "try again");
		break;
	}
}
