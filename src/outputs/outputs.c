/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/outputs.h"

#include "base/overwrite.h"
#include "massif/timeline.h"
#include "outputs/heap.h"
#include "outputs/massif.h"
#include "outputs/mma.h"
#include "outputs/own_heaps.h"
#include "session/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- the timeline that every profile has ---- */

static int begin_timeline(struct output *o, struct image *i)
{
	const struct output_settings *wanted = ((const struct timeline_output *)o)->settings;
	unsigned points = wanted->timeline_points;
	struct timeline *t = NULL;

	profile_keep_series(i->profile, points);
	if (points)
		t = timeline_new(&wanted->massif.settings, points, i->profile);
	if (t)
		session_record(i, o, (struct recorder *)t);
	return points && !t ? -ENOMEM : 0;
}

static const struct output_ops timeline_ops = { .begins = begin_timeline };

/* ---- the environment of programs, which cannot be read after their end ---- */

static int read_environment(struct output *o, struct image *i)
{
	struct environments_output *e = (struct environments_output *)o;

	e->python_is_off = e->python_is_off || own_heaps_python_is_off(i->pid);
	return 0;
}

static const struct output_ops environments_ops = { .begins = read_environment };

/* ---- all ---- */

/* Recorders are begun in this order; the one begun last gets events first. */
int outputs_open(struct outputs *o, struct session *s, const struct output_settings *settings,
		 const struct output_host *host, void *host_ctx)
{
	*o = (struct outputs){ .session = s, .settings = *settings, .host = host,
			       .host_ctx = host_ctx };
	o->timeline = (struct timeline_output){ { .ops = &timeline_ops }, &o->settings };
	o->environments = (struct environments_output){ .base = { .ops = &environments_ops } };
	int err = session_add_output(s, &o->timeline.base);
	if (!err)
		err = session_add_output(s, &o->environments.base);
	if (!err)
		err = massif_output_new(&o->massif, o);
	if (!err)
		err = heap_output_new(&o->heap, o);
	if (!err)
		err = mma_output_new(&o->mma, o);
	return err;
}

void outputs_close(struct outputs *o)
{
	massif_output_free(o->massif);
	heap_output_free(o->heap);
	mma_output_free(o->mma);
	untold_release(&o->untold);
	free(o->left_out_text);
}

void unwritten_say(struct outputs *o, const char *fmt, ...)
{
	struct error e;
	char text[sizeof e.text];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	say_to(o->host->say, "%s", text);
	unwritten_remember(&o->unwritten, text);
}

bool output_replaces(const char *path, uint64_t since_ns)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec < since_ns;
}

int output_open_for_reader(const char *path, bool foreign)
{
	static const struct timespec nap = { .tv_nsec = 20000000 };
	struct stat st;
	int fd;

	if (stat(path, &st) || !S_ISFIFO(st.st_mode))
		return overwrite_open(path, foreign, 0);
	/* A blocking open(2) would be restarted after a signal, or miss one that comes just before
	 * it. */
	while ((fd = overwrite_open(path, foreign, O_NONBLOCK)) == -ENXIO && !serve_told())
		nanosleep(&nap, NULL);
	if (fd >= 0)
		fcntl(fd, F_SETFL, 0);
	return fd >= 0 || !serve_told() ? fd : -ENXIO;
}
