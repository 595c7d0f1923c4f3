/* SPDX-License-Identifier: BSD-2-Clause */
/* What is mapped into the program: by system calls that one of its stopped tasks is made to run. */
#include "fast/engine_internal.h"

#include "base/array.h"
#include "fast/blob.h"
#include "fast/owner.h"
#include "fast/refusal.h"
#include "fast/room.h"
#include "proc/file.h"
#include "proc/maps.h"
#include "proc/status.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096u
#define TABLES_BYTES ((size_t)64 << 20)	/* sparse: what is not written takes no memory */
#define NEAR_BYTES ((size_t)32 << 10)

static size_t pages(size_t bytes)
{
	return (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

/* ---- system calls of the program ---- */

struct call {
	const struct engine *e;
	struct task *task;
	bool filtered; /* its seccomp filter is to be switched off for it */
};

/* 0, or -EPERM: a filter may kill it. */
static int begin_calls(struct call *c, const struct engine *e, struct task *task)
{
	*c = (struct call){ e, task, proc_status(task->tid).seccomp };
	if (!c->filtered)
		return 0;
	int err = tracer_suspend_seccomp(e->tracer, task, true);

	return err ? err : tracer_suspend_seccomp(e->tracer, task, false);
}

static long run(const struct call *c, long nr, uint64_t a, uint64_t b, uint64_t d, uint64_t f,
		uint64_t g, uint64_t h)
{
	const uint64_t arg[6] = { a, b, d, f, g, h };
	int64_t result;
	int err = c->filtered ? tracer_suspend_seccomp(c->e->tracer, c->task, true) : 0;

	if (err)
		return err;
	err = tracer_call(c->e->tracer, c->task, c->e->syscall_insn, nr, arg, &result);
	if (c->filtered)
		tracer_suspend_seccomp(c->e->tracer, c->task, false);
	return err ? err : (long)result;
}

/* 0 or -errno; *@at: where. */
static int map(const struct call *c, taddr at, size_t size, int prot, int flags, int fd,
	       uint64_t offset, taddr *out)
{
	long result = run(c, SYS_mmap, at, size, (uint64_t)prot, (uint64_t)flags,
			  (uint64_t)(long)fd, offset);

	if (result < 0 && result > -(long)PAGE)
		return (int)result;
	*out = (taddr)result;
	return 0;
}

static int unmap(const struct call *c, taddr at, size_t size)
{
	return at ? (int)run(c, SYS_munmap, at, size, 0, 0, 0, 0) : 0;
}

static int advise(const struct call *c, taddr at, size_t size, int advice)
{
	return (int)run(c, SYS_madvise, at, size, (uint64_t)advice, 0, 0, 0);
}

/* Addresses for all of it but what is near code, in one piece, where the kernel likes. */
static int reserve(struct engine *e, const struct call *c)
{
	struct journal_entry room = { .kind = JOURNAL_MEMORY, .pid = e->space->pid,
				      .size = e->agent_size + e->memory.size + e->tables.size };
	int err = map(c, 0, room.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		      0, &room.at);

	if (err)
		return err;
	e->room_entry = journal_add(e->shared->settings.journal, &room);
	e->agent = room.at;
	e->memory.there = e->agent + e->agent_size;
	e->tables.there = e->memory.there + e->memory.size;
	return 0;
}

/* ---- the shared memory ---- */

/* Ours has a page before it, which is not the program's: see owner.h. */
static int map_here(struct engine *e, int fd)
{
	size_t size = e->memory.size + e->tables.size;
	uint8_t *all = mmap(NULL, PAGE + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (all == MAP_FAILED)
		return -errno;
	if (mmap(all + PAGE, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
	    MAP_FAILED) {
		int err = -errno;

		munmap(all, PAGE + size);
		return err;
	}
	e->memory.here = all + PAGE;
	e->tables.here = e->memory.here + e->memory.size;
	return 0;
}

/* Of a size that nobody can change any more: cut short by the program, reading it would kill us. */
static int seal(int fd, size_t size)
{
	if (ftruncate(fd, (off_t)size) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return -errno;
	return 0;
}

static int open_here(struct engine *e, pid_t tid, long number)
{
	char name[64];

	snprintf(name, sizeof name, "fd/%ld", number);
	int fd = proc_open(tid, name, O_RDWR);
	if (fd < 0)
		return fd;
	int err = seal(fd, e->memory.size + e->tables.size);
	if (!err)
		err = map_here(e, fd);
	close(fd);
	return err;
}

static int map_there(struct engine *e, const struct call *c, long fd)
{
	const int flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED;
	int err = map(c, e->memory.there, e->memory.size, PROT_READ | PROT_WRITE, flags, (int)fd, 0,
		      &e->memory.there);

	if (!err)
		err = map(c, e->tables.there, e->tables.size, PROT_READ, flags, (int)fd,
			  e->memory.size, &e->tables.there);
	if (!err)
		err = advise(c, e->memory.there, e->memory.size, MADV_DONTFORK);
	if (!err)
		err = advise(c, e->tables.there, e->tables.size, MADV_DONTFORK);
	return err;
}

/* Its descriptor is open in the program for no longer than this. */
static int share_file(struct engine *e, const struct call *c, enum fast_step *step)
{
	long fd = run(c, SYS_memfd_create, e->agent, MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0, 0, 0);

	if (fd < 0)
		return (int)fd;
	*step = FAST_HERE;
	int err = open_here(e, c->task->tid, fd);
	if (!err) {
		*step = FAST_SHARED;
		err = map_there(e, c, fd);
	}
	run(c, SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	return err;
}

static int share(struct engine *e, const struct call *c, enum fast_step *step)
{
	struct journal *g = e->shared->settings.journal;
	const struct journal_entry file = { .kind = JOURNAL_FILE, .pid = e->space->pid };

	*step = FAST_FILE;
	/* The name has to be in the program's memory: where the agent will be. */
	if (address_space_write(e->space, e->agent, journal_file_name, sizeof journal_file_name) !=
	    (ssize_t)sizeof journal_file_name)
		return -EIO;
	uint32_t entry = journal_add(g, &file);
	int err = share_file(e, c, step);
	journal_remove(g, entry);
	return err;
}

/* ---- the agent ---- */

static int write_agent(struct engine *e)
{
	struct agent_head head;
	taddr shared = e->memory.there;

	memcpy(&head, agent_blob, sizeof head);
	head.shared = shared;
	if (address_space_write(e->space, e->agent, agent_blob, agent_blob_size) !=
		    (ssize_t)agent_blob_size ||
	    address_space_write(e->space, e->agent, &head, sizeof head) != (ssize_t)sizeof head)
		return -EIO;
	return 0;
}

static int begin_agent(struct engine *e)
{
	struct agent_shared *s = engine_agent(e);
	const struct fast_settings *settings = &e->shared->settings;

	s->flags = (settings->arguments ? AGENT_WANT_ARGUMENTS : 0) |
		   (settings->stack_pointers ? AGENT_WANT_SP : 0) |
		   (settings->check_unwinding ? AGENT_WANT_STACKS : 0);
	s->agent_lo = e->agent;
	s->agent_hi = e->agent + e->agent_size;
	s->step_ticks = 20000; /* some microseconds on any machine of today */
	s->epoch = 1;
	e->rows = (struct placed_rows){ .here = e->tables.here, .there = e->tables.there,
				   .size = e->tables.size };
	struct journal_entry waits = {
		.kind = JOURNAL_WAITS, .pid = e->space->pid, .size = sizeof s->waiting,
		.at = e->memory.there + offsetof(struct agent_shared, waiting),
	};
	e->waits_entry = journal_add(e->shared->settings.journal, &waits);
	return owner_hold(&s->owner);
}

/* ---- in and out ---- */

int memory_open(struct engine *e, struct task *task, struct error *why)
{
	enum fast_step step = FAST_SECCOMP;
	struct call c;
	int err = begin_calls(&c, e, task);

	e->memory.size = pages(sizeof(struct agent_shared));
	e->tables.size = TABLES_BYTES;
	e->agent_size = pages(agent_blob_size);
	if (!err) {
		step = FAST_VDSO;
		e->syscall_insn = tracer_syscall_insn(e->space, task->tid);
		err = e->syscall_insn ? 0 : -ENOSYS;
	}
	if (!err) {
		step = FAST_SHARED;
		err = reserve(e, &c);
	}
	if (!err) {
		step = FAST_AGENT;
		err = map(&c, e->agent, e->agent_size, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0, &e->agent);
	}
	if (!err)
		err = share(e, &c, &step);
	if (!err)
		err = write_agent(e);
	if (!err)
		err = begin_agent(e);
	if (!err)
		return 0;
	memory_close(e, task);
	return fast_refuse(why, step, err, e->memory.size + e->tables.size);
}

int memory_close(struct engine *e, struct task *task)
{
	struct call c;
	int err = begin_calls(&c, e, task);

	if (err)
		return err;
	err = unmap(&c, e->near.at, e->near.size + PAGE);
	if (err)
		return err;
	e->near.at = e->near.active = 0;
	err = unmap(&c, e->agent, e->agent_size + e->memory.size + e->tables.size);
	if (err)
		return err;
	memory_leave_journal(e);
	e->memory.there = e->tables.there = e->agent = 0;
	return 0;
}

void memory_leave_journal(struct engine *e)
{
	struct journal *g = e->shared->settings.journal;

	journal_remove(g, e->waits_entry);
	journal_remove(g, e->near_entry);
	journal_remove(g, e->room_entry);
	e->room_entry = e->near_entry = e->waits_entry = JOURNAL_NONE;
}

void memory_leave_copy(const struct engine *e, struct task *child)
{
	struct call c;

	/* Where a filter forbids it the pages stay, and are passed through by nobody. */
	if (begin_calls(&c, e, child))
		return;
	unmap(&c, e->near.at, e->near.size + PAGE);
	unmap(&c, e->agent, e->agent_size);
}

void memory_release(struct engine *e)
{
	if (!e->memory.here)
		return;
	owner_release(&engine_agent(e)->owner);
	munmap(e->memory.here - PAGE, PAGE + e->memory.size + e->tables.size);
	e->memory.here = e->tables.here = NULL;
	placed_rows_release(&e->rows);
}

/* ---- near the program's code ---- */

struct ranges {
	struct room_range *v;
	size_t n, cap;
};

static int add_range(const struct proc_map *m, void *ctx)
{
	struct ranges *r = ctx;
	struct room_range *last = r->n ? &r->v[r->n - 1] : NULL;

	if (last && last->end == m->start && !last->heap && strcmp(m->path, "[heap]") != 0 &&
	    strcmp(m->path, "[stack]") != 0) {
		last->end = m->end;
		return 0;
	}
	if (ARRAY_RESERVE(&r->v, &r->cap, r->n))
		return -ENOMEM;
	r->v[r->n++] = (struct room_range){ .start = m->start, .end = m->end,
					    .heap = !strcmp(m->path, "[heap]"),
					    .stack = !strcmp(m->path, "[stack]") };
	return 0;
}

static int find_room(const struct engine *e, taddr function, size_t size, taddr *at)
{
	struct room_wish wish = { .near_start = function, .near_end = function + PAGE,
				  .reach = ARCH_PATCH_REACH, .size = size };
	struct ranges r = { 0 };
	struct rlimit stack;

	if (!prlimit(tasks_tid(e), RLIMIT_STACK, NULL, &stack) && stack.rlim_cur != RLIM_INFINITY)
		wish.stack_limit = stack.rlim_cur;
	int err = proc_maps_each(tasks_tid(e), add_range, &r);
	*at = err ? 0 : room_find(r.v, r.n, &wish);
	free(r.v);
	return err ? err : *at ? 0 : -ENOMEM;
}

/* One neighbourhood: what does not reach it is left to others. */
int memory_near(struct engine *e, taddr function, size_t size)
{
	struct near_area *n = &e->near;
	taddr at, got;

	if (n->at) {
		taddr far = function > n->at ? function - n->at : n->at + n->size + PAGE - function;

		return far > ARCH_PATCH_REACH || n->used + size > n->size ? -ENOSPC : 0;
	}
	struct call c;
	struct task *later, *caller = tasks_caller(e, &later);
	int err = caller ? begin_calls(&c, e, caller) : -EAGAIN;
	if (!err)
		err = find_room(e, function, NEAR_BYTES + PAGE, &at);
	if (err)
		return err;
	struct journal_entry room = { .kind = JOURNAL_MEMORY, .pid = e->space->pid, .at = at,
				      .size = NEAR_BYTES + PAGE };
	e->near_entry = journal_add(e->shared->settings.journal, &room);
	err = map(&c, at, NEAR_BYTES, PROT_READ | PROT_EXEC,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0, &got);
	if (err || got != at)
		return err ? err : -EEXIST;
	err = map(&c, at + NEAR_BYTES, PAGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0, &got);
	if (!err)
		err = advise(&c, at + NEAR_BYTES, PAGE, MADV_WIPEONFORK);
	if (err) {
		/* Of a part that is not there nothing is unmapped: it was free before. */
		unmap(&c, at, NEAR_BYTES + PAGE);
		return err;
	}
	*n = (struct near_area){ .at = at, .size = NEAR_BYTES, .active = at + NEAR_BYTES };
	struct agent_shared *s = engine_agent(e);
	s->pads[0] = (struct agent_pads){ n->at, n->at + n->size, n->active };
	__atomic_store_n(&s->n_pads, 1, __ATOMIC_RELEASE);
	return 0;
}
