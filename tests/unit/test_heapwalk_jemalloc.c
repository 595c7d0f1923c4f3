/* SPDX-License-Identifier: BSD-2-Clause */
/* jemalloc's data structures made by hand: what is there is found, and whatever is damaged, the
 * walk ends and reads nothing outside of the still. */
#include "unit/unit.h"

#include "unit/made_heap.h"

#include "heapwalk/jemalloc.h"

#include <errno.h>

#define DATA	 UINT64_C(0x7f0000000000)
#define BSS	 (DATA + 4096)
#define ROOT	 (BSS + 0x1058)
#define BASE	 UINT64_C(0x7e0000000000) /* what jemalloc has for itself: a leaf, and extents */
#define LEAF	 (BASE + 0xc0)
#define EDATA(i) (BASE + 0x300000 + (taddr)(i)*128)
#define PAGES	 UINT64_C(0x7e4012345000) /* what the extents are */
#define HUGE	 (PAGES + 0x200000)	  /* as is this one, whose bytes nobody needs */
#define HUGE_SIZE (UINT64_C(20) << 30)
#define TLS	 UINT64_C(0x7e8000000000)
#define TP	 (TLS + 0x8000)
#define ROWS	 (TP - 0x1000)
#define OTHER	 UINT64_C(0x1000000000) /* from TLS to another thread's */
#define STACKS	 (BASE + 0x380000) /* of the cache */

enum {
	SLAB_CLASS = 3, /* of 48 bytes: three pages */
	SLAB_PAGES = 3,
	REGIONS = SLAB_PAGES * 4096 / 48,
	LARGE_CLASS = 36, /* 16 KiB, and a page for where it begins */
	LARGE_PAGES = 5,
	LARGE_AT = 0x140,
	DIRTY_PAGES = 4,
	RETAINED_PAGES = 100,
	FREE = 7,   /* regions of the slab */
	CACHED = 2, /* and in the thread's cache */
	ROWS_N = 41,
};

static bool has_huge;

static void put_page(struct made_heap *h, taddr page, unsigned class, taddr edata, unsigned state,
		     bool slab)
{
	made_put(h, LEAF + (page >> 12 & 0x3ffff) * 8,
		 (uint64_t) class << 48 | edata | state << 2 | slab);
}

static void put_extent(struct made_heap *h, int i, taddr addr, unsigned pages, unsigned class,
		       unsigned state, bool slab, unsigned n_free)
{
	made_put(h, EDATA(i), (uint64_t)n_free << 28 | class << 20 | state << 17 | slab << 12);
	made_put(h, EDATA(i) + 8, addr);
	made_put(h, EDATA(i) + 16, pages * 4096u | 5);
	for (unsigned p = 0; p < pages; p += slab ? 1 : pages - 1)
		put_page(h, (addr & ~(taddr)4095) + p * 4096u, class, EDATA(i), state, slab);
}

/* Stacks that are all empty but for one. */
static void put_rows(struct made_heap *h, taddr rows, taddr stacks, unsigned cached)
{
	for (unsigned i = 0; i < ROWS_N; i++) {
		taddr full = stacks + i * 64, empty = full + 64, head = empty;

		if (i == SLAB_CLASS)
			head -= 8 * cached;
		made_put(h, rows + i * 24, head);
		made_put(h, rows + i * 24 + 16, (full & 0xffff) << 16 | (empty & 0xffff) << 32);
	}
}

static void put_cache(struct made_heap *h, taddr stacks)
{
	put_rows(h, ROWS, stacks, CACHED);
	for (unsigned i = 0; i < CACHED; i++)
		made_put(h, stacks + (SLAB_CLASS + 1) * 64 - 8 * (i + 1), PAGES + 48 * (20 + i));
}

static void put_huge_memory(struct made_heap *h)
{
	const struct proc_map m = {.start = HUGE,
				   .end = HUGE + HUGE_SIZE + 4096,
				   .readable = true,
				   .writable = true,
				   .path = ""};

	assert_int_equal(still_add_map(&h->still, &m), 0);
}

static void make(struct made_heap *h)
{
	*h = (struct made_heap){0};
	made_memory(h, BASE, 1024, "");
	made_memory(h, PAGES, SLAB_PAGES + LARGE_PAGES + DIRTY_PAGES, "");
	if (has_huge)
		put_huge_memory(h);
	made_memory(h, TLS, 10, "");
	made_memory(h, TLS + OTHER, 10, "");
	made_memory(h, DATA, 1, "/lib/libx.so");
	made_memory(h, BSS, 520, "");
	/* struct base_block_s */
	made_put(h, BASE, 1024 * 4096);
	made_put(h, BASE + 16, 0xe80afff);
	made_put(h, ROOT + (PAGES >> 30) * 8, LEAF);
	put_extent(h, 0, PAGES, SLAB_PAGES, SLAB_CLASS, 0, true, FREE);
	made_put(h, EDATA(0) + 64 + 8, (1 << FREE) - 1);
	taddr at = PAGES + SLAB_PAGES * 4096;
	put_extent(h, 1, at + LARGE_AT, LARGE_PAGES, LARGE_CLASS, 0, false, 0);
	/* A last page has what the extent before it had. */
	put_page(h, at + (LARGE_PAGES - 1) * 4096, 232, EDATA(1), 0, true);
	at += LARGE_PAGES * 4096;
	put_extent(h, 2, at, DIRTY_PAGES, 232, 1, false, 0);
	at += DIRTY_PAGES * 4096;
	put_extent(h, 3, at, RETAINED_PAGES, 232, 3, false, 0);
	/* Whose extent has gone. */
	made_put(h, LEAF + (at >> 12 & 0x3ffff) * 8 + 8, UINT64_C(232) << 48);
	put_cache(h, STACKS);
	struct still_task task = {0, 0, TP};
	assert_int_equal(still_add_task(&h->still, &task), 0);
}

static bool all_is_found(const struct heap_walk *w)
{
	struct heap_sum live = heap_walk_live(w), top = heap_walk_sum(w, HEAP_TOP);

	return live.n == REGIONS - FREE - CACHED + 1 &&
	       live.bytes == (REGIONS - FREE - CACHED) * 48 + 16384 &&
	       heap_walk_sum(w, HEAP_CACHED).n == CACHED && w->caches == 1 &&
	       heap_walk_sum(w, HEAP_BINNED).n == FREE && top.n == 2 &&
	       top.bytes == (DIRTY_PAGES + RETAINED_PAGES) * 4096 && w->n_arenas == 1 &&
	       w->arenas[0].system == (SLAB_PAGES + LARGE_PAGES + DIRTY_PAGES) * 4096;
}

static void what_is_there_is_found(void **state)
{
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	make(&h);
	assert_int_equal(jemalloc_walk(&h.still, &w), 0);
	assert_false(heap_walk_is_doubtful(&w));
	assert_true(all_is_found(&w));
	size_t large = heap_blocks_find(&w.blocks, PAGES + SLAB_PAGES * 4096 + LARGE_AT);
	assert_int_not_equal(large, HEAP_NO_CHUNK);
	assert_int_equal(heap_block_usable(&w.blocks, &w.blocks.chunks[large]), 16384);
	/* The base block is its own, and the ends of what is cut up. */
	assert_int_equal(heap_walk_sum(&w, HEAP_OWN).bytes,
			 1024 * 4096 + (SLAB_PAGES * 4096 - REGIONS * 48) + 4096);
	heap_walk_release(&w);
	assert_int_equal(heap_walk(&h.still, &w), 0);
	assert_int_equal(w.allocator, HEAP_JEMALLOC);
	heap_walk_release(&w);
	made_release(&h);
}

/* Larger than a chunk can be. */
static void a_block_of_twenty_gibibytes_is_one(void **state)
{
	enum { CLASS = 117 };
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	has_huge = true;
	make(&h);
	has_huge = false;
	put_extent(&h, 4, HUGE + LARGE_AT, 2, CLASS, 0, false, 0);
	put_page(&h, HUGE + 4096, 232, EDATA(4), 0, true);
	made_put(&h, EDATA(4) + 16, (HUGE_SIZE + 4096) | 5);
	assert_int_equal(jemalloc_walk(&h.still, &w), 0);
	assert_false(heap_walk_is_doubtful(&w));
	assert_int_equal(w.mapped.n, 1);
	assert_int_equal(w.mapped.bytes, HUGE_SIZE);
	assert_int_equal(heap_walk_live(&w).n, REGIONS - FREE - CACHED + 2);
	/* What is around it is the allocator's. */
	size_t front = heap_blocks_around(&w.blocks, HUGE);
	size_t end = heap_blocks_around(&w.blocks, HUGE + LARGE_AT + HUGE_SIZE);
	assert_int_equal(heap_chunk_size(&w.blocks.chunks[front]), LARGE_AT);
	assert_int_equal(heap_chunk_size(&w.blocks.chunks[end]), 4096 - LARGE_AT);
	assert_int_equal(heap_blocks_around(&w.blocks, HUGE + HUGE_SIZE / 2), HEAP_NO_CHUNK);
	heap_walk_release(&w);
	made_release(&h);
}

static void the_block_that_a_cache_is_in_is_not_the_programs(void **state)
{
	const taddr large = PAGES + SLAB_PAGES * 4096 + LARGE_AT;
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	make(&h);
	put_cache(&h, large + 64);
	assert_int_equal(jemalloc_walk(&h.still, &w), 0);
	assert_false(heap_walk_is_doubtful(&w));
	assert_int_equal(w.blocks.states[heap_blocks_find(&w.blocks, large)], HEAP_OWN);
	assert_int_equal(heap_walk_live(&w).n, REGIONS - FREE - CACHED);
	heap_walk_release(&w);
	/* A part of one that is not all in a block. */
	put_cache(&h, large + 16384 - 64);
	assert_int_equal(jemalloc_walk(&h.still, &w), 0);
	assert_int_equal(w.blocks.states[heap_blocks_find(&w.blocks, large)], HEAP_LIVE);
	heap_walk_release(&w);
	made_release(&h);
}

/* A program may have much thread-local storage of its own. */
static void a_cache_is_found_far_in_front_of_the_thread_pointer(void **state)
{
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	make(&h);
	h.still.tasks[0].tp = ROWS + 300000;
	assert_int_equal(jemalloc_walk(&h.still, &w), 0);
	assert_false(heap_walk_is_doubtful(&w));
	assert_true(all_is_found(&w));
	assert_string_equal(w.checks[CHECK_CACHES].first, "");
	heap_walk_release(&w);
	/* Even so there is an end. That there is none is not wrong, but said. */
	h.still.tasks[0].tp = ROWS + (2 << 20);
	assert_int_equal(jemalloc_walk(&h.still, &w), 0);
	assert_false(heap_walk_is_doubtful(&w));
	assert_int_equal(w.caches, 0);
	assert_false(w.checks[CHECK_CACHES].done);
	assert_non_null(strstr(w.checks[CHECK_CACHES].first, "none has been found"));
	heap_walk_release(&w);
	made_release(&h);
}

/* Pairs of an address without 30 bits and its leaf, of which one is in use. */
static void put_lookups(struct made_heap *h, taddr at, taddr leaf)
{
	for (unsigned i = 0; i < 24; i++)
		made_put(h, at + i * 16, 1);
	made_put(h, at + 5 * 16, PAGES >> 30 << 30);
	made_put(h, at + 5 * 16 + 8, leaf);
}

static size_t own_ranges(struct made_heap *h, taddr *first)
{
	struct heap_walk w;

	assert_int_equal(jemalloc_walk(&h->still, &w), 0);
	assert_true(all_is_found(&w));
	*first = w.n_own ? w.own[0].start : 0;
	if (w.n_own)
		assert_int_equal(w.own[0].end - w.own[0].start, 24 * 16);
	const size_t n = w.n_own;
	heap_walk_release(&w);
	return n;
}

/* Such an address may be in one of the program's blocks. */
static void what_a_thread_has_looked_up_is_no_use_of_a_block(void **state)
{
	const taddr lookups = TP - 0x1800;
	const struct still_task other = {1, 0, TP + OTHER};
	struct made_heap h;
	taddr first;

	(void)state;
	make(&h);
	assert_int_equal(own_ranges(&h, &first), 0);
	put_lookups(&h, lookups, LEAF);
	assert_int_equal(own_ranges(&h, &first), 1);
	assert_int_equal(first, lookups);
	/* Another thread's are as far in front. */
	assert_int_equal(still_add_task(&h.still, &other), 0);
	put_lookups(&h, lookups + OTHER, LEAF);
	assert_int_equal(own_ranges(&h, &first), 2);
	/* Nothing has been looked up. */
	made_put(&h, lookups + 5 * 16, 1);
	made_put(&h, lookups + 5 * 16 + 8, 0);
	assert_int_equal(own_ranges(&h, &first), 1);
	/* No leaf of the tree. */
	put_lookups(&h, lookups, LEAF);
	put_lookups(&h, lookups + OTHER, LEAF + 64);
	assert_int_equal(own_ranges(&h, &first), 1);
	assert_int_equal(first, lookups);
	put_lookups(&h, lookups, LEAF - 64);
	assert_int_equal(own_ranges(&h, &first), 0);
	/* Some other number. */
	put_lookups(&h, lookups, LEAF);
	made_put(&h, lookups + 23 * 16, 2);
	assert_int_equal(own_ranges(&h, &first), 0);
	made_release(&h);
}

/* As in a child of fork(2); its own thread has none, or has one as far in front. */
static void caches_of_threads_that_are_not_there_are_found(void **state)
{
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	for (int own = 0; own < 2; own++) {
		make(&h);
		made_put(&h, TP, TP);
		made_put(&h, TP + 16, TP);
		h.still.tasks[0].tp = own ? TP + OTHER : 0;
		if (own)
			put_rows(&h, ROWS + OTHER, STACKS + 0x8000, 0);
		assert_int_equal(jemalloc_walk(&h.still, &w), 0);
		assert_false(heap_walk_is_doubtful(&w));
		assert_int_equal(w.caches, 1 + own);
		assert_int_equal(heap_walk_sum(&w, HEAP_CACHED).n, CACHED);
		heap_walk_release(&w);
		/* Not all that is in it is free. */
		made_put(&h, STACKS + (SLAB_CLASS + 1) * 64 - 8, PAGES + 48 * 20 + 16);
		assert_int_equal(jemalloc_walk(&h.still, &w), 0);
		assert_false(heap_walk_is_doubtful(&w));
		assert_int_equal(w.caches, own);
		assert_int_equal(heap_walk_sum(&w, HEAP_CACHED).n, 0);
		heap_walk_release(&w);
		made_release(&h);
	}
}

/* Its stacks belong to another cache by now. */
static void a_cache_that_a_thread_has_left_empty_is_none(void **state)
{
	const taddr large = PAGES + SLAB_PAGES * 4096 + LARGE_AT;
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	make(&h);
	put_rows(&h, ROWS, large + 64, 0);
	made_put(&h, TP, TP);
	made_put(&h, TP + 16, TP);
	h.still.tasks[0].tp = 0;
	assert_int_equal(jemalloc_walk(&h.still, &w), 0);
	assert_int_equal(w.caches, 0);
	assert_int_equal(w.blocks.states[heap_blocks_find(&w.blocks, large)], HEAP_LIVE);
	heap_walk_release(&w);
	made_release(&h);
}

static void sizes_of_classes(void **state)
{
	static const uint64_t sizes[] = {8, 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256};

	(void)state;
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
		assert_int_equal(jemalloc_class_size(i), sizes[i]);
	assert_int_equal(jemalloc_class_size(35), 14336);
	assert_int_equal(jemalloc_class_size(36), 16384);
	assert_int_equal(jemalloc_class_size(40), 32768);
	assert_int_equal(jemalloc_class_size(231), UINT64_C(0x7000000000000000));
	assert_int_equal(jemalloc_class_size(232), 0);
	assert_int_equal(jemalloc_class_size(~0u), 0);
}

static void expect_doubt(struct made_heap *h, enum heap_check_kind kind)
{
	struct heap_walk w;

	assert_int_equal(jemalloc_walk(&h->still, &w), 0);
	assert_true(w.checks[kind].failures > 0);
	heap_walk_release(&w);
	made_release(h);
}

static void what_does_not_agree_is_doubtful(void **state)
{
	struct made_heap h;

	(void)state;
	make(&h); /* one more is free than the extent says */
	made_put(&h, EDATA(0) + 64, 1);
	expect_doubt(&h, CHECK_BINS);
	make(&h); /* the same block twice in the cache */
	made_put(&h, STACKS + (SLAB_CLASS + 1) * 64 - 8, PAGES + 48 * 21);
	expect_doubt(&h, CHECK_LISTS);
	make(&h); /* the second page of the slab is in another extent */
	put_page(&h, PAGES + 4096, SLAB_CLASS, EDATA(1), 0, true);
	expect_doubt(&h, CHECK_CHUNKS);
	make(&h); /* being joined with its neighbour */
	put_extent(&h, 2, PAGES + (SLAB_PAGES + LARGE_PAGES) * 4096, DIRTY_PAGES, 232, 5, false, 0);
	expect_doubt(&h, CHECK_CHUNKS);
	make(&h); /* a block where nothing is mapped, and one whose end is not */
	put_extent(&h, 9, PAGES + (16 << 20), LARGE_PAGES, LARGE_CLASS, 0, false, 0);
	expect_doubt(&h, CHECK_CHUNKS);
	make(&h);
	put_extent(&h, 2, PAGES + (SLAB_PAGES + LARGE_PAGES) * 4096, DIRTY_PAGES + 1, LARGE_CLASS,
		   0, false, 0);
	expect_doubt(&h, CHECK_CHUNKS);
	make(&h); /* a leaf that is in the tree twice */
	made_put(&h, ROOT + (PAGES >> 30) * 8 + 8, LEAF);
	expect_doubt(&h, CHECK_CHUNKS);
}

static void another_version_is_not_walked(void **state)
{
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	make(&h);
	/* Its leaves do not have the state, and the class is elsewhere. */
	for (int i = 0; i < 4; i++)
		made_put(&h, EDATA(i), made_get(&h, EDATA(i)) >> 2);
	assert_int_equal(jemalloc_walk(&h.still, &w), -ENOENT);
	made_release(&h);
}

/* The leaf's only word is for the last page of an extent: what is found is the memory that the leaf
 * is in, and no extent. */
static void a_tree_without_a_first_page_is_doubtful(void **state)
{
	const taddr large = PAGES + SLAB_PAGES * 4096;
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	make(&h);
	memset(made_at(&h, LEAF, 8 << 18), 0, 8 << 18);
	put_page(&h, large + (LARGE_PAGES - 1) * 4096, LARGE_CLASS, EDATA(1), 0, false);
	assert_int_equal(jemalloc_walk(&h.still, &w), 0);
	assert_true(w.checks[CHECK_CHUNKS].failures > 0);
	assert_int_equal(heap_walk_live(&w).n, 0);
	assert_int_equal(heap_walk_sum(&w, HEAP_OWN).bytes, 1024 * 4096);
	heap_walk_release(&w);
	made_release(&h);
}

/* Its last word would end behind the available memory. */
static void a_leaf_that_is_not_aligned_is_doubtful(void **state)
{
	struct made_heap h;

	(void)state;
	make(&h);
	memset(made_at(&h, BASE + 1023 * 4096, 4096), 0xff, 4096);
	made_put(&h, ROOT + (PAGES >> 30) * 8 + 8, BASE + 1024 * 4096 - 124);
	expect_doubt(&h, CHECK_CHUNKS);
}

static void every_field_damaged_in_turn(void **state)
{
	static const uint64_t with[] = {
		0, 1, ~UINT64_C(0), 0x12345678, LEAF, EDATA(1), PAGES, UINT64_C(0x7fffffffffffffff),
	};
	struct made_heap h;
	unsigned doubted = 0;

	(void)state;
	make(&h);
	for (size_t i = 0; i < h.n_fields; i++) {
		const uint64_t was = made_get(&h, h.fields[i]);

		for (size_t k = 0; k < sizeof with / sizeof *with; k++) {
			struct heap_walk w;

			made_put(&h, h.fields[i], with[k]);
			int err = jemalloc_walk(&h.still, &w);
			assert_true(!err || err == -ENOENT);
			doubted += err || heap_walk_is_doubtful(&w);
			if (!err)
				heap_walk_release(&w);
		}
		made_put(&h, h.fields[i], was);
	}
	assert_true(doubted > h.n_fields);
	made_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_there_is_found),
		cmocka_unit_test(a_block_of_twenty_gibibytes_is_one),
		cmocka_unit_test(the_block_that_a_cache_is_in_is_not_the_programs),
		cmocka_unit_test(what_a_thread_has_looked_up_is_no_use_of_a_block),
		cmocka_unit_test(a_cache_is_found_far_in_front_of_the_thread_pointer),
		cmocka_unit_test(caches_of_threads_that_are_not_there_are_found),
		cmocka_unit_test(a_cache_that_a_thread_has_left_empty_is_none),
		cmocka_unit_test(sizes_of_classes),
		cmocka_unit_test(what_does_not_agree_is_doubtful),
		cmocka_unit_test(another_version_is_not_walked),
		cmocka_unit_test(a_tree_without_a_first_page_is_doubtful),
		cmocka_unit_test(a_leaf_that_is_not_aligned_is_doubtful),
		cmocka_unit_test(every_field_damaged_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
