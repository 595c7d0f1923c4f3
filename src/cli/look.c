/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/look.h"

#include "cli/allocator.h"
#include "cli/meant.h"
#include "cli/stream.h"
#include "cli/unattachable.h"
#include "proc/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COPIES_MAX = 5 };

int look_meant(const struct options *o, int argc, char **argv, pid_t *pid)
{
	struct pids pids = {0};
	int status = meant_processes(o, argv, (size_t)argc, &pids);

	if (!status && pids.n != 1) {
		say("%s: %s process? Usage: mprof %s [options] PID|NAME", o->command,
		    pids.n ? "of several? which" : "of which", o->command);
		status = STATUS_USAGE;
	}
	*pid = status ? 0 : pids.v[0];
	pids_release(&pids);
	return status;
}

/* True if no arena's mutex, its first word, is locked. Arenas created since the last walk are not
 * checked. */
static bool is_quiet(void *ctx, const struct still_files *f)
{
	const struct look *l = ctx;

	for (size_t i = 0; i < l->walk.n_arenas; i++) {
		uint32_t mutex = 0;

		if (pread(f->mem, &mutex, sizeof mutex, (off_t)l->walk.arenas[i].at) ==
			    sizeof mutex &&
		    mutex)
			return false;
	}
	return true;
}

static int held(void *ctx, const struct still_files *f)
{
	const struct look *l = ctx;

	return l->held ? l->held(l->ctx, f) : 0;
}

/* Copy and walk once. 0 or -errno as still_take(). */
static int look_once(struct look *l, const struct options *o, pid_t pid, struct error *e)
{
	struct still_asked asked = {.pid = pid,
				    .max_pause_ns = o->max_pause_ms * 1000000,
				    .sealed = l->sealed,
				    .running = l->running,
				    .may_run = !strcmp(o->command, "leaks"),
				    .holder = l->holder,
				    .copy_anyway = o->copy_anyway,
				    .is_quiet = is_quiet,
				    .held = held,
				    .ctx = l};

	int err = still_take(&l->taken, &asked, e);
	heap_walk_release(&l->walk);
	if (err)
		return err;
	l->facts.looks += 1 + l->taken.waits;
	l->facts.pause_ns += l->taken.pause.attach_ns + l->taken.pause.held_ns;
	l->walk_err = heap_walk(&l->taken.still, &l->walk);
	return 0;
}

/* True if another look may succeed where this one did not. */
static bool was_in_motion(const struct look *l)
{
	/* Memory that is copied while the process runs is always in motion. */
	for (int i = 0; !l->walk_err && !l->running && i < N_HEAP_CHECKS; i++)
		if (i != CHECK_MEMORY && l->walk.checks[i].failures)
			return true;
	return false;
}

static int status_of(int err, pid_t pid, const struct error *e)
{
	if (!*e->text)
		return target_say_why_not("look at", pid, err);
	say("%s", e->text);
	return err == -STILL_TOO_LONG || err == -STILL_TOO_LARGE ? STATUS_NO_ALLOCATOR
								 : STATUS_FAILED;
}

int look_repeatedly(struct look *l, const struct options *o, pid_t pid, struct error *e)
{
	struct proc_status now = proc_status(pid);

	memcpy(l->name, now.name, sizeof l->name);
	l->facts = (struct look_facts){.pid = pid, .name = l->name};
	unsigned copies = 0;

	do {
		int err = look_once(l, o, pid, e);

		if (err)
			return err;
	} while (was_in_motion(l) && ++copies < COPIES_MAX);
	return 0;
}

void look_why_not_walked(const struct look *l, struct error *e)
{
	const char *other = allocator_not_walked(&l->taken.still);

	if (l->walk_err == -ENOMEM)
		error_set(e, l->walk_err, "out of memory");
	else if (l->walk_err == -EMLINK)
		error_set(e, l->walk_err, "it has several allocators of glibc's kind");
	else if (other)
		error_set(e, l->walk_err, "its allocator is %s, which is not known", other);
	else
		error_set(e, l->walk_err,
			  "nothing has been handed out by glibc's malloc or jemalloc 5.3, and no "
			  "other allocator is known");
}

int look_at(struct look *l, const struct options *o, pid_t pid)
{
	struct target_facts f;
	enum target_problem p = l->holder ? TARGET_FINE : target_at(pid, &f);
	struct error e;

	if (p != TARGET_FINE)
		return target_refuse("look at", p, pid, &f);
	int err = look_repeatedly(l, o, pid, &e);
	return err ? status_of(err, pid, &e) : 0;
}

int look_refuse(const struct look *l)
{
	int pid = (int)l->facts.pid;
	struct error why;

	look_why_not_walked(l, &why);
	if (l->walk_err == -ENOMEM)
		say("cannot walk the heap of process %d: %s", pid, why.text);
	else if (l->walk_err == -EMLINK)
		say("cannot walk the heap of process %d: %s; 'mprof attach %d' counts what they "
		    "hand out from now on",
		    pid, why.text, pid);
	else if (allocator_not_walked(&l->taken.still))
		say("cannot walk the heap of process %d: %s; 'mprof attach %d' counts it from now "
		    "on, 'mprof rss %d' shows its mappings",
		    pid, why.text, pid, pid);
	else
		say("cannot walk the heap of process %d: %s; 'mprof rss %d' shows its mappings",
		    pid, why.text, pid);
	return l->walk_err == -ENOMEM ? STATUS_FAILED : STATUS_NO_ALLOCATOR;
}

struct heap_report look_heap(const struct look *l, const struct options *o,
			     char version[LOOK_VERSION])
{
	allocator_version(l->facts.pid, &l->taken.still, &l->walk, version, LOOK_VERSION);
	return (struct heap_report){.facts = l->facts,
				    .allocator = heap_allocator_names[l->walk.allocator],
				    .version = version,
				    .walk = &l->walk,
				    .all_sizes = o->report.level == REPORT_VERBOSE};
}

void look_say_others(const struct look *l)
{
	const char *other = allocator_beside(&l->taken.still, &l->walk);

	if (other)
		say("process %d has %s allocator, too: what that has handed out is not among these",
		    (int)l->facts.pid, other);
}

void look_release(struct look *l)
{
	heap_walk_release(&l->walk);
	still_taken_release(&l->taken);
}

int look_print(const struct options *o, int (*print)(void *ctx, FILE *out), void *ctx)
{
	FILE *out = stream_open(o);

	if (!out)
		return STATUS_FAILED;
	int err = print(ctx, out), closed = stream_close(out);
	err = err ? err : closed;
	if (err)
		stream_failed(o, err);
	return err ? STATUS_FAILED : 0;
}
