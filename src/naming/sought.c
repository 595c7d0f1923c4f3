/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/sought.h"

#include "base/glob.h"
#include "base/nearest.h"
#include "base/writeall.h"
#include "naming/codefiles.h"
#include "naming/reading.h"
#include "naming/shortname.h"
#include "symbols/allnames.h"
#include "symbols/demangle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longer names match nothing. */
enum { LONGEST = 4096 };

/* The answer for a name; its text is untrusted outside of the process. */
struct answer {
	bool found;
	char near[SOUGHT_NEAR];
};

/* What a suggested name has in common with the one that is searched, best first. In libraries,
 * nearly any name resembles another, so that less counts. */
enum kinship {
	SAME_BUT_PARAMETERS,
	FEW_SLIPS,
	SAME_LAST_PART, /* in another namespace or class */
	SAME_IN_LIBRARY, /* but for the parameters */
	NO_KINSHIP,
};

struct one {
	char *pattern;
	char *brief; /* its short name */
	struct nearest nearest;
	enum kinship kinship;
	bool overloaded; /* a function of that name has other parameters */
	bool inlined;	 /* a function of that name has no parameters in the debug information */
	struct answer answer;
};

struct seeking {
	struct sought *v;
	size_t n;
	const struct sought_file *files;
	/* In the process: */
	struct one *ones;
	bool program; /* the file being read is the program */
	bool unsure;  /* not all names are known */
};

/* ---- in the process ---- */

/* A name as in reports: demangled, or without what compilers append. */
static const char *readable(const char *name, char text[LONGEST])
{
	size_t len = demangle_stem(name, NULL);
	char stem[LONGEST];

	if (len >= LONGEST)
		return name;
	memcpy(stem, name, len);
	stem[len] = '\0';
	if (!demangle(stem, text, LONGEST))
		memcpy(text, stem, len + 1);
	return text;
}

/* "insert" of "Cache::insert" */
static const char *last_part(const char *brief)
{
	const char *last = brief;

	for (const char *at; (at = strstr(last, "::"));)
		last = at + 2;
	return last;
}

static enum kinship kinship(struct one *o, const char *shown, const char *brief, bool program)
{
	bool same = glob_matches(o->brief, brief);

	if (same || !program)
		return program ? SAME_BUT_PARAMETERS : same ? SAME_IN_LIBRARY : NO_KINSHIP;
	nearest_try(&o->nearest, shown);
	if (o->nearest.best && o->nearest.best == shown)
		return FEW_SLIPS;
	return strcmp(last_part(o->brief), last_part(brief)) ? NO_KINSHIP : SAME_LAST_PART;
}

/* A name in a file: the symbol, as in reports, and short. */
struct met {
	const char *name, *shown, *brief;
};

/* Is the name a better suggestion than the one before? */
static void try_near(const struct seeking *s, struct one *o, const struct met *m)
{
	const char *shown = m->shown;
	enum kinship is = kinship(o, shown, m->brief, s->program);

	/* @shown is not valid any longer than this call. */
	o->nearest.best = o->nearest.best ? o->pattern : NULL;
	o->overloaded |= is == SAME_BUT_PARAMETERS || is == SAME_IN_LIBRARY;
	/* nearest_try() accepts a name with slips only if it has fewer than the one before. */
	if (is > o->kinship || (is == o->kinship && is != FEW_SLIPS && *o->answer.near))
		return;
	o->kinship = is;
	if (is != NO_KINSHIP && strlen(shown) < SOUGHT_NEAR)
		memcpy(o->answer.near, shown, strlen(shown) + 1);
	else
		*o->answer.near = '\0';
}

static void try_inlined(const struct seeking *s, struct one *o, const struct met *m)
{
	(void)s;
	if (!strcmp(m->shown, m->name) && glob_matches(o->brief, m->brief))
		o->inlined = true;
}

/* Compares a name with all that are searched; @otherwise is called for those that do not match. */
static void meet(struct seeking *s, const char *name,
		 void (*otherwise)(const struct seeking *s, struct one *o, const struct met *m))
{
	char text[LONGEST], brief[LONGEST];
	const struct met m = {name, readable(name, text), brief};

	shortname(name, m.shown, brief, sizeof brief);
	for (size_t i = 0; i < s->n; i++)
		if (shortname_matches(s->ones[i].pattern, name, m.shown))
			s->ones[i].answer.found = true;
		else
			otherwise(s, &s->ones[i], &m);
}

static void meet_symbol(void *ctx, const char *name)
{
	meet(ctx, name, try_near);
}

/* Template names include their arguments here. */
static bool is_wanted(void *ctx, const char *name)
{
	const struct seeking *s = ctx;
	size_t len = strcspn(name, "<");

	for (size_t i = 0; i < s->n; i++)
		if (strchr(s->ones[i].pattern, '*') ||
		    memmem(s->ones[i].pattern, strlen(s->ones[i].pattern), name, len))
			return true;
	return false;
}

static void meet_debug(void *ctx, const char *name)
{
	meet(ctx, name, try_inlined);
}

/* 0 or -ENOMEM. */
static int look_into(struct seeking *s, struct symbols *symbols, int module)
{
	const struct sought_file *f = &s->files[module];
	const struct allnames to = {meet_symbol, is_wanted, meet_debug, s};

	s->program = f->program;
	if (*f->build_id && strcmp(f->build_id, symbols_build_id(symbols, module))) {
		s->unsure = true;
		return 0;
	}
	bool all = false;
	int err = symbols_allnames(symbols, module, &to, &all);

	/* Many libraries have no symbol table, and their inner functions are hardly ever meant. */
	s->unsure |= f->program && !all;
	return err;
}

/* A file that ended the process counts as one without names: that was reported. */
static int look_into_all(struct seeking *s, const struct reading *r, struct namer *namer)
{
	int err = 0;

	/* All files, so that numbers are the same. */
	for (size_t i = 0; !err && i < r->n_files; i++)
		err = namer_add_module(namer, r->files[i].path, r->files[i].fd) < 0 ? -ENOMEM : 0;
	for (size_t i = 0; !err && i < r->n_files; i++)
		if (r->files[i].fd >= 0)
			err = look_into(s, namer->symbols, (int)i);
		else
			s->unsure |= s->files[i].program || !r->why[i];
	return err;
}

/* The short name of a pattern, for free(). NULL: out of memory. */
static char *brief_of(const char *pattern)
{
	size_t size = strlen(pattern) + 1;
	char *brief = malloc(size);

	if (brief)
		shortname(NULL, pattern, brief, size);
	return brief;
}

/* 0 or -ENOMEM. */
static int begin(struct seeking *s)
{
	s->ones = calloc(s->n, sizeof *s->ones);
	for (size_t i = 0; s->ones && i < s->n; i++) {
		struct one *o = &s->ones[i];

		o->pattern = strdup(s->v[i].pattern);
		o->brief = brief_of(s->v[i].pattern);
		if (!o->pattern || !o->brief)
			return -ENOMEM;
		o->nearest = (struct nearest){.word = o->pattern, .len = strlen(o->pattern)};
		o->kinship = NO_KINSHIP;
	}
	return s->ones ? 0 : -ENOMEM;
}

static int seek(struct reading *r, size_t which, struct namer *namer, int out)
{
	struct seeking *s = r->ctx;
	int err = begin(s);

	(void)which;
	err = err ? err : look_into_all(s, r, namer);
	reading_is_done();
	for (size_t i = 0; !err && i < s->n; i++) {
		struct one *o = &s->ones[i];

		/* The parameters of a function that is inlined everywhere are not known. They are
		 * probably wrong if a function of that name with other ones has a symbol. */
		o->answer.found |= s->unsure || (o->inlined && !o->overloaded);
		err = write_all(out, &o->answer, sizeof o->answer);
	}
	/* s->ones is not freed: the process ends here. */
	return err;
}

/* ---- outside ---- */

static int take(struct reading *r, size_t which, int fd)
{
	const struct seeking *s = r->ctx;
	struct answer *answers = calloc(s->n, sizeof *answers);
	int err = answers ? reading_take(fd, answers, s->n * sizeof *answers) : -ENOMEM;

	(void)which;
	for (size_t i = 0; !err && i < s->n; i++) {
		s->v[i].nowhere = !answers[i].found;
		snprintf(s->v[i].near, SOUGHT_NEAR, "%.*s", SOUGHT_NEAR - 1, answers[i].near);
	}
	free(answers);
	return err;
}

/* For free(), after closing them. NULL: out of memory. */
static struct resolve_module *open_files(const struct sought_file *files, size_t n)
{
	struct resolve_module *v = calloc(n + 1, sizeof *v);

	for (size_t i = 0; v && i < n; i++)
		v[i] = (struct resolve_module){files[i].path, codefile_open(files[i].path)};
	return v;
}

int sought_in_files(struct sought *v, size_t n, const struct sought_file *files, size_t n_files,
		    say_fn *say)
{
	/* There is no without(): if no file can be read, nothing is certain. */
	static const struct reading_ops ops = {.work = seek, .take = take};
	struct seeking s = {.v = v, .n = n, .files = files};
	struct reading r = {.ops = &ops, .ctx = &s, .n = n && n_files ? 1 : 0, .say = say};

	for (size_t i = 0; i < n; i++) {
		v[i].nowhere = false;
		*v[i].near = '\0';
	}
	struct resolve_module *open = r.n ? open_files(files, n_files) : NULL;
	int err = !r.n ? 0 : open ? reading_run(&r, open, n_files) : -ENOMEM;

	for (size_t i = 0; open && i < n_files; i++)
		if (open[i].fd >= 0)
			close(open[i].fd);
	free(open);
	reading_end(&r);
	return err;
}
