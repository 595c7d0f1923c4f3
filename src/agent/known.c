/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains that have been found before. A program mostly allocates from places from which it has just
 * allocated, with the same stack: then each word that the walk has read is unchanged, and comparing
 * them takes a tenth of the time of walking and finding the nodes.
 *
 * All threads share them, without a lock: a version tells whether a chain was written while it was
 * read, and a thread that cannot write at once does not write.
 */
#include "agent/agent_internal.h"
#include "agent/step.h"
#include "unwind_row.h"

/* Fields that other threads may write meanwhile. */
#define READ(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define WRITE(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)

/* How many callers are hashed to tell a chain from others. */
enum {
	HASHED_CALLERS = 4
};

static uint64_t hash_with(uint64_t h, uint64_t word)
{
	return (h ^ h >> 32 ^ word) * UINT64_C(0xff51afd7ed558ccd);
}

/* Go to the caller of a frame with this row, if that needs no frame pointer. False: it does. */
static bool go_out(const struct agent_row *row, uint64_t *pc, uint64_t *sp)
{
	if (row->cfa & UNWIND_CFA_OTHER)
		return false;
	*sp = unwind_words(*sp, row->cfa);
	return arch_read(unwind_words(*sp, -1), pc);
}

/* A hash of a chain's innermost frame and some callers: a recursive program comes to the same place
 * with its stack at the same height in a thousand ways. If other rows are remembered by then the
 * hash differs, and the chain is just not found. */
static uint64_t hash_of_beginning(const struct activation *a)
{
	uint64_t pc = a->pc, sp = a->sp, h = hash_with(pc * UINT64_C(0x9e3779b97f4a7c15), sp);
	struct agent_row row;

	for (uint32_t i = 0; i < HASHED_CALLERS && agent_row_is_known(a->shared, pc - 1, &row) &&
			     go_out(&row, &pc, &sp);
	     i++)
		h = hash_with(h, pc);
	return h ^ h >> 29;
}

static struct agent_chain_set *set_of(const struct activation *a, uint64_t hash)
{
	return &a->shared->chains[hash % AGENT_CHAIN_SETS];
}

/* Never 0, which means none. */
static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> 32) | 1;
}

/* Are all words unchanged? If the chain is being written at the same time the answer means
 * nothing. */
static bool is_as_it_was(const struct agent_known_chain *c, const struct activation *a,
			 uint32_t epoch)
{
	const uint32_t n = READ(c->n);
	uint64_t word;

	if (READ(c->pc) != a->pc || READ(c->sp) != a->sp || READ(c->epoch) != epoch ||
	    (READ(c->needs_fp) && READ(c->fp) != a->fp) || n > AGENT_CHAIN_WORDS)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t was = READ(c->word[i]);

		if (!arch_read(a->sp + (was >> CHAIN_AT_SHIFT) * 8, &word) ||
		    word != (was & CHAIN_WORD_MASK))
			return false;
	}
	return true;
}

static bool find(const struct agent_chain_set *set, uint32_t i, const struct activation *a,
		 uint32_t epoch, uint32_t *node)
{
	const uint32_t version = __atomic_load_n(&set->version[i], __ATOMIC_ACQUIRE);

	if (version & 1 || !is_as_it_was(&set->way[i], a, epoch))
		return false;
	*node = READ(set->way[i].node) % AGENT_NODES;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return READ(set->version[i]) == version && *node;
}

bool agent_chain_known(const struct activation *a, uint32_t epoch, uint32_t *node)
{
	const uint64_t hash = hash_of_beginning(a);
	const struct agent_chain_set *set = set_of(a, hash);

	for (uint32_t i = 0; i < AGENT_CHAIN_WAYS; i++)
		if (READ(set->begins[i]) == tag_of(hash) && find(set, i, a, epoch, node))
			return true;
	return false;
}

/* Add a word that the chain depends on. False: there is no room, it is too far away, or is no
 * 48-bit address. */
static bool note(struct agent_known_chain *c, uint64_t at, uint64_t word)
{
	const uint64_t words = (at - READ(c->sp)) / 8;
	const uint32_t n = READ(c->n);

	if ((at - READ(c->sp)) % 8 || words > UINT16_MAX || word > CHAIN_WORD_MASK ||
	    n >= AGENT_CHAIN_WORDS)
		return false;
	WRITE(c->word[n], words << CHAIN_AT_SHIFT | word);
	WRITE(c->n, n + 1);
	return true;
}

/* Add the words of the step from a frame to its caller. Where the frame pointer is used as an
 * ordinary register its value does not matter. False: the step does not depend on words alone. */
static bool note_step(struct agent_known_chain *c, const struct agent_frame *f,
		      const struct agent_frame *caller)
{
	return !f->special && note(c, caller->sp - 8, caller->pc) &&
	       (!f->fp_at || !caller->needs_fp || note(c, f->fp_at, caller->fp));
}

/* Write a chain. False: a part of it could not be written. */
static bool write_down(struct agent_known_chain *c, const struct activation *a,
		       const struct agent_frame *frames, uint32_t n, uint32_t epoch, uint32_t node)
{
	WRITE(c->pc, a->pc);
	WRITE(c->sp, a->sp);
	WRITE(c->fp, a->fp);
	WRITE(c->needs_fp, frames[n - 1].needs_fp);
	WRITE(c->epoch, epoch);
	WRITE(c->node, node);
	WRITE(c->n, 0);
	for (uint32_t i = n - 1; i; i--)
		if (!note_step(c, &frames[i], &frames[i - 1]))
			return false;
	/* A chain that ended at a return address of 0 depends on that word, too. */
	return frames[0].special != SPECIAL_ZERO;
}

/* Two threads may get the same way at once: then it is replaced twice. */
static uint32_t next_turn(struct agent_chain_set *set)
{
	const uint32_t turn = READ(set->turn);

	WRITE(set->turn, turn + 1);
	return turn % AGENT_CHAIN_WAYS;
}

/* Was this chain missed a short while ago, too? */
static bool comes_again(struct agent_chain_set *set, uint32_t chain)
{
	for (uint32_t i = 0; i < AGENT_CHAIN_WAYS; i++)
		if (READ(set->missed[i]) == chain)
			return true;
	WRITE(set->missed[next_turn(set)], chain);
	return false;
}

/* A way with no usable chain, or the next to be replaced. */
static uint32_t choose_way(struct agent_chain_set *set, uint32_t epoch)
{
	for (uint32_t i = 0; i < AGENT_CHAIN_WAYS; i++)
		if (!READ(set->begins[i]) || READ(set->way[i].epoch) != epoch)
			return i;
	return next_turn(set);
}

void agent_chain_remember(const struct activation *a, const struct agent_frame *frames, uint32_t n,
			  uint32_t epoch, uint32_t node)
{
	const uint64_t hash = hash_of_beginning(a);
	struct agent_chain_set *set = set_of(a, hash);
	uint32_t i, version;

	if (!comes_again(set, tag_of(hash) ^ node << 1))
		return;
	i = choose_way(set, epoch);
	version = READ(set->version[i]);
	if (version & 1 ||
	    !__atomic_compare_exchange_n(&set->version[i], &version, version + 1, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	WRITE(set->begins[i],
	      write_down(&set->way[i], a, frames, n, epoch, node) ? tag_of(hash) : 0);
	__atomic_store_n(&set->version[i], version + 2, __ATOMIC_RELEASE);
}
