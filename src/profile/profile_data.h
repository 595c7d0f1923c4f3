/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROFILE_DATA_H
#define MPROF_PROFILE_DATA_H

#include "alloc_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A finished profile of one process image as plain data: every name, line and type resolved,
 * nothing left to look up. It is what the data file stores and what every report reads.
 *
 * The chains are paths in a tree of call sites. nodes[PD_ROOT_WHOLE] and nodes[PD_ROOT_TRUNCATED]
 * are its two roots, which stand for no call site: below the first hang the chains that were
 * followed to their end (main or a thread's function is a child of it), below the second those
 * that were not. A parent always stands before its children in nodes[].
 */
#define PD_ROOT_WHOLE CHAIN_ROOT_WHOLE
#define PD_ROOT_TRUNCATED CHAIN_ROOT_TRUNCATED
#define PD_FIRST_NODE 2u	/* nodes[] from here on have a call site */
#define PD_NONE UINT32_MAX	/* no module, no function, no site */

struct pd_totals {
	uint64_t allocs, alloc_bytes;	/* requests and the bytes they asked for */
	uint64_t frees, free_bytes;	/* of blocks whose request was counted */
	uint64_t peak_bytes;		/* the highest value of live requested bytes */
	uint64_t failed_allocs;		/* calls that returned no memory */
	uint64_t unknown_frees;		/* frees of blocks whose request was not seen */
	uint64_t inherited_frees;	/* of unknown_frees: blocks inherited over fork */
	uint64_t before_frees;		/* of blocks from before, found by a walk */
	/* Of frees and free_bytes: blocks that were live when a pause began and of which nothing
	 * has been seen since. Whether they have been freed is not known. */
	uint64_t missed, missed_bytes;
	uint64_t paused_frees;		/* of blocks whose request was not seen, and may have been
					   made in a pause; not in unknown_frees */
	uint64_t truncated_chains;	/* requests whose chain could not be followed to its end */
	/* Of these: no call frame information, unreadable stack, chain too long, cut because of
	 * pd_spared.depth. */
	uint64_t truncated_no_cfi, truncated_unreadable, truncated_too_deep, truncated_cut;
};

/*
 * Live bytes over time: with the totals, the statistics of an MMA event log. Calls are counted as
 * such a log has entries. A log does not tell what became of blocks in a pause: they are in the
 * load until their free is seen, or until their address is handed out again.
 */
struct pd_load {
	uint64_t begin_ns, end_ns;		/* CLOCK_MONOTONIC */
	uint64_t total_high, total_low;		/* bytes * ns, a number of 128 bits */
	uint64_t mallocs, callocs, reallocs, frees;	/* calls, including failed ones */
	uint64_t stamps;	/* beginning, end, suspended, resumed, mprof_mark() */
	uint64_t replaced;	/* blocks whose address was returned again without a free seen */
	uint64_t missed, missed_bytes;	/* those of pd_totals.missed that are still in the load */
	uint64_t max;			/* bytes: the highest load */
};

/* What was not observed, and is in no other counter. */
struct pd_unseen {
	uint64_t lost;		/* events that could not be counted: no memory, or one of */
	uint64_t lost_unreadable; /* calls whose stack could not be read */
	uint64_t lost_damaged;	/* records in the program's memory that made no sense */
	/* Calls that count as the program's, but may have been made by the allocator itself: the
	 * return of the outer call was not awaited. */
	uint64_t doubtful;
	/* Of other sizes than those that are recorded: requests, and frees of blocks that are not
	 * recorded. */
	uint64_t other_requests, other_frees;
	uint32_t taken;		/* functions that already had a breakpoint of another tracer */
	uint32_t untrapped;	/* 1: nothing was trapped, no allocator was found; of a sum: in one
				   of its profiles or more */
	uint64_t pauses, paused_ns;	/* how often and how long nothing was seen, while the
					   program ran */
};

/* What was not kept, to save memory in the profiler; the tables do not have it then. */
struct pd_spared {
	uint32_t lifetimes;	/* 1: how long blocks live */
	uint32_t timeline;	/* 1: what was live over the time: windows, verdicts, series */
	uint32_t depth;		/* chains are cut to so many frames; 0: they are not */
};

/* Memory used by the profiler itself, in bytes: the letters of the prolog (doc/tables.md, section
 * 3). */
struct pd_memory {
	uint64_t paths, functions, counters, links;
};

struct pd_module {
	char *path;	/* as the program saw it */
	char *build_id;	/* lower-case hexadecimal digits; "" if it has none */
	/* The source of its names, for people: "DWARF", ".symtab in FILE", ".dynsym", "none" ...;
	 * "" if no function of it occurs, so that none was needed. */
	char *names;
};

struct pd_function {
	char *name;	/* for people: demangled; "module+0x12ab" if it has none */
	char *linkage;	/* as in the symbol table, NULL where that is the same as name */
	uint32_t module;	/* index into modules[] or PD_NONE */
	uint64_t address;	/* of its first instruction, relative to the module's load bias */
};

/* An element of a chain: a place in a function, mostly the return address of the call it makes. */
struct pd_site {
	uint32_t function;	/* index into functions[] */
	uint64_t address;	/* the return address, relative to the module's load bias */
	uint64_t offset;	/* bytes from the function's first instruction to the return
				   address */
	char *file;		/* source file, NULL if not known */
	uint32_t line;		/* 1...; 0 if not known */
	uint8_t inlined;	/* 1: the function has no frame of its own here, it was inlined into
				   the site before it */
	uint8_t exact;		/* 1: not a return address, but the instruction that a signal
				   interrupted */
	uint8_t guessed;	/* 1: found by the frame pointer of the function it called, which
				   has no unwinding table */
};

struct pd_node {
	uint32_t parent;	/* index into nodes[], smaller than this node's; PD_NONE for the
				   roots */
	uint32_t site;		/* index into sites[]; PD_NONE for the roots */
	/* How many requests had a chain that shared exactly the elements down to this one with the
	 * chain of the request before; innermost elements are not compared. CC of the prolog is the
	 * sum of resumed x depth divided by the sum of the depths of all requests' chains. */
	uint64_t resumed;
};

/* What leads to a block, according to a look at the program's memory. */
enum pd_reach_class {
	PD_LOST,		/* nothing, or only blocks that it leads to itself */
	PD_LOST_THROUGH,	/* only lost blocks */
	PD_POSSIBLE,		/* only a pointer into it, not to its start */
	PD_REACHABLE,
	PD_REACH_CLASSES,
};

struct pd_sum {
	uint64_t blocks, bytes;
};

/* Requests of one exact size and label at the end of one chain. */
struct pd_leaf {
	uint32_t node;		/* the chain's innermost element, >= PD_FIRST_NODE; or a root if the
				   chain is empty */
	uint64_t size;		/* bytes each request asked for */
	uint64_t allocs, frees;	/* frees <= allocs */
	uint64_t at_peak;	/* live when the live bytes were at their highest; <= allocs. All 0:
				   not known */
	/* What the program said the blocks are for: 1 cons, 2 floating point, 3 structure or
	 * vector, 4 other; 0: nothing. */
	uint8_t label;
	/* Live blocks by class. The sum may be less than the live blocks: the look did not see
	 * those that came later or belong to another allocator. */
	uint64_t reach[PD_REACH_CLASSES];
	struct pd_sum hanging;	/* lost through those of them that are lost directly, whatever
				   their own leaf; usable bytes */
};

/* A point of the series: what call sites held at a moment. */
struct pd_series_point {
	uint64_t time_ns;	/* since the profile began */
	uint64_t live_bytes, live_blocks;
	uint64_t allocs;	/* requests so far */
	uint8_t peak;		/* as in struct pd_point */
};

#define PD_SERIES_POINTS 200u	/* at most */
#define PD_SERIES_SITES 20u	/* at most; sites of one function and line count as one */

/* What a call site, as the innermost of its chains, held at a point. Bytes in no such row are the
 * rest: of other sites, and of these where they were not among the heaviest. */
struct pd_held {
	uint32_t point, site;	/* indices into series[] and sites[] */
	uint64_t bytes;		/* > 0 */
};

/* What was live at a moment. */
struct pd_point {
	uint64_t time_ns;	/* since the profile began */
	uint64_t churn_bytes;	/* allocated and freed until then, extra bytes included */
	uint64_t live_bytes, extra_bytes, live_blocks; /* extra: bookkeeping and rounding, as Massif
						          charges */
	uint8_t peak;		/* 1: the first point with the highest live_bytes; at most one */
};

/* What saw the calls that were counted: bits of profile_data.engines. */
#define PD_ENGINE_TRAP 1u
#define PD_ENGINE_FAST 2u /* with traps for the functions that it declined */
#define PD_ENGINE_UNTOLD 4u /* not recorded for a part of a sum */

/*
 * Lifetimes of the blocks that were requested at the end of a chain and whose free was seen:
 * @blocks of them lived 2^bucket or more and less than 2^(bucket + 1); bucket 0 has 0 as well. The
 * fast engine knows only a span of time in which a free happened: its times are the longest
 * possible ones, so that only the upper limit of a bucket is certain.
 */
enum pd_life_axis {
	PD_LIFE_EVENTS,		/* in allocations and frees of the program */
	PD_LIFE_NS,
	PD_LIFE_TEMPORARY,	/* bucket is 0: freed before their thread allocated again */
	PD_LIFE_AXES,
};

/* Is the lower limit of a bucket certain, given profile_data.engines? */
static inline bool pd_life_has_least(uint32_t engines, uint8_t axis)
{
	return axis != PD_LIFE_NS || !(engines & PD_ENGINE_FAST);
}

struct pd_lifetime {
	uint32_t node;		/* as in struct pd_leaf */
	uint8_t axis, bucket;
	uint64_t blocks;
};

/*
 * How many blocks requested at the end of a chain were live over time, which is divided into equal
 * windows. In a window that a node does not have, its live blocks are as in its last window before,
 * whose low and high are equal then; before its first window it has none.
 */
struct pd_window {
	uint32_t node;		/* as in struct pd_leaf */
	uint32_t i;		/* from 0 on; < profile_data.windows_over */
	uint64_t births;	/* blocks requested in it */
	uint64_t low, high;	/* live blocks, at least and at most */
	uint64_t low_bytes, high_bytes;
};

/* Blocks that a node requested in a window and that are still live at the end. */
struct pd_survivor {
	uint32_t node, i;	/* as in struct pd_window */
	uint64_t blocks, bytes;
};

/* Blocks from before the first event, of one usable size. */
struct pd_before_bin {
	uint64_t usable;
	uint64_t blocks, freed, missed; /* missed: they have gone, but no free was seen */
};

enum before_how {
	BEFORE_UNKNOWN,	/* nobody has looked */
	BEFORE_COUNTED,	/* only how many there were */
	BEFORE_WALKED,
};

struct pd_before {
	uint32_t how;		/* enum before_how */
	uint64_t blocks, bytes;	/* usable ones */
	uint64_t freed_bytes;	/* their number is totals.before_frees */
	uint64_t missed, missed_bytes;
	uint64_t walk_ns;	/* how long the program was stopped for the walk */
	struct pd_before_bin *bins;	/* by usable size, at most one for each */
	size_t n_bins;
};

/* All blocks at the last look at the program's memory, whatever allocated them. */
struct pd_reach {
	uint32_t known;		/* 0: there was no look, or its result was doubtful */
	struct pd_sum sums[PD_REACH_CLASSES];	/* usable bytes */
	uint64_t freed;		/* blocks that were found lost and were freed later: how often the
				   look was wrong */
	uint64_t inherited;	/* lost blocks that a parent had requested before the fork */
	/* Lost blocks of requests that a report ignores; not in the data file. */
	uint64_t ignored;
};

/* What --ignore-fn has taken out of the totals of a report; not in the data file. */
struct pd_left_out {
	uint64_t allocs, bytes, frees, freed_bytes;
	uint64_t peak_blocks, peak_bytes; /* live at the peak of the whole profile */
};

/* What resident memory was used for at the end; the rows cover all of it. */
struct pd_rss_row {
	char *name;	/* as mprof rss prints it */
	uint64_t rss, pss;
};

/* What the type that a call site requests is known from. */
enum pd_type_how {
	PD_HOW_VARIABLE,	/* a variable has the block's address */
	PD_HOW_MEMBER,		/* it is stored to a member of a structure */
	PD_HOW_GLOBAL,		/* ... to a global variable */
	PD_HOW_ARGUMENT,	/* it is passed to a function */
	PD_HOW_RETURNED,	/* a function returns it */
	PD_HOWS,
};

/* The word for each, in files and JSON. */
extern const char *const pd_type_how_words[PD_HOWS];

/* A type that may be the one requested at the end of a chain. */
struct pd_site_type {
	uint32_t node;		/* as in struct pd_leaf */
	uint8_t how;		/* enum pd_type_how: the strongest evidence for those of the node */
	uint8_t certain;	/* 1: it is the node's only type, and there can be no other */
	uint64_t size;		/* bytes, sizeof; 0: not known */
	char *name;		/* "struct request"; "struct request[4]": an array of 4 */
};

struct pd_type {
	uint64_t size;		/* bytes, sizeof */
	char *name;
	uint32_t rank;		/* 0: the program's own; 1: of a library; ranks are listed in
				   order */
};

/* Where in the program's life the profile begins. */
enum pd_from {
	PD_FROM_UNKNOWN, /* not recorded, or a sum of some of each */
	PD_FROM_START,
	PD_FROM_ATTACH, /* the program was running already */
};

struct profile_data {
	char **command;		/* argv of the program, NULL-terminated */
	uint32_t pid;
	uint32_t program;	/* index into modules[] of the program itself, or PD_NONE */
	uint64_t started_ns, ended_ns;	/* CLOCK_REALTIME */
	uint64_t min_size, max_size; /* only requests of these sizes were recorded; 0: no limit */
	uint64_t slowdown_milli; /* a thousand times the factor by which profiling slowed the
				    session's programs down; 0: not known */
	uint32_t engines; /* PD_ENGINE_...; 0: not recorded */
	uint32_t from; /* enum pd_from */
	bool labelled;	/* a leaf has a label: the tables break down by label, not by size */
	struct pd_totals totals;
	struct pd_load load;
	struct pd_before before;
	struct pd_reach reach;
	struct pd_left_out left_out;
	struct pd_rss_row *rss;	/* none: not known */
	size_t n_rss;
	struct pd_unseen unseen;
	struct pd_spared spared;
	struct pd_memory memory;
	struct pd_module *modules;
	size_t n_modules;
	struct pd_function *functions;
	size_t n_functions;
	struct pd_site *sites;
	size_t n_sites;
	struct pd_node *nodes;
	size_t n_nodes;		/* >= 2: the roots are always there */
	struct pd_leaf *leaves;	/* at most one for each (node, size, label); sorted by these */
	size_t n_leaves;
	struct pd_lifetime *lifetimes;	/* at most one for each (node, axis, bucket); sorted by
					   them */
	size_t n_lifetimes;
	uint64_t window_ns;	/* length of each window; 0: there are none */
	uint32_t windows_over;	/* how many have passed */
	struct pd_window *windows;	/* at most one for each (node, i); sorted by them */
	size_t n_windows;
	struct pd_survivor *survivors;	/* the same */
	size_t n_survivors;
	struct pd_site_type *site_types; /* sorted by node, then strcmp of name, each once */
	size_t n_site_types;
	struct pd_point *points; /* in the order of time */
	size_t n_points;
	struct pd_series_point *series; /* the same */
	size_t n_series;	/* <= PD_SERIES_POINTS */
	bool is_part;		/* a view has left out some of what is in points[] and series[] */
	bool is_folded;		/* a view counts what some functions requested at their callers,
				   which held[] does not */
	struct pd_held *held;	/* at most one for each (point, site); sorted by them */
	size_t n_held;
	struct pd_type *types;	/* sorted by size, rank, then strcmp of name; no name twice for a
				   size */
	size_t n_types;
};

/* Adds the classes of a leaf's blocks to @sums; bytes as requested. */
void profile_data_add_reach(const struct pd_leaf *l, struct pd_sum sums[PD_REACH_CLASSES]);

/* The point at the peak, or NULL: there is none. */
const struct pd_point *profile_data_peak(const struct profile_data *d);

/* An empty profile with its two roots, or NULL: out of memory. */
struct profile_data *profile_data_new(void);

/* Which modules have a function in a chain, by number: an array for free(), or NULL: out of
 * memory. */
bool *profile_data_modules_used(const struct profile_data *d);

/**
 * The number of requests of whose chain a part was guessed by frame pointers.
 * @n  set to it
 * Returns 0 or -ENOMEM.
 */
int profile_data_guessed_chains(const struct profile_data *d, uint64_t *n);

/* Copies @rows into @d, which must have none yet. 0 or -ENOMEM. */
int profile_data_copy_rss(struct profile_data *d, const struct pd_rss_row *rows, size_t n);

/* Copies the blocks from before, the sums of the last look and resident memory to @to, which must
 * have none of these yet. 0 or -ENOMEM. */
int profile_data_copy_besides(struct profile_data *to, const struct profile_data *from);

/* Frees everything in it: all strings and arrays belong to the profile. NULL is fine. */
void profile_data_free(struct profile_data *d);

#endif
