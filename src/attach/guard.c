/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/guard.h"

#include "attach/task.h"
#include "proc/status.h"
#include "proc/tasks.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ENTRIES (1u << 20)	/* memory is used only as far as it is written */
#define TRAPPED_SLOTS 65536u	/* by tid; pids are smaller than that unless somebody raised pid_max */

struct guard {
	pthread_mutex_t alive;	/* robust: the tracer holds it as long as it lives */
	atomic_bool entered;	/* the tracer holds it, or has held it */
	atomic_bool clean;	/* it left in good order */
	atomic_uint n;		/* entries used so far */
	uint32_t free_list;	/* number + 1 of an entry to use again; its `at` links to the next */
	pid_t trapped[TRAPPED_SLOTS];
	pid_t stopped[TRAPPED_SLOTS];
	struct guard_entry entries[MAX_ENTRIES];
};

struct guard *guard_new(void)
{
	struct guard *g = mmap(NULL, sizeof *g, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_mutexattr_t a;

	if (g == MAP_FAILED)
		return NULL;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&g->alive, &a);
	pthread_mutexattr_destroy(&a);
	return g;
}

void guard_free(struct guard *g)
{
	if (g)
		munmap(g, sizeof *g);
}

/* ---- the tracer's side ---- */

int guard_enter(struct guard *g)
{
	int err = pthread_mutex_lock(&g->alive);

	if (!err)
		atomic_store(&g->entered, true);
	return err;
}

void guard_leave(struct guard *g)
{
	atomic_store(&g->clean, true);
	pthread_mutex_unlock(&g->alive);
}

uint32_t guard_add(struct guard *g, const struct guard_entry *e)
{
	uint32_t number;

	if (!g)
		return GUARD_NONE;
	if (g->free_list) {
		number = g->free_list - 1;
		g->free_list = (uint32_t)g->entries[number].at;
	} else if (atomic_load(&g->n) < MAX_ENTRIES) {
		number = atomic_load(&g->n);
	} else {
		return GUARD_NONE;
	}
	struct guard_entry *to = &g->entries[number];
	pid_t pid = e->pid;

	*to = *e;
	to->pid = 0;
	/* Whole before it counts: the tracer may be killed between any two writes. */
	atomic_thread_fence(memory_order_release);
	to->pid = pid;
	if (number == atomic_load(&g->n))
		atomic_store(&g->n, number + 1);
	return number;
}

void guard_remove(struct guard *g, uint32_t number)
{
	if (!g || number == GUARD_NONE || !g->entries[number].pid)
		return;
	g->entries[number].pid = 0;
	g->entries[number].at = g->free_list;
	g->free_list = number + 1;
}

void guard_trapped(struct guard *g, pid_t tid, bool trapped)
{
	if (g)
		g->trapped[(unsigned)tid % TRAPPED_SLOTS] = trapped ? tid : 0;
}

void guard_stopped(struct guard *g, pid_t tid, bool stopped)
{
	pid_t *slot = g ? &g->stopped[(unsigned)tid % TRAPPED_SLOTS] : NULL;

	if (slot && (stopped || *slot == tid))
		*slot = stopped ? tid : 0;
}

/* ---- the watching side ---- */

bool guard_wait(struct guard *g)
{
	struct timespec moment = { 0, 1000000 };

	/* The tracer takes the lock first thing; if it dies before, it has changed nothing. */
	while (!atomic_load(&g->entered)) {
		siginfo_t si = { 0 };

		if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) || si.si_pid)
			return false;
		nanosleep(&moment, NULL);
	}
	pthread_mutex_lock(&g->alive);
	return !atomic_load(&g->clean);
}

static bool is_first_of_its_pid(const struct guard *g, uint32_t i)
{
	if (!g->entries[i].pid)
		return false;
	for (uint32_t j = 0; j < i; j++)
		if (g->entries[j].pid == g->entries[i].pid)
			return false;
	return true;
}

/* Put back the program's own bytes where a trap still stands. */
static void restore_traps(const struct guard *g, pid_t pid, const struct space *s)
{
	for (uint32_t i = 0; i < atomic_load(&g->n); i++) {
		const struct guard_entry *e = &g->entries[i];
		uint8_t now[4];

		if (e->pid == pid &&
		    space_read(s, e->at, now, arch_trap_size) == (ssize_t)arch_trap_size &&
		    !memcmp(now, arch_trap, arch_trap_size))
			space_write(s, e->at, e->own, arch_trap_size);
	}
}

static void restore_slots(const struct guard *g, pid_t pid, const struct space *s)
{
	for (uint32_t i = 0; i < atomic_load(&g->n); i++) {
		const struct guard_entry *e = &g->entries[i];

		if (e->pid == pid && e->slot)
			space_write(s, e->slot, e->slot_own, e->slot_size);
	}
}

/* A task of the process that still has memory: the leader may have ended. */
static pid_t live_task(pid_t pid)
{
	struct proc_tasks tasks;
	pid_t found = 0;

	proc_tasks_open(&tasks, pid);
	for (pid_t tid; !found && (tid = proc_tasks_next(&tasks));)
		if (proc_status(tid).vm_size)
			found = tid;
	proc_tasks_close(&tasks);
	return found;
}

void guard_stop_programs(struct guard *g)
{
	for (uint32_t i = 0; i < atomic_load(&g->n); i++)
		if (is_first_of_its_pid(g, i))
			kill(g->entries[i].pid, SIGSTOP);
	for (uint32_t i = 0; i < atomic_load(&g->n); i++) {
		if (!is_first_of_its_pid(g, i))
			continue;
		struct space *s = space_new(live_task(g->entries[i].pid));
		if (s)
			restore_traps(g, g->entries[i].pid, s);
		space_free(s);
	}
}

/* The pc that the program itself would have where a task was left by the tracer. */
static taddr own_pc(const struct guard *g, pid_t pid, pid_t tid, taddr pc)
{
	bool was_trapped = g->trapped[(unsigned)tid % TRAPPED_SLOTS] == tid;

	for (uint32_t i = 0; i < atomic_load(&g->n); i++) {
		const struct guard_entry *e = &g->entries[i];

		if (e->pid != pid)
			continue;
		if (e->slot && pc >= e->slot && pc < e->slot + e->slot_size)
			return pc == e->slot ? e->at : e->at + e->insn_size;
		/* Behind a trap is also behind a one-byte instruction that has run. */
		if (pc == e->at + arch_trap_size && (was_trapped || e->insn_size != arch_trap_size))
			return e->at;
	}
	return pc;
}

static bool seize_stopped(pid_t tid)
{
	struct proc_status status = proc_status(tid);
	int wstatus;

	/* A thread that has ended, a leader too, has nothing to be put in order. */
	if (!proc_status_lives(&status))
		return false;
	/* Until the kernel has cut the dead tracer's ties this is refused. */
	for (int i = 0; ptrace(PTRACE_SEIZE, tid, NULL, NULL); i++) {
		if (errno == ESRCH || i > 1000)
			return false;
		usleep(1000);
	}
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL))
		return false;
	return waitpid(tid, &wstatus, __WALL) == tid && WIFSTOPPED(wstatus);
}

static void settle_task(const struct guard *g, pid_t pid, pid_t tid)
{
	struct arch_regs r;

	if (arch_get_regs(tid, &r))
		return;
	taddr own = own_pc(g, pid, tid, arch_pc(&r));
	if (own == arch_pc(&r))
		return;
	arch_set_pc(&r, own);
	arch_set_regs(tid, &r);
}

static void recover_process(const struct guard *g, pid_t pid)
{
	struct space *s = space_new(live_task(pid));
	struct proc_tasks tasks;

	if (!s)
		return;
	restore_traps(g, pid, s);
	proc_tasks_open(&tasks, pid);
	bool was_stopped = true;
	/* All are stopped by our SIGSTOP, so none can make another meanwhile. */
	for (pid_t tid; (tid = proc_tasks_next(&tasks));)
		if (seize_stopped(tid)) {
			was_stopped &= g->stopped[(unsigned)tid % TRAPPED_SLOTS] == tid;
			settle_task(g, pid, tid);
			ptrace(PTRACE_DETACH, tid, NULL, NULL);
		}
	proc_tasks_close(&tasks);
	restore_slots(g, pid, s);
	space_free(s);
	if (!was_stopped)
		kill(pid, SIGCONT);
}

unsigned guard_recover(struct guard *g)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < atomic_load(&g->n); i++) {
		if (!is_first_of_its_pid(g, i))
			continue;
		recover_process(g, g->entries[i].pid);
		n++;
	}
	return n;
}
