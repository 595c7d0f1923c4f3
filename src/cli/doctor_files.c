/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof doctor: what the files that a program has mapped tell. */
#include "cli/doctor.h"

#include "base/array.h"
#include "base/namesource.h"
#include "base/preadall.h"
#include "cli/allocator.h"
#include "cli/names.h"
#include "fast/fast.h"
#include "probes/choose.h"
#include "probes/outcome.h"
#include "probes/shown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- reading ---- */

struct choosing {
	struct doctor *d;
	uint32_t file;
	int err;
};

static void add_function(void *ctx, const struct scan_probe *p)
{
	struct choosing *c = ctx;
	struct doctor *d = c->d;
	const struct probe *probe = &d->rules.probes.v[p->probe];

	/* Any C library has a clone(), which tells of no memory. */
	if (c->err || probe->mark == MARK_CLONE)
		return;
	c->err = ARRAY_RESERVE(&d->functions, &d->cap_functions, d->n_functions);
	if (!c->err)
		d->functions[d->n_functions++] =
			(struct doctor_function){c->file, p->address, p->size, probe, p->indirect};
}

int doctor_read_functions(struct doctor *d)
{
	struct watch_shared *s = &d->shared;
	struct choosing c = {.d = d};

	for (; !c.err && c.file < s->files.n; c.file++) {
		int err = choose_probes(&s->files, &s->scans, s->rules, c.file,
					c.file == d->program, add_function, &c);
		c.err = c.err ? c.err : err;
	}
	return c.err;
}

/* What all files say of themselves: a confined process looks at once. 0 or -ENOMEM. */
static int read_code(struct doctor *d)
{
	const struct module_files *files = &d->shared.files;
	struct symbols_search search = names_search(d->o);
	const struct code_asks how = {.search = &search, .say = say_sentence};

	if (d->code)
		return 0;
	/* To look is not to fetch. */
	search.fetch = search.cache = false;
	struct resolve_module *v = calloc(files->n + 1, sizeof *v);

	d->code = v ? calloc(files->n + 1, sizeof *d->code) : NULL;
	for (size_t i = 0; d->code && i < files->n; i++)
		v[i] = (struct resolve_module){files->files[i].path, files->files[i].fd};
	int err = d->code ? code_facts_read(&how, v, files->n, d->code) : -ENOMEM;

	free(v);
	return err;
}

/* For free(). A process has its files by their own names; a program's may be links. */
static char *path_of(const struct doctor *d, uint32_t file)
{
	const char *path = d->shared.files.files[file].path;
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
	const struct module_files *files = &d->shared.files;
	int err = read_code(d);

	d->modules = err ? NULL : calloc(files->n + 1, sizeof *d->modules);
	if (!d->modules)
		return -ENOMEM;
	if (d->program < files->n)
		err = add_module(d, d->program);
	/* The vdso has no file, and frames of its own. */
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
	free(d->functions);
	free(d->code);
	watch_shared_release(&d->shared);
	rules_release(&d->rules);
}

/* ---- judging ---- */

static const struct scan *scan_of(struct doctor *d, uint32_t file)
{
	return scan_file(&d->shared.scans, &d->shared.files, file);
}

/* Why the fast engine leaves it to traps; NULL: it does not. As watch_offer() of breakpoints/ has
 * it of a program that is there. */
static const char *why_left(struct doctor *d, const struct doctor_function *p)
{
	const char *why = scan_why_trapped(scan_of(d, p->file), &d->rules.probes);
	static uint8_t code[FAST_CODE_MAX];
	struct arch_patch patch;
	uint64_t offset, left;

	if (why)
		return why;
	/* Where it is is known only when it has been resolved. */
	if (p->indirect || !code_offset(&d->code[p->file], p->at, &offset, &left))
		return NULL;
	size_t len = p->size && p->size < sizeof code ? (size_t)p->size : sizeof code;
	ssize_t n = pread_all(d->shared.files.files[p->file].fd, code, len < left ? len : left,
			      (off_t)offset);

	return fast_leaves(p->probe, code, n < 0 ? 0 : (size_t)n, p->size, &patch);
}

static struct function_facts facts_of(struct doctor *d, const struct doctor_function *p)
{
	return (struct function_facts){
		.name = p->probe->name,
		.gives = probe_gives_block(p->probe),
		.frees = p->probe->kind == PROBE_FREE,
		.forms_part = probe_tells_of_blocks(p->probe),
		.left = probe_tells_of_blocks(p->probe) ? why_left(d, p) : NULL,
	};
}

static bool has_room(struct doctor *d)
{
	for (uint32_t i = 0; i < d->shared.files.n; i++) {
		const struct scan *s = d->shared.files.files[i].fd < 0 ? NULL : scan_of(d, i);

		if (s && scan_has_room(s))
			return true;
	}
	return false;
}

enum { ALLOCATORS_MAX = 8 };

/* The library that it is of; of a C library of glibc's the name is not in the table of others. */
static const char *allocator_of(const struct doctor *d, const struct doctor_function *p)
{
	const char *path = d->shared.files.files[p->file].path;
	const char *known = allocator_of_library(path);

	if (known || !probe_gives_block(p->probe))
		return known;
	if (text_begins(path_last(path), "libc.so.") || text_begins(path_last(path), "libc-2."))
		return "glibc's";
	return p->file == d->program ? "its own" : NULL;
}

static size_t name_allocators(const struct doctor *d, const char *names[ALLOCATORS_MAX])
{
	size_t n = 0, k;

	for (size_t i = 0; i < d->n_functions && n < ALLOCATORS_MAX; i++) {
		const char *name = allocator_of(d, &d->functions[i]);

		for (k = 0; name && k < n && strcmp(names[k], name) != 0; k++)
			;
		if (name && k == n)
			names[n++] = name;
	}
	return n;
}

int doctor_judge_functions(struct doctor *d, const char *fast_refused)
{
	struct function_facts *v = calloc(d->n_functions + 1, sizeof *v);
	const char *names[ALLOCATORS_MAX];
	int err = v ? read_code(d) : -ENOMEM;

	for (size_t i = 0; !err && i < d->n_functions; i++)
		v[i] = facts_of(d, &d->functions[i]);
	if (!err) {
		const struct allocator_facts a = {
			.names = names,
			.n_names = name_allocators(d, names),
			.v = v,
			.n = d->n_functions,
			.room = has_room(d),
			.fast_refused = fast_refused,
		};
		judge_allocator(&d->findings, &a);
	}
	free(v);
	return err;
}

/* dpkg knows the files that we have, and the process may have others by these names. */
static bool is_here(const struct doctor *d, const struct doctor_module *m)
{
	const struct module_file *f = &d->shared.files.files[m->file];
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
