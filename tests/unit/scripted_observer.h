/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TEST_SCRIPTED_OBSERVER_H
#define MPROF_TEST_SCRIPTED_OBSERVER_H

/*
 * A session whose programs are a script: no process is observed, none is made. The script is the
 * second implementation of observer.h, and the session's host.
 */
#include "unit/unit.h"

#include "proc/modules.h"
#include "session/execs.h"
#include "session/saving.h"
#include "session/signals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOT = 4711, CHILD = 4712 };

/* What is observed of an image in the script. */
struct observed {
	bool suspended, no_memory;
	unsigned times_resumed;
};

static struct script {
	struct observer base;	/* first */
	struct session *session;
	struct observed observed[8];
	size_t n;
	bool held;
	uint64_t missed;	/* of the first image, when they were let run */
	char calls[400];	/* what the session has asked, word by word */
	char said[400];
	unsigned saves, records, copies, left, rounds;
	bool wants_end;
	void (*runs)(struct session *s); /* what happens when the programs run */
	int run_err;
	const struct image *saved; /* last */
	bool refuse_record, refuse_copy;
	bool disk_full;		/* nothing can be saved, and no file be written */
	char written[400];	/* by the output with files: PID.NTH, and "+" if it is superseded */
	int status;		/* of the copy that was made last */
	unsigned tasks;
	struct observer_effort effort;
	const char *memory;	/* of every program */
} script;

static inline void note(const char *word)
{
	size_t n = strlen(script.calls);

	snprintf(script.calls + n, sizeof script.calls - n, "%s%s", n ? " " : "", word);
}

/* ---- the observer ---- */

static inline void hold(struct observer *o)
{
	(void)o;
	assert_false(script.held);
	script.held = true;
	note("hold");
}

static inline void let_run(struct observer *o)
{
	(void)o;
	assert_true(script.held);
	script.held = false;
	if (script.session->images)
		script.missed = script.session->images->profile->totals.missed;
	note("run");
}

static inline void suspend(struct observer *o, struct observed *of)
{
	(void)o;
	of->suspended = true;
	note("suspend");
}

static inline void resume(struct observer *o, struct observed *of)
{
	(void)o;
	of->suspended = false;
	of->times_resumed++;
	note("resume");
}

static inline struct observed_counts counts(const struct observed *of)
{
	(void)of;
	return (struct observed_counts){ .lost = 1 };
}

static inline bool has_memory(const struct observed *of)
{
	return !of->no_memory;
}

static inline uint32_t program(const struct observed *of)
{
	(void)of;
	return 7;
}

static inline ssize_t read_memory(const struct address_space *s, taddr at, void *buf, size_t len)
{
	(void)s;
	size_t n = script.memory ? strlen(script.memory) + 1 : 0;

	if (!n || at != 0x1000)
		return -5;
	memcpy(buf, script.memory, n < len ? n : len);
	return (ssize_t)(n < len ? n : len);
}

static inline unsigned tasks(struct observer *o)
{
	(void)o;
	return script.tasks;
}

static inline int run(struct observer *o, const volatile sig_atomic_t *stop)
{
	(void)o;
	assert_int_equal(*stop, 0);
	note("go");
	if (script.runs)
		script.runs(script.session);
	return script.run_err;
}

static inline void let_go(struct observer *o)
{
	(void)o;
	note("free");
	script.tasks = 0;
}

/* What a session has cost: as the script says. */
static inline struct observer_effort effort(const struct observer *o)
{
	(void)o;
	return script.effort;
}

static const struct observer_ops ops = {
	.effort = effort, .run = run, .let_go = let_go,
	.hold = hold, .let_run = let_run, .suspend = suspend, .resume = resume, .counts = counts,
	.program = program, .has_memory = has_memory, .read = read_memory, .tasks = tasks,
};

/* ---- who began the session ---- */

enum { FIRST_COPY = 100 };

static inline int save(struct session *s, const struct image *i)
{
	(void)s;
	script.saves++;
	script.saved = i;
	return script.disk_full ? -28 : 0;
}

static inline int snapshot(struct session *s, const struct image *i, const char *why)
{
	(void)s;
	snprintf(script.said, sizeof script.said, "%u: %s", i->snapshots, why);
	return 0;
}

/* What a copy of ourselves would do is done at once. */
static inline pid_t beside(struct session *s, int (*write)(void *ctx), void *ctx)
{
	(void)s;
	if (script.refuse_copy) {
		errno = EAGAIN;
		return -1;
	}
	script.status = write(ctx) ? 0x100 : 0;
	return (pid_t)(FIRST_COPY + script.copies++);
}

static inline void attend(struct session *s)
{
	(void)s;
	script.rounds++;
	note("attend");
}

static inline bool is_over(struct session *s)
{
	(void)s;
	return script.wants_end;
}

static inline void hear(const char *sentence)
{
	snprintf(script.said, sizeof script.said, "%s", sentence);
}

/* Without outputs. */
static inline struct session *begin_with(const struct session_settings *settings)
{
	static const struct session_host host = { .say = hear, .save = save, .snapshot = snapshot,
						  .beside = beside, .attend = attend,
						  .is_over = is_over };
	static struct module_files files;
	static struct session s;

	signals_attention = 0;
	script = (struct script){ .base = { &ops, &files }, .tasks = 3 };
	session_init(&s, settings, &host);
	script.session = &s;
	s.observer = &script.base;
	s.root = ROOT;
	return &s;
}

static inline struct session *begin(bool children)
{
	return begin_with(&(struct session_settings){ .trace_children = children });
}

/* ---- what the script tells ---- */

static inline struct image *start(struct session *s, pid_t pid)
{
	assert_true(session_sink.wanted(s, pid));
	struct image *i = session_sink.begins(s, pid);
	assert_non_null(i);
	session_sink.observed(i, &script.observed[script.n++]);
	return i;
}

static inline struct image *fork_from(struct session *s, struct image *parent, pid_t pid)
{
	struct image *i = session_sink.forked(s, parent, pid);

	if (i)
		session_sink.observed(i, &script.observed[script.n++]);
	return i;
}

static inline void alloc(struct image *i, taddr ptr, uint64_t size)
{
	uint32_t frame = session_sink.frame(i, NO_FILE, 0x400000, false, false);
	struct alloc_event e = { .kind = AE_ALLOC, .task = i->pid, .ptr = ptr, .size = size,
				 .time_ns = 5,
				 .chain = { .frames = &frame, .n = 1 } };

	assert_int_equal(session_sink.event(i, &e), 0);
}

static inline void release(struct image *i, taddr ptr)
{
	struct alloc_event e = { .kind = AE_FREE, .task = i->pid, .ptr = ptr, .time_ns = 6 };

	assert_int_equal(session_sink.event(i, &e), 0);
}

static inline void mark(struct image *i, enum program_mark what, uint64_t arg)
{
	session_sink.mark(i, (struct task_ref){ i->pid, NULL }, what, arg);
}

/* The same, as a task of this machine says it. */
static inline void mark_by(pid_t tid, struct image *i, enum program_mark what, uint64_t arg)
{
	session_sink.mark(i, (struct task_ref){ tid, NULL }, what, arg);
}

static inline void gone(struct image *i)
{
	session_sink.gone(i, &(struct observed_counts){ .traps = 9 });
}

#endif
