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
	for (size_t i = 0; i < s->n_slots; i++)
		free(s->cache[i].frames);
	free(s->cache);
	for (size_t i = 0; i < s->n_modules; i++) {
		module_release(s->modules[i]);
		free(s->modules[i]);
	}
	free(s->modules);
	strpool_release(&s->names);
	strpool_release(&s->keys);
	free(s);
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
	if (!err)
		err = module_init(m, path, own, &s->search);
	if (err) {
		free(m);
		return err;
	}
	s->modules[s->n_modules] = m;
	return (int)s->n_modules++;
}

const char *symbols_build_id(struct symbols *s, int module)
{
	return s->modules[module]->id;
}

const char *symbols_source(struct symbols *s, int module)
{
	struct module *m = s->modules[module];

	/* The cache knows, and then nothing need be opened. */
	if (!m->source && (namecache_load(s, (uint32_t)module) || (!m->source && module_open(m))))
		return "none";
	return module_source(m);
}

static size_t find_slot(const struct symbols *s, uint32_t module, uint64_t pc, bool is_return)
{
	uint64_t h = (pc * 2 + is_return) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)module << 20;
	size_t i = (h ^ h >> 29) & (s->n_slots - 1);
	const struct cached *c;

	for (; (c = &s->cache[i])->n; i = (i + 1) & (s->n_slots - 1))
		if (c->pc == pc && c->module == module && c->is_return == is_return)
			break;
	return i;
}

static int grow_cache(struct symbols *s)
{
	struct cached *old = s->cache;
	size_t n_old = s->n_slots, want = n_old ? n_old * 2 : 256;
	struct cached *v = calloc(want, sizeof *v);

	if (!v)
		return -ENOMEM;
	s->cache = v;
	s->n_slots = want;
	for (size_t i = 0; i < n_old; i++)
		if (old[i].n)
			v[find_slot(s, old[i].module, old[i].pc, old[i].is_return)] = old[i];
	free(old);
	return 0;
}

int symbols_remember(struct symbols *s, uint32_t module, uint64_t pc, bool is_return,
		     struct sym_frame *frames, size_t n)
{
	if (s->n_cached >= s->n_slots / 2 && grow_cache(s)) {
		free(frames);
		return -ENOMEM;
	}
	struct cached *c = &s->cache[find_slot(s, module, pc, is_return)];

	if (c->n) {
		free(frames);
		return 0;
	}
	*c = (struct cached){ pc, module, is_return, frames, n };
	s->n_cached++;
	return 0;
}

int symbols_lookup(struct symbols *s, int module, uint64_t pc, bool is_return, struct sym_frames *out)
{
	struct module *m = s->modules[module];
	struct sym_frame *frames;
	size_t n;

	if (namecache_load(s, (uint32_t)module) || (!s->n_slots && grow_cache(s)))
		return -ENOMEM;
	const struct cached *c = &s->cache[find_slot(s, (uint32_t)module, pc, is_return)];

	if (!c->n) {
		int err = frames_find(s, m, pc, is_return, &frames, &n);

		if (!err)
			err = symbols_remember(s, (uint32_t)module, pc, is_return, frames, n);
		if (err)
			return err;
		m->cache_dirty = true;
		c = &s->cache[find_slot(s, (uint32_t)module, pc, is_return)];
	}
	*out = (struct sym_frames){ .frames = c->frames, .n = c->n };
	return 0;
}
