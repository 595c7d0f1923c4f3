/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_AGENT_LAYOUT_H
#define MPROF_AGENT_LAYOUT_H

#include <stdint.h>

/*
 * The memory that the agent, which runs in the program, shares with the tracer. Freestanding: both
 * sides include it. The program can write to all of it, so the tracer trusts nothing that it reads
 * here; what the agent does with damaged memory harms only the program that has damaged it.
 *
 * Who writes what: the agent `head`, records, `waiting`, `last_ticks`, nodes and their index,
 * thread records, stack copies; the tracer all else. Zeroed memory is a valid beginning, except for
 * what the tracer has to fill in, see below.
 */

enum {
	AGENT_RING = 65536, /* records */
	AGENT_ROOM = AGENT_RING / 4 * 3, /* up to this many, and one, may be in it */
	AGENT_NODES = 1 << 20,
	AGENT_NODE_SLOTS = 1 << 21,
	AGENT_RECENT_SLOTS = 1 << 16,
	AGENT_ROW_SLOTS = 1 << 15,
	AGENT_CHAIN_SETS = 1 << 10,
	AGENT_CHAIN_WAYS = 4,
	AGENT_CHAIN_WORDS = 120,
	AGENT_KEYS = 8192,
	AGENT_SPARES = 64,	/* the first thread records belong to no thread */
	AGENT_THREADS = 4095,	/* spares included */
	AGENT_NO_THREAD = 4095, /* in a record: of a thread without a record, for which there was no
				   spare either */
	AGENT_STRANGER = 4096, /* a key's number: the tracer knows no task with this thread
				  pointer */
	AGENT_RANGES = 65536, /* as many mappings as a process may have by default */
	AGENT_PADS = 64,
	AGENT_STACKS = 128,
	AGENT_STACK_BYTES = 32768,
	AGENT_PENDING = 32,
	AGENT_FRAMES = 128, /* of a thread's last chain, the outermost ones */
	AGENT_NEW_FRAMES = 192,
	AGENT_DEPTH = 1 << 18, /* frames of a chain, at most: 8 MiB of stack with 32 bytes each */
};

/* ---- records ---- */

/*
 * 16 bytes, put by one compare-and-swap into the first position p that is empty, which is { 0, p /
 * AGENT_RING }: lo is 0, and hi the number of times that the ring has come round to it. A position
 * is filled once in each round, and only when all those before it are filled: records are in the
 * order in which they were put, no position stays empty between two of them, however slow a thread
 * is, and a thread that is interrupted for good leaves nothing behind.
 *
 * lo: 63 set | 62..16 pointer | 15 words came before | 14..12 kind | 11..0 thread
 */
struct agent_record {
	_Alignas(16) uint64_t lo;
	uint64_t hi;
};

enum agent_kind {
	RECORD_ALLOC = 1,     /* pointer: the new block, 0: none; hi: 63..24 size, 23..0 node */
	RECORD_CALLOC,	      /* the same, separate for logs */
	RECORD_REALLOC_BEGIN, /* pointer: the block that is resized; hi: function */
	RECORD_REALLOC,	      /* as RECORD_ALLOC, with WORD_OLD if a block was resized */
	RECORD_FREE,	      /* pointer; hi: 63..48 function, 47..0 return address */
	RECORD_WORD,	      /* pointer: enum agent_word; hi: its value */
	RECORD_TIME,	      /* hi: the processor's clock; of no thread */
};

/* What does not fit into a record comes before it, from the same thread. */
enum agent_word {
	WORD_POINTER,  /* if it is 2^47 or more */
	WORD_SIZE,     /* if it is 2^40 or more; UINT64_MAX: an overflow */
	WORD_OLD,      /* the block that has been resized */
	WORD_FUNCTION, /* the function that gave no block, or whose call is to be judged */
	WORD_THREAD,   /* the thread pointer, if the record's thread is a spare */
	WORD_SP,       /* the caller's stack pointer, after the return: AGENT_WANT_SP */
	WORD_COUNT,    /* arguments of calloc: AGENT_WANT_ARGUMENTS */
	WORD_ELEM,
	WORD_STACK, /* a copy of the stack: 63..48 words, 47..32 its turn, 31..0 its number */
	WORD_JUDGE, /* the tracer is to find out whether the call is nested: see SEEN_WHOLE */
	AGENT_WORDS,
};

/* What the agent has seen of the stack, in WORD_JUDGE. With SEEN_OUTER or SEEN_PAD the copy of the
 * stack may have no words. */
#define SEEN_WHOLE (UINT64_C(1) << 63)	/* it has followed the stack to its end */
#define SEEN_OUTER (UINT64_C(1) << 62)	/* the call of agent_thread.outer_at is in it ... */
#define SEEN_PAD (UINT64_C(1) << 61)	/* before that call, if it was found, a pad came first */
#define SEEN_SIGNAL (UINT64_C(1) << 60)	/* the same: a signal handler came first */
#define SEEN_KEPT (UINT64_C(1) << 59)	/* outer_ret is in its place */
#define SEEN_PENDING (UINT64_C(1) << 58) /* so is the return address of a pad's call, inside of that
					    one */
#define SEEN_OUTER_AT_MASK ((UINT64_C(1) << 48) - 1) /* agent_thread.outer_at */

#define RECORD_SET (UINT64_C(1) << 63)
#define RECORD_POINTER_SHIFT 16
#define RECORD_POINTER_MAX ((UINT64_C(1) << 47) - 1)
#define RECORD_WITH_WORDS 0x8000u
#define RECORD_KIND_SHIFT 12
#define RECORD_KIND_MASK 7u
#define RECORD_THREAD_MASK 0xfffu
#define RECORD_SIZE_SHIFT 24
#define RECORD_SIZE_MAX ((UINT64_C(1) << 40) - 1)
#define RECORD_NODE_MASK 0xffffffu
#define RECORD_RET_MASK ((UINT64_C(1) << 48) - 1)
#define RECORD_FUNCTION_SHIFT 48

/* ---- what a pad passes about its function ---- */

/* What a function's calls mean, and which of its arguments the pad keeps for the agent. */
enum agent_call {
	AGENT_ALLOC,	    /* bytes */
	AGENT_ALLOC_OUT,    /* where the block's address is stored, bytes; returns 0 or an error */
	AGENT_ALLOC_ARRAY,  /* count, bytes of one */
	AGENT_CALLOC,	    /* count, bytes of one */
	AGENT_REALLOC,	    /* block, bytes */
	AGENT_REALLOC_ARRAY, /* block, count, bytes of one */
	AGENT_FREE,	    /* block */
};

/* The number that a pad passes as its probe: the function's, below 65536, and the kind of call. */
#define AGENT_PROBE(call, function) ((uint32_t)(function) << 8 | (uint32_t)(call))

/* ---- nodes ---- */

#define NODE_EXACT (UINT64_C(1) << 63)	 /* not a return address: the instruction itself */
#define NODE_GUESSED (UINT64_C(1) << 62)
#define NODE_PC_MASK (NODE_GUESSED - 1)

/*
 * A node of the call tree: written whole before its number gets into the index, never changed
 * afterwards. Its parent has a smaller number; one without a parent is a root, and its pc says how
 * chains below it end (enum agent_root). Each epoch has its own roots: an address may mean
 * something else in the next.
 */
struct agent_node {
	uint64_t pc;
	uint32_t parent; /* 0: none */
	uint32_t epoch;
};

enum agent_root {
	ROOT_WHOLE = 1,
	ROOT_NO_CFI,
	ROOT_UNREADABLE,
	ROOT_TOO_DEEP,
	AGENT_ROOTS,
};

/* ---- threads ---- */

struct agent_key {
	uint64_t thread_pointer; /* plus 1; 0: never used */
	uint64_t number;	 /* AGENT_NO_THREAD: the thread has ended */
};

/* A frame of a chain that has been walked. */
struct agent_frame {
	uint64_t pc, sp, fp;
	uint64_t fp_at;	 /* where its caller's fp is saved; 0: it is the same */
	uint32_t node;
	uint8_t exact : 1;    /* pc is the instruction itself */
	uint8_t by_fp : 1;    /* its caller is found by fp */
	uint8_t needs_fp : 1; /* its caller, or one further out, is found by the same fp */
	uint8_t special; /* enum agent_special */
	uint8_t inside;	 /* enum agent_inside */
	uint8_t agent;	 /* the agent is among the frames from here outwards */
};

/* Frames whose caller is not given by one word alone. */
enum agent_special {
	SPECIAL_STEP = 1, /* the caller is not found by the word below its sp: step again */
	/* There is no caller, because the return address was 0, which may have changed. */
	SPECIAL_ZERO,
};

/* What comes first, going outwards from a frame. */
enum agent_inside {
	INSIDE_NOTHING,
	INSIDE_PAD,    /* a call that a pad has made */
	INSIDE_SIGNAL, /* the entry of a signal handler: its calls are its own, not the
			  allocator's */
};

/* A call that a pad has begun. */
struct agent_pending {
	uint64_t sp;	/* where the caller's return address is */
	uint64_t state; /* the agent's; or AGENT_UNTOLD, set by the tracer */
};

/* The end of a call is not recorded: it is nested, or was begun before a fork, in the parent. */
#define AGENT_UNTOLD UINT64_C(1)

struct agent_thread {
	/* The thread pointer, plus 1, of the thread that has taken the record, by compare-and-swap;
	 * 0: free. In one step: a handler that never comes back may interrupt the thread anywhere,
	 * and it must be known whose record it was. */
	_Alignas(4096) uint64_t busy;
	uint64_t busy_sp;	 /* the sp of that activation's caller; 0: it has just begun, or is
				    about to end */
	uint64_t stack_lo, stack_hi; /* the range that its sp was in */
	uint64_t depth; /* calls that pads have begun and that have not ended, as far as is known */
	uint32_t ranges_turn;	 /* of agent_shared, when the range was read */
	uint32_t epoch;		 /* of frames[] */
	uint32_t n_frames;
	uint32_t untimed;	 /* events since the thread last read the clock */
	uint32_t stack;		 /* plus 1: a stack copy that it has taken, or is taking, and not
				    put in a record yet */
	uint64_t word[16];	 /* of the event that is being recorded, by enum agent_word */
	/* Written by the tracer: where the innermost pending call that a breakpoint has seen begin
	 * has its return address, and that address; 0: there is no such call. */
	uint64_t outer_at, outer_ret;
	struct agent_pending pending[AGENT_PENDING]; /* by the depth at which they began */
	struct agent_frame frames[AGENT_FRAMES]; /* outermost first */
	struct agent_frame fresh[AGENT_NEW_FRAMES]; /* innermost first */
};

_Static_assert(AGENT_WORDS <= 16, "words of an event");
_Static_assert(sizeof(struct agent_thread) <= 16384, "16 KiB for a thread");

/* ---- copies of stacks ---- */

/* What unwinding begins with: the caller's registers as they are after the return, and the
 * stack. */
struct agent_stack {
	uint64_t claim; /* see below; the tracer gives the copy back */
	uint64_t pc, sp, fp;
	uint64_t saved[5]; /* rbx, r12 to r15 */
	_Alignas(64) uint64_t word[AGENT_STACK_BYTES / 8];
};

/*
 * A claim says in one word which thread has a copy (its number plus 1, or 0), and how often the
 * copy has been taken: its turn, of which a record has 16 bits. It changes only by compare and
 * exchange, so that no thread gives back a copy that another has taken meanwhile.
 */
static inline uint32_t claim_owner(uint64_t claim)
{
	return (uint32_t)claim;
}

static inline uint16_t claim_turn(uint64_t claim)
{
	return (uint16_t)(claim >> 32);
}

static inline uint64_t claim_taken(uint64_t claim, uint32_t owner)
{
	return (uint64_t)((uint32_t)(claim >> 32) + 1) << 32 | owner;
}

static inline uint64_t claim_given_back(uint64_t claim)
{
	return claim >> 32 << 32;
}

/* True: the copy's claim was @claim, and is @next now. Then what was read of the copy before
 * belongs to that turn; and what was written before is visible to the thread that takes the
 * copy. */
static inline _Bool claim_change(struct agent_stack *copy, uint64_t claim, uint64_t next)
{
	return __atomic_compare_exchange_n(&copy->claim, &claim, next, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* Give back a copy that a thread has left, if it is still that thread's. */
static inline void agent_stack_leave(struct agent_stack *copy, uint32_t owner)
{
	const uint64_t claim = __atomic_load_n(&copy->claim, __ATOMIC_RELAXED);

	if (claim_owner(claim) == owner)
		claim_change(copy, claim, claim_given_back(claim));
}

/* ---- unwinding tables ---- */

/* The rows of a piece of code, see unwind_row.h; addresses in the program. */
struct agent_module {
	uint64_t lo, hi;
	uint64_t rows, index;
	uint64_t shift;
};

/* Sorted by lo. Never changed: when the mappings change a new list is written. */
struct agent_modules {
	uint64_t n;
	struct agent_module v[];
};

/* ---- chains that have been found before ---- */

/*
 * A whole chain, and everything it depends on: its innermost frame, and every word that was read on
 * the way outwards. If these are unchanged so is the chain, and the stack need not be walked again.
 * Any thread may find it, as the stack pointer is a part of the innermost frame.
 */
struct agent_known_chain {
	uint64_t pc, sp, fp;
	uint32_t epoch, node;
	uint32_t n;	   /* words */
	uint32_t needs_fp; /* 0: fp does not matter */
	/* Innermost first. 63..48 its place, in words from sp; 47..0 its value, an address. */
	uint64_t word[AGENT_CHAIN_WORDS];
};

#define CHAIN_AT_SHIFT 48
#define CHAIN_WORD_MASK ((UINT64_C(1) << CHAIN_AT_SHIFT) - 1)

/* Chains whose innermost frames have the same hash. */
struct agent_chain_set {
	_Alignas(64) uint32_t version[AGENT_CHAIN_WAYS]; /* odd: it is being written */
	uint32_t begins[AGENT_CHAIN_WAYS]; /* the hash of the innermost frames; 0: there is none */
	/* Hashes of the last chains that were not found: a chain is remembered when it comes again.
	 * To remember each that comes only once would cost more than it saves. */
	uint32_t missed[AGENT_CHAIN_WAYS];
	uint32_t turn; /* the next of each to be replaced */
	_Alignas(64) struct agent_known_chain way[AGENT_CHAIN_WAYS];
};

/* ---- all of it ---- */

/* An area of pads and slots, half-open, and its flag. */
struct agent_pads {
	uint64_t lo, hi;  /* pads and slots near one group of modules */
	uint64_t active;  /* the address of their flag: one byte */
};

struct agent_range {
	uint64_t lo, hi;
};

enum agent_flag {
	AGENT_WANT_SP = 1,
	AGENT_WANT_ARGUMENTS = 2,
	AGENT_WANT_STACKS = 4,
};

#define AGENT_OWNER_TID 0x3fffffffu  /* FUTEX_TID_MASK */
#define AGENT_OWNER_DIED 0x40000000u /* FUTEX_OWNER_DIED */

struct agent_shared {
	/* All positions before it have been filled, and mostly it is the first empty one: where
	 * producers begin to search. */
	_Alignas(64) uint64_t head;
	_Alignas(64) uint64_t tail;	  /* the position up to which the consumer has read, updated
					     now and then */
	_Alignas(64) uint64_t last_ticks; /* of the latest RECORD_TIME */
	/* Filled in by the tracer, and seldom written afterwards. */
	_Alignas(64) uint32_t owner;	  /* futex word of a robust mutex that the tracer holds */
	uint32_t passive;		  /* 1: record no more */
	uint32_t flags;			  /* enum agent_flag */
	uint32_t epoch;
	uint64_t step_ticks;		  /* at least so many between two RECORD_TIME; 0: none are
					     wanted */
	uint32_t untimed;		  /* after how many events a thread reads the clock */
	uint32_t n_pads, n_ranges;
	uint32_t ranges_turn;		  /* odd: ranges[] is being written */
	uint64_t agent_lo, agent_hi;	  /* the agent's own code */
	uint64_t modules;		  /* address of struct agent_modules; 0: none yet */
	struct agent_pads pads[AGENT_PADS];
	/* Readable and writable memory, sorted. The range of a stack that grows may begin at its
	 * lowest possible address: nothing below a stack pointer is read. */
	struct agent_range ranges[AGENT_RANGES];
	/* Questions of the agent's. */
	_Alignas(64) uint64_t asked_sp;	  /* is in no range: read the map again */
	uint32_t asks;			  /* threads that wait for that */
	uint64_t nameless;		  /* a thread pointer without a key, plus 1; 0: none */
	uint64_t uncounted;		  /* events that could not be recorded */
	_Alignas(64) uint32_t n_nodes;	  /* numbers given out; may exceed AGENT_NODES */
	/* The array for deep chains. 31..0: the number, plus 1, of the thread that has taken it;
	 * 63..32: how often it has been taken. */
	_Alignas(64) uint64_t deep_taken;
	uint64_t deep_left; /* deep_taken of a thread that seems to have left it for good */
	_Alignas(64) uint32_t waiting[AGENT_THREADS + 1]; /* by thread number: waits for the
							     tracer */
	_Alignas(64) struct agent_key keys[AGENT_KEYS];
	_Alignas(4096) struct agent_record ring[AGENT_RING];
	_Alignas(4096) struct agent_node nodes[AGENT_NODES];
	uint64_t node_index[AGENT_NODE_SLOTS]; /* 63..32 a part of the hash, 31..0 node; 0: empty */
	uint64_t recent[AGENT_RECENT_SLOTS];   /* the same, by agent_node_key(), for recent ones */
	/* Rows that were found last, by the lowest bits of the pc: 63..32 its other bits, 31..16
	 * cfa, 15..0 fp; 0: empty. Emptied by the tracer when it writes a new list of modules. */
	_Alignas(4096) uint64_t rows[AGENT_ROW_SLOTS];
	_Alignas(4096) struct agent_chain_set chains[AGENT_CHAIN_SETS];
	_Alignas(4096) struct agent_stack stacks[AGENT_STACKS];
	struct agent_frame deep[AGENT_DEPTH]; /* new frames that do not fit into a thread record */
	struct agent_thread threads[AGENT_THREADS];
};

_Static_assert(sizeof(struct agent_shared) < 128 << 20, "128 MiB of addresses");

/* ---- the blob ---- */

#define AGENT_MAGIC UINT64_C(0x31746e656761706d) /* "mpagent1" */

/* The beginning of the blob. */
struct agent_head {
	uint64_t magic;
	uint64_t shared; /* address of struct agent_shared: filled in by the tracer */
	int32_t enter, begin, end, free; /* entries, relative to the head */
	/* The beginning and the end of the table of struct arch_fault, relative to the head. */
	int32_t faults, faults_end;
};

/* Free the array for deep chains, if the thread with this number has it. */
static inline void agent_deep_give_back(struct agent_shared *s, uint32_t number)
{
	uint64_t taken = __atomic_load_n(&s->deep_taken, __ATOMIC_RELAXED);

	if ((uint32_t)taken == number + 1)
		__atomic_compare_exchange_n(&s->deep_taken, &taken, taken >> 32 << 32, 0,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* The first slot of a thread's probe sequence. */
static inline uint32_t agent_key_slot(uint64_t thread_pointer)
{
	return (uint32_t)((thread_pointer >> 6) * UINT64_C(0x9e3779b97f4a7c15) >> 51);
}

#endif
