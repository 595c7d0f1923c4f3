/* SPDX-License-Identifier: BSD-2-Clause */
/* Areas for code of ours within reach of the functions that it is for: one for each neighbourhood
 * of modules, such as the program itself and its libraries. */
#include "fast/engine_internal.h"

#include "fast/calls.h"
#include "fast/mapped.h"
#include "fast/room.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define NEAR_BYTES ((size_t)32 << 10)

/* The kernel hands out the nearest addresses first, so stay away from them; and functions farther
 * up should reach the same area. */
#define AWAY (ARCH_PATCH_REACH / 2)

static int find_room(const struct engine *e, taddr function, size_t size, taddr *at)
{
	struct room_wish wish = { .near_start = function, .near_end = function + FAST_PAGE,
				  .away = AWAY, .reach = ARCH_PATCH_REACH, .size = size };
	struct mapped all;
	int err = mapped_read(e, &all);

	if (err)
		return err;
	wish.stack_limit = all.stack_limit;
	*at = room_find(all.v, all.n, &wish);
	free(all.v);
	return *at ? 0 : -ENOMEM;
}

/* ---- in the program ---- */

static int map_code(struct program_calls *c, taddr at)
{
	return calls_map_at(c, at, NEAR_BYTES, PROT_READ | PROT_EXEC, 0);
}

static int map_flag(struct program_calls *c, taddr at)
{
	int err = calls_map_at(c, at, FAST_PAGE, PROT_READ | PROT_WRITE, 0);

	return err ? err : calls_advise(c, at, FAST_PAGE, MADV_WIPEONFORK);
}

static uint32_t enter_journal(const struct engine *e, taddr at)
{
	const struct journal_entry room = { .kind = JOURNAL_MEMORY, .pid = e->space->pid, .at = at,
					    .size = NEAR_BYTES + FAST_PAGE };

	return journal_add(e->shared->settings.journal, &room);
}

static int map_area(struct engine *e, struct program_calls *c, taddr at)
{
	struct near_area *n = &e->near[e->n_near];
	uint32_t entry = enter_journal(e, at);
	int err = map_code(c, at);

	if (!err) {
		err = map_flag(c, at + NEAR_BYTES);
		/* The second part may not be mapped: unmapping free addresses does nothing. */
		if (err)
			calls_unmap(c, at, NEAR_BYTES + FAST_PAGE);
	}
	if (err) {
		journal_remove(e->shared->settings.journal, entry);
		return err;
	}
	*n = (struct near_area){ .at = at, .size = NEAR_BYTES, .active = at + NEAR_BYTES,
				 .journal_entry = entry };
	e->n_near++;
	near_tell(e);
	return 0;
}

static bool reaches(const struct near_area *n, taddr function)
{
	taddr end = n->at + n->size + FAST_PAGE;
	taddr far = function > n->at ? function - n->at : end - function;

	return far <= ARCH_PATCH_REACH;
}

int near_room(struct engine *e, taddr function, size_t size, uint8_t *area)
{
	struct program_calls c;
	struct task *caller;
	taddr at;

	for (*area = 0; *area < e->n_near; ++*area) {
		const struct near_area *n = &e->near[*area];

		if (reaches(n, function) && n->used + size <= n->size)
			return 0;
	}
	if (e->n_near == NEAR_AREAS)
		return -ENOSPC;
	caller = tasks_caller(e);
	int err = caller ? calls_begin(&c, e->tracer, caller, e->syscall_insn) : -EAGAIN;
	if (!err)
		err = find_room(e, function, NEAR_BYTES + FAST_PAGE, &at);
	return err ? err : map_area(e, &c, at);
}

int near_unmap(const struct engine *e, struct program_calls *c)
{
	for (unsigned i = 0; i < e->n_near; i++) {
		int err = calls_unmap(c, e->near[i].at, e->near[i].size + FAST_PAGE);

		if (err)
			return err;
	}
	return 0;
}

bool near_has(const struct engine *e, taddr pc)
{
	for (unsigned i = 0; i < e->n_near; i++)
		if (pc >= e->near[i].at && pc < e->near[i].at + e->near[i].size)
			return true;
	return false;
}

int near_set_active(const struct engine *e, const struct address_space *space, bool on)
{
	const uint8_t active = on;
	int err = 0;

	for (unsigned i = 0; i < e->n_near; i++)
		if (address_space_write(space, e->near[i].active, &active, sizeof active) !=
		    (ssize_t)sizeof active)
			err = -EIO;
	return err;
}

/* ---- telling the agent and the journal ---- */

void near_tell(const struct engine *e)
{
	struct agent_shared *s = engine_agent(e);

	/* The agent may be reading those that it knows already: leave them. */
	for (unsigned i = __atomic_load_n(&s->n_pads, __ATOMIC_RELAXED); i < e->n_near; i++)
		s->pads[i] = (struct agent_pads){ e->near[i].at, e->near[i].at + e->near[i].size,
						  e->near[i].active };
	__atomic_store_n(&s->n_pads, e->n_near, __ATOMIC_RELEASE);
}

void near_enter_journal(struct engine *e)
{
	for (unsigned i = 0; i < e->n_near; i++)
		e->near[i].journal_entry = enter_journal(e, e->near[i].at);
}

void near_leave_journal(struct engine *e)
{
	for (unsigned i = 0; i < e->n_near; i++) {
		journal_remove(e->shared->settings.journal, e->near[i].journal_entry);
		e->near[i].journal_entry = JOURNAL_NONE;
	}
}
