/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/sought.h"

#include "base/glob.h"
#include "base/nearest.h"
#include "base/preadall.h"
#include "base/regular.h"
#include "base/writeall.h"
#include "confine/apart.h"
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

/* Debug information may have shorter names where no strings are. */
enum { SHORTEST_STRING = 4 };

/* What comes of one; its text is untrusted outside. */
struct answer {
	bool found;
	char near[SOUGHT_NEAR];
};

struct one {
	char *pattern;
	char *bare; /* without what a string need not have before and behind it */
	struct nearest nearest;
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

static void try_near(struct one *o, const char *name)
{
	nearest_try(&o->nearest, name);
	if (o->nearest.best != name || strlen(name) >= SOUGHT_NEAR)
		return;
	memcpy(o->answer.near, name, strlen(name) + 1);
	o->nearest.best = o->answer.near;
}

static void meet_symbol(void *ctx, const char *name)
{
	struct seeking *s = ctx;
	char text[LONGEST];
	const char *shown = readable(name, text);

	for (size_t i = 0; i < s->n; i++)
		if (glob_matches(s->ones[i].pattern, shown))
			s->ones[i].answer.found = true;
		else if (s->program)
			try_near(&s->ones[i], shown);
}

static void meet_string(void *ctx, const char *name)
{
	struct seeking *s = ctx;
	char text[LONGEST];
	const char *shown = readable(name, text);

	for (size_t i = 0; i < s->n; i++)
		if (glob_matches(s->ones[i].bare, shown))
			s->ones[i].answer.found = true;
}

/* 0 or -ENOMEM. */
static int look_into(struct seeking *s, struct symbols *symbols, const struct sought_file *f)
{
	const struct allnames to = {meet_symbol, meet_string, s};
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

/* A function that is inlined everywhere has no more than a name there: without namespace and
 * parameters; and linkers make one string the end of another. For free(), or NULL. */
static char *bare(const char *pattern)
{
	int len = (int)strcspn(pattern, "(<"), from = len;
	char *text;

	while (from && pattern[from - 1] != ':')
		from--;
	return asprintf(&text, "*%.*s", len - from, pattern + from) < 0 ? NULL : text;
}

/* 0 or -ENOMEM. */
static int begin(struct seeking *s)
{
	s->ones = calloc(s->n, sizeof *s->ones);
	for (size_t i = 0; s->ones && i < s->n; i++) {
		struct one *o = &s->ones[i];

		o->pattern = strdup(s->v[i].pattern);
		o->bare = bare(s->v[i].pattern);
		if (!o->pattern || !o->bare)
			return -ENOMEM;
		o->nearest = (struct nearest){.word = o->pattern, .len = strlen(o->pattern)};
		o->answer.found = strlen(o->bare + 1) < SHORTEST_STRING;
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
		s->ones[i].answer.found |= s->unsure;
		err = write_all(out, &s->ones[i].answer, sizeof s->ones[i].answer);
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
