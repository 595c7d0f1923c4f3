/* SPDX-License-Identifier: BSD-2-Clause */
/* The roots of stills made by hand: without the allocator's memory, and of stacks only the part in
 * use. */
#include "unit/unit.h"

#include "heapwalk/reachable.h"
#include "unit/made_heap.h"

#include <stddef.h>
#include <ucontext.h>

#define DATA   UINT64_C(0x555500000000)
#define HEAP   UINT64_C(0x555600000000)
#define OTHER  UINT64_C(0x7e0000000000)
#define MAPPED UINT64_C(0x7e1000000000)
#define GUARD  UINT64_C(0x7e2000000000)
#define THREAD (GUARD + STILL_PAGE)
#define STACK  UINT64_C(0x7ffc00000000)

enum { PAGES = 4, RED_ZONE = 128 };

struct made {
	struct made_heap memory;
	struct heap_walk walk;
	struct reach_roots roots;
};

static void chunk(struct made *m, taddr at, uint64_t size)
{
	assert_int_equal(heap_blocks_add(&m->walk.blocks, at, size, HEAP_LIVE), 0);
}

static void task(struct made *m, taddr sp, taddr tp)
{
	const struct still_task t = {0x1000, sp, tp};

	assert_int_equal(still_add_task(&m->memory.still, &t), 0);
}

/* A task whose stack has its descriptor at @tp, as glibc has it. */
static void thread(struct made *m, taddr sp, taddr tp, taddr start, uint64_t size)
{
	enum { STACKBLOCK = 0x690 };

	made_put(&m->memory, tp + STACKBLOCK, start);
	made_put(&m->memory, tp + STACKBLOCK + 8, size);
	task(m, sp, tp);
}

static void make(struct made *m)
{
	struct proc_map guard = {.start = GUARD, .end = THREAD, .path = ""};
	struct heap_blocks *b = &m->walk.blocks;
	struct heap_mapped mapped = {MAPPED + STILL_PAGE, MAPPED + STILL_PAGE, STILL_PAGE};

	*m = (struct made){0};
	assert_int_equal(heap_add_own(&m->walk, DATA + 0x100, DATA + 0x900), 0);
	b->cut = (struct heap_cut){.header = 16, .overhead = 8, .mapped_overhead = 16};
	made_memory(&m->memory, DATA, 1, "/bin/x");
	made_memory(&m->memory, HEAP, PAGES, "[heap]");
	made_memory(&m->memory, OTHER, PAGES, "");
	made_memory(&m->memory, MAPPED, PAGES, "");
	assert_int_equal(still_add_map(&m->memory.still, &guard), 0);
	made_memory(&m->memory, THREAD, PAGES, "");
	made_memory(&m->memory, STACK, PAGES, "[stack]");
	/* Somebody else's memory is in the middle, and behind the end. */
	assert_int_equal(heap_blocks_begin(b, HEAP, HEAP + 0x3000, 0), 0);
	chunk(m, HEAP, 0x1000);
	chunk(m, HEAP + 0x2000, 0x1000);
	assert_int_equal(heap_blocks_begin(b, OTHER, OTHER + 0x2000, 1), 0);
	chunk(m, OTHER + 0x100, 0x200);
	assert_int_equal(heap_blocks_add_mapped(b, &mapped), 0);
	heap_blocks_sort(b);
}

static void done(struct made *m)
{
	reach_roots_release(&m->roots);
	heap_walk_release(&m->walk);
	made_release(&m->memory);
}

static void check_ranges(const struct made *m, const struct reach_range *v, size_t n)
{
	for (size_t i = 0; i < n && i < m->roots.n_ranges; i++) {
		assert_int_equal(m->roots.ranges[i].start, v[i].start);
		assert_int_equal(m->roots.ranges[i].end, v[i].end);
	}
	assert_int_equal(m->roots.n_ranges, n);
}

#define CHECK(m, ...)                                                                              \
	do {                                                                                       \
		const struct reach_range ranges_[] = __VA_ARGS__;                                  \
		check_ranges(m, ranges_, sizeof ranges_ / sizeof *ranges_);                        \
	} while (0)

static void all_that_is_not_the_allocators(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, &m.walk), 0);
	/* The word behind a chunk is the block's. */
	CHECK(&m, {{DATA, DATA + 0x100},
		   {DATA + 0x900, DATA + 0x1000},
		   {HEAP + 0x1008, HEAP + 0x2000},
		   {HEAP + 0x3008, HEAP + 0x4000},
		   {OTHER + 0x2000, OTHER + 0x4000},
		   {MAPPED, MAPPED + 0x1000},
		   {MAPPED + 0x2000, MAPPED + 0x4000},
		   {THREAD, THREAD + 0x4000},
		   {STACK, STACK + 0x4000}});
	done(&m);
}

/* Another caller of sbrk(2) has it, and the arena has not grown since. */
static void what_is_right_behind_the_top_is_somebody_elses(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	m.walk.blocks.states[1] = HEAP_TOP;
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, &m.walk), 0);
	assert_int_equal(m.roots.ranges[2].end, HEAP + 0x2000);
	assert_int_equal(m.roots.ranges[3].start, HEAP + 0x3000);
	done(&m);
}

static void everything_if_the_allocator_is_not_known(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, NULL), 0);
	assert_int_equal(m.roots.n_ranges, 6);
	assert_int_equal(m.roots.ranges[0].end, DATA + 0x1000);
	done(&m);
}

static void stacks_from_their_pointers_on(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	task(&m, STACK + 0x2345, DATA + 0x10);
	thread(&m, THREAD + 0x1000, THREAD + 0x3000, GUARD, THREAD + 0x4000 - GUARD);
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, &m.walk), 0);
	CHECK(&m, {{DATA, DATA + 0x100},
		   {DATA + 0x900, DATA + 0x1000},
		   {HEAP + 0x1008, HEAP + 0x2000},
		   {HEAP + 0x3008, HEAP + 0x4000},
		   {OTHER + 0x2000, OTHER + 0x4000},
		   {MAPPED, MAPPED + 0x1000},
		   {MAPPED + 0x2000, MAPPED + 0x4000},
		   {THREAD + 0x1000 - RED_ZONE, THREAD + 0x4000},
		   {STACK + 0x2340 - RED_ZONE, STACK + 0x4000}});
	assert_int_equal(m.roots.n_stacks, 2);
	done(&m);
}

/* The kernel merges mappings, and a program may give a thread a part of one: what is below that
 * part is other memory. */
/* A handler is on an alternate stack, in the frame of a caller of what it has interrupted. */
static void what_a_handler_in_a_callers_frame_has_interrupted(void **state)
{
	const taddr alternate = STACK + 0x2000, frame = STACK + 0x2800;
	struct made m;

	(void)state;
	make(&m);
	task(&m, STACK + 0x2404, 0);
	made_put(&m.memory, frame + offsetof(ucontext_t, uc_stack.ss_sp), alternate);
	made_put(&m.memory, frame + offsetof(ucontext_t, uc_stack.ss_size), 0x1000);
	made_put(&m.memory, frame + offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP]),
		 STACK + 0x1500);
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, NULL), 0);
	assert_int_equal(m.roots.ranges[5].start, STACK + 0x1500 - RED_ZONE);
	reach_roots_release(&m.roots);
	/* An alternate stack that ends in front of it is not the one that the handler is on. */
	made_put(&m.memory, frame + offsetof(ucontext_t, uc_stack.ss_size), 0x800);
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, NULL), 0);
	assert_int_equal(m.roots.ranges[5].start, STACK + 0x2400 - RED_ZONE);
	done(&m);
}

static void a_stack_in_a_part_of_a_mapping(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	thread(&m, THREAD + 0x2800, THREAD + 0x3000, THREAD + 0x2000, 0x1f00);
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, &m.walk), 0);
	assert_int_equal(m.roots.ranges[7].start, THREAD);
	assert_int_equal(m.roots.ranges[7].end, THREAD + 0x2000);
	assert_int_equal(m.roots.ranges[8].start, THREAD + 0x2800 - RED_ZONE);
	reach_roots_release(&m.roots);
	/* Such a one needs no guard. */
	m.memory.still.n_tasks = 0;
	thread(&m, MAPPED + 0x2800, MAPPED + 0x3000, MAPPED + 0x2000, 0x1f00);
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, &m.walk), 0);
	assert_int_equal(m.roots.ranges[6].start, MAPPED + 0x2800 - RED_ZONE);
	assert_int_equal(m.roots.ranges[7].end, THREAD + 0x4000);
	reach_roots_release(&m.roots);
	/* It is on another one, or what looks like its size is too large for any. */
	m.memory.still.n_tasks = 0;
	thread(&m, MAPPED + 0x800, MAPPED + 0x3000, MAPPED + 0x2000, 0x1f00);
	thread(&m, THREAD + 0x2800, THREAD + 0x3000, THREAD + 0x2000, 0x2008);
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, &m.walk), 0);
	assert_int_equal(m.roots.ranges[6].start, MAPPED + 0x2000);
	assert_int_equal(m.roots.ranges[7].start, THREAD);
	done(&m);
}

/* A coroutine in memory that has other things, too; a thread whose own data is elsewhere; two
 * tasks on one stack. */
static void what_may_be_no_stack_is_read_whole(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	task(&m, MAPPED + 0x2f00, MAPPED + 0x3f00); /* nothing guards it */
	task(&m, THREAD + 0x1000, DATA + 0x20);	    /* it has another stack, too */
	task(&m, STACK + 0x2000, DATA + 0x10);
	task(&m, STACK + 0x1000, DATA + 0x18);
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, &m.walk), 0);
	assert_int_equal(m.roots.n_ranges, 9);
	assert_int_equal(m.roots.ranges[6].start, MAPPED + 0x2000);
	assert_int_equal(m.roots.ranges[7].start, THREAD);
	assert_int_equal(m.roots.ranges[8].start, STACK + 0x1000 - RED_ZONE);
	done(&m);
}

static bool has_word(const struct made *m, uint64_t word)
{
	for (size_t i = 0; i < m->roots.n_words; i++)
		if (m->roots.words[i] == word)
			return true;
	return false;
}

static void registers_and_the_table_of_thread_local_memory(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(still_add_word(&m.memory.still, 0xabcd), 0);
	made_put(&m.memory, THREAD + 0x3f08, HEAP + 0x20);
	task(&m, THREAD + 0x1000, THREAD + 0x3f00);
	task(&m, 0x10, 0x20); /* nothing is there */
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, &m.walk), 0);
	assert_true(has_word(&m, 0xabcd));
	assert_true(has_word(&m, HEAP + 0x10));
	done(&m);
}

/* It points to itself, and no thread has it. */
static void tables_of_threads_that_have_ended(void **state)
{
	const taddr at = MAPPED + 0x2fc0, list = MAPPED + 0x3000;
	struct made m;

	(void)state;
	make(&m);
	made_put(&m.memory, at, at);
	made_put(&m.memory, at + 8, HEAP + 0x20);
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, &m.walk), 0);
	assert_int_equal(m.roots.n_words, 0);
	made_put(&m.memory, at + 16, at);
	/* Nor is an empty list one. */
	made_put(&m.memory, list, list);
	made_put(&m.memory, list + 8, list);
	reach_roots_release(&m.roots);
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, &m.walk), 0);
	assert_int_equal(m.roots.n_words, 1);
	assert_true(has_word(&m, HEAP + 0x10));
	done(&m);
}

/* Whatever a walk makes of damaged data: ranges are sorted, and within the copy. */
static void pieces_that_overlap(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	struct heap_blocks *b = &m.walk.blocks;
	struct heap_mapped mapped = {HEAP - 0x2000, HEAP - 0x2000, UINT64_C(1) << 32};
	assert_int_equal(heap_blocks_begin(b, OTHER + 0x800, UINT64_MAX, 1), 0);
	assert_int_equal(heap_blocks_begin(b, HEAP + 0x800, HEAP + 0x900, 0), 0);
	chunk(&m, HEAP + 0x800, 0x10);
	chunk(&m, HEAP + 0x820, UINT64_C(1) << 32);
	assert_int_equal(heap_blocks_add_mapped(b, &mapped), 0);
	heap_blocks_sort(b);
	assert_int_equal(reach_roots_find(&m.roots, &m.memory.still, &m.walk), 0);
	for (size_t i = 0; i < m.roots.n_ranges; i++) {
		assert_true(m.roots.ranges[i].start < m.roots.ranges[i].end);
		assert_true(!i || m.roots.ranges[i - 1].end <= m.roots.ranges[i].start);
	}
	assert_int_equal(m.roots.n_ranges, 2);
	done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_is_not_the_allocators),
		cmocka_unit_test(what_is_right_behind_the_top_is_somebody_elses),
		cmocka_unit_test(everything_if_the_allocator_is_not_known),
		cmocka_unit_test(stacks_from_their_pointers_on),
		cmocka_unit_test(what_a_handler_in_a_callers_frame_has_interrupted),
		cmocka_unit_test(a_stack_in_a_part_of_a_mapping),
		cmocka_unit_test(what_may_be_no_stack_is_read_whole),
		cmocka_unit_test(registers_and_the_table_of_thread_local_memory),
		cmocka_unit_test(tables_of_threads_that_have_ended),
		cmocka_unit_test(pieces_that_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
