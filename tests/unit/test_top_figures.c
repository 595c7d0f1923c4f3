/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of a session are decoded as they were encoded, and nothing else does any harm. */
#include "unit/unit.h"

#include "top/figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 50 };

static const struct figures_head head = {
	.pid = 4711,
	.session = 4700,
	.tracer = 99,
	.image = 2,
	.restarts = 6,
	.time_ns = UINT64_C(0x8000000000000001),
	.elapsed_ns = 5,
	.worked_ns = 3,
	.lost = 7,
	.program = 0,
	.cost = { UINT64_C(0x8000000000000002), 21, 22, 23 },
	.fast = true,
};

static const struct figures_file files[] = { { "/bin/\"a\"\n", 7 }, { "[vdso]", -1 } };

static uint32_t event(struct profile *p, enum alloc_event_kind kind, taddr at, uint64_t size,
		      const uint64_t *places, size_t n)
{
	uint32_t frames[4];
	struct block_change c;

	for (size_t i = 0; i < n; i++)
		frames[i] = profile_frame(p, &(struct profile_place){ .address = places[i],
								       .module = i ? PD_NONE : 1,
								       .exact = i });
	const struct alloc_event e = { .kind = kind,
				       .ptr = at,
				       .size = size,
				       .task = 1,
				       .chain = { .frames = frames, .n = n } };

	assert_int_equal(profile_event(p, &e, &c), 0);
	return c.leaf;
}

static char *written(const struct profile *p, size_t max)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(figures_write(&head, p, max, files, 2, out), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void read_back(const struct profile *p, size_t max, struct figures *f)
{
	char *text = written(p, max);
	json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	assert_int_equal(strcspn(text, "\n"), strlen(text) - 1);
	assert_int_equal(figures_read(json, f), 0);
	json_decref(json);
	free(text);
}

static const uint64_t inner[] = { 0x10, UINT64_C(0xffffffffff600000) }, outer[] = { 0x20 };

static struct profile *sample(void)
{
	struct profile *p = profile_new();

	assert_non_null(p);
	event(p, AE_ALLOC, 0x1000, 100, inner, 2);
	event(p, AE_ALLOC, 0x2000, 8, outer, 1);
	event(p, AE_FREE, 0x2000, 0, NULL, 0);
	event(p, AE_FREE, 0x9000, 0, NULL, 0);
	return p;
}

static void all_that_is_counted_comes_back(void **state)
{
	struct profile *p = sample();
	struct figures f;

	(void)state;
	read_back(p, FIGURES_LEAVES, &f);
	assert_memory_equal(&f.head, &head, sizeof head);
	assert_memory_equal(&f.profile.totals, &p->totals, sizeof p->totals);
	assert_int_equal(f.profile.totals.unknown_frees, 1);
	assert_int_equal(f.rest.leaves, 0);
	assert_int_equal(f.n_files, 2);
	assert_string_equal(f.files[0].path, "/bin/\"a\"\n");
	assert_int_equal(f.files[0].fd, 7);
	assert_int_equal(f.files[1].fd, -1);
	assert_int_equal(f.profile.n_leaves, 2);
	const struct call_leaf *l = &f.profile.leaves[0];
	assert_int_equal(l->size, 100);
	assert_int_equal(l->allocs, 1);
	assert_int_equal(l->frees, 0);
	uint32_t frames[4];
	assert_int_equal(profile_chain_of(&f.profile, l->node, frames, 4), 2);
	const struct profile_place *at = &f.profile.places[frames[0]];
	assert_int_equal(at->address, 0x10);
	assert_int_equal(at->module, 1);
	assert_false(at->exact);
	at = &f.profile.places[frames[1]];
	assert_true(at->address == inner[1] && at->module == PD_NONE && at->exact);
	struct lifecounts_cursor c = { 0 };
	struct pd_lifetime life;
	assert_true(lifecounts_next(&f.profile.lifetimes.counts, &c, &life));
	assert_int_equal(life.axis, PD_LIFE_TEMPORARY);
	assert_int_equal(life.blocks, 1);
	assert_int_equal(life.node, f.profile.leaves[1].node);
	assert_int_equal(f.profile.lifetimes.n_threads, 1);
	assert_int_equal(f.profile.lifetimes.threads[0].task, 1);
	assert_memory_equal(&f.profile.lifetimes.threads[0].did,
			    &((struct thread_counts){ 2, 108, 1, 8 }),
			    sizeof(struct thread_counts));
	figures_release(&f);
	profile_free(p);
}

/* Sizes 1 to BLOCKS at one place, block i requested BLOCKS + 1 - i times and freed but once. */
static void of_many_the_heaviest_and_the_busiest_are_told(void **state)
{
	enum { TOLD = 10 };
	struct profile *p = profile_new();
	struct figures f;
	uint64_t live = 0, allocs = 0;

	(void)state;
	assert_non_null(p);
	for (uint64_t i = 1; i <= BLOCKS; i++)
		for (uint64_t k = 0; k <= BLOCKS - i; k++) {
			event(p, AE_ALLOC, i << 12, i, outer, 1);
			if (k < BLOCKS - i)
				event(p, AE_FREE, i << 12, 0, NULL, 0);
		}
	read_back(p, TOLD, &f);
	assert_int_equal(f.profile.n_leaves, TOLD);
	for (size_t i = 0; i < TOLD; i++) {
		const struct call_leaf *l = &f.profile.leaves[i];

		assert_true(l->size <= TOLD / 2 || l->size > BLOCKS - TOLD / 2);
		live += (l->allocs - l->frees) * l->size;
		allocs += l->allocs;
	}
	assert_int_equal(f.rest.leaves, BLOCKS - TOLD);
	assert_int_equal(f.rest.allocs + allocs, p->totals.allocs);
	assert_int_equal(f.rest.live_bytes + live, p->live_bytes);
	figures_release(&f);
	profile_free(p);
}

/* The sites that hold most are also those with most requests: the next ones are sent instead. */
static void as_many_are_told_as_there_is_room_for(void **state)
{
	enum { TOLD = 10 };
	struct profile *p = profile_new();
	struct figures f;

	(void)state;
	assert_non_null(p);
	for (uint64_t i = 1; i <= BLOCKS; i++)
		for (uint64_t k = 0; k < i; k++)
			event(p, AE_ALLOC, i << 20 | k << 8, i, outer, 1);
	read_back(p, TOLD, &f);
	assert_int_equal(f.profile.n_leaves, TOLD);
	for (size_t i = 0; i < TOLD; i++)
		assert_true(f.profile.leaves[i].size > BLOCKS - TOLD);
	assert_int_equal(f.rest.leaves, BLOCKS - TOLD);
	figures_release(&f);
	profile_free(p);
}

static void what_is_from_before_a_restart_is_not_told(void **state)
{
	struct profile *p = sample();
	struct figures f;

	(void)state;
	profile_restart(p);
	event(p, AE_ALLOC, 0x3000, 5, outer, 1);
	read_back(p, FIGURES_LEAVES, &f);
	assert_int_equal(f.profile.n_leaves, 1);
	assert_int_equal(f.profile.n_places, 1);
	assert_int_equal(f.profile.n_nodes, PD_FIRST_NODE + 1);
	figures_release(&f);
	profile_free(p);
}

static int read_text(const char *text)
{
	json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
	struct figures f;
	int err = figures_read(json, &f);

	if (!err)
		figures_release(&f);
	json_decref(json);
	return err;
}

/* The first number of a list refers to something that does not exist. */
static void numbers_of_nothing_are_refused(void **state)
{
	static const char *const lists[] = { "places", "nodes", "leaves", "temporary" };
	struct profile *p = sample();
	char *text = written(p, FIGURES_LEAVES), name[32], damaged[8192];

	(void)state;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		snprintf(name, sizeof name, "\"%s\":[", lists[i]);
		const char *at = strstr(text, name) + strlen(name);

		snprintf(damaged, sizeof damaged, "%.*s77%s", (int)(at - text), text,
			 at + strspn(at, "0123456789"));
		assert_int_equal(read_text(damaged), -EINVAL);
	}
	free(text);
	profile_free(p);
}

/* Each number is replaced, each member removed: refused, or harmless. */
static void damaged_figures_do_no_harm(void **state)
{
	static const char *const by[] = { "-1", "99999999", "4294967295", "\"x\"", "null", "[]" };
	struct profile *p = sample();
	char *text = written(p, FIGURES_LEAVES), damaged[8192];
	unsigned refused = 0;

	(void)state;
	assert_int_equal(read_text(text), 0);
	for (char *at = strpbrk(text, "0123456789"); at;
	     at = strpbrk(at + strspn(at, "0123456789"), "0123456789"))
		for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
			snprintf(damaged, sizeof damaged, "%.*s%s%s", (int)(at - text), text, by[i],
				 at + strspn(at, "0123456789"));
			refused += read_text(damaged) == -EINVAL;
		}
	assert_true(refused > 100);
	json_t *json = json_loads(text, 0, NULL);
	const char *key;
	json_t *value;
	json_object_foreach(json, key, value) {
		json_t *less = json_copy(json);
		struct figures f;

		json_object_del(less, key);
		assert_int_equal(figures_read(less, &f), -EINVAL);
		json_decref(less);
	}
	json_decref(json);
	assert_int_equal(read_text("7"), -EINVAL);
	free(text);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_is_counted_comes_back),
		cmocka_unit_test(of_many_the_heaviest_and_the_busiest_are_told),
		cmocka_unit_test(as_many_are_told_as_there_is_room_for),
		cmocka_unit_test(what_is_from_before_a_restart_is_not_told),
		cmocka_unit_test(numbers_of_nothing_are_refused),
		cmocka_unit_test(damaged_figures_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
