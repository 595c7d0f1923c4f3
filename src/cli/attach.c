/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/apart.h"
#include "cli/before.h"
#include "cli/gating.h"
#include "cli/limits.h"
#include "cli/load_rules.h"
#include "cli/meant.h"
#include "cli/program.h"
#include "cli/record.h"
#include "cli/serve.h"
#include "cli/unattachable.h"
#include "cli/unheard.h"
#include "session/signals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct attach {
	struct options options;
	struct rules rules;
	struct gate gate;
	struct pids pids;	/* those that were asked for */
	bool foreign;		/* one of them is another user's */
};

static int status_of_refusal(enum unobserved why)
{
	static const int statuses[] = {
		[UNOBSERVED_UNSUPPORTED] = STATUS_UNSUPPORTED,
		[UNOBSERVED_GONE] = STATUS_NOT_THERE,
		[UNOBSERVED_NO_MEMORY] = STATUS_FAILED,
		[UNOBSERVED_NO_ALLOCATOR] = STATUS_NO_ALLOCATOR,
		[UNOBSERVED_NO_MEANS] = STATUS_FAILED,
	};

	return statuses[why];
}

/* ---- one process ---- */

/* A process that shares the memory of another one was seized with it (vfork), but is one of those
 * to be profiled. 0 or a status. */
static int begin_sharer(struct serve *v, pid_t pid)
{
	if (!session_add(v->session, pid))
		return 0;
	say("process %d is not followed if it executes another program: out of memory", (int)pid);
	return STATUS_FAILED;
}

/* Attach to a process. 0, or a status: a sentence has been printed, and the process is as
 * before. */
static int begin(struct serve *v, pid_t pid)
{
	struct session *s = v->session;

	if (is_traced_by_us(pid))
		return begin_sharer(v, pid);
	watch_prepare(trap_observer_shared(trap_observer_of(s->observer)), pid);
	struct before_look before;
	before_begin(&before, v, pid);
	s->attaching = pid;
	int err = tracer_attach(v->tracer, pid), status = 0;
	s->attaching = 0;
	before_end(&before, !err);
	if (err == -ENOEXEC) {
		tracer_detach_process(v->tracer, pid);
		say("cannot attach to process %d: %s", (int)pid,
		    s->refused ? s->refused : "it has ended");
		status = s->refused ? status_of_refusal(s->refused_why) : STATUS_NOT_THERE;
		s->refused = NULL;
	} else if (err) {
		status = target_say_why_not("attach to", pid, err);
	} else if (session_add(s, pid)) {
		tracer_detach_process(v->tracer, pid);
		say("cannot attach to process %d: out of memory", (int)pid);
		status = STATUS_FAILED;
	}
	return status;
}

/* Attach to the first process, which gives the session its name. */
static int begin_first(struct serve *v, pid_t pid)
{
	v->session->root = pid;
	if (!serve_open_control(v, pid))
		return STATUS_FAILED;
	int status = begin(v, pid);
	if (status) {
		control_close(v->control);
		v->control = NULL;
	}
	return status;
}

/* ---- all of them ---- */

/* Attach to a child that existed already. One that has ended meanwhile, or is a process of mprof,
 * is skipped; for others that cannot be attached to, the reason is printed. */
static void begin_child(struct serve *v, pid_t pid)
{
	struct target_facts f;

	if (is_traced_by_us(pid)) {
		begin_sharer(v, pid);
		return;
	}
	enum target_problem p = target_at(pid, &f);
	if (p == TARGET_NOT_THERE || p == TARGET_ZOMBIE || p == TARGET_OURSELVES)
		return;
	v->session->foreign |= f.uid != geteuid();
	if (p == TARGET_FINE)
		begin(v, pid);
	else
		target_refuse("attach to", p, pid, &f);
}

/*
 * Attach to all descendants. The children of a process are listed once it is traced: from then on
 * each new child is traced from its beginning. So one look at each process is enough, and this ends
 * however many are created meanwhile. 0 or -ENOMEM.
 */
static int begin_children(struct serve *v, const struct pids *parents)
{
	struct pids tree = { 0 };
	size_t looked = 0;
	int err = 0;

	for (size_t i = 0; !err && i < parents->n; i++)
		err = pids_add(&tree, parents->v[i]);
	while (!err && looked < tree.n) {
		size_t n = tree.n;

		err = processes_add_children(&tree, looked);
		looked = n;
		for (size_t i = n; i < tree.n; i++)
			begin_child(v, tree.v[i]);
	}
	pids_release(&tree);
	return err;
}

/* Count children that exist already as not followed. */
static void count_children(struct serve *v, const struct pids *parents)
{
	struct pids all = { 0 };

	for (size_t i = 0; i < parents->n; i++)
		if (pids_add(&all, parents->v[i]))
			break;
	size_t n = all.n;
	if (!processes_add_children(&all, 0))
		v->session->unfollowed += all.n - n;
	pids_release(&all);
}

static void say_attached(const struct serve *v)
{
	const struct session *s = v->session;
	bool background = v->options->background;
	char which[64], end[64] = "";

	if (v->options->quiet)
		return;
	if (s->n_attached == 1)
		snprintf(which, sizeof which, "process %d", (int)s->root);
	else
		snprintf(which, sizeof which, "%zu processes, the first is "
					      "%d", s->n_attached, (int)s->root);
	if (v->control)
		snprintf(end, sizeof end, "; mprof detach %d%s ends it", (int)s->root,
			 background ? "" : ", or Ctrl-C,");
	else if (!background)
		snprintf(end, sizeof end, "; Ctrl-C ends it");
	say("attached to %s%s", which, end);
}

/* 0, or a status if none could be attached to. */
static int begin_all(struct serve *v, const struct attach *a)
{
	struct session *s = v->session;
	struct error e;
	int status = STATUS_NOT_THERE;

	for (size_t i = 0; i < a->pids.n; i++)
		status = s->n_attached ? begin(v, a->pids.v[i]) : begin_first(v, a->pids.v[i]);
	if (!s->n_attached)
		return status;
	if (a->options.tree && begin_children(v, &a->pids))
		say("not all children are traced: out of memory");
	if (!a->options.trace_children)
		count_children(v, &a->pids);
	if (a->options.one_cpu && share_one_cpu(s->root, &e))
		say("%s", e.text);
	return 0;
}

static int attach_session(struct serve *v, struct attach *a, int ready)
{
	struct error e;

	v->session->foreign = a->foreign;
	limits_raise();
	/* First what may fail, while the process is untouched. */
	if (signals_prepare(&e)) {
		say("%s", e.text);
		return STATUS_FAILED;
	}
	signals_begin(v->tracer, v->end_on_interrupt, say_sentence);
	unheard_begin();
	int status = begin_all(v, a);
	if (!status) {
		say_attached(v);
		supervise_ready(ready);
		unheard_changed();
		status = serve_session(v) ? STATUS_FAILED : 0;
		status = gating_status(v->gate, &a->options, status);
	}
	control_close(v->control);
	return status;
}

static struct ending trace_attach(struct journal *journal, int ready, void *arg)
{
	struct attach *a = arg;
	struct serve v = { .end_on_interrupt = true, .gate = &a->gate };
	struct session s;
	struct ending end = { .status = STATUS_FAILED };

	if (record_open(&v, &s, &a->rules, journal, &a->options))
		say("cannot start: out of memory");
	else
		end.status = attach_session(&v, a, ready);
	record_close(&v);
	return end;
}

/* ---- the command ---- */

/* Check all processes before anything is done to one: 0 or a status. */
static int look_at_all(struct attach *a)
{
	for (size_t i = 0; i < a->pids.n; i++) {
		struct target_facts f;
		enum target_problem p = target_at(a->pids.v[i], &f);

		if (p != TARGET_FINE)
			return target_refuse("attach to", p, a->pids.v[i], &f);
		a->foreign |= f.uid != geteuid();
	}
	return 0;
}

/* 0 or a status. */
static int prepare(struct attach *a, char *const words[], size_t n)
{
	int status = meant_processes(&a->options, words, n, &a->pids);

	if (status)
		return status;
	if (!a->pids.n) {
		say("attach: which process? Usage: mprof attach [options] PID|NAME...");
		return STATUS_USAGE;
	}
	if (a->options.one_cpu && (a->pids.n > 1 || a->options.tree)) {
		say("--wait=pin is for one process: several would share one processor");
		return STATUS_USAGE;
	}
	if (!outputs_apart(&a->options))
		return STATUS_USAGE;
	status = look_at_all(a);
	if (!status && !outputs_are_free(&a->options))
		status = STATUS_USAGE;
	if (!status)
		status = record_prepare(&a->options);
	return status;
}

static int attach(int argc, char **argv, bool needs_control)
{
	struct attach a = { 0 };
	int first = options_parse(&a.options, "attach", argc, argv, 2);

	if (first < 0)
		return STATUS_USAGE;
	a.options.needs_control = needs_control;
	/* Following existing children implies following new ones. */
	if (a.options.tree && !a.options.trace_children_given)
		a.options.trace_children = true;
	struct ending end = { .status = prepare(&a, argv + first, (size_t)(argc - first)) };
	if (!end.status) {
		end.status = load_rules(&a.rules, &a.options);
		int gated = gating_begin(&a.gate, &a.options);
		if (!end.status)
			end.status = gated;
		if (!end.status)
			end = supervise(a.options.background, trace_attach, &a, say_sentence);
		gating_release(&a.gate);
		rules_release(&a.rules);
	}
	pids_release(&a.pids);
	return end_with(end);
}

int command_attach(int argc, char **argv)
{
	return attach(argc, argv, false);
}

int attach_controlled(int argc, char **argv)
{
	return attach(argc, argv, true);
}
