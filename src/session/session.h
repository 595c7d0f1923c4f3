/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SESSION_SESSION_H
#define MPROF_SESSION_SESSION_H

#include "base/error.h"
#include "base/say.h"
#include "observer.h"
#include "proc/title.h"
#include "profile/profile.h"
#include "profile/size_filter.h"
#include "record/recorder.h"
#include "session/cost.h"
#include "session/output.h"
#include "session/over.h"
#include "session/save_children.h"
#include "session/snapshot_when.h"

/*
 * A session: keeps the profile of each program image until the end, and decides what is written
 * when. It knows no option and no format, and of the observer only what observer.h declares.
 */

/* The most outputs that a session can have. */
enum { SESSION_OUTPUTS = 8 };

/* Whether an image is kept after its process has executed another program. */
enum exec_fate {
	EXEC_OPEN,	/* decided when the process has ended; also for an image that is not over */
	EXEC_KEPT,
	EXEC_LEFT_OUT,
};

/* A program image: one program in one process, from its exec (or fork) to its end or next exec. */
struct image {
	struct image *next;
	pid_t pid;
	unsigned number;	/* 0: the process's first image under observation */
	bool over;		/* another image of the process has followed */
	enum exec_fate fate;
	char **command;		/* its arguments, NULL-terminated */
	char title[TITLE_MAX];	/* its arguments as ps shows them, when last read */
	bool retitled;		/* the title has changed since the image began */
	uint64_t events;	/* events of it that were counted */
	uint64_t started_ns, ended_ns;	/* CLOCK_REALTIME */
	struct size_filter size_filter;	/* which requests are recorded */
	struct profile *profile;
	struct recorder *recorders;	/* accounts beside the profile */
	struct observed *observed; /* NULL: not observed, or not any more */
	uint32_t program;	/* module file number of the program, or NO_FILE */
	struct observed_counts counts; /* set when it is no longer observed */
	uint64_t restarts;	/* how often mprof_restart() has begun the profile anew */
	struct pd_unseen unseen_before; /* before mprof_restart() began the profile anew */
	char *data;		/* data file named by mprof_restart(); NULL: as the options say */
	struct image_output of[SESSION_OUTPUTS]; /* indexed by the output's slot */
	struct snapshot_judge *judges; /* one for each condition of the settings */
	unsigned snapshots;	/* number of profiles written because a condition came true */
	uint64_t live_above;	/* check the conditions on live bytes when more than this are
				   live */
	struct pd_rss_row *rss;	/* its resident memory by purpose; empty: not known */
	size_t n_rss;
	uint64_t pauses, paused_ns; /* how often the image ran unobserved, and the total time of
				       that without the current pause */
	uint64_t paused_since_ns;	/* CLOCK_MONOTONIC; 0: no pause */
	uint64_t live_before_pause;	/* live bytes when the pause began */
	uint64_t ran_ns, calls_read; /* of its process: what meter_take() has already read */
	bool saved;		/* its final state is in its data file */
	bool paged;		/* its page has been written, or could not be */
	int memory;		/* file descriptor of an unnamed data file for clients; 0: there is
				   none */
	bool forked;		/* began by fork of another image */
	bool attached;		/* was running when the session attached */
	bool ended;		/* its process has ended */
	bool stopped;		/* by mprof_stop(): events are not counted */
	bool paused;		/* by mprof_suspend(): events are not counted */
	bool lifted;		/* paused, and the breakpoints have been removed */
	struct session *session;
};

/* Settings of a session. */
struct session_settings {
	bool trace_children;
	bool keep_execs;	/* keep every image that was followed by an exec */
	uint64_t min_size, max_size;	/* requests that are recorded; 0: no limit */
	uint64_t autosave;	/* save after this number of allocations; 0: never */
	const struct snapshot_when *snapshots; /* save a snapshot when these come true */
	size_t n_snapshots;
	struct over_limit over;	/* what observing may cost */
	uint64_t max_memory;	/* bytes that the profiles may take; 0: no limit */
	double duration;	/* seconds; 0: without end */
	uint64_t shortest_window_ns;	/* windows of profiles; 0: the default */
	bool ticks;		/* the host's attend() is to be called every SESSION_TICK_MS */
	bool may_be_fast;	/* the fast engine can be used: say so if traps take more than half
				   of the programs' time */
};

enum { SESSION_TICK_MS = 250 };

/* What a session has its caller do. */
struct session_host {
	/* Print a sentence for the user. */
	say_fn *say;
	/* Write the profile of an image, as it is now, to its data file; runs in a save child. 0,
	 * or -errno: what has failed has been said. */
	int (*save)(struct session *s, const struct image *i);
	/* Write the profile to a file of its own, as snapshot number image.snapshots, and say so
	 * with @why as the beginning of the sentence. 0 or -errno, as save(). */
	int (*snapshot)(struct session *s, const struct image *i, const char *why);
	/* Fork a child that calls @write and then exits with status 0 if @write returned 0. Returns
	 * the child's pid, or -1 with errno. */
	pid_t (*beside)(struct session *s, int (*write)(void *ctx), void *ctx);
	/* Called when no stop is being served: serve clients' commands, update the progress
	 * line. */
	void (*attend)(struct session *s);
	/* True if a client has asked for the end. */
	bool (*is_over)(struct session *s);
	/* Asked near the end: true if the programs must go on running until some work is finished.
	 * May be NULL. */
	bool (*finishes)(struct session *s);
};

struct session {
	struct session_settings settings;
	struct session_host host;
	void *owner;		/* for the host's functions */
	struct output *outputs[SESSION_OUTPUTS];
	unsigned n_outputs;
	struct observer *observer; /* NULL until there is one */
	struct image *images;	/* in the order in which they began */
	struct image **last;
	struct image *left_out;	/* images taken out of that list because their process has executed
				   another program */
	pid_t root;		/* pid of the process that was launched, or of the first one
				   attached to */
	pid_t *attached;	/* all processes attached to */
	size_t n_attached, cap_attached;
	uint64_t unfollowed;	/* number of child processes not profiled because trace_children is
				   not set */
	pid_t attaching;	/* pid of the process being attached to; 0: none */
	struct before before;	/* of that process: what was found before anything was injected into
				   it */
	int root_status;	/* wait status of the root */
	bool root_ended;
	bool foreign;		/* the program was another user's when the session began */
	bool launched;		/* the session has started the program */
	const char *refused;	/* why the program cannot be profiled; NULL: it can */
	struct error refusal;	/* holds that text */
	enum unobserved refused_why;
	bool suspended;
	uint64_t started_ns;	/* CLOCK_MONOTONIC */
	uint64_t started_cpu_ns; /* CLOCK_PROCESS_CPUTIME_ID, at the same moment */
	bool told_cost;
	struct cost_span cost;	/* meter.h */
	struct over_judge over;
	unsigned spare_step;	/* see memory_limit.h: the last step taken */
	bool too_slow;		/* the session ends because it costs too much */
	uint64_t end_ns;	/* CLOCK_MONOTONIC when it was ended from outside; 0: it was not */
	uint64_t autosave;	/* current setting: programs may change it */
	struct save_children save_children;
	pid_t reader;		/* pid of the process that looks up names ahead of time; 0: none */
};

/* Begin a session, and free it with all its images. @settings and @host are copied. */
void session_init(struct session *s, const struct session_settings *settings,
		  const struct session_host *host);
void session_release(struct session *s);

/* Register an output; call it before anything is observed. @o must outlive the session. 0, or
 * -ENOSPC: there are SESSION_OUTPUTS already. */
int session_add_output(struct session *s, struct output *o);

/* Put an output's recorder in front of the image's other recorders. */
void session_record(struct image *i, const struct output *o, struct recorder *r);

/* The sink to pass to an observer, with the session as its context. */
extern const struct observer_sink session_sink;

/* Process @pid was launched or attached to; what it executes is profiled, too. 0 or -ENOMEM. */
int session_add(struct session *s, pid_t pid);

/* Read the title of the process again: it may change at any time, and cannot be read once the
 * process has ended. */
void session_retitle(struct image *i);

/* The name of an image: its title if that has changed, otherwise its program's argv[0]. */
void session_name(const struct image *i, char name[TITLE_MAX]);

/* The string at @at in a program's memory, cut at the longest length of a file name; for the caller
 * to free(). NULL: it cannot be read. */
char *session_string(const struct session *s, const struct address_space *space, taddr at);

/* Why a task may not name a file for us to write, as in "ignored, for WHY": it has fewer rights
 * than we have, and we may be root. NULL: it may. */
const char *session_lacks_rights(const struct session *s, pid_t tid);

/* session_suspend() removes the breakpoints from all programs but keeps tracing them;
 * session_resume() puts them back, also into programs that have called mprof_suspend(). False:
 * there was nothing to do. */
bool session_suspend(struct session *s);
bool session_resume(struct session *s);

/* Undo session_suspend() only: programs that have called mprof_suspend() stay suspended. */
bool session_end_pause(struct session *s);

/* True if nothing is counted: the session is suspended, or every program has called
 * mprof_suspend(). */
bool session_is_suspended(const struct session *s);

/* Remove the breakpoints of programs that have called mprof_suspend(). */
void session_attend(struct session *s);

/* Mark this moment in all records (RECORD_STAMP). */
void session_stamp(struct session *s);

/* The current image of process @pid, or NULL if it is not observed. */
struct image *session_observed_image(const struct session *s, pid_t pid);

/* Tell recorders and outputs the time; the loop calls this in each pass. */
void session_tick(struct session *s);

/* Start recorders that were deferred, on a user's request. */
void session_resume_recording(struct session *s);

/* True if a recorder could not write something. It was reported when it happened. */
bool session_failed(const struct session *s);

/* No event counts from here on: the programs are about to be detached from. */
void session_end(struct session *s);

/* Report an event to the outputs that show events to the user as they happen. */
void session_progress(struct session *s, const char *what);

/* The counters of a session, now. */
struct session_state {
	unsigned processes, tasks, modules;
	uint64_t allocs, frees, live_bytes;
	uint64_t lost;	/* events */
};

struct session_state session_state(const struct session *s);

/* The same for one image; tasks and modules are 0. */
struct session_state session_image_state(const struct image *i);

/* The cost of observing so far. */
struct session_cost session_cost(const struct session *s);

/* Number of events of an image that could not be counted. */
uint64_t session_lost(const struct image *i);

#endif
