/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/namecache.h"

#include "symbols/debugfile.h"
#include "symbols/namecache_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Smaller files with DWARF are read fast enough without a cache. */
#define SMALLEST_FILE (1 << 20)

#define WHO_MAX (4 * PATH_MAX)

/*
 * What an entry is valid for: this mprof, this very file with the DWARF, and its source of names.
 * False: no entry may be made, for example because a part of the DWARF is in another file (dwz),
 * which may be replaced.
 */
static bool identity(struct module *m, char *out, size_t size)
{
	struct objfile *o = module_dwarf_file(m);
	struct stat st, self;
	GElf_Shdr shdr;

	if (!o || !*m->id || fstat(o->fd, &st) || st.st_size < SMALLEST_FILE ||
	    objfile_section(o, ".gnu_debugaltlink", &shdr) || stat("/proc/self/exe", &self))
		return false;
	int n = snprintf(out, size, "%s %jd.%ld.%jd %s %jd.%ld.%jd %s\n%s\n%s", MPROF_VERSION,
			 (intmax_t)self.st_mtim.tv_sec, self.st_mtim.tv_nsec,
			 (intmax_t)self.st_size, m->id, (intmax_t)st.st_mtim.tv_sec,
			 st.st_mtim.tv_nsec, (intmax_t)st.st_size, m->path,
			 m->searched ? m->file->path : "", m->searched ? m->file->other : "");

	return n > 0 && (size_t)n < size;
}

bool namecache_wanted(struct module *m)
{
	char text[WHO_MAX];

	return identity(m, text, sizeof text);
}

/* ---- reading ---- */

/* An address, or the text of a source function's key. 0 or -ENOMEM. */
static int get_key(struct symbols *s, struct cache_in *in, uint64_t *key)
{
	const char *text = cache_get_text(in);
	uint32_t number;

	*key = cache_get_int(in);
	if (!text) {
		in->bad = in->bad || (*key & KEY_SOURCE_FUNCTION);
		return 0;
	}
	if (!strpool_add(&s->keys, text, &number))
		return -ENOMEM;
	*key = number | KEY_SOURCE_FUNCTION;
	return 0;
}

static int keep(struct symbols *s, const char **text)
{
	if (!*text)
		return 0;
	*text = strpool_add(&s->names, *text, NULL);
	return *text ? 0 : -ENOMEM;
}

static int get_frame(struct symbols *s, struct cache_in *in, struct sym_frame *f)
{
	int err = get_key(s, in, &f->function_key);

	f->name = cache_get_text(in);
	f->linkage = cache_get_text(in);
	f->file = cache_get_text(in);
	f->address = cache_get_int(in);
	f->offset = cache_get_int(in);
	f->line = (uint32_t)cache_get_int(in);
	f->inlined = cache_get_int(in);
	if (!f->name || !f->linkage)
		in->bad = true;
	if (!err)
		err = keep(s, &f->name);
	if (!err)
		err = keep(s, &f->linkage);
	return err ? err : keep(s, &f->file);
}

static int get_place(struct symbols *s, uint32_t module, struct cache_in *in)
{
	uint64_t pc = cache_get_int(in);
	bool is_return = cache_get_int(in);
	uint64_t n = cache_get_count(in);
	struct sym_frame *frames = n ? calloc(n, sizeof *frames) : NULL;
	int err = frames ? 0 : -ENOMEM;

	for (uint64_t i = 0; !err && !in->bad && i < n; i++)
		err = get_frame(s, in, &frames[i]);
	if (!err && !in->bad && !frames[0].inlined)
		err = symbols_remember(s, module, pc, is_return, frames, n);
	else
		free(frames);
	if (!n)
		in->bad = true;
	return in->bad ? 0 : err;
}

static int get_types(struct symbols *s, struct module *m, struct cache_in *in)
{
	uint64_t n = cache_get_count(in);
	int err = 0;

	m->types = calloc(n + 1, sizeof *m->types);
	if (!m->types)
		return -ENOMEM;
	for (; !err && !in->bad && m->n_types < n; m->n_types++) {
		struct sym_type *t = &m->types[m->n_types];

		t->size = cache_get_int(in);
		t->name = cache_get_text(in);
		if (!t->name || (m->n_types && t[-1].size > t->size))
			in->bad = true;
		else
			err = keep(s, &t->name);
	}
	m->has_types = true;
	return err;
}

static int get_module(struct symbols *s, uint32_t module, struct cache_in *in)
{
	struct module *m = s->modules[module];
	const char *source = cache_get_text(in);
	uint64_t has_types = cache_get_int(in);
	int err = has_types ? get_types(s, m, in) : 0;
	uint64_t n = cache_get_count(in);

	for (uint64_t i = 0; !err && !in->bad && i < n; i++)
		err = get_place(s, module, in);
	if (err || in->bad || !source)
		return err;
	m->source = strdup(source);
	return m->source ? 0 : -ENOMEM;
}

int namecache_take(struct symbols *s, uint32_t module, struct cache_in *in)
{
	struct module *m = s->modules[module];
	int err = get_module(s, module, in);

	/* What was read before the error is harmless, but a part of the types is useless. */
	if (in->bad && m->has_types) {
		free(m->types);
		m->types = NULL;
		m->n_types = 0;
		m->has_types = false;
	}
	return err;
}

int namecache_load(struct symbols *s, uint32_t module)
{
	struct module *m = s->modules[module];
	char who[WHO_MAX];
	struct cache_in in;

	if (m->cache_asked || !s->search.cache)
		return 0;
	m->cache_asked = true;
	if (!identity(m, who, sizeof who) || cache_open(&in, m->id, who))
		return 0;
	int err = namecache_take(s, module, &in);

	cache_close(&in);
	return err;
}

/* ---- writing ---- */

static void put_frame(const struct symbols *s, struct cache_out *out, const struct sym_frame *f)
{
	bool source = f->function_key & KEY_SOURCE_FUNCTION;

	cache_put_text(out, source ? s->keys.strings[f->function_key & UINT32_MAX] : NULL);
	cache_put_int(out, source ? 0 : f->function_key);
	cache_put_text(out, f->name);
	cache_put_text(out, f->linkage);
	cache_put_text(out, f->file);
	cache_put_int(out, f->address);
	cache_put_int(out, f->offset);
	cache_put_int(out, f->line);
	cache_put_int(out, f->inlined);
}

static void put_place(const struct symbols *s, struct cache_out *out, const struct cached *c)
{
	cache_put_int(out, c->pc);
	cache_put_int(out, c->is_return);
	cache_put_int(out, c->n);
	for (size_t i = 0; i < c->n; i++)
		put_frame(s, out, &c->frames[i]);
}

static void save_module(struct symbols *s, uint32_t module)
{
	struct module *m = s->modules[module];
	char who[WHO_MAX];
	struct cache_out out;
	uint64_t n = 0;

	/* DWARF in other files may change while this one does not. */
	if (!m->cache_dirty || !m->source || m->cus.split || !identity(m, who, sizeof who) ||
	    cache_create(&out, m->id, who, s->search.outside))
		return;
	cache_put_text(&out, m->source);
	cache_put_int(&out, m->has_types);
	if (m->has_types)
		cache_put_int(&out, m->n_types);
	for (size_t i = 0; m->has_types && i < m->n_types; i++) {
		cache_put_int(&out, m->types[i].size);
		cache_put_text(&out, m->types[i].name);
	}
	for (size_t i = 0; i < s->n_cached; i++)
		n += s->cache[i].module == module;
	cache_put_int(&out, n);
	for (size_t i = 0; i < s->n_cached; i++)
		if (s->cache[i].module == module)
			put_place(s, &out, &s->cache[i]);
	cache_finish(&out);
}

void namecache_save(struct symbols *s)
{
	for (uint32_t i = 0; s->search.cache && i < s->n_modules; i++)
		save_module(s, i);
}
