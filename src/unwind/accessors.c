/* SPDX-License-Identifier: BSD-2-Clause */
/* libunwind's accessors, which also record what a step depends on. */
#include "unwind/unwind_internal.h"

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi,
			  int need_unwind_info, void *arg)
{
	struct unwinder *u = arg;

	/* libunwind reads the address of a C++ function's personality, and gives up if it cannot,
	 * though it is not needed here. It is in memory that was writable until it was
	 * relocated. */
	u->memory.as_it_is_now = true;
	int err = tables_find(&u->tables, as, ip, pi, need_unwind_info, arg);
	u->memory.as_it_is_now = false;

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

bool unwind_cannot_change(void *ctx, taddr at)
{
	const struct unwinder *u = ctx;

	for (size_t i = 0; u->maps && i < u->maps->n; i++)
		if (at >= u->maps->maps[i].image_start && at < u->maps->maps[i].image_end)
			return true;
	return false;
}

/* Note a word that was read, on which the step depends; not call frame information, which does not
 * change. */
static void record_word(struct unwinder *u, taddr at, uint64_t value)
{
	struct step *s = &u->step;

	if (!u->recording || (!snapshot_has(&u->memory, at) && unwind_cannot_change(u, at)))
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

/* Expressions in a program's tables may loop (DW_OP_skip can go backwards), but not without reading
 * themselves. No proper step reads a tenth of this. */
#define MAX_READS 65536

int unwind_step(struct unwinder *u, unw_cursor_t *c)
{
	u->reads = 0;
	return unw_step(c);
}

static int access_mem(unw_addr_space_t as, unw_word_t at, unw_word_t *value, int write, void *arg)
{
	struct unwinder *u = arg;

	(void)as;
	if (u->reads++ >= MAX_READS)
		return -UNW_EINVAL;
	if (!write && tables_word(&u->tables, at, value))
		return 0;
	if (write || !snapshot_word(&u->memory, at, value))
		return -UNW_EINVAL;
	record_word(u, at, *value);
	return 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write,
		      void *arg)
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

unw_accessors_t unwind_accessors = {
	.find_proc_info = find_proc_info,
	.put_unwind_info = put_unwind_info,
	.get_dyn_info_list_addr = no_dyn_info,
	.access_mem = access_mem,
	.access_reg = access_reg,
	.access_fpreg = access_fpreg,
	.resume = no_resume,
	.get_proc_name = no_proc_name,
};
