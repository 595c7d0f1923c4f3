/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_H
#define MPROF_PROFILE_H

#include "alloc_event.h"
#include "base/idindex.h"
#include "profile/lifetimes.h"
#include "profile/live.h"
#include "profile/profile_data.h"

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
	uint8_t label;	/* enum alloc_label */
};

/* In the number of a live block's leaf: it was allocated by the parent, before the fork. */
#define LEAF_INHERITED 0x80000000u

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
	uint32_t last_of;	/* it was that thread's latest block, see lifetimes_take_last() */
	bool known;
};

/* An element of the chain that was walked last, outermost first. */
struct chain_step {
	uint32_t frame, node;
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
	struct lifetimes lifetimes;
	struct taken_block *taken;
	size_t n_taken, cap_taken;

	struct chain_step *walked;	/* the chain that was walked last */
	size_t n_walked, cap_walked;
	uint32_t walked_root;		/* its root; PD_NONE: there is none */
	uint32_t last;			/* the node of the last request; PD_NONE: no request yet */

	bool finished;			/* by profile_finish(): there are no more events */
	struct pd_memory memory;	/* it used until then */
};

/* NULL: out of memory. */
struct profile *profile_new(void);
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

/* Begin anew: nothing counted, no block known; all numbers stay. */
void profile_restart(struct profile *p);

/**
 * No event will come any more: keep what a report needs and give back all other memory. What has no
 * counts goes, so that the numbers of places, nodes and leaves change: nobody may hold one.
 * Returns 0 or -ENOMEM; then all is as before.
 */
int profile_finish(struct profile *p);

/* Bytes of memory the profile itself uses; those it used to, if it is finished. */
struct pd_memory profile_memory(const struct profile *p);

#endif
