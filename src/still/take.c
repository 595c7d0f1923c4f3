/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking a still: measure, make room, hold, copy, let go. */
#include "still/take.h"

#include "base/clock.h"
#include "proc/available.h"
#include "proc/status.h"
#include "still/pieces.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum {
	QUIET_TRIES = 5,
	ROOM_TRIES = 4,
	TASK_TRIES = 10,
	SLACK = 4 << 20,	      /* what the program may allocate while room is made */
	HOLDER_SLACK_NS = 1000000000, /* after that the holder ends itself, if we do not end it */
};

static uint64_t with_slack(uint64_t bytes)
{
	return bytes + bytes / 16 + SLACK;
}

uint64_t still_expected_ns(uint64_t bytes, uint64_t tasks, unsigned copiers)
{
	/* How much faster more than two are depends on the machine. */
	return bytes / (copiers > 1 ? 8 : 4) + tasks * 100000;
}

uint64_t still_needed_ns(uint64_t pause_ns, uint64_t copied, uint64_t all)
{
	const double needed = copied ? 1.25 * (double)pause_ns * (double)all / (double)copied : 0;

	return needed < (double)(UINT64_MAX / 2) ? (uint64_t)needed : 0;
}

bool still_fits(uint64_t bytes, uint64_t available, bool anyway)
{
	/* Besides the copy there are the numbers of the blocks found in it: 14 bytes each. */
	uint64_t needed = with_slack(bytes) + bytes / 4;

	return needed <= (anyway ? available : available / 2);
}

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

/* The alternative to a long stop, as the rest of a sentence. */
static const char *or_passes(const struct still_asked *a)
{
	bool is_short = still_expected_ns(0, proc_status(a->pid).threads, 1) <= a->max_pause_ns;

	return a->may_run && !a->running && is_short ? ", and --passes=2 copies it while it runs"
						     : "";
}

static int check_pause(const struct still_asked *a, uint64_t bytes, struct error *e)
{
	uint64_t threads = proc_status(a->pid).threads;
	uint64_t ns =
		still_expected_ns(a->running ? 0 : bytes, threads, pieces_threads());
	char what[64];

	if (ns <= a->max_pause_ns)
		return 0;
	if (a->running)
		snprintf(what, sizeof what, "the stacks of its %" PRIu64 " threads", threads);
	else
		snprintf(what, sizeof what, "its %.0f MiB", mib(bytes));
	return error_set(e, -STILL_TOO_LONG,
			 "process %d is not looked at: to copy %s it would be stopped for about "
			 "%" PRIu64 " ms; --max-pause=%" PRIu64 " allows that%s",
			 (int)a->pid, what, ns / 1000000 + 1, ns / 1000000 + 1, or_passes(a));
}

/* @room: bytes of room that there is already */
static int check_memory(const struct still_asked *a, uint64_t bytes, uint64_t room, struct error *e)
{
	uint64_t available = memory_available() + room;

	if (still_fits(bytes, available, a->copy_anyway))
		return 0;
	return error_set(e, -STILL_TOO_LARGE,
			 "process %d is not looked at: a copy of its %.0f MiB would take %s of the "
			 "%.0f MiB of memory that there are%s",
			 (int)a->pid, mib(bytes), a->copy_anyway ? "all" : "more than half",
			 mib(available),
			 a->copy_anyway ? "" : "; --memory=copy takes it as long as it fits");
}

/* ---- while the program runs ---- */

static int make_room(struct still_taken *t, const struct still_asked *a,
		     const struct still_files *f, struct error *e)
{
	struct still s = {0};
	uint64_t bytes = 0;
	int err = still_read_areas(&s, f);

	if (!err)
		err = still_measure(&s, f, &bytes);
	still_release(&s);
	if (err)
		return err;
	t->measured = bytes;
	err = check_pause(a, bytes, e);
	if (!err)
		err = check_memory(a, bytes, t->room.size, e);
	if (!err && still_room_make(&t->room, with_slack(bytes)))
		err = error_set(e, -ENOMEM, "process %d is not looked at: out of memory",
				(int)a->pid);
	return err;
}

/* ---- while it is held ---- */

static int await_quiet(struct still_taken *t, const struct still_asked *a,
		       const struct still_files *f, struct still_holder *h)
{
	int err = 0;

	for (t->waits = 0; !err && a->is_quiet && t->waits < QUIET_TRIES && !a->is_quiet(a->ctx, f);
	     t->waits++)
		err = still_hold_again(h, &t->still);
	return err;
}

static int open_files(struct still_files *f, const struct still_asked *a)
{
	int err = still_files_open(f, a->pid);

	f->sealed = a->sealed;
	return err;
}

/* The process may have executed another program since the files were opened; now it cannot. */
static int open_again(struct still_files *f, const struct still_asked *a)
{
	still_files_close(f);
	return open_files(f, a);
}

static int look(struct still_taken *t, const struct still_asked *a, struct still_files *f,
		struct still_holder *h)
{
	int err = still_hold(h, a->pid, a->max_pause_ns + HOLDER_SLACK_NS, a->running, &t->still);
	uint64_t until_ns = clock_now_ns() + a->max_pause_ns;

	if (!err)
		err = open_again(f, a);
	if (!err && !a->running)
		err = await_quiet(t, a, f, h);
	if (!err)
		err = still_read_areas(&t->still, f);
	if (!err)
		err = still_copy(&t->still, f, &t->room, a->running ? STILL_STACKS : STILL_ALL,
				 until_ns);
	if (!err && a->held)
		err = a->held(a->ctx, f);
	t->still.running = a->running;
	/* Resume the program first, whatever the result. */
	int late = still_let_go(h, &t->pause);
	err = err ? err : late;
	if (!err && a->running)
		err = still_copy(&t->still, f, &t->room, STILL_NOT_STACKS, UINT64_MAX);
	return err;
}

/* The holder has been killed: not by its own limit, but by another signal. */
static int say_killed(const struct still_asked *a, int err, int wstatus, struct error *e)
{
	if (err != -EPIPE || !WIFSIGNALED(wstatus) || WTERMSIG(wstatus) == SIGALRM)
		return err;
	return error_set(e, err,
			 "process %d was let go before all was copied: the process that held it "
			 "ended with signal %d (%s)",
			 (int)a->pid, WTERMSIG(wstatus), strsignal(WTERMSIG(wstatus)));
}

static int look_once(struct still_taken *t, const struct still_asked *a, struct still_files *f,
		     struct error *e)
{
	struct still_holder h;
	int err = a->holder ? 0 : still_holder_begin(&h);

	if (err)
		return err;
	if (a->holder)
		return look(t, a, f, a->holder);
	err = look(t, a, f, &h);
	return say_killed(a, err, still_holder_end(&h), e);
}

static int say_late(const struct still_taken *t, const struct still_asked *a, struct error *e)
{
	/* With @running only stacks are copied while it is held, and t->room does not tell how long
	 * that takes. */
	uint64_t ns = a->running ? 0
				 : still_needed_ns(a->max_pause_ns, t->room.copied, t->measured);
	char what[64] = "a larger --max-pause";

	if (ns > a->max_pause_ns)
		snprintf(what, sizeof what, "--max-pause=%" PRIu64, ns / 1000000 + 1);
	return error_set(e, -STILL_TOO_LONG,
			 "process %d was let go before all was copied: it had been stopped for "
			 "%" PRIu64 " ms; %s may do%s",
			 (int)a->pid, a->max_pause_ns / 1000000, what, or_passes(a));
}

static int explain(const struct still_taken *t, const struct still_asked *a, int err,
		   struct error *e)
{
	if (err == -EPIPE || err == -ETIME)
		return say_late(t, a, e);
	if (err == -ENOSPC)
		return error_set(
			e, err,
			"process %d is not looked at: it grows faster than room for a copy "
			"can be made",
			(int)a->pid);
	if (err == -ENOMEM)
		return error_set(e, err, "process %d is not looked at: out of memory", (int)a->pid);
	return err;
}

/* Keep the room: making it takes most of the time. */
static void forget(struct still_taken *t)
{
	struct still_room room = t->room;

	still_release(&t->still);
	*t = (struct still_taken){.room = room};
}

static int take(struct still_taken *t, const struct still_asked *a, struct still_files *f,
		struct error *e)
{
	int err = 0;

	for (int i = 0; !err && i < ROOM_TRIES; i++) {
		forget(t);
		err = make_room(t, a, f, e);
		if (err)
			break;
		err = look_once(t, a, f, e);
		if (err != -ENOSPC)
			break;
		err = i + 1 < ROOM_TRIES ? 0 : err;
	}
	return err && !*e->text ? explain(t, a, err, e) : err;
}

static int take_by_files(struct still_taken *t, const struct still_asked *a, struct error *e)
{
	struct still_files f;
	int err = open_files(&f, a);

	*e->text = '\0';
	if (!err)
		err = take(t, a, &f, e);
	still_files_close(&f);
	/* -EIO: the pagemap has no memory behind it any more. */
	return err == -ENOENT || err == -EIO ? -ESRCH : err == -EACCES ? -EPERM : err;
}

int still_take(struct still_taken *t, const struct still_asked *a, struct error *e)
{
	int err = 0;

	forget(t);
	/* The task whose files are open may end at any time, also by another thread's exec. */
	for (int i = 0; i < TASK_TRIES; i++) {
		err = take_by_files(t, a, e);
		if (err != -ESRCH)
			break;
	}
	if (err)
		still_taken_release(t);
	return err;
}

void still_taken_release(struct still_taken *t)
{
	still_release(&t->still);
	still_room_release(&t->room);
	*t = (struct still_taken){0};
}
