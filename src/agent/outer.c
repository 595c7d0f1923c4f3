/* SPDX-License-Identifier: BSD-2-Clause */
/* Is the innermost trapped call among the frames of a walk, and what is inside of it? */
#include "agent/agent_internal.h"

struct search {
	const struct agent_shared *shared;
	uint64_t sp, pc;	/* where the call returns to, and the stack pointer then */
	uint64_t seen;
};

/* True: it is the frame that was sought. */
static bool look_at(struct search *s, const struct agent_frame *f, bool signal)
{
	if (!f->exact && f->sp == s->sp && f->pc == s->pc) {
		s->seen |= SEEN_OUTER;
		return true;
	}
	if (s->seen & (SEEN_PAD | SEEN_SIGNAL))
		return false;
	if (!f->exact && agent_in_pad(s->shared, f->pc))
		s->seen |= SEEN_PAD;
	else if (signal)
		s->seen |= SEEN_SIGNAL;
	return false;
}

/* Is a pad's call pending whose return address is still where the pad has put it? After a longjmp
 * that proves nothing; but if the stack cannot be unwound there is nothing better. */
static bool has_pending(const struct activation *a, uint64_t outer_at)
{
	uint64_t depth = a->own ? a->own->depth : 0, word;

	for (uint64_t i = depth < AGENT_PENDING ? depth : AGENT_PENDING; i-- > 0;) {
		const uint64_t sp = a->own->pending[i].sp;

		if (sp < a->sp || (outer_at && outer_at <= sp))
			continue;
		if ((arch_read(ARCH_PAD_RETURNS_1(sp), &word) && agent_in_pad(a->shared, word)) ||
		    (arch_read(ARCH_PAD_RETURNS_3(sp), &word) && agent_in_pad(a->shared, word)))
			return true;
	}
	return false;
}

uint64_t agent_seen(const struct activation *a, const struct agent_found *found)
{
	const uint64_t at = a->own ? agent_outer_at(a->own) : 0;
	const uint64_t ret = at ? __atomic_load_n(&a->own->outer_ret, __ATOMIC_RELAXED) : 0;
	struct search s = { .shared = a->shared, .sp = at + sizeof at, .pc = ret,
			    .seen = found->whole ? SEEN_WHOLE : 0 };
	uint64_t word;

	if (!at)
		s.sp = 0;
	if (!found->whole && has_pending(a, at))
		s.seen |= SEEN_PENDING;
	if (at && arch_read(at, &word) && word == ret)
		s.seen |= SEEN_KEPT;
	for (uint32_t i = 0; i < found->n_fresh; i++)
		if (look_at(&s, &found->fresh[i], found->fresh[i].inside == INSIDE_SIGNAL))
			return s.seen | (at & SEEN_OUTER_AT_MASK);
	/* Chains with a signal in them are not remembered, so there is none among known frames. */
	for (uint32_t i = found->n_known; found->whole && i-- > 0;)
		if (look_at(&s, &found->known[i], false))
			break;
	return s.seen | (at & SEEN_OUTER_AT_MASK);
}
