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
 * A profile in the making: counts allocation events in a call tree. Pure data; knows no process,
 * and a frame only as a place in a module.
 */

/* A place in the program: a return address, or the very instruction a signal interrupted. */
struct profile_place {
	uint64_t address;	/* relative to the module's load bias; absolute if module is
				   PD_NONE */
	uint32_t module;	/* the session's number for it, or PD_NONE */
	bool exact;		/* not a return address: the instruction itself */
	bool guessed;		/* found by the frame pointer of what it called, for want of
				   anything better */
};

struct call_node {
	uint32_t parent, frame;	/* parent: PD_NONE for the two roots */
	uint64_t resumed;	/* as in struct pd_node */
};

/* allocs may be 0: what came before a fork or a restart. */
struct call_leaf {
	uint64_t size, allocs, frees;
	uint64_t epoch, at_peak;	/* see profile_leaf_at_peak() */
	uint32_t node;
	uint32_t site;	/* of windows.h: the same for all leaves of a node */
	uint8_t label;	/* enum alloc_label */
};

/* In the number of a live block's leaf: it was allocated by the parent, before the fork. */
#define LEAF_INHERITED 0x40000000u

static inline uint32_t profile_leaf_number(const struct live_slot *block)
{
	return block->leaf & ~(LEAF_INHERITED | LIVE_LATEST | LIVE_REACHED | LIVE_MISSED);
}

/*
 * What an event changed, told by the leaves of the blocks concerned: their chain and size. A leaf
 * may be PD_NONE: no such block, or not a known one.
 */
struct block_change {
	enum block_change_kind {
		BLOCK_NO_CHANGE,
		BLOCK_NEW,	/* leaf */
		BLOCK_GONE,	/* old_leaf */
		BLOCK_RESIZED,	/* by realloc: old_leaf became leaf */
	} kind;
	uint32_t leaf, old_leaf;
	/* The address was handed out although the block there was never seen freed: that block
	 * went, too, before the new one came. */
	uint32_t replaced_leaf;
	bool old_inherited, replaced_inherited; /* allocated by the parent before the fork */
};

/* A block that a realloc holds while it runs. */
struct taken_block {
	struct live_slot block;	/* leaf with LEAF_INHERITED; only the address if it is not known */
	int32_t task;
	bool known;
	bool before;	/* it is one of those that were there before */
};

/* An element of the chain that was walked last, outermost first. */
struct chain_step {
	uint32_t frame, node;
};

/* What the windows of all sites came to, and who has survived of each. */
struct kept_windows {
	uint64_t window_ns;
	uint32_t over;		/* windows that have passed */
	struct pd_window *v;
	size_t n;
	struct pd_survivor *survivors;
	size_t n_survivors;
};

/* What a series came to; in held[] the member site is a node: that of a chain which ends as those
 * do that held the bytes. */
struct kept_series {
	unsigned depth;	/* so many of the chain's innermost places are the same for all of them */
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
	/* Where a leaf has been found lately, by a part of its key; any number may be here. */
	uint32_t latest_leaf[1024];

	struct live_table live;
	struct before before;	/* blocks that are in no table, for they have no leaf */
	struct marks marks;	/* of live blocks */
	uint64_t seen_since_ns;	/* CLOCK_MONOTONIC: from then on all was told; UINT64_MAX: it is
				   not now */
	bool had_pause;		/* blocks have been requested that were not told of */
	struct mark_counts kept_marks;	/* what they came to, if it is finished */
	struct lifetimes lifetimes;
	struct windows windows;
	struct kept_windows kept_windows;	/* what they came to, if it is finished */
	struct series series;
	struct kept_series kept_series;		/* the same */
	struct taken_block *taken;
	size_t n_taken, cap_taken;

	struct chain_step *walked;	/* the chain that was walked last */
	size_t n_walked, cap_walked;
	uint32_t walked_root;		/* its root; PD_NONE: there is none */
	uint32_t last;			/* the node of the last request; PD_NONE: no request yet */

	struct pd_spared spared;
	bool finished;			/* by profile_finish(): there are no more events */
	struct pd_memory memory;	/* it used until then */
};

/* NULL: out of memory. */
struct profile *profile_new(void);

/* The windows of time begin with this length; before there is any event. */
void profile_set_shortest_window(struct profile *p, uint64_t ns);

/* From now on it is noted what the heaviest places hold over the time, in so many points at most;
 * 0: it is not. What was noted stays if that changes nothing. */
void profile_keep_series(struct profile *p, unsigned points);
void profile_free(struct profile *p);

/**
 * The number of a place in this profile, for the chains of its events; the same for the same
 * place. Returns IDINDEX_NONE: out of memory.
 */
uint32_t profile_frame(struct profile *p, const struct profile_place *place);

/* The node of a chain, of which nothing is counted. IDINDEX_NONE: out of memory. */
uint32_t profile_chain_node(struct profile *p, const struct alloc_chain *chain);

/**
 * The node that @frame, a number from profile_frame(), leads to from @parent: PD_ROOT_WHOLE,
 * PD_ROOT_TRUNCATED, or what was told before. Nothing is counted. IDINDEX_NONE: out of memory.
 */
uint32_t profile_node_below(struct profile *p, uint32_t parent, uint32_t frame);

/**
 * The frames of a node, innermost first, at most @max of them into @frames.
 * Returns how many there are.
 */
size_t profile_chain_of(const struct profile *p, uint32_t node, uint32_t *frames, size_t max);

/**
 * Count one event. A block whose allocation was never seen counts in unknown_frees when it is
 * freed, and nowhere else. @c tells what it changed.
 * Returns 0 or -ENOMEM, in which case the event is not counted.
 */
int profile_event(struct profile *p, const struct alloc_event *e, struct block_change *c);

/**
 * What was there before the first event. The blocks belong to the profile: *@b is empty then.
 * Frees of them are not counted as those of unknown blocks, nor anywhere else but in there.
 */
void profile_set_before(struct profile *p, struct before *b);

/* Is it a block whose end is awaited: one that was counted, or one that was there before? */
bool profile_knows(const struct profile *p, taddr key);

/* Events are to come soon: what they are about is fetched, all at a time, into the processor's
 * caches. False: it fits in there, and they need not be told of for now. */
bool profile_expect(const struct profile *p, const struct alloc_expected *v, unsigned n);

/* Somebody wants to find this moment again, or it is the first or the last: time has passed. */
void profile_stamp(struct profile *p, uint64_t time_ns);

/**
 * What a process made by fork starts with: nothing counted yet, but the blocks of @parent are
 * known as inherited, so that freeing one is told apart from freeing the unknown. The numbers of
 * places, nodes and leaves are those of @parent.
 * Returns NULL: out of memory.
 */
struct profile *profile_fork(const struct profile *parent);

/**
 * How many blocks of a leaf were live when live_bytes was at its highest. A leaf notes that when it
 * changes for the first time after a new peak, so that a peak costs nothing itself; one that has
 * not changed since has still as many.
 */
uint64_t profile_leaf_at_peak(const struct profile *p, const struct call_leaf *l);

/* What comes and goes from now on is not told, until it is again: at @now_ns, CLOCK_MONOTONIC, if
 * it was not. Of a block that is known since before that nobody knows whether it is the same. */
void profile_unseen_from_now(struct profile *p);
void profile_seen_from_now(struct profile *p, uint64_t now_ns);

/**
 * A pause begins at @now_ns: of the blocks that are there now nobody will know whether they are
 * when it is over. They count as gone from here on, and apart, in totals.missed; one whose free is
 * seen later is taken out of that again.
 * @tell  what that changes, block by block, by an event that is no call of the program's; NULL:
 *        nobody wants to know
 */
void profile_miss(struct profile *p, uint64_t now_ns,
		  void (*tell)(void *ctx, const struct alloc_event *e,
			       const struct block_change *c), void *ctx);

/* The block at @ptr, if it certainly has been there without a break since @then_ns,
 * CLOCK_MONOTONIC, and was counted; good until the next one comes or goes. NULL: there is none. */
const struct live_slot *profile_block_since(const struct profile *p, taddr ptr, uint64_t then_ns);

/* Is the block at @ptr certainly from before the first event: found there, or requested by the
 * parent? */
bool profile_had_before(const struct profile *p, taddr ptr);

/* The program's memory is being looked at as it is at @now_ns: which of its blocks are freed from
 * here on is kept until profile_look_over(). */
void profile_look(struct profile *p, uint64_t now_ns);
void profile_look_over(struct profile *p);

/* The program's memory has been looked at: what was said of blocks before is over. */
void profile_looked(struct profile *p, const struct pd_reach *reach);

/* ... at @then_ns, CLOCK_MONOTONIC, and this is what it said of the block that was at @said->ptr;
 * of one that was not counted, or that was requested since, nothing is kept. One that has been
 * freed since profile_look() counts as freed. 0 or -ENOMEM. */
int profile_mark(struct profile *p, const struct said_of_block *said, uint64_t then_ns);

/**
 * How many blocks are marked so that are live still, by leaf. *out is the caller's, for
 * mark_counts_release(). 0 or -ENOMEM.
 */
int profile_list_marks(const struct profile *p, struct mark_counts *out);

/**
 * What the windows have come to by now, with the numbers of nodes that the profile has now. *out is
 * the caller's, for kept_windows_release(). 0 or -ENOMEM.
 */
int profile_list_windows(const struct profile *p, struct kept_windows *out);
void kept_windows_release(struct kept_windows *k);

/**
 * What the series has come to by now, the peak and the present among its points, with the numbers
 * of places that the profile has now. *out is the caller's, for kept_series_release(). 0 or
 * -ENOMEM.
 */
int profile_list_series(const struct profile *p, struct kept_series *out);
void kept_series_release(struct kept_series *k);

/* Begin anew: nothing counted, no block known; all numbers stay. */
void profile_restart(struct profile *p);

/**
 * No event will come any more: keep what a report needs and give back all other memory. What has no
 * counts goes, so that the numbers of places, nodes and leaves change: nobody may hold one.
 * Returns 0 or -ENOMEM; then all is as before.
 */
int profile_finish(struct profile *p);

/* From now on this is not kept, and what was kept of it is given back. It only becomes more. */
void profile_spare(struct profile *p, const struct pd_spared *what);

/* Bytes of memory that the profile's tables take now: of arrays what is in use, for the rest has
 * not been touched, of hash tables all. */
uint64_t profile_used(const struct profile *p);

/* Bytes of memory the profile itself uses; those it used to, if it is finished. */
struct pd_memory profile_memory(const struct profile *p);

#endif
