/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof heap PID: what is on the heap, including blocks from before any session. */
#include "cli/classes.h"
#include "cli/look.h"
#include "cli/looks.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct heap_command {
	const struct options *options;
	struct heap_report report;
	struct heap_class_rows classes;
	int mem; /* memory of the process; -1: not open yet */
};

static void close_memory(struct heap_command *c)
{
	if (c->mem >= 0)
		close(c->mem);
	c->mem = -1;
}

/* Read-only memory is not in the copy, and does not change: it is read later. */
static int keep_memory(void *ctx, const struct still_files *f)
{
	struct heap_command *c = ctx;

	close_memory(c);
	c->mem = fcntl(f->mem, F_DUPFD_CLOEXEC, 0);
	return c->mem < 0 ? -errno : 0;
}

static int print(void *ctx, FILE *out)
{
	const struct heap_command *c = ctx;

	return c->options->format == FORMAT_JSON ? report_heap_json(&c->report, out)
						 : report_heap(&c->report, out);
}

static int tell(struct heap_command *c, const struct look *l)
{
	char version[LOOK_VERSION];

	if (c->options->classes && classes_of(&c->classes, &l->walk, &l->taken.still, l->facts.pid,
					      c->mem)) {
		say("cannot tell the classes on the heap of process %d: out of memory",
		    (int)l->facts.pid);
		return STATUS_FAILED;
	}
	c->report = look_heap(l, c->options, version);
	c->report.classes = &c->classes;
	int status = look_print(c->options, print, c);
	if (!status)
		look_say_others(l);
	return status;
}

int heap_look(const struct options *o, pid_t pid, const struct look_by *by)
{
	struct heap_command c = {.options = o, .mem = -1};
	struct look l = {.holder = by ? by->holder : NULL, .held = keep_memory, .ctx = &c};
	int status = look_at(&l, o, pid);

	if (!status)
		status = l.walk_err ? look_refuse(&l) : tell(&c, &l);
	classes_release(&c.classes);
	close_memory(&c);
	look_release(&l);
	return status;
}

int command_heap(int argc, char **argv)
{
	return look_command("heap", heap_look, argc, argv);
}
