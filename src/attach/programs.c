/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs that a killed tracer has left behind, as the journal has them: their tasks and their
 * memory. */
#include "attach/rescue_internal.h"

#include "attach/target.h"
#include "proc/descriptors.h"
#include "proc/maps.h"
#include "proc/stat.h"
#include "proc/status.h"
#include "proc/tasks.h"

#include <signal.h>

void each_number(pid_t pid, void (*fn)(void *ctx, pid_t number), void *ctx)
{
	struct proc_tasks list;

	if (pid ? proc_tasks_open(&list, pid) : proc_processes_open(&list))
		return;
	for (pid_t number; (number = proc_tasks_next(&list));)
		if (!pid || !procstat_worker(number))
			fn(ctx, number);
	proc_tasks_close(&list);
}

bool program_has_guest(const struct journal_task *r, pid_t pid)
{
	return r->tid && r->pid == pid && proc_status(r->tid).tgid != pid;
}

void program_each_task(const struct journal *g, pid_t pid, void (*fn)(void *ctx, pid_t tid),
		      void *ctx)
{
	each_number(pid, fn, ctx);
	for (uint32_t i = 0; i < atomic_load(&g->n_tasks); i++)
		if (program_has_guest(&g->tasks[i], pid))
			fn(ctx, g->tasks[i].tid);
}

struct journal_program *program_next(struct journal *g, uint32_t *i)
{
	while (*i < atomic_load(&g->n_programs)) {
		struct journal_program *p = &g->programs[(*i)++];

		if (p->pid)
			return p;
	}
	return NULL;
}

bool program_is_gone(pid_t pid)
{
	return !proc_lives(pid) && !target_look(pid).live_threads;
}

void program_kill(struct journal_program *p, pid_t task)
{
	kill(p->pid, SIGKILL);
	p->fate = (struct program_fate){ .pid = p->pid, .end = FATE_ENDED,
					 .signal = SIGKILL, .task = task };
}

/* ---- memory ---- */

void program_restore_breakpoints(const struct journal *g, pid_t pid, const struct address_space *s)
{
	for (uint32_t i = 0; i < atomic_load(&g->n_entries); i++) {
		const struct journal_entry *e = &g->entries[i];
		uint8_t now[ARCH_INSN_MAX];

		if (e->pid == pid && e->kind == JOURNAL_BREAKPOINT &&
		    address_space_read(s, e->at, now, e->insn_size) == e->insn_size &&
		    recovery_has_breakpoint(e, now))
			address_space_write(s, e->at, e->own, arch_trap_size);
	}
}

bool program_has_breakpoints(const struct journal *g, pid_t pid)
{
	for (uint32_t i = 0; i < atomic_load(&g->n_entries); i++)
		if (g->entries[i].pid == pid && g->entries[i].kind == JOURNAL_BREAKPOINT)
			return true;
	return false;
}

void program_switch_off_jumps(const struct journal *g, pid_t pid, const struct address_space *s)
{
	static const uint8_t off;

	for (uint32_t i = 0; i < atomic_load(&g->n_entries); i++) {
		const struct journal_entry *e = &g->entries[i];

		if (e->pid == pid && e->kind == JOURNAL_JUMP)
			address_space_write(s, e->flag, &off, sizeof off);
	}
}

void program_restore_jumps(const struct journal *g, pid_t pid, const struct address_space *s)
{
	for (uint32_t i = 0; i < atomic_load(&g->n_entries); i++) {
		const struct journal_entry *e = &g->entries[i];
		uint8_t now[ARCH_INSN_MAX];

		if (e->pid == pid && e->kind == JOURNAL_JUMP &&
		    address_space_read(s, e->at, now, e->insn_size) == e->insn_size &&
		    recovery_has_jump(e, now))
			address_space_write(s, e->at, e->own, e->insn_size);
	}
}

static bool has_slot(const struct journal_entry *e, const struct address_space *s)
{
	uint8_t now[ARCH_SLOT_MAX];

	return e->slot && address_space_read(s, e->slot, now, e->slot_size) == e->slot_size &&
	       recovery_has_slot(e, now);
}

unsigned program_restore_slots(const struct journal *g, pid_t pid, const struct address_space *s,
			       bool stay)
{
	unsigned left = 0;

	for (uint32_t i = 0; i < atomic_load(&g->n_entries); i++) {
		const struct journal_entry *e = &g->entries[i];

		if (e->pid != pid || e->kind != JOURNAL_BREAKPOINT || !has_slot(e, s))
			continue;
		if (stay || address_space_write(s, e->slot, e->slot_own, e->slot_size) < 0)
			left += e->slot_size;
	}
	return left;
}

/* ---- what stays ---- */

struct keeping {
	const struct journal *g;
	pid_t pid;
	struct program_memory *out;
};

static uint64_t overlap(const struct journal_entry *e, const struct proc_map *m)
{
	taddr lo = e->at > m->start ? e->at : m->start;
	taddr end = e->at + e->size, hi = end < m->end ? end : m->end;

	return hi > lo ? hi - lo : 0;
}

static int add_kept(const struct proc_map *m, void *ctx)
{
	const struct keeping *k = ctx;

	for (uint32_t i = 0; i < atomic_load(&k->g->n_entries); i++) {
		const struct journal_entry *e = &k->g->entries[i];

		if (e->pid != k->pid || e->kind != JOURNAL_MEMORY)
			continue;
		if (m->readable && !m->ino)
			k->out->code += overlap(e, m);
		else
			k->out->shared += overlap(e, m);
	}
	return 0;
}

struct program_memory program_kept_memory(const struct journal *g, pid_t pid)
{
	struct program_memory kept = { 0 };

	proc_maps_each(pid, add_kept, &(struct keeping){ g, pid, &kept });
	return kept;
}

/* To close it the program would have to make a system call. */
int program_kept_file(const struct journal *g, pid_t pid)
{
	bool maybe = false;

	for (uint32_t i = 0; i < atomic_load(&g->n_entries); i++)
		maybe |= g->entries[i].pid == pid && g->entries[i].kind == JOURNAL_FILE;
	return maybe ? 1 + proc_find_memfd(pid, journal_file_name) : 0;
}

/* ---- memory that is not open ---- */

static void find_live(void *ctx, pid_t tid)
{
	pid_t *found = ctx;

	if (!*found && proc_status(tid).vm_size)
		*found = tid;
}

struct address_space *program_open_space(pid_t pid)
{
	pid_t live = 0;

	each_number(pid, find_live, &live);
	return live ? address_space_new(live) : NULL;
}

void program_restore_text(const struct journal *g, pid_t pid)
{
	struct address_space *s = program_open_space(pid);

	if (s)
		program_restore_breakpoints(g, pid, s);
	if (s)
		program_switch_off_jumps(g, pid, s);
	address_space_free(s);
}
