/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_TRAPS_H
#define MPROF_BREAKPOINTS_TRAPS_H

#include "arch/arch.h"
#include "attach/journal.h"
#include "proc/modules.h"
#include "attach/task.h"
#include "base/idindex.h"
#include "breakpoints/around.h"

/*
 * The trap instructions in one address space, and the out-of-line slots that run what they took
 * the place of, so that a trap is never lifted while threads run.
 */

enum trap_role {
	TRAP_ENTRY = 1,	      /* of an allocator function: probe */
	TRAP_RETURN = 2,      /* a call of one returns here */
	TRAP_RENDEZVOUS = 4,  /* the dynamic linker tells that libraries came or went */
	TRAP_RESOLVER = 8,    /* of a function that tells where an ifunc is: resolves */
};

struct trap {
	taddr at;
	struct arch_insn insn;	/* what was there */
	struct around around;	/* and what is around it */
	uint8_t roles;		/* of enum trap_role */
	bool volatile_code;	/* not in a file's mapping: a JIT may write over it */
	uint32_t probe;		/* TRAP_ENTRY: its definition's number */
	uint32_t resolves;	/* TRAP_RESOLVER: the same of what it returns */
	uint32_t file;		/* module file number; NO_FILE if none */
	taddr slot;		/* its copy out of line; 0: needs none */
	uint8_t slot_size;
	uint32_t journal_entry;	/* its entry in the recovery journal, or JOURNAL_NONE */
	/* TRAP_RETURN: */
	uint32_t pending;	/* calls that will return here */
	uint32_t hits, strays;	/* so often one did, or something else came by */
	bool out;		/* not in the program now: nothing is pending, and mostly others come by */
};

/* Memory that slots may use, and what it held. */
struct slack {
	taddr start, end, next;
	uint8_t *saved;		/* end - start bytes; NULL: not used yet */
};

struct traps {
	struct trap *v;
	size_t n, cap;
	struct idindex index;	/* by address */
	struct slack *slacks;
	size_t n_slacks, cap_slacks;
	uint64_t planted;	/* writes of a trap instruction so far */
	struct journal *journal;	/* told of every trap; NULL: nobody watches */
	pid_t pid;		/* whose memory it is, for the recovery journal */
};

void traps_release(struct traps *t);

/* The trap at @at, or NULL. Valid until the next traps_plant() or traps_forget(). */
struct trap *traps_at(const struct traps *t, taddr at);

/* The trap at @at, which was number @id of the table; since then traps may have come or gone. */
static inline struct trap *traps_again(const struct traps *t, size_t id, taddr at)
{
	return id < t->n && t->v[id].at == at ? &t->v[id] : traps_at(t, at);
}

/* Let slots live in [start, end). 0 or -ENOMEM. */
int traps_offer_slack(struct traps *t, taddr start, taddr end);

/**
 * Put a trap at @at, or add @role to the one that is there.
 * Returns it, or NULL with *err: -ENOMEM, -ESRCH (the process is gone), -EIO or -EILSEQ (no
 * instruction is there).
 */
struct trap *traps_plant(struct traps *t, const struct address_space *s, taddr at, enum trap_role role,
			 int *err);

/**
 * A call is pending that will return to @trap; it has returned there, or never will. A trap that
 * more come by who do not return from such a call is in the program only while one is pending.
 */
void trap_await(struct traps *t, const struct address_space *s, struct trap *trap);
void trap_awaited(const struct address_space *s, struct trap *trap);
/* Somebody came by who returns from no such call. */
void trap_strayed(const struct address_space *s, struct trap *trap);

/* A program that writes its own code may have written over a trap or behind it: take note of what
 * is there now, and put the trap back. */
void traps_refresh(struct traps *t, const struct address_space *s, struct trap *trap);

/* Put the program's own bytes back, or the traps in again; the table stays as it is. */
void traps_lift(const struct traps *t, const struct address_space *s);
void traps_put_back(struct traps *t, const struct address_space *s);
void trap_put_back(const struct address_space *s, struct trap *trap);
/* Have the program hold the trap, if it is not out. Where a program that writes its own code has put
 * other code no instruction need begin any more: there it is out until somebody calls who will return
 * there. */
void trap_make_sure(const struct address_space *s, struct trap *trap);
void trap_lift(const struct address_space *s, const struct trap *trap);
/* Is what stands there a trap instruction of the program's own, in code that it has written since? */
bool trap_is_foreign(const struct address_space *s, const struct trap *trap);
void trap_restore(const struct address_space *s, const struct trap *trap);

/* Put the program's own bytes in the place of traps in @code, which was read from @at. */
void traps_hide(const struct traps *t, taddr at, uint8_t *code, size_t len);

/*
 * Forget the traps and the slack in [start, end), which is no longer mapped. @s: if the program has put
 * a copy of what was there in its place, as those do who move their code to huge pages, the traps came
 * along, and remain in the table as such in code that the program has made. NULL: there is no such copy.
 */
void traps_forget(struct traps *t, const struct address_space *s, taddr start, taddr end);

/* The same traps for a space that is a copy, in process @to->pid. 0 or -ENOMEM. */
int traps_copy(struct traps *to, const struct traps *from);

/**
 * Where a pc that is in a slot stands in the program itself.
 * @before  set if the instruction in the slot has not run yet: pc is its own address
 * Returns @pc itself if it is in no slot.
 */
taddr traps_own_pc(const struct traps *t, taddr pc, bool *before);

#endif
