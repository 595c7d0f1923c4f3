/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/unattachable.h"

#include "attach/supported.h"
#include "cli/cli.h"
#include "control/control.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int target_status(enum target_problem p)
{
	static const int statuses[] = {
		[TARGET_FINE] = 0,
		[TARGET_NOT_THERE] = STATUS_NOT_THERE,
		[TARGET_ZOMBIE] = STATUS_ZOMBIE,
		[TARGET_KERNEL_THREAD] = STATUS_KERNEL_THREAD,
		[TARGET_TRACED] = STATUS_TRACED,
		[TARGET_NOT_PERMITTED] = STATUS_NOT_PERMITTED,
		[TARGET_OURSELVES] = STATUS_OURSELVES,
		[TARGET_UNSUPPORTED] = STATUS_UNSUPPORTED,
		[TARGET_RESTLESS] = STATUS_FAILED,
		[TARGET_IN_PARENT] = STATUS_FAILED,
	};

	return statuses[p];
}

static void say_why(pid_t pid, const struct advice *a, const char *what)
{
	struct error e;

	advice_sentence(a, &e);
	say("cannot %s process %d: %s", what, (int)pid, e.text);
}

/* A session of ours is described in more detail than another tracer. */
static void why_traced_by_mprof(pid_t by, const struct target_facts *f, struct advice *a)
{
	*a = (struct advice){ 0 };
	if (by) {
		error_set(&a->why, 0, "a session of mprof traces it already");
		error_set(&a->remedy, 0, "mprof detach %d ends that", (int)by);
	} else if (f->tracer_is_alone) {
		error_set(&a->why, 0, "a session of mprof that was killed traces it still, and is "
				      "about to end (process %d)", (int)f->tracer);
		error_set(&a->remedy, 0, "try again");
	} else {
		error_set(&a->why, 0, "a session of mprof traces it already that was begun with "
				      "another XDG_RUNTIME_DIR or TMPDIR or by another user");
		error_set(&a->remedy, 0, "kill %d ends it, and writes what it writes",
			  (int)f->tracer);
	}
}

void target_advise(enum target_problem p, pid_t pid, const struct target_facts *f,
		   struct advice *a)
{
	pid_t by = p == TARGET_TRACED ? control_tracing(pid) : 0;

	if (by || (p == TARGET_TRACED && f->tracer_is_mprof))
		why_traced_by_mprof(by, f, a);
	else
		target_why(p, pid, f, a);
}

int target_refuse(const char *what, enum target_problem p, pid_t pid, const struct target_facts *f)
{
	struct advice a;

	target_advise(p, pid, f, &a);
	say_why(pid, &a, what);
	return target_status(p);
}

enum target_problem target_at(pid_t pid, struct target_facts *f)
{
	*f = target_look(pid);
	enum target_problem p = target_judge(f, pid, getpid());
	struct advice a;

	return p == TARGET_FINE && program_unsupported(pid, &a) ? TARGET_UNSUPPORTED : p;
}

enum target_problem target_with_threads(pid_t pid, struct target_facts *f)
{
	f->tracer = target_tracer_of_a_thread(pid);
	return target_judge(f, pid, getpid());
}

int target_say_why_not(const char *what, pid_t pid, int err)
{
	struct target_facts f;
	enum target_problem p = target_at(pid, &f);

	if (p == TARGET_FINE && err == -EBUSY && !f.tracer)
		p = target_with_threads(pid, &f);
	if (p == TARGET_FINE)
		p = err == -EADDRINUSE		      ? TARGET_IN_PARENT
		    : err == -EAGAIN || err == -EBUSY ? TARGET_RESTLESS
		    : err == -ESRCH		      ? TARGET_NOT_THERE
						      : TARGET_NOT_PERMITTED;
	return target_refuse(what, p, pid, &f);
}

/* The files of a process that is traced, or is mprof, can be read all the same, unless the kernel
 * refuses. */
static enum target_problem reading_problem(const struct target_facts *f, pid_t pid, int err)
{
	enum target_problem p = target_judge(f, pid, getpid());

	if (p != TARGET_FINE && p != TARGET_TRACED && p != TARGET_OURSELVES &&
	    p != TARGET_NOT_PERMITTED)
		return p;
	return err == -ENOENT || err == -ESRCH ? TARGET_NOT_THERE :
	       err == -EACCES || err == -EPERM ? TARGET_NOT_PERMITTED : TARGET_FINE;
}

int target_say_unreadable(pid_t pid, int err)
{
	const struct target_facts f = target_look(pid);
	enum target_problem p = reading_problem(&f, pid, err);
	struct advice a;

	target_why(p, pid, &f, &a);
	if (p != TARGET_FINE)
		say_why(pid, &a, "tell what is mapped in");
	else if (err)
		say("cannot tell what is mapped in process %d: %s", (int)pid, strerror(-err));
	return p == TARGET_FINE && err ? STATUS_FAILED : target_status(p);
}
