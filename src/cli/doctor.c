/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mprof doctor [PID|PROGRAM]: whether it can be profiled, and what is in the way. Only reads: no
 * process is stopped, seized or sent a signal. Problems are described as by attach and run.
 */
#include "cli/doctor.h"

#include "attach/damage.h"
#include "attach/permission.h"
#include "base/text.h"
#include "cli/doctor_facts.h"
#include "cli/libraries.h"
#include "cli/load_rules.h"
#include "cli/meant.h"
#include "cli/program.h"
#include "cli/stream.h"
#include "cli/unattachable.h"
#include "outputs/own_heaps.h"
#include "probes/no_allocator.h"
#include "proc/status.h"
#include "proc/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- files of a process or a program ---- */

static void note_own_heap(void *ctx, const struct advice *a)
{
	*findings_add(ctx, "own heap", FINDING_WARN) = *a;
}

static int judge_files(struct doctor *d)
{
	struct error why;
	int err = doctor_read_functions(d);

	if (err)
		return err;
	if (!d->trapped.n) {
		struct ownheap heap = {0};
		struct advice a;

		if (d->program < d->files.n)
			heap = d->heaps[d->program];
		heap.unread |= d->trapped.unread;
		no_allocator_why(&heap, &d->files, &a);
		findings_fail(&d->findings, "allocator", STATUS_NO_ALLOCATOR, &a);
	} else {
		err = doctor_judge_functions(d, doctor_fast_refusal(d->tid, &why));
	}
	if (!err)
		err = doctor_read_modules(d);
	if (err)
		return err;
	own_heaps_each(&d->files, d->heaps, own_heaps_python_is_off(d->tid), note_own_heap,
		       &d->findings);
	err = doctor_ask_packages(d);
	return err ? err : doctor_judge_modules(d);
}

/* ---- a process ---- */

static enum target_problem problem_of(const struct doctor *d, struct target_facts *f)
{
	enum target_problem p = target_at(d->pid, f);

	if (p == TARGET_FINE)
		p = target_with_threads(d->pid, f);
	int err = p == TARGET_FINE ? permission_ask(d->tid) : 0;

	return !err ? p : err == -ENOENT || err == -ESRCH ? TARGET_NOT_THERE : TARGET_NOT_PERMITTED;
}

/* The name of the check, in a word. */
static const char *check_of(enum target_problem p)
{
	return p == TARGET_TRACED	   ? "tracer"
	       : p == TARGET_NOT_PERMITTED ? "permission"
	       : p == TARGET_UNSUPPORTED   ? "machine"
					   : "process";
}

/* Judge the cost, measured or not. */
static void judge_calls(struct doctor *d)
{
	struct cost_facts c = {0};
	struct error why;

	if (d->o->count_seconds > 0)
		doctor_count(d, &c, &why);
	judge_cost(&d->findings, &c);
}

static int look_at_process(struct doctor *d)
{
	struct target_facts f;
	struct mappings maps;

	d->tid = proc_tasks_living(d->pid);
	enum target_problem p = problem_of(d, &f);

	if (p != TARGET_FINE) {
		struct advice a;

		target_advise(p, d->pid, &f, &a);
		findings_fail(&d->findings, check_of(p), target_status(p), &a);
		return 0;
	}
	doctor_look_at_process(&d->findings, d->pid, d->tid);
	findings_ok(&d->findings, "tracer", "nobody traces it, and we may");
	int err = mappings_read(d->tid, &d->files, &maps);

	if (err)
		return err;
	d->program = mappings_program(&maps, &d->files, d->tid);
	mappings_release(&maps);
	err = judge_files(d);
	if (!err && d->trapped.n)
		judge_calls(d);
	return err;
}

/* ---- a program ---- */

/* The dynamic linker's error, with which the program would end. Returns 0. */
static int not_loaded(struct doctor *d, int err, struct advice *a)
{
	if (err == -ELIBBAD)
		error_set(&a->remedy, 0,
			  "install the library, or name its folder in "
			  "LD_LIBRARY_PATH");
	else if (err == -ENOEXEC)
		error_set(&a->remedy, 0,
			  "install or build it again: it is damaged, or one of its libraries is");
	findings_fail(&d->findings, "libraries",
		      err == -ELIBBAD ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN, a);
	return 0;
}

/* The program's file, for free(), and in @file what is executed in the end; NULL: it cannot be run,
 * which is a finding. */
static char *runnable(struct doctor *d, const char *name, char file[PATH_MAX])
{
	struct advice a = {0};
	int status;
	char *path = program_find(name, &status, &a);

	if (path) {
		program_in_the_end(path, file);
		if (!program_damaged(file, &a.why))
			return path;
		status = STATUS_CANNOT_RUN;
		error_set(&a.remedy, 0, "install or build %s again", path_last(file));
		free(path);
	}
	findings_fail(&d->findings, "program", status, &a);
	return NULL;
}

static int look_at_program(struct doctor *d, const char *name)
{
	char file[PATH_MAX];
	struct advice a = {0};
	char *path = runnable(d, name, file);
	int err = 0;

	if (!path)
		return 0;
	bool readable = doctor_look_at_program(&d->findings, path, file);

	if (doctor_may_trace_children(&d->findings, STATUS_CANNOT_RUN) && readable) {
		err = libraries_of(file, &d->files, &a.why);
		err = err ? not_loaded(d, err, &a) : judge_files(d);
	}
	free(path);
	return err;
}

/* ---- the command ---- */

/* Find the process or the program; neither: this machine. 0 or a status. */
static int find_meant(struct doctor *d, int argc, char **argv, const char **program)
{
	*program = NULL;
	if (argc && !d->o->pids[0] && !parse_pid(argv[0], &d->pid)) {
		*program = argv[0];
		return 0;
	}
	if (argc + !!d->o->pids[0] > 1) {
		say("doctor: of one process or program at a time. Usage: mprof doctor [options] "
		    "[PID|PROGRAM [ARG...]]");
		return STATUS_USAGE;
	}
	return d->pid ? 0 : meant_process(d->o, NULL, 0, &d->pid);
}

static int look(struct doctor *d, const char *program)
{
	int err = 0;

	if (d->pid)
		err = look_at_process(d);
	else if (program)
		err = look_at_program(d, program);
	else
		doctor_look_at_machine(&d->findings, STATUS_NOT_PERMITTED);
	if (!err)
		return findings_status(&d->findings);
	if (d->pid && (err == -ESRCH || err == -ENOENT))
		return target_say_why_not("look at", d->pid, -ESRCH);
	say("cannot look at %s: %s", program ? program : "it", strerror(-err));
	return STATUS_FAILED;
}

static void describe(const struct doctor *d, const char *program, struct error *of)
{
	if (d->pid)
		error_set(of, 0, "process %d (%s)", (int)d->pid, proc_status(d->pid).name);
	else
		error_set(of, 0, "%s%s", program ? "program " : "", program ? program : "");
}

/* Print the findings; @status: from these. Returns a status. */
static int print(const struct doctor *d, const char *program, int status)
{
	FILE *out = stream_open(d->o);
	struct error of;

	if (!out)
		return STATUS_FAILED;
	describe(d, program, &of);
	int err = (d->o->format == FORMAT_JSON ? doctor_print_json : doctor_print)(d, of.text, out);
	int closed = stream_close(out);

	err = err ? err : closed;
	if (err)
		stream_failed(d->o, err);
	return err ? STATUS_FAILED : status;
}

int command_doctor(int argc, char **argv)
{
	struct options options;
	struct doctor d = {.o = &options, .program = 0};
	const char *program;
	int first = options_parse(&options, "doctor", argc, argv, 2);

	if (first < 0)
		return STATUS_USAGE;
	int status = find_meant(&d, argc - first, argv + first, &program);
	if (!status && options.count_seconds > 0 && !d.pid) {
		say("doctor: --count counts the calls of a process, and none was named");
		status = STATUS_USAGE;
	}
	if (status)
		return status;
	status = load_rules(&d.rules, &options);
	if (!status) {
		status = look(&d, program);
		/* There is nothing to print without any finding. */
		if (d.findings.n && (!status || findings_status(&d.findings)))
			status = print(&d, program, status);
	}
	doctor_release_files(&d);
	return status;
}
