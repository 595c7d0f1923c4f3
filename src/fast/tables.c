/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/tables.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
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
	if (fd < 0 || objfile_open(&o, fcntl(fd, F_DUPFD_CLOEXEC, 0)))
		return &f->of[number];
	int err = cfirows_read(&f->of[number], &o);
	objfile_close(&o);
	if (!err)
		return &f->of[number];
	cfirows_release(&f->of[number]);
	f->read[number] = false;
	return NULL;
}

static size_t aligned(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

static size_t rows_size(const struct table_piece *p)
{
	return aligned(p->n_rows * sizeof *p->rows);
}

static size_t index_size(const struct table_piece *p)
{
	return aligned(p->n_index * sizeof *p->index);
}

static size_t head_size(size_t n)
{
	return sizeof(struct agent_modules) + n * sizeof(struct agent_module);
}

size_t tables_size(const struct table_piece *pieces, size_t n)
{
	size_t size = head_size(n);

	for (size_t i = 0; i < n; i++)
		if (!pieces[i].rows_at)
			size += rows_size(&pieces[i]) + index_size(&pieces[i]);
	return size;
}

static void write_rows(struct table_piece *p, taddr at, uint8_t *out, size_t *offset)
{
	p->rows_at = at + *offset;
	p->index_at = p->rows_at + rows_size(p);
	memcpy(out + *offset, p->rows, p->n_rows * sizeof *p->rows);
	memcpy(out + *offset + rows_size(p), p->index, p->n_index * sizeof *p->index);
	*offset += rows_size(p) + index_size(p);
}

void tables_write(struct table_piece *pieces, size_t n, taddr at, uint8_t *out)
{
	const struct agent_modules head = { .n = n };
	size_t offset = head_size(n);

	memcpy(out, &head, sizeof head);
	for (size_t i = 0; i < n; i++) {
		struct table_piece *p = &pieces[i];

		if (!p->rows_at)
			write_rows(p, at, out, &offset);
		const struct agent_module m = { .lo = p->lo, .hi = p->hi, .rows = p->rows_at,
						.index = p->index_at, .shift = p->shift };

		memcpy(out + sizeof head + i * sizeof m, &m, sizeof m);
	}
}
