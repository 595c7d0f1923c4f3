/* SPDX-License-Identifier: BSD-2-Clause */
#include "still/copy.h"

#include "attach/journal.h"
#include "base/clock.h"
#include "base/text.h"
#include "proc/file.h"
#include "proc/pagemap.h"
#include "proc/status.h"
#include "proc/tasks.h"
#include "still/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Without PAGEMAP_SCAN, larger areas would take longer to read from pagemap than all copying: 128
 * MiB of words for one of this size. Such areas are shadows and reservations, not glibc's. */
#define AREA_MAX (UINT64_C(64) << 30)

/* ---- files ---- */

/* The process's leader, or if that has ended another thread, which still has the memory. */
static pid_t living_task(pid_t pid)
{
	struct proc_status now = proc_status(pid);
	struct proc_tasks tasks;
	pid_t tid = 0;

	if (proc_status_lives(&now) || proc_tasks_open(&tasks, pid))
		return pid;
	while ((tid = proc_tasks_next(&tasks))) {
		now = proc_status(tid);
		if (proc_status_lives(&now))
			break;
	}
	proc_tasks_close(&tasks);
	return tid ? tid : pid;
}

int still_files_open(struct still_files *f, pid_t pid)
{
	pid_t task = living_task(pid);

	*f = (struct still_files){.pid = task,
				  .mem = proc_open(task, "mem", O_RDONLY),
				  .pagemap = proc_open(task, "pagemap", O_RDONLY)};
	int err = f->mem < 0 ? f->mem : f->pagemap < 0 ? f->pagemap : 0;

	if (err)
		still_files_close(f);
	return err;
}

void still_files_close(struct still_files *f)
{
	if (f->mem >= 0)
		close(f->mem);
	if (f->pagemap >= 0)
		close(f->pagemap);
	f->mem = f->pagemap = -1;
}

/* ---- room ---- */

int still_room_make(struct still_room *room, uint64_t size)
{
	enum { HUGE_PAGE = 2 << 20, FEW = 8 << 20 };
	room->used = room->copied = 0;
	if (room->at && room->size >= size)
		return 0;
	still_room_release(room);
	void *at = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return -ENOMEM;
	*room = (struct still_room){.at = at, .size = size + HUGE_PAGE};
	madvise(at, room->size, MADV_DONTFORK);
	if (size > FEW)
		madvise(at, room->size, MADV_HUGEPAGE);
	/* Touch all pages: copying to pages that are not there yet takes ten times as long. */
	for (uint64_t i = 0; i < size; i += STILL_PAGE)
		((volatile uint8_t *)at)[i] = 0;
	return 0;
}

void still_room_release(struct still_room *room)
{
	if (room->at)
		munmap(room->at, room->size);
	*room = (struct still_room){0};
}

/* ---- what is to be copied ---- */

static int add_map(const struct proc_map *m, void *ctx)
{
	return still_add_map(ctx, m);
}

int still_read_areas(struct still *s, const struct still_files *f)
{
	return proc_maps_each(f->pid, add_map, s);
}

/* Reading a device may have any effect. Mounting hugetlbfs there, also with other page sizes
 * ("/dev/hugepages-1G"), is a custom of systemd and DPDK. */
static bool is_device(const struct still_area *a)
{
	return text_begins(a->name, "/dev/") && !text_begins(a->name, "/dev/shm/") &&
	       !text_begins(a->name, "/dev/hugepages") && !text_begins(a->name, "/dev/zero");
}

/* The memfd of an engine of ours contains words of the program's, which would make lost blocks look
 * reachable. */
static bool is_ours(const struct still_area *a)
{
	const char *name = text_after(a->name, "/memfd:");

	name = name ? text_after(name, journal_file_name) : NULL;
	return name && (!*name || !strcmp(name, " (deleted)"));
}

/* Of [heap] also pages that the program has write-protected: a page has more than one block. */
static bool is_copied(const struct still_area *a)
{
	return a->readable && (a->writable || a->kind == STILL_HEAP) && a->kind != STILL_KERNEL &&
	       !is_device(a) && !is_ours(a);
}

/* Memory that a loader or a program may have filled and then made read-only. */
static bool is_sealed(const struct still_area *a)
{
	return a->readable && !a->writable && !a->executable &&
	       (a->kind == STILL_FILE || a->kind == STILL_ANON) && !is_device(a);
}

/* May it have pages that the program has written to and then protected? */
static bool is_guarded(const struct still_area *a)
{
	return !a->writable && (a->kind == STILL_HEAP || a->kind == STILL_ANON);
}

struct sealed_pages {
	page_range_fn *fn;
	void *ctx;
};

static int if_written(const struct page_range *r, void *ctx)
{
	const struct sealed_pages *p = ctx;

	return r->file ? 0 : p->fn(r, p->ctx);
}

static bool is_too_large(const struct still_area *a, bool scans)
{
	return !scans && a->end - a->start > AREA_MAX;
}

static bool is_of(const struct still *s, const struct still_area *a, enum still_part part)
{
	return part == STILL_ALL || still_has_stack(s, a) == (part == STILL_STACKS);
}

/* As still_each_page(), for one part. */
static int each_page(const struct still *s, const struct still_files *f, enum still_part part,
		     bool *zeros, uint64_t *left_out, page_range_fn *fn, void *ctx)
{
	bool scans = pagemap_scans(f->pagemap);
	struct sealed_pages sealed = {fn, ctx};
	int err = 0;

	for (size_t i = 0; !err && i < s->n_areas; i++) {
		const struct still_area *a = &s->areas[i];

		bool is_written = is_copied(a) || (f->guarded && is_guarded(a));

		if ((!is_written && !(f->sealed && is_sealed(a))) || !is_of(s, a, part))
			continue;
		if (is_too_large(a, scans))
			*left_out += a->end - a->start;
		else
			err = pagemap_each(f->pagemap, a->start, a->end, zeros,
					   is_written ? fn : if_written,
					   is_written ? ctx : &sealed);
	}
	return err;
}

int still_each_page(const struct still *s, const struct still_files *f, bool *zeros,
		    uint64_t *left_out, page_range_fn *fn, void *ctx)
{
	return each_page(s, f, STILL_ALL, zeros, left_out, fn, ctx);
}

static int count_bytes(const struct page_range *r, void *ctx)
{
	*(uint64_t *)ctx += r->zero ? 0 : r->end - r->start;
	return 0;
}

int still_measure(const struct still *s, const struct still_files *f, uint64_t *bytes)
{
	uint64_t left_out = 0;

	*bytes = 0;
	return still_each_page(s, f, NULL, &left_out, count_bytes, bytes);
}

/* ---- copying ---- */

struct copying {
	struct pieces pieces;
	struct still_room *room;
	uint64_t until_ns;
};

static int add_range(const struct page_range *r, void *ctx)
{
	struct copying *c = ctx;
	uint64_t size = r->end - r->start;

	if (clock_now_ns() > c->until_ns)
		return -ETIME;
	if (r->zero)
		return 0;
	if (size > c->room->size - c->room->used)
		return -ENOSPC;
	int err = pieces_add(&c->pieces, r->start, size, c->room->at + c->room->used);

	c->room->used += size;
	return err;
}

static int take_piece(struct still *s, const struct piece *p, struct pieces *rest)
{
	uint64_t got = p->got / STILL_PAGE * STILL_PAGE;
	int err = got ? still_add_run(s, p->at, got, p->to) : 0;

	if (got < p->size)
		s->unread += STILL_PAGE;
	return err ? err : pieces_add_rest(rest, p, STILL_PAGE);
}

/* Copy the pieces and forget them; @rest: what still has to be copied. */
static int copy_pieces(struct still *s, const struct still_files *f, unsigned threads,
		       struct copying *c, struct pieces *rest)
{
	int err = pieces_copy(&c->pieces, f->pid, f->mem, threads, c->until_ns);

	for (size_t i = 0; i < c->pieces.n; i++)
		c->room->copied += c->pieces.v[i].got;
	for (size_t i = 0; !err && i < c->pieces.n; i++)
		err = take_piece(s, &c->pieces.v[i], rest);
	pieces_release(&c->pieces);
	return err;
}

int still_copy(struct still *s, const struct still_files *f, struct still_room *room,
	       enum still_part part, uint64_t until_ns)
{
	struct copying c = {.room = room, .until_ns = until_ns};
	int err = each_page(s, f, part, NULL, &s->left_out, add_range, &c);
	/* A program that runs meanwhile needs the processors itself. */
	unsigned threads = part == STILL_NOT_STACKS ? 1 : pieces_threads();
	bool in_order = part != STILL_NOT_STACKS;

	while (!err && c.pieces.n) {
		struct pieces rest = {0};

		err = copy_pieces(s, f, threads, &c, &rest);
		c.pieces = rest;
		in_order = in_order && !rest.n;
	}
	pieces_release(&c.pieces);
	if (!in_order)
		still_sort_runs(s);
	return err;
}
