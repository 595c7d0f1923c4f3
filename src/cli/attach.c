/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/target.h"
#include "cli/load_rules.h"
#include "cli/massif.h"
#include "cli/output.h"
#include "cli/outputs.h"
#include "attach/supported.h"
#include "cli/program.h"
#include "cli/record.h"
#include "cli/serve.h"
#include "session/signals.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct attach {
	struct options options;
	struct rules rules;
	pid_t pid;
	struct target_facts facts;
};

static int status_of(enum target_problem p)
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
	};

	return statuses[p];
}

static int status_of_refusal(enum unobserved why)
{
	static const int statuses[] = {
		[UNOBSERVED_UNSUPPORTED] = STATUS_UNSUPPORTED,
		[UNOBSERVED_GONE] = STATUS_NOT_THERE,
		[UNOBSERVED_NO_MEMORY] = STATUS_FAILED,
		[UNOBSERVED_NO_ALLOCATOR] = STATUS_NO_ALLOCATOR,
	};

	return statuses[why];
}

static int refuse(enum target_problem p, const struct attach *a)
{
	struct error e;
	pid_t by = p == TARGET_TRACED ? control_tracing(a->pid) : 0;

	target_explain(p, a->pid, &a->facts, &e);
	if (by)
		say("cannot attach to process %d: a session of mprof traces it already; mprof detach %d ends that",
		    (int)a->pid, (int)by);
	else
		say("%s", e.text);
	return status_of(p);
}

/* Looked at again, for the facts may have changed between the first look and the try. */
static enum target_problem why_not(struct attach *a, int err)
{
	enum target_problem p;

	a->facts = target_look(a->pid);
	if (err == -EBUSY && !a->facts.tracer)
		a->facts.tracer = target_tracer_of_a_thread(a->pid);
	p = target_judge(&a->facts, a->pid, getpid());
	if (p != TARGET_FINE)
		return p;
	if (err == -EAGAIN || err == -EBUSY)
		return TARGET_RESTLESS;
	return err == -ESRCH ? TARGET_NOT_THERE : TARGET_NOT_PERMITTED;
}

static void say_attached(const struct serve *v, const struct attach *a)
{
	int pid = (int)a->pid;

	if (!v->control && a->options.background)
		say("attached to process %d", pid);
	else if (!v->control)
		say("attached to process %d; Ctrl-C ends it", pid);
	else if (a->options.background)
		say("attached to process %d; mprof detach %d ends it", pid, pid);
	else
		say("attached to process %d; mprof detach %d, or Ctrl-C, ends it", pid, pid);
}

static int attach_session(struct session *s, struct attach *a, int ready)
{
	struct trap_observer *o = trap_observer_of(s->observer);
	struct serve v = { .session = s, .tracer = trap_observer_tracer(o), .watched = trap_observer_shared(o),
			   .options = &a->options, .end_on_interrupt = true };
	struct error e;

	s->root = a->pid;
	trap_observer_shared(o)->check_unwinding = a->options.check_unwinding;
	session_restrict(s, a->options.min_size, a->options.max_size);
	s->foreign = a->facts.uid != geteuid();
	tracer_set_wait(v.tracer, a->options.wait);
	serve_raise_limit();
	/* First what may fail without having touched the process. */
	if (signals_begin(v.tracer, v.end_on_interrupt)) {
		say("cannot set up signals");
		return STATUS_FAILED;
	}
	if (!serve_open_control(&v, a->pid))
		return STATUS_FAILED;
	watch_prepare(trap_observer_shared(o), a->pid);
	int status = 0, err = tracer_attach(v.tracer, a->pid);
	if (err == -ENOEXEC) {
		tracer_detach_all(v.tracer);
		say("cannot attach to process %d: %s", (int)a->pid, s->refused ? s->refused : "it has ended");
		status = s->refused ? status_of_refusal(s->refused_why) : STATUS_NOT_THERE;
	} else if (err) {
		status = refuse(why_not(a, err), a);
	} else {
		if (a->options.one_cpu && share_one_cpu(a->pid, &e))
			say("%s", e.text);
		say_attached(&v, a);
		supervise_ready(ready);
		status = serve_session(&v) ? STATUS_FAILED : 0;
	}
	control_close(v.control);
	return status;
}

static struct ending trace_attach(struct guard *guard, int ready, void *arg)
{
	struct attach *a = arg;
	struct session s;
	struct ending end = { .status = STATUS_FAILED };

	if (record_open(&s, &a->rules, guard, &a->options))
		say("cannot start: out of memory");
	else
		end.status = attach_session(&s, a, ready);
	record_close(&s);
	return end;
}

int command_attach(int argc, char **argv)
{
	struct attach a;
	int first = options_parse(&a.options, "attach", argc, argv, 2);

	if (first < 0)
		return STATUS_USAGE;
	if (argc - first != 1 || !parse_pid(argv[first], &a.pid)) {
		say("attach: which process? Usage: mprof attach [options] PID");
		return STATUS_USAGE;
	}
	if (!outputs_apart(&a.options))
		return STATUS_USAGE;
	a.facts = target_look(a.pid);
	if (a.facts.exists)
		a.pid = a.facts.tgid; /* a thread's number stands for its process */
	enum target_problem p = target_judge(&a.facts, a.pid, getpid());
	if (p == TARGET_FINE && program_unsupported(a.pid))
		p = TARGET_UNSUPPORTED;
	if (p != TARGET_FINE)
		return refuse(p, &a);
	int status = massif_prepare(&a.options);
	if (status)
		return status;
	if (output_check(&a.options))
		return STATUS_FAILED;
	struct ending end = { .status = load_rules(&a.rules, &a.options) };
	if (!end.status)
		end = supervise(a.options.background, trace_attach, &a);
	rules_release(&a.rules);
	return end_with(end);
}
