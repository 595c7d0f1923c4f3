/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void table_files_release(struct table_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		cfirows_release(&f->of[i]);
	free(f->of);
	free(f->read);
	*f = (struct table_files){ 0 };
}

static bool reserve(struct table_files *f, size_t n)
{
	if (n <= f->n)
		return true;
	struct cfi_rows *of = reallocarray(f->of, n, sizeof *of);
	if (of)
		f->of = of;
	bool *read = reallocarray(f->read, n, sizeof *read);
	if (read)
		f->read = read;
	if (!of || !read)
		return false;
	memset(of + f->n, 0, (n - f->n) * sizeof *of);
	memset(read + f->n, 0, (n - f->n) * sizeof *read);
	f->n = n;
	return true;
}

const struct cfi_rows *table_file(struct table_files *f, const struct module_files *files,
				  uint32_t number)
{
	struct objfile o;

	if (!reserve(f, files->n))
		return NULL;
	if (f->read[number])
		return &f->of[number];
	f->read[number] = true;
	int fd = files->files[number].fd;
	if (fd < 0 || objfile_open_quick(&o, fcntl(fd, F_DUPFD_CLOEXEC, 0)))
		return &f->of[number];
	int err = cfirows_read(&f->of[number], &o);
	objfile_close(&o);
	if (!err)
		return &f->of[number];
	cfirows_release(&f->of[number]);
	f->read[number] = false;
	return NULL;
}

/* ---- in the program's memory ---- */

#define ALIGNMENT 8u

void placed_rows_release(struct placed_rows *t)
{
	free(t->of);
	*t = (struct placed_rows){ 0 };
}

void shared_empty(void *at, size_t size)
{
	if (madvise(at, size, MADV_REMOVE))
		memset(at, 0, size);
}

void placed_rows_clear(struct placed_rows *t)
{
	if (t->n_of)
		memset(t->of, 0, t->n_of * sizeof *t->of);
	shared_empty(t->here, t->used);
	t->used = 0;
	t->full = false;
}

/* Room for @bytes, zeroed; *at: its address in the program. NULL: there is none. */
static uint8_t *take_room(struct placed_rows *t, size_t bytes, taddr *at)
{
	size_t whole = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	uint8_t *room = t->here + t->used;

	if (whole > t->size - t->used) {
		t->full = true;
		return NULL;
	}
	*at = t->there + t->used;
	t->used += whole;
	return room;
}

int placed_rows_put(struct placed_rows *t, const struct cfi_rows *rows, struct agent_module *m)
{
	size_t n_rows = rows->n * sizeof *rows->v;
	size_t n_index = (rows->n_blocks + 1) * sizeof *rows->index;
	size_t used = t->used;
	uint8_t *to = take_room(t, n_rows, &m->rows);
	uint8_t *index = to ? take_room(t, n_index, &m->index) : NULL;

	if (!index) {
		t->used = used;
		return -ENOSPC;
	}
	memcpy(to, rows->v, n_rows);
	memcpy(index, rows->index, n_index);
	m->shift = rows->shift;
	return 0;
}

static int reserve_places(struct placed_rows *t, size_t n)
{
	if (n <= t->n_of)
		return 0;
	struct agent_module *of = reallocarray(t->of, n, sizeof *of);
	if (!of)
		return -ENOMEM;
	memset(of + t->n_of, 0, (n - t->n_of) * sizeof *of);
	t->of = of;
	t->n_of = n;
	return 0;
}

int placed_rows_put_file(struct placed_rows *t, uint32_t number, const struct cfi_rows *rows,
		    struct agent_module *m)
{
	int err = reserve_places(t, (size_t)number + 1);

	if (!err && !t->of[number].rows)
		err = placed_rows_put(t, rows, &t->of[number]);
	if (err)
		return err;
	m->rows = t->of[number].rows;
	m->index = t->of[number].index;
	m->shift = t->of[number].shift;
	return 0;
}

int placed_rows_put_list(struct placed_rows *t, const struct agent_module *v, size_t n, taddr *at)
{
	const struct agent_modules head = { .n = n };
	uint8_t *to = take_room(t, sizeof head + n * sizeof *v, at);

	if (!to)
		return -ENOSPC;
	memcpy(to, &head, sizeof head);
	if (n)
		memcpy(to + sizeof head, v, n * sizeof *v);
	return 0;
}
