/* SPDX-License-Identifier: BSD-2-Clause */
/* What the journal of a tracer that was killed means for a task. */
#include "attach/guard_internal.h"

#include <string.h>
#include <sys/wait.h>

const struct guard_task *guard_record(const struct guard *g, pid_t tid)
{
	for (uint32_t i = 0; i < atomic_load(&g->n_tasks); i++)
		if (g->tasks[i].tid == tid)
			return &g->tasks[i];
	return NULL;
}

bool guard_has_trap(const struct guard_entry *e, const uint8_t *code)
{
	return !memcmp(code, arch_trap, arch_trap_size) &&
	       !memcmp(code + arch_trap_size, e->own + arch_trap_size, e->insn_size - arch_trap_size);
}

bool guard_has_slot(const struct guard_entry *e, const uint8_t *code)
{
	uint8_t copy[ARCH_SLOT_MAX];
	struct arch_insn insn;

	return e->slot && !arch_decode(e->own, e->insn_size, &insn) &&
	       arch_relocate(&insn, e->at, e->slot, copy) == e->slot_size &&
	       !memcmp(code, copy, e->slot_size);
}

enum guard_where guard_where(const struct guard *g, pid_t pid, taddr pc, taddr *own)
{
	enum guard_where where = GUARD_OWN;

	*own = pc;
	for (uint32_t i = 0; i < atomic_load(&g->n_entries); i++) {
		const struct guard_entry *e = &g->entries[i];

		if (e->pid != pid)
			continue;
		if (e->slot && pc >= e->slot && pc < e->slot + e->slot_size) {
			*own = pc == e->slot ? e->at : e->at + e->insn_size;
			return GUARD_IN_SLOT;
		}
		if (pc != e->at + arch_trap_size)
			continue;
		*own = e->at;
		where = e->insn_size == arch_trap_size ? GUARD_PAST : GUARD_BEHIND;
	}
	return where;
}

static bool is_plain_trap(const siginfo_t *heard)
{
	return heard->si_code == CLD_TRAPPED && heard->si_status == SIGTRAP;
}

enum guard_state guard_state(const struct guard_task *record, pid_t tid, const siginfo_t *heard)
{
	enum guard_state noted = record ? record->state : GUARD_RUNS;

	if (noted == GUARD_RUNS && heard->si_pid == tid && is_plain_trap(heard))
		return GUARD_TRAPPED;
	return noted;
}

static bool has_moved(const struct guard_seen *seen, const struct arch_regs *now)
{
	return seen && (!seen->has_pc || seen->pc != arch_pc(now));
}

/* Its registers were its own when it was left. */
static enum guard_verdict judge_running(const struct guard *g, pid_t pid, const struct guard_seen *seen,
					const struct arch_regs *now, taddr *own)
{
	taddr before;
	enum guard_where was = seen && seen->has_pc ? guard_where(g, pid, seen->pc, &before) : GUARD_OWN;

	if (has_moved(seen, now) && was == GUARD_IN_SLOT)
		return GUARD_LEAVE_SLOTS;
	if (has_moved(seen, now) && was == GUARD_BEHIND)
		return GUARD_LOST;
	enum guard_where is = guard_where(g, pid, arch_pc(now), own);

	return is == GUARD_IN_SLOT || is == GUARD_BEHIND ? GUARD_SET_PC : GUARD_LEAVE;
}

static enum guard_verdict judge_trapped(const struct guard *g, pid_t pid, const struct guard_seen *seen,
					const struct arch_regs *now, taddr *own)
{
	enum guard_where is = guard_where(g, pid, arch_pc(now), own);

	if (has_moved(seen, now))
		return GUARD_LOST;
	if (is == GUARD_BEHIND || is == GUARD_PAST)
		return GUARD_SET_PC;
	return seen ? GUARD_SEND_TRAP : GUARD_LOST;
}

static enum guard_verdict judge_changing(const struct guard *g, pid_t pid, const struct guard_task *r,
					 const struct guard_seen *seen, const struct arch_regs *now,
					 taddr *own)
{
	if (has_moved(seen, now))
		return GUARD_LOST;
	if (arch_pc(now) != r->from && !(seen && arch_pc(now) == arch_pc(&r->to)))
		return memcmp(now, &r->to, sizeof *now) ? GUARD_LOST :
							  judge_running(g, pid, NULL, now, own);
	/* It was to go on in a slot, which will not be there. */
	if (guard_where(g, pid, arch_pc(&r->to), own) != GUARD_IN_SLOT)
		*own = arch_pc(&r->to);
	return GUARD_SET_ALL;
}

enum guard_verdict guard_judge(const struct guard *g, pid_t pid, const struct guard_task *record,
			       enum guard_state state, const struct guard_seen *seen,
			       const struct arch_regs *now, taddr *own)
{
	*own = arch_pc(now);
	switch (state) {
	case GUARD_TRAPPED:
		return judge_trapped(g, pid, seen, now, own);
	case GUARD_CHANGES:
		return judge_changing(g, pid, record, seen, now, own);
	default:
		return judge_running(g, pid, seen, now, own);
	}
}

bool guard_missed_trap(const struct guard *g, const struct guard_seen *seen)
{
	taddr own;
	enum guard_where where = seen->has_pc ? guard_where(g, seen->pid, seen->pc, &own) : GUARD_OWN;
	const struct guard_task *r = guard_record(g, seen->tid);

	return seen->trap_comes &&
	       (where == GUARD_BEHIND || where == GUARD_PAST || (r && r->state == GUARD_STEPS));
}
