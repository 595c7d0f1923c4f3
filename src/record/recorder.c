/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/recorder.h"

#include <errno.h>

void recorders_event(struct recorder *list, const struct alloc_event *e, const struct block_change *c)
{
	for (struct recorder *r = list; r; r = r->next)
		r->ops->event(r, e, c);
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
		r->ops->free(r);
	}
}

int recorders_fork(struct recorder **to, const struct recorder *list, const struct profile *child,
		   pid_t pid)
{
	*to = NULL;
	for (const struct recorder *r = list; r; r = r->next) {
		struct recorder *copy = r->ops->fork(r, child, pid);

		if (!copy)
			return -ENOMEM;
		copy->next = NULL;
		*to = copy;
		to = &copy->next;
	}
	return 0;
}

void recorders_drop(struct recorder **list, const struct recorder_ops *ops)
{
	while (*list && (*list)->ops != ops)
		list = &(*list)->next;
	struct recorder *one = *list;

	if (!one)
		return;
	*list = one->next;
	one->ops->free(one);
}

struct recorder *recorders_find(struct recorder *list, const struct recorder_ops *ops)
{
	while (list && list->ops != ops)
		list = list->next;
	return list;
}
