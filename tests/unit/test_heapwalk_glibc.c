/* SPDX-License-Identifier: BSD-2-Clause */
/* Heaps made by hand: what is on them is found, and whatever is damaged, the walk ends and reports
 * it. */
#include "unit/unit.h"

#include "unit/made_heap.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define DATA	     UINT64_C(0x7f0000100000)
#define PARAMS	     (DATA + 0x200)
#define MAIN	     (DATA + 0x800)
#define TLS	     UINT64_C(0x7c0000000000)
#define TP	     (TLS + 0x2000)
#define MAPPED	     UINT64_C(0x7d0000000000)
#define HEAP1	     UINT64_C(0x7e0000000000)
#define OTHER	     (HEAP1 + 0x30)
#define OTHER_CHUNKS (OTHER + MADE_BEFORE + 2088 + 8)

enum {
	HEAP_PAGES = 8,
	CACHE = 0x290,
	LIVE_MAIN = 7,
	LIVE_OTHER = 3,
	MAPPED_BLOCKS = 4,
	MAPPED_BYTES = (2 + 3 + 4 + 1) * 4096
};

/* Where the main arena's chunks begin. */
static taddr heap = UINT64_C(0x555500000000);

/* Where the other arena's second heap is: in the next 64 MiB, as a rule. */
static taddr heap2 = HEAP1 + (64 << 20);

/* Whether a file is mapped right below the other arena's first heap. */
static bool behind_file;

/* Whether the first page of a mapped block is one that nobody may touch. */
static bool guarded;

/* What the main arena has: live blocks between free ones of all kinds. */
static const struct made_chunk main_chunks[] = {
	{MADE_LIVE, CACHE, 0},
	{MADE_LIVE, 32, 0},
	{MADE_FREE, 48, 2},
	{MADE_LIVE, 64, 0},
	{MADE_FAST, 32, 0},
	{MADE_FAST, 32, 0},
	{MADE_FAST, 64, 2},
	{MADE_LIVE, 1024, 0},
	{MADE_FREE, 2048, 0},
	{MADE_LIVE, 32, 0},
	{MADE_FREE, 4096, 0},
	{MADE_CACHED, 32, 0},
	{MADE_CACHED, 32, 0},
	{MADE_CACHED, 0x410, 63},
	{MADE_LIVE, 8192, 0},
	/* Somebody else called sbrk(2). */
	{MADE_FENCE, 16, 0},
	{MADE_FENCE, 16, 0},
	{MADE_GAP, 608, 0},
	{MADE_LIVE, 48, 0},
	{MADE_LIVE, 112, 0},
	{MADE_FREE, 64, 3},
	{MADE_CACHED, 48, 1},
};

/* The other arena's first heap ends with fences, its second with the top. */
static const struct made_chunk first_chunks[] = {
	{MADE_LIVE, CACHE, 0}, {MADE_LIVE, 208, 0}, {MADE_FREE, 512, 0},
	{MADE_CACHED, 64, 2},  {MADE_LIVE, 32, 0},  {MADE_FENCE, 16, 0},
};

static const struct made_chunk second_chunks[] = {
	{MADE_FAST, 80, 3},
	{MADE_LIVE, 4000, 0},
};

#define COUNT(v) (sizeof(v) / sizeof *(v))
/* Where chunks go on behind the gap in the main arena. */
#define GAP_END (heap + 0x4690)

static void put_mapped(struct made_heap *h, taddr page, uint64_t lead, uint64_t size,
		       uint64_t stale)
{
	made_put(h, page, 0);
	made_put(h, page + 8, stale | 2);
	made_put(h, page + lead, lead);
	made_put(h, page + lead + 8, (size - lead) | 2);
}

static void put_main(struct made_heap *h)
{
	taddr end = heap + (taddr)HEAP_PAGES * STILL_PAGE;

	made_cache(h, TP - 0x58, heap + 16);
	taddr top = made_chunks(h, MAIN, heap + 16, 0, heap, main_chunks, COUNT(main_chunks));
	const struct made_chunk last = {MADE_TOP, end - top, 0};
	made_put(h, MAIN + MADE_BEFORE - 16, top);
	made_chunks(h, MAIN, 0, 0, top, &last, 1);
}

static void put_heap(struct made_heap *h, taddr heap, taddr prev, uint64_t size)
{
	made_put(h, heap, OTHER);
	made_put(h, heap + 8, prev);
	made_put(h, heap + 16, size);
}

static void put_other(struct made_heap *h)
{
	taddr cache = OTHER_CHUNKS + 16;

	made_cache(h, TP + 0x800 - 0x58, cache);
	put_heap(h, HEAP1, 0, 4 * STILL_PAGE);
	taddr end =
		made_chunks(h, OTHER, cache, 4, OTHER_CHUNKS, first_chunks, COUNT(first_chunks));
	made_put(h, end + 8, 1);
	/* All behind the fences is nobody's: as small as it is when it is real. */
	made_put(h, HEAP1 + 16, end + 16 - HEAP1);
	put_heap(h, heap2, HEAP1, STILL_PAGE * 2);
	taddr top =
		made_chunks(h, OTHER, cache, 4, heap2 + 0x30, second_chunks, COUNT(second_chunks));
	const struct made_chunk last = {MADE_TOP, heap2 + 2 * STILL_PAGE - top, 0};
	made_chunks(h, OTHER, cache, 4, top, &last, 1);
	made_put(h, OTHER + MADE_BEFORE - 16, top);
	made_put(h, OTHER + MADE_BEFORE + 2072, end + 16 - HEAP1 + 2 * STILL_PAGE);
}

/* A plain block, an aligned one, one that was made smaller since, and a page with one. */
static void put_mappings(struct made_heap *h)
{
	put_mapped(h, MAPPED, 0, 2 * STILL_PAGE, 2 * STILL_PAGE);
	put_mapped(h, MAPPED + 2 * STILL_PAGE, 2048 - 16, 3 * STILL_PAGE, 3 * STILL_PAGE);
	put_mapped(h, MAPPED + 5 * STILL_PAGE, 4096 - 16, 4 * STILL_PAGE, 9 * STILL_PAGE);
	/* Nobody's pages between them. */
	put_mapped(h, MAPPED + 11 * STILL_PAGE, 0, STILL_PAGE, STILL_PAGE);
}

static void put_mapped_memory(struct made_heap *h)
{
	const taddr guard = MAPPED + 6 * STILL_PAGE;
	const struct proc_map m = {.start = guard, .end = guard + STILL_PAGE, .path = ""};

	made_memory(h, MAPPED, guarded ? 6 : 12, "");
	if (!guarded)
		return;
	assert_int_equal(still_add_map(&h->still, &m), 0);
	made_memory(h, m.end, 5, "");
}

static void make(struct made_heap *h, bool plain)
{
	const struct still_task tasks[] = {{0x1000, TLS + 64, TP}, {0x1000, 64, TP + 0x800}};

	*h = (struct made_heap){.plain = plain};
	made_memory(h, heap, HEAP_PAGES, "[heap]");
	made_memory(h, TLS, 3, "");
	put_mapped_memory(h);
	if (behind_file)
		made_memory(h, HEAP1 - STILL_PAGE, 1, "/var/data");
	made_memory(h, HEAP1, 4, "");
	made_memory(h, heap2, 2, "");
	made_memory(h, DATA, 2, "/lib/libc.so.6");
	made_arena(h, MAIN, OTHER, 0, (uint64_t)HEAP_PAGES * STILL_PAGE);
	made_arena(h, OTHER, MAIN, 0, 0);
	made_params(h, PARAMS, MAPPED_BLOCKS, MAPPED_BYTES, heap);
	put_main(h);
	put_other(h);
	put_mappings(h);
	for (size_t i = 0; i < COUNT(tasks); i++)
		assert_int_equal(still_add_task(&h->still, &tasks[i]), 0);
}

/* ---- what is found ---- */

static void print_failures(const struct heap_walk *w)
{
	for (int i = 0; i < N_HEAP_CHECKS; i++)
		if (w->checks[i].failures)
			print_message("%s: %s (%u)\n", heap_check_names[i], w->checks[i].first,
				      w->checks[i].failures);
}

static bool all_is_found(const struct heap_walk *w)
{
	return heap_walk_sum(w, HEAP_LIVE).n == LIVE_MAIN + LIVE_OTHER &&
	       w->arenas[0].sums[HEAP_LIVE].bytes ==
		       32 + 64 + 1024 + 32 + 8192 + 48 + 112 - 8 * LIVE_MAIN &&
	       w->arenas[1].sums[HEAP_LIVE].bytes == 208 + 32 + 4000 - 8 * LIVE_OTHER &&
	       w->mapped.n == MAPPED_BLOCKS &&
	       w->mapped.bytes + w->mapped_overhead == MAPPED_BYTES &&
	       heap_walk_sum(w, HEAP_CACHED).n == 5 && heap_walk_sum(w, HEAP_FAST).n == 4 &&
	       heap_walk_sum(w, HEAP_BINNED).n == 5 && heap_walk_sum(w, HEAP_FREE).n == 0 &&
	       heap_walk_sum(w, HEAP_OWN).n == 2 && w->caches == 2;
}

static void expect_all(struct made_heap *h)
{
	struct heap_walk w;

	assert_int_equal(glibc_walk(&h->still, &w), 0);
	print_failures(&w);
	assert_false(heap_walk_is_doubtful(&w));
	assert_int_equal(w.n_arenas, 2);
	assert_true(all_is_found(&w));
	heap_walk_release(&w);
	made_release(h);
}

static void find_all(bool plain)
{
	struct made_heap h;

	make(&h, plain);
	expect_all(&h);
}

static void all_that_is_on_a_heap_is_found(void **state)
{
	(void)state;
	find_all(false);
}

static void links_of_before_2_32_are_followed(void **state)
{
	(void)state;
	find_all(true);
}

/* On a heap at a low address a mangled link can look like a plain one. */
static void links_are_told_by_whole_lists(void **state)
{
	const taddr high = heap;
	struct made_heap h;

	(void)state;
	heap = 0x430f000;
	make(&h, false);
	taddr cached = made_get(&h, heap + 16 + 128), stored = made_get(&h, cached);
	assert_int_equal(stored % 16, 0);
	made_put(&h, stored - 8, 32 | 1);
	expect_all(&h);
	heap = high;
}

static void heaps_of_huge_pages_are_aligned_to_less(void **state)
{
	(void)state;
	heap2 = HEAP1 + (8 << 20);
	find_all(false);
	heap2 = HEAP1 + (64 << 20);
}

/* As with a thread's stack that is a block, whose mapping has three parts then. */
static void a_mapped_block_with_a_page_that_nobody_may_touch_is_found(void **state)
{
	(void)state;
	guarded = true;
	find_all(false);
	guarded = false;
}

static void a_mapped_block_may_be_aligned_to_more_than_a_huge_page(void **state)
{
	const taddr at = UINT64_C(0x7f1000000000);
	const uint64_t align = 8 << 20, size = align + 2 * STILL_PAGE;
	const struct proc_map hole = {.start = at + STILL_PAGE,
				      .end = at + align - STILL_PAGE,
				      .readable = true,
				      .writable = true,
				      .path = ""};
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	make(&h, false);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	uint64_t before = w.mapped.bytes;
	heap_walk_release(&w);
	made_memory(&h, at, 1, "");
	assert_int_equal(still_add_map(&h.still, &hole), 0);
	made_memory(&h, hole.end, 3, "");
	put_mapped(&h, at, align - 16, size, size);
	made_params(&h, PARAMS, MAPPED_BLOCKS + 1, MAPPED_BYTES + size, heap);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	print_failures(&w);
	assert_false(heap_walk_is_doubtful(&w));
	assert_int_equal(w.mapped.bytes, before + 2 * STILL_PAGE);
	heap_walk_release(&w);
	made_release(&h);
}

static void blocks_are_counted_by_their_sizes(void **state)
{
	struct made_heap h;
	struct heap_walk w;
	uint64_t n = 0, bytes = 0;
	size_t n_bins;
	int err;

	(void)state;
	make(&h, false);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	struct heap_bin *v = heap_walk_bins(&w, &n_bins, &err);
	assert_int_equal(err, 0);
	assert_int_equal(v[0].usable, 24);
	assert_int_equal(v[0].n, 3);
	for (size_t i = 0; i < n_bins; i++) {
		n += v[i].n;
		bytes += v[i].n * v[i].usable;
		assert_true(!i || v[i].usable > v[i - 1].usable);
	}
	assert_int_equal(n, heap_walk_live(&w).n);
	assert_int_equal(bytes, heap_walk_live(&w).bytes);
	free(v);
	heap_walk_release(&w);
	made_release(&h);
}

/* ---- in motion ---- */

static void expect_failure(struct made_heap *h, enum heap_check_kind kind)
{
	struct heap_walk w;

	assert_int_equal(glibc_walk(&h->still, &w), 0);
	if (!w.checks[kind].failures)
		print_failures(&w);
	assert_true(w.checks[kind].failures);
	heap_walk_release(&w);
	made_release(h);
}

static void an_arena_that_is_being_changed_is_said(void **state)
{
	struct made_heap h;

	(void)state;
	make(&h, false);
	made_put(&h, OTHER, 1);
	expect_failure(&h, CHECK_MUTEXES);
}

static void bins_in_motion_do_not_hide_the_arena(void **state)
{
	struct made_heap h;

	(void)state;
	make(&h, false);
	made_put(&h, MAIN + MADE_BEFORE, heap + 0x290);
	made_put(&h, MAIN + MADE_BEFORE + 16 * 126 + 8, 0);
	expect_failure(&h, CHECK_BINS);
}

static void a_count_that_is_off_by_one_is_a_thread_between_two_stores(void **state)
{
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	make(&h, false);
	made_put(&h, heap + 16, made_get(&h, heap + 16) + 1);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	assert_false(heap_walk_is_doubtful(&w));
	assert_true(all_is_found(&w));
	heap_walk_release(&w);
	made_release(&h);
}

static void a_call_that_maps_a_block_is_seen_in_the_count(void **state)
{
	struct made_heap h;

	(void)state;
	make(&h, false);
	made_params(&h, PARAMS, MAPPED_BLOCKS + 1, MAPPED_BYTES + STILL_PAGE, heap);
	expect_failure(&h, CHECK_MAPPED);
}

/* brk(2) failed: the main arena is in memory of its own, behind other pages. */
static void a_main_arena_outside_of_the_heap_is_found(void **state)
{
	static const struct made_chunk chunks[] = {
		{MADE_LIVE, 64, 0}, {MADE_LIVE, 8192, 0}, {MADE_FREE, 48, 2}, {MADE_LIVE, 128, 0}};
	const taddr area = MAPPED + 2 * STILL_PAGE;
	struct made_heap h = {0};
	struct heap_walk w;

	(void)state;
	made_memory(&h, MAPPED, 8, "");
	made_memory(&h, DATA, 2, "/lib/libc.so.6");
	made_arena(&h, MAIN, MAIN, 0, 6 * STILL_PAGE);
	taddr top = made_chunks(&h, MAIN, 0, 0, area, chunks, COUNT(chunks));
	const struct made_chunk last = {MADE_TOP, area + 6 * STILL_PAGE - top, 0};
	made_chunks(&h, MAIN, 0, 0, top, &last, 1);
	made_put(&h, MAIN + MADE_BEFORE - 16, top);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	print_failures(&w);
	assert_false(heap_walk_is_doubtful(&w));
	assert_int_equal(heap_walk_live(&w).n, 3);
	assert_int_equal(w.blocks.pieces[0].start, area);
	heap_walk_release(&w);
	/* A mapped block that would end in it. */
	put_mapped(&h, MAPPED, 0, 3 * STILL_PAGE, 3 * STILL_PAGE);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	assert_int_equal(w.mapped.n, 1);
	assert_int_equal(w.checks[CHECK_CHUNKS].failures, 1);
	heap_walk_release(&w);
	put_mapped(&h, MAPPED, 0, 2 * STILL_PAGE, 2 * STILL_PAGE);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	assert_int_equal(w.mapped.n, 1);
	assert_int_equal(w.checks[CHECK_CHUNKS].failures, 0);
	heap_walk_release(&w);
	made_put(&h, MAPPED, 1);
	/* A chain that leads nowhere is no piece. */
	made_put(&h, area + 64 + 8192 + 48 + 8, 0);
	expect_failure(&h, CHECK_CHUNKS);
}

/* A program reserves terabytes, uses a page of them, and gets the main arena's memory right behind
 * them. Reading each page would take an hour: a hostile program could make mprof wait. */
static void holes_of_terabytes_are_passed_over(void **state)
{
	static const struct made_chunk chunks[] = {{MADE_LIVE, 64, 0}, {MADE_LIVE, 8192, 0}};
	static const struct made_chunk left[] = {
		{MADE_LIVE, STILL_PAGE - 32, 0}, {MADE_FENCE, 16, 0}, {MADE_FENCE, 16, 0}};
	const taddr hole = UINT64_C(32) << 40, before = MAPPED - hole;
	struct made_heap h = {0};
	struct heap_walk w;

	(void)state;
	made_memory(&h, before - hole, 1, "");
	made_memory(&h, before, 1, "");
	made_memory(&h, MAPPED, 3, "");
	made_memory(&h, DATA, 2, "/lib/libc.so.6");
	h.still.areas[0].end = before - STILL_PAGE;
	h.still.areas[1].start = before - STILL_PAGE;
	h.still.areas[1].end = MAPPED - hole / 2;
	h.still.areas[2].start = MAPPED - hole / 2;
	made_arena(&h, MAIN, MAIN, 0, 5 * STILL_PAGE);
	made_chunks(&h, MAIN, 0, 0, before - hole, left, COUNT(left));
	made_chunks(&h, MAIN, 0, 0, before, left, COUNT(left));
	taddr top = made_chunks(&h, MAIN, 0, 0, MAPPED, chunks, COUNT(chunks));
	const struct made_chunk last = {MADE_TOP, MAPPED + 3 * STILL_PAGE - top, 0};
	made_chunks(&h, MAIN, 0, 0, top, &last, 1);
	made_put(&h, MAIN + MADE_BEFORE - 16, top);
	alarm(60);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	alarm(0);
	print_failures(&w);
	assert_false(heap_walk_is_doubtful(&w));
	assert_int_equal(heap_walk_live(&w).n, 4);
	heap_walk_release(&w);
	made_release(&h);
}

/* Larger than 32 GiB, the limit up to which chunks of one piece are told apart. */
static void a_heap_of_forty_gibibytes_is_walked(void **state)
{
	const taddr far = UINT64_C(20) << 30;
	const struct made_chunk chunks[] = {
		{MADE_LIVE, far, 0}, {MADE_LIVE, far, 0}, {MADE_LIVE, 128, 0}, {MADE_FREE, 48, 2},
		{MADE_LIVE, 64, 0}};
	struct made_heap h = {0};
	struct heap_walk w;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		made_memory(&h, heap + i * far, 1, "[heap]");
	made_memory(&h, DATA, 2, "/lib/libc.so.6");
	made_arena(&h, MAIN, MAIN, 0, 2 * far + STILL_PAGE);
	taddr top = made_chunks(&h, MAIN, 0, 0, heap, chunks, COUNT(chunks));
	const struct made_chunk last = {MADE_TOP, heap + 2 * far + STILL_PAGE - top, 0};
	made_chunks(&h, MAIN, 0, 0, top, &last, 1);
	made_put(&h, MAIN + MADE_BEFORE - 16, top);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	print_failures(&w);
	assert_false(heap_walk_is_doubtful(&w));
	assert_int_equal(heap_walk_live(&w).n, 4);
	assert_int_equal(heap_walk_live(&w).bytes, 2 * far + 128 + 64 - 4 * 8);
	assert_int_equal(heap_walk_sum(&w, HEAP_BINNED).n, 1);
	assert_int_not_equal(heap_blocks_find(&w.blocks, heap + 2 * far), HEAP_NO_CHUNK);
	assert_int_not_equal(heap_blocks_around(&w.blocks, heap + 2 * far - 8), HEAP_NO_CHUNK);
	heap_walk_release(&w);
	made_release(&h);
}

/* ---- what is not there ---- */

static void an_arena_of_zeros_is_none(void **state)
{
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	make(&h, false);
	memset(made_at(&h, DATA, 2 * STILL_PAGE), 0, 2 * STILL_PAGE);
	assert_int_equal(glibc_walk(&h.still, &w), -ENOENT);
	made_release(&h);
}

static void two_main_arenas_are_not_one(void **state)
{
	struct made_heap h;
	struct heap_walk w;
	taddr second = DATA + 0x10000;

	(void)state;
	make(&h, false);
	made_memory(&h, second, 1, "/lib/other.so");
	made_arena(&h, second, second, MAPPED, STILL_PAGE);
	assert_int_equal(glibc_walk(&h.still, &w), -EMLINK);
	made_release(&h);
}

/* Another copy of the C library has initialized it, but nothing allocates from it. */
static void a_main_arena_without_memory_is_none_beside_another(void **state)
{
	struct made_heap h;
	taddr first = DATA - 0x10000, second = DATA + 0x10000;

	(void)state;
	make(&h, false);
	made_memory(&h, second, 1, "/lib/other.so");
	made_arena(&h, second, second, second + MADE_BEFORE - 16, 0);
	expect_all(&h);
	h = (struct made_heap){0};
	made_memory(&h, first, 1, "/lib/other.so");
	made_memory(&h, DATA, 1, "/lib/libc.so.6");
	made_arena(&h, first, first, first + MADE_BEFORE - 16, 0);
	made_arena(&h, DATA, DATA, MAPPED, 0);
	struct glibc_arenas found;
	assert_int_equal(glibc_arenas_find(&h.still, &found), 0);
	assert_int_equal(found.v[0], DATA);
	glibc_arenas_release(&found);
	made_release(&h);
}

/* Like the first mapping that the kernel places below a thread's heap, which is aligned. */
static void an_arena_right_behind_a_file_is_a_threads_all_the_same(void **state)
{
	(void)state;
	behind_file = true;
	find_all(false);
	behind_file = false;
}

static void assert_walk(struct made_heap *h, bool doubtful, size_t live, size_t cached)
{
	struct heap_walk w;

	assert_int_equal(glibc_walk(&h->still, &w), 0);
	assert_int_equal(heap_walk_is_doubtful(&w), doubtful);
	assert_int_equal(heap_walk_sum(&w, HEAP_LIVE).n, live);
	assert_int_equal(heap_walk_sum(&w, HEAP_CACHED).n, cached);
	heap_walk_release(&w);
}

/* Its blocks went to fastbins with the key in them; three have been allocated since. */
static void a_thread_that_has_ended_leaves_keys_behind(void **state)
{
	const uint64_t key = UINT64_C(0x1122334455667788);
	const size_t all = LIVE_MAIN + LIVE_OTHER;
	const taddr fast = heap + 0x320 + 16, live[] = {heap + 0x290 + 16, heap + 0x3a0 + 16,
							heap + 0xfa0 + 16};
	struct made_heap h;

	(void)state;
	make(&h, false);
	for (size_t i = 0; i < COUNT(live); i++)
		made_put(&h, live[i] + 8, key);
	/* Nothing tells of an end: they may be in a cache that was not found. */
	assert_walk(&h, true, all - 3, 5 + 3);
	made_put(&h, fast + 8, key);
	assert_walk(&h, false, all, 5);
	/* This one is being freed just now. */
	assert_int_equal(still_add_word(&h.still, live[1]), 0);
	assert_walk(&h, false, all - 1, 5 + 1);
	/* And this is what a thread empties that has no pointer to it any more. */
	made_put(&h, TP + 0x800 - 0x58, 0);
	assert_int_equal(still_add_word(&h.still, OTHER_CHUNKS + 16), 0);
	assert_walk(&h, true, all - 3, 5 + 3);
	made_release(&h);
}

static void caches_that_are_not_found_are_missed(void **state)
{
	struct made_heap h;

	(void)state;
	make(&h, false);
	/* Neither has blocks of the right size in its last list. */
	made_put(&h, heap + 16 + 128 + 63 * 8, heap);
	made_put(&h, OTHER_CHUNKS + 16 + 128 + 63 * 8, heap);
	expect_failure(&h, CHECK_CACHES);
}

/* How many lists a cache has, the largest request in it, and how many blocks are in a list. */
static void put_cache_params(struct made_heap *h, uint64_t bins, uint64_t max, uint64_t in_list)
{
	made_put(h, PARAMS + 40, bins);
	made_put(h, PARAMS + 48, max);
	made_put(h, PARAMS + 56, in_list);
}

/* As in libc_malloc_debug.so: there are other numbers in that place. */
static void an_allocator_without_caches_is_not_asked_for_them(void **state)
{
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	make(&h, false);
	made_put(&h, heap + 16 + 128 + 63 * 8, heap);
	made_put(&h, OTHER_CHUNKS + 16 + 128 + 63 * 8, heap);
	put_cache_params(&h, 1, 0, 0);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	assert_int_equal(w.checks[CHECK_CACHES].failures, 0);
	heap_walk_release(&w);
	/* They do not go together. */
	put_cache_params(&h, 1, 64, 1);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	assert_int_equal(w.checks[CHECK_CACHES].failures, 0);
	heap_walk_release(&w);
	/* Fewer lists than there are by default. */
	put_cache_params(&h, 4, 64, 7);
	expect_failure(&h, CHECK_CACHES);
}

/* As in a child of fork(2): what is in them is free. Also if no thread has one of its own. */
static void caches_of_threads_that_are_not_there_are_found(void **state)
{
	const size_t all = LIVE_MAIN + LIVE_OTHER;
	struct made_heap h;

	(void)state;
	make(&h, false);
	h.still.n_tasks = 1;
	assert_walk(&h, false, all, 5);
	made_put(&h, TP - 0x58, 0);
	assert_walk(&h, false, all, 5);
	/* A list that was taken from without being counted, by a thread that was about to end. */
	made_put(&h, heap + 16, made_get(&h, heap + 16) + 2);
	assert_walk(&h, false, all, 5);
	made_release(&h);
}

/* As large as a cache, with a pointer to a block of the size that its list in a cache has. */
static void a_table_that_looks_like_a_cache_is_a_block(void **state)
{
	const taddr table = heap + 16, entry = OTHER_CHUNKS + 16 + CACHE;
	const uint64_t values[] = {0, 1, entry >> 12, heap, OTHER_CHUNKS + 16};
	const size_t n = sizeof values / sizeof *values;

	(void)state;
	for (int plain = 0; plain < 2; plain++) {
		for (size_t i = 0; i < n * n; i++) {
			struct made_heap h;
			struct heap_walk w;

			make(&h, plain);
			made_put(&h, TP - 0x58, 0);
			memset(made_at(&h, table, CACHE - 8), 0, CACHE - 8);
			made_put(&h, table + 128 + 8 * (208 - 32) / 16, entry);
			made_put(&h, entry, values[i % n]);
			made_put(&h, entry + 8, values[i / n]);
			assert_int_equal(glibc_walk(&h.still, &w), 0);
			assert_int_equal(w.caches, 1);
			heap_walk_release(&w);
			made_release(&h);
		}
	}
}

/* In any order: a thread that never allocates has none. */
static void caches_are_found_behind_threads_that_have_none(void **state)
{
	const struct still_task none = {0x1000, 64, MAPPED + 11 * STILL_PAGE + 0x800};
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	make(&h, false);
	struct still_task first = h.still.tasks[0], second = h.still.tasks[1];
	h.still.n_tasks = 0;
	for (int i = 0; i < 6; i++)
		assert_int_equal(still_add_task(&h.still, &none), 0);
	assert_int_equal(still_add_task(&h.still, &first), 0);
	assert_int_equal(still_add_task(&h.still, &second), 0);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	assert_int_equal(w.caches, 2);
	assert_int_equal(w.checks[CHECK_CACHES].failures, 0);
	heap_walk_release(&w);
	made_release(&h);
}

static void memory_that_could_not_be_read_is_said(void **state)
{
	struct made_heap h;

	(void)state;
	make(&h, false);
	h.still.unread = STILL_PAGE;
	expect_failure(&h, CHECK_MEMORY);
}

/* ---- damage ---- */

enum verdict { RIGHT, SEEN, WRONG };

/* The walk ends. Is what it says right, or does it say that it is not? */
static enum verdict walk_damaged(struct made_heap *h)
{
	struct heap_walk w;
	int err = glibc_walk(&h->still, &w);

	if (err) {
		assert_true(err == -ENOENT || err == -EMLINK);
		return SEEN;
	}
	size_t n;
	free(heap_walk_bins(&w, &n, &err));
	assert_int_equal(err, 0);
	bool right = all_is_found(&w), doubtful = heap_walk_is_doubtful(&w);
	heap_walk_release(&w);
	return doubtful ? SEEN : right ? RIGHT : WRONG;
}

/* What nothing else in the books repeats, so that nobody can see that it is wrong. */
static bool is_alone(taddr field, uint64_t now)
{
	const taddr fast = MADE_BEFORE - 96;

	/* Chunks in fastbins look as if they were in use, but for the lists. */
	if (!now && ((field >= MAIN + fast && field < MAIN + fast + 80) ||
		     (field >= OTHER + fast && field < OTHER + fast + 80)))
		return true;
	/* Behind what somebody else has taken with sbrk(2) chunks begin anywhere. */
	return field == GAP_END + 8 || field == GAP_END + 48 + 8;
}

static void every_field_damaged_in_turn(void **state)
{
	const uint64_t with[] = {0,
					~UINT64_C(0),
					16,
					32,
					0x21,
					0x12345678,
					UINT64_MAX - 15,
					UINT64_C(0x7fffffffffffffff),
					heap,
					MAIN,
					heap + 0x290,
					MAPPED + 16};
	unsigned damaged = 0, seen = 0, wrong = 0;
	struct made_heap h;

	(void)state;
	make(&h, false);
	size_t n = h.n_fields;
	for (size_t i = 0; i < n; i++) {
		uint64_t was = made_get(&h, h.fields[i]);

		for (size_t k = 0; k < COUNT(with) + 4; k++) {
			static const int64_t by[] = {1, -1, 16, -16};
			uint64_t now =
				k < COUNT(with) ? with[k] : was + (uint64_t)by[k - COUNT(with)];

			if (now == was || is_alone(h.fields[i], now))
				continue;
			made_put(&h, h.fields[i], now);
			enum verdict v = walk_damaged(&h);
			seen += v == SEEN;
			wrong += v == WRONG;
			damaged++;
			if (v == WRONG)
				print_message("0x%llx: 0x%llx instead of 0x%llx\n",
					      (unsigned long long)h.fields[i],
					      (unsigned long long)now, (unsigned long long)was);
		}
		made_put(&h, h.fields[i], was);
	}
	assert_int_equal(walk_damaged(&h), RIGHT);
	print_message("# %u damages, %u of them seen, %u wrong without a word\n", damaged, seen,
		      wrong);
	assert_int_equal(wrong, 0);
	assert_true(seen > damaged / 2);
	made_release(&h);
}

/* ---- hostile ---- */

/* At the start of a page: where mapped memory that has nothing but the top would begin. */
static void a_top_that_points_nowhere_is_said(void **state)
{
	const taddr tops[] = {0, 0x123456789000, UINT64_C(0x8000000000000000), -(taddr)STILL_PAGE,
			      heap - STILL_PAGE, heap + (taddr)HEAP_PAGES * STILL_PAGE};
	struct made_heap h;

	(void)state;
	for (size_t i = 0; i < COUNT(tops); i++) {
		make(&h, false);
		made_put(&h, MAIN + MADE_BEFORE - 16, tops[i]);
		expect_failure(&h, CHECK_CHUNKS);
	}
}

static void lists_in_circles_end(void **state)
{
	struct made_heap h;
	taddr chunk = heap + CACHE + 32;

	(void)state;
	make(&h, false);
	/* A bin that leads to its own first chunk again and again. */
	made_put(&h, chunk + 16, chunk);
	expect_failure(&h, CHECK_BINS);
	make(&h, false);
	taddr cached = made_get(&h, heap + 16 + 128);
	made_put(&h, cached, made_link(&h, cached, cached));
	expect_failure(&h, CHECK_LISTS);
	/* Arenas whose ring never comes back to the main one. */
	make(&h, false);
	struct heap_walk w;
	made_put(&h, OTHER + MADE_BEFORE + 2048, OTHER);
	assert_int_equal(glibc_walk(&h.still, &w), -ENOENT);
	made_release(&h);
	/* Heaps that lead to each other. */
	make(&h, false);
	made_put(&h, HEAP1 + 8, heap2);
	walk_damaged(&h);
	made_release(&h);
}

static void a_million_headers_in_a_programs_own_memory_are_doubted(void **state)
{
	enum { PAGES = 1 << 12 };
	struct made_heap h;
	struct heap_walk w;
	taddr at = UINT64_C(0x7f1000000000);

	(void)state;
	make(&h, false);
	made_memory(&h, at, PAGES, "");
	uint8_t *bytes = made_at(&h, at, (size_t)PAGES * STILL_PAGE);
	for (size_t i = 0; i < (size_t)PAGES * STILL_PAGE; i += 16)
		memcpy(bytes + i, (uint64_t[2]){i % STILL_PAGE ? i : 0, STILL_PAGE | 2}, 16);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	assert_true(w.checks[CHECK_MAPPED].failures);
	heap_walk_release(&w);
	made_release(&h);
}

/* Lists that point at themselves, as many programs have them in their data. */
static void rows_of_empty_lists_are_no_arena(void **state)
{
	enum { PAGES = 256 };
	struct made_heap h;
	struct heap_walk w;
	taddr at = DATA + 0x100000;

	(void)state;
	make(&h, false);
	made_memory(&h, at, PAGES, "/lib/lists.so");
	uint8_t *bytes = made_at(&h, at, (size_t)PAGES * STILL_PAGE);
	for (size_t i = 0; i < (size_t)PAGES * STILL_PAGE; i += 16)
		memcpy(bytes + i, (uint64_t[2]){at + i - 16, at + i - 16}, 16);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	assert_true(all_is_found(&w));
	assert_int_equal(w.main_arena, MAIN);
	heap_walk_release(&w);
	made_release(&h);
}

/* Each could be the beginning of an arena's bins, and has a long ring. */
static void memory_that_is_made_of_empty_lists_is_given_up(void **state)
{
	enum { PAGES = 4096 };
	struct made_heap h;
	struct heap_walk w;
	taddr at = DATA + 0x100000;

	(void)state;
	make(&h, false);
	made_memory(&h, at, PAGES, "/lib/lists.so");
	uint8_t *bytes = made_at(&h, at, (size_t)PAGES * STILL_PAGE);
	for (size_t i = 0; i < (size_t)PAGES * STILL_PAGE; i += 16)
		memcpy(bytes + i, (uint64_t[2]){at + i - 16, at + i - 16}, 16);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	assert_true(all_is_found(&w));
	assert_non_null(strstr(w.checks[CHECK_MEMORY].first, "not all of it was looked at"));
	heap_walk_release(&w);
	made_release(&h);
}

/* Decoded one way they never end, and the other way they lead nowhere, so that none shows how links
 * are stored: not all are followed. */
static void many_circles_are_given_up(void **state)
{
	enum { N = 16 };
	struct made_chunk chunks[N + 1] = {{MADE_LIVE, CACHE, 0}};
	const struct still_task task = {0x1000, TLS + 64, TP};
	struct made_heap h = {.plain = true};
	struct heap_walk w;
	taddr block = heap + CACHE + 16;

	(void)state;
	for (int i = 0; i < N; i++)
		chunks[i + 1] = (struct made_chunk){MADE_CACHED, 32 + 16 * (uint64_t)i, i};
	made_memory(&h, heap, 4, "[heap]");
	made_memory(&h, TLS, 3, "");
	made_memory(&h, DATA, 2, "/lib/libc.so.6");
	made_arena(&h, MAIN, MAIN, 0, 4 * STILL_PAGE);
	made_cache(&h, TP - 0x58, heap + 16);
	taddr top = made_chunks(&h, MAIN, heap + 16, 0, heap, chunks, COUNT(chunks));
	const struct made_chunk last = {MADE_TOP, heap + 4 * STILL_PAGE - top, 0};
	made_chunks(&h, MAIN, 0, 0, top, &last, 1);
	made_put(&h, MAIN + MADE_BEFORE - 16, top);
	assert_int_equal(still_add_task(&h.still, &task), 0);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	assert_false(heap_walk_is_doubtful(&w));
	heap_walk_release(&w);
	for (int i = 0; i < N; block += chunks[++i].size)
		made_put(&h, block, block);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	assert_string_equal(w.checks[CHECK_LISTS].first,
			    "lists are so long that they were given up");
	heap_walk_release(&w);
	made_release(&h);
}

/* Each of many arenas has a heap that leads to itself, and would be followed for long. */
static void many_heaps_in_circles_are_given_up(void **state)
{
	enum { ARENAS = 80, EACH = 5, PIECES = ARENAS / EACH + ARENAS };
	const taddr align = UINT64_C(8) << 20, at = UINT64_C(0x7f1000000000);
	static uint64_t words[PIECES][STILL_PAGE / 8];
	struct made_heap h;
	struct heap_walk w;

	(void)state;
	make(&h, false);
	for (int i = 0; i < PIECES; i++)
		assert_int_equal(still_add_run(&h.still, at + (taddr)i * align, STILL_PAGE,
					       (const uint8_t *)words[i]),
				 0);
	/* Several arenas are in each of the first pages, a word apart; then come their heaps. */
	taddr next = MAIN;
	for (int i = 0; i < ARENAS; i++) {
		int page = i / EACH, word = 4 + i % EACH;
		taddr arena = at + (taddr)page * align + (taddr)word * 8;
		taddr own = at + (taddr)(ARENAS / EACH + i) * align;
		uint64_t *info = words[ARENAS / EACH + i];

		words[page][word + MADE_BEFORE / 8 - 2] = own + 64;
		words[page][word + MADE_BEFORE / 8 + 256] = next;
		info[0] = arena;
		info[1] = own;
		info[2] = align;
		next = arena;
	}
	made_put(&h, OTHER + MADE_BEFORE + 2048, next);
	assert_int_equal(glibc_walk(&h.still, &w), 0);
	assert_int_equal(w.n_arenas, 2 + ARENAS);
	assert_non_null(strstr(w.checks[CHECK_CHUNKS].first, "so many heaps"));
	heap_walk_release(&w);
	made_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_is_on_a_heap_is_found),
		cmocka_unit_test(links_of_before_2_32_are_followed),
		cmocka_unit_test(links_are_told_by_whole_lists),
		cmocka_unit_test(heaps_of_huge_pages_are_aligned_to_less),
		cmocka_unit_test(a_mapped_block_with_a_page_that_nobody_may_touch_is_found),
		cmocka_unit_test(a_mapped_block_may_be_aligned_to_more_than_a_huge_page),
		cmocka_unit_test(blocks_are_counted_by_their_sizes),
		cmocka_unit_test(an_arena_that_is_being_changed_is_said),
		cmocka_unit_test(bins_in_motion_do_not_hide_the_arena),
		cmocka_unit_test(a_count_that_is_off_by_one_is_a_thread_between_two_stores),
		cmocka_unit_test(a_call_that_maps_a_block_is_seen_in_the_count),
		cmocka_unit_test(a_main_arena_outside_of_the_heap_is_found),
		cmocka_unit_test(holes_of_terabytes_are_passed_over),
		cmocka_unit_test(a_heap_of_forty_gibibytes_is_walked),
		cmocka_unit_test(an_arena_of_zeros_is_none),
		cmocka_unit_test(two_main_arenas_are_not_one),
		cmocka_unit_test(a_main_arena_without_memory_is_none_beside_another),
		cmocka_unit_test(an_arena_right_behind_a_file_is_a_threads_all_the_same),
		cmocka_unit_test(a_thread_that_has_ended_leaves_keys_behind),
		cmocka_unit_test(caches_that_are_not_found_are_missed),
		cmocka_unit_test(an_allocator_without_caches_is_not_asked_for_them),
		cmocka_unit_test(caches_of_threads_that_are_not_there_are_found),
		cmocka_unit_test(a_table_that_looks_like_a_cache_is_a_block),
		cmocka_unit_test(caches_are_found_behind_threads_that_have_none),
		cmocka_unit_test(memory_that_could_not_be_read_is_said),
		cmocka_unit_test(every_field_damaged_in_turn),
		cmocka_unit_test(a_top_that_points_nowhere_is_said),
		cmocka_unit_test(lists_in_circles_end),
		cmocka_unit_test(a_million_headers_in_a_programs_own_memory_are_doubted),
		cmocka_unit_test(rows_of_empty_lists_are_no_arena),
		cmocka_unit_test(memory_that_is_made_of_empty_lists_is_given_up),
		cmocka_unit_test(many_circles_are_given_up),
		cmocka_unit_test(many_heaps_in_circles_are_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
