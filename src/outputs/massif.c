/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/massif.h"

#include "base/array.h"
#include "base/replace.h"
#include "massif/forest.h"
#include "massif/icount.h"
#include "naming/jit_map.h"
#include "naming/kept.h"
#include "session/filename.h"
#include "session/saving.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { AHEAD_S = 1 };

struct massif_output {
	struct output base;
	bool names_read;	/* they have been read ahead of time */
	struct outputs *all;
	const struct module_files *files;
	struct symbols_search search;
	struct namer namer;
	struct resolve_kept *kept;
	pid_t tracer;
	struct resolve_module *modules;
	size_t n_modules, cap_modules;
	struct massif_host host;
	char *elsewhere;	/* files are written there, instead of where the option says; NULL:
				   they are not */
};

/* ---- a session ---- */

/* With these filters each new context is looked up at once, while the program waits. */
static bool names_decide(const struct massif_output *m)
{
	const struct massif_filter *f = &m->host.settings->filter;

	return (f->ignore_fns && *f->ignore_fns) || (f->alloc_fns && *f->alloc_fns);
}

static void tracer_waits(void *ctx)
{
	const struct massif_output *m = ctx;

	if (getpid() == m->tracer)
		session_waits(m->base.session);
}

/* Out of memory, or the kernel has not what it takes: each context has a process. */
static void keep_process(struct massif_output *m)
{
	const struct resolve_kept_host host = { m->search, m->all->host->say, tracer_waits, m };

	if (m->kept || !resolve_kept_possible())
		return;
	m->tracer = getpid();
	m->kept = resolve_kept_new(&host);
}

/* What the namer needs; called again because modules are mapped while the program runs. */
static struct namer_asks asks_now(void *ctx)
{
	struct massif_output *m = ctx;
	const struct module_files *files = m->files;

	if (names_decide(m))
		keep_process(m);
	/* Out of memory: the module has no names. */
	while (m->n_modules < files->n &&
	       !ARRAY_RESERVE(&m->modules, &m->cap_modules, m->n_modules)) {
		const struct module_file *f = &files->files[m->n_modules];

		m->modules[m->n_modules++] = (struct resolve_module){ f->path, f->fd };
	}
	return (struct namer_asks){ .search = m->search, .files = m->modules,
				    .n_files = m->n_modules, .jit_map = -1,
				    .say = m->all->host->say, .kept = m->kept };
}

static struct massif_output *of(struct output *o)
{
	return (struct massif_output *)o;
}

static int begins(struct output *o, struct image *i)
{
	struct massif_recorder *r = massif_recorder_new(&of(o)->host, i->profile, i->pid);

	if (!r)
		return -ENOMEM;
	session_record(i, o, massif_recorder_base(r));
	return 0;
}

/* %n in the file's name asks for a file for each; and for pages it is not known here how much
 * memory a program took. */
static bool keeps_execs(const struct output *o)
{
	const struct massif_files *m = &((const struct massif_output *)o)->all->settings.massif;

	return m->settings.pages || filename_has(m->file, 'n');
}

static int write_image(struct output *o, struct image *i, bool superseded);
static void read_names_ahead(struct output *o);

static void leave(struct output *o)
{
	massif_output_free(of(o));
}

static const struct output_ops ops = {
	.file = "the massif file",
	.begins = begins,
	.write = write_image,
	.keeps_execs = keeps_execs,
	.ahead = read_names_ahead,
	.leave = leave,
};

int massif_output_new(struct massif_output **out, struct outputs *all)
{
	struct massif_output *m;

	*out = NULL;
	if (!all->settings.massif.file)
		return 0;
	m = calloc(1, sizeof *m);
	if (!m)
		return -ENOMEM;
	m->base = (struct output){ .ops = &ops, .ahead_s = AHEAD_S };
	m->all = all;
	m->files = all->session->observer->files;
	m->search = all->settings.search;
	m->host = (struct massif_host){ &all->settings.massif.settings, &m->namer, asks_now, m,
					&proc_stacks, &proc_pages, &perf_instructions };
	*out = m;
	return session_add_output(all->session, &m->base);
}

void massif_output_free(struct massif_output *m)
{
	if (!m)
		return;
	namer_release(&m->namer);
	resolve_kept_free(m->kept);
	free(m->modules);
	free(m->elsewhere);
	free(m);
}

/* ---- files ---- */

/* The name that the option says; with .PID for all processes but the first unless it has %p, and
 * with .N for what was before an exec or a restart unless it has %n. */
static char *file_name(const struct massif_output *m, const struct image *i, bool superseded,
		       struct error *e)
{
	unsigned nth = i->of[m->base.slot].nth;
	struct filename_whose w = { .pid = i->pid, .further = i->pid != m->base.session->root,
				    .before_pid = '.', .number = superseded ? nth : 0,
				    .nth = nth };

	if (m->elsewhere)
		return filename_derived(m->elsewhere, &w, e);
	return filename_of(m->all->settings.massif.file, &w, e);
}

char *massif_file_name(const struct massif_output *m, const struct image *i, struct error *e)
{
	return file_name(m, i, i->over, e);
}

static struct massif_recorder *recorder_of(const struct massif_output *m, const struct image *i)
{
	return massif_recorder_of(i->of[m->base.slot].recorder);
}

/* What replace_stream() is to write. */
struct file_of {
	const struct massif_heading *heading;
	const struct massif_snapshot *snapshots;
	size_t n;
	const struct massif_forest *forest;
};

static int print_file(FILE *out, void *ctx)
{
	const struct file_of *f = ctx;

	return massif_write(out, f->heading, f->snapshots, f->n, f->forest);
}

static bool any_detail(const struct massif_snapshot *snapshots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (snapshots[i].detail)
			return true;
	return false;
}

/* Make the tree of all contexts, with the names of the process's generated code as of now. */
static int plant(struct massif_forest *forest, struct massif_output *m, const struct image *i,
		 struct massif_recorder *r)
{
	struct namer_asks how = asks_now(m);

	how.jit_map = jit_map_open(i->pid);
	int err = massif_forest_init(forest, r, m->host.settings, &how);

	if (how.jit_map >= 0)
		close(how.jit_map);
	return err;
}

/* Write a file with these snapshots of a recorder. Without a tree no name is looked up. */
static int write_file(struct massif_output *m, const struct image *i,
		      struct massif_recorder *r, const struct massif_snapshot *snapshots, size_t n,
		      const char *path, struct error *e)
{
	struct massif_forest forest = { 0 };
	struct massif_heading heading = { m->all->settings.massif.desc, i->command,
					  m->host.settings->unit };
	struct file_of file = { &heading, snapshots, n, &forest };
	int err = any_detail(snapshots, n) ? plant(&forest, m, i, r) : 0;

	if (err)
		error_set(e, err, "cannot write %s: out of memory", path);
	else
		err = replace_stream(path, "massif.out.", print_file, &file, e);
	massif_forest_release(&forest);
	return err;
}

int massif_moment_take(const struct massif_output *o, const struct image *i,
		       enum massif_file_kind kind, struct massif_moment *m)
{
	*m = (struct massif_moment){ .recorder = recorder_of(o, i) };
	if (!m->recorder)
		return -ENOMEM;
	if (kind == MASSIF_ALL_SNAPSHOTS) {
		const struct massif_table *t = massif_recorder_table(m->recorder);

		m->snapshots = t->snapshots;
		m->n = t->n;
		return 0;
	}
	m->snapshots = &m->one;
	m->n = 1;
	return massif_recorder_snapshot(m->recorder, kind == MASSIF_DETAILED_SNAPSHOT, &m->one);
}

void massif_moment_release(struct massif_moment *m)
{
	free(m->one.detail);
}

int massif_moment_write(struct massif_output *o, const struct image *i,
			const struct massif_moment *m, const char *path, struct error *e)
{
	return write_file(o, i, m->recorder, m->snapshots, m->n, path, e);
}

static void tell_what_is_missing(say_fn *say, const struct image *i,
				 const struct massif_recorder *r)
{
	const struct icount *counter = massif_recorder_instructions(r);

	if (massif_recorder_lost(r))
		say_to(say,
		       "process %d: %" PRIu64
		       " events are missing from its massif file: out of memory",
		       (int)i->pid, massif_recorder_lost(r));
	if (icount_error(counter))
		say_to(say,
		       "process %d: not all of its instructions could be counted (%s): too little "
		       "time in its massif file", (int)i->pid, strerror(-icount_error(counter)));
	if (icount_estimated(counter))
		say_to(say,
		       "process %d: others used the processor's counter, too: the time in its "
		       "massif file is an estimate",
		       (int)i->pid);
}

static int write_image(struct output *o, struct image *i, bool superseded)
{
	struct massif_output *m = of(o);
	say_fn *say = m->all->host->say;
	struct massif_recorder *r = recorder_of(m, i);
	struct error e = { "out of memory" };
	char *path = r ? file_name(m, i, superseded, &e) : NULL;

	if (!r)
		return 0;
	int err = -ENOMEM;
	if (path) {
		const struct massif_table *t = massif_recorder_table(r);

		err = write_file(m, i, r, t->snapshots, t->n, path, &e);
	}
	if (massif_recorder_names(r))
		m->all->host->named(m->all->host_ctx, massif_recorder_names(r));
	if (err)
		unwritten_say(m->all, "process %d: no massif file: %s", (int)i->pid, e.text);
	else
		say_to(say, "the massif file of process %d is %s", (int)i->pid, path);
	tell_what_is_missing(say, i, r);
	free(path);
	return err;
}

bool massif_is_unwritten(const struct massif_output *m, const struct image *i)
{
	return !i->of[m->base.slot].written;
}

int massif_save_elsewhere(struct massif_output *m, struct image *i, const char *path)
{
	char *before = m->elsewhere;

	m->elsewhere = strdup(path);
	int err = m->elsewhere ? write_image(&m->base, i, i->over) : -ENOMEM;
	if (!m->elsewhere)
		unwritten_say(m->all, "cannot write %s: out of memory", path);
	i->of[m->base.slot].written = !err;
	free(err ? m->elsewhere : before);
	if (err)
		m->elsewhere = before;
	return err;
}

/* ---- names ahead of time ---- */

/* What a forked child reads. */
struct ahead {
	struct massif_output *output;
	const struct image *image;
	struct massif_moment moment;
};

static int read_names(void *ctx)
{
	struct ahead *a = ctx;
	struct error e;

	setpriority(PRIO_PROCESS, 0, 19);
	massif_moment_write(a->output, a->image, &a->moment, "/dev/null", &e);
	massif_output_free(a->output);
	return 0;
}

/*
 * The first tree takes longest, since all symbols have to be read. So at age AHEAD_S a forked child
 * with the lowest priority reads them into the cache of names.
 */
static void read_names_ahead(struct output *o)
{
	struct session *s = o->session;
	struct ahead a = { .output = of(o), .image = session_observed_image(s, s->root) };

	if (a.output->names_read || !a.image)
		return;
	a.output->names_read = true;
	if (massif_moment_take(a.output, a.image, MASSIF_DETAILED_SNAPSHOT, &a.moment))
		return;
	session_read_ahead(s, read_names, &a);
	massif_moment_release(&a.moment);
}
