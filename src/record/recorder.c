/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/recorder.h"

void recorders_add(struct recorder **list, struct recorder *r, struct recorder **handle)
{
	r->next = *list;
	*list = r;
	r->handle = handle;
	if (handle)
		*handle = r;
}

static void free_one(struct recorder *r)
{
	if (r->handle)
		*r->handle = NULL;
	r->ops->free(r);
}

void recorders_event(struct recorder *list, const struct alloc_event *e,
		     const struct block_change *c)
{
	for (struct recorder *r = list; r; r = r->next)
		r->ops->event(r, e, c);
}

void recorders_missed(struct recorder *list, const struct alloc_event *e,
		      const struct block_change *c)
{
	for (struct recorder *r = list; r; r = r->next)
		if (r->ops->missed)
			r->ops->missed(r, e, c);
}

void recorders_mark(struct recorder *list, enum recorder_mark mark, pid_t task, uint64_t time_ns)
{
	for (struct recorder *r = list; r; r = r->next)
		if (r->ops->mark)
			r->ops->mark(r, mark, task, time_ns);
}

void recorders_pages(struct recorder *list, const struct page_event *e, uint32_t node)
{
	for (struct recorder *r = list; r; r = r->next)
		if (r->ops->pages)
			r->ops->pages(r, e, node);
}

void recorders_thread(struct recorder *list, pid_t tid, bool begins)
{
	for (struct recorder *r = list; r; r = r->next)
		if (r->ops->thread)
			r->ops->thread(r, tid, begins);
}

void recorders_end(struct recorder *list)
{
	for (struct recorder *r = list; r; r = r->next)
		if (r->ops->end)
			r->ops->end(r);
}

void recorders_free(struct recorder *list)
{
	for (struct recorder *r = list, *next; r; r = next) {
		next = r->next;
		free_one(r);
	}
}

void recorders_modules(struct recorder *list, const struct mappings *maps)
{
	for (struct recorder *r = list; r; r = r->next)
		if (r->ops->modules)
			r->ops->modules(r, maps);
}

void recorders_call(struct recorder *list, const struct syscall_call *c)
{
	for (struct recorder *r = list; r; r = r->next)
		if (r->ops->call)
			r->ops->call(r, c);
}

void recorders_leaving(struct recorder *list)
{
	for (struct recorder *r = list; r; r = r->next)
		if (r->ops->leaving)
			r->ops->leaving(r);
}

void recorders_tick(struct recorder *list, uint64_t now_ns)
{
	for (struct recorder *r = list; r; r = r->next)
		if (r->ops->tick)
			r->ops->tick(r, now_ns);
}

void recorders_resume(struct recorder *list, uint64_t now_ns)
{
	for (struct recorder *r = list; r; r = r->next)
		if (r->ops->resume)
			r->ops->resume(r, now_ns);
}

bool recorders_signal(struct recorder *list, pid_t tid, int sig)
{
	for (struct recorder *r = list; r; r = r->next)
		if (r->ops->signal && r->ops->signal(r, tid, sig))
			return true;
	return false;
}

int recorders_report(const struct recorder *list, struct profile_data *d)
{
	int err = 0;

	for (const struct recorder *r = list; r && !err; r = r->next)
		if (r->ops->report)
			err = r->ops->report(r, d);
	return err;
}

bool recorders_failed(const struct recorder *list)
{
	for (const struct recorder *r = list; r; r = r->next)
		if (r->ops->failed && r->ops->failed(r))
			return true;
	return false;
}

void recorders_finish(struct recorder **list)
{
	while (*list) {
		struct recorder *r = *list;

		if (r->ops->finish && r->ops->finish(r)) {
			*list = r->next;
			free_one(r);
		} else {
			list = &r->next;
		}
	}
}
