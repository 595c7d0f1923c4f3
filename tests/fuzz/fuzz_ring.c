/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory that a program shares with us while the fast engine observes it: the program can write
 * whatever it wants, also while it is read.
 */
#include "fuzz.h"

#include "arch/x86_64_agent.h"
#include "fast/nodes.h"
#include "fast/ring.h"

/* What is written: which array, at which index, and two words. */
struct write {
	uint8_t what, skip;
	uint16_t index;
	uint64_t lo, hi;
} __attribute__((packed));

enum what { A_RECORD, A_NODE, A_STACK, A_HEAD, A_ROUND, A_DRAIN, WHATS };

enum { NODES = 256, STACKS = 4, PLACES = 1 << 16, MOST = 1024 };

static struct {
	struct agent_shared *shared;
	struct ring *ring;
	struct nodes *nodes;
	uint64_t told;
} end;

static uint32_t a_place(void *ctx, taddr pc, bool exact, bool guessed, bool *hidden)
{
	(void)ctx;
	*hidden = exact && guessed;
	return (uint32_t)pc % PLACES;
}

static uint32_t a_node(void *ctx, uint32_t parent, uint32_t place)
{
	(void)ctx;
	return (parent * 31 + place) % PLACES;
}

static void take(void *ctx, const struct ring_record *r)
{
	enum chain_end how = CHAIN_WHOLE;
	uint32_t node = 0;
	size_t n;

	(void)ctx;
	end.told++;
	FUZZ_EXPECT(r->kind >= RECORD_ALLOC && r->kind <= RECORD_FREE &&
		    r->thread <= AGENT_NO_THREAD);
	FUZZ_EXPECT(r->words < 1u << AGENT_WORDS);
	if (r->stack)
		FUZZ_EXPECT(r->stack->bytes <= AGENT_STACK_BYTES && r->stack->bytes % 8 == 0);
	const int err = nodes_find(end.nodes, r->node, &node, &how);

	FUZZ_EXPECT(err == 0 || err == -EINVAL);
	if (err)
		return;
	FUZZ_EXPECT(node < PLACES && how <= CHAIN_TOO_DEEP);
	FUZZ_EXPECT(nodes_known(end.nodes, r->node) == node);
	nodes_chain(end.nodes, r->node, &n);
}

/* As if nothing had been recorded. */
static void begin(void)
{
	const struct nodes_host host = {.place = a_place, .node = a_node, .root_truncated = 1};
	struct agent_shared *s = end.shared;

	if (!s)
		s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	FUZZ_EXPECT(s != MAP_FAILED);
	memset(s->ring, 0, MOST * sizeof *s->ring);
	memset(s->nodes, 0, NODES * sizeof *s->nodes);
	for (size_t i = 0; i < STACKS; i++)
		s->stacks[i].claim = 0;
	s->head = s->tail = 0;
	end.shared = s;
	end.ring = ring_new(s);
	end.nodes = nodes_new(s, &host);
	end.told = 0;
	FUZZ_EXPECT(end.ring && end.nodes);
}

/* Returns how many positions have been filled. */
static uint64_t write_one(const struct write *w, uint64_t filled)
{
	struct agent_shared *s = end.shared;

	switch (w->what % WHATS) {
	case A_RECORD:
		if (filled == MOST)
			return filled;
		s->ring[filled] = (struct agent_record){w->lo, w->hi};
		s->head = filled + 1;
		return filled + 1;
	case A_NODE:
		s->nodes[w->index % NODES] = (struct agent_node){w->lo, (uint32_t)w->hi % NODES,
								 (uint32_t)(w->hi >> 32)};
		return filled;
	case A_STACK:
		s->stacks[w->index % STACKS].claim = w->lo;
		s->stacks[w->index % STACKS].word[w->skip] = w->hi;
		return filled;
	case A_HEAD:
		s->head = w->lo % (2 * MOST);
		s->tail = w->hi;
		return filled;
	case A_ROUND:
		s->ring[w->index % MOST].hi = w->hi;
		return filled;
	default:
		ring_drain(end.ring, w->index, w->lo ? w->lo : UINT64_MAX, take, NULL);
		return filled;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t filled = 0;
	struct write w;

	begin();
	for (; size >= sizeof w; data += sizeof w, size -= sizeof w) {
		memcpy(&w, data, sizeof w);
		if (filled < ring_position(end.ring))
			filled = ring_position(end.ring);
		filled = write_one(&w, filled);
	}
	ring_drain(end.ring, UINT64_MAX, UINT64_MAX, take, NULL);
	const struct ring_counts counts = ring_counts(end.ring);

	FUZZ_EXPECT(counts.records == end.told && counts.stacks <= counts.records);
	FUZZ_EXPECT(counts.records + counts.lost <= UINT64_C(2) * MOST);
	FUZZ_EXPECT(ring_position(end.ring) <= MOST);
	ring_free(end.ring);
	nodes_free(end.nodes);
	return 0;
}
