/* SPDX-License-Identifier: BSD-2-Clause */
/* Where single instructions move whole words. */
#include "unit/unit.h"

#include "arch/flow.h"

#define AT UINT64_C(0x401000)

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R12 = 12 };

#define FLOW(...) flow((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static struct arch_flow flow(const uint8_t *code, size_t len)
{
	struct arch_flow f;

	assert_true(arch_flow(code, len, AT, &f));
	assert_int_equal(f.size, len);
	return f;
}

static void test_copies(void **state)
{
	(void)state;
	struct arch_flow f = FLOW(0x48, 0x89, 0xc3); /* mov %rax,%rbx */

	assert_int_equal(f.kind, ARCH_FLOW_COPY);
	assert_int_equal(f.from, RAX);
	assert_int_equal(f.to, RBX);
	assert_int_equal(f.writes, 1 << RBX);
	f = FLOW(0x49, 0x89, 0xc4); /* mov %rax,%r12 */
	assert_int_equal(f.to, R12);
	f = FLOW(0x89, 0xc3); /* mov %eax,%ebx: half of it */
	assert_int_equal(f.kind, ARCH_FLOW_OTHER);
	assert_int_equal(f.writes, 1 << RBX);
}

static void test_loads(void **state)
{
	(void)state;
	struct arch_flow f = FLOW(0x48, 0x8b, 0x45, 0xf8); /* mov -8(%rbp),%rax */

	assert_int_equal(f.kind, ARCH_FLOW_LOAD);
	assert_int_equal(f.to, RAX);
	assert_int_equal(f.at.base, RBP);
	assert_int_equal(f.at.offset, -8);
	assert_false(f.at.indexed);
	f = FLOW(0x48, 0x8b, 0x05, 0x10, 0, 0, 0); /* mov 0x10(%rip),%rax */
	assert_int_equal(f.at.base, ARCH_FLOW_NO_REG);
	assert_int_equal(f.at.offset, AT + 7 + 0x10);
	f = FLOW(0x67, 0x48, 0x8b, 0x05, 0x10, 0, 0, 0); /* mov 0x10(%eip),%rax */
	assert_int_equal(f.kind, ARCH_FLOW_OTHER);
	assert_int_equal(f.writes, 1 << RAX);
	f = FLOW(0x67, 0x48, 0x8b, 0x45, 0xf8); /* mov -8(%ebp),%rax */
	assert_int_equal(f.kind, ARCH_FLOW_OTHER);
	f = FLOW(0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0); /* mov %fs:0x28,%rax */
	assert_int_equal(f.kind, ARCH_FLOW_OTHER);
	f = FLOW(0x48, 0x0f, 0xb6, 0x00); /* movzbq (%rax),%rax */
	assert_int_equal(f.kind, ARCH_FLOW_OTHER);
	assert_int_equal(f.writes, 1 << RAX);
}

static void test_stores(void **state)
{
	(void)state;
	struct arch_flow f = FLOW(0x48, 0x89, 0x43, 0x18); /* mov %rax,0x18(%rbx) */

	assert_int_equal(f.kind, ARCH_FLOW_STORE);
	assert_int_equal(f.from, RAX);
	assert_int_equal(f.at.base, RBX);
	assert_int_equal(f.at.offset, 0x18);
	assert_int_equal(f.writes, 0);
	f = FLOW(0x48, 0x89, 0x04, 0xd3); /* mov %rax,(%rbx,%rdx,8) */
	assert_true(f.at.indexed);
	f = FLOW(0x48, 0xc7, 0x03, 0, 0, 0, 0); /* movq $0,(%rbx) */
	assert_int_equal(f.kind, ARCH_FLOW_OTHER);
}

static void test_where_it_goes(void **state)
{
	(void)state;
	struct arch_flow f = FLOW(0xe8, 0, 1, 0, 0);

	assert_int_equal(f.kind, ARCH_FLOW_CALL);
	assert_int_equal(f.target, AT + 5 + 0x100);
	assert_int_equal(f.writes, arch_flow_lost);
	f = FLOW(0xff, 0xd0); /* call *%rax */
	assert_int_equal(f.kind, ARCH_FLOW_CALL);
	assert_int_equal(f.target, 0);
	f = FLOW(0xeb, 0xfe);
	assert_int_equal(f.kind, ARCH_FLOW_JUMP);
	assert_int_equal(f.target, AT);
	f = FLOW(0x74, 0x10); /* je */
	assert_int_equal(f.kind, ARCH_FLOW_BRANCH);
	assert_int_equal(f.target, AT + 0x12);
	f = FLOW(0xc3);
	assert_int_equal(f.kind, ARCH_FLOW_RETURN);
	f = FLOW(0xf3, 0xc3);
	assert_int_equal(f.kind, ARCH_FLOW_RETURN);
	f = FLOW(0x0f, 0x0b); /* ud2 */
	assert_int_equal(f.kind, ARCH_FLOW_STOP);
}

static void test_what_changes(void **state)
{
	(void)state;
	struct arch_flow f = FLOW(0x48, 0x83, 0xec, 0x10); /* sub $16,%rsp */

	assert_int_equal(f.writes, 1 << RSP);
	f = FLOW(0x5b); /* pop %rbx */
	assert_int_equal(f.writes, 1 << RSP | 1 << RBX);
	f = FLOW(0x48, 0x85, 0xc0); /* test %rax,%rax */
	assert_int_equal(f.writes, 0);
	f = FLOW(0x48, 0x87, 0xd8); /* xchg %rbx,%rax */
	assert_int_equal(f.writes, 1 << RAX | 1 << RBX);
	f = FLOW(0x0f, 0xa2); /* cpuid */
	assert_int_equal(f.writes, 1 << RAX | 1 << RBX | 1 << RCX | 1 << RDX);
	f = FLOW(0xb0, 0x01); /* mov $1,%al */
	assert_int_equal(f.writes, 1 << RAX);
}

static void test_what_is_none(void **state)
{
	(void)state;
	struct arch_flow f;

	assert_false(arch_flow((const uint8_t[]){0x06}, 1, AT, &f));
	assert_false(arch_flow((const uint8_t[]){0x48, 0x89}, 2, AT, &f));
	assert_false(arch_flow(NULL, 0, AT, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),	     cmocka_unit_test(test_loads),
		cmocka_unit_test(test_stores),	     cmocka_unit_test(test_where_it_goes),
		cmocka_unit_test(test_what_changes), cmocka_unit_test(test_what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
