/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands in the way of profiling: in the machine, a process, a program. */
#include "doctor/judge.h"

#include "base/slowdown.h"
#include "base/text.h"

#include <inttypes.h>

/* ---- the machine ---- */

static void judge_yama(struct findings *f, const struct machine_facts *m, int status)
{
	struct advice a = {0};

	if (m->yama_forbids) {
		error_set(&a.why, 0, "%s", m->yama_forbids);
		error_set(&a.remedy, 0, "%s", m->yama_remedy);
		findings_fail(f, "tracing", status, &a);
	} else if (m->yama && !m->can_trace) {
		findings_warn(
			f, "tracing",
			"run mprof as root, or start the program with mprof run, or set it to 0",
			"kernel.yama.ptrace_scope is %d: mprof run works, mprof attach only as "
			"root",
			m->yama);
	} else {
		findings_ok(f, "tracing", "%s",
			    m->yama ? "kernel.yama.ptrace_scope does not concern us"
				    : "the kernel restricts ptrace by users only");
	}
}

static void judge_capabilities(struct findings *f, const struct machine_facts *m)
{
	if (m->us == 0 && !m->can_trace) {
		findings_warn(f, "rights",
			      "give this container that (docker run --cap-add=SYS_PTRACE)",
			      "root without CAP_SYS_PTRACE: what others run cannot be attached to");
	} else if (m->can_trace) {
		findings_ok(f, "rights", "CAP_SYS_PTRACE%s: everybody's programs",
			    m->can_count ? ", CAP_PERFMON" : "");
	} else {
		findings_ok(f, "rights", "user %u: programs of this user's own", (unsigned)m->us);
	}
}

static void judge_perf(struct findings *f, const struct machine_facts *m)
{
	if (m->perf_paranoid == PARANOID_UNKNOWN) {
		findings_ok(f, "perf",
			    "this kernel has no perf events, which only --time-unit=i "
			    "and --count need");
	} else if (m->perf_paranoid > 2 && !m->can_count) {
		findings_warn(f, "perf",
			      "run mprof as root; for --time-unit=i sysctl "
			      "kernel.perf_event_paranoid=2 is enough",
			      "kernel.perf_event_paranoid is %d, and mprof has no CAP_PERFMON: no "
			      "--time-unit=i, no --count",
			      m->perf_paranoid);
	} else {
		findings_ok(f, "perf", "kernel.perf_event_paranoid is %d%s", m->perf_paranoid,
			    m->can_count ? "" : "; --count takes CAP_PERFMON, or root");
	}
}

static void judge_inside(struct findings *f, const struct machine_facts *m)
{
	if (!m->follows_inside)
		findings_warn(f, "inside",
			      "Linux 5.6 has it; a container's seccomp profile has to allow it",
			      "openat2(2) is not there: of a program that has another / no file is "
			      "read whose name goes through a link");
}

static void judge_debug_files(struct findings *f, const struct machine_facts *m)
{
	if (m->debuginfod_urls && !m->debuginfod_library) {
		findings_warn(f, "debug", "install the library of debuginfod, or unset that",
			      "DEBUGINFOD_URLS is set, but there is no libdebuginfod.so.1");
	} else {
		findings_ok(f, "debug", "debug files: %s%s",
			    m->debug_dir ? "/usr/lib/debug" : "none in /usr/lib/debug",
			    m->debuginfod_urls ? ", and of debuginfod"
					       : ", debuginfod is not asked (DEBUGINFOD_URLS)");
	}
}

static void judge_memory(struct findings *f, const struct machine_facts *m)
{
	enum { LITTLE_MIB = 64 };
	if (m->available == UINT64_MAX)
		return;
	if (m->available >> 20 >= LITTLE_MIB) {
		findings_ok(f, "memory", "%" PRIu64 " MiB are left", m->available >> 20);
		return;
	}
	findings_warn(f, "memory", "give this machine, or this container, more",
		      "only %" PRIu64 " MiB of memory are left, before somebody is killed for it",
		      m->available >> 20);
}

static void judge_confinement(struct findings *f, const struct machine_facts *m)
{
	if (!m->unconfined) {
		findings_ok(f, "parsers",
			    "confined: seccomp, Landlock, no capabilities, bounds of memory and "
			    "time");
		return;
	}
	findings_warn(f, "parsers", "run a kernel that has it, or allow it in this container",
		      "who reads the files of programs for names is confined without %s",
		      m->unconfined);
}

void judge_machine(struct findings *f, const struct machine_facts *m, int status)
{
	findings_ok(f, "kernel", "%s", m->kernel);
	judge_yama(f, m, status);
	judge_capabilities(f, m);
	if (m->fast_lacks) {
		findings_warn(f, "engine", "nothing need be done: the default is --engine=trap",
			      "--engine=fast cannot be used: %s", m->fast_lacks);
	} else {
		findings_ok(f, "engine", "processor and kernel have what --engine=fast needs");
	}
	judge_perf(f, m);
	judge_inside(f, m);
	judge_debug_files(f, m);
	judge_confinement(f, m);
	judge_memory(f, m);
}

/* ---- a process ---- */

void judge_process(struct findings *f, const struct process_facts *p)
{
	findings_ok(f, "process", "%lu thread%s, user %u", p->threads, text_plural(p->threads),
		    (unsigned)p->uid);
	if (p->pid_namespaces)
		findings_ok(f, "container",
			    "in another pid namespace, where it is process %d%s%s; its files are "
			    "found by /proc",
			    (int)p->inner, p->other_root ? ", with another /" : "",
			    p->other_user_ns ? ", in another user namespace" : "");
	else if (p->other_root || p->other_user_ns)
		findings_ok(f, "container", "it has another %s; its files are found by /proc",
			    !p->other_root	? "user namespace"
			    : !p->other_user_ns ? "/"
						: "/ and user namespace");
	if (p->seccomp && !p->can_admin) {
		findings_warn(f, "seccomp",
			      "leave it at --engine=trap, or run mprof with CAP_SYS_ADMIN",
			      "%s restricts its system calls: traps work, --engine=fast does not",
			      p->seccomp == 1 ? "strict seccomp" : "a seccomp filter");
	} else if (p->seccomp) {
		findings_ok(f, "seccomp",
			    "%s restricts its system calls, and mprof makes none by "
			    "it that it would kill it for",
			    p->seccomp == 1 ? "strict seccomp" : "a seccomp filter");
	} else if (p->no_new_privs) {
		findings_ok(f, "seccomp", "no filter; no_new_privs, which is nothing to mprof");
	}
	if (*p->confined)
		findings_ok(f, "confined", "%s, which lets us trace it", p->confined);
}

/* ---- a program ---- */

static const char *rights_of(const struct program_facts *p)
{
	return p->setuid ? "setuid" : p->setgid ? "setgid" : "given capabilities by its file";
}

void judge_program(struct findings *f, const struct program_facts *p)
{
	struct advice *w;

	if (p->script)
		findings_ok(f, "program", "%s is a script: its interpreter %s is profiled",
			    p->script, p->file);
	else
		findings_ok(f, "program", "%s", p->file);
	if (!p->readable) {
		w = findings_add(f, "readable", FINDING_WARN);
		error_set(&w->why, 0,
			  "it may be executed, but not be read: neither its functions "
			  "nor its names can be told");
		error_set(&w->remedy, 0, "chmod +r %s, or run mprof as root", p->file);
	}
	if (!p->setuid && !p->setgid && !p->capabilities)
		return;
	if (p->can_trace) {
		findings_ok(f, "rights", "%s, which holds under mprof, too: it has CAP_SYS_PTRACE",
			    rights_of(p));
		return;
	}
	findings_warn(f, "rights", "run mprof as root, or attach as root to one that runs",
		      "%s: run by mprof it does not get these rights, and may fail", rights_of(p));
}

/* ---- what it will cost ---- */

void judge_cost(struct findings *f, const struct cost_facts *c)
{
	enum { MUCH = 2 }; /* as in mprof top and in the advice to those who run with traps */

	if (!c->asked) {
		findings_ok(f, "slowdown",
			    "not measured: --count=1 counts its calls for a second, "
			    "by breakpoints of the kernel's");
		return;
	}
	if (c->seconds <= 0) {
		findings_warn(f, "slowdown",
			      "none is needed; mprof status tells while it is attached",
			      "not measured: %s", c->why_not);
		return;
	}
	double calls = (double)c->calls / c->seconds;
	double traps = 1 + (double)c->stops / c->seconds * c->stop_ns / 1e9;
	const struct cost_span alone = {.ran_ns = (uint64_t)(c->seconds * 1e9)};
	struct advice *a = findings_add(f, "slowdown", traps > MUCH ? FINDING_WARN : FINDING_OK);

	error_set(&a->why, 0,
		  "%.0f calls a second; a stop takes %.1f us here at least, so traps make of a "
		  "second %.2f or more",
		  calls, c->stop_ns / 1e3, traps);
	if (traps > MUCH)
		error_set(&a->remedy, 0,
			  "--engine=fast makes about %.2f of it, unless a line says that it "
			  "cannot be used",
			  slowdown_of_calls(&alone, c->calls));
}
