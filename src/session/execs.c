/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/execs.h"

#include "base/array.h"
#include "session/saving.h"

#include <stdlib.h>

/* ---- decided from plain data ---- */

enum { MUCH = 10 };	/* one part in so many is too much to leave out */

void execs_judge(struct exec_part *v, size_t n)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += v[i].bytes;
	for (size_t i = 0; i < n; i++)
		v[i].kept |= i + 1 == n || v[i].bytes > bytes / MUCH;
}

/* ---- the images of a process ---- */

struct parts {
	struct image **images;
	struct exec_part *v;
	size_t n, cap_images, cap_parts;
};

static bool add_part(struct parts *p, struct image *i)
{
	uint64_t lost = session_lost(i);

	if (ARRAY_RESERVE(&p->images, &p->cap_images, p->n) ||
	    ARRAY_RESERVE(&p->v, &p->cap_parts, p->n))
		return false;
	p->images[p->n] = i;
	p->v[p->n++] = (struct exec_part){
		.bytes = i->profile->totals.alloc_bytes,
		/* An image that lost events may have requested more than was counted. */
		.kept = i->fate == EXEC_KEPT || lost,
	};
	return true;
}

/* The images of the latest process with this pid: the kernel may have used the number before. */
static bool collect(struct parts *p, const struct session *s, pid_t pid)
{
	for (struct image *i = s->images; i; i = i->next) {
		if (i->pid != pid)
			continue;
		if (p->n && p->images[p->n - 1]->ended)
			p->n = 0;
		if (!add_part(p, i))
			return false;
	}
	return true;
}

/* The process has no further images: decide the fate of those that are open. */
static void judge(struct session *s, pid_t pid)
{
	struct parts p = { 0 };

	if (collect(&p, s, pid)) {
		execs_judge(p.v, p.n);
		for (size_t i = 0; i < p.n; i++)
			p.images[i]->fate = p.v[i].kept ? EXEC_KEPT : EXEC_LEFT_OUT;
	}
	free(p.images);
	free(p.v);
}

void session_finish_image(struct session *s, struct image *i)
{
	bool to_write = i->fate != EXEC_LEFT_OUT && session_has_unwritten(s, i);

	if (i->observed || !(i->over || i->ended) || to_write)
		return;
	recorders_finish(&i->recorders);
	profile_finish(i->profile);
}

void session_process_ended(struct session *s, pid_t pid)
{
	judge(s, pid);
	for (struct image *i = s->images; i; i = i->next) {
		if (i->pid != pid)
			continue;
		session_write_over(s, i);
		session_finish_image(s, i);
	}
}

/* ---- what is left out ---- */

void session_leave_out(struct session *s)
{
	struct image **to = &s->left_out, *i;

	for (i = s->images; i; i = i->next)
		if (i->over && i->fate == EXEC_OPEN)
			judge(s, i->pid);
	for (struct image **at = &s->images; (i = *at);) {
		if (i->fate != EXEC_LEFT_OUT) {
			at = &i->next;
			continue;
		}
		*at = i->next;
		i->next = NULL;
		*to = i;
		to = &i->next;
	}
	s->last = &s->images;
	while (*s->last)
		s->last = &(*s->last)->next;
}
