/* SPDX-License-Identifier: BSD-2-Clause */
/* What is in files: functions to trap, names, and tables for unwinding. */
#include "doctor/judge.h"

#include "base/namesource.h"

#include <stdarg.h>
#include <stdio.h>

/* Text that is built from pieces, and cut where it is full. */
struct text {
	char s[768];
	size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, fmt, ap);
	va_end(ap);
	t->n += n < 0 ? 0 : (size_t)n;
	if (t->n >= sizeof t->s)
		t->n = sizeof t->s - 1;
}

/* ---- functions ---- */

static size_t n_left(const struct allocator_facts *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += a->v[i].forms_part && a->v[i].left;
	return n;
}

static size_t n_parts(const struct allocator_facts *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += a->v[i].forms_part;
	return n;
}

/* The first function that gives blocks (or frees them, if not @gives) if the engine handles none of
 * these. NULL: it handles enough. */
static const struct function_facts *missed(const struct allocator_facts *a, bool gives)
{
	const struct function_facts *first = NULL;

	for (size_t i = 0; i < a->n; i++) {
		const struct function_facts *p = &a->v[i];

		if (!(gives ? p->gives : p->frees))
			continue;
		if (!p->left)
			return NULL;
		first = first ? first : p;
	}
	return first;
}

static void judge_fast(struct findings *f, const struct allocator_facts *a)
{
	static const char remedy[] = "use --engine=trap, the default, or --engine=auto";
	const struct function_facts *m = missed(a, true);

	m = m ? m : missed(a, false);
	if (!m && !a->fast_refused) {
		findings_ok(f, "fast",
			    "--engine=fast would see %zu of the %zu functions that tell of blocks, "
			    "traps the rest",
			    n_parts(a) - n_left(a), n_parts(a));
		return;
	}
	if (a->fast_refused)
		findings_warn(f, "fast", remedy, "--engine=fast would be refused: %s",
			      a->fast_refused);
	else
		findings_warn(
			f, "fast", remedy,
			"--engine=fast would be refused: its %s cannot be seen without a trap: %s",
			m->name, m->left);
}

void judge_allocator(struct findings *f, const struct allocator_facts *a)
{
	struct text names = {0}, parts = {0};
	for (size_t i = 0; i < a->n_names; i++)
		put(&names, "%s%s", i ? ", " : "", a->names[i]);
	if (n_parts(a) < a->n)
		put(&parts, ", %zu of them to be told of blocks", n_parts(a));
	findings_ok(f, "allocator", "%s: %zu function%s would be trapped%s",
		    names.n ? names.s : "found by its functions' names", a->n, text_plural(a->n),
		    parts.n ? parts.s : "");
	if (!a->room) {
		findings_warn(f, "room", "nothing need be done; it is slower with many threads",
			      "there is no room behind any code to step over breakpoints out of "
			      "line: its threads wait while one steps");
	} else {
		findings_ok(f, "room", "breakpoints can be stepped over out of line");
	}
	judge_fast(f, a);
}

/* ---- names ---- */

static bool has_lines(const struct module_facts *m)
{
	return namesource_is_whole(m->names);
}

static bool is_first_with(const struct module_facts *v, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!has_lines(&v[k]) && !strcmp(v[k].debug_package, v[i].debug_package))
			return false;
	return true;
}

static bool has_room_for(const struct text *t, const char *word)
{
	return t->n + strlen(word) + 2 <= sizeof t->s;
}

/* Append the packages that can be installed for files without lines, each once. Returns for how
 * many files there is none; *own: the first of those, if any. */
static size_t put_packages(struct text *t, const struct module_facts *v, size_t n,
			   const struct module_facts **own)
{
	size_t others = 0;

	for (size_t i = 0; i < n; i++) {
		if (has_lines(&v[i]))
			continue;
		if (*v[i].debug_package && !is_first_with(v, i))
			continue;
		/* A package name must not be cut: it would be another name. */
		if (*v[i].debug_package && has_room_for(t, v[i].debug_package))
			put(t, " %s", v[i].debug_package);
		else
			*own = others++ ? *own : &v[i];
	}
	return others;
}

enum { NAMED = 4 };

static void put_name(struct text *t, const struct module_facts *m, size_t i)
{
	if (i < NAMED)
		put(t, "%s%s", i ? ", " : "", path_last(m->path));
}

/* Append " and N more" behind the names shown. */
static void put_more(struct text *t, size_t n)
{
	if (n > NAMED)
		put(t, " and %zu more", n - NAMED);
}

static void remedy_for_names(struct error *out, const struct module_facts *v, size_t n,
			     bool packages)
{
	const struct module_facts *own = v;
	struct text t = {0};
	size_t others = put_packages(&t, v, n, &own);

	if (t.n) {
		error_set(out, 0, "apt-get install%s%s", t.s,
			  others ? " (and for the rest: --format=json has the build IDs)" : "");
		return;
	}
	if (own == v && !*own->package)
		error_set(out, 0,
			  "compile %s with -g, or name the folder of its debug file with "
			  "--debug-dir",
			  path_last(own->path));
	else if (*own->build_id)
		error_set(out, 0,
			  "%s: find the debug file of build ID %s of %s, for --debug-dir, "
			  "or set DEBUGINFOD_URLS",
			  !packages	  ? "no package manager that is known here"
			  : *own->package ? "no package that can be installed has it"
					  : "no package has installed it",
			  own->build_id, path_last(own->path));
	else
		error_set(out, 0, "%s has no build ID: compile it with -g", path_last(own->path));
}

bool names_can_be_installed(const struct module_facts *v, size_t n, struct error *sentence)
{
	const struct module_facts *own = NULL;
	struct text packages = {0}, names = {0};
	size_t served = 0;

	put_packages(&packages, v, n, &own);
	for (size_t i = 0; i < n; i++)
		if (!has_lines(&v[i]) && *v[i].debug_package)
			put_name(&names, &v[i], served++);
	put_more(&names, served);
	if (packages.n)
		error_set(sentence, 0, "for the lines and types of %s: apt-get install%s", names.s,
			  packages.s);
	return packages.n;
}

void names_are_missing(const struct module_facts *v, size_t n, struct error *sentence)
{
	struct text names = {0};

	for (size_t i = 0; i < n; i++)
		put_name(&names, &v[i], i);
	put_more(&names, n);
	error_set(sentence, 0,
		  "lines and types of %s are missing: mprof doctor says whether a package has them",
		  names.s);
}

static void judge_names(struct findings *f, const struct module_facts *v, size_t n, bool packages)
{
	struct text t = {0};
	struct advice *w;
	size_t missing = 0;

	for (size_t i = 0; i < n; i++)
		if (!has_lines(&v[i]))
			put_name(&t, &v[i], missing++);
	if (!missing) {
		findings_ok(f, "debug", "lines and types of all %zu files", n);
		return;
	}
	put_more(&t, missing);
	w = findings_add(f, "debug", FINDING_WARN);
	error_set(&w->why, 0,
		  "debug information is missing, and with it lines or types, for %zu of "
		  "%zu file%s: %s", missing,
		  n, text_plural(n), t.s);
	remedy_for_names(&w->remedy, v, n, packages);
}

static void judge_unwind(struct findings *f, const struct module_facts *v, size_t n)
{
	struct text t = {0};
	size_t missing = 0;

	for (size_t i = 0; i < n; i++)
		if (!v[i].unwind)
			put_name(&t, &v[i], missing++);
	if (!missing) {
		findings_ok(f, "unwinding", "all %zu files have tables to follow call chains by",
			    n);
		return;
	}
	put_more(&t, missing);
	findings_warn(
		f, "unwinding",
		"compile with -fasynchronous-unwind-tables, and link without stripping .eh_frame",
		"no unwind tables, so chains are guessed or end there, in %s", t.s);
}

void judge_modules(struct findings *f, const struct module_facts *v, size_t n, bool packages)
{
	if (!n)
		return;
	judge_names(f, v, n, packages);
	judge_unwind(f, v, n);
}
