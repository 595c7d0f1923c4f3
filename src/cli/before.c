/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/before.h"

#include "base/clock.h"
#include "base/preadall.h"
#include "base/text.h"
#include "base/writeall.h"
#include "cli/allocator.h"
#include "cli/look.h"
#include "session/signals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What the looker reports; the blocks are in the file. */
struct before_told {
	enum { TOLD_NOTHING, TOLD_WHY_NOT, TOLD_SUM, TOLD_BLOCKS } what;
	struct before_sum sum;
	struct error why_not, also;
};

/* ---- in the looker ---- */

/* Blocks are written in batches. */
struct writing {
	int fd, err;
	size_t n;
	struct before_block some[4096];
	struct before_sum sum;
};

static void flush(struct writing *w)
{
	if (!w->err)
		w->err = write_all(w->fd, w->some, w->n * sizeof *w->some);
	w->n = 0;
}

static int put(void *ctx, const struct heap_block *block)
{
	struct writing *w = ctx;

	if (w->n == sizeof w->some / sizeof *w->some)
		flush(w);
	w->some[w->n++] = (struct before_block){block->at, block->usable};
	w->sum.blocks++;
	w->sum.bytes += block->usable;
	return w->err;
}

/* Write the blocks, ordered by address. 0 or -errno. */
static int write_blocks(int fd, const struct heap_blocks *b, struct before_sum *sum)
{
	struct writing *w = calloc(1, sizeof *w);

	if (!w)
		return -ENOMEM;
	w->fd = fd;
	int err = heap_blocks_each_live(b, put, w);
	if (!err) {
		flush(w);
		err = w->err;
	}
	*sum = w->sum;
	free(w);
	return err;
}

/* The first check that has failed; then what was found may be wrong and is not used. A locked mutex
 * is no failure, nor is a free chunk in such an arena that is being moved between lists: if all
 * else is consistent, they belong to the block of a call in progress. */
static const char *doubt(const struct heap_walk *w)
{
	const struct heap_check *c = w->checks;

	for (int i = 0; i < N_HEAP_CHECKS; i++) {
		unsigned allowed =
			i == CHECK_MUTEXES || i == CHECK_BINS ? c[CHECK_MUTEXES].failures : 0;

		if (c[i].failures > allowed)
			return c[i].first;
	}
	return NULL;
}

/* Set what users should know besides. */
static void tell_also(struct before_told *t, const struct look *l)
{
	const struct heap_check *mutexes = &l->walk.checks[CHECK_MUTEXES];
	const char *other = allocator_beside(&l->taken.still, &l->walk);

	if (other)
		error_set(&t->also, 0,
			  "%s is in use, too: what that has handed out is not among these", other);
	else if (mutexes->failures)
		error_set(&t->also, 0, "%s: a block may be missing, or one too many",
			  mutexes->first);
}

static void tell(struct before_look *b, const struct look *l)
{
	struct before_told *t = b->told;
	const char *doubtful = l->walk_err ? NULL : doubt(&l->walk);
	int err = 0;

	if (l->walk_err) {
		look_why_not_walked(l, &t->why_not);
		t->what = TOLD_WHY_NOT;
		return;
	}
	if (doubtful)
		err = error_set(&t->why_not, -EAGAIN, "the allocator's books do not agree: %s",
				doubtful);
	const bool counts = b->serve->options->before == BEFORE_COUNTED;
	const struct heap_sum live = heap_walk_live(&l->walk);

	if (counts)
		t->sum = (struct before_sum){live.n, live.bytes};
	else if (!err && write_blocks(b->blocks, &l->walk.blocks, &t->sum))
		err = error_set(&t->why_not, -ENOMEM, "there is no room for their addresses");
	tell_also(t, l);
	t->what = err ? TOLD_WHY_NOT : counts ? TOLD_SUM : TOLD_BLOCKS;
}

static int look(void *ctx, struct still_holder *holder)
{
	struct before_look *b = ctx;
	struct look l = {.holder = holder};
	struct error e = {""};
	int err = look_repeatedly(&l, b->serve->options, b->pid, &e);

	if (err) {
		error_set(&b->told->why_not, err, "%s", *e.text ? e.text : strerror(-err));
		b->told->what = TOLD_WHY_NOT;
	} else {
		tell(b, &l);
	}
	looker_done(holder);
	return 0;
}

/* ---- in the tracer: while the program is stopped ---- */

/* Read as many blocks as the file has, whatever else was reported. */
static int take_blocks(const struct before_look *b, struct before *to)
{
	size_t size;
	struct before_block *v = pread_whole(b->blocks, &size);

	return v ? before_set(to, v, size / sizeof *v) : -ENOMEM;
}

static void take(struct before_look *b)
{
	struct before *to = &b->serve->session->before;

	if (b->told->what == TOLD_SUM)
		before_count(to, b->told->sum);
	int err = b->told->what == TOLD_BLOCKS ? take_blocks(b, to) : 0;
	if (err)
		b->why = err == -ENOMEM ? "out of memory" : "what was found makes no sense";
	to->walk_ns = b->held_ns + clock_now_ns() - b->stopped_ns;
}

static void give_up(struct before_look *b, const char *why)
{
	looker_end(&b->looker);
	b->why = why;
}

/* The remaining time for which the program may be stopped. */
static uint64_t left_ns(const struct before_look *b)
{
	uint64_t passed = b->held_ns + clock_now_ns() - b->stopped_ns,
		 allowed = b->serve->options->max_pause_ms * 1000000;

	return passed < allowed ? allowed - passed : 0;
}

/* Serve the looker. 0: it is done; 1: let the program run for a moment. */
static int serve_looker(struct before_look *b)
{
	struct still_pause pause = {0};
	struct still_request r;

	for (;;) {
		int err = still_next(b->looker.fd, left_ns(b), &r);

		if (err == -EINTR && !serve_told())
			continue;
		if (err) {
			give_up(b, err == -EAGAIN  ? "that took longer than --max-pause allows"
				   : err == -EPIPE ? "whoever looked has ended"
						   : "we were told to end");
			return 0;
		}
		switch (r.order) {
		case STILL_HOLD:
		case STILL_AGAIN:
			return 1;
		case STILL_LET_GO: /* not yet: breakpoints are planted first, so that nothing is
				      missed */
			pause.held_ns = clock_now_ns() - b->stopped_ns;
			if (still_tell_pause(b->looker.fd, &pause))
				return 0;
			break;
		case STILL_NAME: /* nothing has been observed that could be named */
			give_up(b, "whoever looked makes no sense");
			return 0;
		case STILL_DONE:
			b->done = true;
			take(b);
			looker_end(&b->looker);
			return 0;
		}
	}
}

/* For tracer_look_first(). */
static bool look_first(void *ctx, pid_t pid)
{
	struct before_look *b = ctx;

	if (pid != b->pid || !b->looker.pid)
		return false;
	b->stopped_ns = clock_now_ns();
	if (still_tell_tasks(b->looker.fd, b->serve->tracer, pid)) {
		give_up(b, "it has ended");
		return false;
	}
	bool again = serve_looker(b);

	b->held_ns += clock_now_ns() - b->stopped_ns;
	return again;
}

/* ---- before and after ---- */

static int make_room(struct before_look *b)
{
	b->told = mmap(NULL, sizeof *b->told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (b->told == MAP_FAILED)
		b->told = NULL;
	b->blocks = memfd_create("mprof before", MFD_CLOEXEC);
	return b->told && b->blocks >= 0 ? 0 : -ENOMEM;
}

/* Wait until the looker has measured the memory and made room for a copy, while the program
 * runs. */
static void await_ready(struct before_look *b)
{
	struct still_request r;
	int err;

	do
		err = still_next(b->looker.fd, UINT64_C(1000000000), &r);
	while ((err == -EAGAIN || err == -EINTR) && !serve_told());
	b->ready = !err && r.order == STILL_HOLD;
	if (!b->ready)
		looker_end(&b->looker);
}

void before_begin(struct before_look *b, struct serve *v, pid_t pid)
{
	*b = (struct before_look){.serve = v, .pid = pid, .looker.fd = -1, .blocks = -1};
	before_release(&v->session->before);
	if (v->options->before == BEFORE_UNKNOWN)
		return;
	if (make_room(b) || looker_begin(&b->looker, v, look, b)) {
		b->why = "out of memory";
		return;
	}
	await_ready(b);
	if (b->looker.pid)
		tracer_look_first(v->tracer, look_first, b);
}

static void say_what_came_of_it(const struct before_look *b)
{
	const struct before_told *t = b->told;
	const char *why = b->why;

	/* A looker that was stopped may have reported anything. */
	if (!why && b->ready && !b->done)
		why = "it was executing another program";
	if (!why && t->what != TOLD_SUM && t->what != TOLD_BLOCKS)
		why = t->what == TOLD_WHY_NOT ? t->why_not.text : "whoever looked has ended";
	if (why) {
		say("what process %d had on its heap before is not known: %s", (int)b->pid, why);
		return;
	}
	say("process %d had %" PRIu64 " block%s of %" PRIu64
	    " bytes usable on its heap; it was stopped for %.1f ms for that%s%s",
	    (int)b->pid, t->sum.blocks, text_plural(t->sum.blocks), t->sum.bytes,
	    (double)b->held_ns / 1e6, *t->also.text ? "; " : "", t->also.text);
}

/* The looker has ended, and may have written anything: terminate its strings. */
static void end_texts(struct before_told *t)
{
	if (!t)
		return;
	t->why_not.text[sizeof t->why_not.text - 1] = '\0';
	t->also.text[sizeof t->also.text - 1] = '\0';
}

void before_end(struct before_look *b, bool attached)
{
	tracer_look_first(b->serve->tracer, NULL, NULL);
	looker_end(&b->looker);
	end_texts(b->told);
	if (attached && b->serve->options->before != BEFORE_UNKNOWN)
		say_what_came_of_it(b);
	if (b->told)
		munmap(b->told, sizeof *b->told);
	if (b->blocks >= 0)
		close(b->blocks);
}
