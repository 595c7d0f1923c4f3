/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/mma.h"

#include "base/overwrite.h"
#include "base/stream.h"
#include "mma/group.h"
#include "mma/source.h"
#include "mma/stats_text.h"
#include "session/filename.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mma_output {
	struct output base;
	struct outputs *all;
	struct mma_group *group;
	bool activated;
};

/* ---- logs ---- */

/* mma.log; of another process than the first mma.log.PID, unless the name has %p; and mma.log.PID.N
 * if the kernel has used that pid again. Whether logs are compressed is told by the name before
 * these are added: all of them or none. */
static char *log_name(const struct mma_output *m, pid_t pid, unsigned nth, bool *compress,
		      struct error *e)
{
	struct filename_whose w = { .pid = pid, .further = pid != m->base.session->root,
				    .before_pid = '.',
				    .number = nth ? nth + 1 : 0 };
	char *base = filename_expand(m->all->settings.mma.log_file, pid, e);

	if (!base)
		return NULL;
	*compress = mma_name_is_compressed(base);
	free(base);
	return filename_of(m->all->settings.mma.log_file, &w, e);
}

/* Opening a pipe without a reader would block us, and a process that is stopped meanwhile; only
 * before the program has begun may this wait. */
static int open_file(const struct mma_output *m, pid_t pid, const char *name)
{
	const struct session *s = m->base.session;
	bool may_wait = s->launched && pid == s->root;

	return may_wait ? output_open_for_reader(name, s->foreign)
			: overwrite_open_now(name, s->foreign);
}

static struct mma_file open_log(void *ctx, pid_t pid, unsigned nth)
{
	const struct mma_output *m = ctx;
	struct error e = { "" };
	struct mma_file f = { .fd = -1 };

	f.name = log_name(m, pid, nth, &f.compress, &e);
	if (!f.name) {
		say_to(m->all->host->say, "process %d has no log: %s", (int)pid, e.text);
		return f;
	}
	f.fd = open_file(m, pid, f.name);
	if (f.fd >= 0)
		return f;
	say_to(m->all->host->say,
	       "cannot write the log %s: %s", f.name, overwrite_why(f.fd));
	free(f.name);
	f.name = NULL;
	f.fd = -1;
	return f;
}

static struct mma_output *of(struct output *o)
{
	return (struct mma_output *)o;
}

static void progress(const struct mma_output *m, const char *what)
{
	if (!m->all->settings.mma.plain && !m->all->settings.quiet)
		say_to(m->all->host->say, "%s", what);
}

/* ---- results ---- */

static void written(const struct mma_output *m, const char *name)
{
	char text[1100];

	snprintf(text, sizeof text, "written %s", name);
	progress(m, text);
}

static void closed(void *ctx, const char *name, int err)
{
	const struct mma_output *m = ctx;

	if (err)
		unwritten_say(m->all, "cannot write the log %s: %s", name, strerror(-err));
	else
		written(m, name);
}

static int print_stats(const struct mma_output *m, const char *name)
{
	int fd = output_open_for_reader(name, m->base.session->foreign);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!f)
		return fd >= 0 ? -errno : fd;
	mma_stats_print(mma_group_stats(m->group), !m->all->settings.mma.plain, f);
	return stream_close(f);
}

static int write_stats(const struct mma_output *m)
{
	struct error e;
	char *name = filename_expand(m->all->settings.mma.stats_file, m->base.session->root, &e);

	if (!name) {
		say_to(m->all->host->say, "%s", e.text);
		return -EINVAL;
	}
	int err = print_stats(m, name);
	if (err)
		unwritten_say(m->all, "cannot write the statistics %s: %s", name,
			      overwrite_why(err));
	else
		written(m, name);
	free(name);
	return err;
}

static void say_missed(const struct mma_output *m)
{
	uint64_t unknown, replaced;
	char text[200];

	if (!mma_group_missed(m->group, &unknown, &replaced))
		return;
	snprintf(text, sizeof text,
		 "since it was first suspended: %" PRIu64 " frees of unknown blocks, %" PRIu64
		 " blocks whose free was not seen", unknown, replaced);
	progress(m, text);
}

/* Finish the logs and write the statistics. */
static int finish(struct output *o)
{
	struct mma_output *m = of(o);
	int err = mma_group_close(m->group, closed, m);

	if (err == -ENOMEM || err == -EOVERFLOW)
		unwritten_say(m->all, "the log and its statistics are not complete: out of memory");
	if (m->all->settings.mma.stats_file) {
		int stats_err = write_stats(m);

		err = err ? err : stats_err;
	}
	say_missed(m);
	return err;
}

/* ---- life ---- */

static int begins(struct output *o, struct image *i)
{
	struct mma_output *m = of(o);
	struct recorder *r = mma_group_record(m->group, i->pid, i->profile);

	if (!r)
		return -ENOMEM;
	session_record(i, o, r);
	if (!m->activated)
		progress(m, "activated");
	m->activated = true;
	return 0;
}

static void on_progress(const struct output *o, const char *what)
{
	progress((const struct mma_output *)o, what);
}

static void end(struct output *o, uint64_t now_ns)
{
	mma_group_end(of(o)->group, now_ns);
}

static const struct output_ops ops = { .begins = begins, .progress = on_progress, .end = end,
				       .finish = finish };

int mma_output_new(struct mma_output **out, struct outputs *all)
{
	const struct mma_files *wanted = &all->settings.mma;

	*out = NULL;
	if (!wanted->log_file && !wanted->stats_file)
		return 0;
	struct mma_output *m = calloc(1, sizeof *m);
	if (!m)
		return -ENOMEM;
	struct mma_group_ops group = {
		.open = wanted->log_file ? open_log : NULL, .ctx = m, .humanized = !wanted->plain,
	};

	m->base.ops = &ops;
	m->all = all;
	m->group = mma_group_new(&group);
	if (!m->group) {
		free(m);
		return -ENOMEM;
	}
	*out = m;
	return session_add_output(all->session, &m->base);
}

void mma_output_free(struct mma_output *m)
{
	if (!m)
		return;
	mma_group_free(m->group);
	free(m);
}

void mma_output_flush(struct mma_output *m)
{
	mma_group_flush(m->group);
}

struct mma_stats mma_output_stats(const struct mma_output *m, uint64_t now_ns)
{
	return mma_stats_until(mma_group_stats(m->group), now_ns);
}
