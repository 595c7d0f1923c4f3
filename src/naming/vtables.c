/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/vtables.h"

#include "base/preadall.h"
#include "base/writeall.h"
#include "naming/reading.h"
#include "symbols/vtables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the process writes: one of these for each address, then the names, each with its zero. */
struct answer {
	uint32_t name;	/* its offset; PD_NONE: there is none */
	uint32_t other;
};

struct asking {
	struct vtable_asked *v;
	size_t n;
};

/* ---- in the confined process ---- */

/* Its number must be that of the file, so files before it are added, too, but not read. 0 or
 * -ENOMEM. */
static int add_file(const struct reading *r, struct namer *namer, uint32_t file)
{
	int err = 0;

	while (!err && namer->n <= file) {
		const struct resolve_module *f = &r->files[namer->n];

		err = namer_add_module(namer, f->path, namer->n == file ? f->fd : -1) < 0 ? -ENOMEM
											  : 0;
	}
	return err;
}

/* Looks up @n addresses of one file, from the @first on. 0 or -ENOMEM. */
static int look_in_file(const struct asking *a, const struct reading *r, struct namer *namer,
			size_t first, size_t n)
{
	const uint32_t file = a->v[first].file;
	struct sym_vtable *v = calloc(n, sizeof *v);
	int err = v ? add_file(r, namer, file) : -ENOMEM;

	for (size_t i = 0; !err && i < n; i++)
		v[i].at = a->v[first + i].at;
	reading_begins(file);
	err = err ? err : symbols_vtables(namer->symbols, (int)file, v, n);
	for (size_t i = 0; !err && i < n; i++) {
		a->v[first + i].other = v[i].other;
		a->v[first + i].name = (char *)(uintptr_t)v[i].name;
	}
	free(v);
	return err;
}

static int write_answer(const struct asking *a, int out)
{
	struct answer *answers = calloc(a->n + 1, sizeof *answers);
	uint32_t at = 0;
	int err = answers ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < a->n; i++) {
		const char *name = a->v[i].name;

		answers[i] = (struct answer){ name ? at : PD_NONE, a->v[i].other };
		at += name ? (uint32_t)strlen(name) + 1 : 0;
	}
	err = err ? err : write_all(out, answers, a->n * sizeof *answers);
	for (size_t i = 0; !err && i < a->n; i++)
		if (a->v[i].name)
			err = write_all(out, a->v[i].name, strlen(a->v[i].name) + 1);
	free(answers);
	return err;
}

static int look(struct reading *r, size_t which, struct namer *namer, int out)
{
	const struct asking *a = r->ctx;
	int err = 0;

	(void)which;
	for (size_t i = 0, k; !err && i < a->n; i = k) {
		for (k = i + 1; k < a->n && a->v[k].file == a->v[i].file; k++)
			;
		if (a->v[i].file < r->n_files)
			err = look_in_file(a, r, namer, i, k - i);
	}
	reading_is_done();
	return err ? err : write_answer(a, out);
}

/* ---- outside ---- */

/* @bytes: an answer for each address, followed by the names. */
static int take_answer(const struct asking *a, const void *bytes, size_t whole)
{
	const struct answer *answers = bytes;
	const size_t heads = a->n * sizeof *answers;

	if (whole < heads)
		return -EUCLEAN;
	const size_t size = whole - heads;
	const char *names = (const char *)bytes + heads;

	for (size_t i = 0; i < a->n; i++)
		if (answers[i].name != PD_NONE &&
		    (answers[i].name >= size || names[size - 1] || answers[i].other > 1))
			return -EUCLEAN;
	for (size_t i = 0; i < a->n; i++) {
		a->v[i].other = answers[i].other;
		a->v[i].name = answers[i].name == PD_NONE ? NULL : strdup(names + answers[i].name);
		if (answers[i].name != PD_NONE && !a->v[i].name)
			return -ENOMEM;
	}
	return 0;
}

static void forget(struct reading *r, size_t which)
{
	const struct asking *a = r->ctx;

	(void)which;
	for (size_t i = 0; i < a->n; i++) {
		free(a->v[i].name);
		a->v[i].name = NULL;
		a->v[i].other = false;
	}
}

static int take(struct reading *r, size_t which, int fd)
{
	const struct asking *a = r->ctx;
	size_t size;
	void *bytes = pread_whole(fd, &size);
	int err = bytes ? take_answer(a, bytes, size) : -errno;

	if (err)
		forget(r, which);
	free(bytes);
	return err;
}

int vtables_ask(const struct resolve_module *files, size_t n_files, struct vtable_asked *v,
		size_t n, say_fn *say)
{
	static const struct reading_ops ops = { look, take, forget, NULL };
	struct asking a = { v, n };
	struct reading r = { .ops = &ops, .ctx = &a, .n = n ? 1 : 0, .say = say };

	for (size_t i = 0; i < n; i++) {
		v[i].name = NULL;
		v[i].other = false;
	}
	int err = reading_run(&r, files, n_files);

	reading_end(&r);
	return err;
}
