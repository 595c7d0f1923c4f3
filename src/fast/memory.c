/* SPDX-License-Identifier: BSD-2-Clause */
/* What is mapped into the program: by system calls that one of its stopped tasks is made to run. */
#include "fast/engine_internal.h"

#include "base/array.h"
#include "fast/blob.h"
#include "fast/owner.h"
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
};

static long run(const struct call *c, long nr, uint64_t a, uint64_t b, uint64_t d, uint64_t f,
		uint64_t g, uint64_t h)
{
	const uint64_t arg[6] = { a, b, d, f, g, h };
	int64_t result;
	int err = tracer_call(c->e->tracer, c->task, c->e->syscall_insn, nr, arg, &result);

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

static void unmap(const struct call *c, taddr at, size_t size)
{
	if (at)
		run(c, SYS_munmap, at, size, 0, 0, 0, 0);
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

static int share(struct engine *e, const struct call *c)
{
	static const char name[] = "mprof";

	/* The name has to be in the program's memory: where the agent will be. */
	if (address_space_write(e->space, e->agent, name, sizeof name) != (ssize_t)sizeof name)
		return -EIO;
	long fd = run(c, SYS_memfd_create, e->agent, MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0, 0, 0);
	if (fd < 0)
		return (int)fd;
	int err = open_here(e, c->task->tid, fd);
	if (!err)
		err = map_there(e, c, fd);
	run(c, SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
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
	struct journal_entry waits = {
		.kind = JOURNAL_WAITS, .pid = e->space->pid, .size = sizeof s->waiting,
		.at = e->memory.there + offsetof(struct agent_shared, waiting),
	};
	e->waits_entry = journal_add(e->shared->settings.journal, &waits);
	return owner_hold(&s->owner);
}

/* ---- in and out ---- */

static const char *what_forbids(pid_t tid)
{
	struct proc_status s = proc_status(tid);

	return s.seccomp ? "its seccomp filter may forbid the system calls that it takes" : NULL;
}

int memory_open(struct engine *e, struct task *task, struct error *why)
{
	const struct call c = { e, task };
	const char *forbids = what_forbids(task->tid);

	if (forbids)
		return error_set(why, -EPERM, "%s", forbids);
	e->syscall_insn = tracer_syscall_insn(e->space, task->tid);
	if (!e->syscall_insn)
		return error_set(why, -ENOSYS, "it has no vdso");
	e->memory.size = pages(sizeof(struct agent_shared));
	e->tables.size = TABLES_BYTES;
	e->agent_size = pages(agent_blob_size);
	int err = reserve(e, &c);
	if (!err)
		err = map(&c, e->agent, e->agent_size, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0, &e->agent);
	if (!err)
		err = share(e, &c);
	if (!err)
		err = write_agent(e);
	if (!err)
		err = begin_agent(e);
	if (!err)
		return 0;
	memory_close(e, task);
	return error_set(why, err, "memory cannot be mapped into it: %s", strerror(-err));
}

void memory_close(struct engine *e, struct task *task)
{
	const struct call c = { e, task };

	unmap(&c, e->near.at, e->near.size + PAGE);
	unmap(&c, e->agent, e->agent_size + e->memory.size + e->tables.size);
	memory_leave_journal(e);
	e->near.at = e->near.active = e->memory.there = e->tables.there = e->agent = 0;
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
	const struct call c = { e, child };

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

	if (!prlimit(e->space->pid, RLIMIT_STACK, NULL, &stack) && stack.rlim_cur != RLIM_INFINITY)
		wish.stack_limit = stack.rlim_cur;
	int err = proc_maps_each(e->space->pid, add_range, &r);
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
	struct task *later, *caller = tasks_find_caller(e, &later);
	const struct call c = { e, caller };
	if (!caller)
		return -EAGAIN;
	int err = find_room(e, function, NEAR_BYTES + PAGE, &at);
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
	if (err)
		return err;
	*n = (struct near_area){ .at = at, .size = NEAR_BYTES, .active = at + NEAR_BYTES };
	struct agent_shared *s = engine_agent(e);
	s->pads[0] = (struct agent_pads){ n->at, n->at + n->size, n->active };
	__atomic_store_n(&s->n_pads, 1, __ATOMIC_RELEASE);
	e->events.pads_lo = n->at;
	e->events.pads_hi = n->at + n->size;
	return 0;
}

/* ---- what the agent has to know ---- */

struct writable {
	struct agent_range v[AGENT_RANGES];
	uint32_t n;
};

static int add_writable(const struct proc_map *m, void *ctx)
{
	struct writable *w = ctx;

	if (!m->readable || !m->writable)
		return 0;
	if (w->n && w->v[w->n - 1].hi == m->start)
		w->v[w->n - 1].hi = m->end;
	else if (w->n < AGENT_RANGES)
		w->v[w->n++] = (struct agent_range){ m->start, m->end };
	return 0;
}

int memory_tell_ranges(struct engine *e)
{
	struct agent_shared *s = engine_agent(e);
	struct writable w;

	w.n = 0;
	int err = proc_maps_each(e->space->pid, add_writable, &w);
	uint32_t turn = __atomic_load_n(&s->ranges_turn, __ATOMIC_RELAXED) & ~1u;
	__atomic_store_n(&s->ranges_turn, turn + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	memcpy(s->ranges, w.v, w.n * sizeof *w.v);
	__atomic_store_n(&s->n_ranges, w.n, __ATOMIC_RELAXED);
	__atomic_store_n(&s->ranges_turn, turn + 2, __ATOMIC_RELEASE);
	return err < 0 ? err : 0;
}

static size_t add_piece(struct table_piece *out, const struct cfi_rows *rows,
			const struct mapping *m)
{
	taddr lo = m->bias + rows->start, hi = m->bias + rows->end;

	if (!rows->n || lo >= m->end || hi <= m->start)
		return 0;
	*out = (struct table_piece){ .lo = lo, .hi = hi, .rows = rows->v, .n_rows = rows->n,
				     .index = rows->index, .n_index = rows->n_blocks + 1,
				     .shift = rows->shift };
	return 1;
}

int memory_tell_tables(struct engine *e, const struct mappings *maps)
{
	struct table_piece *pieces = reallocarray(NULL, maps->n + 1, sizeof *pieces);
	struct agent_shared *s = engine_agent(e);
	size_t n = 0;

	if (!pieces)
		return -ENOMEM;
	for (size_t i = 0; i < maps->n; i++) {
		const struct cfi_rows *rows = table_file(&e->shared->tables,
							 e->host->files(e->host->ctx),
							 maps->maps[i].file);

		/* Several mappings of one file's code have one table. */
		if (rows && (!n || pieces[n - 1].hi <= maps->maps[i].bias + rows->start))
			n += add_piece(&pieces[n], rows, &maps->maps[i]);
	}
	size_t size = tables_size(pieces, n);
	int err = e->tables_used + size > e->tables.size ? -ENOSPC : 0;
	if (!err) {
		tables_write(pieces, n, e->tables.there + e->tables_used,
			     e->tables.here + e->tables_used);
		__atomic_store_n(&s->modules, e->tables.there + e->tables_used, __ATOMIC_RELEASE);
		e->tables_used += (size + 63) & ~(size_t)63;
	}
	free(pieces);
	return err;
}
