/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of the agent's instructions, which the program does not see. Some are expected, for what
 * is known about a stack may be out of date: these continue where the agent handles them. After any
 * other the thread goes on in the pad that had called the agent, and no pad calls it any more.
 */
#include "fast/engine_internal.h"

#include "arch/x86_64_agent.h"
#include "fast/blob.h"

#include <inttypes.h>
#include <string.h>

/* Where the agent continues after a fault at @insn, both relative to its beginning. False: the
 * fault is not an expected one. */
static bool is_foreseen(taddr insn, taddr *behind)
{
	struct agent_head head;
	struct arch_fault f;

	memcpy(&head, agent_blob, sizeof head);
	for (int64_t at = head.faults; at < head.faults_end; at += (int64_t)sizeof f) {
		memcpy(&f, agent_blob + at, sizeof f);
		if ((taddr)(at + f.insn) != insn)
			continue;
		*behind = (taddr)(at + (int64_t)offsetof(struct arch_fault, behind) + f.behind);
		return true;
	}
	return false;
}

static bool read_word(void *space, taddr at, uint64_t *word)
{
	return address_space_read(space, at, word, sizeof *word) == (ssize_t)sizeof *word;
}

/* Go back to the pad, with the registers that the agent has to preserve. */
static bool leave(const struct engine *e, const struct task *task, struct arch_regs *r)
{
	struct arch_frame f = { .pc = arch_pc(r), .sp = arch_sp(r) };

	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++)
		f.kept[i] = arch_kept(r, i);
	if (!own_code_leave_agent(e, &f, true, read_word, e->space) || !near_has(e, f.pc))
		return false;
	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++)
		arch_set_kept(r, i, f.kept[i]);
	arch_set_caller(r, f.pc, f.sp);
	return !arch_set_regs(task->tid, r);
}

static void switch_off(struct engine *e)
{
	near_set_active(e, e->space, false);
	__atomic_store_n(&engine_agent(e)->passive, 1, __ATOMIC_RELEASE);
	if (!e->failed)
		e->host->failed(e->host->ctx);
	e->failed = true;
}

/* Strict seccomp also forbids reading the clock: from here on records get the time at which they
 * are drained. */
static bool read_clock(struct engine *e, const struct task *task, struct arch_regs *r)
{
	uint8_t code[2];

	if (address_space_read(e->space, arch_pc(r), code, sizeof code) != sizeof code ||
	    !arch_read_clock(r, code, arch_ticks()))
		return false;
	__atomic_store_n(&engine_agent(e)->step_ticks, 0, __ATOMIC_RELAXED);
	return !arch_set_regs(task->tid, r);
}

/* Pads do not fault by themselves: the program has damaged them and will die of it. Its own bytes
 * cannot be put back before the thread goes on, since other threads run through them. */
static bool say_fatal(struct engine *e, const struct task *task, taddr pc)
{
	uint8_t byte;
	bool there = address_space_read(e->space, pc, &byte, sizeof byte) == sizeof byte;
	struct error note;

	if (e->said_fatal)
		return false;
	e->said_fatal = true;
	error_set(&note, 0, "has %s mprof's code at 0x%" PRIx64 ", and thread %d runs into that: "
			    "it gets the signal of the fault",
		  there ? "changed" : "unmapped", pc, (int)task->tid);
	e->host->note(e->host->ctx, note.text);
	return false;
}

bool faults_pass(struct engine *e, struct task *task)
{
	struct arch_regs r;
	taddr behind;

	if (arch_get_regs(task->tid, &r))
		return false;
	/* In a slot it is the program's own fault: it may have freed what is no block. */
	if (near_has(e, arch_pc(&r)))
		return !pads_is_displaced(e, arch_pc(&r)) && say_fatal(e, task, arch_pc(&r));
	if (arch_pc(&r) - e->agent >= e->agent_size)
		return false;
	if (is_foreseen(arch_pc(&r) - e->agent, &behind))
		return !arch_write_pc(task->tid, e->agent + behind);
	if (read_clock(e, task, &r))
		return true;
	if (!leave(e, task, &r))
		return say_fatal(e, task, arch_pc(&r));
	e->host->lost(e->host->ctx, 1, 1);
	switch_off(e);
	return true;
}
