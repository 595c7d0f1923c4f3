/* SPDX-License-Identifier: BSD-2-Clause */
/* A task at a breakpoint: from its stop until it is resumed; and how its pc is set right before the
 * program sees it or the task is detached. */
#include "breakpoints/watch_internal.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* Make the task execute the displaced instruction. */
static enum trap_answer step_over(struct watch *w, struct task *task, const struct breakpoint *bp,
				  taddr at, struct arch_regs *r)
{
	const struct arch_regs was = *r;

	/* If its module was unmapped while the stop was served there is no breakpoint any more. */
	if (!bp || bp->insn.how != ARCH_EMULATE) {
		arch_set_pc(r, bp && bp->slot ? bp->slot : at);
		journal_changes(w->breakpoints.journal, task->journal_record, arch_pc(&was), r,
				NULL);
		arch_write_pc(task->tid, arch_pc(r));
		return bp && bp->insn.how == ARCH_STEP ? TRAP_STEP : TRAP_OURS;
	}
	struct journal_word word;
	bool push = false;

	arch_emulate(&bp->insn, at, r, &push, &word.value);
	word.at = arch_sp(r);
	journal_changes(w->breakpoints.journal, task->journal_record, arch_pc(&was), r,
			push ? &word : NULL);
	if (push)
		address_space_write(w->space, word.at, &word.value, sizeof word.value);
	arch_change_regs(task->tid, &was, r);
	return TRAP_OURS;
}

struct watched_task *watched_task(struct task *task)
{
	if (!task->user)
		task->user = calloc(1, sizeof(struct watched_task));
	return task->user;
}

static enum trap_answer serve_trap(struct watch *w, struct task *task, bool certain)
{
	struct watched_task *t = watched_task(task);
	struct arch_regs r;

	if (arch_get_regs(task->tid, &r))
		return TRAP_NOT_OURS; /* it is being killed */
	taddr at = arch_pc(&r) - arch_trap_size;
	const struct breakpoint *bp = breakpoints_at(&w->breakpoints, at);
	if (!bp || breakpoint_is_foreign(w->space, bp))
		return TRAP_NOT_OURS;
	/* A pc behind the first byte of a longer instruction is possible only after its breakpoint.
	 * Behind a one-byte instruction it is also possible after that instruction, and the SIGTRAP
	 * may be a signal that was sent. */
	if (!certain && bp->insn.size == arch_trap_size)
		return TRAP_DOUBTFUL;
	const size_t id = (size_t)(bp - w->breakpoints.v);
	uint8_t roles = bp->roles;
	bool own_trap = !memcmp(bp->insn.bytes, arch_trap, arch_trap_size);
	w->counts.traps++;
	if (!t) {
		w->counts.lost++;
		return step_over(w, task, bp, at, &r);
	}
	bool ended = roles & BREAKPOINT_RETURN && watch_hit_return(w, task, t, at, &r);
	if (roles & BREAKPOINT_RENDEZVOUS) {
		w->arming = ARM_NEW;
		watch_modules(w, task->tid);
		w->arming = ARM_LATER;
	}
	bp = breakpoints_again(&w->breakpoints, id, at);
	if (bp && roles & BREAKPOINT_RESOLVER)
		watch_enter_resolver(w, task, t, bp, &r);
	bp = breakpoints_again(&w->breakpoints, id, at);
	if (bp && roles & BREAKPOINT_ENTRY && watch_hit_entry(w, task, t, bp, &r)) {
		journal_changes(w->breakpoints.journal, task->journal_record, at + arch_trap_size,
				&r, NULL);
		arch_set_regs(task->tid, &r);
		return TRAP_OURS;
	}
	/* The program has a trap instruction of its own here: it gets its signal. */
	if (own_trap)
		return TRAP_NOT_OURS;
	enum trap_answer answer = step_over(w, task, breakpoints_again(&w->breakpoints, id, at), at,
					    &r);

	return answer == TRAP_OURS && ended && roles == BREAKPOINT_RETURN ? TRAP_ENDS_CALL : answer;
}

enum trap_answer watch_trap(struct watch *w, struct task *task, bool certain)
{
	enum trap_answer answer = serve_trap(w, task, certain);

	watch_tell_pending(w, task);
	return answer;
}

/* The task's free has been counted, but has not run any instruction and may begin again. */
static void note_rewound(struct watch *w, struct task *task, const struct arch_regs *r)
{
	const struct breakpoint *bp = breakpoints_at(&w->breakpoints, arch_pc(r));
	struct watched_task *t = watched_task(task);

	if (!t || !bp || !(bp->roles & BREAKPOINT_ENTRY) ||
	    watch_probe(w, bp->probe)->kind != PROBE_FREE)
		return;
	/* Only signal handlers can come in between, and they may free, too. */
	struct rewound_free f = { bp->at, arch_arg(r, watch_probe(w, bp->probe)->ptr_arg),
				  arch_sp(r) };
	watch_was_rewound(w, t, f.entry, f.ptr, f.sp);
	if (ARRAY_RESERVE(&t->rewound, &t->cap_rewound, t->n_rewound))
		w->counts.lost++;
	else
		t->rewound[t->n_rewound++] = f;
}

void watch_alone(struct watch *w, struct task *task, bool out, bool stepped)
{
	struct arch_regs r;

	if (out) {
		if (!arch_get_regs(task->tid, &r) && breakpoints_at(&w->breakpoints, arch_pc(&r)))
			w->stepping = arch_pc(&r);
		else
			w->stepping = 0;
		if (w->stepping)
			breakpoint_lift(w->space, breakpoints_at(&w->breakpoints, w->stepping));
		w->counts.steps++;
		return;
	}
	const struct breakpoint *bp = w->stepping ? breakpoints_at(&w->breakpoints, w->stepping)
						  : NULL;
	if (bp && !bp->lifted)
		breakpoint_restore(w->space, bp);
	if (!stepped && !arch_get_regs(task->tid, &r))
		note_rewound(w, task, &r);
}

bool watch_settle(struct watch *w, struct task *task, bool trapped)
{
	struct watched_task *t = watched_task(task);
	struct arch_regs r;
	bool before;

	for (size_t i = 0; t && i < t->calls.n; i++)
		t->calls.v[i].interrupted = true;
	if (arch_get_regs(task->tid, &r))
		return false;
	taddr pc = arch_pc(&r);
	taddr own = breakpoints_own_pc(&w->breakpoints, pc, &before);
	const struct breakpoint *behind = trapped ? breakpoints_at(&w->breakpoints,
								   pc - arch_trap_size)
						  : NULL;
	bool ours = behind && !breakpoint_is_foreign(w->space, behind);
	if (ours)
		own = pc - arch_trap_size;
	if (own != pc) {
		arch_set_pc(&r, own);
		journal_changes(w->breakpoints.journal, task->journal_record, pc, &r, NULL);
		arch_set_regs(task->tid, &r);
	}
	if (before)
		note_rewound(w, task, &r);
	return ours;
}

void watch_forget_calls(struct watch *w, struct task *task)
{
	struct watched_task *t = task->user;

	while (t && t->calls.n)
		watch_abandon(w, task, &t->calls);
	watch_tell_pending(w, task);
}

void watch_task_gone(struct watch *w, struct task *task)
{
	struct watched_task *t = task->user;

	if (w->engine)
		w->shared->engine->thread_ends(w->engine, task);
	if (!t)
		return;
	watch_forget_calls(w, task);
	calls_release(&t->calls);
	free(t->rewound);
	free(t);
	task->user = NULL;
}
