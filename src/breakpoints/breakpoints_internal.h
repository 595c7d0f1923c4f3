/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BREAKPOINTS_BREAKPOINTS_INTERNAL_H
#define MPROF_BREAKPOINTS_BREAKPOINTS_INTERNAL_H

/* Shared by breakpoints.c (planting and the table), slots.c and overwritten.c. Not to be included
 * by others. */

#include "breakpoints/breakpoints.h"

static inline bool within(taddr a, taddr start, taddr end)
{
	return a >= start && a < end;
}

/* breakpoints.c */
/* Record the breakpoint, as it is now, in the journal. */
void breakpoint_write_entry(const struct breakpoints *t, struct breakpoint *bp);

/* slots.c */
/* Find a place for a new breakpoint's slot, if its instruction needs one. If there is no room the
 * instruction has to be single-stepped at its own address. */
void slot_place(struct breakpoints *t, const struct address_space *s, struct breakpoint *bp);
bool slot_write(const struct address_space *s, const struct breakpoint *bp);
/* What was in the slot's memory before. */
const uint8_t *slot_own_bytes(const struct breakpoints *t, const struct breakpoint *bp);
/* Has the slot been copied along with its memory, see breakpoints_forget()? */
bool slot_came_along(const struct address_space *s, const struct breakpoint *bp);
/* Forget the slack in [start, end) that no slot is in. */
void slacks_forget(struct breakpoints *t, taddr start, taddr end);
int slacks_copy(struct breakpoints *to, const struct breakpoints *from);

/* overwritten.c */
/* Read the code around @at. @t: replace its breakpoints by the program's own bytes; NULL: do
 * not. */
struct around breakpoint_read_around(const struct breakpoints *t, const struct address_space *s,
				     taddr at);
/* Is the code around a breakpoint what it was when it was planted? */
bool breakpoint_is_same_code(const struct address_space *s, const struct breakpoint *bp);
/* Has the breakpoint been copied along with its code, see breakpoints_forget()? */
bool breakpoint_came_along(const struct address_space *s, const struct breakpoint *bp);

#endif
