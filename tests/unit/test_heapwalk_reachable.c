/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks and pointers made by hand: the class of each block. */
#include "unit/unit.h"

#include "heapwalk/reachable.h"
#include "unit/made_heap.h"

#include <errno.h>

#define ROOTS UINT64_C(0x7f0000000000)
#define FILES UINT64_C(0x7f1000000000)
#define HEAP  UINT64_C(0x555500000000)
#define STEP  UINT64_C(128) /* from block to block; each has 120 bytes */

enum { PAGES = 64, BLOCKS_MAX = 1024, SIZE = 120 };

/* Blocks 0, 1, 2 ... and words in memory that is a root. */
struct made {
	struct made_heap memory;
	struct spans blocks;
	struct reach_range range;
	struct reach_roots roots;
	struct reach reach;
	unsigned n_roots;
	bool no_idioms;
	bool spares_new;
	taddr before[4]; /* what was lost */
	size_t n_before;
};

static taddr at(unsigned block)
{
	return HEAP + block * STEP;
}

static void make(struct made *m, unsigned blocks)
{
	struct proc_map file = {.start = FILES,
				.end = FILES + STILL_PAGE,
				.readable = true,
				.ino = 12,
				.path = "/lib/x.so"};

	*m = (struct made){.range = {ROOTS, ROOTS + PAGES * STILL_PAGE}};
	m->roots = (struct reach_roots){.ranges = &m->range, .n_ranges = 1};
	made_memory(&m->memory, HEAP, PAGES, "[heap]");
	made_memory(&m->memory, ROOTS, PAGES, "");
	assert_int_equal(still_add_map(&m->memory.still, &file), 0);
	for (unsigned i = 0; i < blocks; i++)
		assert_int_equal(spans_add(&m->blocks, at(i), SIZE), 0);
	assert_int_equal(spans_index(&m->blocks), 0);
}

static void root(struct made *m, uint64_t word)
{
	made_put(&m->memory, ROOTS + 8 * m->n_roots++, word);
}

/* Word @n of a block. */
static void put(struct made *m, unsigned block, unsigned n, uint64_t word)
{
	made_put(&m->memory, at(block) + 8 * n, word);
}

static void find(struct made *m)
{
	struct reach_asked asked = {.still = &m->memory.still,
				    .blocks = &m->blocks,
				    .roots = &m->roots,
				    .no_idioms = m->no_idioms,
				    .spares_new = m->spares_new,
				    .lost_before = m->before,
				    .n_lost_before = m->n_before};

	reach_release(&m->reach);
	assert_int_equal(reach_find(&m->reach, &asked), 0);
}

static void done(struct made *m)
{
	reach_release(&m->reach);
	spans_release(&m->blocks);
	made_release(&m->memory);
}

/* A letter for each block: Reachable, Possible, Lost directly, lost Through another. */
static void check(struct made *m, const char *classes)
{
	static const char letters[] = {[REACH_LOST] = 'L',
				       [REACH_LOST_THROUGH] = 'T',
				       [REACH_POSSIBLE] = 'P',
				       [REACH_REACHABLE] = 'R'};
	char found[BLOCKS_MAX + 1] = "";
	uint64_t n = 0, bytes = 0;

	find(m);
	for (size_t i = 0; i < m->blocks.n; i++)
		found[i] = letters[m->reach.classes[i]];
	assert_string_equal(found, classes);
	for (int i = 0; i < N_REACH_CLASSES; i++) {
		n += m->reach.sums[i].n;
		bytes += m->reach.sums[i].bytes;
	}
	assert_int_equal(n, m->blocks.n);
	assert_int_equal(bytes, m->blocks.n * SIZE);
	assert_int_equal(m->reach.n_lost, m->reach.sums[REACH_LOST].n);
	done(m);
}

/* ---- memcheck's nine cases, in the order of its manual ---- */

static void the_nine_cases_of_memcheck(void **state)
{
	struct made m;

	(void)state;
	make(&m, 1); /* 1: a root points at it */
	root(&m, at(0));
	check(&m, "R");
	make(&m, 2); /* 2: so it does at what points at it */
	root(&m, at(0));
	put(&m, 0, 3, at(1));
	check(&m, "RR");
	make(&m, 1); /* 3 */
	check(&m, "L");
	make(&m, 2); /* 4 */
	put(&m, 0, 0, at(1));
	check(&m, "LT");
	make(&m, 1); /* 5: into it */
	root(&m, at(0) + 40);
	check(&m, "P");
	make(&m, 2); /* 6 */
	root(&m, at(0));
	put(&m, 0, 0, at(1) + 40);
	check(&m, "RP");
	make(&m, 2); /* 7 */
	root(&m, at(0) + 40);
	put(&m, 0, 0, at(1));
	check(&m, "PP");
	make(&m, 2); /* 8 */
	root(&m, at(0) + 40);
	put(&m, 0, 0, at(1) + 40);
	check(&m, "PP");
	make(&m, 2); /* 9 */
	put(&m, 0, 0, at(1) + 40);
	check(&m, "LT");
}

static void a_better_pointer_wins_whenever_it_comes(void **state)
{
	struct made m;

	(void)state;
	make(&m, 4);
	root(&m, at(0) + 40); /* possible first ... */
	root(&m, at(2));
	put(&m, 0, 0, at(1));
	put(&m, 2, 5, at(0)); /* ... and reachable through a block */
	put(&m, 1, 0, at(3) + 24);
	check(&m, "RRRP");
}

static void the_last_byte_is_inside_and_the_next_one_is_not(void **state)
{
	struct made m;

	(void)state;
	make(&m, 3);
	root(&m, at(0) + SIZE - 1);
	root(&m, at(1) + SIZE);
	root(&m, HEAP - 1);
	root(&m, at(2) + SIZE);
	check(&m, "PLL");
}

/* ---- who heads a clique ---- */

static void a_cycle_has_one_head(void **state)
{
	struct made m;

	(void)state;
	make(&m, 3);
	put(&m, 0, 0, at(1));
	put(&m, 1, 0, at(2));
	put(&m, 2, 0, at(0));
	find(&m);
	assert_int_equal(m.reach.n_lost, 1);
	assert_int_equal(m.reach.lost[0].through.n, 2);
	assert_int_equal(m.reach.lost[0].through.bytes, 2 * SIZE);
	done(&m);
	make(&m, 1);
	put(&m, 0, 0, at(0)); /* of one block */
	check(&m, "L");
}

static void a_cycle_that_is_lost_through_another_block_has_none(void **state)
{
	struct made m;

	(void)state;
	/* Whatever the order of addresses is. */
	make(&m, 4);
	put(&m, 0, 0, at(1));
	put(&m, 1, 0, at(2));
	put(&m, 2, 0, at(0));
	put(&m, 3, 0, at(1));
	check(&m, "TTTL");
	make(&m, 4);
	put(&m, 1, 0, at(2));
	put(&m, 2, 0, at(3));
	put(&m, 3, 0, at(1));
	put(&m, 0, 0, at(2));
	check(&m, "LTTT");
	/* Two cycles, of which one leads to the other. */
	make(&m, 4);
	put(&m, 0, 0, at(1));
	put(&m, 1, 0, at(0));
	put(&m, 2, 0, at(3));
	put(&m, 3, 0, at(2));
	put(&m, 3, 1, at(0));
	find(&m);
	assert_int_equal(m.reach.n_lost, 1);
	assert_true(m.reach.lost[0].block >= 2);
	assert_int_equal(m.reach.lost[0].through.n, 3);
	done(&m);
}

static void cliques_that_meet_share_nothing_twice(void **state)
{
	struct made m;

	(void)state;
	make(&m, 4);
	put(&m, 0, 0, at(2));
	put(&m, 1, 0, at(2));
	put(&m, 2, 0, at(3));
	find(&m);
	assert_int_equal(m.reach.n_lost, 2);
	assert_int_equal(m.reach.lost[0].through.n + m.reach.lost[1].through.n, 2);
	check(&m, "LLTT");
}

static void a_long_chain_needs_no_stack(void **state)
{
	char classes[BLOCKS_MAX + 1] = "";
	struct made m;

	(void)state;
	make(&m, BLOCKS_MAX);
	for (unsigned i = 0; i + 1 < BLOCKS_MAX; i++)
		put(&m, i, 1, at(i + 1));
	memset(classes, 'T', BLOCKS_MAX);
	classes[0] = 'L';
	check(&m, classes);
}

/* ---- idioms ---- */

static void tag_bits_and_short_headers(void **state)
{
	struct made m;

	(void)state;
	make(&m, 4);
	root(&m, at(0) | 1);
	root(&m, at(1) + 15);
	root(&m, at(2) + 16);
	put(&m, 0, 0, at(3) + 8);
	find(&m);
	assert_int_equal(m.reach.n_idioms, 3);
	assert_int_equal(m.reach.idioms[0].kind, IDIOM_TAG);
	assert_int_equal(m.reach.idioms[0].blocks, 1);
	check(&m, "RRPR");
	make(&m, 1);
	m.no_idioms = true;
	root(&m, at(0) | 1);
	check(&m, "P");
}

static void an_idiom_is_no_reason_where_there_is_a_better_one(void **state)
{
	struct made m;

	(void)state;
	make(&m, 1);
	root(&m, at(0) | 1);
	root(&m, at(0));
	find(&m);
	assert_int_equal(m.reach.n_idioms, 0);
	check(&m, "R");
}

static void the_text_of_an_old_string(void **state)
{
	struct made m;

	(void)state;
	make(&m, 3);
	for (unsigned i = 0; i < 3; i++)
		root(&m, at(i) + 24);
	put(&m, 0, 0, 5);  /* length */
	put(&m, 0, 1, 90); /* capacity: 115 bytes asked for */
	put(&m, 1, 0, 91); /* longer than it can be */
	put(&m, 1, 1, 90);
	put(&m, 2, 0, 5);
	put(&m, 2, 1, 70); /* the block would have been smaller */
	check(&m, "RPP");
}

static void another_base_of_a_class(void **state)
{
	struct made m;

	(void)state;
	make(&m, 4);
	for (unsigned i = 0; i < 4; i++) {
		root(&m, at(i) + 32);
		put(&m, i, 0, FILES + 16);
		put(&m, i, 4, FILES + 64);
	}
	put(&m, 1, 0, FILES + 17); /* no address of a table */
	put(&m, 2, 4, ROOTS);	   /* where anybody writes */
	put(&m, 3, 0, 0);
	check(&m, "RPPP");
}

/* Sixteen blocks with pointers to the same offset, one fewer, and some of another size. */
static void many_that_are_pointed_at_in_one_place(void **state)
{
	char classes[] = "RRRRRRRRRRRRRRRRR";
	struct made m;

	(void)state;
	make(&m, 17);
	for (unsigned i = 0; i < 16; i++)
		root(&m, at(i) + 64);
	put(&m, 3, 0, at(16)); /* what one leads to */
	find(&m);
	assert_int_equal(m.reach.n_idioms, 1);
	assert_int_equal(m.reach.idioms[0].kind, IDIOM_REGULAR);
	assert_int_equal(m.reach.idioms[0].offset, 64);
	assert_int_equal(m.reach.idioms[0].blocks, 16);
	check(&m, classes);
	make(&m, 15);
	for (unsigned i = 0; i < 15; i++)
		root(&m, at(i) + 64);
	check(&m, "PPPPPPPPPPPPPPP");
	/* Another place, too: this one is not like the others, of which there are enough. */
	make(&m, 17);
	for (unsigned i = 0; i < 17; i++)
		root(&m, at(i) + 64);
	root(&m, at(0) + 80);
	check(&m, "PRRRRRRRRRRRRRRRR");
}

/* Each points to the middle of the next one. */
static void a_chain_of_links_in_the_middle(void **state)
{
	char classes[] = "RRRRRRRRRRRRRRRRRRRR";
	struct made m;

	(void)state;
	make(&m, 20);
	root(&m, at(0) + 32);
	for (unsigned i = 0; i < 19; i++)
		put(&m, i, 4, at(i + 1) + 32);
	check(&m, classes);
	/* What is possible itself makes nothing reachable: the chain hangs on another kind. */
	make(&m, 21);
	root(&m, at(20) + 40);
	put(&m, 20, 0, at(0) + 32);
	for (unsigned i = 0; i < 19; i++)
		put(&m, i, 4, at(i + 1) + 32);
	check(&m, "PPPPPPPPPPPPPPPPPPPPP");
}

/* Pages of a cache: a table points to their headers, and these to each other and to themselves. */
static void what_alike_blocks_point_at_in_each_other_counts_less(void **state)
{
	struct made m;

	(void)state;
	make(&m, 16);
	for (unsigned i = 0; i < 16; i++) {
		root(&m, at(i) + 64);
		put(&m, i, 8, at(i));
		put(&m, i, 9, at((i + 1) % 16) + 88);
	}
	check(&m, "RRRRRRRRRRRRRRRR");
	make(&m, 16);
	root(&m, at(0) + 32);
	for (unsigned i = 0; i < 16; i++) {
		put(&m, i, 4, at(i + 1) + 32);
		put(&m, i, 5, at(i) + 48);
	}
	check(&m, "RRRRRRRRRRRRRRRR");
}

/* ---- seen before ---- */

static void what_was_not_lost_before_is_not_lost(void **state)
{
	struct made m;
	size_t n;
	int err;

	(void)state;
	make(&m, 5);
	put(&m, 0, 0, at(1));
	put(&m, 1, 0, at(2));
	find(&m);
	taddr *lost = reach_lost_addresses(&m.reach, &m.blocks, &n, &err);
	assert_int_equal(err, 0);
	assert_int_equal(n, 5);
	assert_int_equal(lost[0], at(0));
	assert_int_equal(lost[4], at(4));
	free(lost);
	/* The head was not: what it leads to has no other, and one is at an address that no block
	 * has now. */
	m.spares_new = true;
	m.before[0] = at(0) + 8;
	m.before[1] = at(1);
	m.before[2] = at(2);
	m.before[3] = at(4);
	m.n_before = 4;
	check(&m, "RLTRL");
	make(&m, 2);
	m.spares_new = true;
	check(&m, "RR");
}

/* ---- memory that says anything ---- */

static void memory_that_is_not_there_leads_nowhere(void **state)
{
	struct made m;

	(void)state;
	make(&m, 2);
	/* Behind the end of what was copied, and over a hole in it. */
	taddr far = HEAP + (PAGES + 4) * STILL_PAGE;
	assert_int_equal(spans_add(&m.blocks, HEAP + (PAGES - 1) * STILL_PAGE, 3 * STILL_PAGE), 0);
	assert_int_equal(spans_add(&m.blocks, far, 10 * STILL_PAGE), 0);
	root(&m, HEAP + (PAGES - 1) * STILL_PAGE);
	made_put(&m.memory, HEAP + PAGES * STILL_PAGE - 8, at(1));
	find(&m);
	assert_int_equal(m.reach.classes[0], REACH_LOST);
	assert_int_equal(m.reach.classes[1], REACH_REACHABLE);
	assert_int_equal(m.reach.classes[2], REACH_REACHABLE);
	assert_int_equal(m.reach.classes[3], REACH_LOST);
	done(&m);
}

/* Every word of all blocks points somewhere among them. */
static void memory_full_of_pointers_has_an_end(void **state)
{
	uint64_t random = 1;
	struct made m;

	(void)state;
	for (int round = 0; round < 4; round++) {
		unsigned first = 0;

		make(&m, 200);
		for (unsigned i = 0; i < 200 * STEP / 8; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			uint64_t word = HEAP + (random >> 33) % (200 * STEP);

			memcpy(made_at(&m.memory, HEAP + 8 * i, 8), &word, 8);
		}
		if (round & 1)
			root(&m, at(7));
		m.no_idioms = round & 2;
		find(&m);
		for (unsigned i = 0; i < 200; i++)
			first += m.reach.classes[i] == (round & 1 ? REACH_LOST : REACH_REACHABLE);
		assert_int_equal(first, 0);
		done(&m);
	}
}

static void no_blocks_and_no_roots(void **state)
{
	struct made m;

	(void)state;
	make(&m, 0);
	root(&m, HEAP);
	check(&m, "");
	make(&m, 1);
	m.roots = (struct reach_roots){0};
	check(&m, "L");
}

/* ---- blocks by their addresses ---- */

static void every_address_has_its_block(void **state)
{
	static const struct {
		taddr at;
		uint64_t size;
	} v[] = {{0x10000, 24},	   {0x10020, 24},    {0x10040, 100000},	       {0x30000, 1},
		 {0x30010, 0},	   {0x10000000, 40}, {0x20000000, 1ull << 36}, {0x2000000000, 8},
		 {0x2000000010, 8}};
	enum { N = sizeof v / sizeof *v };
	struct spans s = {0};
	uint64_t offset, size;

	(void)state;
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(spans_add(&s, v[i].at, v[i].size), 0);
	assert_int_equal(spans_index(&s), 0);
	assert_int_equal(s.n, N);
	for (unsigned i = 0; i < N; i++) {
		uint64_t whole = v[i].size ? (v[i].size + 7) / 8 * 8 : 8;

		assert_int_equal(spans_at(&s, i, &size), v[i].at);
		assert_int_equal(size, whole);
		assert_int_equal(spans_find(&s, v[i].at, &offset), i);
		assert_int_equal(offset, 0);
		assert_int_equal(spans_find(&s, v[i].at + whole - 1, &offset), i);
		assert_int_equal(offset, whole - 1);
		assert_int_equal(spans_find(&s, v[i].at + whole, &offset), SPANS_NONE);
		assert_int_equal(spans_find(&s, v[i].at - 1, &offset), SPANS_NONE);
	}
	spans_release(&s);
}

static void dense_blocks_are_found_by_their_pages(void **state)
{
	enum { N = 20000 };
	struct spans s = {0};
	uint64_t offset, random = 3;
	taddr next = HEAP, *starts = malloc(N * sizeof *starts);

	(void)state;
	assert_non_null(starts);
	for (unsigned i = 0; i < N; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		uint64_t size = (random >> 33) % 64 ? 24 + (random >> 40) % 32 * 16 : 9000;

		starts[i] = next;
		assert_int_equal(spans_add(&s, next, size), 0);
		next += (size + 8 + 15) / 16 * 16 + ((random >> 50) % 8 ? 0 : 4096);
	}
	assert_int_equal(spans_index(&s), 0);
	assert_non_null(s.areas[0].pages);
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(spans_find(&s, starts[i] + 5, &offset), i);
		assert_int_equal(offset, 5);
		assert_int_equal(spans_find(&s, starts[i] - 1, &offset), SPANS_NONE);
	}
	free(starts);
	spans_release(&s);
}

static void blocks_that_overlap_are_left_out(void **state)
{
	struct spans s = {0};
	uint64_t offset;

	(void)state;
	assert_int_equal(spans_add(&s, 0x10000, 64), 0);
	assert_int_equal(spans_add(&s, 0x10020, 64), 0);
	assert_int_equal(spans_add(&s, 0x9000, 64), 0);
	assert_int_equal(spans_add(&s, UINT64_MAX - 15, 64), -ERANGE);
	assert_int_equal(spans_index(&s), 0);
	assert_int_equal(s.n, 1);
	assert_int_equal(spans_find(&s, 0x10030, &offset), 0);
	assert_int_equal(spans_find(&s, 0x9000, &offset), SPANS_NONE);
	spans_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nine_cases_of_memcheck),
		cmocka_unit_test(a_better_pointer_wins_whenever_it_comes),
		cmocka_unit_test(the_last_byte_is_inside_and_the_next_one_is_not),
		cmocka_unit_test(a_cycle_has_one_head),
		cmocka_unit_test(a_cycle_that_is_lost_through_another_block_has_none),
		cmocka_unit_test(cliques_that_meet_share_nothing_twice),
		cmocka_unit_test(a_long_chain_needs_no_stack),
		cmocka_unit_test(tag_bits_and_short_headers),
		cmocka_unit_test(an_idiom_is_no_reason_where_there_is_a_better_one),
		cmocka_unit_test(the_text_of_an_old_string),
		cmocka_unit_test(another_base_of_a_class),
		cmocka_unit_test(many_that_are_pointed_at_in_one_place),
		cmocka_unit_test(a_chain_of_links_in_the_middle),
		cmocka_unit_test(what_alike_blocks_point_at_in_each_other_counts_less),
		cmocka_unit_test(what_was_not_lost_before_is_not_lost),
		cmocka_unit_test(memory_that_is_not_there_leads_nowhere),
		cmocka_unit_test(memory_full_of_pointers_has_an_end),
		cmocka_unit_test(no_blocks_and_no_roots),
		cmocka_unit_test(every_address_has_its_block),
		cmocka_unit_test(dense_blocks_are_found_by_their_pages),
		cmocka_unit_test(blocks_that_overlap_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
