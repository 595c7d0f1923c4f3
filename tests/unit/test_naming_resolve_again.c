/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile of a stripped program gets its names later, from the unstripped files. */
#include "unit/test_symbols_fixture.h"

#include "naming/resolve.h"
#include "profile/pd_site_types.h"

static const char program[] =
	"volatile int sink;\n"
	"struct thing { char c[37]; };\n"
	"static inline __attribute__((always_inline)) void inner(int n)\n"
	"{\n"
	"	sink += n;\n"
	"	__asm__ volatile(\".globl in_inner\\nin_inner:\");\n"
	"}\n"
	"static __attribute__((noinline)) void outer(int n)\n"
	"{\n"
	"	struct thing t; (void)t;\n"
	"	inner(n);\n"
	"	sink++;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	(void)argv;\n"
	"	outer(argc);\n"
	"	__asm__ volatile(\".globl in_main\\nin_main:\");\n"
	"	sink++;\n"
	"	return 0;\n"
	"}\n";

enum { STRIPPED, GONE, N_MODULES };

/* One chain main > outer (> inner) > a place of a file that is gone > one in no module. */
static struct profile_data *profile_of(struct fixture *x, struct resolve_module *modules)
{
	struct profile *p = profile_new();
	struct profile_data *d = profile_data_new();
	struct profile_place places[] = {
		{ .address = 0x7000, .module = PD_NONE },
		{ .address = 0x1230, .module = GONE, .guessed = true },
		{ .address = nm(x, "prog", "in_inner"), .module = STRIPPED, .guessed = true },
		{ .address = nm(x, "prog", "in_main"), .module = STRIPPED },
	};
	uint32_t frames[4];

	profile_keep_series(p, 200);
	for (size_t i = 0; i < 4; i++)
		frames[i] = profile_frame(p, &places[i]);
	for (uint64_t i = 0; i < 3; i++) {
		struct alloc_event e = { .kind = AE_ALLOC, .ptr = 0x1000 + i * 0x100, .size = 37,
					 .time_ns = 1000 + i,
					 .chain = { .frames = frames + i % 2 * 2,
						    .n = 4 - i % 2 * 2, .truncated = i == 2 } };

		assert_int_equal(profile_event(p, &e, &(struct block_change){ 0 }), 0);
	}
	profile_looked(p, &(struct pd_reach){ .known = 1, .freed = 5,
					      .sums = { [PD_LOST_THROUGH] = { 2, 48 } } });
	const struct said_of_block said[] = { { 0x1000, PD_LOST, { 2, 48 } },
					      { 0x1100, PD_POSSIBLE, { 0, 0 } },
					      { 0x1200, PD_REACHABLE, { 0, 0 } } };

	for (size_t i = 0; i < 3; i++)
		assert_int_equal(profile_mark(p, &said[i], UINT64_MAX), 0);
	assert_int_equal(resolve_profile(p, modules, N_MODULES, STRIPPED, d), 0);
	assert_int_equal(d->reach.freed, 5);
	profile_free(p);
	free(d->command);
	d->command = calloc(2, sizeof *d->command);
	d->command[0] = strdup("./stripped");
	d->pid = 4711;
	return d;
}

static struct profile_data *setup(struct fixture *x, struct resolve_module *modules)
{
	static char stripped[PATH_MAX];

	write_file(x, "prog.c", program);
	sh(x, "gcc -g -O2 -Wl,--build-id=sha1 prog.c -o prog && objcopy --only-keep-debug prog "
	      "prog.debug && strip prog -o stripped");
	snprintf(stripped, sizeof stripped, "%s", in_dir(x, "stripped"));
	modules[STRIPPED] = (struct resolve_module){ stripped, open(stripped, O_RDONLY |
								    O_CLOEXEC) };
	modules[GONE] = (struct resolve_module){ "/lib/gone.so", -1 };
	struct profile_data *d = profile_of(x, modules);

	close(modules[STRIPPED].fd);
	modules[STRIPPED].fd = -1;
	return d;
}

/* What held what at the points of its series. */
static char *series_of(const struct profile_data *d)
{
	static char text[1024];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < d->n_held; i++) {
		const struct pd_held *h = &d->held[i];
		const struct pd_site *s = &d->sites[h->site];

		len += (size_t)snprintf(text + len, sizeof text - len, "%llu: %s%s:%u %llu\n",
					(unsigned long long)d->series[h->point].time_ns,
					d->functions[s->function].name, s->inlined ? "*" : "",
					s->line, (unsigned long long)h->bytes);
	}
	return text;
}

/* All chains of a profile and what hangs on them, as text. */
static char *text_of(const struct profile_data *d)
{
	static char text[8192];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_leaf *l = &d->leaves[i];

		for (uint32_t n = l->node; n >= PD_FIRST_NODE; n = d->nodes[n].parent) {
			const struct pd_site *s = &d->sites[d->nodes[n].site];

			len += (size_t)snprintf(text + len, sizeof text - len, "%s%s%s:%u < ",
						d->functions[s->function].name,
						s->inlined ? "*" : "", s->guessed ? "?" : "",
						s->line);
		}
		len += (size_t)snprintf(text + len, sizeof text - len, "%llux%llu",
					(unsigned long long)l->allocs, (unsigned long long)l->size);
		for (int k = 0; k < PD_REACH_CLASSES; k++)
			len += (size_t)snprintf(text + len, sizeof text - len, "%s%llu",
						k ? "," : ": ", (unsigned long long)l->reach[k]);
		len += (size_t)snprintf(text + len, sizeof text - len, "; %llu of %llu\n",
					(unsigned long long)l->hanging.blocks,
					(unsigned long long)l->hanging.bytes);
	}
	return text;
}

static void what_was_nameless_gets_its_names_lines_types_and_inlined_functions(void **state)
{
	struct fixture *x = *state;
	struct resolve_module modules[N_MODULES];
	struct profile_data *d = setup(x, modules), *again = profile_data_new();

	assert_null(strstr(text_of(d), "outer"));
	assert_non_null(strstr(series_of(d), "stripped+"));
	assert_int_equal(d->n_types, 0);
	modules[STRIPPED].path = "prog.debug";
	modules[STRIPPED].fd = open(in_dir(x, "prog.debug"), O_RDONLY | O_CLOEXEC);
	assert_int_equal(resolve_again(d, modules, &(struct symbols_search){ 0 }, again), 0);
	close(modules[STRIPPED].fd);
	assert_string_equal(text_of(again),
			    "inner*?:5 < outer?:11 < main:17 < 1x37: 0,0,1,0; 0 of 0\n"
			    "0x7000:0 < gone.so+0x1230?:0 < inner*?:5 < outer?:11 < main:17 < "
			    "1x37: 1,0,0,0; 2 of 48\n"
			    "0x7000:0 < gone.so+0x1230?:0 < inner*?:5 < outer?:11 < main:17 < "
			    "1x37: 0,0,0,1; 0 of 0\n");
	/* The innermost of the program's own code. */
	assert_string_equal(series_of(again), "0: inner*:5 37\n1: inner*:5 74\n"
					      "2: inner*:5 111\n");
	profile_data_free(again);
	profile_data_free(d);
}

/* The code of a library that is gone was there to be asked for its types when all began. */
static void knows_types(struct profile_data *d)
{
	static const char *const names[] = { "struct thing", "char []" };

	d->site_types = calloc(2, sizeof *d->site_types);
	assert_non_null(d->site_types);
	for (uint32_t i = 0; i < 2; i++)
		d->site_types[d->n_site_types++] = (struct pd_site_type){
			.node = d->leaves[i].node, .how = PD_HOW_MEMBER, .certain = !i,
			.name = strdup(names[i]), .size = 37 };
	pd_site_types_sort(d);
}

static void assert_same_types(const struct profile_data *d, const struct profile_data *again)
{
	assert_int_equal(again->n_site_types, 2);
	for (size_t i = 0; i < d->n_leaves; i++) {
		const struct pd_site_type *a, *b;

		if (!pd_site_types_has(d, d->leaves[i].node))
			continue;
		assert_true(pd_site_types_has(again, again->leaves[i].node));
		a = &d->site_types[pd_site_types_from(d, d->leaves[i].node)];
		b = &again->site_types[pd_site_types_from(again, again->leaves[i].node)];
		assert_string_equal(a->name, b->name);
		assert_int_equal(a->how, b->how);
		assert_int_equal(a->certain, b->certain);
		assert_int_equal(a->size, b->size);
	}
}

static void the_rest_stays_what_it_was(void **state)
{
	struct fixture *x = *state;
	struct resolve_module modules[N_MODULES];
	struct profile_data *d = setup(x, modules), *again = profile_data_new();

	knows_types(d);
	d->unseen = (struct pd_unseen){ 2, 1, 1, 3, 4, 5, 6, 1, 7, 8 };
	modules[STRIPPED].path = "dir/prog.debug";
	modules[STRIPPED].fd = open(in_dir(x, "prog.debug"), O_RDONLY | O_CLOEXEC);
	assert_int_equal(resolve_again(d, modules, &(struct symbols_search){ 0 }, again), 0);
	close(modules[STRIPPED].fd);
	assert_memory_equal(&d->totals, &again->totals, sizeof d->totals);
	assert_memory_equal(&d->memory, &again->memory, sizeof d->memory);
	assert_memory_equal(&d->unseen, &again->unseen, sizeof d->unseen);
	assert_int_equal(again->pid, 4711);
	assert_int_equal(again->program, STRIPPED);
	assert_string_equal(again->command[0], "./stripped");
	assert_null(again->command[1]);
	for (size_t i = 0; i < N_MODULES; i++) {
		assert_string_equal(again->modules[i].path, d->modules[i].path);
		assert_string_equal(again->modules[i].build_id, d->modules[i].build_id);
	}
	assert_string_equal(again->modules[STRIPPED].names, "DWARF in dir/prog.debug");
	assert_string_equal(again->modules[GONE].names, d->modules[GONE].names);
	assert_int_equal(again->n_types, 1);
	assert_string_equal(again->types[0].name, "thing");
	assert_same_types(d, again);
	profile_data_free(again);
	profile_data_free(d);
}

/* A profile with names keeps them if no file is found any more, including inlined functions; and
 * gets the same ones from the same file. */
static void without_files_or_with_the_same_nothing_changes(void **state)
{
	struct fixture *x = *state;
	struct resolve_module modules[N_MODULES];
	struct profile_data *d = setup(x, modules);

	for (int round = 0; round < 3; round++) {
		struct profile_data *again = profile_data_new();
		char *before = strdup(text_of(d)), *series = strdup(series_of(d));

		modules[STRIPPED].fd =
			round == 1 ? -1 : open(in_dir(x, "prog"), O_RDONLY | O_CLOEXEC);
		assert_int_equal(resolve_again(d, modules, &(struct symbols_search){ 0 }, again),
				 0);
		if (round) {
			assert_string_equal(text_of(again), before);
			assert_string_equal(series_of(again), series);
			assert_int_equal(again->n_series, d->n_series);
			assert_int_equal(again->n_types, d->n_types);
			assert_int_equal(again->n_functions, d->n_functions);
			assert_string_equal(again->modules[STRIPPED].names,
					    d->modules[STRIPPED].names);
		}
		if (round != 1)
			close(modules[STRIPPED].fd);
		free(before);
		free(series);
		profile_data_free(d);
		d = again;
	}
	profile_data_free(d);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(what_was_nameless_gets_its_names_lines_types_and_inlined_functions),
		T(the_rest_stays_what_it_was),
		T(without_files_or_with_the_same_nothing_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
