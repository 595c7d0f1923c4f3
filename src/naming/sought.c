/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/sought.h"

#include "base/glob.h"
#include "base/nearest.h"
#include "base/preadall.h"
#include "base/regular.h"
#include "base/writeall.h"
#include "confine/apart.h"
#include "naming/shortname.h"
#include "symbols/allnames.h"
#include "symbols/demangle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The longest name that anybody would write; what is longer matches nothing. */
enum { LONGEST = 4096 };

/* What comes of one; its text is untrusted outside. */
struct answer {
	bool found;
	char near[SOUGHT_NEAR];
};

/* What the name that is suggested has in common with the one that is sought, the best first. Of a
 * library nearly any name has something in common with another. */
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
	bool overloaded; /* there is one with other parameters */
	bool inlined;	 /* a function of this name is known without its parameters */
	struct answer answer;
};

struct seeking {
	const struct sought *v;
	size_t n;
	const struct sought_file *files;
	size_t n_files;
	/* In the process: */
	struct one *ones;
	bool program; /* the file that is read is it */
	bool unsure;  /* there may be names that nobody has told */
};

/* ---- in the process ---- */

/* As reports have it: readable, or without what compilers append. */
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
	if (o->nearest.best == shown)
		return FEW_SLIPS;
	return strcmp(last_part(o->brief), last_part(brief)) ? NO_KINSHIP : SAME_LAST_PART;
}

/* A name in a file: the symbol, as reports have it, and short. */
struct met {
	const char *name, *shown, *brief;
};

/* Is it the one that may be meant? */
static void try_near(const struct seeking *s, struct one *o, const struct met *m)
{
	const char *shown = m->shown;
	enum kinship is = kinship(o, shown, m->brief, s->program);

	/* @shown does not stay. */
	o->nearest.best = o->nearest.best ? o->pattern : NULL;
	o->overloaded |= is == SAME_BUT_PARAMETERS || is == SAME_IN_LIBRARY;
	/* Of those with slips the one that comes later has fewer. */
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

/* For all that are sought; @otherwise is asked of those that it is not. */
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

/* Names of templates have their arguments there. */
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
static int look_into(struct seeking *s, struct symbols *symbols, const struct sought_file *f)
{
	const struct allnames to = {meet_symbol, is_wanted, meet_debug, s};
	bool all = false;
	int fd = regular_open(AT_FDCWD, f->path, 0), err = 0;
	int module = fd < 0 ? fd : symbols_add_module(symbols, f->path, fd);

	s->program = f->program;
	if (module == -ENOMEM)
		err = -ENOMEM;
	else if (module >= 0 &&
		 (!*f->build_id || !strcmp(f->build_id, symbols_build_id(symbols, module))))
		err = symbols_allnames(symbols, module, &to, &all);
	else
		s->unsure = true;
	/* A library is as often as not without names of its own, and nobody means these. */
	s->unsure |= f->program && !all;
	if (fd >= 0)
		close(fd);
	return err;
}

/* For free(), or NULL. */
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

static int seek_in_there(void *ctx, int out)
{
	struct seeking *s = ctx;
	struct symbols *symbols = symbols_new();
	int err = symbols ? begin(s) : -ENOMEM;

	for (size_t i = 0; !err && i < s->n_files; i++)
		err = look_into(s, symbols, &s->files[i]);
	for (size_t i = 0; !err && i < s->n; i++) {
		struct one *o = &s->ones[i];

		/* Whether the parameters are those of one that is inlined everywhere nobody can
		 * tell; most likely they are wrong if one that has a symbol has others. */
		o->answer.found |= s->unsure || (o->inlined && !o->overloaded);
		err = write_all(out, &o->answer, sizeof o->answer);
	}
	/* The process ends here. */
	return err;
}

/* ---- outside ---- */

void sought_in_files(struct sought *v, size_t n, const struct sought_file *files, size_t n_files)
{
	struct seeking s = {.v = v, .n = n, .files = files, .n_files = n_files};
	const struct apart_work work = {
		.work = seek_in_there, .ctx = &s, .bounds = apart_bounds()};
	struct apart_end end;
	int out = n && n_files ? apart_run(&work, &end) : -1;

	for (size_t i = 0; i < n; i++) {
		struct answer a;
		bool known = out >= 0 && pread_all(out, &a, sizeof a, (off_t)(i * sizeof a)) ==
						 (ssize_t)sizeof a;

		v[i].nowhere = known && !a.found;
		*v[i].near = '\0';
		if (known)
			snprintf(v[i].near, SOUGHT_NEAR, "%.*s", SOUGHT_NEAR - 1, a.near);
	}
	if (out >= 0)
		close(out);
}
