/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions can have a jump in the place of their first instructions, by their bytes;
 * test_arch_x86_64_patch_run.c runs them. */
#include "unit/unit.h"
#include "lib/random.h"
#include "arch/patch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AT    0x200000000000u
#define AMONG(what) what " among its first instructions"
#define TAKEN AMONG("somebody else's breakpoint is")
#define BACK "a branch leads back to its first instructions"
#define FAR "its first instructions name something too far away"
#define NO_CODE "its first bytes are no instructions"
#define NOPS8 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90

/* A copy that ends where memory ends: sanitizers see who reads on. */
static int plan_of(const uint8_t *code, size_t len, uint64_t size, struct arch_patch *p,
		   const char **why)
{
	uint8_t *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, code, len);
	*why = NULL;
	int err = arch_patch_plan(copy, len, size, p, why);
	free(copy);
	return err;
}

struct taken {
	const char *what;
	uint8_t skip, size, n, slot; /* slot: the bytes it takes, the near jump back included */
	uint8_t code[32];
};

static const struct taken taken[] = {
	{ "push; push; sub", 0, 7, 3, 12, { 0x41, 0x54, 0x55, 0x48, 0x83, 0xec, 0x18, NOPS8 } },
	{ "endbr64 stays", 4, 7, 3, 12,
	  { 0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x54, 0x55, 0x48, 0x83, 0xec, 0x18, NOPS8 } },
	{ "five of one byte", 0, 5, 5, 10, { 0x55, 0x53, 0x50, 0x51, 0x52, NOPS8 } },
	{ "four of one, and movabs", 0, 14, 5, 19,
	  { 0x55, 0x53, 0x50, 0x51, 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, NOPS8 } },
	{ "mov of 5 bytes alone", 0, 5, 1, 10, { 0xb8, 1, 2, 3, 4, NOPS8 } },
	{ "mov 0x100(%rip),%rax", 0, 7, 1, 12, { 0x48, 0x8b, 0x05, 0, 1, 0, 0, NOPS8 } },
	{ "cmpb $5,0x100(%rip)", 0, 7, 1, 12, { 0x80, 0x3d, 0, 1, 0, 0, 5, NOPS8 } },
	{ "test; je that leads on, short", 0, 5, 2, 14, { 0x48, 0x85, 0xff, 0x74, 0x05, NOPS8 } },
	{ "test; je to where the bytes end", 0, 5, 2, 14, { 0x48, 0x85, 0xff, 0x74, 0x00, NOPS8 } },
	{ "test; je away, near", 0, 9, 2, 14, { 0x48, 0x85, 0xff, 0x0f, 0x84, 0, 0, 0, 1, NOPS8 } },
	{ "test; je before the function", 0, 5, 2, 14, { 0x48, 0x85, 0xff, 0x74, 0x80, NOPS8 } },
	{ "two je, and the longest instruction", 0, 19, 3, 32,
	  { 0x74, 0x30, 0x74, 0x30, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0,
	    0, 0, 0, 0, NOPS8 } },
	{ "jmp as the last", 0, 5, 2, 13, { 0x48, 0x89, 0xf7, 0xeb, 0x05, NOPS8 } },
	{ "jmp alone", 0, 5, 1, 10, { 0xe9, 0, 0, 0, 1 } },
	{ "bnd jmp alone", 0, 6, 1, 10, { 0xf2, 0xe9, 0, 0, 0, 1 } },
	{ "jmp *0x100(%rip) alone", 0, 6, 1, 11, { 0xff, 0x25, 0, 1, 0, 0 } },
	{ "xor; ret as the last", 0, 5, 3, 10, { 0x31, 0xc0, 0x31, 0xd2, 0xc3 } },
	{ "a call of itself, behind the bytes", 0, 5, 1, 10,
	  { 0xb8, 1, 2, 3, 4, 0xe8, 0xf6, 0xff, 0xff, 0xff } },
	{ "a branch to where the bytes end", 0, 5, 1, 10, { 0xb8, 1, 2, 3, 4, 0x90, 0x75, 0xfd } },
	{ "jmp *%rax as the last", 0, 5, 2, 10, { 0x48, 0x89, 0xf8, 0xff, 0xe0 } },
};

struct refused {
	const char *what;
	int err;
	const char *why;
	uint8_t size;
	uint8_t code[32];
};

static const struct refused refused[] = {
	{ "a call", -ENOTSUP, AMONG("a call"), 9, { 0x53, 0xe8, 0, 1, 0, 0, 0x5b, 0xc3, 0x90 } },
	{ "an indirect call", -ENOTSUP, AMONG("a call"), 9,
	  { 0x53, 0x53, 0xff, 0x15, 0, 1, 0, 0, 0xc3 } },
	{ "a call that fills the bytes", -ENOTSUP, AMONG("a call"), 9,
	  { 0x53, 0x53, 0x53, 0xff, 0xd0, 0x5b, 0x5b, 0x5b, 0xc3 } },
	{ "a return that comes too early", -ENOTSUP, AMONG("a return"), 8,
	  { 0x31, 0xc0, 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90 } },
	{ "a jump that comes too early", -ENOTSUP, AMONG("a jump"), 8,
	  { 0xeb, 0x10, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 } },
	{ "an indirect jump that comes too early", -ENOTSUP, AMONG("a jump"), 8,
	  { 0xff, 0xe0, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 } },
	{ "loop", -ENOTSUP, AMONG("a loop"), 8,
	  { 0x90, 0xe2, 0x10, 0x90, 0x90, 0x90, 0x90, 0x90 } },
	{ "loopne", -ENOTSUP, AMONG("a loop"), 8,
	  { 0x90, 0xe0, 0x10, 0x90, 0x90, 0x90, 0x90, 0x90 } },
	{ "jrcxz", -ENOTSUP, AMONG("a loop"), 8,
	  { 0x90, 0xe3, 0x10, 0x90, 0x90, 0x90, 0x90, 0x90 } },
	{ "jecxz", -ENOTSUP, AMONG("a loop"), 8,
	  { 0x67, 0xe3, 0x10, 0x90, 0x90, 0x90, 0x90, 0x90 } },
	{ "xbegin", -ENOTSUP, AMONG("a transaction"), 8, { 0xc7, 0xf8, 0, 1, 0, 0, 0x90, 0x90 } },
	{ "syscall", -ENOTSUP, AMONG("a system call"), 8,
	  { 0x31, 0xc0, 0x0f, 0x05, 0x90, 0x90, 0x90, 0xc3 } },
	{ "sysenter", -ENOTSUP, AMONG("a system call"), 8,
	  { 0x31, 0xc0, 0x0f, 0x34, 0x90, 0x90, 0x90, 0xc3 } },
	{ "int $0x80", -ENOTSUP, AMONG("a system call"), 8,
	  { 0x31, 0xc0, 0xcd, 0x80, 0x90, 0x90, 0x90, 0xc3 } },
	{ "int3 at the beginning", -EBUSY, TAKEN, 8, { 0xcc, NOPS8 } },
	{ "int3 behind endbr64", -EBUSY, TAKEN, 13, { 0xf3, 0x0f, 0x1e, 0xfa, 0xcc, NOPS8 } },
	{ "int3 further on", -EBUSY, TAKEN, 8, { 0x90, 0x90, 0x90, 0xcc, NOPS8 } },
	{ "not an instruction", -EILSEQ, NO_CODE, 8, { 0x06, NOPS8 } },
	{ "not an instruction further on", -EILSEQ, NO_CODE, 8, { 0x90, 0x06, NOPS8 } },
	{ "an instruction that is longer than the function", -EILSEQ, NO_CODE, 4,
	  { 0xb8, 1, 2, 3, 4, NOPS8 } },
	{ "shorter than the jump", -ENOTSUP, "too short for a jump", 4, { NOPS8 } },
	{ "shorter than the jump behind endbr64", -ENOTSUP, "too short for a jump", 8,
	  { 0xf3, 0x0f, 0x1e, 0xfa, NOPS8 } },
	{ "nothing but endbr64", -ENOTSUP, "too short for a jump", 4,
	  { 0xf3, 0x0f, 0x1e, 0xfa, NOPS8 } },
	{ "size unknown", -ENOTSUP, "nobody tells how long it is", 0, { NOPS8 } },
	{ "cut off", -ENOTSUP, "not all of its code can be read", 33, { NOPS8 } },
	{ "what lies 2 GiB away", -ERANGE, FAR, 10,
	  { 0x48, 0x8b, 0x05, 0xff, 0xff, 0xff, 0x7f, 0x90, 0x90, 0xc3 } },
	{ "what lies 2 GiB back", -ERANGE, FAR, 10,
	  { 0x48, 0x8b, 0x05, 0x00, 0x00, 0x00, 0x80, 0x90, 0x90, 0xc3 } },
	{ "a branch over 2 GiB", -ERANGE, FAR, 10,
	  { 0x0f, 0x84, 0xff, 0xff, 0xff, 0x7f, 0x90, 0x90, 0x90, 0xc3 } },
	{ "a branch with an operand size", -ENOTSUP, AMONG("an oddly prefixed branch"), 10,
	  { 0x66, 0x0f, 0x84, 0, 1, 0, 0, 0x90, 0x90, 0xc3 } },
	{ "a loop back to the second instruction", -ENOTSUP, BACK, 10,
	  { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x75, 0xf9, 0x90, 0xc3 } },
	{ "a near branch into the bytes", -ENOTSUP, BACK, 16,
	  { 0xb8, 1, 2, 3, 4, 0x90, 0x90, 0x0f, 0x85, 0xf7, 0xff, 0xff, 0xff, 0x90, 0x90, 0xc3 } },
	{ "a jump into the bytes", -ENOTSUP, BACK, 10,
	  { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xeb, 0xfc, 0x90, 0xc3 } },
	{ "a call into the bytes", -ENOTSUP, BACK, 16,
	  { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xe8, 0xf6, 0xff, 0xff, 0xff, 0x90, 0x90, 0x90,
	    0x90, 0xc3 } },
	{ "loop into the bytes", -ENOTSUP, BACK, 10,
	  { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xe2, 0xf9, 0x90, 0xc3 } },
	{ "a branch within the bytes", -ENOTSUP, BACK, 10,
	  { 0x74, 0x01, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3 } },
	{ "a branch to what is left of the last one", -ENOTSUP, BACK, 10,
	  { 0x55, 0x53, 0x48, 0x83, 0xec, 0x18, 0x75, 0xfd, 0x90, 0xc3 } },
	{ "a loop back to the first instruction", -ENOTSUP, BACK, 10,
	  { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x75, 0xf8, 0x90, 0xc3 } },
	{ "a loop back to endbr64", -ENOTSUP, BACK, 14,
	  { 0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x75, 0xf4, 0x90, 0xc3 } },
	{ "a loop back behind endbr64", -ENOTSUP, BACK, 14,
	  { 0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x75, 0xf8, 0x90, 0xc3 } },
	{ "a branch back behind data", -ENOTSUP, BACK, 12,
	  { 0x90, 0x90, 0x90, 0x90, 0x90, 0x06, 0xb8, 0x75, 0xfa, 0x90, 0x90, 0xc3 } },
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static size_t bytes_of(const struct taken *t)
{
	size_t n = sizeof t->code;

	while (n > 1 && !t->code[n - 1])
		n--;
	return n < (size_t)t->skip + t->size ? (size_t)t->skip + t->size : n;
}

static void whole_instructions_are_taken_until_a_jump_has_room(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(taken); i++) {
		const struct taken *t = &taken[i];
		struct arch_patch p;
		const char *why;
		uint8_t out[ARCH_PATCH_SLOT];

		if (plan_of(t->code, sizeof t->code, bytes_of(t), &p, &why))
			fail_msg("%s: %s", t->what, why);
		if (p.skip != t->skip || p.size != t->size || p.n != t->n)
			fail_msg("%s: skips %d, takes %d bytes, %d instructions", t->what, p.skip,
				 p.size, p.n);
		assert_memory_equal(p.own, t->code + t->skip, t->size);
		assert_int_equal(arch_patch_place(&p, AT), AT + t->skip);
		assert_int_equal(arch_patch_slot(&p, AT, AT + 0x1000, out), t->slot);
	}
}

static void what_cannot_be_moved_is_refused_with_its_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++) {
		const struct refused *r = &refused[i];
		struct arch_patch p;
		const char *why;
		int err = plan_of(r->code, sizeof r->code, r->size, &p, &why);

		if (err != r->err || !why || strcmp(why, r->why))
			fail_msg("%s: %d, %s", r->what, err, err ? why : "");
	}
}

static void a_function_of_more_than_a_mebibyte_is_not_looked_through(void **state)
{
	size_t n = ARCH_PATCH_BODY + 1;
	uint8_t *code = malloc(n);
	struct arch_patch p;
	const char *why = NULL;

	(void)state;
	assert_non_null(code);
	memset(code, 0x90, n);
	assert_int_equal(arch_patch_plan(code, n, n - 1, &p, &why), 0);
	assert_int_equal(arch_patch_plan(code, n, n, &p, &why), -ENOTSUP);
	assert_string_equal(why, "longer than a mebibyte");
	free(code);
}

/* ---- slots ---- */

/* test %rdi,%rdi; je @distance: the slot at AT + 0x1000 */
static void assert_branch_moved(uint8_t distance, const uint8_t slot[14])
{
	const uint8_t code[] = { 0x48, 0x85, 0xff, 0x74, distance, NOPS8 };
	struct arch_patch p;
	const char *why;
	uint8_t out[ARCH_PATCH_SLOT];

	assert_int_equal(plan_of(code, sizeof code, sizeof code, &p, &why), 0);
	assert_int_equal(arch_patch_slot(&p, AT, AT + 0x1000, out), 14);
	assert_memory_equal(out, slot, 14);
}

static void branches_lead_from_the_slot_where_they_led_before(void **state)
{
	(void)state;
	assert_branch_moved(0x05, (uint8_t[]){ 0x48, 0x85, 0xff, 0x0f, 0x84, 0x01, 0xf0, 0xff, 0xff,
					       0xe9, 0xf7, 0xef, 0xff, 0xff });
	assert_branch_moved(0x80, (uint8_t[]){ 0x48, 0x85, 0xff, 0x0f, 0x84, 0x7c, 0xef, 0xff, 0xff,
					       0xe9, 0xf7, 0xef, 0xff, 0xff });
}

static void a_slot_within_reach_serves_every_plan_and_a_far_one_what_names_nothing(void **state)
{
	static const int64_t distances[] = { ARCH_PATCH_REACH, -(int64_t)ARCH_PATCH_REACH };
	unsigned far = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(taken); i++)
		for (size_t j = 0; j < COUNT(distances); j++) {
			struct arch_patch p;
			const char *why;
			uint8_t out[ARCH_PATCH_SLOT];

			assert_int_equal(plan_of(taken[i].code, sizeof taken[i].code,
						 bytes_of(&taken[i]), &p, &why),
					 0);
			assert_int_equal(arch_patch_slot(&p, AT, AT + (uint64_t)distances[j], out),
					 taken[i].slot);
			int n = arch_patch_slot(&p, AT, AT + 8 * (uint64_t)distances[j], out);
			assert_true(n == -ERANGE ||
				    (n >= taken[i].slot + 9 && n <= taken[i].slot + 9 + 7));
			far += n > 0;
		}
	/* those that have neither a direct branch nor a distance in them */
	assert_int_equal(far, 2 * 9);
}

/* The largest distances that a plan accepts, with the slot on the other side. */
static void what_is_just_near_enough_for_a_plan_is_so_for_its_slot(void **state)
{
	unsigned planned = 0;

	(void)state;
	for (int64_t d = (int64_t)ARCH_PATCH_REACH - 200; d < (int64_t)ARCH_PATCH_REACH + 200; d++)
		for (int side = -1; side <= 1; side += 2) {
			uint8_t code[8] = { 0x48, 0x8b, 0x05 }, out[ARCH_PATCH_SLOT];
			int32_t distance = (int32_t)(side * d);
			struct arch_patch p;
			const char *why;

			memcpy(code + 3, &distance, sizeof distance);
			if (plan_of(code, sizeof code, sizeof code, &p, &why)) {
				assert_string_equal(
					why, FAR);
				continue;
			}
			planned++;
			assert_in_range(arch_patch_slot(&p, AT, AT - side * ARCH_PATCH_REACH, out),
					12, 12);
		}
	assert_in_range(planned, 100, 700);
}

static void a_jump_reaches_two_gibibytes(void **state)
{
	static const uint8_t forward[] = { 0xe9, 0xff, 0xff, 0xff, 0x7f },
			     back[] = { 0xe9, 0, 0, 0, 0x80 };
	uint8_t out[ARCH_PATCH_JUMP];

	(void)state;
	assert_int_equal(arch_patch_jump(AT, AT + 5 + 0x7fffffff, out), 0);
	assert_memory_equal(out, forward, sizeof forward);
	assert_int_equal(arch_patch_jump(AT, AT + 5 - 0x80000000u, out), 0);
	assert_memory_equal(out, back, sizeof back);
	assert_int_equal(arch_patch_jump(AT, AT + 5 + 0x80000000u, out), -ERANGE);
	assert_int_equal(arch_patch_jump(AT, AT + 5 - 0x80000001u, out), -ERANGE);
}

/* ---- threads in the bytes ---- */

static void a_pc_behind_the_first_instruction_goes_to_its_copy_and_back(void **state)
{
	/* endbr64; test %rdi,%rdi; je; 8 bytes more */
	static const uint8_t code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x48,
					0x85, 0xff, 0x74, 0x05, NOPS8 };
	const taddr slot = AT + 0x1000;
	struct arch_patch p;
	const char *why;

	(void)state;
	assert_int_equal(plan_of(code, sizeof code, sizeof code, &p, &why), 0);
	for (unsigned offset = 0; offset < sizeof code; offset++) {
		taddr pc = AT + offset;
		int moved = arch_patch_pc(&p, AT, slot, &pc);

		if (offset <= 4 || offset >= 9) {
			assert_int_equal(moved,
					 0); /* before the jump, at it, and behind the bytes */
			assert_int_equal(pc, AT + offset);
		} else if (offset == 7) {
			assert_int_equal(moved, 1);
			assert_int_equal(pc, slot + 3);
		} else {
			assert_int_equal(moved, -EILSEQ);
			assert_int_equal(pc, AT + offset);
		}
	}
	static const struct {
		uint8_t at, to;
	} back[] = { { 0, 4 }, { 3, 7 }, { 9, 9 } };
	for (unsigned offset = 0; offset < 16; offset++) {
		taddr pc = slot + offset;
		int moved = arch_patch_pc_back(&p, AT, slot, &pc);
		unsigned i = 0;

		while (i < COUNT(back) && back[i].at != offset)
			i++;
		if (i < COUNT(back))
			assert_int_equal(pc, AT + back[i].to);
		assert_int_equal(moved, i < COUNT(back) ? 1 : offset < 9 ? -EILSEQ : 0);
	}
	taddr before = slot - 1;
	assert_int_equal(arch_patch_pc_back(&p, AT, slot, &before), 0);
}

/* ---- untrusted bytes ---- */

static void whatever_the_bytes_are_the_plan_stays_within_them(void **state)
{
	static const uint8_t likely[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x41,
					 0x74, 0x75, 0xeb, 0xe9, 0x66, 0x67};
	unsigned planned = 0;

	(void)state;
	random_state = 21;
	for (int i = 0; i < 300000; i++) {
		uint8_t code[64], out[ARCH_PATCH_SLOT];
		size_t len = random_below(sizeof code + 1);
		uint64_t size = random_below(8) ? len : random_word();
		struct arch_patch p;
		const char *why;

		for (size_t k = 0; k < sizeof code; k++)
			code[k] = random_below(3) ? (uint8_t)random_word()
						  : likely[random_below(sizeof likely)];
		if (!random_below(4))
			memcpy(code, likely, 4);
		int err = plan_of(code, len, size, &p, &why);
		if (err) {
			assert_non_null(why);
			continue;
		}
		planned++;
		assert_in_range(p.size, ARCH_PATCH_JUMP, ARCH_PATCH_MOVED);
		assert_in_range(p.n, 1, ARCH_PATCH_INSNS);
		assert_in_range(p.skip + p.size, ARCH_PATCH_JUMP, len);
		assert_int_equal(p.insn[p.n].from, p.size);
		assert_memory_equal(p.own, code + p.skip, p.size);
		assert_in_range(arch_patch_slot(&p, AT, AT - ARCH_PATCH_REACH, out),
				2 * ARCH_PATCH_JUMP, ARCH_PATCH_SLOT);
	}
	assert_in_range(planned, 10000, 290000);
}

static void what_is_left_of_a_jump_is_taken_out(void **state)
{
	static const uint8_t own[] = { 0x41, 0x54, 0x55, 0x53, 0x48 };
	/* The last byte is the same. */
	static const uint8_t jump[] = { 0xe9, 0x10, 0x20, 0x30, 0x48 };
	uint8_t now[ARCH_PATCH_JUMP];

	(void)state;
	memcpy(now, jump, sizeof now);
	assert_true(arch_patch_restore(own, jump, now));
	assert_memory_equal(now, own, sizeof now);
	/* A uprobe has been there, and has gone. */
	memcpy(now, jump, sizeof now);
	now[0] = own[0];
	assert_true(arch_patch_restore(own, jump, now));
	assert_memory_equal(now, own, sizeof now);
	/* It is still there. */
	memcpy(now, jump, sizeof now);
	now[0] = 0xcc;
	assert_true(arch_patch_restore(own, jump, now));
	assert_int_equal(now[0], 0xcc);
	assert_memory_equal(now + 1, own + 1, sizeof now - 1);
	/* There is nothing of ours, or something else. */
	memcpy(now, own, sizeof now);
	assert_false(arch_patch_restore(own, jump, now));
	now[0] = 0xcc;
	assert_false(arch_patch_restore(own, jump, now));
	for (size_t i = 0; i < sizeof now; i++) {
		memcpy(now, jump, sizeof now);
		now[i] ^= 0x80;
		assert_false(arch_patch_restore(own, jump, now));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	cmocka_unit_test(whole_instructions_are_taken_until_a_jump_has_room),
	cmocka_unit_test(what_cannot_be_moved_is_refused_with_its_reason),
	cmocka_unit_test(a_function_of_more_than_a_mebibyte_is_not_looked_through),
	cmocka_unit_test(branches_lead_from_the_slot_where_they_led_before),
	cmocka_unit_test( a_slot_within_reach_serves_every_plan_and_a_far_one_what_names_nothing),
	cmocka_unit_test(what_is_just_near_enough_for_a_plan_is_so_for_its_slot),
	cmocka_unit_test(a_jump_reaches_two_gibibytes),
	cmocka_unit_test(a_pc_behind_the_first_instruction_goes_to_its_copy_and_back),
	cmocka_unit_test(what_is_left_of_a_jump_is_taken_out),
	cmocka_unit_test(whatever_the_bytes_are_the_plan_stays_within_them),
	};

	return cmocka_run_group_tests_name("arch_patch", tests, NULL, NULL);
}
