/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/heap.h"

#include "base/clock.h"
#include "proc/file.h"
#include "proc/status.h"
#include "session/filename.h"
#include "session/save_children.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The text of a profile, kept between the two calls by which the program fetches it. */
struct heap_text {
	struct heap_text *next;
	pid_t tid;
	char *text;
	size_t len;
};

struct heap_output {
	struct output base;
	struct outputs *all;
	struct heap_text *texts; /* requested by threads and not fetched yet */
};

static struct heapprofile *profiler_of(const struct heap_output *o, const struct image *i)
{
	return heapprofile_of(i->of[o->base.slot].recorder);
}

/* PREFIX; of a process other than the first PREFIX_PID, unless the pattern has %p. */
static char *prefix_of(const char *pattern, pid_t pid, bool first, struct error *e)
{
	return filename_of(pattern,
			   &(struct filename_whose){ .pid = pid,
						     .further = !first,
						     .before_pid = '_' },
			   e);
}

/* ---- processes without profiles ---- */

/* True if its file is set-user-ID or set-group-ID, which has no effect because it is traced. */
static bool has_lost_set_id(pid_t pid, const struct proc_status *ids)
{
	char path[PROC_PATH];
	struct stat st;

	if (stat(proc_path(path, pid, "exe"), &st))
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != ids->effective_uid) ||
	       (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != ids->effective_gid);
}

/* As gperftools does: others may not see what a set-user-ID program does. */
static bool may_profile(say_fn *say, pid_t pid)
{
	static bool said;
	struct proc_status ids = proc_status(pid);

	if (!ids.has_ids)
		return false;
	if (ids.uid != ids.effective_uid || ids.gid != ids.effective_gid) {
		say_to(say,
		       "process %d runs set-user-ID or set-group-ID: no heap profiles of it are "
		       "written",
		       (int)pid);
		return false;
	}
	if (!said && has_lost_set_id(pid, &ids)) {
		said = true;
		say_to(say,
		       "process %d: its file is set-user-ID or set-group-ID, which does not work "
		       "for a program that is traced: it is profiled without",
		       (int)pid);
	}
	return true;
}

/* ---- beginning ---- */

/* The number of the last file of an earlier image of the process with the same prefix. */
static unsigned last_number(const struct heap_output *o, const struct image *image,
			    bool first_has_other)
{
	const struct session *s = o->base.session;
	unsigned number = 0;

	for (struct image *i = s->images; i && i != image; i = i->next) {
		struct heapprofile *h = i->pid == image->pid ? profiler_of(o, i) : NULL;

		if (h && !(first_has_other && i == s->images))
			number = heapprofile_number(h);
	}
	return number;
}

static void unwritten(void *outputs, const char *sentence)
{
	unwritten_say(outputs, "%s", sentence);
}

static int await(void *outputs, pid_t pid)
{
	return save_child_await(pid, ((struct outputs *)outputs)->session->save_children.journal);
}

/* Add a recorder in front of the image's others; it is off. */
static struct heapprofile *add_recorder(struct heap_output *to, struct image *i)
{
	struct session *s = i->session;
	const struct output_settings *o = &to->all->settings;
	bool first = i == s->images;
	struct heapprofile_how how = {
		.options = &o->heap,
		.profile = i->profile,
		.files = s->observer->files,
		.pid = i->pid,
		.first = first,
		.foreign = s->foreign,
		.number = last_number(to, i, o->heap.prefix && !filename_has_pid(o->heap.prefix)),
		.search = o->search,
		.name = prefix_of,
		.announce = to->all->host->announce,
		.complain = to->all->host->say,
		.unwritten = unwritten,
		.await = await,
		.ctx = to->all,
	};
	struct recorder *r = heapprofile_new(&how);

	if (!r)
		return NULL;
	session_record(i, &to->base, r);
	return heapprofile_of(r);
}

static int begins(struct output *base, struct image *i)
{
	struct heap_output *to = (struct heap_output *)base;
	const struct heapprofile_options *o = &to->all->settings.heap;
	struct error e;

	if (!o->prefix && !o->defer)
		return 0;
	if (!may_profile(to->all->host->say, i->pid))
		return 0;
	struct heapprofile *h = add_recorder(to, i);
	if (!h)
		return -ENOMEM;
	if (!o->defer && heapprofile_start(h, NULL, true, clock_now_ns(), &e))
		to->all->host->say(e.text);
	return 0;
}

/* ---- what the program asks for ---- */

static void drop_text(struct heap_output *o, pid_t tid)
{
	for (struct heap_text **at = &o->texts, *t; (t = *at);) {
		if (tid && t->tid != tid) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		free(t->text);
		free(t);
	}
}

static uint64_t make_text(struct heap_output *o, pid_t tid, struct heapprofile *h)
{
	struct heap_text *t = h ? calloc(1, sizeof *t) : NULL;

	drop_text(o, tid);
	if (t)
		t->text = heapprofile_text(h, &t->len);
	if (!t || !t->text) {
		free(t);
		return 0;
	}
	t->tid = tid;
	t->next = o->texts;
	o->texts = t;
	return t->len;
}

static uint64_t give_text(struct heap_output *o, struct task_ref task, const uint64_t arg[2])
{
	const struct observer *observer = o->base.session->observer;
	struct heap_text *t = o->texts;
	ssize_t n = 0;

	while (t && t->tid != task.tid)
		t = t->next;
	if (t)
		n = observer->ops->write(task.space, arg[0], t->text,
					 t->len < arg[1] ? t->len : arg[1]);
	drop_text(o, task.tid);
	return n > 0 ? (uint64_t)n : 0;
}

static void start(struct heap_output *o, struct image *i, struct task_ref task, taddr prefix)
{
	struct heapprofile *h = profiler_of(o, i);
	struct session *s = i->session;
	char *name = session_string(s, task.space, prefix);
	struct error e;

	const char *lacks = name ? session_lacks_rights(s, task.tid) : NULL;

	if (lacks) {
		say_to(o->all->host->say,
		       "process %d names files %s for heap profiles: ignored, for %s", (int)i->pid,
		       name, lacks);
		free(name);
		return;
	}
	if (!h && may_profile(o->all->host->say, i->pid) && (h = add_recorder(o, i)))
		recorders_modules(i->recorders, s->observer->ops->mappings(i->observed));
	if (h && heapprofile_start(h, name, false, clock_now_ns(), &e))
		o->all->host->say(e.text);
	free(name);
}

static void dump_as_asked(const struct session *s, struct heapprofile *h,
			  const struct address_space *space, taddr at)
{
	char *reason = session_string(s, space, at);

	heapprofile_due(h, reason ? reason : "");
	free(reason);
}

static bool ask(struct output *base, struct image *i, struct task_ref task,
		enum program_question what, const uint64_t arg[2], uint64_t *result)
{
	struct heap_output *o = (struct heap_output *)base;
	struct heapprofile *h = profiler_of(o, i);
	bool on = h && heapprofile_is_on(h);

	*result = 0;
	switch (what) {
	case ASK_HEAP_START:
		if (!on)
			start(o, i, task, arg[0]);
		return true;
	case ASK_HEAP_STOP:
		if (on)
			heapprofile_stop(h);
		return true;
	case ASK_HEAP_DUMP:
		if (on)
			dump_as_asked(i->session, h, task.space, arg[0]);
		return true;
	case ASK_HEAP_RUNNING:
		*result = on;
		return true;
	case ASK_HEAP_SIZE:
		*result = make_text(o, task.tid, on ? h : NULL);
		return true;
	case ASK_HEAP_TEXT:
		*result = give_text(o, task, arg);
		return true;
	case ASK_NOTHING:
		return false;
	}
	return false;
}

static const struct output_ops ops = { .begins = begins, .ask = ask };

int heap_output_new(struct heap_output **out, struct outputs *all)
{
	struct heap_output *h = calloc(1, sizeof *h);

	*out = h;
	if (!h)
		return -ENOMEM;
	h->base = (struct output){ .ops = &ops, .ticks = all->settings.heap.intervals.time_ns };
	h->all = all;
	return session_add_output(all->session, &h->base);
}

void heap_output_free(struct heap_output *h)
{
	if (!h)
		return;
	drop_text(h, 0);
	free(h);
}

int heap_output_dump(const struct heap_output *o, const struct image *i, const char *reason,
		     char **path, struct error *e)
{
	struct heapprofile *h = i->observed ? profiler_of(o, i) : NULL;

	return h ? heapprofile_dump(h, reason, path, e) : -EINVAL;
}
