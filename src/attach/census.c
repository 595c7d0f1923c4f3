/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/census.h"

#include <errno.h>

enum thread_kind thread_kind(const struct thread_facts *f, pid_t self)
{
	if (!f->err || f->tracer == self)
		return THREAD_OURS;
	if (f->tracer)
		return THREAD_OTHERS;
	if (f->state == 'Z')
		return THREAD_OVER;
	return f->state == 'X' || f->err == -ESRCH ? THREAD_LOST : THREAD_REFUSED;
}

void census_add(struct census *c, enum thread_kind kind, bool is_new)
{
	c->seized += kind == THREAD_OURS && is_new;
	c->known += kind == THREAD_OURS || kind == THREAD_OVER;
	c->others += kind == THREAD_OTHERS;
	c->refused += kind == THREAD_REFUSED;
}

enum census_verdict census_judge(const struct census *c, long threads, bool held)
{
	if (threads < 1)
		return CENSUS_GONE;
	if (c->others)
		return CENSUS_TRACED;
	if (c->refused)
		return CENSUS_REFUSED;
	if (c->known != threads)
		return CENSUS_AGAIN;
	return held && !c->seized ? CENSUS_COMPLETE : CENSUS_HOLD;
}
