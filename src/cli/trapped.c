/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/trapped.h"

#include "base/array.h"
#include "base/preadall.h"
#include "base/writeall.h"
#include "naming/reading.h"
#include "probes/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Written by the confined process: what it found of each file, definition and library, then the
 * functions. */
struct found {
	uint8_t found, placed;
};

struct finding {
	struct trapped *to;
	const struct module_files *files;
	uint32_t program;
	struct rules *rules;
	/* in the confined process only: */
	size_t cap;
	uint32_t file;
	int err;
};

/* ---- in the confined process ---- */

static void add(void *ctx, const struct scan_probe *p)
{
	struct finding *f = ctx;
	struct trapped *t = f->to;

	if (!f->err)
		f->err = ARRAY_RESERVE(&t->v, &f->cap, t->n);
	if (!f->err)
		t->v[t->n++] = (struct trapped_function){p->address, p->size, f->file, p->probe,
							 p->indirect};
}

/* The files, with descriptors for those that are not left out. */
static int files_to_read(const struct reading *r, const struct module_files *all,
			 struct module_files *read)
{
	*read = (struct module_files){.files = calloc(all->n + 1, sizeof *read->files),
				      .n = all->n};
	for (size_t i = 0; read->files && i < all->n; i++) {
		read->files[i] = all->files[i];
		read->files[i].fd = r->files[i].fd;
	}
	return read->files ? 0 : -ENOMEM;
}

static int find(struct finding *f, const struct module_files *files)
{
	struct scans scans = {.probes = &f->rules->probes};

	for (f->file = 0; !f->err && f->file < files->n; f->file++) {
		reading_begins(f->file);
		int err = choose_probes(files, &scans, f->rules, f->file, f->file == f->program,
					add, f);
		const struct scan *s = err ? NULL : scan_file(&scans, files, f->file);

		if (s)
			f->to->files[f->file] = (struct trapped_file){
				scan_has_room(s), scan_depends(s, &f->rules->probes)};
		f->err = f->err ? f->err : err;
	}
	reading_is_done();
	scans_release(&scans);
	return f->err;
}

static int write_found(const struct finding *f, int out)
{
	const struct rules *rules = f->rules;
	const struct trapped *t = f->to;
	int err = write_all(out, t->files, f->files->n * sizeof *t->files);

	for (size_t i = 0; !err && i < rules->probes.n; i++) {
		const struct probe *p = &rules->probes.v[i];

		err = write_all(out, &(struct found){p->found, p->placed}, sizeof(struct found));
	}
	for (size_t i = 0; !err && i < rules->n_libs; i++)
		err = write_all(out, &(struct found){rules->libs[i].found, 0},
				sizeof(struct found));
	return err ? err : write_all(out, t->v, t->n * sizeof *t->v);
}

static int work(struct reading *r, size_t which, struct namer *namer, int out)
{
	struct finding *f = r->ctx;
	struct module_files files;
	int err = files_to_read(r, f->files, &files);

	(void)which, (void)namer;
	err = err ? err : find(f, &files);
	free(files.files);
	return err ? err : write_found(f, out);
}

/* ---- in the parent ---- */

static bool is_function(const struct finding *f, const struct trapped_function *v)
{
	return v->file < f->files->n && v->probe < f->rules->probes.n && v->indirect <= 1;
}

static int take_functions(struct finding *f, const uint8_t *bytes, size_t size)
{
	struct trapped *t = f->to;
	const size_t n = size / sizeof *t->v;

	t->v = size % sizeof *t->v ? NULL : calloc(n + 1, sizeof *t->v);
	if (!t->v)
		return size % sizeof *t->v ? -EUCLEAN : -ENOMEM;
	memcpy(t->v, bytes, size);
	for (t->n = 0; t->n < n; t->n++)
		if (!is_function(f, &t->v[t->n]))
			return -EUCLEAN;
	return 0;
}

static void note_found(const struct finding *f, const struct found *v)
{
	struct rules *rules = f->rules;

	for (size_t i = 0; i < rules->probes.n; i++, v++) {
		rules->probes.v[i].found = v->found;
		rules->probes.v[i].placed = v->placed;
	}
	for (size_t i = 0; i < rules->n_libs; i++, v++)
		rules->libs[i].found = v->found;
}

static int take_all(struct finding *f, const uint8_t *bytes, size_t size)
{
	const struct rules *rules = f->rules;
	struct trapped *t = f->to;
	const size_t of_files = f->files->n * sizeof *t->files,
		     of_rules = (rules->probes.n + rules->n_libs) * sizeof(struct found);

	if (size < of_files + of_rules)
		return -EUCLEAN;
	for (size_t i = 0; i < of_files + of_rules; i++)
		if (bytes[i] > 1)
			return -EUCLEAN;
	int err = take_functions(f, bytes + of_files + of_rules, size - of_files - of_rules);

	if (err)
		return err;
	memcpy(t->files, bytes, of_files);
	note_found(f, (const struct found *)(bytes + of_files));
	return 0;
}

static void forget(struct reading *r, size_t which)
{
	struct trapped *t = ((struct finding *)r->ctx)->to;

	(void)which;
	free(t->v);
	t->v = NULL;
	t->n = 0;
}

static int take(struct reading *r, size_t which, int fd)
{
	size_t size;
	uint8_t *bytes = pread_whole(fd, &size);

	forget(r, which);
	int err = bytes ? take_all(r->ctx, bytes, size) : -errno;
	if (err)
		forget(r, which);
	free(bytes);
	return err;
}

int trapped_read(struct trapped *t, const struct module_files *files, uint32_t program,
		 struct rules *rules, say_fn *say)
{
	static const struct reading_ops ops = {work, take, forget, NULL};
	struct finding f = {.to = t, .files = files, .program = program, .rules = rules};
	struct reading r = {.ops = &ops, .ctx = &f, .n = 1, .say = say};
	struct resolve_module *modules = reading_modules(files);

	*t = (struct trapped){.files = calloc(files->n + 1, sizeof *t->files)};
	int err = modules && t->files ? reading_run(&r, modules, files->n) : -ENOMEM;

	for (size_t i = 0; !err && i < files->n; i++)
		t->unread |= r.why[i] != NULL;
	reading_end(&r);
	free(modules);
	return err;
}

void trapped_release(struct trapped *t)
{
	free(t->v);
	free(t->files);
	*t = (struct trapped){0};
}
