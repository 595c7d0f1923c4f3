/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles of chains of this test itself, found by backtrace(3), and of places in no module, whose
 * names are known without any file.
 */
#include "unit/unit.h"
#include "naming/resolve.h"

#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define noinline __attribute__((noinline))
/* No call before this is the last thing that a function does. */
#define NOT_A_TAIL_CALL() __asm__ volatile("" ::: "memory")

enum { MAX_MODULES = 32, MAX_FRAMES = 64 };

struct fixture {
	struct resolve_module modules[MAX_MODULES];
	struct { uint64_t start, end, bias; } code[MAX_MODULES];
	size_t n;
	struct profile *p;
	struct profile_data *d;
	taddr next;
};

static int add_module(struct dl_phdr_info *info, size_t size, void *fixture)
{
	struct fixture *x = fixture;
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";

	(void)size;
	if (x->n == MAX_MODULES)
		return 1;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		x->code[x->n].start = info->dlpi_addr + ph->p_vaddr;
		x->code[x->n].end = x->code[x->n].start + ph->p_memsz;
		x->code[x->n].bias = info->dlpi_addr;
	}
	x->modules[x->n++] = (struct resolve_module){ path, open(path, O_RDONLY | O_CLOEXEC) };
	return 0;
}

static int fixture_setup(void **state)
{
	struct fixture *x = calloc(1, sizeof *x);

	*state = x;
	if (!x)
		return -1;
	x->p = profile_new();
	x->d = profile_data_new();
	dl_iterate_phdr(add_module, x); /* the program comes first */
	x->next = 0x1000;
	return x->p && x->d ? 0 : -1;
}

static int fixture_teardown(void **state)
{
	struct fixture *x = *state;

	profile_free(x->p);
	profile_data_free(x->d);
	for (size_t i = 0; i < x->n; i++)
		if (x->modules[i].fd >= 0)
			close(x->modules[i].fd);
	free(x);
	return 0;
}

/* ---- chains ---- */

static struct profile_place place_of(const struct fixture *x, const void *pc, bool exact)
{
	uint64_t at = (uintptr_t)pc;

	for (size_t i = 0; i < x->n; i++)
		if (at >= x->code[i].start && at < x->code[i].end)
			return (struct profile_place){ .address = at - x->code[i].bias,
						       .module = (uint32_t)i, .exact = exact };
	return (struct profile_place){ .address = at, .module = PD_NONE, .exact = exact };
}

static void request_at(struct fixture *x, const struct profile_place *places, size_t n,
		       bool truncated, uint64_t size)
{
	uint32_t frames[MAX_FRAMES];

	for (size_t i = 0; i < n; i++)
		frames[i] = profile_frame(x->p, &places[i]);
	struct alloc_event e = { .kind = AE_ALLOC, .ptr = x->next += 16, .size = size,
				 .chain = { .frames = frames, .n = n,
					    .truncated = truncated ? CHAIN_NO_CFI : CHAIN_WHOLE } };
	assert_int_equal(profile_event(x->p, &e, &(struct block_change){ 0 }), 0);
}

/* A request with the chain of return addresses @pcs, innermost first. */
static void request(struct fixture *x, void *const *pcs, int n, uint64_t size)
{
	struct profile_place places[MAX_FRAMES];

	for (int i = 0; i < n; i++)
		places[i] = place_of(x, pcs[i], false);
	request_at(x, places, (size_t)n, false, size);
}

/* A request from places in no module, innermost first. */
static void request_nowhere(struct fixture *x, size_t n, const uint64_t *at, bool truncated,
			    uint64_t size)
{
	struct profile_place places[MAX_FRAMES];

	for (size_t i = 0; i < n; i++)
		places[i] = (struct profile_place){ .address = at[i], .module = PD_NONE };
	request_at(x, places, n, truncated, size);
}

static struct fixture *fixture;

/* The chain of here, without sanitizers' function around backtrace(). */
noinline static void inner(void)
{
	void *pcs[MAX_FRAMES];
	int n = backtrace(pcs, MAX_FRAMES), first = 0;
	uint64_t start = (uintptr_t)inner;

	while (first < n && ((uintptr_t)pcs[first] < start || (uintptr_t)pcs[first] > start + 1000))
		first++;
	request(fixture, pcs + first, n - first, 40);
	NOT_A_TAIL_CALL();
}

noinline static void outer(void)
{
	inner();
	NOT_A_TAIL_CALL();
}

/* ---- the outcome ---- */

static void assert_sound(const struct profile_data *d)
{
	for (size_t i = 0; i < d->n_nodes; i++) {
		if (i < PD_FIRST_NODE) {
			assert_int_equal(d->nodes[i].parent, PD_NONE);
			assert_int_equal(d->nodes[i].site, PD_NONE);
			continue;
		}
		assert_true(d->nodes[i].parent < i);
		assert_true(d->nodes[i].site < d->n_sites);
	}
	for (size_t i = 0; i < d->n_sites; i++)
		assert_true(d->sites[i].function < d->n_functions);
	for (size_t i = 0; i < d->n_functions; i++) {
		assert_non_null(d->functions[i].name);
		assert_true(d->functions[i].module == PD_NONE ||
			    d->functions[i].module < d->n_modules);
	}
	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *a = &d->leaves[i];

		assert_true(a->node < d->n_nodes);
		assert_true(a->frees <= a->allocs);
		if (i)
			assert_true(a[-1].node < a->node ||
				    (a[-1].node == a->node && a[-1].size < a->size));
	}
}

static void resolve(struct fixture *x)
{
	assert_int_equal(resolve_profile(x->p, x->modules, x->n, 0, x->d), 0);
	assert_sound(x->d);
	assert_memory_equal(&x->d->totals, &x->p->totals, sizeof x->d->totals);
	assert_int_equal(x->d->n_modules, x->n);
}

static const struct pd_site *site_of(const struct profile_data *d, uint32_t node)
{
	return &d->sites[d->nodes[node].site];
}

static const char *name_of(const struct profile_data *d, uint32_t node)
{
	return d->functions[site_of(d, node)->function].name;
}

/* The chain that ends at a node, as "outermost > ... > innermost". */
static const char *path_of(const struct profile_data *d, uint32_t node)
{
	static char path[4096];
	char rest[4096];

	if (node < PD_FIRST_NODE)
		return node == PD_ROOT_WHOLE ? "||" : "...";
	snprintf(rest, sizeof rest, " > %s", name_of(d, node));
	path_of(d, d->nodes[node].parent);
	if (d->nodes[node].parent < PD_FIRST_NODE)
		strcpy(path, d->nodes[node].parent == PD_ROOT_WHOLE ? "||" : "...");
	size_t len = strlen(path);

	snprintf(path + len, sizeof path - len, "%s", rest);
	return path;
}

static uint32_t only_leaf(const struct fixture *x)
{
	assert_int_equal(x->d->n_leaves, 1);
	return x->d->leaves[0].node;
}

static uint32_t outermost(const struct profile_data *d, uint32_t node)
{
	while (d->nodes[node].parent >= PD_FIRST_NODE)
		node = d->nodes[node].parent;
	return node;
}

/* ---- tests ---- */

static void of_nothing_there_is_nothing_to_resolve(void **state)
{
	struct fixture *x = *state;

	resolve(x);
	assert_int_equal(x->d->n_nodes, PD_FIRST_NODE);
	assert_int_equal(x->d->n_leaves, 0);
	assert_int_equal(x->d->n_functions, 0);
}

static void a_place_in_no_module_is_its_address(void **state)
{
	struct fixture *x = *state;

	request_nowhere(x, 3, (uint64_t[]){ 0x7f0000000030, 0x20, 0x10 }, false, 8);
	resolve(x);
	assert_string_equal(path_of(x->d, only_leaf(x)), "|| > 0x10 > 0x20 > 0x7f0000000030");
	assert_int_equal(x->d->functions[0].module, PD_NONE);
	for (size_t i = 0; i < x->d->n_sites; i++)
		assert_int_equal(x->d->sites[i].line, 0);
}

static void chains_keep_their_shape_and_their_counts(void **state)
{
	struct fixture *x = *state;
	static const uint64_t a[] = { 3, 2, 1 }, b[] = { 4, 2, 1 }, c[] = { 2, 1 };

	for (int i = 0; i < 5; i++)
		request_nowhere(x, 3, a, false, 8);
	request_nowhere(x, 3, b, false, 8);
	request_nowhere(x, 2, c, false, 8);
	request_nowhere(x, 3, a, false, 9);
	request_nowhere(x, 3, a, true, 8);
	request_nowhere(x, 0, NULL, false, 5);
	struct alloc_event e = { .kind = AE_FREE, .ptr = 0x1010 };
	assert_int_equal(profile_event(x->p, &e, &(struct block_change){ 0 }), 0);
	resolve(x);

	static const struct {
		const char *path;
		uint64_t size, allocs, frees;
	} want[] = {
		{ "||", 5, 1, 0 },		 { "|| > 0x1 > 0x2", 8, 1, 0 },
		{ "|| > 0x1 > 0x2 > 0x3", 8, 5, 1 }, { "|| > 0x1 > 0x2 > 0x3", 9, 1, 0 },
		{ "|| > 0x1 > 0x2 > 0x4", 8, 1, 0 }, { "... > 0x1 > 0x2 > 0x3", 8, 1, 0 },
	};
	unsigned found = 0;
	for (size_t i = 0; i < x->d->n_leaves; i++)
		for (size_t k = 0; k < sizeof want / sizeof *want; k++)
			if (x->d->leaves[i].size == want[k].size &&
			    !strcmp(path_of(x->d, x->d->leaves[i].node), want[k].path)) {
				assert_int_equal(x->d->leaves[i].allocs, want[k].allocs);
				assert_int_equal(x->d->leaves[i].frees, want[k].frees);
				found++;
			}
	assert_int_equal(found, sizeof want / sizeof *want);
	assert_int_equal(x->d->n_leaves, found);
}

static void a_child_has_nothing_of_chains_it_did_not_take(void **state)
{
	struct fixture *x = *state;
	static const uint64_t a[] = { 3, 2, 1 }, b[] = { 4, 2, 1 };
	struct profile *parent = x->p;

	request_nowhere(x, 3, a, false, 8);
	request_nowhere(x, 3, b, false, 8);
	x->p = profile_fork(parent);
	profile_free(parent);
	assert_non_null(x->p);
	request_nowhere(x, 3, b, false, 8);
	resolve(x);
	assert_string_equal(path_of(x->d, only_leaf(x)), "|| > 0x1 > 0x2 > 0x4");
	assert_int_equal(x->d->n_nodes, PD_FIRST_NODE + 3);
	assert_int_equal(x->d->n_functions, 3);
	assert_int_equal(x->d->n_sites, 3);
}

static void what_chains_repeat_is_kept_with_their_elements(void **state)
{
	struct fixture *x = *state;
	static const uint64_t a[] = { 3, 2, 1 }, b[] = { 4, 2, 1 };
	uint64_t at_two = 0, all = 0;

	for (int i = 0; i < 5; i++)
		request_nowhere(x, 3, i % 2 ? b : a, false, 8);
	resolve(x);
	for (uint32_t i = 0; i < x->d->n_nodes; i++) {
		all += x->d->nodes[i].resumed;
		if (i >= PD_FIRST_NODE && !strcmp(name_of(x->d, i), "0x2"))
			at_two += x->d->nodes[i].resumed;
	}
	assert_int_equal(at_two, 4);
	assert_int_equal(all, 4);
}

/* Neither _start nor the C library's functions between it and main, with names or without. */
static void a_chain_begins_with_main(void **state)
{
	struct fixture *x = fixture = *state;

	outer();
	resolve(x);
	const char *path = path_of(x->d, only_leaf(x));
	assert_int_equal(strncmp(path, "|| > main > ", 12), 0);
	assert_string_equal(path + strlen(path) - strlen(" > outer > inner"), " > outer > inner");
	/* Nor is any of it anywhere else. */
	assert_null(strstr(path, "_start"));
}

static void a_site_is_where_a_call_returns_to(void **state)
{
	struct fixture *x = fixture = *state;

	outer();
	resolve(x);
	uint32_t node = x->d->nodes[only_leaf(x)].parent;
	const struct pd_site *s = site_of(x->d, node);
	const struct pd_function *f = &x->d->functions[s->function];

	assert_string_equal(f->name, "outer");
	assert_int_equal(f->module, 0);
	assert_int_equal(f->address, (uintptr_t)outer - x->code[0].bias);
	assert_int_equal(s->address, f->address + s->offset);
	assert_in_range(s->offset, 5, 64);
	assert_false(s->inlined);
	if (s->file)
		assert_non_null(strstr(s->file, "test_naming_resolve.c"));
}

/* Code of the C library that allocates before main. */
static void start_code_that_allocates_itself_stands_for_itself(void **state)
{
	struct fixture *x = fixture = *state;
	void *pcs[MAX_FRAMES];
	int n = backtrace(pcs, MAX_FRAMES);

	assert_in_range(n, 4, MAX_FRAMES);
	request(x, pcs + n - 1, 1, 1); /* _start */
	request(x, pcs + n - 2, 2, 2); /* __libc_start_main */
	request(x, pcs + n - 3, 3, 3);
	resolve(x);
	assert_int_equal(x->d->n_leaves, 3);
	for (size_t i = 0; i < 3; i++)
		assert_true(x->d->leaves[i].node >= PD_FIRST_NODE);
	for (uint32_t i = PD_FIRST_NODE; i < x->d->n_nodes; i++)
		assert_int_equal(x->d->nodes[i].parent, PD_ROOT_WHOLE);
}

static void only_the_outer_end_of_a_chain_is_trimmed(void **state)
{
	struct fixture *x = fixture = *state;
	void *pcs[MAX_FRAMES], *odd[MAX_FRAMES];
	int n = backtrace(pcs, MAX_FRAMES);

	/* A program that calls its own entry again. */
	memcpy(odd, pcs, (size_t)n * sizeof *odd);
	memcpy(odd + n, pcs, (size_t)n * sizeof *odd);
	assert_true(2 * n <= MAX_FRAMES);
	request(x, odd, 2 * n, 1);
	resolve(x);
	uint32_t depth = 0;
	for (uint32_t i = only_leaf(x); i >= PD_FIRST_NODE; i = x->d->nodes[i].parent)
		depth++;
	assert_string_equal(name_of(x->d, outermost(x->d, only_leaf(x))), "main");
	assert_in_range(depth, 2 * n - 3, 2 * n - 2); /* those of the outer half alone */
}

/* A return address behind the last instruction of a function belongs to it; an interrupted
 * instruction belongs to the function that it is in. */
static void an_interrupted_instruction_is_looked_up_itself(void **state)
{
	struct fixture *x = *state;
	struct profile_place exact = place_of(x, (void *)(uintptr_t)outer, true);

	request_at(x, &exact, 1, true, 1);
	resolve(x);
	assert_string_equal(path_of(x->d, only_leaf(x)), "... > outer");
	assert_int_equal(site_of(x->d, only_leaf(x))->offset, 0);
}

static void a_module_without_a_file_has_addresses_for_names(void **state)
{
	struct fixture *x = *state;
	struct profile_place place = { .address = 0x1234, .module = (uint32_t)x->n };

	assert_true(x->n < MAX_MODULES);
	x->modules[x->n++] = (struct resolve_module){ "/gone/libgone.so (deleted)", -1 };
	request_at(x, &place, 1, true, 1);
	resolve(x);
	const char *name = name_of(x->d, only_leaf(x));
	assert_non_null(strstr(name, "libgone.so"));
	assert_non_null(strstr(name, "+0x"));
	assert_string_equal(x->d->modules[x->n - 1].path, "/gone/libgone.so (deleted)");
	assert_string_equal(x->d->modules[x->n - 1].build_id, "");
}

static void functions_of_one_address_in_two_modules_are_two(void **state)
{
	struct fixture *x = *state;
	struct profile_place a = { .address = 0x1234, .module = (uint32_t)x->n }, b = a;

	assert_true(x->n + 2 <= MAX_MODULES);
	b.module++;
	x->modules[x->n++] = (struct resolve_module){ "libsame.so", -1 };
	x->modules[x->n++] = (struct resolve_module){ "libsame.so", -1 };
	request_at(x, &a, 1, false, 1);
	request_at(x, &b, 1, false, 1);
	resolve(x);
	assert_int_equal(x->d->n_leaves, 2);
	assert_int_equal(x->d->n_functions, 2);
}

/* ---- inlined functions ---- */

static inline __attribute__((always_inline)) void inlined_innermost(void)
{
	inner();
	NOT_A_TAIL_CALL();
}

static inline __attribute__((always_inline)) void inlined_between(void)
{
	inlined_innermost();
	NOT_A_TAIL_CALL();
}

noinline static void physical(void)
{
	inlined_between();
	NOT_A_TAIL_CALL();
}

static void inlined_functions_are_elements_of_the_chain(void **state)
{
	static const char want[] = " > physical > inlined_between > inlined_innermost > inner";
	struct fixture *x = fixture = *state;

	physical();
	resolve(x);
	if (strncmp(x->d->modules[0].names, "DWARF", 5))
		skip(); /* compiled without -g */
	uint32_t node = only_leaf(x);
	const char *path = path_of(x->d, node);
	assert_string_equal(path + strlen(path) - strlen(want), want);

	/* They share one return address, and only the physical one has a frame. */
	uint32_t innermost = x->d->nodes[node].parent, between = x->d->nodes[innermost].parent;
	uint32_t whole = x->d->nodes[between].parent;
	assert_true(site_of(x->d, innermost)->inlined);
	assert_true(site_of(x->d, between)->inlined);
	assert_false(site_of(x->d, whole)->inlined);
	assert_int_equal(site_of(x->d, innermost)->address, site_of(x->d, whole)->address);
	assert_int_equal(site_of(x->d, between)->offset, site_of(x->d, whole)->offset);
	assert_true(site_of(x->d, innermost)->line < site_of(x->d, between)->line);
	assert_true(site_of(x->d, between)->line < site_of(x->d, whole)->line);
}

#define RESOLVE_TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESOLVE_TEST(of_nothing_there_is_nothing_to_resolve),
		RESOLVE_TEST(a_place_in_no_module_is_its_address),
		RESOLVE_TEST(chains_keep_their_shape_and_their_counts),
		RESOLVE_TEST(a_child_has_nothing_of_chains_it_did_not_take),
		RESOLVE_TEST(what_chains_repeat_is_kept_with_their_elements),
		RESOLVE_TEST(a_chain_begins_with_main),
		RESOLVE_TEST(a_site_is_where_a_call_returns_to),
		RESOLVE_TEST(start_code_that_allocates_itself_stands_for_itself),
		RESOLVE_TEST(only_the_outer_end_of_a_chain_is_trimmed),
		RESOLVE_TEST(an_interrupted_instruction_is_looked_up_itself),
		RESOLVE_TEST(a_module_without_a_file_has_addresses_for_names),
		RESOLVE_TEST(functions_of_one_address_in_two_modules_are_two),
		RESOLVE_TEST(inlined_functions_are_elements_of_the_chain),
	};

	return cmocka_run_group_tests_name("resolve", tests, NULL, NULL);
}
