/* SPDX-License-Identifier: BSD-2-Clause */
/* Resident memory from the text of smaps and a few page ranges: every byte is in one row. */
#include "unit/unit.h"

#include "heapwalk/rss.h"

#include <stdio.h>
#include <string.h>

#define HEAP  UINT64_C(0x555500000000)
#define STACK UINT64_C(0x7ffc00000000)
#define FILES UINT64_C(0x7f0000000000)

enum { PAGE = 4096 };

struct made {
	struct still still;
	struct heap_walk walk;
	struct resident resident;
	char smaps[8192];
};

static void add_smap(struct made *m, taddr start, unsigned pages, const char *perms,
		     const char *path, unsigned rss_kib, unsigned pss_kib, unsigned anon_kib)
{
	size_t n = strlen(m->smaps);

	snprintf(
		m->smaps + n, sizeof m->smaps - n,
		"%llx-%llx %s 00000000 %s                %s\n"
		"Size:               %u kB\nRss:                %u kB\nPss:                %u kB\n"
		"Anonymous:          %u kB\nSwap:               4 kB\nVmFlags: rd wr mr mw me ac\n",
		(unsigned long long)start, (unsigned long long)(start + (taddr)pages * PAGE), perms,
		path[0] == '/' ? "fe:00 12" : "00:00 0", path, pages * 4, rss_kib, pss_kib,
		anon_kib);
}

static void add_map(struct made *m, taddr start, unsigned pages, const char *path, bool executable)
{
	struct proc_map map = {.start = start,
			       .end = start + (taddr)pages * PAGE,
			       .readable = true,
			       .writable = !executable,
			       .executable = executable,
			       .ino = path[0] == '/',
			       .path = path};

	assert_int_equal(still_add_map(&m->still, &map), 0);
}

static void add_pages(struct made *m, taddr start, unsigned pages, bool swapped, bool zero)
{
	struct page_range r = {.start = start,
			       .end = start + (taddr)pages * PAGE,
			       .swapped = swapped,
			       .zero = zero};

	assert_int_equal(resident_add(&r, &m->resident), 0);
}

/* 8 pages of heap, of which the third is not there, and the last is a page of zeros. */
static void make(struct made *m)
{
	static const struct heap_chunk chunks[] = {{0, 0x1000 / 16},
						   {0x1000 / 16, 0x3000 / 16},
						   {0x4000 / 16, 0x2000 / 16},
						   {0x6000 / 16, 0x2000 / 16}};
	static const enum heap_state states[] = {HEAP_LIVE, HEAP_BINNED, HEAP_LIVE, HEAP_TOP};

	*m = (struct made){.walk.blocks.cut = {16, 8, 16}};
	assert_int_equal(heap_blocks_begin(&m->walk.blocks, HEAP, HEAP + 8 * PAGE, 0), 0);
	for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
		assert_int_equal(heap_blocks_add(&m->walk.blocks, HEAP + chunks[i].at * 16u,
						 chunks[i].size * 16u, states[i]),
				 0);
	add_map(m, HEAP, 8, "[heap]", false);
	add_map(m, FILES, 4, "/lib/x.so", true);
	add_map(m, FILES + 4 * PAGE, 2, "/lib/x.so", false);
	add_map(m, FILES + 6 * PAGE, 2, "", false);
	add_map(m, STACK, 4, "[stack]", false);
	struct still_task task = {0x1000, STACK + 2 * PAGE + 1128, 0};
	assert_int_equal(still_add_task(&m->still, &task), 0);
	add_pages(m, HEAP, 2, false, false);
	add_pages(m, HEAP + 2 * PAGE, 1, true, false);
	add_pages(m, HEAP + 3 * PAGE, 4, false, false);
	add_pages(m, HEAP + 7 * PAGE, 1, false, true);
	add_pages(m, FILES + 4 * PAGE, 4, false, false);
	add_pages(m, STACK, 4, false, false);
	add_smap(m, HEAP, 8, "rw-p", "[heap]", 24, 23, 24);
	add_smap(m, FILES, 4, "r-xp", "/lib/x.so", 12, 5, 0);
	add_smap(m, FILES + 4 * PAGE, 2, "rw-p", "/lib/x.so", 8, 6, 4);
	add_smap(m, FILES + 6 * PAGE, 2, "rw-p", "", 8, 8, 8);
	add_smap(m, STACK, 4, "rw-p", "[stack]", 16, 16, 16);
}

static void release(struct made *m, struct rss *r)
{
	rss_release(r);
	resident_release(&m->resident);
	heap_walk_release(&m->walk);
	still_release(&m->still);
}

static uint64_t row(const struct rss *r, enum rss_kind kind)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < r->n; i++)
		bytes += r->rows[i].kind == kind ? r->rows[i].rss : 0;
	return bytes;
}

static void expect_sums(const struct rss *r)
{
	uint64_t rss = 0, pss = 0;

	for (size_t i = 0; i < r->n; i++) {
		rss += r->rows[i].rss;
		pss += r->rows[i].pss;
	}
	assert_int_equal(rss, r->total);
	assert_int_equal(pss, r->pss);
}

static void divide(struct made *m, struct rss *r, bool walked, bool modules)
{
	struct rss_facts f = {&m->still, walked ? &m->walk : NULL, &m->resident, modules};

	assert_int_equal(rss_divide(r, &f, m->smaps), 0);
	expect_sums(r);
}

static void every_byte_is_in_its_row(void **state)
{
	struct made m;
	struct rss r;

	(void)state;
	make(&m);
	divide(&m, &r, true, false);
	assert_int_equal(r.total, 68 * 1024);
	assert_int_equal(r.pss, 58 * 1024);
	assert_int_equal(r.swap, 5 * 4096);
	/* The first word of the heap belongs to no chunk. */
	assert_int_equal(row(&r, RSS_OWN), 8);
	assert_int_equal(row(&r, RSS_HEADERS), 16);
	assert_int_equal(row(&r, RSS_LIVE), 0x3000 - 16);
	/* A page of it is swapped. */
	assert_int_equal(row(&r, RSS_FREE), 0x2000);
	/* A page of it was never written. */
	assert_int_equal(row(&r, RSS_TOP), 0x1000 - 8);
	assert_int_equal(row(&r, RSS_NOT_EXPLAINED), 0);
	assert_int_equal(row(&r, RSS_STACK), 2 * PAGE - 1000);
	assert_int_equal(row(&r, RSS_BELOW_STACK), 2 * PAGE + 1000);
	assert_int_equal(row(&r, RSS_CODE), 12 * 1024);
	assert_int_equal(row(&r, RSS_FILE_WRITTEN), 4 * 1024);
	assert_int_equal(row(&r, RSS_FILE_READ), 4 * 1024);
	assert_int_equal(row(&r, RSS_BSS), 8 * 1024);
	assert_int_equal(r.zeros_within, 0);
	release(&m, &r);
}

static void a_kernel_that_does_not_tell_of_zeros_is_believed_by_the_mapping(void **state)
{
	struct made m;
	struct rss r;

	(void)state;
	make(&m);
	add_pages(&m, HEAP + 7 * PAGE, 0, false, false);
	m.resident.v[1].end += PAGE; /* it looks like any other page */
	divide(&m, &r, true, false);
	assert_int_equal(r.zeros_within, PAGE);
	assert_int_equal(row(&r, RSS_TOP), 0x1000 - 8);
	assert_int_equal(row(&r, RSS_LIVE), 0x3000 - 16);
	release(&m, &r);
}

/* A program has given a thread a page and a half of its memory. */
static void a_stack_in_a_part_of_a_mapping_is_no_more_than_that(void **state)
{
	const taddr start = STACK - 8 * PAGE, own = start + 2 * PAGE, tp = own + PAGE;
	uint64_t bytes[PAGE / 8] = {[2] = own, [3] = PAGE + PAGE / 2};
	const struct still_task task = {0x1000, own + 1128, tp};
	struct made m = {0};
	struct rss r;

	(void)state;
	add_map(&m, start, 4, "", false);
	assert_int_equal(still_add_run(&m.still, tp, PAGE, (uint8_t *)bytes), 0);
	assert_int_equal(still_add_task(&m.still, &task), 0);
	add_pages(&m, start, 4, false, false);
	add_smap(&m, start, 4, "rw-p", "", 16, 16, 16);
	divide(&m, &r, false, false);
	assert_int_equal(row(&r, RSS_BELOW_STACK), 1000);
	assert_int_equal(row(&r, RSS_STACK), PAGE + PAGE / 2 - 1000);
	assert_int_equal(row(&r, RSS_ANON), 2 * PAGE + PAGE / 2);
	release(&m, &r);
	/* Nobody knows how large it is. */
	m = (struct made){0};
	add_map(&m, start, 4, "", false);
	assert_int_equal(still_add_task(&m.still, &task), 0);
	add_pages(&m, start, 4, false, false);
	add_smap(&m, start, 4, "rw-p", "", 16, 16, 16);
	divide(&m, &r, false, false);
	assert_int_equal(row(&r, RSS_BELOW_STACK), 2 * PAGE + 1000);
	assert_int_equal(row(&r, RSS_STACK), 2 * PAGE - 1000);
	release(&m, &r);
}

/* They exist, but are not in Rss. */
static void reserved_huge_pages_of_the_heap_are_no_pages_of_zeros(void **state)
{
	const char *tail = "Private_Hugetlb: 24 kB\n";
	struct made m;
	struct rss r;

	(void)state;
	make(&m);
	*m.smaps = '\0';
	add_smap(&m, HEAP, 8, "rw-p", "/anon_hugepage (deleted)", 0, 0, 0);
	strncat(m.smaps, tail, sizeof m.smaps - strlen(m.smaps) - 1);
	divide(&m, &r, true, false);
	assert_int_equal(r.total, 0);
	assert_int_equal(r.hugetlb, 24 * 1024);
	assert_int_equal(r.zeros_within, 0);
	release(&m, &r);
}

static void a_heap_that_is_not_known_is_one_row(void **state)
{
	struct made m;
	struct rss r;

	(void)state;
	make(&m);
	divide(&m, &r, false, false);
	assert_int_equal(row(&r, RSS_HEAP_WHOLE), 24 * 1024);
	assert_int_equal(row(&r, RSS_LIVE), 0);
	release(&m, &r);
}

static void files_have_rows_of_their_own(void **state)
{
	struct made m;
	struct rss r;

	(void)state;
	make(&m);
	divide(&m, &r, true, true);
	for (size_t i = 0; i < r.n; i++)
		assert_string_equal(r.rows[i].name,
				    r.rows[i].kind == RSS_CODE || r.rows[i].kind == RSS_FILE_READ ||
						    r.rows[i].kind == RSS_FILE_WRITTEN
					    ? "/lib/x.so"
					    : "");
	release(&m, &r);
}

/* madvise(2) splits a mapping in the middle of a chunk. */
static void a_chunk_in_two_mappings_is_divided_between_them(void **state)
{
	struct made m;
	struct rss r, whole;

	(void)state;
	make(&m);
	divide(&m, &whole, true, false);
	*m.smaps = '\0';
	add_smap(&m, HEAP, 5, "rw-p", "[heap]", 16, 16, 16);
	add_smap(&m, HEAP + 5 * PAGE, 3, "rw-p", "[heap]", 8, 8, 8);
	divide(&m, &r, true, false);
	for (int k = RSS_LIVE; k <= RSS_NOT_EXPLAINED; k++)
		assert_int_equal(row(&r, (enum rss_kind)k), row(&whole, (enum rss_kind)k));
	rss_release(&whole);
	release(&m, &r);
}

static void pages_with_few_live_bytes_are_counted(void **state)
{
	struct made m;
	struct rss r;

	(void)state;
	make(&m);
	heap_walk_release(&m.walk);
	assert_int_equal(heap_blocks_begin(&m.walk.blocks, HEAP, HEAP + 8 * PAGE, 0), 0);
	/* 24 bytes on the first page, 2000 on the second, 48 in two blocks on the fourth. */
	assert_int_equal(heap_blocks_add(&m.walk.blocks, HEAP, 32, HEAP_LIVE), 0);
	assert_int_equal(heap_blocks_add(&m.walk.blocks, HEAP + PAGE, 2008, HEAP_LIVE), 0);
	assert_int_equal(heap_blocks_add(&m.walk.blocks, HEAP + 3 * PAGE, 32, HEAP_LIVE), 0);
	assert_int_equal(heap_blocks_add(&m.walk.blocks, HEAP + 3 * PAGE + 32, 32, HEAP_LIVE), 0);
	divide(&m, &r, true, false);
	assert_int_equal(r.sparse_pages, 2);
	release(&m, &r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_is_in_its_row),
		cmocka_unit_test(a_kernel_that_does_not_tell_of_zeros_is_believed_by_the_mapping),
		cmocka_unit_test(a_stack_in_a_part_of_a_mapping_is_no_more_than_that),
		cmocka_unit_test(reserved_huge_pages_of_the_heap_are_no_pages_of_zeros),
		cmocka_unit_test(a_heap_that_is_not_known_is_one_row),
		cmocka_unit_test(files_have_rows_of_their_own),
		cmocka_unit_test(a_chunk_in_two_mappings_is_divided_between_them),
		cmocka_unit_test(pages_with_few_live_bytes_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
