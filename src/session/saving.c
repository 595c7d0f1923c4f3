/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/saving.h"

#include "attach/journal.h"
#include "base/reap.h"
#include "base/unfinished.h"

#include <signal.h>

/* ---- profiles ---- */

static void remember(struct session *s, const struct image *i, const char *what, pid_t pid,
		     bool last)
{
	const struct save_child made = { pid, i->pid, what, last, s->host.say };

	save_children_add(&s->save_children, &made);
}

static int save_image(void *ctx)
{
	const struct image *i = ctx;

	return i->session->host.save(i->session, i);
}

void session_save(struct session *s, struct image *i)
{
	save_children_await(&s->save_children);
	session_write_beside(s, i, "the profile", save_image, i);
}

bool session_write_beside(struct session *s, const struct image *i, const char *what,
			  int (*write)(void *ctx), void *ctx)
{
	pid_t pid = s->host.beside(s, write, ctx);

	remember(s, i, what, pid, false);
	return pid >= 0;
}

void session_waits(struct session *s)
{
	journal_beats(s->save_children.journal);
}

/* ---- files of outputs ---- */

static bool is_unwritten(const struct output *o, const struct image *i)
{
	return o->ops->write && !i->of[o->slot].written;
}

/* Whether the file of an image is wanted may be open as long as the process may exec again. */
static bool is_due(const struct output *o, const struct image *i)
{
	if (!is_unwritten(o, i) || i->fate == EXEC_LEFT_OUT)
		return false;
	return !i->over || i->fate == EXEC_KEPT || (o->ops->keeps_execs && o->ops->keeps_execs(o));
}

/* A file that a save child writes. */
struct file_of {
	struct output *output;
	struct image *image;
	bool superseded;
};

static int write_and_leave(void *ctx)
{
	const struct file_of *f = ctx;
	int err = f->output->ops->write(f->output, f->image, f->superseded);

	/* Keep the names that this child has looked up for the next one. */
	if (f->output->ops->leave)
		f->output->ops->leave(f->output);
	return err;
}

/* The file of the last image is left to the tracer itself: nothing is left to trace meanwhile. */
void session_write_over(struct session *s, struct image *i)
{
	for (unsigned k = 0; k < s->n_outputs; k++) {
		struct file_of f = { s->outputs[k], i, i->over };

		if (!is_due(f.output, i) || (!i->over && !s->observer->ops->tasks(s->observer)))
			continue;
		pid_t pid = s->host.beside(s, write_and_leave, &f);

		i->of[k].written = pid >= 0;
		remember(s, i, f.output->ops->file, pid, pid >= 0);
	}
}

void session_write_restarting(struct session *s, struct image *i)
{
	/* Profiles that were just saved will not be written again. */
	save_children_are_last(&s->save_children);
	for (unsigned k = 0; k < s->n_outputs; k++) {
		struct file_of f = { s->outputs[k], i, true };

		if (!f.output->ops->write)
			continue;
		remember(s, i, f.output->ops->file, s->host.beside(s, write_and_leave, &f), true);
		i->of[k].nth++;
	}
}

int session_write_files(struct session *s, struct image *i)
{
	int err = 0;

	for (unsigned k = 0; k < s->n_outputs; k++) {
		struct output *o = s->outputs[k];

		if (!is_unwritten(o, i))
			continue;
		int e = o->ops->write(o, i, i->over);
		i->of[k].written = !e;
		err = err ? err : e;
	}
	return err;
}

int session_finish_outputs(struct session *s)
{
	int err = 0;

	for (unsigned k = 0; k < s->n_outputs; k++) {
		struct output *o = s->outputs[k];
		int e = o->ops->finish ? o->ops->finish(o) : 0;

		err = err ? err : e;
	}
	return err;
}

bool session_has_unwritten(const struct session *s, const struct image *i)
{
	for (unsigned k = 0; k < s->n_outputs; k++)
		if (is_unwritten(s->outputs[k], i))
			return true;
	return false;
}

/* ---- ahead of time, and afterwards ---- */

void session_read_ahead(struct session *s, int (*read)(void *ctx), void *ctx)
{
	s->reader = s->host.beside(s, read, ctx);
}

static void stop_reader(struct session *s)
{
	if (s->reader <= 0)
		return;
	kill(s->reader, SIGKILL);
	reap(s->reader, NULL);
	unfinished_remove(s->reader);
	s->reader = 0;
}

void session_await_writers(struct session *s)
{
	stop_reader(s);
	save_children_await(&s->save_children);
}
