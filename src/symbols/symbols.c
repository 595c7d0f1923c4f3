/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/symbols.h"

#include "base/array.h"
#include "symbols/namecache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct symbols *symbols_new(void)
{
	return calloc(1, sizeof(struct symbols));
}

void symbols_set_search(struct symbols *s, const struct symbols_search *how)
{
	s->search = *how;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	namecache_save(s);
	for (size_t i = 0; i < s->n_cached; i++)
		free(s->cache[i].frames);
	free(s->cache);
	idindex_release(&s->cache_index);
	for (size_t i = 0; i < s->n_modules; i++) {
		module_release(s->modules[i]);
		free(s->modules[i]);
	}
	free(s->modules);
	strpool_release(&s->names);
	strpool_release(&s->keys);
	free(s);
}

/* To be called before a module is read. */
static void tell_reading(const struct symbols *s, int module)
{
	if (s->search.outside)
		s->search.outside->reading((uint32_t)module);
}

int symbols_add_module(struct symbols *s, const char *path, int fd)
{
	int own = -1;

	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the elements are pointers */
	if (s->n_modules >= INT_MAX || ARRAY_RESERVE(&s->modules, &s->cap_modules, s->n_modules))
		return -ENOMEM;
	struct module *m = malloc(sizeof *m);

	if (!m)
		return -ENOMEM;
	int err = 0;

	if (fd >= 0) {
		own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (own < 0)
			err = -errno;
	}
	tell_reading(s, (int)s->n_modules);
	if (!err)
		err = module_init(m, path, own, &s->search);
	if (err) {
		free(m);
		return err;
	}
	s->modules[s->n_modules] = m;
	return (int)s->n_modules++;
}

struct module *symbols_module(struct symbols *s, int module)
{
	tell_reading(s, module);
	return s->modules[module];
}

const char *symbols_build_id(struct symbols *s, int module)
{
	return s->modules[module]->id;
}

const char *symbols_source(struct symbols *s, int module)
{
	struct module *m = s->modules[module];

	tell_reading(s, module);
	/* If the cache has it, nothing needs to be opened. */
	if (!m->source && (namecache_load(s, (uint32_t)module) || (!m->source && module_open(m))))
		return "none";
	return module_source(m);
}

static bool is_cached(const void *symbols, uint32_t i, const void *key)
{
	const struct cached *a = &((const struct symbols *)symbols)->cache[i], *b = key;

	return a->pc == b->pc && a->module == b->module && a->is_return == b->is_return;
}

static uint64_t hash_of(const struct cached *c)
{
	return hash_mix((c->pc * 2 + c->is_return) ^ (uint64_t)c->module << 40);
}

static uint64_t rehash(const void *symbols, uint32_t i)
{
	return hash_of(&((const struct symbols *)symbols)->cache[i]);
}

static uint32_t find_cached(const struct symbols *s, const struct cached *key)
{
	return idindex_find(&s->cache_index, hash_of(key), is_cached, s, key);
}

static int remember(struct symbols *s, const struct cached *c)
{
	if (s->n_cached >= IDINDEX_NONE || ARRAY_RESERVE(&s->cache, &s->cap_cached, s->n_cached) ||
	    idindex_add(&s->cache_index, (uint32_t)s->n_cached, hash_of(c), rehash, s))
		return -ENOMEM;
	s->cache[s->n_cached++] = *c;
	return 0;
}

int symbols_remember(struct symbols *s, uint32_t module, uint64_t pc, bool is_return,
		     struct sym_frame *frames, size_t n)
{
	const struct cached c = { pc, module, is_return, frames, n };
	bool known = find_cached(s, &c) != IDINDEX_NONE;
	int err = known ? 0 : remember(s, &c);

	if (known || err)
		free(frames);
	return err;
}

int symbols_lookup(struct symbols *s, int module, uint64_t pc, bool is_return,
		   struct sym_frames *out)
{
	struct cached c = { .pc = pc, .module = (uint32_t)module, .is_return = is_return };

	tell_reading(s, module);
	if (namecache_load(s, c.module))
		return -ENOMEM;
	uint32_t found = find_cached(s, &c);

	if (found == IDINDEX_NONE) {
		int err = frames_find(s, s->modules[module], pc, is_return, &c.frames, &c.n);

		if (err)
			return err;
		found = (uint32_t)s->n_cached;
		err = remember(s, &c);
		if (err) {
			free(c.frames);
			return err;
		}
		s->modules[module]->cache_dirty = true;
	}
	*out = (struct sym_frames){ .frames = s->cache[found].frames, .n = s->cache[found].n };
	return 0;
}
