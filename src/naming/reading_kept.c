/* SPDX-License-Identifier: BSD-2-Clause */
/* A confined process that is kept from one question to the next. */
#include "naming/reading_internal.h"

#include "base/writeall.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* A process has answered enough after this many: its limits are for all questions together, and no
 * file should be blamed for reaching them. */
enum { ENOUGH = 4096 };

/* ---- in the process ---- */

static int work_when_asked(void *ctx, int out)
{
	struct reading *r = ctx;
	struct namer namer;
	int err = reading_namer(r, &namer);

	while (!err && !apart_pause()) {
		err = r->ops->work(r, 0, &namer, out);
		reading_is_done();
	}
	namer_release(&namer);
	return err;
}

/* ---- outside ---- */

void reading_end_kept(struct reading *r, struct apart_end *end)
{
	int out = r->kept ? apart_finish(r->kept, end) : -1;

	if (out >= 0)
		close(out);
	r->kept = NULL;
}

/* True: there is one that waits for a question; else see @end. */
static bool begin(struct reading *r, struct apart_end *end)
{
	struct apart_work work;

	r->kept_asked = 0;
	if (reading_work(r, work_when_asked, &work, end))
		return false;
	work.pauses = true;
	r->kept = apart_begin(&work, end);
	free((void *)(uintptr_t)work.fds);
	if (!r->kept || apart_serve(r->kept))
		return r->kept;
	reading_end_kept(r, end);
	return false;
}

/* 0, or -errno: there is no answer, or it is invalid. */
static int ask(struct reading *r, const void *question, size_t size)
{
	int err = ftruncate(r->out, 0) ? -errno : pwrite_all(r->out, question, size, 0);

	err = err ? err : apart_go_on(r->kept);
	if (!err && !apart_serve(r->kept))
		err = -EPIPE;
	r->kept_asked++;
	return err ? err : reading_take_copy(r);
}

/* One that has answered enough is replaced, and one that a process has begun of which this one is a
 * fork is not ours. */
static void end_old(struct reading *r)
{
	struct apart_end end;

	if (r->kept && (r->kept_asked == ENOUGH || !apart_is_ours(r->kept)))
		reading_end_kept(r, &end);
}

/* True: the question has been answered; else no process is kept any more, and see @end. */
static bool is_answered(struct reading *r, const void *question, size_t size, struct apart_end *end)
{
	if ((r->kept || begin(r, end)) && !ask(r, question, size))
		return true;
	reading_end_kept(r, end);
	reading_tell_spoiled(r, end);
	if (!*end->why.text)
		error_set(&end->why, 0, "gave no answer");
	return false;
}

void reading_ask(struct reading *r, const void *question, size_t size)
{
	struct apart_end end;

	r->at = 0;
	r->n = 1;
	end_old(r);
	while (r->tries < READING_TRIES) {
		const bool waited = r->kept;

		if (is_answered(r, question, size, &end))
			return;
		/* If one that waited reads no file, it has not survived the pause. */
		if (waited && end.noted == UINT32_MAX && !r->spoiled)
			continue;
		r->tries = reading_leave_out_noted(r, &end) ? r->tries + 1 : READING_TRIES;
		if (r->tries == READING_TRIES)
			reading_leave_all_out(r, &end.why);
	}
	if (r->ops->without)
		r->ops->without(r, 0);
}

/* Add those of @files that are new; after READING_TRIES none is read. 0 or -ENOMEM. */
static int add_files(struct reading *r, const struct resolve_module *files, size_t n_files)
{
	struct resolve_module *v = reallocarray(r->files, n_files + 1, sizeof *v);

	r->files = v ? v : r->files;
	char **why = v ? reallocarray(r->why, n_files + 1, sizeof *why) : NULL;

	r->why = why ? why : r->why;
	if (!why)
		return -ENOMEM;
	for (; r->n_files < n_files; r->n_files++) {
		r->files[r->n_files] = files[r->n_files];
		r->why[r->n_files] = NULL;
		if (r->tries == READING_TRIES)
			r->files[r->n_files].fd = -1;
	}
	return 0;
}

int reading_keep(struct reading *r, const struct resolve_module *files, size_t n_files)
{
	struct apart_end end;

	if (n_files == r->n_files && r->files)
		return 0;
	reading_end_kept(r, &end);
	return add_files(r, files, n_files);
}
