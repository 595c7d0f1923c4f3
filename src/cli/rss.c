/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof rss PID: what the resident memory of a process is for. */
#include "cli/allocator.h"
#include "cli/look_reach.h"
#include "cli/look_rss.h"
#include "cli/looks.h"
#include "proc/file.h"
#include "proc/status.h"
#include "report/rss.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Read while the process is held. */
struct rss_command {
	const struct options *options;
	struct look look;
	char *smaps, *rollup, *status;
	struct resident resident;
	struct rss rss;
	struct rss_report report;
};

static void forget(struct rss_command *c)
{
	free(c->smaps);
	free(c->rollup);
	free(c->status);
	c->smaps = c->rollup = c->status = NULL;
	resident_release(&c->resident);
}

/* Each page of private mappings that were written to is classified, even if the program has changed
 * the protection since. */
static int read_pages(struct rss_command *c, const struct still_files *f)
{
	struct still_files all = *f;
	uint64_t left_out = 0;

	all.guarded = true;
	return still_each_page(&c->look.taken.still, &all, &c->resident.zeros_known, &left_out,
			       resident_add, &c->resident);
}

static int read_text(pid_t pid, const char *name, char **text)
{
	*text = proc_read(pid, name, NULL);
	return *text ? 0 : -errno;
}

static int held(void *ctx, const struct still_files *f)
{
	struct rss_command *c = ctx;

	forget(c);
	int err = read_pages(c, f);

	err = err ? err : read_text(f->pid, "smaps", &c->smaps);
	err = err ? err : read_text(f->pid, "status", &c->status);
	c->rollup = proc_read(f->pid, "smaps_rollup", NULL); /* NULL on older kernels */
	return err;
}

/* ---- after the process was let go ---- */

static int take_sums(const struct smap *m, void *ctx)
{
	struct rss_report *r = ctx;

	r->rollup_rss = m->rss;
	r->rollup_pss = m->pss;
	return 0;
}

/* The value in "\nVmPTE:      40 kB" */
static uint64_t kib_in(const char *status, const char *key)
{
	const char *at = strstr(status, key);
	uint64_t kib = 0;

	return at && sscanf(at + strlen(key), "%" SCNu64, &kib) == 1 ? kib * 1024 : 0;
}

static int print(void *ctx, FILE *out)
{
	const struct rss_command *c = ctx;

	return c->options->format == FORMAT_JSON ? report_rss_json(&c->report, out)
						 : report_rss(&c->report, out);
}

static void say_not_divided(const struct look *l)
{
	struct error why;

	look_why_not_walked(l, &why);
	say("the heap of process %d is not divided: %s", (int)l->facts.pid, why.text);
}

static int divide(struct rss_command *c)
{
	const struct look *l = &c->look;
	const struct heap_walk *walk = l->walk_err ? NULL : &l->walk;
	struct rss_facts facts = {&l->taken.still, walk, &c->resident, c->options->modules};

	return rss_divide(&c->rss, &facts, c->smaps);
}

static int tell(struct rss_command *c)
{
	const struct look *l = &c->look;
	struct proc_status status = proc_status_parse(c->status);
	const struct heap_walk *walk = l->walk_err ? NULL : &l->walk;

	if (divide(c)) {
		say("cannot divide the memory of process %d: out of memory", (int)l->facts.pid);
		return STATUS_FAILED;
	}
	c->report = (struct rss_report){.facts = l->facts,
					.rss = &c->rss,
					.walk = walk,
					.rollup_rss = c->rss.total,
					.rollup_pss = c->rss.pss,
					.status_rss = status.vm_rss * 1024,
					.page_tables = kib_in(c->status, "\nVmPTE:"),
					.threads = status.threads};
	/* older kernels have no such file */
	if (c->rollup)
		smaps_each_in(c->rollup, take_sums, &c->report);
	int err = look_print(c->options, print, c);
	if (!err && !walk)
		say_not_divided(l);
	return err;
}

static void release(struct rss_command *c)
{
	rss_release(&c->rss);
	forget(c);
	look_release(&c->look);
}

static int held_for_leaks(void *ctx, const struct still_files *f)
{
	struct rss_command *c = ctx;
	int err = held(c, f);

	return err ? err : look_reach_held(&c->look, f);
}

int rss_measure(const struct options *o, pid_t pid, struct still_holder *holder,
		struct rss_sums *sums, void (*then)(void *ctx, const struct look *l), void *ctx,
		struct error *e)
{
	struct rss_command c = {.options = o,
				.look = {.sealed = true,
					 .held = held_for_leaks,
					 .ctx = &c,
					 .holder = holder}};
	int err = look_repeatedly(&c.look, o, pid, e);

	if (err && !*e->text)
		error_set(e, err, "%s", err == -ESRCH ? "it has ended" : strerror(-err));
	if (!err && divide(&c))
		err = error_set(e, -ENOMEM, "out of memory");
	sums->allocator = c.look.walk.allocator;
	for (size_t i = 0; !err && i < c.rss.n; i++) {
		sums->rss[c.rss.rows[i].kind] += c.rss.rows[i].rss;
		sums->pss[c.rss.rows[i].kind] += c.rss.rows[i].pss;
	}
	if (!err)
		then(ctx, &c.look);
	release(&c);
	return err;
}

int rss_look(const struct options *o, pid_t pid, const struct look_by *by)
{
	struct rss_command c = {
		.options = o,
		.look = {.held = held, .ctx = &c, .holder = by ? by->holder : NULL}};
	int status = look_at(&c.look, o, pid);

	if (!status)
		status = tell(&c);
	release(&c);
	return status;
}

int command_rss(int argc, char **argv)
{
	return look_command("rss", rss_look, argc, argv);
}
