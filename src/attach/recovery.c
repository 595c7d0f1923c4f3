/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/recovery.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

bool recovery_has_breakpoint(const struct journal_entry *e, const uint8_t *code)
{
	return !memcmp(code, arch_trap, arch_trap_size) &&
	       !memcmp(code + arch_trap_size, e->own + arch_trap_size,
		       e->insn_size - arch_trap_size);
}

/* The tracer may have been killed between the two pages of a write that put it in or took it
 * out. */
bool recovery_has_jump(const struct journal_entry *e, const uint8_t *code)
{
	const uint8_t *jump = e->slot_own;
	uint8_t n = 0, m = 0;

	while (n < e->insn_size && code[n] == jump[n])
		n++;
	while (m < e->insn_size && code[m] == e->own[m])
		m++;
	return memcmp(code, e->own, e->insn_size) != 0 &&
	       (!memcmp(code + n, e->own + n, e->insn_size - n) ||
		!memcmp(code + m, jump + m, e->insn_size - m));
}

bool recovery_has_slot(const struct journal_entry *e, const uint8_t *code)
{
	uint8_t copy[ARCH_SLOT_MAX];
	struct arch_insn insn;

	return e->slot && !arch_decode(e->own, e->insn_size, &insn) &&
	       arch_relocate(&insn, e->at, e->slot, copy) == e->slot_size &&
	       !memcmp(code, copy, e->slot_size);
}

enum recovery_where recovery_where(const struct journal *g, pid_t pid, taddr pc, taddr *own)
{
	enum recovery_where where = PC_OWN;

	*own = pc;
	for (uint32_t i = 0; i < atomic_load(&g->n_entries); i++) {
		const struct journal_entry *e = &g->entries[i];

		if (e->pid != pid || e->kind != JOURNAL_BREAKPOINT)
			continue;
		if (e->slot && pc >= e->slot && pc < e->slot + e->slot_size) {
			*own = pc == e->slot ? e->at : e->at + e->insn_size;
			return PC_IN_SLOT;
		}
		if (pc != e->at + arch_trap_size)
			continue;
		*own = e->at;
		where = e->insn_size == arch_trap_size ? PC_PAST : PC_BEHIND;
	}
	return where;
}

static bool is_plain_breakpoint(const siginfo_t *heard)
{
	return heard->si_code == CLD_TRAPPED && heard->si_status == SIGTRAP;
}

enum journal_state recovery_state(const struct journal_task *record, pid_t tid,
				  const siginfo_t *heard)
{
	enum journal_state noted = record ? record->state : JOURNAL_RUNS;

	if (noted == JOURNAL_RUNS && heard->si_pid == tid && is_plain_breakpoint(heard))
		return JOURNAL_TRAPPED;
	return noted;
}

enum recovery_call recovery_call(const struct journal_task *record, const struct arch_regs *now)
{
	const struct journal_call *call = record ? &record->call : NULL;

	if (!call || !call->insn)
		return RECOVERY_NO_CALL;
	return arch_is_at_syscall(now, call->insn) || arch_pc(now) == arch_pc(&call->regs) ?
		       RECOVERY_UNDO_CALL : RECOVERY_RAN_ON;
}

static bool has_moved(const struct recovery_seen *seen, const struct arch_regs *now)
{
	return seen && (!seen->has_pc || seen->pc != arch_pc(now));
}

/* The task was resumed with the program's registers. */
static enum recovery_verdict judge_running(const struct journal *g, pid_t pid,
					   const struct recovery_seen *seen,
					   const struct arch_regs *now, taddr *own)
{
	taddr before;
	enum recovery_where was = seen && seen->has_pc ? recovery_where(g, pid, seen->pc, &before)
						       : PC_OWN;

	if (has_moved(seen, now) && was == PC_IN_SLOT) {
		*own = before;
		return RECOVERY_MOVE_RETURN;
	}
	if (has_moved(seen, now) && was == PC_BEHIND)
		return RECOVERY_LOST;
	enum recovery_where is = recovery_where(g, pid, arch_pc(now), own);

	return is == PC_IN_SLOT || is == PC_BEHIND ? RECOVERY_SET_PC : RECOVERY_LEAVE;
}

static enum recovery_verdict judge_trapped(const struct journal *g, pid_t pid,
					   const struct recovery_seen *seen,
					   const struct arch_regs *now, taddr *own)
{
	enum recovery_where is = recovery_where(g, pid, arch_pc(now), own);

	if (has_moved(seen, now))
		return RECOVERY_LOST;
	if (is == PC_BEHIND || is == PC_PAST)
		return RECOVERY_SET_PC;
	return seen ? RECOVERY_SEND_TRAP : RECOVERY_LOST;
}

static enum recovery_verdict judge_changing(const struct journal *g, pid_t pid,
					    const struct journal_task *r,
					    const struct recovery_seen *seen,
					    const struct arch_regs *now, taddr *own)
{
	if (has_moved(seen, now))
		return RECOVERY_LOST;
	if (arch_pc(now) != r->from && !(seen && arch_pc(now) == arch_pc(&r->to)))
		return memcmp(now, &r->to, sizeof *now) ? RECOVERY_LOST :
							  judge_running(g, pid, NULL, now, own);
	/* It was to go on in a slot, which is going to be removed. */
	if (recovery_where(g, pid, arch_pc(&r->to), own) != PC_IN_SLOT)
		*own = arch_pc(&r->to);
	return RECOVERY_SET_ALL;
}

enum recovery_verdict recovery_judge(const struct journal *g, pid_t pid,
				     const struct journal_task *record, enum journal_state state,
				     const struct recovery_seen *seen, const struct arch_regs *now,
				     taddr *own)
{
	*own = arch_pc(now);
	switch (state) {
	case JOURNAL_TRAPPED:
		return judge_trapped(g, pid, seen, now, own);
	case JOURNAL_CHANGES:
		return judge_changing(g, pid, record, seen, now, own);
	default:
		return judge_running(g, pid, seen, now, own);
	}
}

bool recovery_missed_trap(const struct journal *g, const struct recovery_seen *seen)
{
	taddr own;
	enum recovery_where where = seen->has_pc ? recovery_where(g, seen->pid, seen->pc, &own)
						 : PC_OWN;
	const struct journal_task *r = journal_record(g, seen->tid);

	/* A task in a group stop stays stopped when its tracer is gone, and gets the signal only
	 * when it is continued: it can still be seized before that. */
	if (r && r->stopped && seen->untold != SIGTRAP)
		return false;
	return seen->trap_comes &&
	       (where == PC_BEHIND || where == PC_PAST || (r && r->state == JOURNAL_STEPS));
}
