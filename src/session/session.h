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
 * What is observed, counted: keeps the profile of each program image until the end, and decides
 * what is written when. It knows no option, no format, and of the observer only what observer.h
 * has.
 */

/* So many outputs a session may have. */
enum { SESSION_OUTPUTS = 8 };

/* Whether an image is kept that is over because its process has executed another program. */
enum exec_fate {
	EXEC_OPEN,	/* that shows when the process has ended; also of an image that is not
			   over */
	EXEC_KEPT,
	EXEC_LEFT_OUT,
};

/* A program image: what one process did between two execs, or its start and its end. */
struct image {
	struct image *next;
	pid_t pid;
	unsigned number;	/* 0: the process's first image under observation */
	bool over;		/* another image of the process has followed */
	enum exec_fate fate;
	char **command;		/* its arguments, NULL-terminated */
	char title[TITLE_MAX];	/* ... as ps shows them, when they were looked at last */
	bool retitled;		/* they have changed since it began */
	uint64_t events;	/* of it that were counted */
	uint64_t started_ns, ended_ns;	/* CLOCK_REALTIME */
	struct size_filter size_filter;	/* which requests are recorded */
	struct profile *profile;
	struct recorder *recorders;	/* what is kept besides the profile */
	struct observed *observed; /* NULL: it is not observed, or no longer */
	uint32_t program;	/* module file number of the program, or NO_FILE */
	struct observed_counts counts; /* when it is no longer observed */
	struct pd_unseen unseen_before; /* by mprof_restart(), which began the profile anew */
	char *data;		/* what mprof_restart() named; NULL: as the options say */
	struct image_output of[SESSION_OUTPUTS]; /* by the output's slot */
	struct snapshot_judge *judges; /* one for each of the settings' conditions */
	unsigned snapshots;	/* profiles that were written because one came true */
	uint64_t live_above;	/* with more live bytes than this one may come true */
	struct pd_rss_row *rss;	/* what its resident memory was for; none: not known */
	size_t n_rss;
	uint64_t pauses, paused_ns; /* how often nothing was seen of it though it ran, and how long
				       until the last of these */
	uint64_t paused_since_ns;	/* CLOCK_MONOTONIC; 0: it is seen */
	uint64_t live_before_pause;	/* bytes */
	uint64_t ran_ns, calls_read; /* of its process, as far as it is in the session's cost */
	bool saved;		/* it is over, and so is in its data file */
	bool paged;		/* its page has been written, or could not be */
	int memory;		/* a data file of it without a name, for who asks; 0: there is
				   none */
	bool forked;		/* from another image */
	bool attached;		/* it had been running when it was seen first */
	bool ended;		/* its process has */
	bool stopped;		/* by mprof_stop(): events are not counted */
	bool paused;		/* by mprof_suspend(): nor are they */
	bool lifted;		/* ... and the breakpoints have been taken out since */
	struct session *session;
};

/* What is wanted of a session. */
struct session_settings {
	bool trace_children;
	bool keep_execs;	/* no image is to be left out because its process has exec'ed */
	uint64_t min_size, max_size;	/* of the requests that are recorded; 0: no limit */
	uint64_t autosave;	/* save after every so many allocations; 0: do not */
	const struct snapshot_when *snapshots; /* save beside it when these come true */
	size_t n_snapshots;
	struct over_limit over;	/* what it may cost */
	uint64_t max_memory;	/* bytes that the profiles may take; 0: no limit */
	double duration;	/* seconds; 0: without end */
	uint64_t shortest_window_ns;	/* of profiles; 0: the usual */
	bool ticks;		/* the host wants to look at it every SESSION_TICK_MS */
	bool may_be_fast;	/* what takes more than half of the programs' time could take less
				   with the fast engine: say so */
};

enum { SESSION_TICK_MS = 250 };

/* Whom a session asks for what it cannot do itself. */
struct session_host {
	/* A sentence for the user. */
	say_fn *say;
	/* Write the profile of an image, as it is now, where it belongs; beside the tracing. 0, or
	 * -errno: what has failed has been said. */
	int (*save)(struct session *s, const struct image *i);
	/* Write it into a file of its own, the image's snapshot number image.snapshots, and say so:
	 * @why, a sentence's beginning. Returns the same. */
	int (*snapshot)(struct session *s, const struct image *i, const char *why);
	/* Have @write called in a copy of ourselves, which then ends, with a status that is 0 if it
	 * returns that. Returns the copy's pid, or -1 with errno. */
	pid_t (*beside)(struct session *s, int (*write)(void *ctx), void *ctx);
	/* Something may want to be looked at, and no stop is being served: commands of clients, a
	 * line that shows how it goes. */
	void (*attend)(struct session *s);
	/* Does somebody want the end? */
	bool (*is_over)(struct session *s);
	/* The end is near: is something going on that has to be waited for, while the programs run?
	 * May be NULL. */
	bool (*finishes)(struct session *s);
};

struct session {
	struct session_settings settings;
	struct session_host host;
	void *owner;		/* whom the host is of */
	struct output *outputs[SESSION_OUTPUTS];
	unsigned n_outputs;
	struct observer *observer; /* set when there is one */
	struct image *images;	/* in the order in which they began */
	struct image **last;
	struct image *left_out;	/* images that have been taken out of those: of programs that have
				   executed another one */
	pid_t root;		/* the process that was launched, or the first that was attached
				   to */
	pid_t *attached;	/* all that were attached to */
	size_t n_attached, cap_attached;
	uint64_t unfollowed;	/* processes that they have started and that are not profiled,
				   since trace_children is not wanted */
	pid_t attaching;	/* the one that is being attached to; 0: none */
	struct before before;	/* what was found in that one, before anything of ours was in it */
	int root_status;	/* as waitpid gave it */
	bool root_ended;
	bool foreign;		/* the program was another user's when we came */
	bool launched;		/* we have started it ourselves */
	const char *refused;	/* why the program cannot be profiled; NULL: it can */
	struct error refusal;	/* its text */
	enum unobserved refused_why;
	bool suspended;
	uint64_t started_ns;	/* CLOCK_MONOTONIC */
	uint64_t started_cpu_ns; /* CLOCK_PROCESS_CPUTIME_ID, at the same moment */
	bool told_cost;
	struct cost_span cost;	/* meter.h */
	struct over_judge over;
	unsigned spare_step;	/* memory_limit.h: how far we have come */
	bool too_slow;		/* it is to end for what it costs */
	uint64_t end_ns;	/* CLOCK_MONOTONIC when it was ended from outside; 0: it was not */
	uint64_t autosave;	/* as it is now: programs may change it */
	struct save_children save_children;
	pid_t reader;		/* the process that looks up names ahead of time; 0: none */
};

void session_init(struct session *s, const struct session_settings *settings,
		  const struct session_host *host);
void session_release(struct session *s);

/* Before anything is observed: it has this output, too. It outlives the session. 0, or -ENOSPC: it
 * has too many. */
int session_add_output(struct session *s, struct output *o);

/* An output's recorder of an image, in front of the image's others. */
void session_record(struct image *i, const struct output *o, struct recorder *r);

/* What an observer is to be told to, with the session as context. */
extern const struct observer_sink session_sink;

/* Its process was launched, or attached to: what it executes is profiled, too. 0 or -ENOMEM. */
int session_add(struct session *s, pid_t pid);

/* A process may change what it is called at any time, and has no name any more when it has ended:
 * look at it now. */
void session_retitle(struct image *i);

/* What an image is called: its title if that has changed, or else the program, as it was called. */
void session_name(const struct image *i, char name[TITLE_MAX]);

/* The string at @at in a program's memory, cut if it is longer than a file name can be; for free(),
 * or NULL: there is none. */
char *session_string(const struct session *s, const struct address_space *space, taddr at);

/* Why a task must not choose a file for us to write, perhaps as root: what it may not do itself, as
 * in "ignored, for WHY"; NULL: it may. */
const char *session_lacks_rights(const struct session *s, pid_t tid);

/* Take the breakpoints out of all programs but go on tracing them; put them back, and into those
 * that have called mprof_suspend(), too. False: there was nothing to do. */
bool session_suspend(struct session *s);
bool session_resume(struct session *s);

/* The end of session_suspend() alone: who has called mprof_suspend() goes on when it says so. */
bool session_end_pause(struct session *s);

/* Nothing is counted: as a whole, or because each of its programs has asked for it. */
bool session_is_suspended(const struct session *s);

/* Take out the breakpoints of programs that have called mprof_suspend(). */
void session_attend(struct session *s);

/* Somebody from outside wants to find this moment again. */
void session_stamp(struct session *s);

/* What process @pid runs now, if it is observed; or NULL. */
struct image *session_observed_image(const struct session *s, pid_t pid);

/* Time has passed: recorders and outputs may have something to do. */
void session_tick(struct session *s);

/* Somebody from outside has recorders begin that were told to wait for it. */
void session_resume_recording(struct session *s);

/* Has a recorder something that could not be written? It was said then. */
bool session_failed(const struct session *s);

/* No event counts from here on: the programs are about to be let go. */
void session_end(struct session *s);

/* Something that users want to be told of as it happens, for outputs. */
void session_progress(struct session *s, const char *what);

/* What the session sees at this moment. */
struct session_state {
	unsigned processes, tasks, modules;
	uint64_t allocs, frees, live_bytes;
	uint64_t lost;	/* events */
};

struct session_state session_state(const struct session *s);

/* The same of one image; of tasks and modules nothing. */
struct session_state session_image_state(const struct image *i);

/* What observing has cost so far. */
struct session_cost session_cost(const struct session *s);

/* Events of an image that could not be counted. */
uint64_t session_lost(const struct image *i);

#endif
