/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding and moving instructions, by their bytes; test_arch_x86_64_cpu.c runs them. */
#include "unit/unit.h"
#include "lib/random.h"
#include "arch/arch.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT 0x200000000000u	/* where instructions stand that are only looked at */
#define SET_SIZE 262144u		/* a power of two */

struct known {
	const char *what;
	enum arch_insn_how how;
	uint8_t size, displacement;
	uint8_t bytes[ARCH_INSN_MAX];
};

static const struct known known[] = {
	/* first instructions of allocators, and what compilers put behind a call of one */
	{ "push %rbp", ARCH_COPY, 1, 0, { 0x55 } },
	{ "push %r12", ARCH_COPY, 2, 0, { 0x41, 0x54 } },
	{ "endbr64", ARCH_EMULATE, 4, 0, { 0xf3, 0x0f, 0x1e, 0xfa } },
	{ "test %rdi,%rdi", ARCH_EMULATE, 3, 0, { 0x48, 0x85, 0xff } },
	{ "test %eax,%eax", ARCH_EMULATE, 2, 0, { 0x85, 0xc0 } },
	{ "test %al,%al", ARCH_COPY, 2, 0, { 0x84, 0xc0 } },
	{ "test %ax,%ax", ARCH_COPY, 3, 0, { 0x66, 0x85, 0xc0 } },
	{ "test %rax,(%rdi)", ARCH_COPY, 3, 0, { 0x48, 0x85, 0x07 } },
	{ "mov %rax,%rbx", ARCH_EMULATE, 3, 0, { 0x48, 0x89, 0xc3 } },
	{ "mov %rbx,%rax (the other form)", ARCH_EMULATE, 3, 0, { 0x48, 0x8b, 0xc3 } },
	{ "mov %eax,%r8d", ARCH_EMULATE, 3, 0, { 0x41, 0x89, 0xc0 } },
	{ "mov %ax,%bx", ARCH_COPY, 3, 0, { 0x66, 0x89, 0xc3 } },
	{ "mov %rax,8(%rsp)", ARCH_COPY, 5, 0, { 0x48, 0x89, 0x44, 0x24, 0x08 } },
	{ "mov (%rax),%rax", ARCH_COPY, 3, 0, { 0x48, 0x8b, 0x00 } },
	{ "sub $24,%rsp", ARCH_COPY, 4, 0, { 0x48, 0x83, 0xec, 0x18 } },
	{ "add $8,%rsp", ARCH_COPY, 4, 0, { 0x48, 0x83, 0xc4, 0x08 } },
	{ "leave", ARCH_COPY, 1, 0, { 0xc9 } },
	{ "ret", ARCH_COPY, 1, 0, { 0xc3 } },
	{ "nop", ARCH_COPY, 1, 0, { 0x90 } },
	{ "ud2", ARCH_COPY, 2, 0, { 0x0f, 0x0b } },
	{ "movabs $imm64,%rax", ARCH_COPY, 10, 0, { 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 } },
	/* relative to the pc */
	{ "mov 0x100(%rip),%rax", ARCH_COPY_RELATIVE, 7, 3, { 0x48, 0x8b, 0x05, 0, 1 } },
	{ "lea 0x100(%rip),%rdi", ARCH_COPY_RELATIVE, 7, 3, { 0x48, 0x8d, 0x3d, 0, 1 } },
	{ "cmpb $5,0x100(%rip)", ARCH_COPY_RELATIVE, 7, 2, { 0x80, 0x3d, 0, 1, 0, 0, 5 } },
	{ "cmpq $5,0x100(%rip)", ARCH_COPY_RELATIVE, 8, 3, { 0x48, 0x83, 0x3d, 0, 1, 0, 0, 5 } },
	{ "movl $imm32,0x100(%rip)", ARCH_COPY_RELATIVE, 10, 2,
	  { 0xc7, 0x05, 0, 1, 0, 0, 1, 2, 3, 4 } },
	{ "push 0x100(%rip)", ARCH_COPY_RELATIVE, 6, 2, { 0xff, 0x35, 0, 1 } },
	{ "movups 0x100(%rip),%xmm0", ARCH_COPY_RELATIVE, 7, 3, { 0x0f, 0x10, 0x05, 0, 1 } },
	/* jumps and calls */
	{ "jmp rel32", ARCH_EMULATE, 5, 0, { 0xe9, 0, 1 } },
	{ "jmp rel8", ARCH_EMULATE, 2, 0, { 0xeb, 0x10 } },
	{ "call rel32", ARCH_EMULATE, 5, 0, { 0xe8, 0, 1 } },
	{ "je rel8", ARCH_EMULATE, 2, 0, { 0x74, 0x10 } },
	{ "jne rel32", ARCH_EMULATE, 6, 0, { 0x0f, 0x85, 0, 1 } },
	{ "jmp *%rax", ARCH_COPY, 2, 0, { 0xff, 0xe0 } },
	{ "jmp *8(%rax)", ARCH_COPY, 3, 0, { 0xff, 0x60, 0x08 } },
	{ "call *%rax", ARCH_STEP, 2, 0, { 0xff, 0xd0 } },
	{ "call *0x100(%rip)", ARCH_STEP, 6, 0, { 0xff, 0x15, 0, 1 } },
	{ "notrack jmp *%rax", ARCH_COPY, 3, 0, { 0x3e, 0xff, 0xe0 } },
	{ "jrcxz", ARCH_STEP, 2, 0, { 0xe3, 0x10 } },
	{ "loop", ARCH_STEP, 2, 0, { 0xe2, 0x10 } },
	{ "xbegin", ARCH_STEP, 6, 0, { 0xc7, 0xf8, 0, 1 } },
	/* the kernel sees where they are */
	{ "syscall", ARCH_STEP, 2, 0, { 0x0f, 0x05 } },
	{ "sysenter", ARCH_STEP, 2, 0, { 0x0f, 0x34 } },
	{ "int $0x80", ARCH_STEP, 2, 0, { 0xcd, 0x80 } },
	{ "int3", ARCH_STEP, 1, 0, { 0xcc } },
};

#define N_KNOWN (sizeof known / sizeof *known)

/* The bytes behind an instruction do not matter. */
static void every_kind_of_instruction_is_told_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_KNOWN; i++) {
		uint8_t code[2 * ARCH_INSN_MAX];
		struct arch_insn insn;

		memset(code, 0xcc, sizeof code);
		memcpy(code, known[i].bytes, known[i].size);
		if (arch_decode(code, sizeof code, &insn) || insn.size != known[i].size ||
		    insn.how != known[i].how)
			fail_msg("%s: %d bytes, how %d", known[i].what, insn.size, insn.how);
		assert_memory_equal(insn.bytes, known[i].bytes, insn.size);
		if (insn.how == ARCH_COPY_RELATIVE)
			assert_int_equal(insn.displacement, known[i].displacement);
	}
}

static void an_instruction_cut_by_the_end_of_the_mapping_is_none(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_KNOWN; i++) {
		struct arch_insn insn;

		assert_int_equal(arch_decode(known[i].bytes, known[i].size, &insn), 0);
		for (size_t len = 0; len < known[i].size; len++) {
			uint8_t *end = malloc(len + 1); /* sanitizers see who reads on */

			assert_non_null(end);
			memcpy(end, known[i].bytes, len);
			assert_int_equal(arch_decode(end, len, &insn), -EILSEQ);
			free(end);
		}
	}
}

static void what_is_no_instruction_is_refused(void **state)
{
	static const uint8_t bad[][ARCH_INSN_MAX] = {
		{ 0x06 },		/* push %es: not in 64-bit mode */
		{ 0x0f, 0x0a },
		{ 0xd6 },
		{ 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
		  0x66,
		  0x66 },	/* nothing but prefixes */
		{ 0xf0, 0x90 },	/* lock nop */
	};
	struct arch_insn insn;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(arch_decode(bad[i], sizeof bad[i], &insn), -EILSEQ);
}

static void whatever_the_bytes_are_the_answer_stays_within_them(void **state)
{
	(void)state;
	random_state = 1;
	for (int i = 0; i < 300000; i++) {
		uint64_t bytes[2] = { random_word(), random_word() };
		size_t len = random_word() % (ARCH_INSN_MAX + 1);
		struct arch_insn insn;
		uint8_t out[ARCH_SLOT_MAX];
		int err = arch_decode((const uint8_t *)bytes, len, &insn);

		if (err) {
			assert_int_equal(err, -EILSEQ);
			continue;
		}
		assert_in_range(insn.size, 1, len);
		assert_in_range(insn.how, ARCH_EMULATE, ARCH_STEP);
		if (insn.how == ARCH_COPY_RELATIVE)
			assert_true(insn.displacement && insn.displacement + 4 <= insn.size);
		assert_in_range(arch_relocate(&insn, AT, AT + 0x10000, out), insn.size + 5u,
				ARCH_SLOT_MAX);
	}
}

/* ---- moving ---- */

struct decoded {
	ZydisDecodedInstruction z;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	char text[256];
};

/* An instruction as Zydis writes it when it stands at @at: addresses in it are absolute. */
static bool decode_text(const uint8_t *code, size_t len, taddr at, struct decoded *d)
{
	static ZydisDecoder decoder;
	static ZydisFormatter formatter;
	static bool ready;

	if (!ready) {
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
		ready = true;
	}
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, len, &d->z, d->operands)) &&
	       ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &d->z, d->operands,
							    d->z.operand_count_visible, d->text,
							    sizeof d->text, at, NULL));
}

/* Where the jump in @code leads. */
static taddr jump_target(const uint8_t *code, size_t len, taddr at)
{
	struct decoded d;
	int32_t near;
	taddr far;

	assert_true(decode_text(code, len, at, &d));
	assert_int_equal(d.z.length, len == 5 ? 5 : 6);
	if (code[0] == 0xe9) {
		assert_int_equal(len, 5);
		memcpy(&near, code + 1, sizeof near);
		return at + 5 + (uint64_t)(int64_t)near;
	}
	/* The address is behind all else, and where alignment checks let it be read. */
	const uint8_t padding = code[2];

	assert_int_equal(len, 14 + padding);
	assert_memory_equal(code, ((uint8_t[]){ 0xff, 0x25, padding, 0, 0, 0 }), 6);
	assert_in_range(padding, 0, 7);
	assert_int_equal((at + 6 + padding) % sizeof far, 0);
	memcpy(&far, code + 6 + padding, sizeof far);
	return far;
}

/* The same instruction, told from its new place, and then back behind the old one. */
static void assert_moved_well(const struct arch_insn *i, taddr at, taddr slot)
{
	uint8_t out[ARCH_SLOT_MAX];
	struct decoded was, is;
	int n = arch_relocate(i, at, slot, out);

	assert_in_range(n, i->size + 5, ARCH_SLOT_MAX);
	assert_true(decode_text(i->bytes, i->size, at, &was));
	assert_true(decode_text(out, (size_t)n, slot, &is));
	assert_int_equal(is.z.length, i->size);
	assert_string_equal(is.text, was.text);
	assert_int_equal(jump_target(out + i->size, (size_t)n - i->size, slot + i->size),
			 at + i->size);
}

static bool can_move(const struct arch_insn *i)
{
	return i->how == ARCH_COPY || i->how == ARCH_COPY_RELATIVE;
}

static void a_copy_says_the_same_from_its_slot(void **state)
{
	static const int64_t distances[] = { 64, -64, 4096, -4096, 1 << 30, -(1 << 30), 0x7ffff000,
					     -0x7ffff000 };

	(void)state;
	for (size_t i = 0; i < N_KNOWN; i++) {
		struct arch_insn insn;

		assert_int_equal(arch_decode(known[i].bytes, known[i].size, &insn), 0);
		for (size_t j = 0; can_move(&insn) && j < sizeof distances / sizeof *distances; j++)
			assert_moved_well(&insn, AT, AT + (uint64_t)distances[j]);
	}
}

static void a_slot_out_of_reach_is_refused_only_for_what_is_relative(void **state)
{
	static const int64_t distances[] = { 0x80001000ll, -0x80001000ll, 1ll << 40, -(1ll << 40) };
	uint8_t out[ARCH_SLOT_MAX];

	(void)state;
	for (size_t i = 0; i < N_KNOWN; i++) {
		struct arch_insn insn;

		assert_int_equal(arch_decode(known[i].bytes, known[i].size, &insn), 0);
		for (size_t j = 0; j < sizeof distances / sizeof *distances; j++) {
			taddr slot = AT + (uint64_t)distances[j];

			if (insn.how == ARCH_COPY)
				assert_moved_well(&insn, AT, slot);
			else if (insn.how == ARCH_COPY_RELATIVE)
				assert_int_equal(arch_relocate(&insn, AT, slot, out), -ERANGE);
		}
	}
}

/* Around the largest distance of a 32-bit displacement. */
static void reach_ends_at_exactly_two_gigabytes(void **state)
{
	uint8_t lea[] = { 0x48, 0x8d, 0x05, 0, 0, 0, 0 }, out[ARCH_SLOT_MAX];
	struct arch_insn insn;

	(void)state;
	assert_int_equal(arch_decode(lea, sizeof lea, &insn), 0);
	assert_moved_well(&insn, AT, AT - INT32_MAX);
	assert_int_equal(arch_relocate(&insn, AT, AT - INT32_MAX - 1, out), -ERANGE);
	assert_moved_well(&insn, AT, AT + (1u << 31));
	assert_int_equal(arch_relocate(&insn, AT, AT + (1u << 31) + 1, out), -ERANGE);

	/* The jump back counts from its own end, 5 bytes behind the instruction. */
	uint8_t push[] = { 0x55 };
	assert_int_equal(arch_decode(push, sizeof push, &insn), 0);
	assert_int_equal(arch_relocate(&insn, AT, AT + (1u << 31) - 5, out), 1 + 5);
	assert_moved_well(&insn, AT, AT + (1u << 31) - 5);
	assert_int_equal(arch_relocate(&insn, AT, AT + (1u << 31) - 4, out), 1 + 14 + 5);
	assert_moved_well(&insn, AT, AT + (1u << 31) - 4);
	assert_int_equal(arch_relocate(&insn, AT, AT - INT32_MAX - 5, out), 1 + 5);
	assert_int_equal(arch_relocate(&insn, AT, AT - INT32_MAX - 6, out), 1 + 14 + 6);
	assert_moved_well(&insn, AT, AT - INT32_MAX - 6);
}

static void the_longest_instruction_fits_a_slot_with_its_jump_back(void **state)
{
	/* lock xacquire cmpxchg with a segment, an address size, an index and a displacement: 15
	 * bytes */
	const uint8_t longest[] = { 0x66, 0x66, 0x66, 0x66, 0x2e, 0x67, 0xf0, 0x48, 0x81, 0x84,
				    0x8b,
				    1, 2, 3, 4, 5, 6, 7, 8 };
	const uint8_t fifteen[] = { 0x2e, 0x67, 0xf0, 0x48, 0x81, 0x84, 0x8b, 1, 2, 3, 4, 5, 6, 7,
				    8 };
	uint8_t out[ARCH_SLOT_MAX];
	struct arch_insn insn;

	(void)state;
	assert_int_equal(arch_decode(longest, sizeof longest, &insn), -EILSEQ);
	assert_int_equal(arch_decode(fifteen, sizeof fifteen, &insn), 0);
	assert_int_equal(insn.size, ARCH_INSN_MAX);
	assert_int_equal(arch_relocate(&insn, AT, AT + (1ull << 40), out), 15 + 14 + 3);
	assert_moved_well(&insn, AT, AT + (1ull << 40));
}

/* ---- real code ---- */

/* The instructions met so far. */
struct insn_set {
	struct arch_insn *v;	/* SET_SIZE slots by hash; size 0: empty */
	size_t n, moved, relative, emulated;
};

static bool is_new(struct insn_set *s, const struct arch_insn *i)
{
	uint32_t hash = 2166136261u;

	for (size_t k = 0; k < i->size; k++)
		hash = (hash ^ i->bytes[k]) * 16777619u;
	for (;; hash++) {
		struct arch_insn *there = &s->v[hash & (SET_SIZE - 1)];

		if (!there->size) {
			*there = *i;
			s->n++;
			return true;
		}
		if (there->size == i->size && !memcmp(there->bytes, i->bytes, i->size))
			return false;
	}
}

static void look_at_return(struct insn_set *s, const uint8_t *code, size_t len, taddr at)
{
	static const int64_t distances[] = { 0x1000, -0x1000, 0x3f000000, -0x3f000000 };
	struct arch_insn insn;

	if (arch_decode(code, len, &insn) || !is_new(s, &insn))
		return;
	s->emulated += insn.how == ARCH_EMULATE;
	s->relative += insn.how == ARCH_COPY_RELATIVE;
	if (!can_move(&insn))
		return;
	s->moved++;
	assert_moved_well(&insn, at, at + (uint64_t)distances[random_word() % 4]);
}

/* All of a segment's code: decoding falls back into step soon wherever it begins. */
static void look_at_code(struct insn_set *s, const uint8_t *code, size_t len, taddr at)
{
	struct decoded d;
	static ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t i = 0; i < len && s->n < SET_SIZE / 2;) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code + i, len - i,
								&d.z))) {
			i++;
			continue;
		}
		i += d.z.length;
		if (d.z.meta.category == ZYDIS_CATEGORY_CALL && i < len)
			look_at_return(s, code + i, len - i, at + i);
	}
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *set)
{
	(void)size;
	if (*info->dlpi_name && !strstr(info->dlpi_name, "/libc.so"))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		taddr at = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X)
			look_at_code(set, (const uint8_t *)(uintptr_t)at, ph->p_filesz, at);
	}
	return 0;
}

static void every_instruction_behind_a_call_of_libc_can_be_moved(void **state)
{
	struct insn_set s = { .v = calloc(SET_SIZE, sizeof *s.v) };

	(void)state;
	assert_non_null(s.v);
	random_state = 2;
	dl_iterate_phdr(look_at_module, &s);
	print_message("# %zu different, %zu copied, of them %zu relative, %zu "
		      "emulated\n", s.n, s.moved,
		      s.relative, s.emulated);
	free(s.v);
	assert_in_range(s.n, 1000, SET_SIZE / 2 - 1);
	assert_in_range(s.relative, 100, s.moved);
	assert_in_range(s.emulated, 100, s.n);
}

/* ---- the rest of a port ---- */

static void the_target_of_a_direct_call_is_told_and_of_no_other(void **state)
{
	const uint8_t forward[] = { 0xe8, 0x10, 0, 0, 0 },
		back[] = { 0xe8, 0xf0, 0xff, 0xff, 0xff };
	const uint8_t indirect[] = { 0x90, 0x90, 0x90, 0xff, 0xd0 },
		jump[] = { 0xe9, 0x10, 0, 0, 0 };

	(void)state;
	assert_int_equal(arch_direct_call_target(forward, AT), AT + 0x10);
	assert_int_equal(arch_direct_call_target(back, AT), AT - 0x10);
	assert_int_equal(arch_direct_call_target(indirect, AT), 0);
	assert_int_equal(arch_direct_call_target(jump, AT), 0);
}

static void a_call_of_any_form_is_told_by_its_end(void **state)
{
	static const struct {
		uint8_t bytes[ARCH_CALL_MAX];
		bool call;
	} ends[] = {
		{ { 0x90, 0x90, 0x90, 0x90, 0xe8, 1, 2, 3, 4 }, true },		/* call rel32 */
		{ { 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd0 }, true },			/* call *%rax */
		{ { 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xd3 }, true },		/* call *%r11 */
		/* call *0x18(%rax) */
		{ { 0, 0, 0, 0, 0, 0, 0xff, 0x50, 0x18 }, true },
		/* call *disp32(%rip) */
		{ { 0, 0, 0, 0xff, 0x15, 1, 2, 3, 4 }, true },
		/* call *disp32(%r12) */
		{ { 0, 0x41, 0xff, 0x94, 0x24, 1, 2, 3, 4 }, true },
		{ { 0x3e, 0x41, 0xff, 0x94, 0x24, 1, 2, 3, 4 }, true },		/* notrack */
		{ { 0, 0, 0, 0, 0xe9, 1, 2, 3, 4 }, false },			/* jmp */
		{ { 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0 }, false },			/* jmp *%rax */
		/* one byte behind it */
		{ { 0, 0, 0, 0xe8, 1, 2, 3, 4, 0x90 }, false },
		{ { 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc }, false },
		{ { 0x5d, 0xc3, 0x0f, 0x1f, 0x84, 0, 0, 0, 0 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (arch_ends_in_call(ends[i].bytes) != ends[i].call)
			fail_msg("row %zu", i);
}

static void arguments_result_and_stack_are_where_the_psabi_has_them(void **state)
{
	struct arch_regs r = { .user = { .rdi = 1, .rsi = 2, .rdx = 3, .rcx = 4, .r8 = 5, .r9 = 6,
					 .rax = 5, .rsp = 0x100,
					 .rip = 0x200, .rbp = 0x300 } };

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(arch_arg(&r, i), i + 1);
	assert_int_equal(arch_result(&r), 5);
	assert_int_equal(arch_sp(&r), 0x100);
	assert_int_equal(arch_pc(&r), 0x200);
	assert_int_equal(arch_return_place(&r), 0x100);
	assert_int_equal(arch_sp_after_return(&r), 0x108);
	arch_set_pc(&r, 0x201);
	assert_int_equal(arch_pc(&r), 0x201);
	arch_set_caller(&r, 0x400, 0x500);
	assert_int_equal(arch_pc(&r), 0x400);
	assert_int_equal(arch_sp(&r), 0x500);
}

/* DWARF register numbers, psABI table 3.36; 16 is the return address. */
static void registers_go_by_their_dwarf_numbers(void **state)
{
	struct arch_regs r = { .user = { .rax = 0, .rdx = 1, .rcx = 2, .rbx = 3, .rsi = 4, .rdi = 5,
					 .rbp = 6, .rsp = 7, .r8 = 8, .r9 = 9, .r10 = 10, .r11 = 11,
					 .r12 = 12, .r13 = 13, .r14 = 14, .r15 = 15, .rip = 16 } };
	uint64_t value = 99;

	(void)state;
	for (int i = 0; i <= 16; i++) {
		assert_true(arch_unwind_reg(&r, i, &value));
		assert_int_equal(value, i);
	}
	assert_false(arch_unwind_reg(&r, -1, &value));
	assert_false(arch_unwind_reg(&r, 17, &value));
	assert_false(arch_unwind_reg(&r, 1 << 30, &value));
}

/* As ld writes them. */
static void a_stub_of_a_plt_is_told_by_its_instructions(void **state)
{
	static const struct {
		uint8_t code[16];
		bool stub;
	} all[] = {
		{ { 0xff, 0x25, 1, 2, 3, 0, 0x68, 1, 0, 0, 0, 0xe9, 1, 2, 3, 4 }, true },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x68, 1, 0, 0, 0, 0xe9, 1, 2, 3, 4, 0x66, 0x90 },
		  true },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x68, 1, 0, 0, 0, 0xf2, 0xe9, 1, 2, 3, 4, 0x90 },
		  true },
		/* the first one, whose rule does not ask for the pc; and such as bind at once */
		{ { 0xff, 0x35, 1, 2, 3, 0, 0xff, 0x25, 1, 2, 3, 0, 0x0f, 0x1f, 0x40, 0 }, false },
		{ { 0xff, 0x25, 1, 2, 3, 0, 0x66, 0x90, 0xff, 0x25, 1, 2, 3, 0, 0x66, 0x90 },
		  false },
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 1, 2, 3, 0, 0x66, 0x0f, 0x1f, 0x44, 0, 0 },
		  false },
		{ { 0xff, 0x25, 1, 2, 3, 0, 0x68, 1, 0, 0, 0, 0xc3, 1, 2, 3, 4 }, false },
		{ { 0xf3, 0x0f, 0x1e, 0xfb, 0x68, 1, 0, 0, 0, 0xe9, 1, 2, 3, 4, 0x66, 0x90 },
		  false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_int_equal(arch_is_plt_stub(all[i].code), all[i].stub);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_instruction_is_told_apart),
		cmocka_unit_test(an_instruction_cut_by_the_end_of_the_mapping_is_none),
		cmocka_unit_test(what_is_no_instruction_is_refused),
		cmocka_unit_test(whatever_the_bytes_are_the_answer_stays_within_them),
		cmocka_unit_test(a_copy_says_the_same_from_its_slot),
		cmocka_unit_test(a_slot_out_of_reach_is_refused_only_for_what_is_relative),
		cmocka_unit_test(reach_ends_at_exactly_two_gigabytes),
		cmocka_unit_test(the_longest_instruction_fits_a_slot_with_its_jump_back),
		cmocka_unit_test(every_instruction_behind_a_call_of_libc_can_be_moved),
		cmocka_unit_test(the_target_of_a_direct_call_is_told_and_of_no_other),
		cmocka_unit_test(a_call_of_any_form_is_told_by_its_end),
		cmocka_unit_test(a_stub_of_a_plt_is_told_by_its_instructions),
		cmocka_unit_test(arguments_result_and_stack_are_where_the_psabi_has_them),
		cmocka_unit_test(registers_go_by_their_dwarf_numbers),
	};

	return cmocka_run_group_tests_name("arch", tests, NULL, NULL);
}
