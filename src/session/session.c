/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/session_internal.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/texts.h"
#include "base/unfinished.h"
#include "proc/arguments.h"
#include "proc/modules.h"
#include "session/execs.h"
#include "session/meter.h"
#include "session/saving.h"
#include "session/snapshots.h"
#include "session/spare.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- images ---- */

static void image_free(struct image *i)
{
	if (!i)
		return;
	texts_free(i->command);
	if (i->memory)
		close(i->memory);
	free(i->data);
	snapshots_end(i);
	recorders_free(i->recorders);
	size_filter_release(&i->size_filter);
	profile_free(i->profile);
	for (size_t k = 0; k < i->n_rss; k++)
		free(i->rss[k].name);
	free(i->rss);
	free(i);
}

static void images_free(struct image *list)
{
	for (struct image *next; list; list = next) {
		next = list->next;
		image_free(list);
	}
}

/* Mark earlier images of the process as over: another one begins. Returns their number. */
static unsigned supersede(struct session *s, pid_t pid, struct image *by)
{
	unsigned n = 0;

	for (unsigned k = 0; k < s->n_outputs; k++)
		by->of[k].nth = 1;
	for (struct image *i = s->images; i; i = i->next) {
		if (i->pid != pid)
			continue;
		if (!i->over) {
			i->over = true;
			/* These are kept in any case: the user or the program asked for it, or it
			 * is of an earlier process with the same pid. */
			if (s->settings.keep_execs || i->data || i->ended) {
				i->fate = EXEC_KEPT;
				session_save(s, i);
			}
			session_write_over(s, i);
			session_finish_image(s, i);
		}
		for (unsigned k = 0; k < s->n_outputs; k++)
			by->of[k].nth = i->of[k].nth + 1;
		snapshots_follow(by, i);
		n++;
	}
	return n;
}

void session_retitle(struct image *i)
{
	char now[TITLE_MAX];

	/* After an exec /proc may already show the next program. */
	if (!i->observed || !i->session->observer->ops->has_memory(i->observed))
		return;
	if (!title_of(now, i->pid) || !strcmp(now, i->title))
		return;
	strcpy(i->title, now);
	i->retitled = true;
}

void session_name(const struct image *i, char name[TITLE_MAX])
{
	const char *program = i->command && i->command[0] ? i->command[0] : "?";

	if (i->retitled)
		strcpy(name, i->title);
	else
		title_make(name, program, strlen(program));
}

/* Remove the image that began last from the list. */
static void image_drop(struct session *s, struct image *i)
{
	struct image **at = &s->images;

	while (*at != i)
		at = &(*at)->next;
	*at = i->next;
	s->last = at;
	image_free(i);
}

static struct image *image_begin(struct session *s, pid_t pid, struct profile *profile)
{
	struct image *i = calloc(1, sizeof *i);

	if (i)
		i->session = s;
	if (!i || !profile || snapshots_begin(i)) {
		free(i);
		profile_free(profile);
		return NULL;
	}
	i->pid = pid;
	i->number = supersede(s, pid, i);
	i->profile = profile;
	i->size_filter = (struct size_filter){
		.min = s->settings.min_size,
		.max = s->settings.max_size ? s->settings.max_size : UINT64_MAX,
	};
	spare_begin(i);
	profile_set_shortest_window(profile, s->settings.shortest_window_ns);
	profile_stamp(profile, clock_now_ns());
	i->started_ns = clock_wall_ns();
	i->program = NO_FILE;
	i->command = proc_arguments(pid);
	title_of(i->title, pid);
	meter_begin(i);
	*s->last = i;
	s->last = &i->next;
	return i;
}

/* ---- what the observer tells of images ---- */

bool session_wants(void *ctx, pid_t pid)
{
	struct session *s = ctx;
	bool wanted = s->settings.trace_children || pid == s->root || pid == s->attaching;

	for (size_t i = 0; !wanted && i < s->n_attached; i++)
		wanted = s->attached[i] == pid;
	/* Asked once for each process: after a "no" the observer detaches from it. */
	s->unfollowed += !wanted;
	return wanted;
}

void *session_begins(void *ctx, pid_t pid)
{
	struct session *s = ctx;
	struct image *i = image_begin(s, pid, profile_new());
	int err = i ? 0 : -ENOMEM;

	if (i && pid == s->attaching) {
		i->attached = true;
		profile_set_before(i->profile, &s->before);
	}

	for (unsigned k = 0; !err && k < s->n_outputs; k++)
		err = s->outputs[k]->ops->begins(s->outputs[k], i);
	if (!err)
		return i;
	if (i)
		image_drop(s, i);
	return NULL;
}

void session_record(struct image *i, const struct output *o, struct recorder *r)
{
	recorders_add(&i->recorders, r, &i->of[o->slot].recorder);
}

/* 0 or -ENOMEM. */
static int fork_recorders(const struct session *s, const struct image *from, struct image *i)
{
	for (unsigned k = 0; k < s->n_outputs; k++) {
		const struct recorder *r = from->of[k].recorder;
		struct recorder *copy = r ? r->ops->fork(r, i->profile, i->pid) : NULL;

		if (r && !copy)
			return -ENOMEM;
		if (copy)
			session_record(i, s->outputs[k], copy);
	}
	return 0;
}

/* A new image during a pause: it has no blocks yet that could be missed. */
static void begin_in_pause(struct image *i)
{
	i->pauses = 1;
	i->paused_since_ns = clock_now_ns();
	profile_unseen_from_now(i->profile);
}

void *session_forked(void *ctx, void *parent, pid_t child)
{
	struct session *s = ctx;
	const struct image *from = parent;

	if (!s->settings.trace_children) {
		s->unfollowed++;
		return NULL;
	}
	struct image *i = image_begin(s, child, profile_fork(from->profile));
	if (i && !fork_recorders(s, from, i)) {
		i->forked = true;
		snapshots_fork(i, from);
		i->program = from->program;
		i->paused = from->paused;
		i->lifted = from->lifted;
		if (from->paused_since_ns)
			begin_in_pause(i);
		/* The parent's mprof_stop() is not the child's. */
		if (!i->paused && !s->suspended)
			profile_seen_from_now(i->profile, clock_now_ns());
		spare_check(s);
		return i;
	}
	if (i)
		image_drop(s, i);
	say_to(s->host.say, "process %d goes on unobserved: out of memory", (int)child);
	return NULL;
}

void session_observed(void *image, struct observed *o)
{
	struct image *i = image;
	const struct session *s = i->session;

	i->observed = o;
	if (i->forked)
		return; /* set already by session_forked() */
	i->program = s->observer->ops->program(o);
	if (s->suspended) {
		s->observer->ops->suspend(s->observer, o);
		begin_in_pause(i);
	}
}

/* If it is the program that was to be profiled, the session is refused, and it is killed if we
 * started it. */
void session_unobserved(void *ctx, pid_t pid, void *image, enum unobserved why, const char *why_not)
{
	struct session *s = ctx;

	if (image)
		image_drop(s, image);
	if (s->launched ? pid != s->root || s->images : pid != s->attaching) {
		say_to(s->host.say, "process %d goes on unobserved: %s", (int)pid, why_not);
		return;
	}
	error_set(&s->refusal, 0, "%s", why_not);
	s->refused = s->refusal.text;
	s->refused_why = why;
	if (s->launched)
		kill(pid, SIGKILL);
}

void session_gone(void *image, const struct observed_counts *counts)
{
	struct image *i = image;

	i->ended_ns = clock_wall_ns();
	profile_stamp(i->profile, i->session->end_ns ? i->session->end_ns : clock_now_ns());
	meter_take(i);
	recorders_end(i->recorders);
	i->counts = *counts;
	i->observed = NULL;
	if (i->paused_since_ns)
		i->paused_ns += i->profile->load.end_ns - i->paused_since_ns;
	i->paused_since_ns = 0;
	session_finish_image(i->session, i);
}

void session_ended(void *ctx, pid_t pid, int wstatus)
{
	struct session *s = ctx;
	bool ended = false;

	for (struct image *i = s->images; i; i = i->next) {
		if (i->pid != pid || i->over || i->ended)
			continue;
		i->ended = ended = true;
	}
	if (ended)
		session_process_ended(s, pid);
	/* In a long session a later process may have got the same pid. */
	if (pid != s->root || s->root_ended)
		return;
	s->root_status = wstatus;
	s->root_ended = true;
}

void session_reaped(void *ctx, pid_t pid, int wstatus)
{
	struct session *s = ctx;

	if (pid == s->reader) {
		s->reader = 0;
		if (WIFSIGNALED(wstatus))
			unfinished_remove(pid);
	}
	save_children_ended(&s->save_children, pid, wstatus);
}

/* ---- life ---- */

void session_init(struct session *s, const struct session_settings *settings,
		  const struct session_host *host)
{
	*s = (struct session){ .settings = *settings, .host = *host,
			       .autosave = settings->autosave,
			       .started_ns = clock_now_ns() };
	s->last = &s->images;
}

int session_add_output(struct session *s, struct output *o)
{
	if (s->n_outputs == SESSION_OUTPUTS)
		return -ENOSPC;
	o->session = s;
	o->slot = s->n_outputs;
	s->outputs[s->n_outputs++] = o;
	return 0;
}

void session_progress(struct session *s, const char *what)
{
	for (unsigned k = 0; k < s->n_outputs; k++)
		if (s->outputs[k]->ops->progress)
			s->outputs[k]->ops->progress(s->outputs[k], what);
}

void session_release(struct session *s)
{
	images_free(s->images);
	images_free(s->left_out);
	save_children_release(&s->save_children);
	before_release(&s->before);
	free(s->attached);
}

int session_add(struct session *s, pid_t pid)
{
	if (ARRAY_RESERVE(&s->attached, &s->cap_attached, s->n_attached))
		return -ENOMEM;
	s->attached[s->n_attached++] = pid;
	return 0;
}

/* Said once, and only if the fast engine could be used and would cost less. */
static void tell_cost(struct session *s)
{
	if (s->told_cost || !s->settings.may_be_fast)
		return;
	const struct session_cost c = session_cost(s);

	if (!session_cost_is_heavy(&c))
		return;
	s->told_cost = true;
	say_to(s->host.say,
	       "traps slow process %d down: %" PRIu64
	       " requests and frees have kept mprof busy for %.0f%% of the time, and what the "
	       "kernel takes for the stops comes on top, as a rule as much again or more; "
	       "--engine=fast would take about %.0f%% (see ENGINES in the manual)",
	       (int)s->root, c.calls, session_cost_share(&c) * 100,
	       ceil(session_cost_of_fast(&c) * 100));
}

void session_tick(struct session *s)
{
	uint64_t now = clock_now_ns();

	for (struct image *i = s->images; i; i = i->next) {
		if (!i->observed)
			continue;
		recorders_tick(i->recorders, now);
		if (i->judges)
			snapshots_look(i, now);
	}
	for (unsigned k = 0; k < s->n_outputs; k++) {
		struct output *o = s->outputs[k];

		if (o->ops->ahead && now - s->started_ns >= o->ahead_s * 1000000000ull)
			o->ops->ahead(o);
	}
	meter_tick(s, now);
	tell_cost(s);
}

struct image *session_observed_image(const struct session *s, pid_t pid)
{
	for (struct image *i = s->images; i; i = i->next)
		if (i->pid == pid && i->observed)
			return i;
	return NULL;
}

void session_resume_recording(struct session *s)
{
	uint64_t now = clock_now_ns();

	for (struct image *i = s->images; i; i = i->next)
		if (i->observed)
			recorders_resume(i->recorders, now);
}

bool session_failed(const struct session *s)
{
	for (const struct image *i = s->images; i; i = i->next)
		if (recorders_failed(i->recorders))
			return true;
	return false;
}

/* Frees of all kinds. */
static uint64_t frees_of(const struct image *i)
{
	const struct pd_totals *t = &i->profile->totals;

	return t->frees - t->missed + t->paused_frees + t->unknown_frees + t->before_frees;
}

struct session_state session_image_state(const struct image *i)
{
	return (struct session_state){
		.processes = i->observed != NULL,
		.allocs = i->profile->totals.allocs,
		.frees = frees_of(i),
		/* During a pause the best known value is what was live at its beginning. */
		.live_bytes = !i->observed	 ? 0 :
			      i->paused_since_ns ? i->live_before_pause :
						   i->profile->live_bytes,
		.lost = session_lost(i),
	};
}

struct session_state session_state(const struct session *s)
{
	const struct observer *o = s->observer;
	struct session_state st = { .modules = (unsigned)o->files->n,
				    .tasks = o->ops->tasks(s->observer) };

	for (const struct image *i = s->images; i; i = i->next) {
		const struct session_state one = session_image_state(i);

		st.processes += one.processes;
		st.allocs += one.allocs;
		st.frees += one.frees;
		st.live_bytes += one.live_bytes;
		st.lost += one.lost;
	}
	return st;
}

struct session_cost session_cost(const struct session *s)
{
	struct session_cost c = {
		.elapsed_ns = clock_now_ns() - s->started_ns,
		.worked_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - s->started_cpu_ns,
	};
	bool fast = false;

	for (const struct image *i = s->images; i; i = i->next) {
		if (!i->observed)
			continue;
		const struct observed_counts n = s->observer->ops->counts(i->observed);

		c.trapped = true;
		fast |= n.engine.functions;
		c.calls += i->profile->totals.allocs + frees_of(i);
	}
	c.trapped &= !fast;
	return c;
}

uint64_t session_lost(const struct image *i)
{
	return i->observed ? i->session->observer->ops->counts(i->observed).lost : i->counts.lost;
}
