/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/ownheaps.h"

#include "base/writeall.h"
#include "naming/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the process writes for each file. */
struct told_heap {
	uint8_t language, python, dynamic, symbols;
};

static int look(struct reading *r, size_t which, struct namer *namer, int out)
{
	struct told_heap *told = r->ctx;

	(void)which, (void)namer;
	for (uint32_t i = 0; i < r->n_files; i++) {
		reading_begins(i);
		const struct ownheap h = ownheap_of(r->files[i].fd);

		told[i] = (struct told_heap){(uint8_t)h.language, h.python, h.dynamic, h.symbols};
	}
	reading_is_done();
	return write_all(out, told, r->n_files * sizeof *told);
}

static bool makes_sense(const struct told_heap *h)
{
	return h->language < OWNHEAP_LANGUAGES && h->python <= 1 && h->dynamic <= 1 &&
	       h->symbols <= 1;
}

static int take(struct reading *r, size_t which, int fd)
{
	struct told_heap *told = r->ctx;
	const size_t size = r->n_files * sizeof *told;
	int err = reading_take(fd, told, size);

	(void)which;
	for (size_t i = 0; !err && i < r->n_files; i++)
		err = makes_sense(&told[i]) ? 0 : -EUCLEAN;
	if (err)
		memset(told, 0, size);
	return err;
}

/* @why: why the file was left out; NULL: it was not. */
static struct ownheap heap_of(const struct told_heap *t, const char *why)
{
	return (struct ownheap){.language = t->language,
				.python = t->python,
				.dynamic = t->dynamic,
				.symbols = t->symbols,
				.unread = why};
}

int ownheaps_read(const struct module_files *files, struct ownheap *heaps, say_fn *say)
{
	static const struct reading_ops ops = {look, take, NULL, NULL};
	struct told_heap *told = calloc(files->n + 1, sizeof *told);
	struct resolve_module *modules = reading_modules(files);
	struct reading r = {.ops = &ops, .ctx = told, .n = files->n ? 1 : 0, .say = say};
	int err = told && modules ? 0 : -ENOMEM;

	memset(heaps, 0, files->n * sizeof *heaps);
	if (!err)
		err = reading_run(&r, modules, files->n);
	for (size_t i = 0; !err && i < files->n; i++)
		heaps[i] = heap_of(&told[i], r.why[i]);
	reading_end(&r);
	free(modules);
	free(told);
	return err;
}
