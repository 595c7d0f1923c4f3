/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/unwind.h"

#include "base/array.h"
#include "unwind/snapshot.h"
#include "unwind/steps.h"

#include <elf.h>
#include <errno.h>
#include <libunwind.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libunwind exports this for tools that find the tables themselves, but declares it nowhere. */
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t, unw_word_t, unw_dyn_info_t *,
					      unw_proc_info_t *, int, void *);

/* Where a mapped file has its .eh_frame_hdr: LSB core specification, 10.6.2. */
struct cfi_table {
	taddr map_start;	/* tells the mapping */
	bool usable;
	taddr start_ip, end_ip;
	taddr header;		/* of .eh_frame_hdr */
	taddr table;		/* its binary search table */
	uint64_t entries;
	taddr entry;		/* where the kernel starts the file; 0: it does not */
};

/* The code there calls and never returns; it has no frame to be described, and often is not. */
#define ENTRY_CODE_SIZE 128

/* There are 64 signals; more handlers than that on one stack are a circle. */
#define MAX_HANDLERS 128

struct unwinder {
	unw_addr_space_t as;
	struct snapshot memory;
	struct unwind_frame *frames;
	size_t cap_frames;
	struct cfi_table *tables;
	size_t n_tables, cap_tables;

	/* of the chain in progress */
	const struct mappings *maps;
	const struct module_files *files;
	struct arch_regs regs;
	bool no_cfi;		/* libunwind was told that there is none, and may go on by guessing */
	enum chain_end end;	/* why a walk did not come to the chain's end */

	/* of the step in progress: what it depends on */
	struct step step;
	bool recording;
	bool unrepeatable;	/* it depends on something that is not recorded */

	struct steps steps;
	bool check;
	struct unwind_counts counts;
};

/* ---- finding the tables ---- */

/* .eh_frame_hdr as every current link editor writes it: encodings DW_EH_PE_pcrel|sdata4,
 * udata4, datarel|sdata4. */
static const uint8_t usual_header[] = { 1, 0x1b, 0x03, 0x3b };

static bool read_header(struct unwinder *u, struct cfi_table *t)
{
	uint64_t head, count;

	if (!snapshot_word(&u->memory, t->header, &head) ||
	    !snapshot_word(&u->memory, t->header + 8, &count) ||
	    memcmp(&head, usual_header, sizeof usual_header))
		return false;
	t->entries = count & UINT32_MAX;
	t->table = t->header + 12;
	return t->entries;
}

static bool find_header(int fd, taddr bias, taddr *header, taddr *entry)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (fd < 0 || pread(fd, &eh, sizeof eh, 0) != sizeof eh || eh.e_phentsize != sizeof ph)
		return false;
	*entry = eh.e_entry ? bias + eh.e_entry : 0;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (pread(fd, &ph, sizeof ph, (off_t)(eh.e_phoff + i * sizeof ph)) != sizeof ph)
			return false;
		if (ph.p_type != PT_GNU_EH_FRAME)
			continue;
		*header = bias + ph.p_vaddr;
		return true;
	}
	return false;
}

static const struct cfi_table *table_of(struct unwinder *u, const struct mapping *m)
{
	for (size_t i = 0; i < u->n_tables; i++)
		if (u->tables[i].map_start == m->start)
			return &u->tables[i];
	if (ARRAY_RESERVE(&u->tables, &u->cap_tables, u->n_tables))
		return NULL;
	struct cfi_table t = { .map_start = m->start, .start_ip = m->start, .end_ip = m->end };
	t.usable = find_header(u->files->files[m->file].fd, m->bias, &t.header, &t.entry) &&
		   read_header(u, &t);
	u->tables[u->n_tables] = t;
	return &u->tables[u->n_tables++];
}

/* ---- what libunwind asks for ---- */

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi,
			  int need_unwind_info, void *arg)
{
	struct unwinder *u = arg;
	const struct mapping *m = mappings_find(u->maps, ip);
	const struct cfi_table *t = m ? table_of(u, m) : NULL;
	int err = -UNW_ENOINFO;

	if (t && t->usable) {
		unw_dyn_info_t di = {
			.format = UNW_INFO_FORMAT_REMOTE_TABLE,
			.start_ip = t->start_ip,
			.end_ip = t->end_ip,
			.u.rti = { .segbase = t->header,
				   .table_data = t->table,
				   .table_len = t->entries * 8 / sizeof(unw_word_t) },
		};
		err = UNW_OBJ(dwarf_search_unwind_table)(as, ip, &di, pi, need_unwind_info, arg);
	}
	if (err)
		u->no_cfi = true;
	return err;
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
	(void)as, (void)pi, (void)arg; /* libunwind frees what its table search has made */
}

static int no_dyn_info(unw_addr_space_t as, unw_word_t *list, void *arg)
{
	(void)as, (void)list, (void)arg;
	return -UNW_ENOINFO;
}

static bool cannot_change(void *ctx, taddr at)
{
	const struct unwinder *u = ctx;

	for (size_t i = 0; u->maps && i < u->maps->n; i++)
		if (at >= u->maps->maps[i].image_start && at < u->maps->maps[i].image_end)
			return true;
	return false;
}

/* Call frame information does not change; anything else that is read, the step depends on. */
static void record_word(struct unwinder *u, taddr at, uint64_t value)
{
	struct step *s = &u->step;

	if (!u->recording || (!snapshot_has(&u->memory, at) && cannot_change(u, at)))
		return;
	for (unsigned i = 0; i < s->n_words; i++)
		if (s->words[i].at == at)
			return;
	if (s->n_words == STEP_WORDS)
		u->unrepeatable = true;
	else
		s->words[s->n_words++] = (struct step_word){ at, value };
}

static void record_reg(struct unwinder *u, int reg, uint64_t value)
{
	struct step *s = &u->step;
	int kept = arch_kept_index(reg);

	if (!u->recording || kept == -2)
		return;
	for (unsigned i = 0; i < s->n_regs; i++)
		if (s->regs[i].reg == kept)
			return;
	if (kept < 0 || s->n_regs == STEP_REGS)
		u->unrepeatable = true;
	else
		s->regs[s->n_regs++] = (struct step_reg){ value, (uint8_t)kept };
}

static int access_mem(unw_addr_space_t as, unw_word_t at, unw_word_t *value, int write, void *arg)
{
	struct unwinder *u = arg;

	(void)as;
	if (write || !snapshot_word(&u->memory, at, value))
		return -UNW_EINVAL;
	record_word(u, at, *value);
	return 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write, void *arg)
{
	struct unwinder *u = arg;

	(void)as;
	if (write || !arch_unwind_reg(&u->regs, reg, value))
		return -UNW_EBADREG;
	record_reg(u, reg, *value);
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write,
			void *arg)
{
	(void)as, (void)reg, (void)value, (void)write, (void)arg;
	return -UNW_EINVAL;
}

static int no_resume(unw_addr_space_t as, unw_cursor_t *c, void *arg)
{
	(void)as, (void)c, (void)arg;
	return -UNW_EINVAL;
}

static int no_proc_name(unw_addr_space_t as, unw_word_t at, char *buf, size_t len, unw_word_t *off,
			void *arg)
{
	(void)as, (void)at, (void)buf, (void)len, (void)off, (void)arg;
	return -UNW_ENOINFO;
}

/* ---- life ---- */

struct unwinder *unwinder_new(void)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = no_dyn_info,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = no_resume,
		.get_proc_name = no_proc_name,
	};
	struct unwinder *u = calloc(1, sizeof *u);

	if (!u)
		return NULL;
	u->as = unw_create_addr_space(&accessors, 0);
	if (!u->as || snapshot_init(&u->memory, cannot_change, u)) {
		unwinder_free(u);
		return NULL;
	}
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
	free(u->frames);
	free(u->tables);
	free(u);
}

void unwinder_flush(struct unwinder *u)
{
	unw_flush_cache(u->as, 0, 0);
	snapshot_flush(&u->memory);
	u->n_tables = 0;
	steps_forget(&u->steps);
}

/* A step, as long as it is remembered: all may be forgotten while a chain is being walked. */
static uint64_t memo_of(const struct unwinder *u, const struct step *s)
{
	return (uint64_t)u->steps.generation << 32 | (uint32_t)(s - u->steps.v);
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

void unwinder_check(struct unwinder *u, bool on)
{
	u->check = on;
}

struct unwind_counts unwinder_counts(const struct unwinder *u)
{
	return u->counts;
}

int unwinder_snapshot(struct unwinder *u, const struct space *s, taddr sp)
{
	return snapshot_take(&u->memory, s, sp);
}

bool unwinder_word(struct unwinder *u, taddr at, uint64_t *value)
{
	return snapshot_word(&u->memory, at, value);
}

/* ---- the chain ---- */

static int push(struct unwinder *u, size_t *n, struct unwind_frame f)
{
	if (ARRAY_RESERVE(&u->frames, &u->cap_frames, *n))
		return -ENOMEM;
	u->frames[(*n)++] = f;
	return 0;
}

static bool is_signal_return(struct unwinder *u, taddr pc)
{
	uint8_t code[16];
	uint64_t word;

	for (size_t i = 0; i < sizeof code; i += sizeof word) {
		if (!snapshot_word(&u->memory, pc + i, &word))
			return false;
		memcpy(code + i, &word, sizeof word);
	}
	return arch_is_signal_return(code);
}

/* Nothing describes this frame, and nothing has to: it is where the program, or the dynamic linker
 * before it, was started. */
static bool is_entry_code(struct unwinder *u, taddr pc)
{
	const struct mapping *m = mappings_find(u->maps, pc);
	const struct cfi_table *t = m ? table_of(u, m) : NULL;

	return t && t->entry && pc - t->entry < ENTRY_CODE_SIZE;
}

/* Frame after frame until the outermost; *complete tells whether that was reached. */
static int walk(struct unwinder *u, unw_cursor_t *c, size_t *n, bool *complete)
{
	unsigned handlers = 0;

	*complete = false;
	u->end = CHAIN_UNREADABLE;
	while (*n < UNWIND_MAX_FRAMES && handlers < MAX_HANDLERS) {
		bool exact = is_signal_return(u, u->frames[*n - 1].pc);
		unw_word_t pc, sp;

		u->no_cfi = false;
		int more = unw_step(c);
		/* Without call frame information libunwind tries its luck. We do not. */
		if (u->no_cfi) {
			u->end = CHAIN_NO_CFI;
			*complete = is_entry_code(u, u->frames[*n - 1].pc);
		}
		if (more < 0 || u->no_cfi)
			return 0;
		if (unw_get_reg(c, UNW_REG_SP, &sp) || unw_get_reg(c, UNW_REG_IP, &pc))
			return 0;
		u->frames[*n - 1].cfa = sp;
		*complete = more == 0 || pc == 0;
		if (*complete)
			return 0;
		if (exact) {
			/* The kernel's way back from a handler is nobody's call: in its place stands
			 * what the signal interrupted, perhaps on another stack. */
			handlers++;
			u->frames[*n - 1] = (struct unwind_frame){
				.pc = pc, .exact = true, .memo = UINT64_MAX };
			continue;
		}
		/* A stack only grows one way; what does not is broken or hostile. */
		if (*n > 1 && sp <= u->frames[*n - 2].cfa && !u->frames[*n - 1].exact)
			return 0;
		int err = push(u, n, (struct unwind_frame){ .pc = pc, .memo = UINT64_MAX });
		if (err)
			return err;
	}
	u->end = CHAIN_TOO_DEEP;
	return 0;
}

/* All of it by libunwind in one go, with nothing remembered. */
static int walk_afresh(struct unwinder *u, const struct arch_regs *entry, taddr ret, size_t *n,
		       bool *complete)
{
	unw_cursor_t c;

	*n = 0;
	*complete = false;
	u->recording = false;
	u->regs = *entry;
	int err = push(u, n, (struct unwind_frame){ .pc = ret, .memo = UINT64_MAX });
	/* Begin in the caller, inside of its call instruction: which row of its table holds there does
	 * not depend on what comes behind the call, and the allocator needs no table of its own. */
	arch_set_caller(&u->regs, ret - 1, arch_sp_after_return(entry));
	if (!err && !unw_init_remote(&c, u->as, u))
		err = walk(u, &c, n, complete);
	return err;
}

/* ---- the same, step by remembered step ---- */

/* Where a walk has come to: a frame, and where its registers are. */
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

/* Where the cursor has the caller's registers. False: it cannot be told in a step's terms. */
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

/* Make a step by libunwind and remember it. NULL: it has to be made as part of a whole walk. */
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
	/* A signal handler's frame gives back all registers. */
	if (is_signal_return(u, p->pc) || unw_init_remote(&c, u->as, u))
		return NULL;
	u->step = (struct step){ .pc = p->pc, .sp = p->sp, .number = UINT32_MAX };
	u->recording = true;
	u->unrepeatable = u->no_cfi = false;
	int more = unw_step(&c);
	u->recording = false;
	u->counts.steps_made++;
	if (u->no_cfi && is_entry_code(u, p->pc)) {
		u->step.outermost = true;
		u->step.n_words = u->step.n_regs = 0;
		return steps_add(&u->steps, &u->step);
	}
	if (more < 0 || u->no_cfi || u->unrepeatable || unw_get_reg(&c, UNW_REG_SP, &sp) ||
	    unw_get_reg(&c, UNW_REG_IP, &pc))
		return NULL;
	u->step.caller_pc = pc;
	u->step.caller_sp = sp;
	u->step.outermost = more == 0 || pc == 0;
	if (!u->step.outermost && (sp <= p->sp || !record_saved(&c, &u->step)))
		return NULL;
	return steps_add(&u->steps, &u->step);
}

/* True: the chain is complete. False: it cannot be walked in steps that are alike every time. */
static bool walk_by_steps(struct unwinder *u, struct position *p, size_t *n)
{
	while (*n < UNWIND_MAX_FRAMES) {
		const struct step *s = steps_find(&u->steps, p->pc, p->sp);

		if (s && still_holds(u, p, s))
			u->counts.steps_known++;
		else if (!(s = make_step(u, p)))
			return false;
		struct unwind_frame f = { .pc = p->pc, .cfa = s->caller_sp, .memo = memo_of(u, s) };
		if (push(u, n, f))
			return false;
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

/* What was found by steps must be what is found afresh. */
static int check_against(struct unwinder *u, const struct arch_regs *entry, taddr ret, size_t n)
{
	struct unwind_frame *by_steps = malloc(n * sizeof *by_steps + 1);
	size_t fresh_n;
	bool complete;

	if (!by_steps)
		return -ENOMEM;
	memcpy(by_steps, u->frames, n * sizeof *by_steps);
	int err = walk_afresh(u, entry, ret, &fresh_n, &complete);
	bool same = !err && complete && fresh_n == n;
	for (size_t i = 0; same && i < n; i++)
		same = by_steps[i].pc == u->frames[i].pc && by_steps[i].cfa == u->frames[i].cfa &&
		       !u->frames[i].exact;
	u->counts.checked++;
	u->counts.wrong += !same;
	memcpy(u->frames, by_steps, n * sizeof *by_steps);
	free(by_steps);
	return err;
}

int unwinder_chain(struct unwinder *u, const struct mappings *maps, const struct module_files *files,
		   const struct arch_regs *entry, taddr ret, struct unwind_chain *out)
{
	struct position p = { .pc = ret, .sp = arch_sp_after_return(entry), .entry = entry };
	size_t n = 0;
	bool complete;
	int err = 0;

	u->maps = maps;
	u->files = files;
	complete = walk_by_steps(u, &p, &n);
	if (!complete)
		err = walk_afresh(u, entry, ret, &n, &complete);
	else if (u->check)
		err = check_against(u, entry, ret, n);
	*out = (struct unwind_chain){ u->frames, n, complete ? CHAIN_WHOLE : u->end };
	return err;
}
