/* SPDX-License-Identifier: BSD-2-Clause */
#include "breakpoints/announce.h"

#include "probes/requests.h"

#include <stdlib.h>

static void tell_alloc(struct watch *w, struct task *task, const struct arch_regs *r, taddr ret,
		       struct alloc_event *e)
{
	struct call c = { 0 };

	if (watch_call_chain(w, task->tid, r, ret, &c)) {
		w->counts.lost++;
		return;
	}
	e->chain = (struct alloc_chain){ .frames = c.frames, .n = c.n_frames,
					 .truncated = c.truncated };
	watch_emit(w, e);
	free(c.frames);
}

void announce_free(struct watch *w, struct task *task, taddr ptr, taddr sp, bool announced)
{
	watch_emit(w, &(struct alloc_event){ .kind = AE_FREE, .call = CALL_FREE, .task = task->tid,
					     .ptr = ptr, .sp = sp, .announced = announced });
}

static void tell(struct watch *w, struct task *task, enum probe_kind kind, taddr ptr, uint64_t size,
		 const struct arch_regs *r, taddr ret)
{
	struct alloc_event e = { .kind = AE_ALLOC, .call = CALL_MALLOC, .task = task->tid,
				 .ptr = ptr, .size = size, .elem = size, .count = 1,
				 .sp = arch_sp_after_return(r), .announced = true };

	if (!ptr)
		return;
	if (kind == PROBE_FREELIKE) {
		announce_free(w, task, ptr, arch_sp_after_return(r), true);
		return;
	}
	if (kind == PROBE_RESIZELIKE) {
		watch_emit(w, &(struct alloc_event){ .kind = AE_REALLOC_BEGIN, .call = CALL_REALLOC,
						     .task = task->tid, .old_ptr = ptr,
						     .sp = e.sp, .announced = true });
		e.kind = AE_REALLOC_MOVED;
		e.call = CALL_REALLOC;
		e.old_ptr = ptr;
	}
	tell_alloc(w, task, r, ret, &e);
}

/* ---- client requests ---- */

/* A request is six words: its number and its arguments. */
static bool read_request(struct watch *w, const struct arch_regs *r, uint64_t words[REQUEST_WORDS])
{
	size_t size = REQUEST_WORDS * sizeof *words;

	return address_space_read(w->space, arch_request_block(r), words, size) == (ssize_t)size;
}

bool request_of_interest(struct watch *w, const struct arch_regs *r)
{
	uint64_t words[REQUEST_WORDS];
	struct request q;

	return read_request(w, r, words) && request_decode(words, &q);
}

struct arch_regs request_as_call(const struct arch_regs *r, taddr *ret)
{
	struct arch_regs as = *r;

	*ret = arch_pc(r);
	arch_set_caller(&as, *ret, arch_sp(r) - (arch_sp_after_return(r) - arch_sp(r)));
	return as;
}

void announce(struct watch *w, struct task *task, const struct probe *p, const struct arch_regs *r,
	      taddr ret)
{
	uint64_t words[REQUEST_WORDS], size = 0;
	struct request q;

	if (p->kind == PROBE_REQUEST) {
		if (read_request(w, r, words) && request_decode(words, &q))
			tell(w, task, q.kind, q.ptr, q.size, r, ret);
		return;
	}
	if (p->size_arg != NO_ARG &&
	    __builtin_mul_overflow(arch_arg(r, p->size_arg),
				   p->count_arg == NO_ARG ? 1 : arch_arg(r, p->count_arg), &size))
		return;
	tell(w, task, p->kind, arch_arg(r, p->ptr_arg), size, r, ret);
}

/* ---- many at once ---- */

void announce_free_list(struct watch *w, struct task *task, taddr first, uint64_t offset,
			taddr sp)
{
	/* A circular list would never end: leave it in its second round (R. P. Brent, An improved
	 * Monte Carlo factorization algorithm, 1980). */
	taddr mark = first;
	uint64_t steps = 0, limit = 1;

	for (taddr at = first, next; at; at = next) {
		if (address_space_read(w->space, at + offset, &next, sizeof next) != sizeof next)
			next = 0;
		pools_drop(&w->pools, at);
		announce_free(w, task, at, sp, false);
		if (next == mark)
			return;
		if (++steps == limit) {
			mark = next;
			limit *= 2;
			steps = 0;
		}
	}
}
