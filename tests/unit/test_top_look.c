/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of this test itself get their names, and its file is opened only once. */
#include "unit/unit.h"

#include "top/look.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>

#define S UINT64_C(1000000000)

static unsigned opened;

static int open_self(uint64_t tracer, int fd)
{
	opened++;
	assert_int_equal(tracer, 99);
	return fd == 5 ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : -1;
}

static int bias(struct dl_phdr_info *info, size_t size, void *out)
{
	(void)size;
	*(uint64_t *)out = info->dlpi_addr;
	return 1; /* the program comes first */
}

__attribute__((noinline)) static void requester(void)
{
	__asm__ volatile("");
}

/* A request of 10 bytes at the beginning of requester(). */
struct made {
	struct resolve_module files[2];
	struct profile_place place;
	struct call_node nodes[PD_FIRST_NODE + 1];
	struct call_leaf leaf;
	struct figures figures;
};

static void make(struct made *m, uint64_t allocs, uint64_t time_ns)
{
	uint64_t at = 0;

	dl_iterate_phdr(bias, &at);
	*m = (struct made){
		.files = { { "/bin/self", 5 }, { "gone", 6 } },
		.place = { .address = (uint64_t)(uintptr_t)requester - at, .exact = true },
		.nodes = { { PD_NONE, PD_NONE, 0 }, { PD_NONE, PD_NONE, 0 }, { 0, 0, 0 } },
		.leaf = { .size = 10, .allocs = allocs, .frees = 1, .node = PD_FIRST_NODE },
	};
	m->figures = (struct figures){
		.head = { .pid = 1, .tracer = 99, .time_ns = time_ns, .elapsed_ns = time_ns,
			  .worked_ns = time_ns / 4, .lost = 3, .fast = true,
			  .cost = { .ran_ns = time_ns / 2,
				    .stopped_ns = time_ns > S ? time_ns / 2 - S : 0 } },
		.rest = { .leaves = 6 },
		.profile = { .finished = true, .places = &m->place, .n_places = 1,
			     .nodes = m->nodes, .n_nodes = PD_FIRST_NODE + 1, .leaves = &m->leaf,
			     .n_leaves = 1,
			     .totals = { .allocs = allocs, .alloc_bytes = allocs * 10, .frees = 1,
					 .free_bytes = 10, .unknown_frees = 2,
					 .truncated_chains = 4 } },
		.files = m->files,
		.n_files = 2,
	};
}

static void look(struct top_namer *n, uint64_t allocs, uint64_t time_ns, struct top_look *out)
{
	struct made m;

	make(&m, allocs, time_ns);
	assert_int_equal(top_name(n, &m.figures, open_self, -1, false, out), 0);
}

static void names_are_found_and_files_stay_open(void **state)
{
	struct top_namer n = { 0 };
	struct top_look first, second;

	(void)state;
	opened = 0;
	look(&n, 5, 1000, &first);
	look(&n, 9, 2000, &second);
	assert_int_equal(opened, 2);
	assert_string_equal(first.data->functions[0].name, "requester");
	assert_string_equal(second.data->functions[0].name, "requester");
	assert_int_equal(first.own[first.data->leaves[0].node], first.data->leaves[0].node);
	assert_int_equal(second.data->leaves[0].allocs, 9);
	top_look_release(&first);
	top_look_release(&second);
	top_namer_release(&n);
}

/* The numbers of files are another tracer's, or their paths have changed: everything begins
 * anew. */
static void other_files_are_not_taken_for_those_before(void **state)
{
	struct top_namer n = { 0 };
	struct top_look l;
	struct made m;

	(void)state;
	opened = 0;
	look(&n, 5, 1000, &l);
	top_look_release(&l);
	make(&m, 5, 1000);
	m.files[1].path = "another";
	assert_int_equal(top_name(&n, &m.figures, open_self, -1, false, &l), 0);
	assert_int_equal(opened, 4);
	top_look_release(&l);
	top_namer_release(&n);
}

static void rates_are_of_the_time_between_two_looks(void **state)
{
	struct top_namer n = { 0 };
	struct top_look first, second;

	(void)state;
	look(&n, 5, 1000000000, &first);
	look(&n, 25, 3000000000, &second);
	struct top_head h = top_head(&second, NULL);
	assert_false(h.has_rates);
	assert_int_equal(h.live_bytes, 240);
	assert_int_equal(h.live_blocks, 24);
	assert_int_equal(h.truncated, 4);
	assert_int_equal(h.unknown_frees, 2);
	assert_int_equal(h.lost, 3);
	assert_int_equal(h.left_out, 6);
	assert_true(h.fast && h.seconds == 3);
	assert_true(h.slowdown == 0);
	h = top_head(&second, &first);
	assert_true(h.has_rates);
	assert_true(h.allocs_per_s == 10 && h.frees_per_s == 0 && h.busy_percent == 25);
	/* It ran for a second, and stood still for half of one. */
	assert_true(h.slowdown == 1.5);
	/* Another program, or one that has begun its profile anew, has no differences. */
	assert_false(top_look_follows(&first, &second));
	second.head.image++;
	assert_false(top_look_follows(&second, &first));
	/* It may have requested more since it began anew than it had before. */
	second.head.image--;
	assert_true(top_look_follows(&second, &first));
	second.head.restarts++;
	assert_false(top_look_follows(&second, &first));
	top_look_release(&first);
	top_look_release(&second);
	top_namer_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_and_files_stay_open),
		cmocka_unit_test(other_files_are_not_taken_for_those_before),
		cmocka_unit_test(rates_are_of_the_time_between_two_looks),
	};

	requester();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
