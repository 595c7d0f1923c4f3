/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages, against a plain table of them; and the effects of system calls. */
#include "unit/unit.h"
#include "lib/random.h"
#include "attach/syscalls.h"
#include "massif/pages.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { PAGES = 200, NODES = 5 };

static uint64_t by_node[NODES];

static void change(void *ctx, uint32_t node, bool gone, uint64_t bytes)
{
	(void)ctx;
	assert_true(bytes > 0 && node < NODES);
	assert_true(!gone || by_node[node] >= bytes);
	by_node[node] += gone ? -bytes : bytes;
}

static void whatever_is_mapped_and_unmapped_each_page_is_its_last_mappers(void **state)
{
	struct pages p = { 0 };
	uint32_t node[PAGES];
	uint64_t born[PAGES], seed = 7;

	(void)state;
	memset(node, 0xff, sizeof node);
	memset(born, 0, sizeof born);
	memset(by_node, 0, sizeof by_node);
	for (uint64_t n = 1; n < 20000; n++) {
		uint64_t bits = random_next(&seed);
		uint64_t start = (bits >> 33) % PAGES, len = (bits >> 43) % 20,
			 before = n - (bits >> 50) % 4;
		uint64_t end = start + len < PAGES ? start + len : PAGES;
		bool any = false;

		if (bits >> 63) {
			struct page_range r = { start * 4096, end * 4096,
						(uint32_t)(bits >> 20) % NODES, n };

			assert_int_equal(pages_map(&p, &r, change, NULL), 0);
			for (uint64_t i = start; i < end; i++) {
				node[i] = r.node;
				born[i] = n;
			}
		} else {
			for (uint64_t i = start; i < end; i++)
				any |= node[i] != UINT32_MAX && born[i] < before;
			assert_int_equal(pages_any(&p, start * 4096, end * 4096, before), any);
			assert_int_equal(pages_unmap(&p, start * 4096, end * 4096, before, change,
						     NULL),
					 0);
			for (uint64_t i = start; i < end; i++)
				if (born[i] < before)
					node[i] = UINT32_MAX;
		}
		uint64_t want[NODES] = { 0 };
		for (unsigned i = 0; i < PAGES; i++)
			if (node[i] != UINT32_MAX)
				want[node[i]] += 4096;
		assert_memory_equal(want, by_node, sizeof want);
		for (size_t i = 0; i < p.n; i++) {
			assert_true(p.ranges[i].start < p.ranges[i].end);
			assert_true(!i || p.ranges[i - 1].end <= p.ranges[i].start);
		}
	}
	pages_release(&p);
}

static void assert_plan(struct pages *p, struct page_event e, struct page_plan want)
{
	struct page_plan got = pages_plan(p, &e, 0x9000);

	/* An empty part may be anywhere. */
	assert_int_equal(got.unmap < got.unmap_end, want.unmap < want.unmap_end);
	assert_int_equal(got.map < got.map_end, want.map < want.map_end);
	if (want.unmap < want.unmap_end)
		assert_true(got.unmap == want.unmap && got.unmap_end == want.unmap_end);
	if (want.map < want.map_end)
		assert_true(got.map == want.map && got.map_end == want.map_end);
}

static void events_are_rounded_up_to_pages(void **state)
{
	struct pages p = { 0 };

	(void)state;
	assert_plan(&p, (struct page_event){ .kind = PE_MAP, .at = 0x1000, .len = 1 },
		    (struct page_plan){ .map = 0x1000, .map_end = 0x2000 });
	assert_plan(&p, (struct page_event){ .kind = PE_UNMAP, .at = 0x1000, .len = 0x1001 },
		    (struct page_plan){ .unmap = 0x1000, .unmap_end = 0x3000 });
	assert_plan(&p, (struct page_event){ .kind = PE_ATTACH, .at = 0x5000 },
		    (struct page_plan){ .map = 0x5000, .map_end = 0x9000 });
}

static void a_remap_in_place_is_only_what_changes(void **state)
{
	struct pages p = { 0 };

	(void)state;
	assert_plan(&p, (struct page_event){ .kind = PE_REMAP, .old = 0x1000, .old_len = 0x2000,
					     .at = 0x1000,
					     .len = 0x5000 },
		    (struct page_plan){ .map = 0x3000, .map_end = 0x6000 });
	assert_plan(&p, (struct page_event){ .kind = PE_REMAP, .old = 0x1000, .old_len = 0x5000,
					     .at = 0x1000,
					     .len = 0x2000 },
		    (struct page_plan){ .unmap = 0x3000, .unmap_end = 0x6000 });
	assert_plan(&p, (struct page_event){ .kind = PE_REMAP, .old = 0x1000, .old_len = 0x1000,
					     .at = 0x1000,
					     .len = 0x1000 }, (struct page_plan){ 0 });
}

static void a_remap_elsewhere_moves_unless_the_old_stays(void **state)
{
	struct pages p = { 0 };

	(void)state;
	assert_plan(&p, (struct page_event){ .kind = PE_REMAP, .old = 0x1000, .old_len = 0x2000,
					     .at = 0x8000,
					     .len = 0x1000 },
		    (struct page_plan){ 0x1000, 0x3000, 0x8000, 0x9000 });
	assert_plan(&p, (struct page_event){ .kind = PE_REMAP_KEEP, .old = 0x1000,
					     .old_len = 0x1000,
					     .at = 0x8000, .len = 0x1000 },
		    (struct page_plan){ .map = 0x8000, .map_end = 0x9000 });
	assert_plan(&p, (struct page_event){ .kind = PE_REMAP, .old = 0x1000, .old_len = 0,
					     .at = 0x8000,
					     .len = 0x1000 },
		    (struct page_plan){ .map = 0x8000, .map_end = 0x9000 });
}

static void the_break_moves_in_pages(void **state)
{
	struct pages p = { 0 };

	(void)state;
	assert_plan(&p, (struct page_event){ .kind = PE_BREAK, .at = 0x1800 },
		    (struct page_plan){ 0 });
	assert_plan(&p, (struct page_event){ .kind = PE_BREAK, .at = 0x1900 },
		    (struct page_plan){ 0 });
	assert_plan(&p, (struct page_event){ .kind = PE_BREAK, .at = 0x4001 },
		    (struct page_plan){ .map = 0x2000, .map_end = 0x5000 });
	assert_plan(&p, (struct page_event){ .kind = PE_BREAK, .at = 0x3000 },
		    (struct page_plan){ .unmap = 0x3000, .unmap_end = 0x5000 });
}

static void only_calls_that_succeed_and_change_pages_are_events(void **state)
{
	struct page_event e;
	struct syscall_call c = { .nr = SYS_mmap, .args = { 0, 5000, PROT_READ | PROT_EXEC },
				  .result = 0x7000,
				  .begun = 3, .number = 9 };

	(void)state;
	assert_true(page_event_of(&c, &e));
	assert_true(e.kind == PE_MAP && e.at == 0x7000 && e.len == 5000 && e.text && e.begun == 3 &&
		    e.number == 9);
	c.failed = true;
	assert_false(page_event_of(&c, &e));
	c = (struct syscall_call){ .nr = SYS_mremap,
				   .args = { 1, 2, 3, MREMAP_DONTUNMAP | MREMAP_MAYMOVE },
				   .result = 4 };
	assert_true(page_event_of(&c, &e));
	assert_true(e.kind == PE_REMAP_KEEP && e.old == 1 && e.old_len == 2 && e.len == 3 &&
		    e.at == 4);
	c = (struct syscall_call){ .nr = SYS_read, .result = 4 };
	assert_false(page_event_of(&c, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_is_mapped_and_unmapped_each_page_is_its_last_mappers),
		cmocka_unit_test(events_are_rounded_up_to_pages),
		cmocka_unit_test(a_remap_in_place_is_only_what_changes),
		cmocka_unit_test(a_remap_elsewhere_moves_unless_the_old_stays),
		cmocka_unit_test(the_break_moves_in_pages),
		cmocka_unit_test(only_calls_that_succeed_and_change_pages_are_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
