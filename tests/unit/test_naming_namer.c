/* SPDX-License-Identifier: BSD-2-Clause */
/* Places in this very program, in a file that is not there, and in no module. */
#include "unit/unit.h"
#include "naming/codefile.h"
#include "naming/namer.h"
#include "profile/pd_names.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
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

/* ---- files ---- */

static void a_file_is_taken_only_if_it_is_the_build_that_it_must_be(void **state)
{
	struct codefile f;

	(void)state;
	assert_true(codefile_open(&f, "/proc/self/exe", ""));
	char id[BUILD_ID_MAX];
	strcpy(id, f.build_id);
	codefile_close(&f);
	assert_true(codefile_open(&f, "/proc/self/exe", id));
	codefile_close(&f);
	assert_false(codefile_open(&f, "/proc/self/exe", "0011"));
	assert_false(codefile_open(&f, "/proc/self/maps", ""));
	assert_false(codefile_open(&f, "/proc/self/none", ""));
	codefile_close(&f); /* nothing */
}

static void the_segments_of_code_hold_the_code(void **state)
{
	uint64_t at = address_of_somebody();
	struct code_segment s;
	struct codefile f;
	unsigned holding = 0, n = 0;

	(void)state;
	assert_true(codefile_open(&f, "/proc/self/exe", ""));
	for (size_t i = 0; codefile_segment(&f, &i, &s); n++)
		holding += at >= s.address && at - s.address < s.size;
	codefile_close(&f);
	assert_true(n >= 1);
	assert_int_equal(holding, 1);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_place_of_a_module_is_looked_up_in_its_file),
		T(what_nothing_names_has_no_name_but_a_text),
		T(code_that_the_program_made_has_the_name_that_it_was_given),
		cmocka_unit_test(a_finished_profile_tells_names_from_addresses_in_the_same_way),
		cmocka_unit_test(a_file_is_taken_only_if_it_is_the_build_that_it_must_be),
		cmocka_unit_test(the_segments_of_code_hold_the_code),
	};

	return cmocka_run_group_tests_name("naming/namer", tests, NULL, NULL);
}
