/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread caches (tcache). Each thread has a pointer to its own in its static thread-local storage,
 * below its thread pointer, at the same distance in every thread: that distance is searched. The
 * caches of threads that do not exist any more are recognised by their shape.
 */
#include "heapwalk/glibc_internal.h"

enum {
	LISTS = 64,
	NEAR = 8 << 10,
	FAR = 1 << 20, /* bytes below the thread pointer */
	OFFSETS_MAX = 16,
	COUNTS_OFF = 2, /* lists that a thread may be in the middle of changing */
	KEY = 8,	/* offset in a block, behind the link */
};

/* The layout of a cache: the size of a count, and of the chunk that the cache is in. */
struct layout {
	unsigned count_size, chunk_size;
};

/* 2.30 and later, and those before. Source: struct tcache_perthread_struct. */
static const struct layout layouts[] = {{2, 0x290}, {1, 0x250}};

struct cache {
	taddr block;
	const struct layout *layout;
};

/* ---- recognising one ---- */

static uint64_t chunk_size_at(struct glibc *g, taddr chunk)
{
	return still_word_or_0(&g->r, chunk + CHUNK_SIZE) & ~(uint64_t)CHUNK_BITS;
}

static uint64_t list_size(int list)
{
	return CHUNK_MIN + (uint64_t)list * CHUNK_UNIT;
}

static uint32_t count_of(struct glibc *g, const struct cache *c, int list)
{
	uint64_t word = still_word_or_0(&g->r, (c->block + (taddr)list * c->layout->count_size) &
						       ~(taddr)7);
	unsigned shift = (unsigned)(c->block + (taddr)list * c->layout->count_size) % 8 * 8;

	return (uint32_t)(word >> shift) & (c->layout->count_size == 2 ? 0xffff : 0xff);
}

static taddr head_of(struct glibc *g, const struct cache *c, int list)
{
	return still_word_or_0(&g->r,
			       c->block + (taddr)LISTS * c->layout->count_size + (taddr)list * 8);
}

static bool has_right_lists(struct glibc *g, const struct cache *c)
{
	int off = 0;

	for (int i = 0; i < LISTS; i++) {
		taddr head = head_of(g, c, i);

		if (head &&
		    (head % CHUNK_UNIT || chunk_size_at(g, head - CHUNK_HEADER) != list_size(i)))
			return false;
		off += !head != !count_of(g, c, i);
	}
	return off <= COUNTS_OFF;
}

static bool is_block_of_cache(struct glibc *g, taddr block, struct cache *c)
{
	const struct heap_blocks *b = &g->w->blocks;

	c->block = block;
	if (!c->block || c->block % CHUNK_UNIT)
		return false;
	uint64_t size = chunk_size_at(g, c->block - CHUNK_HEADER);
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
		c->layout = &layouts[i];
		if (size != c->layout->chunk_size)
			continue;
		size_t chunk = heap_blocks_find(b, c->block - CHUNK_HEADER);
		if (chunk != HEAP_NO_CHUNK && b->states[chunk] == HEAP_LIVE &&
		    has_right_lists(g, c))
			return true;
	}
	return false;
}

/* Does the word at @at point at a cache? */
static bool is_cache(struct glibc *g, taddr at, struct cache *c)
{
	return is_block_of_cache(g, still_word_or_0(&g->r, at), c);
}

/* ---- where threads have the pointer ---- */

/* How many threads have a pointer to a cache @offset below their thread pointer. */
static size_t count_at(struct glibc *g, uint64_t offset)
{
	struct cache c;
	size_t n = 0;

	for (size_t i = 0; i < g->s->n_tasks; i++)
		n += g->s->tasks[i].tp && is_cache(g, g->s->tasks[i].tp - offset, &c);
	return n;
}

/* Offsets below a thread pointer, from @from to @to, that have a pointer to a cache. */
static size_t find_offsets(struct glibc *g, taddr tp, uint64_t from, uint64_t to,
			   uint64_t offsets[OFFSETS_MAX])
{
	struct cache c;
	size_t n = 0;

	for (uint64_t off = from; off < to && off < tp && n < OFFSETS_MAX; off += 8)
		if (is_cache(g, tp - off, &c))
			offsets[n++] = off;
	return n;
}

/* The offset at which most threads have a cache, of those found in some of the first @tasks; 0:
 * none. */
static uint64_t find_offset(struct glibc *g, uint64_t from, uint64_t to, size_t tasks)
{
	enum { THREADS = 4 }; /* with a cache: a thread that never allocates has none */
	uint64_t best = 0;
	size_t most = 0, have = 0;

	for (size_t i = 0; i < g->s->n_tasks && i < tasks && have < THREADS; i++) {
		uint64_t offsets[OFFSETS_MAX];
		size_t n = find_offsets(g, g->s->tasks[i].tp, from, to, offsets);

		have += n > 0;
		for (size_t k = 0; k < n; k++) {
			size_t threads = count_at(g, offsets[k]);

			if (threads > most) {
				most = threads;
				best = offsets[k];
			}
		}
	}
	return best;
}

/* ---- their contents ---- */

/* From 2.34 on all caches of a process have the same key. */
static void check_key(struct glibc *g, const struct cache *cache, taddr block)
{
	taddr key = still_word_or_0(&g->r, block + KEY);

	if (g->links != LINKS_MANGLED || key == cache->block)
		return;
	if (!g->key)
		g->key = key;
	if (key != g->key)
		heap_check_fail(g->w, CHECK_KEY, "0x%llx has another one",
				(unsigned long long)block);
}

/* Walk a list to its end; its count may be slightly out of date. False: something in it is no free
 * block. */
static bool walk_list(struct glibc *g, const struct cache *cache, int list, uint32_t *n)
{
	struct heap_blocks *b = &g->w->blocks;
	taddr block = head_of(g, cache, list);

	for (*n = 0; block; ++*n) {
		size_t i = glibc_live_chunk(g, block - CHUNK_HEADER, list_size(list));

		if (i == HEAP_NO_CHUNK) {
			heap_check_fail(g->w, CHECK_LISTS, "0x%llx is in a thread's cache",
					(unsigned long long)block);
			return false;
		}
		b->states[i] = HEAP_CACHED;
		check_key(g, cache, block);
		block = glibc_link(block, still_word_or_0(&g->r, block),
				   g->links == LINKS_MANGLED);
	}
	return true;
}

/* @counts: check its counts; a thread that ends empties its cache without counting. */
static void walk_cache(struct glibc *g, const struct cache *cache, bool counts)
{
	struct heap_blocks *b = &g->w->blocks;
	int off = 0;

	b->states[heap_blocks_find(b, cache->block - CHUNK_HEADER)] = HEAP_OWN;
	g->w->caches++;
	for (int i = 0; i < LISTS; i++)
		glibc_links_learn(g, head_of(g, cache, i), list_size(i), CHUNK_HEADER);
	for (int i = 0; i < LISTS; i++) {
		uint32_t n, count = count_of(g, cache, i);

		if (!walk_list(g, cache, i, &n) || n == count)
			continue;
		off += n + 1 == count || n == count + 1 ? 1 : COUNTS_OFF + 1;
	}
	if (counts && off > COUNTS_OFF)
		heap_check_fail(g->w, CHECK_LISTS, "the cache at 0x%llx counts its lists wrongly",
				(unsigned long long)cache->block);
}

/* Is a cache being emptied by a thread that is about to end? It has no pointer to it any more, but
 * may have it in a register. */
static bool is_being_emptied(struct glibc *g)
{
	struct cache c;

	for (size_t i = 0; i < g->s->n_words; i++)
		if (is_block_of_cache(g, g->s->words[i], &c))
			return true;
	return false;
}

/* Walk the caches of all threads. Returns whether all have been found. */
static bool walk_all(struct glibc *g, uint64_t offset)
{
	const struct still *s = g->s;
	bool all = true;

	for (size_t i = 0; i < s->n_tasks; i++) {
		taddr at = s->tasks[i].tp - offset;
		struct cache cache;

		if (!s->tasks[i].tp)
			continue;
		if (is_cache(g, at, &cache)) {
			walk_cache(g, &cache, true);
		} else if (still_word_or_0(&g->r, at)) {
			heap_check_fail(g->w, CHECK_CACHES,
					"what 0x%llx points at is no cache of a thread",
					(unsigned long long)at);
			all = false;
		}
	}
	return all && !s->running && !is_being_emptied(g);
}

/* ---- caches of threads that do not exist any more ---- */

/* Do its lists, as far as can be seen, have free blocks? Then they are not longer than their
 * counts, for a thread that was about to end has taken from lists without counting, and each block
 * has the key; before 2.29, when there was no key, they have to be as long as their counts. */
static bool has_free_lists(struct glibc *g, const struct cache *c, bool mangled)
{
	bool keyed = true, counted = true, any = false;

	for (int i = 0; i < LISTS; i++) {
		uint32_t n = 0, count = count_of(g, c, i);
		taddr block = head_of(g, c, i);

		for (; block && n < count && g->steps; n++, g->steps--) {
			taddr key = still_word_or_0(&g->r, block + KEY);

			if (glibc_live_chunk(g, block - CHUNK_HEADER, list_size(i)) ==
			    HEAP_NO_CHUNK)
				return false;
			keyed &= key == c->block || (mangled && key && (!g->key || key == g->key));
			block = glibc_link(block, still_word_or_0(&g->r, block), mangled);
		}
		if (block)
			return false;
		counted &= n == count;
		any |= n > 0;
	}
	return any && (keyed || (!mangled && counted));
}

/* A program's table of pointers may have the size of a cache, with pointers to blocks in the right
 * places: so check the lists, too. */
static bool is_orphan(struct glibc *g, taddr block, struct cache *c)
{
	if (!is_block_of_cache(g, block, c))
		return false;
	if (g->links != LINKS_UNKNOWN)
		return has_free_lists(g, c, g->links == LINKS_MANGLED);
	return has_free_lists(g, c, true) || has_free_lists(g, c, false);
}

/* A child of fork(2) has the caches of its parent's other threads, whose blocks will never be
 * handed out again. An empty one cannot be told from other blocks. */
static int try_orphan(void *ctx, const struct heap_block *block)
{
	struct glibc *g = ctx;
	struct cache c;

	if (is_orphan(g, block->at, &c))
		walk_cache(g, &c, false);
	return 0;
}

static void walk_orphans(struct glibc *g)
{
	heap_blocks_each_live(&g->w->blocks, try_orphan, g);
	if (!g->steps)
		heap_check_fail(g->w, CHECK_LISTS, "lists are so long that they were given up");
}

/* ---- all of them ---- */

void glibc_caches_walk(struct glibc *g)
{
	enum { FAR_TASKS = 64 }; /* a megabyte of each */
	uint64_t offset = find_offset(g, 0, NEAR, SIZE_MAX);

	if (!offset)
		offset = find_offset(g, NEAR, FAR, FAR_TASKS);
	if (offset)
		g->all_caches = walk_all(g, offset);
	walk_orphans(g);
	if (!g->params.found)
		heap_check_skip(g->w, CHECK_CACHES, "whether there are any is not known");
	else if (!g->w->caches && g->params.cache_bins)
		heap_check_fail(g->w, CHECK_CACHES,
				"none has been found: what is in them is among the blocks");
}

/* ---- blocks with the key that are in no list ---- */

/* How many blocks with @state have the key; those that @take accepts, or all, get the state @to. */
static size_t count_keyed(struct glibc *g, enum heap_state state,
			  bool (*take)(const struct glibc *g, taddr block), enum heap_state to)
{
	struct heap_blocks *b = &g->w->blocks;
	size_t n = 0;

	for (size_t p = 0; p < b->n_pieces; p++) {
		for (size_t i = b->pieces[p].first; i < b->pieces[p].first + b->pieces[p].n; i++) {
			taddr block = heap_chunk_at(&b->pieces[p], &b->chunks[i]) + CHUNK_HEADER;
			uint64_t key;

			if (b->states[i] != state || !still_word(&g->r, block + KEY, &key) ||
			    key != g->key || (take && !take(g, block)))
				continue;
			b->states[i] = to;
			n++;
		}
	}
	return n;
}

static bool is_in_register(const struct glibc *g, taddr block)
{
	for (size_t i = 0; i < g->s->n_words; i++)
		if (g->s->words[i] == block || g->s->words[i] == block - CHUNK_HEADER)
			return true;
	return false;
}

/*
 * A block gets the key when it is freed into a cache, and loses it when it is handed out from
 * there. So a block with the key that is in no list is just being freed by a thread; if there are
 * more than threads, they are in caches that have not been found. All of them are free.
 *
 * But a thread that ends frees the blocks in its cache, and leaves the key in them: such a block is
 * in a fastbin, or has been handed out from there and not been written to. If there are any of
 * these, and all caches have been found, only blocks whose address is in a register are being
 * freed. Source: tcache_thread_shutdown(), tcache_put().
 */
void glibc_keyed_take(struct glibc *g)
{
	if (!g->key) {
		heap_check_skip(g->w, CHECK_KEY, "no block is in one, or blocks have no key");
		return;
	}
	bool ended = g->all_caches && count_keyed(g, HEAP_FAST, NULL, HEAP_FAST);
	size_t n = count_keyed(g, HEAP_LIVE, ended ? is_in_register : NULL, HEAP_CACHED);

	if (n > g->s->n_tasks)
		heap_check_fail(g->w, CHECK_CACHES,
				"%zu blocks are in thread caches that have not been found", n);
}
