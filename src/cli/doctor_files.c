/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof doctor: facts from the mapped files. */
#include "cli/doctor.h"

#include "base/namesource.h"
#include "base/preadall.h"
#include "cli/allocator.h"
#include "cli/names.h"
#include "fast/fast.h"
#include "naming/reading.h"
#include "probes/outcome.h"
#include "probes/scan.h"
#include "probes/shown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct probe *doctor_probe(const struct doctor *d, const struct trapped_function *p)
{
	return &d->rules.probes.v[p->probe];
}

/* ---- reading ---- */

static int read_heaps(struct doctor *d)
{
	d->heaps = calloc(d->files.n + 1, sizeof *d->heaps);
	return d->heaps ? ownheaps_read(&d->files, d->heaps, say_elsewhere) : -ENOMEM;
}

int doctor_read_functions(struct doctor *d)
{
	int err = trapped_read(&d->trapped, &d->files, d->program, &d->rules, say_sentence);
	struct trapped *t = &d->trapped;
	size_t n = 0;

	/* Any C library has clone(), which is no allocator. */
	for (size_t i = 0; i < t->n; i++)
		if (doctor_probe(d, &t->v[i])->mark != MARK_CLONE)
			t->v[n++] = t->v[i];
	t->n = n;
	return err ? err : read_heaps(d);
}

/* Read the code facts of all files, in one confined process. 0 or -ENOMEM. */
static int read_code(struct doctor *d)
{
	const struct module_files *files = &d->files;
	struct symbols_search search = names_search(d->o);
	const struct code_asks how = {.search = &search, .say = say_sentence};

	if (d->code)
		return 0;
	/* Do not download anything. */
	search.fetch = search.cache = false;
	struct resolve_module *v = reading_modules(files);

	d->code = v ? calloc(files->n + 1, sizeof *d->code) : NULL;
	int err = d->code ? code_facts_read(&how, v, files->n, d->code) : -ENOMEM;

	free(v);
	return err;
}

/* For free(). A process has files by their real paths; those of a program may be links. */
static char *path_of(const struct doctor *d, uint32_t file)
{
	const char *path = d->files.files[file].path;
	char *real = d->pid ? NULL : realpath(path, NULL);

	return real ? real : strdup(path);
}

static int read_module(struct doctor *d, struct doctor_module *m, uint32_t file)
{
	m->file = file;
	m->path = path_of(d, file);
	m->names = strdup(d->code[file].names);
	m->build_id = strdup(d->code[file].build_id);
	m->unwind = d->code[file].unwinds;
	return m->path && m->names && m->build_id ? 0 : -ENOMEM;
}

static int add_module(struct doctor *d, uint32_t file)
{
	return read_module(d, &d->modules[d->n_modules++], file);
}

int doctor_read_modules(struct doctor *d)
{
	const struct module_files *files = &d->files;
	int err = read_code(d);

	d->modules = err ? NULL : calloc(files->n + 1, sizeof *d->modules);
	if (!d->modules)
		return -ENOMEM;
	if (d->program < files->n)
		err = add_module(d, d->program);
	/* The vdso has no file, and unwind tables of its own. */
	for (uint32_t i = 0; !err && i < files->n; i++)
		if (i != d->program && files->files[i].fd >= 0)
			err = add_module(d, i);
	return err;
}

void doctor_release_files(struct doctor *d)
{
	for (size_t i = 0; i < d->n_modules; i++) {
		struct doctor_module *m = &d->modules[i];

		free(m->path);
		free(m->names);
		free(m->build_id);
	}
	free(d->modules);
	trapped_release(&d->trapped);
	free(d->heaps);
	free(d->code);
	module_files_release(&d->files);
	rules_release(&d->rules);
}

/* ---- judging ---- */

/* Why the fast engine leaves a function to traps; NULL: it does not. As watch_offer() of
 * breakpoints/ decides in a running program. */
static const char *why_left(struct doctor *d, const struct trapped_function *p)
{
	static uint8_t code[FAST_CODE_MAX];
	struct arch_patch patch;
	uint64_t offset, left;

	if (d->trapped.files[p->file].depends)
		return SCAN_DEPENDS;
	/* The address of an ifunc's function is not known before it is resolved. */
	if (p->indirect || !code_offset(&d->code[p->file], p->at, &offset, &left))
		return NULL;
	size_t len = p->size && p->size < sizeof code ? (size_t)p->size : sizeof code;
	ssize_t n = pread_all(d->files.files[p->file].fd, code, len < left ? len : left,
			      (off_t)offset);

	return fast_leaves(doctor_probe(d, p), code, n < 0 ? 0 : (size_t)n, p->size, &patch);
}

static struct function_facts facts_of(struct doctor *d, const struct trapped_function *p)
{
	const struct probe *probe = doctor_probe(d, p);

	return (struct function_facts){
		.name = probe->name,
		.gives = probe_gives_block(probe),
		.frees = probe->kind == PROBE_FREE,
		.forms_part = probe_tells_of_blocks(probe),
		.left = probe_tells_of_blocks(probe) ? why_left(d, p) : NULL,
	};
}

static bool has_room(struct doctor *d)
{
	for (uint32_t i = 0; i < d->files.n; i++)
		if (d->files.files[i].fd >= 0 && d->trapped.files[i].room)
			return true;
	return false;
}

enum { ALLOCATORS_MAX = 8 };

/* The library that the function is in. glibc is not in the table of other allocators. */
static const char *allocator_of(const struct doctor *d, const struct trapped_function *p)
{
	const char *path = d->files.files[p->file].path;
	const char *known = allocator_of_library(path);

	if (known || !probe_gives_block(doctor_probe(d, p)))
		return known;
	if (text_begins(path_last(path), "libc.so.") || text_begins(path_last(path), "libc-2."))
		return "glibc's";
	return p->file == d->program ? "its own" : NULL;
}

static size_t name_allocators(const struct doctor *d, const char *names[ALLOCATORS_MAX])
{
	size_t n = 0, k;

	for (size_t i = 0; i < d->trapped.n && n < ALLOCATORS_MAX; i++) {
		const char *name = allocator_of(d, &d->trapped.v[i]);

		for (k = 0; name && k < n && strcmp(names[k], name) != 0; k++)
			;
		if (name && k == n)
			names[n++] = name;
	}
	return n;
}

int doctor_judge_functions(struct doctor *d, const char *fast_refused)
{
	struct function_facts *v = calloc(d->trapped.n + 1, sizeof *v);
	const char *names[ALLOCATORS_MAX];
	int err = v ? read_code(d) : -ENOMEM;

	for (size_t i = 0; !err && i < d->trapped.n; i++)
		v[i] = facts_of(d, &d->trapped.v[i]);
	if (!err) {
		const struct allocator_facts a = {
			.names = names,
			.n_names = name_allocators(d, names),
			.v = v,
			.n = d->trapped.n,
			.room = has_room(d),
			.fast_refused = fast_refused,
		};
		judge_allocator(&d->findings, &a);
	}
	free(v);
	return err;
}

/* False if the process sees another file by this name: dpkg knows ours. */
static bool is_here(const struct doctor *d, const struct doctor_module *m)
{
	const struct module_file *f = &d->files.files[m->file];
	struct stat here, it;

	return !stat(m->path, &here) && !fstat(f->fd, &it) && here.st_dev == it.st_dev &&
	       here.st_ino == it.st_ino;
}

int doctor_ask_packages(struct doctor *d)
{
	struct packaged *v = calloc(d->n_modules + 1, sizeof *v);
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_modules; i++)
		if (!namesource_is_whole(d->modules[i].names))
			v[n++].path = d->modules[i].path;
	d->packages = packages_ask(v, n);
	n = 0;
	for (size_t i = 0; i < d->n_modules; i++) {
		struct doctor_module *m = &d->modules[i];

		if (namesource_is_whole(m->names))
			continue;
		const struct packaged *p = &v[n++];

		if (!is_here(d, m))
			continue;
		strcpy(m->package, p->package);
		strcpy(m->debug_package, p->debug_package);
	}
	free(v);
	return 0;
}

int doctor_judge_modules(struct doctor *d)
{
	struct module_facts *v = calloc(d->n_modules + 1, sizeof *v);

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_modules; i++) {
		const struct doctor_module *m = &d->modules[i];

		v[i] = (struct module_facts){m->path,	  m->names,   m->unwind,
					     m->build_id, m->package, m->debug_package};
	}
	judge_modules(&d->findings, v, d->n_modules, d->packages);
	free(v);
	return 0;
}
