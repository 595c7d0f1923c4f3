/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/codefiles.h"

#include "base/namesource.h"
#include "base/regular.h"
#include "base/writeall.h"
#include "naming/reading.h"
#include "symbols/module.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- in the confined process ---- */

static void read_segments(Elf *elf, struct code_facts *f)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n && i < INT32_MAX && f->n_segments < CODE_SEGMENTS; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			f->segments[f->n_segments++] = (struct code_segment){
				ph.p_offset, ph.p_filesz, ph.p_vaddr, ph.p_memsz };
}

static void read_header(int fd, struct code_facts *f)
{
	struct objfile o;
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (own < 0 || objfile_open(&o, own))
		return;
	f->is_code = 1;
	objfile_build_id(&o, f->build_id);
	read_segments(o.elf, f);
	objfile_close(&o);
}

static int read_names(struct namer *n, const struct resolve_module *file, struct code_facts *f)
{
	int number = namer_add_module(n, file->path, file->fd);

	if (number < 0)
		return number;
	snprintf(f->names, sizeof f->names, "%s", namer_source(n, (uint32_t)number));
	f->unwinds = module_has_frames(symbols_module(n->symbols, number));
	return 0;
}

struct facts {
	const struct code_asks *how;
	struct code_facts *v;
};

static int read_facts(struct reading *r, size_t which, struct namer *namer, int out)
{
	const struct facts *facts = r->ctx;
	int err = 0;

	(void)which;
	for (uint32_t i = 0; !err && i < r->n_files; i++) {
		struct code_facts *f = &facts->v[i];

		reading_begins(i);
		if (r->files[i].fd >= 0)
			read_header(r->files[i].fd, f);
		if (facts->how->search)
			err = read_names(namer, &r->files[i], f);
	}
	reading_is_done();
	return err ? err : write_all(out, facts->v, r->n_files * sizeof *facts->v);
}

/* ---- outside ---- */

static bool makes_sense(const struct code_facts *f)
{
	const char *end = memchr(f->build_id, '\0', sizeof f->build_id);

	return end && f->build_id + strspn(f->build_id, "0123456789abcdef") == end &&
	       memchr(f->names, '\0', sizeof f->names) && f->n_segments <= CODE_SEGMENTS &&
	       f->is_code <= 1 && f->unwinds <= 1;
}

static int take_facts(struct reading *r, size_t which, int fd)
{
	const struct facts *facts = r->ctx;
	const size_t size = r->n_files * sizeof *facts->v;
	int err = reading_take(fd, facts->v, size);

	(void)which;
	for (size_t i = 0; !err && i < r->n_files; i++)
		err = makes_sense(&facts->v[i]) ? 0 : -EUCLEAN;
	if (err)
		memset(facts->v, 0, size);
	return err;
}

int code_facts_read(const struct code_asks *how, const struct resolve_module *files, size_t n,
		    struct code_facts *v)
{
	static const struct reading_ops ops = { read_facts, take_facts, NULL, NULL };
	struct facts facts = { how, v };
	struct reading r = { .ops = &ops, .ctx = &facts, .n = n ? 1 : 0, .say = how->say };

	if (how->search)
		r.search = *how->search;
	memset(v, 0, n * sizeof *v);
	int err = reading_run(&r, files, n);

	for (size_t i = 0; !err && i < n; i++)
		if (r.why[i])
			snprintf(v[i].names, sizeof v[i].names, NAMESOURCE_UNREAD "%s", r.why[i]);
	reading_end(&r);
	return err;
}

/* ---- files by their paths ---- */

int codefile_open(const char *path)
{
	const long most = sysconf(_SC_OPEN_MAX) - 32;
	int fd = path ? regular_open(AT_FDCWD, path, 0) : -1;

	if (fd < 0 || fd < most)
		return fd < 0 ? -1 : fd;
	close(fd);
	return -1;
}

int codefiles_open(struct codefiles *c, const struct codefile_wanted *wanted, size_t n,
		   say_fn *say)
{
	const struct code_asks headers = { .say = say };
	size_t there = 0;

	*c = (struct codefiles){ .v = calloc(n + 1, sizeof *c->v),
				 .facts = calloc(n + 1, sizeof *c->facts) };
	if (!c->v || !c->facts)
		return -ENOMEM;
	for (c->n = 0; c->n < n; c->n++) {
		const char *path = wanted[c->n].path;

		c->v[c->n] = (struct resolve_module){ path ? path : "", codefile_open(path) };
		there += c->v[c->n].fd >= 0;
	}
	int err = there ? code_facts_read(&headers, c->v, n, c->facts) : 0;

	for (size_t i = 0; !err && i < n; i++) {
		const struct code_facts *f = &c->facts[i];

		if (c->v[i].fd < 0 || (f->is_code && (!*wanted[i].build_id ||
						      !strcmp(wanted[i].build_id, f->build_id))))
			continue;
		close(c->v[i].fd);
		c->v[i].fd = -1;
	}
	return err;
}

void codefiles_close(struct codefiles *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].fd >= 0)
			close(c->v[i].fd);
	free(c->v);
	free(c->facts);
	*c = (struct codefiles){ 0 };
}

bool code_offset(const struct code_facts *f, uint64_t address, uint64_t *offset, uint64_t *left)
{
	for (uint32_t i = 0; i < f->n_segments; i++) {
		const struct code_segment *s = &f->segments[i];

		if (address < s->address || address - s->address >= s->file_size)
			continue;
		*offset = address - s->address + s->offset;
		*left = s->file_size - (address - s->address);
		return true;
	}
	return false;
}

/* A page may have the end of one segment and the beginning of another, and is mapped for both. A
 * segment that contains @offset itself comes before one that only has the page. */
static const struct code_segment *segment_of(const struct code_facts *f, uint64_t offset)
{
	const struct code_segment *in_page = NULL;

	for (uint32_t i = 0; i < f->n_segments; i++) {
		const struct code_segment *s = &f->segments[i];
		const uint64_t begin = s->offset & ~4095ull;

		if (offset >= s->offset && offset - s->offset < s->file_size)
			return s;
		if (!in_page && offset >= begin && offset - begin < s->file_size + 4096)
			in_page = s;
	}
	return in_page;
}

bool code_address(const struct code_facts *f, uint64_t offset, uint64_t *address)
{
	const struct code_segment *s = segment_of(f, offset);

	if (s)
		*address = offset - s->offset + s->address;
	return s;
}
