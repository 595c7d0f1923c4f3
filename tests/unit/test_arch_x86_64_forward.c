/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions only forward to another one: code as compilers write it, and similar code that
 * does something else. */
#include "unit/unit.h"
#include "arch/forward.h"
#include "lib/random.h"

#include <errno.h>
#include <string.h>

/* A function of this name, as it would be in a file; nobody runs it. */
#define FUNCTION(name, code)                                                                       \
	__asm__(".pushsection .text\n" #name ":\n" code "\n" #name "_end:\n\tnop\n.popsection");   \
	extern const uint8_t name[], name##_end[]

FUNCTION(gives, "ret");		/* malloc() */
FUNCTION(gives_second, "ret");	/* aligned_alloc() */
FUNCTION(takes, "ret");
FUNCTION(fails, "ret");
FUNCTION(leaves, "ret");
FUNCTION(ends, "ret");
FUNCTION(other, "call other; ret");
FUNCTION(other_jumps, "jmp other");
FUNCTION(leaf, "mov %rdi,%rax; shr %rax; ret");
FUNCTION(word_gives, ".quad 0");
FUNCTION(word_takes, ".quad 0");

static const struct {
	const uint8_t *at;
	struct arch_callee callee;
} known[] = {
	{ gives, { ARCH_CALLEE_GIVES, 0 } },
	{ gives_second, { ARCH_CALLEE_GIVES, 1 } },
	{ takes, { ARCH_CALLEE_TAKES, 0 } },
	{ fails, { ARCH_CALLEE_FAILS, 0 } },
	{ leaves, { ARCH_CALLEE_LEAVES, 0 } },
	{ ends, { ARCH_CALLEE_ENDS, 0 } },
	{ word_gives, { ARCH_CALLEE_GIVES, 0 } },
	{ word_takes, { ARCH_CALLEE_TAKES, 0 } },
};

static struct arch_callee callee(void *ctx, uint64_t at)
{
	(void)ctx;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if ((uint64_t)known[i].at == at && known[i].at != word_gives &&
		    known[i].at != word_takes)
			return known[i].callee;
	return (struct arch_callee){ .kind = ARCH_CALLEE_OTHER };
}

static struct arch_callee callee_in(void *ctx, uint64_t word)
{
	(void)ctx;
	if (word == (uint64_t)word_gives)
		return (struct arch_callee){ ARCH_CALLEE_GIVES, 0 };
	if (word == (uint64_t)word_takes)
		return (struct arch_callee){ ARCH_CALLEE_TAKES, 0 };
	return (struct arch_callee){ .kind = ARCH_CALLEE_OTHER };
}

static size_t read_code(void *ctx, uint64_t at, uint8_t *code, size_t len)
{
	(void)ctx;
	memcpy(code, (const void *)at, len); // NOLINT(performance-no-int-to-ptr)
	return len;
}

/* Where exceptions go on, of all calls. */
struct landing {
	enum arch_landing kind;
	const uint8_t *at;
};

static enum arch_landing landing(void *ctx, uint64_t call, uint64_t *at)
{
	const struct landing *l = ctx;

	(void)call;
	*at = (uint64_t)l->at;
	return l->kind;
}

/* Why a function is no forwarder; NULL: it is one. */
static const char *judge(const uint8_t *at, const uint8_t *end, bool is_new, struct landing l)
{
	const struct arch_forward_host host = { read_code, callee, callee_in, landing, &l };
	const struct arch_forwarded f = { .at = (uint64_t)at, .size = (uint64_t)(end - at),
					  .gives = is_new, .arg = 0, .align_arg = 1 };
	const char *why = "not said";
	int err = arch_forwards(&host, &f, &why);

	assert_int_equal(!err, !why);
	return why;
}

#define IS_FORWARDER(f, is_new)                                                                    \
	do {                                                                                       \
		const char *no = judge(f, f##_end, is_new, (struct landing){ 0 });                 \
		if (no)                                                                            \
			fail_msg(#f ": %s", no);                                                   \
	} while (0)

#define IS_NONE(f, is_new, sentence)                                                               \
	do {                                                                                       \
		const char *no = judge(f, f##_end, is_new, (struct landing){ 0 });                 \
		assert_non_null(no);                                                               \
		assert_string_equal(no, sentence);                                                 \
	} while (0)

/* ---- operators new ---- */

FUNCTION(libstdcxx_new,
	 "endbr64; test %rdi,%rdi; mov $1,%eax; push %rbx; cmovne %rdi,%rax; mov %rax,%rbx\n"
	 "1: mov %rbx,%rdi; call gives; test %rax,%rax; je 2f; pop %rbx; ret\n"
	 "2: call fails; test %rax,%rax; je libstdcxx_new_cold; call *%rax; jmp 1b");
FUNCTION(libstdcxx_new_cold,
	 "mov $8,%edi; call other; lea other(%rip),%rdx; mov %rdx,(%rax); mov %rax,%rdi\n"
	 "call leaves; ud2");
FUNCTION(libstdcxx_aligned,
	 "push %rbp; mov %rdi,%rbp; mov %rsi,%rdi; push %rbx; mov %rsi,%rbx; sub $8,%rsp\n"
	 "call leaf; cmp $1,%eax; jne libstdcxx_new_cold_fails\n"
	 "test %rbp,%rbp; mov $1,%eax; cmove %rax,%rbp; lea -1(%rbx,%rbp),%rax\n"
	 "mov %rbx,%rbp; neg %rbp; and %rax,%rbp\n"
	 "1: mov %rbp,%rsi; mov %rbx,%rdi; call gives_second; test %rax,%rax; je 2f\n"
	 "add $8,%rsp; pop %rbx; pop %rbp; ret\n"
	 "2: call fails; test %rax,%rax; je libstdcxx_new_cold_fails; call *%rax; jmp 1b");
FUNCTION(libstdcxx_new_cold_fails, "mov $8,%edi; call fails; mov %rax,%rdi; call leaves");
FUNCTION(array_new, "endbr64; jmp libstdcxx_new_other");
FUNCTION(libstdcxx_new_other, "jmp gives");
FUNCTION(by_word, "sub $8,%rsp; call *word_gives(%rip); add $8,%rsp; ret");
FUNCTION(jumps_by_word, "jmp *word_gives(%rip)");
FUNCTION(with_frame,
	 "push %rbp; mov %rsp,%rbp; sub $32,%rsp; mov %rdi,-24(%rbp); cmpq $0,-24(%rbp); "
	 "jne 1f\n"
	 "movq $1,-24(%rbp)\n"
	 "1: mov -24(%rbp),%rax; mov %rax,%rdi; call gives; mov %rax,-8(%rbp); "
	 "cmpq $0,-8(%rbp)\n"
	 "sete %al; test %al,%al; mov -8(%rbp),%rax; leave; ret");
FUNCTION(by_carry, "sub $8,%rsp; cmp $1,%rdi; adc $0,%rdi; call gives; add $8,%rsp; ret");
FUNCTION(by_limit, "cmp $2,%rdi; mov $1,%eax; cmovb %rax,%rdi; jmp gives");
FUNCTION(counts, "lock incq other(%rip); incl other(%rip); jmp gives");
FUNCTION(gives_up_by_null,
	 "push %rbx; call gives; test %rax,%rax; jne 1f; call other; xor %eax,%eax\n"
	 "1: pop %rbx; ret");
FUNCTION(ends_program, "push %rbx; call gives; test %rax,%rax; jne 1f; call ends\n"
		       "1: pop %rbx; ret");

static void operators_new_that_pass_on_are_forwarders(void **state)
{
	(void)state;
	IS_FORWARDER(libstdcxx_new, true);
	IS_FORWARDER(libstdcxx_aligned, true);
	IS_FORWARDER(array_new, true);
	IS_FORWARDER(by_word, true);
	IS_FORWARDER(jumps_by_word, true);
	IS_FORWARDER(with_frame, true);
	IS_FORWARDER(by_carry, true);
	IS_FORWARDER(by_limit, true);
	IS_FORWARDER(counts, true);
	IS_FORWARDER(gives_up_by_null, true);
	IS_FORWARDER(ends_program, true);
}

FUNCTION(header, "push %rbx; add $16,%rdi; call gives; add $16,%rax; pop %rbx; ret");
FUNCTION(header_of_none, "push %rbx; call gives; add $16,%rax; pop %rbx; ret");
FUNCTION(more, "inc %rdi; jmp gives");
FUNCTION(twice_as_much, "lea (%rdi,%rdi),%rdi; jmp gives");
FUNCTION(part, "mov %edi,%edi; jmp gives");
FUNCTION(at_least_two, "cmp $2,%rdi; mov $2,%eax; cmovb %rax,%rdi; jmp gives");
FUNCTION(wrong_way, "test %rdi,%rdi; mov $1,%eax; cmovne %rax,%rdi; jmp gives");
FUNCTION(rounded_by_less,
	 "lea -2(%rsi,%rdi),%rax; neg %rsi; and %rsi,%rax; mov %rax,%rdi; jmp gives");
FUNCTION(arena, "mov other(%rip),%rax; add %rdi,other(%rip); ret");
FUNCTION(pool_first, "mov other(%rip),%rax; test %rax,%rax; jne 1f; jmp gives\n1: ret");
FUNCTION(pool_last,
	 "push %rbx; call gives; test %rax,%rax; jne 1f; mov other(%rip),%rax\n"
	 "1: pop %rbx; ret");
FUNCTION(pool_apart,
	 "push %rbx; call gives; test %rax,%rax; je 1f; pop %rbx; ret\n"
	 "1: mov other(%rip),%rax; pop %rbx; ret");
FUNCTION(loses_it,
	 "push %rbx; call gives; cmpq $0,other(%rip); je 1f; xor %eax,%eax\n"
	 "1: pop %rbx; ret");
FUNCTION(tells_first,
	 "push %rbx; mov %rdi,%rbx; call other; mov %rbx,%rdi; call gives; pop %rbx; ret");
FUNCTION(tells_last,
	 "push %rbx; call gives; mov %rax,%rbx; mov %rax,%rdi; call other; mov %rbx,%rax; "
	 "pop %rbx\n"
	 "ret");
FUNCTION(tells_by_leaf_that_calls,
	 "push %rbx; mov %rdi,%rbx; call other_jumps; mov %rbx,%rdi; call gives\n"
	 "pop %rbx; ret");
FUNCTION(keeps_two,
	 "push %rbx; push %rdi; call gives; mov %rax,%rbx; pop %rdi; call gives; "
	 "mov %rbx,%rax\n"
	 "pop %rbx; ret");
FUNCTION(frees_it, "push %rbx; call gives; mov %rax,%rdi; call takes; pop %rbx; ret");
FUNCTION(never_asks, "xor %eax,%eax; ret");
FUNCTION(asks_sometimes, "push %rbx; test %rdi,%rdi; je 1f; call gives\n1: pop %rbx; ret");
FUNCTION(returns_low_half, "push %rbx; call gives; mov %eax,%eax; pop %rbx; ret");
FUNCTION(by_pointer, "jmp *%rsi");
FUNCTION(calls_by_pointer, "push %rbx; call *%rsi; pop %rbx; ret");
FUNCTION(throws_late,
	 "push %rbx; call gives; cmpq $0,other(%rip); je 1f; mov %rax,%rdi; call leaves\n"
	 "1: pop %rbx; ret");
FUNCTION(return_on_stack, "push %rsi; ret");
FUNCTION(changes_return, "mov %rsi,(%rsp); jmp gives");
FUNCTION(hands_out,
	 "sub $24,%rsp; mov %rdi,8(%rsp); lea 8(%rsp),%rsi; mov %rdi,(%rsi); call gives; "
	 "add $24,%rsp\n"
	 "ret");
FUNCTION(through_copy,
	 "push %rbp; mov %rsp,%rbp; push %rdi; mov %rsp,%rdx; call gives; leave; ret");
FUNCTION(through_half, "sub $8,%rsp; mov %esp,%edx; call gives; add $8,%rsp; ret");
FUNCTION(through_choice, "sub $8,%rsp; cmp $1,%rdi; cmovb %rsp,%rdx; call gives; add $8,%rsp; ret");
FUNCTION(through_sum, "sub $8,%rsp; lea (%rsp,%rdi),%rdx; call gives; add $8,%rsp; ret");
FUNCTION(aligned_stack, "push %rbp; mov %rsp,%rbp; and $-32,%rsp; call gives; leave; ret");
FUNCTION(call_the_system, "mov $9,%eax; syscall; ret");
FUNCTION(endless, "1: test %rdi,%rdi; jmp 1b");
FUNCTION(outside, "jmp outside_part");
FUNCTION(outside_part, "sub $8,%rsp; call gives; add $8,%rsp; ret");
FUNCTION(no_code, ".byte 0x06, 0x06");

static void operators_new_that_do_more_are_none(void **state)
{
	static const char size[] = "it asks for another size", calls[] = "it calls something else",
			  returns[] = "it returns something else";

	(void)state;
	IS_NONE(header, true, size);
	IS_NONE(header_of_none, true, returns);
	IS_NONE(more, true, size);
	IS_NONE(twice_as_much, true, size);
	IS_NONE(part, true, size);
	IS_NONE(at_least_two, true, size);
	IS_NONE(wrong_way, true, size);
	IS_NONE(rounded_by_less, true, size);
	IS_NONE(arena, true, "it returns without having passed anything on");
	IS_NONE(pool_first, true, "it returns without having passed anything on");
	IS_NONE(pool_last, true, returns);
	IS_NONE(pool_apart, true, returns);
	IS_NONE(loses_it, true, returns);
	IS_NONE(tells_first, true, calls);
	IS_NONE(tells_last, true, calls);
	IS_NONE(tells_by_leaf_that_calls, true, calls);
	IS_NONE(keeps_two, true, "it asks twice");
	IS_NONE(frees_it, true, calls);
	IS_NONE(never_asks, true, "it returns without having passed anything on");
	IS_NONE(asks_sometimes, true, "it is not clear whether it has passed anything on");
	IS_NONE(returns_low_half, true, returns);
	IS_NONE(by_pointer, true, "it jumps somewhere else");
	IS_NONE(calls_by_pointer, true, calls);
	IS_NONE(throws_late, true, calls);
	IS_NONE(return_on_stack, true, "it does not return to its caller");
	IS_NONE(changes_return, true, "it writes to its caller's stack");
	IS_NONE(hands_out, true, "it takes an address in its stack");
	IS_NONE(through_copy, true, "it takes an address in its stack");
	IS_NONE(through_half, true, "it takes an address in its stack");
	IS_NONE(through_choice, true, "it takes an address in its stack");
	IS_NONE(through_sum, true, "it takes an address in its stack");
	IS_NONE(aligned_stack, true, "it takes an address in its stack");
	IS_NONE(call_the_system, true, "it calls the system");
	IS_NONE(outside, true, "it passes on from outside of its own code");
	IS_NONE(no_code, true, "its code cannot be read");
}

/* It never returns: any answer is fine, but there must be one. */
static void a_loop_without_end_is_looked_at_once(void **state)
{
	(void)state;
	judge(endless, endless_end, true, (struct landing){ 0 });
}

FUNCTION(nothrow,
	 "endbr64; sub $8,%rsp; call gives\n"
	 "1: add $8,%rsp; ret\n"
	 "nothrow_lands: endbr64; mov %rax,%rdi; call other; call other; xor %eax,%eax; "
	 "jmp 1b");
FUNCTION(nothrow_pool, "sub $8,%rsp; call gives\n1: add $8,%rsp; ret\n"
		       "nothrow_pool_lands: call other; mov other(%rip),%rax; jmp 1b");
FUNCTION(nothrow_again, "push %rbx; mov %rdi,%rbx; call gives\n1: pop %rbx; ret\n"
			"nothrow_again_lands: call other; mov %rbx,%rdi; call gives; jmp 1b");
FUNCTION(nothrow_more, "push %rbx; mov %rdi,%rbx; call gives\n1: pop %rbx; ret\n"
		       "nothrow_more_lands: call other; lea 1(%rbx),%rdi; call gives; jmp 1b");
extern const uint8_t nothrow_lands[], nothrow_pool_lands[], nothrow_again_lands[],
	nothrow_more_lands[];

static void what_catches_exceptions_is_followed_there(void **state)
{
	(void)state;
	assert_null(judge(nothrow, nothrow_end, true,
			  (struct landing){ ARCH_LANDING_HERE, nothrow_lands }));
	assert_string_equal(judge(nothrow, nothrow_end, true,
				  (struct landing){ .kind = ARCH_LANDING_UNKNOWN }),
			    "it is not known where exceptions go on");
	assert_string_equal(judge(nothrow_pool, nothrow_pool_end, true,
				  (struct landing){ ARCH_LANDING_HERE, nothrow_pool_lands }),
			    "it returns something else");
	assert_null(judge(nothrow_again, nothrow_again_end, true,
			  (struct landing){ ARCH_LANDING_HERE, nothrow_again_lands }));
	assert_string_equal(judge(nothrow_more, nothrow_more_end, true,
				  (struct landing){ ARCH_LANDING_HERE, nothrow_more_lands }),
			    "it asks for another size");
}

/* ---- operators delete ---- */

FUNCTION(deletes, "endbr64; jmp takes");
FUNCTION(deletes_by_word, "jmp *word_takes(%rip)");
FUNCTION(deletes_what_is, "test %rdi,%rdi; je 1f; jmp takes\n1: ret");
FUNCTION(deletes_with_frame,
	 "push %rbp; mov %rsp,%rbp; sub $16,%rsp; mov %rdi,-8(%rbp); cmpq $0,-8(%rbp); "
	 "je 1f\n"
	 "mov -8(%rbp),%rax; mov %rax,%rdi; call takes\n"
	 "1: nop; leave; ret");
FUNCTION(deletes_and_counts, "push %rdi; lock decq other(%rip); call takes; pop %rdi; ret");

static void operators_delete_that_pass_on_are_forwarders(void **state)
{
	(void)state;
	IS_FORWARDER(deletes, false);
	IS_FORWARDER(deletes_by_word, false);
	IS_FORWARDER(deletes_what_is, false);
	IS_FORWARDER(deletes_with_frame, false);
	IS_FORWARDER(deletes_and_counts, false);
}

FUNCTION(deletes_nothing, "ret");
FUNCTION(deletes_sometimes, "test %rsi,%rsi; je 1f; jmp takes\n1: ret");
FUNCTION(deletes_none, "test %rdi,%rdi; jne 1f; jmp takes\n1: ret");
FUNCTION(deletes_header, "sub $16,%rdi; jmp takes");
FUNCTION(deletes_other, "mov %rsi,%rdi; jmp takes");
FUNCTION(deletes_twice, "push %rdi; call takes; pop %rdi; jmp takes");
FUNCTION(deletes_and_tells, "push %rdi; call takes; call other; pop %rdi; ret");
FUNCTION(deletes_and_asks, "push %rdi; call takes; mov $9,%edi; call gives; pop %rdi; ret");

static void operators_delete_that_do_more_are_none(void **state)
{
	(void)state;
	IS_NONE(deletes_nothing, false, "it returns without having passed anything on");
	IS_NONE(deletes_sometimes, false, "it returns without having passed anything on");
	IS_NONE(deletes_none, false, "it returns without having passed anything on");
	IS_NONE(deletes_header, false, "it frees something else");
	IS_NONE(deletes_other, false, "it frees something else");
	IS_NONE(deletes_twice, false, "it frees twice");
	IS_NONE(deletes_and_tells, false, "it calls something else");
	IS_NONE(deletes_and_asks, false, "it calls something else");
}

/* ---- anything ---- */

static uint8_t heap_of_code[512];

static size_t read_heap(void *ctx, uint64_t at, uint8_t *code, size_t len)
{
	(void)ctx;
	if (at >= sizeof heap_of_code)
		return 0;
	len = len < sizeof heap_of_code - at ? len : sizeof heap_of_code - at;
	memcpy(code, heap_of_code + at, len);
	return len;
}

/* The last bytes are known functions. */
static struct arch_callee callee_in_heap(void *ctx, uint64_t at)
{
	(void)ctx;
	at -= sizeof heap_of_code - 8;
	return (struct arch_callee){ .kind = at < 8 ? (enum arch_callee_kind)(at % 7)
						    : ARCH_CALLEE_OTHER };
}

static enum arch_landing land_in_heap(void *ctx, uint64_t call, uint64_t *at)
{
	(void)ctx;
	*at = call * 7 % sizeof heap_of_code;
	return call % 3 ? ARCH_LANDING_NONE : ARCH_LANDING_HERE;
}

/* Pieces of what such functions are made of, so that ways through it are long. */
static void fill_heap(void)
{
	static const char *const piece[] = {
		"\x48\x85\xff", "\xb8\x01", "\x53", "\x5b", "\xc3", "\x48\x0f\x45\xc7",
		"\x48\x89\xd7", "\xc9", "\x55", "\x5d", "\x48\x89\xe5", "\x48\x83\xec\x08",
		"\x48\x83\xc4\x08", "\x74\x05", "\x75\xf0", "\xeb\x03", "\x48\x85\xc0",
		"\x48\x89\xfb", "\x48\x89\xdf", "\x48\x8d\x44\x37\xff", "\x48\xf7\xde",
		"\x48\x21\xf0", "\x48\x83\xff\x01", "\x48\x83\xd7", "\x48\x89\x45\xf8",
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof heap_of_code; i++)
		heap_of_code[i] = random_below(4) ? 0x90 : (uint8_t)random_word();
	while (n + 8 < sizeof heap_of_code - 8) {
		const char *p = piece[random_below(sizeof piece / sizeof *piece)];

		if (random_below(5) == 0) { /* a call, or a jump */
			size_t at = random_below(2) ? sizeof heap_of_code - 8 + random_below(8) :
						      random_below(sizeof heap_of_code);
			int32_t to = (int32_t)at - (int32_t)n - 5;

			heap_of_code[n] = random_below(2) ? 0xe8 : 0xe9;
			memcpy(heap_of_code + n + 1, &to, sizeof to);
			n += 5;
			continue;
		}
		memcpy(heap_of_code + n, p, strlen(p));
		n += strlen(p);
	}
}

static void any_bytes_are_judged_in_the_end(void **state)
{
	const struct arch_forward_host host = { read_heap, callee_in_heap, callee_in_heap,
						land_in_heap, NULL };
	unsigned forwarders = 0;

	(void)state;
	random_state = 91;
	for (int i = 0; i < 20000; i++) {
		const struct arch_forwarded f = { .at = random_below(64), .size = 256,
						  .gives = i % 2, .align_arg = 1 };
		const char *why = "not said";

		if (i % 16 == 0)
			fill_heap();
		int err = arch_forwards(&host, &f, &why);
		assert_true(err ? err == -ENOTSUP && why : !why);
		forwarders += !err;
	}
	assert_true(forwarders > 0 && forwarders < 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators_new_that_pass_on_are_forwarders),
		cmocka_unit_test(operators_new_that_do_more_are_none),
		cmocka_unit_test(a_loop_without_end_is_looked_at_once),
		cmocka_unit_test(what_catches_exceptions_is_followed_there),
		cmocka_unit_test(operators_delete_that_pass_on_are_forwarders),
		cmocka_unit_test(operators_delete_that_do_more_are_none),
		cmocka_unit_test(any_bytes_are_judged_in_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
