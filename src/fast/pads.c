/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions get pads, and what is written into the program for them. */
#include "fast/engine_internal.h"

#include "base/array.h"
#include "fast/blob.h"
#include "fast/refusal.h"
#include "probes/outcome.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a function's calls mean to the agent, and which of its arguments it needs. */
struct meaning {
	enum agent_call call;
	uint8_t args[ARCH_PAD_WORDS];
};

static struct meaning meaning_of(const struct probe *p)
{
	const uint8_t none = ARCH_PAD_NO_ARG;
	bool array = p->count_arg != NO_ARG;

	if (p->kind == PROBE_FREE)
		return (struct meaning){ AGENT_FREE, { p->ptr_arg, none, none } };
	if (p->kind == PROBE_REALLOC)
		return array ? (struct meaning){ AGENT_REALLOC_ARRAY,
						 { p->ptr_arg, p->count_arg, p->size_arg } } :
			       (struct meaning){ AGENT_REALLOC, { p->ptr_arg, p->size_arg, none } };
	if (p->out_arg != NO_ARG)
		return (struct meaning){ AGENT_ALLOC_OUT, { p->out_arg, p->size_arg, none } };
	if (array)
		return (struct meaning){ AGENT_CALLOC, { p->count_arg, p->size_arg, none } };
	return (struct meaning){ AGENT_ALLOC, { p->size_arg, none, none } };
}

/* What in a definition a pad cannot handle; NULL: it can handle all of it. */
static const char *beyond_pads(const struct probe *p)
{
	if (p->user)
		return "arguments that may be anywhere";
	if (p->operator_new)
		return "an operator of C++";
	if (p->kind == PROBE_RESIZE)
		return "resizing in place";
	if (p->kind != PROBE_ALLOC && p->kind != PROBE_REALLOC && p->kind != PROBE_FREE)
		return "more than one block at a time";
	if (p->string_arg != NO_ARG || p->limit_arg != NO_ARG)
		return "a string to copy";
	if (p->pool_arg != NO_ARG)
		return "a pool";
	if (p->label_arg != NO_ARG || p->label)
		return "labels of blocks";
	if (p->frees_on_failure)
		return "a block that goes although there is none for it";
	return p->out_arg != NO_ARG && p->count_arg != NO_ARG ? "too many arguments" : NULL;
}

const char *fast_leaves(const struct probe *p, const uint8_t *code, size_t len, uint64_t size,
			struct arch_patch *patch)
{
	const char *why = beyond_pads(p);

	if (why)
		return why;
	if (!len)
		return "it cannot be read";
	return arch_patch_plan(code, len, size, patch, &why) ? why : NULL;
}

enum { FUNCTIONS_MAX = 0xffff };

/* Does the pad's slot have what it would have for @patch? */
static bool has_slot(const struct engine *e, const struct pad *p, const struct arch_patch *patch)
{
	uint8_t slot[ARCH_PATCH_SLOT], now[ARCH_PATCH_SLOT];

	return arch_patch_slot(patch, p->at, p->slot, slot) == p->slot_size &&
	       address_space_read(e->space, p->slot, now, p->slot_size) == (ssize_t)p->slot_size &&
	       !memcmp(now, slot, p->slot_size);
}

/* Take again the pad that a function had when its library was loaded here before: programs load
 * plugins again and again, and room for pads is limited. Not of the tail form, whose condition is
 * known only when all functions are. */
static bool take_again(struct engine *e, const struct engine_function *f,
		       const struct arch_patch *patch)
{
	for (size_t i = e->n_pads; i-- > 0;) {
		const struct engine_function *was = &e->functions[i];
		struct pad *p = &e->pads[i];

		if (p->at != f->at || was->file != f->file || was->number != f->number ||
		    !p->gone || !p->written || !p->return_site || !has_slot(e, p, patch))
			continue;
		p->gone = p->written = false;
		p->patch = *patch;
		e->functions[i] = *f;
		return true;
	}
	return false;
}

enum engine_answer pads_plan(struct engine *e, const struct engine_function *f, const char **why)
{
	uint8_t code[FAST_CODE_MAX];
	struct pad p = { .at = f->at, .journal_entry = JOURNAL_NONE };
	size_t len = f->size && f->size < sizeof code ? (size_t)f->size : sizeof code;

	ssize_t got = address_space_read(e->space, f->at, code, len);

	*why = e->n_pads == FUNCTIONS_MAX
		       ? "too many functions"
		       : fast_leaves(f->probe, code, got > 0 ? (size_t)got : 0, f->size, &p.patch);
	if (*why)
		return ENGINE_LEAVES;
	if (take_again(e, f, &p.patch))
		return ENGINE_TAKES;
	if (ARRAY_RESERVE(&e->pads, &e->cap_pads, e->n_pads) ||
	    ARRAY_RESERVE(&e->functions, &e->cap_functions, e->n_pads)) {
		*why = "out of memory";
		return ENGINE_LEAVES;
	}
	e->functions[e->n_pads] = *f;
	e->pads[e->n_pads++] = p;
	e->events.functions = e->functions;
	e->events.n_functions = e->n_pads;
	return ENGINE_TAKES;
}

static bool write_all(const struct engine *e, taddr at, const void *bytes, size_t len)
{
	return address_space_write(e->space, at, bytes, len) == (ssize_t)len;
}

/* Is only the end of the call an event, and not its beginning? */
static bool begins_unseen(enum agent_call call)
{
	return call == AGENT_ALLOC || call == AGENT_ALLOC_OUT || call == AGENT_ALLOC_ARRAY ||
	       call == AGENT_CALLOC;
}

static struct arch_pad pad_of(const struct engine *e, size_t i)
{
	const struct probe *p = e->functions[i].probe;
	const struct agent_head *head = (const struct agent_head *)agent_blob;
	const struct meaning m = meaning_of(p);
	bool tail = m.call == AGENT_FREE &&
		    e->host->frees_alone(e->host->ctx, &e->functions[i]);
	struct arch_pad pad = {
		.probe = AGENT_PROBE(m.call, i),
		.form = tail ? ARCH_PAD_TAIL : ARCH_PAD_CALL,
		.active = e->near[e->pads[i].area].active,
		.slot = e->pads[i].slot,
		.enter = begins_unseen(m.call) ? e->agent + (taddr)head->enter : 0,
		.begin = e->agent + (taddr)(tail ? head->free : head->begin),
		.end = e->agent + (taddr)head->end,
	};

	memcpy(pad.args, m.args, sizeof pad.args);
	return pad;
}

/* Write the slot and the pad, which no task runs yet. 0 or -errno. */
static int place(struct engine *e, size_t i)
{
	struct pad *p = &e->pads[i];
	uint8_t slot[ARCH_PATCH_SLOT];
	struct arch_pad_code code;

	struct near_area *near = &e->near[p->area];
	p->slot = near->at + near->used;
	int size = arch_patch_slot(&p->patch, p->at, p->slot, slot);
	if (size < 0)
		return size;
	p->slot_size = (uint16_t)size;
	p->code = (p->slot + (unsigned)size + 15) & ~(taddr)15;
	struct arch_pad pad = pad_of(e, i);
	int err = arch_pad_write(&pad, p->code, &code);
	if (err)
		return err;
	p->code_size = code.size;
	memcpy(p->rows, code.rows, sizeof p->rows);
	p->n_rows = code.n_rows;
	p->return_site = code.return_site ? p->code + code.return_site : 0;
	near->used = (size_t)(p->code + code.size - near->at + 15) & ~(size_t)15;
	return write_all(e, p->slot, slot, p->slot_size) &&
			       write_all(e, p->code, code.bytes, code.size)
		       ? 0
		       : -EIO;
}

static int write_in_journal(const struct engine *e, struct pad *p)
{
	taddr at = arch_patch_place(&p->patch, p->at);
	struct journal_entry entry = { .kind = JOURNAL_JUMP, .pid = e->space->pid, .at = at,
				       .insn_size = ARCH_PATCH_JUMP,
				       .flag = e->near[p->area].active };
	int err = arch_patch_jump(at, p->code, entry.slot_own);

	if (err)
		return err;
	memcpy(entry.own, p->patch.own, ARCH_PATCH_JUMP);
	p->journal_entry = journal_add(e->shared->settings.journal, &entry);
	return 0;
}

/* Write the jump. The journal has its entry before. */
static int write_jump(struct engine *e, struct pad *p)
{
	uint8_t jump[ARCH_PATCH_JUMP];
	taddr at = arch_patch_place(&p->patch, p->at);
	int err = arch_patch_jump(at, p->code, jump);

	if (!err)
		err = write_in_journal(e, p);
	if (err)
		return err;
	if (!write_all(e, at, jump, sizeof jump))
		return -EIO;
	p->written = true;
	return 0;
}

static void decline(struct engine *e, size_t i, const char *why)
{
	e->pads[i].gone = true;
	e->host->declines(e->host->ctx, &e->functions[i], why);
}

void pads_drop(struct engine *e, const char *why)
{
	for (size_t i = 0; i < e->n_pads; i++)
		if (!e->pads[i].written && !e->pads[i].gone)
			decline(e, i, why);
}

static int place_all(struct engine *e)
{
	bool placed = false;
	int err = 0;

	for (size_t i = 0; i < e->n_pads && !err; i++) {
		struct pad *p = &e->pads[i];

		if (p->code || p->gone)
			continue;
		int far = near_room(e, p->at, ARCH_PATCH_SLOT + ARCH_PAD_MAX, &p->area);
		if (far) {
			decline(e, i, fast_no_room(far));
			continue;
		}
		err = place(e, i);
		placed = true;
	}
	/* If this fails the tracer unwinds copies of stacks instead. */
	if (!err && placed)
		tell_own_code(e);
	return err;
}

static int write_jumps(struct engine *e)
{
	int err = 0;

	for (size_t i = 0; i < e->n_pads && !err; i++)
		if (!e->pads[i].written && !e->pads[i].gone)
			err = write_jump(e, &e->pads[i]);
	e->armed |= e->n_pads;
	return !err && e->n_pads && !e->suspended ? near_set_active(e, e->space, true) : err;
}

int pads_arm(struct engine *e, bool held, struct error *why)
{
	int err = place_all(e);

	if (err)
		return error_set(why, err, "code cannot be written into it: %s", strerror(-err));
	/* All of them or none: an allocator that is seen only in part cannot be counted. */
	err = held ? tasks_make_way(e) : 0;
	if (err)
		return error_set(why, err, "a thread may return into the bytes that would become a "
					   "jump");
	err = write_jumps(e);
	if (!err)
		return 0;
	pads_lift(e, e->space);
	return error_set(why, err, "its code cannot be changed: %s", strerror(-err));
}

void pads_lift(const struct engine *e, const struct address_space *space)
{
	near_set_active(e, space, false);
	for (size_t i = 0; i < e->n_pads; i++) {
		struct pad *p = &e->pads[i];
		uint8_t jump[ARCH_PATCH_JUMP], now[ARCH_PATCH_JUMP];
		taddr at = arch_patch_place(&p->patch, p->at);

		if (!p->written || p->gone || arch_patch_jump(at, p->code, jump))
			continue;
		/* The program may have written other code there since. */
		if (address_space_read(space, at, now, sizeof now) == (ssize_t)sizeof now &&
		    arch_patch_restore(p->patch.own, jump, now))
			address_space_write(space, at, now, sizeof now);
		if (space == e->space) {
			journal_remove(e->shared->settings.journal, p->journal_entry);
			p->journal_entry = JOURNAL_NONE;
			p->written = false;
		}
	}
}

/* Read what is where the pad's jump should be. False: there is none, or nothing is mapped. */
static bool read_jump(const struct engine *e, const struct pad *p, bool *is_jump)
{
	uint8_t jump[ARCH_PATCH_JUMP], now[ARCH_PATCH_JUMP];
	taddr at = arch_patch_place(&p->patch, p->at);

	if (!p->written || p->gone || arch_patch_jump(at, p->code, jump) ||
	    address_space_read(e->space, at, now, sizeof now) != (ssize_t)sizeof now)
		return false;
	*is_jump = !memcmp(now, jump, sizeof now);
	return true;
}

unsigned pads_undone(const struct engine *e)
{
	unsigned n = 0;
	bool is_jump;

	for (size_t i = 0; i < e->n_pads; i++)
		n += read_jump(e, &e->pads[i], &is_jump) && !is_jump;
	return n;
}

bool pads_has_jump(const struct engine *e, taddr function)
{
	bool is_jump;

	for (size_t i = 0; i < e->n_pads; i++)
		if (e->pads[i].at == function && read_jump(e, &e->pads[i], &is_jump) && is_jump)
			return true;
	return false;
}

bool pads_is_displaced(const struct engine *e, taddr pc)
{
	for (size_t i = 0; i < e->n_pads; i++) {
		const struct pad *p = &e->pads[i];

		if (p->code && pc - p->slot < p->slot_size)
			return has_slot(e, p, &p->patch);
	}
	return false;
}

/* A pad that has begun a call calls the agent at its end, whatever the flag says, and the agent has
 * no shared memory there, as that is not inherited. */
void pads_leave_copy(const struct engine *e, const struct address_space *copy)
{
	const struct agent_head *head = (const struct agent_head *)agent_blob;
	const int32_t entries[] = { head->enter, head->begin, head->end, head->free };
	const uint8_t code = ARCH_PAD_NOTHING;

	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		address_space_write(copy, e->agent + (taddr)entries[i], &code, sizeof code);
}

int pads_copy(struct engine *e, const struct engine *from)
{
	e->cap_pads = e->cap_functions = from->n_pads + 1;
	e->pads = calloc(e->cap_pads, sizeof *e->pads);
	e->functions = calloc(e->cap_functions, sizeof *e->functions);
	if (!e->pads || !e->functions)
		return -ENOMEM;
	e->n_pads = from->n_pads;
	for (size_t i = 0; i < e->n_pads; i++) {
		e->pads[i] = from->pads[i];
		e->pads[i].journal_entry = JOURNAL_NONE;
		e->functions[i] = from->functions[i];
	}
	return 0;
}

static bool copy_near(const struct engine *e, const struct near_area *near,
		      const struct address_space *from)
{
	uint8_t piece[4096];

	for (size_t done = 0, n; done < near->used; done += n) {
		n = near->used - done < sizeof piece ? near->used - done : sizeof piece;
		if (address_space_read(from, near->at + done, piece, n) != (ssize_t)n ||
		    !write_all(e, near->at + done, piece, n))
			return false;
	}
	return true;
}

/* Is the jump not in the copy, because another thread of the parent had it written since the
 * fork? */
static bool is_missing(const struct engine *e, struct pad *p)
{
	uint8_t now[ARCH_PATCH_JUMP];
	taddr at = arch_patch_place(&p->patch, p->at);

	if (!p->written || p->gone)
		return false;
	/* Or had its module mapped since. */
	p->gone = address_space_read(e->space, at, now, sizeof now) != (ssize_t)sizeof now;
	return !p->gone && !memcmp(now, p->patch.own, sizeof now);
}

int pads_begin_copy(struct engine *e, const struct address_space *from)
{
	bool copied[NEAR_AREAS] = { false };
	int err = 0;

	for (size_t i = 0; i < e->n_pads && !err; i++) {
		struct pad *p = &e->pads[i];
		bool missing = is_missing(e, p);

		if (missing && !copied[p->area] && !copy_near(e, &e->near[p->area], from))
			return -EIO;
		copied[p->area] |= missing;
		if (p->written && !p->gone)
			err = missing ? write_jump(e, p) : write_in_journal(e, p);
	}
	if (err || !e->armed || !e->n_pads || e->suspended)
		return err;
	return near_set_active(e, e->space, true);
}
