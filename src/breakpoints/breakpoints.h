/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_BREAKPOINTS_H
#define MPROF_BREAKPOINTS_BREAKPOINTS_H

#include "arch/arch.h"
#include "attach/journal.h"
#include "proc/modules.h"
#include "attach/task.h"
#include "base/idindex.h"
#include "breakpoints/around.h"

/*
 * The trap instructions in one address space, and the out-of-line slots that run the displaced
 * instructions, so that a breakpoint is never lifted while threads run.
 */

enum breakpoint_role {
	BREAKPOINT_ENTRY = 1,	      /* at the entry of an allocator function: probe */
	BREAKPOINT_RETURN = 2,      /* a call of one returns here */
	BREAKPOINT_RENDEZVOUS = 4,  /* the dynamic linker calls it when libraries have been loaded
				       or unloaded */
	BREAKPOINT_RESOLVER = 8,    /* at the entry of an ifunc's resolver, which returns the
				       function's address: resolves */
};

struct breakpoint {
	taddr at;
	struct arch_insn insn;	/* the displaced instruction */
	struct around around;	/* and the code around it */
	uint8_t roles;		/* of enum breakpoint_role */
	bool volatile_code;	/* not in a file's mapping: a JIT may write over it */
	uint32_t probe;		/* BREAKPOINT_ENTRY: its definition's number */
	uint32_t resolves;	/* BREAKPOINT_RESOLVER: that of the function it returns */
	uint32_t file;		/* module file number; NO_FILE if none */
	taddr slot;		/* its copy out of line; 0: needs none */
	uint8_t slot_size;
	uint32_t journal_entry;	/* its entry in the recovery journal, or JOURNAL_NONE */
	/* BREAKPOINT_RETURN: */
	uint32_t pending;	/* calls that will return here */
	uint32_t hits, spurious_hits;	/* how often one did, and how often a task that returned
					   from no call was stopped */
	bool lifted;		/* not in the program now: no call is pending, and most hits were
				   spurious */
};

/* Memory that slots may use, and what was in it. */
struct slack {
	taddr start, end, next;
	uint8_t *saved;		/* end - start bytes; NULL: not used yet */
};

struct breakpoints {
	struct breakpoint *v;
	size_t n, cap;
	struct idindex index;	/* by address */
	struct slack *slacks;
	size_t n_slacks, cap_slacks;
	uint64_t planted;	/* writes of a trap instruction so far */
	struct journal *journal;	/* every breakpoint is recorded there; NULL: there is no
					   watchdog */
	pid_t pid;		/* the process whose memory it is, for the recovery journal */
};

void breakpoints_release(struct breakpoints *t);

/* The breakpoint at @at, or NULL. Valid until the next breakpoints_plant() or
 * breakpoints_forget(). */
struct breakpoint *breakpoints_at(const struct breakpoints *t, taddr at);

/* The breakpoint at @at, which was number @id of the table; the table may have changed since. */
static inline struct breakpoint *breakpoints_again(const struct breakpoints *t, size_t id, taddr at)
{
	return id < t->n && t->v[id].at == at ? &t->v[id] : breakpoints_at(t, at);
}

/* Let slots live in [start, end). 0 or -ENOMEM. */
int breakpoints_offer_slack(struct breakpoints *t, taddr start, taddr end);

/**
 * Put a breakpoint at @at, or add @role to the one that is there. Returns it, owned by the table,
 * or NULL with *err: -ENOMEM, -ESRCH (the process is gone), -EIO or -EILSEQ (no instruction is
 * there).
 */
struct breakpoint *breakpoints_plant(struct breakpoints *t, const struct address_space *s, taddr at,
				     enum breakpoint_role role, int *err);

/**
 * A call is pending that will return to @bp (await); it has returned there, or never will
 * (awaited). A breakpoint most of whose hits are spurious is in the program only while a call is
 * pending.
 */
void breakpoint_await(struct breakpoints *t, const struct address_space *s, struct breakpoint *bp);
void breakpoint_awaited(const struct address_space *s, struct breakpoint *bp);
/* A task has hit it that does not return from such a call. */
void breakpoint_was_spurious(const struct address_space *s, struct breakpoint *bp);

/* A program that writes its own code may have overwritten a breakpoint or the code behind it:
 * record what is there now, and put the breakpoint back. */
void breakpoints_refresh(struct breakpoints *t, const struct address_space *s,
			 struct breakpoint *bp);

/* Put the program's own bytes back, or the breakpoints in again; the table stays as it is. */
void breakpoints_lift(const struct breakpoints *t, const struct address_space *s);
void breakpoints_put_back(struct breakpoints *t, const struct address_space *s);
void breakpoint_put_back(const struct address_space *s, struct breakpoint *bp);
/* Make sure that the breakpoint is in the program, unless it is lifted. If a program that writes
 * its own code has put other code there, an instruction need not begin at its address any more: the
 * breakpoint is lifted until a call is made that will return there. */
void breakpoint_make_sure(const struct address_space *s, struct breakpoint *bp);
void breakpoint_lift(const struct address_space *s, const struct breakpoint *bp);
/* Is there a trap instruction of the program's own, in code that it has written since? */
bool breakpoint_is_foreign(const struct address_space *s, const struct breakpoint *bp);
/* Is our trap instruction there? */
bool breakpoint_is_in_place(const struct address_space *s, const struct breakpoint *bp);
void breakpoint_restore(const struct address_space *s, const struct breakpoint *bp);

/* Replace breakpoints by the program's own bytes in @code, which was read from @at. */
void breakpoints_hide(const struct breakpoints *t, taddr at, uint8_t *code, size_t len);

/*
 * Forget the breakpoints and the slack in [start, end), which is no longer mapped. @s: the program
 * may have put a copy of the code in its place, as programs do that move their code to huge pages:
 * breakpoints that were copied remain in the table, with volatile_code set. NULL: there is no such
 * copy.
 */
void breakpoints_forget(struct breakpoints *t, const struct address_space *s, taddr start,
			taddr end);

/* The same breakpoints for a space that is a copy, in process @to->pid. 0 or -ENOMEM. */
int breakpoints_copy(struct breakpoints *to, const struct breakpoints *from);

/**
 * The pc in the program itself for a pc in a slot.
 * @before  set if the instruction in the slot has not run yet: pc is its own address
 * Returns @pc itself if it is in no slot.
 */
taddr breakpoints_own_pc(const struct breakpoints *t, taddr pc, bool *before);

#endif
