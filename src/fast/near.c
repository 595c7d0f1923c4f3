/* SPDX-License-Identifier: BSD-2-Clause */
/* Room for code of ours within reach of the functions that it is about: a piece for each
 * neighbourhood of modules, such as a program's own and that of its libraries. */
#include "fast/engine_internal.h"

#include "base/array.h"
#include "fast/calls.h"
#include "fast/room.h"
#include "proc/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define NEAR_BYTES ((size_t)32 << 10)

/* ---- where ---- */

struct ranges {
	struct room_range *v;
	size_t n, cap;
};

static int add_range(const struct proc_map *m, void *ctx)
{
	struct ranges *r = ctx;
	struct room_range *last = r->n ? &r->v[r->n - 1] : NULL;

	if (last && last->end == m->start && !last->heap && strcmp(m->path, "[heap]") != 0 &&
	    strcmp(m->path, "[stack]") != 0) {
		last->end = m->end;
		return 0;
	}
	if (ARRAY_RESERVE(&r->v, &r->cap, r->n))
		return -ENOMEM;
	r->v[r->n++] = (struct room_range){ .start = m->start, .end = m->end,
					    .heap = !strcmp(m->path, "[heap]"),
					    .stack = !strcmp(m->path, "[stack]") };
	return 0;
}

static int find_room(const struct engine *e, taddr function, size_t size, taddr *at)
{
	struct room_wish wish = { .near_start = function, .near_end = function + FAST_PAGE,
				  .reach = ARCH_PATCH_REACH, .size = size };
	struct ranges r = { 0 };
	struct rlimit stack;

	if (!prlimit(tasks_tid(e), RLIMIT_STACK, NULL, &stack) && stack.rlim_cur != RLIM_INFINITY)
		wish.stack_limit = stack.rlim_cur;
	int err = proc_maps_each(tasks_tid(e), add_range, &r);
	*at = err ? 0 : room_find(r.v, r.n, &wish);
	free(r.v);
	return err ? err : *at ? 0 : -ENOMEM;
}

/* ---- in the program ---- */

static int map_code(struct program_calls *c, taddr at)
{
	taddr got;
	int err = calls_map(c, at, NEAR_BYTES, PROT_READ | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0, &got);

	/* An old kernel takes the address for a wish. */
	if (!err && got != at) {
		calls_unmap(c, got, NEAR_BYTES);
		return -EEXIST;
	}
	return err;
}

static int map_flag(struct program_calls *c, taddr at)
{
	taddr got;
	int err = calls_map(c, at, FAST_PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0, &got);

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
		/* Of a part that is not there nothing is unmapped: it was free before. */
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

/* ---- who has to know ---- */

void near_tell(const struct engine *e)
{
	struct agent_shared *s = engine_agent(e);

	for (unsigned i = 0; i < e->n_near; i++)
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
