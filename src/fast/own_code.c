/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains through pads, slots and the agent: a signal may interrupt any of them, and its handler may
 * allocate. As callers they are left out; if interrupted they stand for the pad's function, which
 * in a slot has begun already.
 */
#include "fast/engine_internal.h"

#include "arch/x86_64_agent.h"
#include "base/search.h"
#include "base/writeall.h"
#include "fast/blob.h"
#include "unwind_row.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- rows ---- */

/* The agent's ELF file, opened from memory. */
static int open_agent(struct objfile *o)
{
	int fd = memfd_create("agent", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	int err = write_all(fd, agent_elf, agent_elf_size);
	if (!err)
		return objfile_open(o, fd);
	close(fd);
	return err;
}

int own_code_of_agent(struct cfi_rows *out)
{
	struct objfile o;
	int err = open_agent(&o);

	if (err)
		return err;
	err = cfirows_read(out, &o);
	objfile_close(&o);
	return err;
}

/* The row of the program's code at @pc. */
static struct cfi_code describes(const struct engine *e, taddr pc)
{
	size_t i = SEARCH_FIRST(e->n_known, i, e->known[i].module.hi > pc);
	const struct known_code *k = i < e->n_known ? &e->known[i] : NULL;

	if (!k || k->module.lo > pc)
		return (struct cfi_code){ UNWIND_CFA_NONE, 0 };
	const struct unwind_row *r =
		unwind_row_find(k->rows->v, k->rows->index, k->rows->shift,
				(uint32_t)(pc - k->module.lo));
	return (struct cfi_code){ r->cfa, r->fp };
}

/* Rows of a slot: the stack is as at the function's instructions of which the slot's are copies. */
static int put_slot(const struct engine *e, const struct pad *p, struct cfi_rows *out)
{
	int err = 0;

	for (size_t i = 0; i <= p->patch.n && !err; i++) {
		const struct arch_patch_insn *insn = &p->patch.insn[i];
		taddr from = arch_patch_place(&p->patch, p->at) + insn->from;

		err = rows_put(out, p->slot + insn->to, describes(e, from));
	}
	return err ? err : rows_put(out, p->slot + p->slot_size, (struct cfi_code){
							  UNWIND_CFA_NONE, 0 });
}

static int put_pad(const struct pad *p, struct cfi_rows *out)
{
	int err = 0;

	for (size_t i = 0; i < p->n_rows && !err; i++)
		err = rows_put(out, p->code + p->rows[i].offset, (struct cfi_code){
				       (uint16_t)(p->rows[i].words + 1), UNWIND_FP_KEPT });
	return err ? err : rows_put(out, p->code + p->code_size, (struct cfi_code){
							  UNWIND_CFA_NONE, 0 });
}

int own_code_of_pads(const struct engine *e, unsigned area, struct cfi_rows *out)
{
	const struct near_area *n = &e->near[area];
	int err = rows_init(out, n->at, n->at + n->used);

	/* The pads are in the order of their addresses. */
	for (size_t i = 0; i < e->n_pads && !err; i++) {
		const struct pad *p = &e->pads[i];

		if (!p->code || p->area != area)
			continue;
		err = put_slot(e, p, out);
		if (!err)
			err = put_pad(p, out);
	}
	return err ? err : rows_finish(out);
}

/* ---- chains ---- */

static bool in_agent(const struct engine *e, taddr pc)
{
	return pc >= e->agent && pc < e->agent + e->agent_size;
}

bool own_code_has(const struct engine *e, taddr pc)
{
	return near_has(e, pc) || in_agent(e, pc);
}

/* The pad at @pc; *@slot: it is in the pad's slot. NULL: none. */
static const struct pad *pad_at(const struct engine *e, taddr pc, bool *slot)
{
	for (size_t i = 0; i < e->n_pads; i++) {
		const struct pad *p = &e->pads[i];

		*slot = p->code && pc - p->slot < p->slot_size;
		if (p->code && (*slot || pc - p->code < p->code_size))
			return p;
	}
	return NULL;
}

static taddr instruction(const struct pad *p, bool slot, taddr pc)
{
	if (slot && arch_patch_pc_back(&p->patch, p->at, p->slot, &pc) > 0)
		return pc;
	return p->at;
}

taddr own_code_stands_for(const struct engine *e, taddr pc)
{
	bool slot;
	const struct pad *p = pad_at(e, pc, &slot);

	return p ? instruction(p, slot, pc) : pc;
}

typedef bool read_fn(void *reader, taddr at, uint64_t *word);

/* The pad's registers when it called the agent, which the agent's entry has saved below @cfa. */
static bool take_back(struct arch_frame *f, taddr cfa, read_fn *read, void *reader)
{
	for (unsigned i = 0, n = 0; i < ARCH_KEPT_REGS; i++)
		if (i != arch_frame_pointer &&
		    !read(reader, ARCH_SAVED_AT(cfa, n++), &f->kept[i]))
			return false;
	return true;
}

enum { AGENT_FRAMES_MAX = 32 };

/* Unwind from the agent to the pad that called it. */
bool own_code_leave_agent(const struct engine *e, struct arch_frame *f, bool exact, read_fn *read,
			  void *reader)
{
	struct unwind_frame at = { f->pc, f->sp, f->kept[arch_frame_pointer] };
	uint64_t fp_at;
	bool entry = false;

	for (unsigned i = 0; in_agent(e, at.pc); i++) {
		const struct unwind_row *r =
			cfirows_find(&e->shared->agent, at.pc - e->agent - !exact);

		if (!r || i == AGENT_FRAMES_MAX ||
		    unwind_row_step(r->cfa, r->fp, &at, &fp_at, read, reader) != UNWIND_CALLER)
			return false;
		/* An entry that is in a call has saved the registers, and not restored them yet. */
		entry = !exact;
		exact = false;
	}
	f->pc = at.pc;
	f->sp = at.sp;
	f->kept[arch_frame_pointer] = at.fp;
	return !entry || take_back(f, at.sp, read, reader);
}

/* The distance, in words, of the return address to the pad's caller from the stack pointer. -1:
 * unknown. */
static int words_in(const struct pad *p, taddr pc)
{
	int words = -1;

	for (size_t i = 0; i < p->n_rows && p->code + p->rows[i].offset <= pc; i++)
		words = p->rows[i].words;
	return words;
}

bool own_code_leave(const struct engine *e, struct arch_frame *f, bool exact, read_fn *read,
		    void *reader)
{
	bool slot;

	if (in_agent(e, f->pc) && !own_code_leave_agent(e, f, exact, read, reader))
		return false;
	const struct pad *p = pad_at(e, f->pc, &slot);
	if (!p || (slot && !exact))
		return false;
	if (slot) {
		f->pc = instruction(p, slot, f->pc);
		return true;
	}
	int words = words_in(p, f->pc);
	if (words < 0)
		return false;
	f->sp += (taddr)words * sizeof(uint64_t);
	if (exact) {
		f->pc = p->at;
		return true;
	}
	f->sp += sizeof(uint64_t);
	return read(reader, f->sp - sizeof(uint64_t), &f->pc);
}
