/* SPDX-License-Identifier: BSD-2-Clause */
/* The node of the named profile at which each leaf is counted. */
#include "unit/unit.h"

#include "naming/resolve.h"

enum { LEAVES = 4 };

/* From places in no module, innermost first. */
static uint32_t request(struct profile *p, taddr at, const uint64_t *places, size_t n,
			uint64_t size)
{
	uint32_t frames[2];
	struct block_change c;

	for (size_t i = 0; i < n; i++)
		frames[i] = profile_frame(
			p, &(struct profile_place){.address = places[i], .module = PD_NONE});
	const struct alloc_event e = {.kind = AE_ALLOC,
				      .ptr = at,
				      .size = size,
				      .chain = {.frames = frames, .n = n}};

	assert_int_equal(profile_event(p, &e, &c), 0);
	return c.leaf;
}

static void each_leaf_has_the_node_of_its_chain(void **state)
{
	static const uint64_t f[] = {0x10, 0x1}, g[] = {0x20, 0x1};
	struct profile *p = profile_new();
	struct profile_data *d = profile_data_new();
	uint32_t nodes[LEAVES + 1];
	struct resolve_how how = RESOLVE_PLAINLY;

	(void)state;
	assert_true(p && d);
	const uint32_t gone = request(p, 0x1000, f, 1, 5);
	profile_restart(p);
	const uint32_t small = request(p, 0x1000, f, 2, 8), large = request(p, 0x2000, f, 2, 16),
		       other = request(p, 0x3000, g, 2, 24), none = request(p, 0x4000, NULL, 0, 4);

	assert_int_equal(p->n_leaves, LEAVES + 1);
	how.leaf_nodes = nodes;
	assert_int_equal(resolve_profile_by(&how, p, NULL, 0, PD_NONE, d), 0);
	assert_int_equal(nodes[gone], PD_NONE);
	assert_int_equal(nodes[small], nodes[large]);
	assert_int_equal(nodes[none], PD_ROOT_WHOLE);
	assert_int_equal(d->sites[d->nodes[nodes[small]].site].address, 0x10);
	assert_int_equal(d->sites[d->nodes[nodes[other]].site].address, 0x20);
	assert_int_equal(d->nodes[nodes[small]].parent, d->nodes[nodes[other]].parent);
	profile_data_free(d);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_leaf_has_the_node_of_its_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
