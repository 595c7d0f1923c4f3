/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that are not seen, because something is short or because the program has overwritten its
 * code. */
#include "breakpoints/watch_internal.h"

#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

void watch_not_in_full(struct watch *w, int err)
{
	struct error e;

	if (w->in_part || (err != -ENOMEM && err != -EMFILE && err != -ENFILE))
		return;
	w->in_part = true;
	error_set(&e, 0, "is not observed in full, there are calls that nobody sees: %s",
		  strerror(-err));
	w->sink->note(w->image, e.text);
}

void watch_say_cut(struct watch *w, uint32_t file)
{
	struct error e;

	if (scan_cut_is_news(&w->shared->scans, &w->shared->files, file, &e))
		w->sink->note(w->image, e.text);
}

void watch_say_gone(struct watch *w, uint32_t file)
{
	struct module_file *f = &w->shared->files.files[file];
	struct error e;

	if (f->told_gone || !module_file_is_gone(f))
		return;
	f->told_gone = true;
	error_set(&e, 0, "has mapped %s, and to read that takes " MODULE_FILE_TAKES
			 ": calls of its functions are not seen, and no names of them",
		  f->path);
	w->sink->note(w->image, e.text);
}

static bool is_undone(const struct watch *w, const struct breakpoint *bp)
{
	uint8_t now;

	return bp->roles & BREAKPOINT_ENTRY && !bp->lifted &&
	       address_space_read(w->space, bp->at, &now, 1) == 1 &&
	       !breakpoint_is_in_place(w->space, bp);
}

void watch_say_undone(struct watch *w)
{
	struct error e;
	unsigned n = w->engine ? w->shared->engine->undone(w->engine) : 0;

	if (w->suspended)
		return;
	for (size_t i = 0; i < w->breakpoints.n; i++)
		n += is_undone(w, &w->breakpoints.v[i]);
	if (!n)
		return;
	error_set(&e, 0, "has changed its own code in %u function%s that %s observed there: their "
			 "calls have not been seen since",
		  n, text_plural(n), n == 1 ? "was" : "were");
	w->sink->note(w->image, e.text);
}
