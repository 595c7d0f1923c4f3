/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains made of remembered steps. */
#include "unwind/unwind_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct unwinder *unwinder_new(void)
{
	struct unwinder *u = calloc(1, sizeof *u);

	if (!u)
		return NULL;
	u->as = unw_create_addr_space(&unwind_accessors, 0);
	if (!u->as || snapshot_init(&u->memory, unwind_cannot_change, u)) {
		unwinder_free(u);
		return NULL;
	}
	u->tables.memory = &u->memory;
	unw_set_caching_policy(u->as, UNW_CACHE_GLOBAL);
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	if (u->as)
		unw_destroy_addr_space(u->as);
	snapshot_release(&u->memory);
	steps_release(&u->steps);
	paths_release(&u->paths);
	free(u->frames);
	tables_release(&u->tables);
	code_known_release(&u->code);
	free(u);
}

void unwinder_flush(struct unwinder *u)
{
	unw_flush_cache(u->as, 0, 0);
	snapshot_flush(&u->memory);
	tables_flush(&u->tables);
	code_known_flush(&u->code);
	steps_forget(&u->steps);
	paths_forget(&u->paths);
}

/* A reference to a step that is valid while the step is remembered: all may be forgotten while a
 * chain is being walked. */
static uint64_t memo_of(const struct unwinder *u, const struct step *s)
{
	return (uint64_t)u->steps.generation << 32 | step_id(&u->steps, s);
}

static struct step *step_of(const struct unwinder *u, uint64_t memo)
{
	uint32_t i = (uint32_t)memo;

	return memo != UINT64_MAX && memo >> 32 == u->steps.generation && i < u->steps.n ?
		       &u->steps.v[i] : NULL;
}

void unwinder_note(struct unwinder *u, const struct unwind_frame *f, uint32_t number)
{
	struct step *s = step_of(u, f->memo);

	if (s)
		s->number = number;
}

uint32_t unwinder_noted(const struct unwinder *u, const struct unwind_frame *f)
{
	const struct step *s = step_of(u, f->memo);

	return s ? s->number : UINT32_MAX;
}

void unwinder_note_chain(const struct unwind_chain *chain, const uint32_t *numbers, size_t n)
{
	if (chain->path)
		path_number(chain->path, numbers, n);
}

const uint32_t *unwinder_noted_chain(const struct unwind_chain *chain, size_t *n)
{
	if (!chain->path || !chain->path->numbered)
		return NULL;
	*n = chain->path->n_numbers;
	return chain->path->numbers;
}

void unwinder_check(struct unwinder *u, bool on)
{
	u->check = on;
}

struct unwind_counts unwinder_counts(const struct unwinder *u)
{
	return u->counts;
}

void unwinder_own_bytes(struct unwinder *u,
			void (*own_bytes)(void *ctx, taddr at, uint8_t *code, size_t len),
			void *ctx)
{
	u->code.own_bytes = own_bytes;
	u->code.ctx = ctx;
}

int unwinder_snapshot(struct unwinder *u, const struct address_space *s, taddr sp)
{
	return snapshot_take(&u->memory, s, sp);
}

int unwinder_snapshot_copy(struct unwinder *u, const struct address_space *s, taddr sp,
			   const void *bytes, size_t len)
{
	return snapshot_take_copy(&u->memory, s, sp, bytes, len);
}

bool unwinder_word(struct unwinder *u, taddr at, uint64_t *value)
{
	return snapshot_word(&u->memory, at, value);
}

bool unwinder_far_word(struct unwinder *u, taddr at, uint64_t *value)
{
	return snapshot_far_word(&u->memory, at, value);
}

taddr unwinder_function(struct unwinder *u, const struct mappings *maps,
			const struct module_files *files, const struct unwind_frame *f)
{
	unw_proc_info_t pi;

	u->maps = u->tables.maps = maps;
	u->tables.files = files;
	u->reads = 0;
	/* Behind a call that does not return another function may begin: so look up the call
	 * itself. */
	return tables_find(&u->tables, u->as, f->pc - !f->exact, &pi, 0, u) ? 0 : pi.start_ip;
}

void unwinder_thread(struct unwinder *u, taddr start_pc, taddr start_sp)
{
	u->start_pc = start_pc;
	u->start_sp = start_sp;
}

bool unwind_is_start(struct unwinder *u, taddr pc)
{
	return tables_is_entry_code(&u->tables, pc, u->start_pc);
}

bool unwind_start_caller(struct unwinder *u, taddr sp, struct guess *out)
{
	return u->start_sp && guess_only_caller(&u->code, &u->memory, sp, u->start_sp, out) &&
	       unwind_is_start(u, out->caller_pc);
}

/* ---- steps ---- */

/* The current frame of a walk, and where its registers are. */
struct position {
	taddr pc, sp;
	taddr saved[ARCH_KEPT_REGS];	/* 0: still in the register itself */
	const struct arch_regs *entry;
};

static bool kept_value(struct unwinder *u, const struct position *p, unsigned i, uint64_t *value)
{
	if (p->saved[i])
		return snapshot_word(&u->memory, p->saved[i], value);
	*value = arch_kept(p->entry, i);
	return true;
}

static bool still_holds(struct unwinder *u, const struct position *p, const struct step *s)
{
	uint64_t now;

	for (unsigned i = 0; i < s->n_words; i++)
		if (!snapshot_word(&u->memory, s->words[i].at, &now) || now != s->words[i].value)
			return false;
	for (unsigned i = 0; i < s->n_regs; i++)
		if (!kept_value(u, p, s->regs[i].reg, &now) || now != s->regs[i].value)
			return false;
	return true;
}

/* Record where the cursor has the caller's registers. False: a step cannot express it. */
static bool record_saved(unw_cursor_t *c, struct step *s)
{
	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++) {
		unw_save_loc_t loc;

		if (unw_get_save_loc(c, arch_kept_regs[i], &loc))
			return false;
		s->saved[i] = STEP_NOT_SAVED;
		if (loc.type == UNW_SLT_REG)
			continue;
		int64_t offset = (int64_t)(loc.u.addr - s->sp);
		if (loc.type != UNW_SLT_MEMORY || offset <= INT32_MIN || offset > INT32_MAX)
			return false;
		s->saved[i] = (int32_t)offset;
	}
	return true;
}

/* A step from a frame without call frame information: it is the outermost one, or its caller is, or
 * the frame pointer leads to its caller. NULL: none of these. */
static const struct step *make_step_without_cfi(struct unwinder *u, const struct position *p)
{
	struct step s = { .pc = p->pc, .sp = p->sp, .number = UINT32_MAX };
	uint64_t fp;
	struct guess g;

	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++)
		s.saved[i] = STEP_NOT_SAVED;
	if (unwind_is_start(u, p->pc)) {
		s.outermost = true;
		return steps_add(&u->steps, &s);
	}
	if (unwind_start_caller(u, p->sp, &g)) {
		s.caller_pc = g.caller_pc;
		s.caller_sp = g.caller_sp;
		/* At the same pc and sp the return address is always at the same distance: as long
		 * as this one is there the caller is the same. */
		s.n_words = 1;
		s.words[0] = (struct step_word){ g.at, g.caller_pc };
		return steps_add(&u->steps, &s);
	}
	if (!kept_value(u, p, arch_frame_pointer, &fp) ||
	    !guess_caller(&u->code, &u->memory, p->pc - 1, p->sp, fp, &g))
		return NULL;
	s.caller_pc = g.caller_pc;
	s.caller_sp = g.caller_sp;
	s.guessed = true;
	s.n_regs = 1;
	s.regs[0] = (struct step_reg){ fp, (uint8_t)arch_frame_pointer };
	s.n_words = 2;
	s.words[0] = (struct step_word){ g.at + ARCH_FRAME_SAVED, g.saved };
	s.words[1] = (struct step_word){ g.at + ARCH_FRAME_RETURN, g.caller_pc };
	s.saved[arch_frame_pointer] = (int32_t)(g.at + ARCH_FRAME_SAVED - p->sp);
	return steps_add(&u->steps, &s);
}

/* May the rule at @pc depend on the pc itself? Then a step, which uses the pc of the call, would
 * differ from a walk, which uses the return address. A PLT stub calls nothing, but a broken stack
 * may lead there. */
static bool asks_for_pc(struct unwinder *u, taddr pc)
{
	uint8_t code[16];

	return snapshot_code(&u->memory, (pc - 1) & ~(taddr)15, code, sizeof code) &&
	       arch_is_plt_stub(code);
}

/* Make a step with libunwind and remember it. NULL: it has to be made as part of a whole walk. */
static const struct step *make_step(struct unwinder *u, const struct position *p)
{
	unw_cursor_t c;
	unw_word_t pc, sp;

	u->regs = *p->entry;
	arch_set_caller(&u->regs, p->pc - 1, p->sp);
	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++) {
		uint64_t value;

		if (!kept_value(u, p, i, &value))
			return NULL;
		arch_set_kept(&u->regs, i, value);
	}
	/* A signal handler's frame restores all registers, more than a step remembers. */
	if (unwind_is_foreign(u, p->pc, false) || unwind_is_signal_return(&u->memory, p->pc) ||
	    asks_for_pc(u, p->pc) || unw_init_remote(&c, u->as, u))
		return NULL;
	u->step = (struct step){ .pc = p->pc, .sp = p->sp, .number = UINT32_MAX };
	u->recording = true;
	u->unrepeatable = u->no_cfi = false;
	int more = unwind_step(u, &c);
	u->recording = false;
	u->counts.steps_made++;
	if (u->no_cfi)
		return make_step_without_cfi(u, p);
	if (more < 0 || u->unrepeatable || unw_get_reg(&c, UNW_REG_SP, &sp) ||
	    unw_get_reg(&c, UNW_REG_IP, &pc))
		return NULL;
	if (more > 0 && (!unwind_is_progress(u, p->pc, pc, sp) || !unwind_is_caller(u, pc)))
		return NULL;
	u->step.caller_pc = pc;
	u->step.caller_sp = sp;
	u->step.outermost = more == 0 || pc == 0;
	if (!u->step.outermost && (sp <= p->sp || !record_saved(&c, &u->step)))
		return NULL;
	return steps_add(&u->steps, &u->step);
}

/* The chain depends on what this step, from the frame @p, depends on. False: out of memory. */
static bool add_needs(struct path *path, const struct position *p, const struct step *s)
{
	bool added = true;

	for (unsigned i = 0; i < s->n_words; i++)
		added &= path_needs_word(path, s->words[i].at, s->words[i].value);
	for (unsigned i = 0; i < s->n_regs; i++) {
		const struct step_reg *r = &s->regs[i];

		if (p->saved[r->reg])
			added &= path_needs_word(path, p->saved[r->reg], r->value);
		else
			path_needs_reg(path, r->reg, r->value);
	}
	return added;
}

/* True: the chain is complete, or has reached the goal. False: it cannot be walked in repeatable
 * steps. *@path: gets all that the chain depends on; NULL: not wanted, or out of memory. */
static bool walk_by_steps(struct unwinder *u, struct position *p, size_t *n, struct path **path)
{
	bool guessed = false;
	uint32_t before = STEP_NONE;

	while (*n < UNWIND_MAX_FRAMES) {
		if (unwind_reaches(u, *n, p->pc, p->sp))
			return !unwind_push(u, n, (struct unwind_frame){
					.pc = p->pc, .guessed = guessed, .memo = UINT64_MAX });
		const struct step *s = steps_find_after(&u->steps, before, p->pc, p->sp);

		if (s && still_holds(u, p, s))
			u->counts.steps_known++;
		else if (!(s = make_step(u, p)))
			return false;
		if (*path && !add_needs(*path, p, s))
			*path = NULL;
		/* A guessed place may be found exactly another time: no note for it. */
		struct unwind_frame f = { .pc = p->pc, .cfa = s->caller_sp, .guessed = guessed,
					  .memo = guessed ? UINT64_MAX : memo_of(u, s) };
		if (unwind_push(u, n, f))
			return false;
		guessed = s->guessed;
		before = step_id(&u->steps, s);
		if (s->outermost)
			return true;
		for (unsigned i = 0; i < ARCH_KEPT_REGS; i++)
			if (s->saved[i] != STEP_NOT_SAVED)
				p->saved[i] = p->sp + (taddr)(int64_t)s->saved[i];
		p->pc = s->caller_pc;
		p->sp = s->caller_sp;
	}
	return false;
}

/* A chain found by steps must be the one found without remembering. */
static int check_against(struct unwinder *u, const struct arch_regs *entry, taddr ret, size_t n)
{
	struct unwind_frame *by_steps = malloc(n * sizeof *by_steps + 1);
	size_t fresh_n;
	bool complete;

	if (!by_steps)
		return -ENOMEM;
	memcpy(by_steps, u->frames, n * sizeof *by_steps);
	int err = unwind_afresh(u, entry, ret, &fresh_n, &complete);
	bool same = !err && complete && fresh_n == n;
	for (size_t i = 0; same && i < n; i++)
		same = by_steps[i].pc == u->frames[i].pc && by_steps[i].cfa == u->frames[i].cfa &&
		       by_steps[i].guessed == u->frames[i].guessed && !u->frames[i].exact;
	u->counts.checked++;
	u->counts.wrong += !same;
	memcpy(u->frames, by_steps, n * sizeof *by_steps);
	free(by_steps);
	return err;
}

/* ---- whole chains ---- */

static bool path_holds(struct unwinder *u, const struct path *path, const struct arch_regs *entry)
{
	uint64_t now;

	for (size_t i = 0; i < path->n_words; i++)
		if (!snapshot_word(&u->memory, path->words[i].at, &now) ||
		    now != path->words[i].value)
			return false;
	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++)
		if (path->consulted & 1u << i && arch_kept(entry, i) != path->regs[i])
			return false;
	return true;
}

/* The remembered chain of this set that matches; NULL: none. */
static struct path *find_path(struct unwinder *u, struct path *set, const struct position *p)
{
	for (size_t i = 0; i < PATH_WAYS; i++)
		if (set[i].n_frames && set[i].pc == p->pc && set[i].sp == p->sp &&
		    path_holds(u, &set[i], p->entry))
			return &set[i];
	return NULL;
}

/* The same for a chain that was remembered as a whole. */
static int check_path(struct unwinder *u, const struct path *path, const struct arch_regs *entry,
		      taddr ret)
{
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; !err && i < path->n_frames; i++)
		err = unwind_push(u, &n, path->frames[i]);
	return err ? err : check_against(u, entry, ret, n);
}

/* By steps, or in one walk if that is not possible; a chain found by steps is remembered as a
 * whole. */
static int walk_chain(struct unwinder *u, struct position *p, struct path *set,
		      struct unwind_chain *out)
{
	const taddr pc = p->pc, sp = p->sp;
	struct path *room = paths_make_room(&u->paths, set), *next = room ? &u->paths.next : NULL;
	size_t n = 0;
	bool complete = walk_by_steps(u, p, &n, &next);
	int err = 0;

	if (complete) {
		bool reached = u->reached;
		bool taken = next && !reached && path_take(&u->paths, room, pc, sp, u->frames, n);

		*out = (struct unwind_chain){ u->frames, n, SIZE_MAX, CHAIN_WHOLE, reached,
					      taken ? room : NULL };
		return u->check ? check_against(u, p->entry, pc, n) : 0;
	}
	err = unwind_afresh(u, p->entry, pc, &n, &complete);
	*out = (struct unwind_chain){ u->frames, n, u->left_out, complete ? CHAIN_WHOLE : u->end,
				      u->reached, NULL };
	return err;
}

/* Cut a remembered chain at its goal. */
static void cut_at_goal(const struct unwind_goal *goal, struct unwind_chain *chain)
{
	for (size_t i = 1; i < chain->n; i++) {
		const struct unwind_frame *inner = &chain->frames[i - 1];

		if (!goal->is_it(goal->ctx, chain->frames[i].pc, inner->cfa, inner))
			continue;
		*chain = (struct unwind_chain){ chain->frames, i + 1, SIZE_MAX, CHAIN_WHOLE, true,
						NULL };
		return;
	}
}

int unwinder_chain(struct unwinder *u, const struct mappings *maps,
		   const struct module_files *files, const struct arch_regs *entry, taddr ret,
		   const struct unwind_goal *goal, struct unwind_chain *out)
{
	struct position p = { .pc = ret, .sp = arch_sp_after_return(entry), .entry = entry };
	struct path *set = paths_at(&u->paths, p.pc, p.sp);

	u->maps = u->tables.maps = maps;
	u->tables.files = files;
	u->goal = goal;
	u->reached = false;
	struct path *path = find_path(u, set, &p);
	if (!path)
		return walk_chain(u, &p, set, out);
	path->credit += path->credit < PATH_MAX_CREDIT;
	u->counts.steps_known += path->n_frames;
	*out = (struct unwind_chain){ path->frames, path->n_frames, SIZE_MAX, CHAIN_WHOLE, false,
				      path };
	if (goal)
		cut_at_goal(goal, out);
	u->goal = NULL;	/* it is checked as a whole */
	return u->check ? check_path(u, path, entry, ret) : 0;
}
