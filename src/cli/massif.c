/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/massif.h"

#include "base/replace.h"
#include "cli/fn_names.h"
#include "session/filename.h"
#include "cli/names.h"
#include "cli/options.h"
#include "cli/unwritten.h"
#include "massif/forest.h"
#include "massif/icount.h"
#include "naming/jit_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the massif files of a session have in common. */
struct massif_session {
	const struct options *options;
	const struct module_files *files;
	struct symbols_search search;
	struct namer namer;
	struct massif_host host;
};

/* ---- beforehand ---- */

static int choose_unit(struct options *o)
{
	struct error e;

	if (o->massif.settings.unit != MASSIF_INSTRUCTIONS ||
	    !icount_possible(&perf_instructions, &e))
		return 0;
	if (o->massif.unit_given) {
		say("--time-unit=i: %s; use --time-unit=ms or B", e.text);
		return STATUS_USAGE;
	}
	say("time is told in milliseconds: %s", e.text);
	o->massif.settings.unit = MASSIF_MS;
	return 0;
}

int massif_prepare(struct options *o)
{
	if (!o->massif.file)
		return 0;
	return choose_unit(o);
}

/* ---- a session ---- */

/* Modules come while the program runs. */
static struct namer *namer_now(void *ctx)
{
	struct massif_session *m = ctx;

	if (!m->namer.symbols && namer_init(&m->namer, &m->search))
		return NULL;
	while (m->namer.n < m->files->n) {
		const struct module_file *f = &m->files->files[m->namer.n];

		if (namer_add_module(&m->namer, f->path, f->fd) < 0)
			return NULL;
	}
	return &m->namer;
}

int massif_session_open(struct session *s, const struct options *o)
{
	struct massif_session *m;

	if (!o->massif.file)
		return 0;
	m = calloc(1, sizeof *m);
	if (!m)
		return -ENOMEM;
	m->options = o;
	m->files = s->observer->files;
	m->search = names_search(o);
	m->host = (struct massif_host){ &o->massif.settings, namer_now, m,
					    &proc_stacks, &proc_pages, &perf_instructions };
	s->massif = m;
	return 0;
}

void massif_session_close(struct session *s)
{
	if (!s->massif)
		return;
	namer_release(&s->massif->namer);
	free(s->massif);
	s->massif = NULL;
}

int massif_image_begin(struct session *s, struct image *i)
{
	if (!s->massif)
		return 0;
	struct massif_recorder *r = massif_recorder_new(&s->massif->host, i->profile, i->pid);

	if (!r)
		return -ENOMEM;
	struct recorder *base = (struct recorder *)r;
	base->next = i->recorders;
	i->recorders = base;
	return 0;
}

/* ---- files ---- */

/* Who gives a name with %n asks for them; and of pages it is not known here how many they are. */
bool massif_keeps_execs(const struct session *s)
{
	const struct massif_options *m = &s->massif->options->massif;

	return m->settings.pages || filename_has(m->file, 'n');
}

/* As the option says; with .PID for all processes but the first unless %p is in it, and with .N for
 * what was before an exec or a restart unless %n is. */
static char *file_name(const struct session *s, const struct image *i, bool superseded,
		       struct error *e)
{
	struct filename_whose w = { .pid = i->pid, .further = i->pid != s->root, .before_pid = '.',
				    .number = superseded ? i->massif_nth : 0,
				    .nth = i->massif_nth };

	return filename_of(s->massif->options->massif.file, &w, e);
}

/* What is written, while replace_file() asks for it. */
struct file_of {
	const struct massif_heading *heading;
	const struct massif_snapshot *snapshots;
	size_t n;
	const struct massif_forest *forest;
};

static int fill(int fd, void *ctx)
{
	const struct file_of *f = ctx;
	int own = dup(fd);
	FILE *out = own >= 0 ? fdopen(own, "w") : NULL;

	if (!out) {
		int err = -errno;

		if (own >= 0)
			close(own);
		return err;
	}
	int err = massif_write(out, f->heading, f->snapshots, f->n, f->forest);
	if (fflush(out) || ferror(out))
		err = err ? err : -errno;
	if (fclose(out))
		err = err ? err : -errno;
	return err;
}

static char *description(const struct options *o)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	options_print_given(o, OF_MASSIF, out);
	fclose(out);
	return text;
}

static bool any_detail(const struct massif_snapshot *snapshots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (snapshots[i].detail)
			return true;
	return false;
}

/* The tree of all contexts, with the names that the process's generated code has by now. */
static int plant(struct massif_forest *forest, const struct session *s, const struct image *i,
		 struct massif_recorder *r)
{
	struct massif_names *names = massif_recorder_names(r);
	struct perfmap jit = { 0 };
	int fd = jit_map_open(i->pid);

	if (fd >= 0 && names && !perfmap_read(&jit, fd))
		names->jit = &jit;
	if (fd >= 0)
		close(fd);
	int err = massif_forest_init(forest, r, s->massif->host.settings);
	if (names)
		names->jit = NULL;
	perfmap_release(&jit);
	return err;
}

/* A file with these snapshots of a recorder. Without a tree no name is looked up. */
static int write_file(const struct session *s, const struct image *i, struct massif_recorder *r,
		      const struct massif_snapshot *snapshots, size_t n, const char *path,
		      struct error *e)
{
	struct massif_forest forest = { 0 };
	char *desc = description(s->massif->options);
	struct massif_heading heading = { desc, i->command, s->massif->host.settings->unit };
	struct file_of file = { &heading, snapshots, n, &forest };
	int err = any_detail(snapshots, n) ? plant(&forest, s, i, r) : 0;

	if (err)
		error_set(e, err, "cannot write %s: out of memory", path);
	else
		err = replace_file(path, "massif.out.", fill, &file, e);
	massif_forest_release(&forest);
	free(desc);
	return err;
}

int massif_moment_take(const struct image *i, enum massif_file_kind kind, struct massif_moment *m)
{
	*m = (struct massif_moment){ .recorder = massif_recorder_find(i->recorders) };
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

int massif_moment_write(const struct session *s, const struct image *i,
			const struct massif_moment *m, const char *path, struct error *e)
{
	return write_file(s, i, m->recorder, m->snapshots, m->n, path, e);
}

static void say_what_is_missing(const struct image *i, const struct massif_recorder *r)
{
	const struct icount *counter = massif_recorder_instructions(r);

	if (massif_recorder_lost(r))
		say("process %d: %" PRIu64
		    " events are missing from its massif file: out of memory",
		    (int)i->pid, massif_recorder_lost(r));
	if (icount_error(counter))
		say("process %d: not all of its instructions could be counted (%s): too little "
		    "time in its massif file", (int)i->pid, strerror(-icount_error(counter)));
	if (icount_estimated(counter))
		say("process %d: others used the processor's counter, too: the time in its massif "
		    "file is an estimate", (int)i->pid);
}

int massif_image_write(const struct session *s, const struct image *i, bool superseded)
{
	struct massif_recorder *r = massif_recorder_find(i->recorders);
	struct error e = { "out of memory" };
	char *path = r ? file_name(s, i, superseded, &e) : NULL;

	if (!r)
		return 0;
	int err = -ENOMEM;
	if (path) {
		const struct massif_table *t = massif_recorder_table(r);

		err = write_file(s, i, r, t->snapshots, t->n, path, &e);
	}
	if (massif_recorder_names(r))
		fn_names_meet_entries(s->massif->options, massif_recorder_names(r));
	if (err)
		unwritten_say("process %d: no massif file: %s", (int)i->pid, e.text);
	else
		say("the massif file of process %d is %s", (int)i->pid, path);
	say_what_is_missing(i, r);
	free(path);
	return err;
}
