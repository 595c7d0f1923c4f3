/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of the objects on a heap: found in memory, named by RTTI or by symbols. */
#include "cli/classes.h"

#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"
#include "heapwalk/classes.h"
#include "naming/class_name.h"
#include "naming/vtables.h"
#include "proc/modules.h"
#include "symbols/vtables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { NAME_SHOWN = 1 << 15 };

void classes_release(struct heap_class_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free(rows->v[i].name);
	free(rows->v);
	*rows = (struct heap_class_rows){0};
}

/* ---- the process's memory ---- */

static size_t read_memory(void *ctx, taddr at, void *to, size_t size)
{
	ssize_t n = pread(*(const int *)ctx, to, size, (off_t)at);

	return n < 0 ? 0 : (size_t)n;
}

static bool is_type(void *ctx, const char *mangled)
{
	char text[NAME_SHOWN];

	(void)ctx;
	return symbols_type_name(mangled, text, sizeof text);
}

/* ---- rows ---- */

static int add_row(struct heap_class_rows *rows, const char *name, bool rtti, struct heap_sum s)
{
	if (ARRAY_RESERVE(&rows->v, &rows->cap, rows->n))
		return -ENOMEM;
	char *copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	rows->v[rows->n++] = (struct heap_class_row){copy, rtti, s};
	return 0;
}

static int add_forms(struct heap_class_rows *rows, const char *name, bool rtti,
		     const struct heap_class *c)
{
	static const char *const forms[N_HEAP_CLASS_FORMS] = {
		[HEAP_CLASS_OBJECT] = "",
		[HEAP_CLASS_ARRAY] = "[]",
		[HEAP_CLASS_BEHIND] = " (8 bytes into the block)",
	};
	char text[NAME_SHOWN + 32];
	int err = 0;

	for (int i = 0; !err && i < N_HEAP_CLASS_FORMS; i++) {
		if (!c->forms[i].n)
			continue;
		snprintf(text, sizeof text, "%s%s", name, forms[i]);
		err = add_row(rows, text, rtti, c->forms[i]);
	}
	return err;
}

static int add_named(struct heap_class_rows *rows, const struct heap_class *c)
{
	char text[NAME_SHOWN], shown[NAME_SHOWN];

	if (!symbols_type_name(c->mangled, text, sizeof text))
		return 0; /* cannot fail: it was a type's name when the class was found */
	class_name(text, shown, sizeof shown);
	return add_forms(rows, shown, true, c);
}

/* ---- without type information ---- */

struct nameless {
	struct heap_class_rows *rows;
	const struct still *still;
	struct module_files files;
	struct mappings maps;
	struct vtable_asked *v; /* vtables, by class */
	size_t n;
};

/* Vtables are in the data of a file. */
static const struct mapping *module_at(const struct nameless *x, taddr at)
{
	const struct still_area *a = still_area_at(x->still, at);

	return a ? mappings_of_data(&x->maps, &x->files, at, a->name) : NULL;
}

static int add_nameless(struct nameless *x, const struct heap_class *c,
			const struct vtable_asked *v)
{
	char text[NAME_SHOWN + 16];

	if (v->other)
		return 0;
	if (v->name) {
		class_name(v->name, text, NAME_SHOWN);
		strcat(text, " (no RTTI)");
	} else if (v->file != PD_NONE)
		snprintf(text, sizeof text, "class without a name at %s+0x%" PRIx64,
			 path_last(x->files.files[v->file].path), v->at);
	else
		snprintf(text, sizeof text, "class without a name at 0x%" PRIx64, c->vtable);
	return add_forms(x->rows, text, false, c);
}
static int by_place(const void *a, const void *b)
{
	const struct vtable_asked *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int ask_symbols(struct nameless *x)
{
	const struct module_files *files = &x->files;
	struct resolve_module *modules = calloc(files->n + 1, sizeof *modules);

	if (!modules)
		return -ENOMEM;
	for (size_t i = 0; i < files->n; i++)
		modules[i] = (struct resolve_module){files->files[i].path, files->files[i].fd};
	qsort(x->v, x->n, sizeof *x->v, by_place);
	int err = vtables_ask(modules, files->n, x->v, x->n, say_sentence);

	free(modules);
	return err;
}

static int name_by_symbols(struct heap_class_rows *rows, const struct heap_classes *c,
			   const struct still *s, pid_t pid)
{
	struct nameless x = {.rows = rows, .still = s};
	int err = 0;

	x.v = calloc(c->n + 1, sizeof *x.v);
	if (!x.v)
		return -ENOMEM;
	/* A process that has ended has no modules: then classes are shown by address. */
	if (mappings_read(pid, &x.files, &x.maps))
		x.maps = (struct mappings){0};
	for (size_t i = 0; i < c->n; i++) {
		const taddr at = c->v[i].vtable;
		const struct mapping *m = c->v[i].mangled ? NULL : module_at(&x, at);

		if (!c->v[i].mangled)
			x.v[x.n++] = (struct vtable_asked){.file = m ? m->file : PD_NONE,
							   .at = at - (m ? m->bias : 0),
							   .which = i};
	}
	if (x.n)
		err = ask_symbols(&x);
	for (size_t i = 0; i < x.n; i++) {
		err = err ? err : add_nameless(&x, &c->v[x.v[i].which], &x.v[i]);
		free(x.v[i].name);
	}
	free(x.v);
	mappings_release(&x.maps);
	module_files_release(&x.files);
	return err;
}

/* ---- all ---- */

static int by_name(const void *a, const void *b)
{
	const struct heap_class_row *x = a, *y = b;

	return x->rtti != y->rtti ? y->rtti - x->rtti : strcmp(x->name, y->name);
}

static int by_bytes(const void *a, const void *b)
{
	const struct heap_class_row *x = a, *y = b;

	if (x->rtti != y->rtti)
		return y->rtti - x->rtti;
	if (x->sum.bytes != y->sum.bytes)
		return x->sum.bytes > y->sum.bytes ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* A class may have a vtable in several libraries: merge rows of the same name. */
static void join(struct heap_class_rows *rows)
{
	size_t n = 0;

	if (rows->n)
		qsort(rows->v, rows->n, sizeof *rows->v, by_name);
	for (size_t i = 0; i < rows->n; i++) {
		struct heap_class_row *last = n ? &rows->v[n - 1] : NULL;

		if (!last || by_name(last, &rows->v[i])) {
			rows->v[n++] = rows->v[i];
			continue;
		}
		last->sum.n += rows->v[i].sum.n;
		last->sum.bytes += rows->v[i].sum.bytes;
		free(rows->v[i].name);
	}
	rows->n = n;
	if (n)
		qsort(rows->v, n, sizeof *rows->v, by_bytes);
}

int classes_of(struct heap_class_rows *rows, const struct heap_walk *w, const struct still *s,
	       pid_t pid, int mem)
{
	struct heap_class_source from = {read_memory, is_type, &mem};
	struct heap_classes c;
	int err = heap_classes_find(&c, w, s, &from);

	*rows = (struct heap_class_rows){.told = true};
	if (err)
		return err;
	rows->unread = c.unread;
	rows->too_many = c.too_many;
	for (size_t i = 0; !err && i < c.n; i++)
		if (c.v[i].mangled)
			err = add_named(rows, &c.v[i]);
	if (!err)
		err = name_by_symbols(rows, &c, s, pid);
	heap_classes_release(&c);
	join(rows);
	return err;
}
