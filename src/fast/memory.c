/* SPDX-License-Identifier: BSD-2-Clause */
/* What is mapped into the program, by system calls that a stopped task of it is made to run. */
#include "fast/engine_internal.h"

#include "fast/blob.h"
#include "fast/calls.h"
#include "fast/mapped.h"
#include "fast/memfile.h"
#include "fast/owner.h"
#include "fast/refusal.h"

#include <errno.h>
#include <linux/memfd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TABLES_BYTES ((size_t)64 << 20)	/* sparse: what is not written takes no memory */
#define BEHIND_FLAG 64u			/* the rest of the flag's page is unused */

static size_t pages(size_t bytes)
{
	return (bytes + FAST_PAGE - 1) & ~(size_t)(FAST_PAGE - 1);
}

size_t memory_size(const struct engine *e)
{
	return e->agent_size + e->memory.size + TABLES_BYTES;
}

/* Reserve addresses far from where the program maps; or, if there are none, where the kernel
 * chooses. */
static int map_room(const struct engine *e, struct program_calls *c, struct journal_entry *room)
{
	struct mapped all;
	taddr far = 0;

	if (!mapped_read(e, &all)) {
		far = room_far(all.v, all.n, room->size, all.stack_limit);
		free(all.v);
	}
	if (far && !calls_map_at(c, far, room->size, PROT_NONE, MAP_NORESERVE)) {
		room->at = far;
		return 0;
	}
	return calls_map(c, 0, room->size, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0, &room->at);
}

/* Reserve addresses for everything but the areas near code, in one piece. */
static int reserve(struct engine *e, struct program_calls *c)
{
	struct journal_entry room = { .kind = JOURNAL_MEMORY, .pid = e->space->pid,
				      .size = memory_size(e) };
	int err = map_room(e, c, &room);

	if (err)
		return err;
	e->room_entry = journal_add(e->shared->settings.journal, &room);
	e->agent = room.at;
	e->memory.there = e->agent + e->agent_size;
	e->tables->memory.there = e->memory.there + e->memory.size;
	return 0;
}

static int reserve_tables(struct engine *e)
{
	e->tables = calloc(1, sizeof *e->tables);
	if (!e->tables)
		return -ENOMEM;
	e->tables->users = 1;
	e->tables->memory.size = TABLES_BYTES;
	return 0;
}

/* ---- the shared memory ---- */

/* A memfd of the program's that we map, too. Its descriptor is open in the program only until it is
 * mapped. */
struct shared_file {
	long there;
	int here;
};

/* Its name is in the journal before it exists. */
static int open_file(struct shared_file *f, const struct engine *e, struct program_calls *c,
		     size_t size, enum fast_step *step)
{
	/* The name has to be in the program's memory: write it where nothing is yet. */
	const taddr name = e->n_near ? e->near[0].active + BEHIND_FLAG : e->agent;

	f->here = -1;
	f->there = -1;
	if (address_space_write(e->space, name, journal_file_name, sizeof journal_file_name) !=
	    (ssize_t)sizeof journal_file_name)
		return -EIO;
	f->there = calls_run(c, SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0, 0,
			     0);
	if (f->there < 0)
		return (int)f->there;
	*step = FAST_HERE;
	f->here = memfile_open(c->task->tid, (int)f->there, size);
	return f->here < 0 ? f->here : 0;
}

static void close_file(const struct shared_file *f, struct program_calls *c)
{
	if (f->here >= 0)
		close(f->here);
	if (f->there >= 0)
		calls_run(c, SYS_close, (uint64_t)f->there, 0, 0, 0, 0, 0);
}

/* Our mapping has a private page before it, which the program does not share: see owner.h. */
static int map_here(struct shared_memory *m, int fd, off_t offset)
{
	uint8_t *all = mmap(NULL, FAST_PAGE + m->size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		return -errno;
	if (mmap(all + FAST_PAGE, m->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		 offset) == MAP_FAILED) {
		int err = -errno;

		munmap(all, FAST_PAGE + m->size);
		return err;
	}
	m->here = all + FAST_PAGE;
	return 0;
}

static void unmap_here(struct shared_memory *m)
{
	if (m->here)
		munmap(m->here - FAST_PAGE, FAST_PAGE + m->size);
	m->here = NULL;
}

/* Map the shared memory. A forked copy of the program does not inherit it, unlike the tables. */
static int map_memory(struct engine *e, struct program_calls *c, const struct shared_file *f,
		      enum fast_step *step)
{
	struct shared_memory *m = &e->memory;
	int err = map_here(m, f->here, 0);

	if (err)
		return err;
	*step = FAST_SHARED;
	err = calls_map(c, m->there, m->size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_NORESERVE | MAP_FIXED, (int)f->there, 0, &m->there);
	return err ? err : calls_advise(c, m->there, m->size, MADV_DONTFORK);
}

static int map_tables(struct engine_tables *t, struct program_calls *c,
		      const struct shared_file *f, size_t offset)
{
	struct shared_memory *m = &t->memory;
	int err = map_here(m, f->here, (off_t)offset);

	if (!err)
		err = calls_map(c, m->there, m->size, PROT_READ,
				MAP_SHARED | MAP_NORESERVE | MAP_FIXED, (int)f->there, offset,
				&m->there);
	t->rows = (struct placed_rows){ .here = m->here, .there = m->there, .size = m->size };
	return err;
}

/* @with_tables: map the tables, too; otherwise they are mapped already. */
static int share(struct engine *e, struct program_calls *c, bool with_tables,
		 enum fast_step *step)
{
	struct journal *g = e->shared->settings.journal;
	const struct journal_entry file = { .kind = JOURNAL_FILE, .pid = e->space->pid };
	const size_t tables = with_tables ? e->tables->memory.size : 0;
	struct shared_file f;

	*step = FAST_FILE;
	uint32_t entry = journal_add(g, &file);
	int err = open_file(&f, e, c, e->memory.size + tables, step);
	if (!err)
		err = map_memory(e, c, &f, step);
	if (!err && with_tables)
		err = map_tables(e->tables, c, &f, e->memory.size);
	close_file(&f, c);
	journal_remove(g, entry);
	return err;
}

/* ---- tables ---- */

static void leave_tables(struct engine_tables *t)
{
	if (!t || --t->users)
		return;
	unmap_here(&t->memory);
	placed_rows_release(&t->rows);
	free(t);
}

static int map_new_tables(const struct engine *e, struct program_calls *c,
			  struct engine_tables *t)
{
	struct journal *g = e->shared->settings.journal;
	const struct journal_entry file = { .kind = JOURNAL_FILE, .pid = e->space->pid };
	enum fast_step step;
	struct shared_file f;
	uint32_t entry = journal_add(g, &file);
	int err = open_file(&f, e, c, t->memory.size, &step);

	if (!err)
		err = map_tables(t, c, &f, 0);
	close_file(&f, c);
	journal_remove(g, entry);
	return err;
}

int memory_own_tables(struct engine *e)
{
	struct engine_tables *t;
	struct program_calls c;
	struct task *caller = tasks_caller(e);
	int err = caller ? calls_begin(&c, e->tracer, caller, e->syscall_insn) : -EAGAIN;

	if (err || e->tables->users == 1)
		return e->tables->users == 1 ? 0 : err;
	t = calloc(1, sizeof *t);
	if (!t)
		return -ENOMEM;
	t->users = 1;
	t->memory = (struct shared_memory){ .there = e->tables->memory.there,
					    .size = e->tables->memory.size };
	err = map_new_tables(e, &c, t);
	if (err) {
		leave_tables(t);
		return err;
	}
	leave_tables(e->tables);
	e->tables = t;
	return 0;
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

static int begin_agent(struct engine *e, enum fast_step *step)
{
	struct agent_shared *s = engine_agent(e);
	const struct fast_settings *settings = &e->shared->settings;

	s->flags = (settings->arguments ? AGENT_WANT_ARGUMENTS : 0) |
		   (settings->stack_pointers ? AGENT_WANT_SP : 0) |
		   (settings->check_unwinding ? AGENT_WANT_STACKS : 0);
	s->agent_lo = e->agent;
	s->agent_hi = e->agent + e->agent_size;
	s->step_ticks = 20000; /* some microseconds on today's machines */
	s->epoch = 1;
	struct journal_entry waits = {
		.kind = JOURNAL_WAITS, .pid = e->space->pid, .size = sizeof s->waiting,
		.at = e->memory.there + offsetof(struct agent_shared, waiting),
	};
	e->waits_entry = journal_add(e->shared->settings.journal, &waits);
	*step = FAST_OWNER;
	return owner_hold(&s->owner);
}

/* ---- mapping and unmapping ---- */

int memory_open(struct engine *e, struct task *task, struct error *why)
{
	enum fast_step step = FAST_SECCOMP;
	struct program_calls c;
	int err = calls_begin(&c, e->tracer, task, e->syscall_insn);

	e->memory.size = pages(sizeof(struct agent_shared));
	e->agent_size = pages(agent_blob_size);
	if (!err)
		err = reserve_tables(e);
	if (!err) {
		step = FAST_VDSO;
		err = tracer_syscall_insn(e->space, task->tid, &e->syscall_insn);
		c.insn = e->syscall_insn;
	}
	if (!err) {
		step = FAST_SHARED;
		err = reserve(e, &c);
	}
	if (!err) {
		step = FAST_AGENT;
		err = calls_map(&c, e->agent, e->agent_size, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0, &e->agent);
	}
	if (!err)
		err = share(e, &c, true, &step);
	if (!err)
		err = write_agent(e);
	if (!err)
		err = begin_agent(e, &step);
	if (!err)
		return 0;
	memory_close(e, task);
	return fast_refuse(why, step, err, e->memory.size + TABLES_BYTES);
}

/* ---- a forked copy of the program's memory ---- */

static void journal_copy(struct engine *e)
{
	struct journal *g = e->shared->settings.journal;
	const struct journal_entry room = {
		.kind = JOURNAL_MEMORY, .pid = e->space->pid, .at = e->agent,
		.size = memory_size(e),
	};

	e->room_entry = journal_add(g, &room);
	near_enter_journal(e);
}

int memory_open_copy(struct engine *e, struct task *child, struct error *why)
{
	enum fast_step step = FAST_SECCOMP;
	struct program_calls c;
	int err = calls_begin(&c, e->tracer, child, e->syscall_insn);

	if (!err) {
		journal_copy(e);
		err = calls_together(&c);
	}
	if (!err) {
		err = share(e, &c, false, &step);
		int apart = calls_apart(&c);
		err = err ? err : apart;
	}
	if (!err && !e->n_near)
		err = write_agent(e); /* the file's name was written over it */
	if (!err)
		err = begin_agent(e, &step);
	if (err) {
		memory_leave_journal(e);
		return fast_refuse(why, step, err, e->memory.size);
	}
	near_tell(e);
	return 0;
}

int memory_close(struct engine *e, struct task *task)
{
	struct program_calls c;
	int err = calls_begin(&c, e->tracer, task, e->syscall_insn);

	if (err)
		return err;
	err = near_unmap(e, &c);
	if (err)
		return err;
	near_leave_journal(e);
	e->n_near = 0;
	err = calls_unmap(&c, e->agent, memory_size(e));
	if (err)
		return err;
	memory_leave_journal(e);
	e->memory.there = e->agent = 0;
	return 0;
}

void memory_leave_journal(struct engine *e)
{
	struct journal *g = e->shared->settings.journal;

	journal_remove(g, e->waits_entry);
	near_leave_journal(e);
	journal_remove(g, e->room_entry);
	e->room_entry = e->waits_entry = JOURNAL_NONE;
}

void memory_leave_copy(const struct engine *e, struct task *child)
{
	struct program_calls c;

	/* If a filter forbids it the pages stay, but no task enters them. */
	if (calls_begin(&c, e->tracer, child, e->syscall_insn))
		return;
	near_unmap(e, &c);
	calls_unmap(&c, e->agent, memory_size(e));
}

/* Write the pages of it that are in use; the others are zero there, too. */
static void write_pages(const struct shared_memory *m, const struct address_space *copy)
{
	enum { PAGES = 4096 };
	unsigned char present[PAGES];

	for (size_t at = 0; at < m->size; at += (size_t)PAGES * FAST_PAGE) {
		size_t n = (m->size - at) / FAST_PAGE < PAGES ? (m->size - at) / FAST_PAGE : PAGES;

		if (mincore(m->here + at, n * FAST_PAGE, present))
			return;
		for (size_t i = 0; i < n; i++)
			if (present[i] & 1)
				address_space_write(copy, m->there + at + i * FAST_PAGE,
						    m->here + at + i * FAST_PAGE, FAST_PAGE);
	}
}

void memory_end_agent_in_copy(const struct engine *e, struct task *child)
{
	const uint32_t passive = 1;
	struct program_calls c;
	taddr at;

	/* If a filter forbids it the task dies anyway, of a fault in the agent or of the call. */
	if (calls_begin(&c, e->tracer, child, e->syscall_insn) ||
	    calls_map(&c, e->memory.there, e->memory.size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0, &at))
		return;
	write_pages(&e->memory, child->space);
	address_space_write(child->space, at + offsetof(struct agent_shared, passive), &passive,
			    sizeof passive);
}

void memory_release(struct engine *e)
{
	if (e->memory.here)
		owner_release(&engine_agent(e)->owner);
	unmap_here(&e->memory);
	leave_tables(e->tables);
	e->tables = NULL;
}
