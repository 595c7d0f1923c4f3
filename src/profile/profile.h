/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_H
#define MPROF_PROFILE_H

#include "alloc_event.h"
#include "base/idindex.h"
#include "profile/before.h"
#include "profile/lifetimes.h"
#include "profile/live.h"
#include "profile/marks.h"
#include "profile/profile_data.h"
#include "profile/series.h"
#include "profile/windows.h"

/*
 * A profile in the making: counts allocation events in a call tree. Pure data: it knows no process,
 * and a frame only as a place in a module.
 */

/* A place in the program: a return address, or the very instruction a signal interrupted. */
struct profile_place {
	uint64_t address;	/* relative to the module's load bias; absolute if module is
				   PD_NONE */
	uint32_t module;	/* the session's number for it, or PD_NONE */
	bool exact;		/* not a return address: the instruction itself */
	bool guessed;		/* found by the frame pointer of the function called from here,
				   which has no unwinding table */
};

struct call_node {
	uint32_t parent, frame;	/* parent: PD_NONE for the two roots */
	uint64_t resumed;	/* as in struct pd_node */
};

/* allocs may be 0: its blocks were allocated before a fork or a restart. */
struct call_leaf {
	uint64_t size, allocs, frees;
	uint64_t epoch, at_peak;	/* see profile_leaf_at_peak() */
	uint32_t node;
	uint32_t site;	/* site number of windows.h: the same for all leaves of a node */
	uint8_t label;	/* enum alloc_label */
};

/* A flag in a live block's leaf number: it was allocated by the parent, before the fork. */
#define LEAF_INHERITED 0x40000000u

static inline uint32_t profile_leaf_number(const struct live_slot *block)
{
	return block->leaf & ~(LEAF_INHERITED | LIVE_LATEST | LIVE_REACHED | LIVE_MISSED);
}

/*
 * What an event changed: the leaves, that is chain and size, of the blocks concerned. A leaf may be
 * PD_NONE: there is no such block, or it is not known.
 */
struct block_change {
	enum block_change_kind {
		BLOCK_NO_CHANGE,
		BLOCK_NEW,	/* leaf */
		BLOCK_GONE,	/* old_leaf */
		BLOCK_RESIZED,	/* by realloc: old_leaf became leaf */
	} kind;
	uint32_t leaf, old_leaf;
	/* The address was returned again although no free of the block there was seen: that block
	 * went, too, before the new one came. */
	uint32_t replaced_leaf;
	bool old_inherited, replaced_inherited; /* allocated by the parent before the fork */
};

/* A block that a realloc holds while it runs. */
struct taken_block {
	struct live_slot block;	/* leaf with LEAF_INHERITED; if not known, only the address */
	int32_t task;
	bool known;
	bool before;	/* it is a block from before */
};

/* An element of the chain that was walked last, outermost first. */
struct chain_step {
	uint32_t frame, node;
};

/* The windows of all sites, and the survivors of each window. */
struct kept_windows {
	uint64_t window_ns;
	uint32_t over;		/* windows that have passed */
	struct pd_window *v;
	size_t n;
	struct pd_survivor *survivors;
	size_t n_survivors;
};

/* The points of a series. The member site of held[] is a node: one whose chain has the same end as
 * the chains that held the bytes. */
struct kept_series {
	unsigned depth;	/* length of an end: so many innermost places are the same */
	struct pd_series_point *points;
	size_t n;
	struct pd_held *held;
	size_t n_held;
};

struct profile {
	struct pd_totals totals;
	struct pd_load load;
	uint64_t live_bytes;
	uint64_t epoch;		/* number of the highest peak so far, from 1 on */

	struct profile_place *places;	/* by frame number */
	size_t n_places, cap_places;
	struct idindex place_index;

	struct call_node *nodes;	/* PD_ROOT_WHOLE, PD_ROOT_TRUNCATED, then by first use */
	size_t n_nodes, cap_nodes;
	struct idindex node_index;

	struct call_leaf *leaves;
	size_t n_leaves, cap_leaves;
	struct idindex leaf_index;
	/* A cache of leaf numbers, by a part of their key; may be stale. */
	uint32_t latest_leaf[1024];

	struct live_table live;
	struct before before;	/* not in the live table, as they have no leaf */
	struct marks marks;	/* of live blocks */
	uint64_t seen_since_ns;	/* CLOCK_MONOTONIC: all events since then have come; UINT64_MAX:
				   they do not come now */
	bool had_pause;		/* some requests were not seen */
	struct mark_counts kept_marks;	/* the counts of marks, if it is finished */
	struct lifetimes lifetimes;
	struct windows windows;
	struct kept_windows kept_windows;	/* the result of windows, if it is finished */
	struct series series;
	struct kept_series kept_series;		/* that of series */
	struct taken_block *taken;
	size_t n_taken, cap_taken;

	struct chain_step *walked;	/* the chain that was walked last */
	size_t n_walked, cap_walked;
	uint32_t walked_root;		/* its root; PD_NONE: there is none */
	uint32_t last;			/* the node of the last request; PD_NONE: no request yet */

	struct pd_spared spared;
	bool finished;			/* by profile_finish(): there are no more events */
	struct pd_memory memory;	/* used until then */
};

/* NULL: out of memory. */
struct profile *profile_new(void);

/* The length of windows at the beginning. To be called before any event. */
void profile_set_shortest_window(struct profile *p, uint64_t ns);

/* From now on keep what the heaviest sites hold over time, in at most @points points; 0: nothing is
 * kept. If that is no change, the points so far stay. */
void profile_keep_series(struct profile *p, unsigned points);
void profile_free(struct profile *p);

/**
 * The number of a place in this profile, for the chains of its events; the same for the same
 * place. Returns IDINDEX_NONE: out of memory.
 */
uint32_t profile_frame(struct profile *p, const struct profile_place *place);

/* The node of a chain; nothing is counted. IDINDEX_NONE: out of memory. */
uint32_t profile_chain_node(struct profile *p, const struct alloc_chain *chain);

/**
 * The child of node @parent with @frame, a number from profile_frame(). @parent is PD_ROOT_WHOLE,
 * PD_ROOT_TRUNCATED, or a result of this function. Nothing is counted. IDINDEX_NONE: out of memory.
 */
uint32_t profile_node_below(struct profile *p, uint32_t parent, uint32_t frame);

/**
 * The frames of a node, innermost first, at most @max of them into @frames.
 * Returns how many there are.
 */
size_t profile_chain_of(const struct profile *p, uint32_t node, uint32_t *frames, size_t max);

/**
 * Count one event. The free of a block whose request was not seen counts in unknown_frees, and
 * nowhere else. *@c is set to what the event changed.
 * Returns 0 or -ENOMEM, in which case the event is not counted; but of a realloc whose new block
 * could not be counted the old one has gone, and *@c is BLOCK_GONE then.
 */
int profile_event(struct profile *p, const struct alloc_event *e, struct block_change *c);

/**
 * Set the blocks from before the first event. They are moved: *@b is empty afterwards. Their frees
 * are counted there only, not as frees of unknown blocks.
 */
void profile_set_before(struct profile *p, struct before *b);

/* Is there a block whose free would be counted: a live one, or one from before? */
bool profile_knows(const struct profile *p, taddr key);

/* Prefetch what the next events will touch, for all of them together. False: the profile is so
 * small that it is in the caches, and the caller need not announce events for now. */
bool profile_expect(const struct profile *p, const struct alloc_expected *v, unsigned n);

/* Time has passed: at the first and the last moment, and at those that a user wants to find
 * again. */
void profile_stamp(struct profile *p, uint64_t time_ns);

/**
 * The profile that a process made by fork starts with: nothing is counted, but the blocks of
 * @parent are known as inherited, which tells their frees from those of unknown blocks. Places,
 * nodes and leaves keep the numbers of @parent.
 * Returns NULL: out of memory.
 */
struct profile *profile_fork(const struct profile *parent);

/**
 * How many blocks of a leaf were live when live_bytes was at its highest. A leaf notes that at its
 * first change after a new peak, so that a peak itself costs nothing; a leaf that has not changed
 * since still has that many.
 */
uint64_t profile_leaf_at_peak(const struct profile *p, const struct call_leaf *l);

/* Events stop coming, and come again: from @now_ns, CLOCK_MONOTONIC, on. Whether a block from
 * before such a gap is still the same is not known then. The second does nothing if there was no
 * gap. */
void profile_unseen_from_now(struct profile *p);
void profile_seen_from_now(struct profile *p, uint64_t now_ns);

/**
 * A pause begins at @now_ns. Whether the blocks that are live now will be there when it is over is
 * unknown: they count as gone from now on, and separately in totals.missed; one whose free is seen
 * later is taken out of that again.
 * @tell  called for each of these blocks, with an event that is no call of the program; may be NULL
 */
void profile_miss(struct profile *p, uint64_t now_ns,
		  void (*tell)(void *ctx, const struct alloc_event *e,
			       const struct block_change *c), void *ctx);

/* The block at @ptr, if it was counted and has certainly been there since @then_ns,
 * CLOCK_MONOTONIC; valid until the next block comes or goes. NULL: there is none. */
const struct live_slot *profile_block_since(const struct profile *p, taddr ptr, uint64_t then_ns);

/* Is the block at @ptr certainly from before the first event: found by the walk, or requested by
 * the parent? */
bool profile_had_before(const struct profile *p, taddr ptr);

/* A look at the program's memory as of @now_ns begins, and ends: frees of blocks in between are
 * noted, for profile_mark(). */
void profile_look(struct profile *p, uint64_t now_ns);
void profile_look_over(struct profile *p);

/* The results of a look follow: drops those of the look before. */
void profile_looked(struct profile *p, const struct pd_reach *reach);

/* One result, of a look at @then_ns, CLOCK_MONOTONIC: for the block that was at @said->ptr. It is
 * dropped if that block was not counted, or was requested later. A block that was freed after
 * profile_look() counts as freed. 0 or -ENOMEM. */
int profile_mark(struct profile *p, const struct said_of_block *said, uint64_t then_ns);

/**
 * Count the marked blocks that are still live, by leaf. *out is the caller's, for
 * mark_counts_release(). 0 or -ENOMEM.
 */
int profile_list_marks(const struct profile *p, struct mark_counts *out);

/**
 * The windows so far, with the nodes' present numbers. *out is the caller's, for
 * kept_windows_release(). 0 or -ENOMEM.
 */
int profile_list_windows(const struct profile *p, struct kept_windows *out);
void kept_windows_release(struct kept_windows *k);

/**
 * The points of the series so far, plus the peak and the present, with the nodes' present numbers.
 * *out is the caller's, for kept_series_release(). 0 or -ENOMEM.
 */
int profile_list_series(const struct profile *p, struct kept_series *out);
void kept_series_release(struct kept_series *k);

/* Begin anew: nothing counted, no block known; all numbers stay. */
void profile_restart(struct profile *p);

/**
 * No more events will come: keep what a report needs and free everything else. What has no counts
 * is dropped, so places, nodes and leaves get new numbers: no old one may be used afterwards.
 * Returns 0 or -ENOMEM; then nothing has changed.
 */
int profile_finish(struct profile *p);

/* Stop keeping this, and free what was kept of it. Can only be extended. */
void profile_spare(struct profile *p, const struct pd_spared *what);

/* Bytes of memory in the profile's tables: of arrays the elements in use, because the rest has
 * never been written; of hash tables everything. */
uint64_t profile_used(const struct profile *p);

/* Bytes of memory used by the profile; if it is finished, those before that. */
struct pd_memory profile_memory(const struct profile *p);

#endif
