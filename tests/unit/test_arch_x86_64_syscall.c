/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of a system call; test_attach_remote.c makes some. */
#include "unit/unit.h"
#include "arch/arch.h"

#include <errno.h>
#include <string.h>

static void registers_are_those_of_the_call_and_of_no_interrupted_one(void **state)
{
	const uint64_t arg[6] = { 11, 12, 13, 14, 15, 16 };
	struct arch_regs r, was;
	struct user_regs_struct want;

	(void)state;
	memset(&was, 0x5a, sizeof was);
	was.user.orig_rax = 7;
	r = was;
	arch_set_syscall(&r, 0x1000, 9, arg);
	want = was.user;
	want.rip = 0x1000;
	want.rax = 9;
	want.orig_rax = UINT64_MAX;
	want.rdi = 11;
	want.rsi = 12;
	want.rdx = 13;
	want.r10 = 14;
	want.r8 = 15;
	want.r9 = 16;
	assert_memory_equal(&r.user, &want, sizeof want);
}

static void only_64_bit_code_makes_calls(void **state)
{
	static const struct {
		uint64_t cs;
		bool can;
	} v[] = { { 0x33, true }, { 0xe033, true }, { 0x23, false }, { 0xe023, false },
		  { 0x0f, false }, { 0x07, false }, { 0, false } };

	(void)state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		struct arch_regs r = { 0 };

		r.user.cs = v[i].cs;
		assert_int_equal(arch_can_call(&r), v[i].can);
	}
}

static void the_first_instruction_for_system_calls_is_found(void **state)
{
	static const uint8_t code[] = { 0x0f, 0x90, 0x05, 0x0f, 0x05, 0xc3, 0x0f, 0x05 };

	(void)state;
	assert_int_equal(arch_find_syscall(code, sizeof code), 3);
	assert_int_equal(arch_find_syscall(code, 4), -ENOENT);
	assert_int_equal(arch_find_syscall(code, 0), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_64_bit_code_makes_calls),
		cmocka_unit_test(registers_are_those_of_the_call_and_of_no_interrupted_one),
		cmocka_unit_test(the_first_instruction_for_system_calls_is_found),
	};

	return cmocka_run_group_tests_name("arch_syscall", tests, NULL, NULL);
}
