/* SPDX-License-Identifier: BSD-2-Clause */
/* Places in this test itself, in a file that does not exist, and in no module. */
#include "unit/unit.h"
#include "naming/codefiles.h"
#include "naming/namer.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OURS, GONE };

static struct namer namer;

static int setup(void **state)
{
	static const struct symbols_search nowhere;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	int err = fd < 0 || namer_init(&namer, &nowhere) ||
		  namer_add_module(&namer, "/bin/ours", fd) != OURS ||
		  namer_add_module(&namer, "/lib/gone.so", -1) != GONE;
	close(fd);
	return err;
}

static int teardown(void **state)
{
	(void)state;
	namer_release(&namer);
	return 0;
}

static int take_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr; /* the program is the first */
	return 1;
}

__attribute__((noinline)) static int somebody(int n)
{
	return n * 3 + (int)strlen("somebody");
}

/* The address of that function in our file. */
static uint64_t address_of_somebody(void)
{
	uint64_t bias = 0;

	dl_iterate_phdr(take_bias, &bias);
	return (uint64_t)(uintptr_t)somebody - bias;
}

static void assert_is(struct profile_place place, const struct perfmap *jit, const char *name)
{
	struct sym_frames f;

	assert_int_equal(namer_look(&namer, &place, jit, &f), 0);
	assert_true(f.n >= 1);
	assert_string_equal(f.frames[0].name, name);
}

static void a_place_of_a_module_is_looked_up_in_its_file(void **state)
{
	uint64_t at = address_of_somebody();
	struct profile_place place = { .address = at, .module = OURS, .exact = true };
	struct sym_frames f;

	(void)state;
	assert_int_equal(somebody(1), 11);
	assert_int_equal(namer_look(&namer, &place, NULL, &f), 0);
	assert_string_equal(f.frames[0].name, "somebody");
	assert_string_equal(namer_name(&namer, &f.frames[0]), "somebody");
	assert_int_equal(f.frames[0].address, at);
	assert_string_equal(namer.paths[OURS], "/bin/ours");
	/* Of an address to return to the call is before it. */
	place = (struct profile_place){ .address = at + 1, .module = OURS };
	assert_is(place, NULL, "somebody");
	place.address = at;
	assert_int_equal(namer_look(&namer, &place, NULL, &f), 0);
	assert_string_not_equal(f.frames[0].name, "somebody");
}

static void what_nothing_names_has_no_name_but_a_text(void **state)
{
	struct profile_place place = { .address = 0x1234, .module = GONE, .exact = true };
	struct sym_frames f;

	(void)state;
	assert_int_equal(namer_look(&namer, &place, NULL, &f), 0);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.frames[0].name, "gone.so+0x1234");
	assert_null(namer_name(&namer, &f.frames[0]));
	place.module = PD_NONE;
	assert_int_equal(namer_look(&namer, &place, NULL, &f), 0);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.frames[0].name, "0x1234");
	assert_null(namer_name(&namer, &f.frames[0]));
	/* A number that no module has. */
	place.module = GONE + 1;
	assert_is(place, NULL, "0x1234");
}

static void code_that_the_program_made_has_the_name_that_it_was_given(void **state)
{
	struct perfmap_entry v[] = {
		{ .start = 0, .end = 1, .reach = 1, .name = "first" },
		{ .start = 0x1000, .end = 0x1010, .reach = 0x1010, .name = "f+0x10" },
		{ .start = 0x1010, .end = 0x1020, .reach = 0x1020, .name = "0x1" },
	};
	const struct perfmap jit = { .v = v, .n = 3 };
	struct profile_place place = { .address = 0x1010, .module = PD_NONE };
	struct sym_frames f;

	(void)state;
	assert_int_equal(namer_look(&namer, &place, &jit, &f), 0);
	assert_string_equal(namer_name(&namer, &f.frames[0]), "f+0x10");
	assert_int_equal(f.frames[0].address, 0x1000);
	assert_int_equal(f.frames[0].offset, 0x10);
	place.exact = true;
	assert_int_equal(namer_look(&namer, &place, &jit, &f), 0);
	assert_string_equal(namer_name(&namer, &f.frames[0]), "0x1");
	place.address = 0x1020;
	assert_is(place, &jit, "0x1020");
	/* Nothing is before the first of all addresses. */
	place = (struct profile_place){ .address = 0, .module = PD_NONE };
	assert_is(place, &jit, "first");
	/* Addresses of modules are none of the process's. */
	place = (struct profile_place){ .address = 0x1008, .module = GONE };
	assert_is(place, &jit, "gone.so+0x1008");
}

static void a_finished_profile_tells_names_from_addresses_in_the_same_way(void **state)
{
	static char f[] = "f+0x10", zero[] = "0zero", address[] = "0x7f12";
	static char nameless[] = "a.so+0x10", odd[] = "a.so+0x1g";
	struct pd_function v[] = {
		{ .name = f, .module = PD_NONE }, { .name = zero, .module = PD_NONE },
		{ .name = address, .module = PD_NONE }, { .name = nameless, .module = 0 },
		{ .name = odd, .module = 0 }, { .name = address, .module = 0 },
	};
	static const bool want[] = { false, false, true, true, false, false };
	const struct profile_data d = { .functions = v, .n_functions = 6 };

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(names_nothing_names(&d, i), want[i]);
}

/* ---- one that reads nothing ---- */

static char said[4][512];
static unsigned n_said;

static void say(const char *sentence)
{
	if (n_said < 4)
		snprintf(said[n_said], sizeof said[0], "%s", sentence);
	n_said++;
}

static void what_is_asked_is_as_if_it_had_been_read(void **state)
{
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const struct resolve_module files[] = { { "/bin/ours", fd }, { "/lib/gone.so", -1 } };
	const struct namer_asks how = { .files = files, .n_files = 2, .jit_map = -1, .say = say };
	const uint64_t at = address_of_somebody();
	const struct profile_place places[] = {
		{ .address = at, .module = OURS, .exact = true },
		{ .address = at + 1, .module = OURS },
		{ .address = at + 1, .module = OURS, .exact = true },
		{ .address = 0x1230, .module = GONE },
		{ .address = at + 2, .module = OURS },
	};
	const bool used[] = { true, true, true, true, false };
	const struct profile_place outside = { .address = 0x7123, .module = PD_NONE };
	struct namer told = { 0 };
	struct sym_frames f, read;

	(void)state;
	n_said = 0;
	assert_int_equal(namer_ask(&told, &how, places, used, 5), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(namer_look(&told, &places[i], NULL, &f), 0);
		assert_int_equal(namer_look(&namer, &places[i], NULL, &read), 0);
		assert_int_equal(f.n, read.n);
		for (size_t k = 0; k < f.n; k++) {
			const struct sym_frame *a = &f.frames[k], *b = &read.frames[k];

			assert_string_equal(a->name, b->name);
			assert_string_equal(a->linkage, b->linkage);
			assert_int_equal(a->address, b->address);
			assert_int_equal(a->offset, b->offset);
			assert_int_equal(a->line, b->line);
			assert_int_equal(a->inlined, b->inlined);
			assert_true(!a->file == !b->file);
			assert_string_equal(a->file ? a->file : "", b->file ? b->file : "");
			assert_true(!namer_name(&told, a) == !namer_name(&namer, b));
		}
	}
	assert_string_equal(namer_source(&told, OURS), namer_source(&namer, OURS));
	assert_string_equal(namer_build_id(&told, OURS), namer_build_id(&namer, OURS));
	assert_string_equal(told.paths[GONE], "/lib/gone.so");
	/* Of what nobody has asked nothing is known, and one asks of that alone. */
	assert_int_equal(namer_look(&told, &places[4], NULL, &f), -ENOMEM);
	assert_int_equal(namer_ask(&told, &how, places, NULL, 5), 0);
	assert_int_equal(namer_look(&told, &places[4], NULL, &f), 0);
	assert_string_equal(f.frames[0].name, "somebody");
	assert_int_equal(namer_look(&told, &places[0], NULL, &read), 0);
	assert_true(f.frames[0].function_key == read.frames[0].function_key);
	/* What is in no module needs nobody. */
	assert_int_equal(namer_look(&told, &outside, NULL, &f), 0);
	assert_string_equal(f.frames[0].name, "0x7123");
	assert_null(namer_name(&told, &f.frames[0]));
	assert_int_equal(n_said, 0);
	namer_release(&told);
	close(fd);
}

static int map_of(const char *text)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	assert_true(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	return fd;
}

/* It belongs to another process by now, or has got a name. */
static void code_that_the_program_made_is_asked_for_each_time(void **state)
{
	const struct profile_place place = { .address = 0x7010, .module = PD_NONE };
	struct namer told = { 0 };
	struct namer_asks how = { .jit_map = map_of("7000 20 once\n"), .say = say };
	struct sym_frames f;

	(void)state;
	assert_int_equal(namer_ask(&told, &how, &place, NULL, 1), 0);
	assert_int_equal(namer_look(&told, &place, NULL, &f), 0);
	assert_string_equal(namer_name(&told, &f.frames[0]), "once");
	close(how.jit_map);
	how.jit_map = map_of("7000 20 then\n");
	assert_int_equal(namer_ask(&told, &how, &place, NULL, 1), 0);
	assert_int_equal(namer_look(&told, &place, NULL, &f), 0);
	assert_string_equal(namer_name(&told, &f.frames[0]), "then");
	close(how.jit_map);
	how.jit_map = -1;
	assert_int_equal(namer_ask(&told, &how, &place, NULL, 1), 0);
	assert_int_equal(namer_look(&told, &place, NULL, &f), 0);
	assert_null(namer_name(&told, &f.frames[0]));
	namer_release(&told);
}

/* ---- files ---- */

static void a_file_is_taken_only_if_it_is_the_build_that_it_must_be(void **state)
{
	struct codefile_wanted wanted[] = { { "/proc/self/exe", "" },
					    { "/proc/self/exe", "0011" },
					    { "/proc/self/maps", "" },
					    { "/proc/self/none", "" },
					    { NULL, "" },
					    { "/proc/self/exe", "" } };
	const size_t n = sizeof wanted / sizeof *wanted;
	char id[BUILD_ID_MAX];
	struct codefiles f;

	(void)state;
	assert_int_equal(codefiles_open(&f, wanted, 1, say), 0);
	assert_true(f.v[0].fd >= 0);
	strcpy(id, f.facts[0].build_id);
	codefiles_close(&f);
	wanted[n - 1].build_id = id;
	assert_int_equal(codefiles_open(&f, wanted, n, say), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(f.v[i].fd >= 0, i == 0 || i == n - 1);
	codefiles_close(&f);
	assert_int_equal(codefiles_open(&f, wanted, 0, say), 0);
	codefiles_close(&f);
}

static void the_segments_of_code_hold_the_code(void **state)
{
	const struct codefile_wanted wanted = { "/proc/self/exe", "" };
	uint64_t at = address_of_somebody(), back = 0;
	const struct code_facts *facts;
	struct codefiles f;
	unsigned holding = 0;

	(void)state;
	assert_int_equal(codefiles_open(&f, &wanted, 1, say), 0);
	facts = f.facts;
	assert_true(facts->n_segments >= 1);
	for (uint32_t i = 0; i < facts->n_segments; i++) {
		const struct code_segment *s = &facts->segments[i];

		if (at < s->address || at - s->address >= s->size)
			continue;
		holding++;
		assert_true(code_address(facts, at - s->address + s->offset, &back));
		assert_int_equal(back, at);
	}
	assert_int_equal(holding, 1);
	assert_false(code_address(facts, UINT64_MAX, &back));
	codefiles_close(&f);
}

static void of_segments_that_share_a_page_each_place_is_in_its_own(void **state)
{
	const struct code_facts facts = {
		.segments = { { 0x100, 0x200, 0x100, 0x200 }, { 0x300, 0x80, 0x1300, 0x80 } },
		.n_segments = 2,
	};
	static const struct {
		uint64_t offset, address;
	} places[] = { { 0x100, 0x100 }, { 0x2ff, 0x2ff }, { 0x300, 0x1300 }, { 0x37f, 0x137f },
		       { 0x80, 0x80 }, { 0x400, 0x400 } };

	(void)state;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		uint64_t address = 0;

		assert_true(code_address(&facts, places[i].offset, &address));
		assert_int_equal(address, places[i].address);
	}
}

static void names_and_tables_are_told_if_they_are_asked_for(void **state)
{
	static const struct symbols_search nowhere;
	const struct code_asks how = { &nowhere, say };
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const struct resolve_module files[] = { { "/lib/gone.so", -1 }, { "/bin/ours", fd } };
	struct code_facts facts[2];

	(void)state;
	assert_int_equal(code_facts_read(&how, files, 2, facts), 0);
	assert_string_equal(facts[1].names, namer_source(&namer, OURS));
	assert_true(facts[1].unwinds && facts[1].is_code);
	assert_string_equal(facts[0].names, namer_source(&namer, GONE));
	assert_false(facts[0].unwinds || facts[0].is_code);
	close(fd);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_place_of_a_module_is_looked_up_in_its_file),
		T(what_nothing_names_has_no_name_but_a_text),
		T(code_that_the_program_made_has_the_name_that_it_was_given),
		cmocka_unit_test(a_finished_profile_tells_names_from_addresses_in_the_same_way),
		T(what_is_asked_is_as_if_it_had_been_read),
		cmocka_unit_test(code_that_the_program_made_is_asked_for_each_time),
		cmocka_unit_test(a_file_is_taken_only_if_it_is_the_build_that_it_must_be),
		cmocka_unit_test(the_segments_of_code_hold_the_code),
		cmocka_unit_test(of_segments_that_share_a_page_each_place_is_in_its_own),
		T(names_and_tables_are_told_if_they_are_asked_for),
	};

	return cmocka_run_group_tests_name("naming/namer", tests, NULL, NULL);
}
