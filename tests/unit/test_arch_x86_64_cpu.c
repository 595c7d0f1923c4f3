/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arch_emulate() and moved instructions against the real CPU: a stopped child gets registers and
 * executes one instruction at a time.
 */
#include "unit/unit.h"
#include "lib/random.h"
#include "arch/arch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Memory that the child shares, at the same addresses here and there. */
#define CODE_AT 0x200000000000u		/* a page of code, and one of data behind it */
#define DATA_AT (CODE_AT + 4096)
#define NEAR_AT (CODE_AT + 0x40000000u)	/* slots within reach of 32 bits ... */
#define FAR_AT (CODE_AT + 0x100000000u)	/* ... and not */
#define STACK_AT (DATA_AT + 2048)

enum { CF = 0x1, PF = 0x4, AF = 0x10, ZF = 0x40, SF = 0x80, OF = 0x800, ALWAYS = 0x202 };

struct cpu {
	pid_t pid;
	struct user_regs_struct start;
};

static const taddr regions[] = { CODE_AT, NEAR_AT, FAR_AT };
#define N_REGIONS (sizeof regions / sizeof *regions)

static uint8_t *memory(taddr at)
{
	return (uint8_t *)(uintptr_t)at;
}

static bool map_regions(void)
{
	for (size_t i = 0; i < N_REGIONS; i++)
		if (mmap(memory(regions[i]), 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
			return false;
	return true;
}

static int cpu_setup(void **state)
{
	struct cpu *c = calloc(1, sizeof *c);
	int status;

	if (!c || !map_regions())
		return -1;
	c->pid = fork();
	if (c->pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(1);
	}
	if (c->pid < 0 || waitpid(c->pid, &status, 0) != c->pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, c->pid, NULL, (void *)PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_GETREGS, c->pid, NULL, &c->start))
		return -1;
	c->start.orig_rax = UINT64_MAX; /* in no system call */
	c->start.eflags = ALWAYS;
	*state = c;
	return 0;
}

static int cpu_teardown(void **state)
{
	struct cpu *c = *state;

	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
	for (size_t i = 0; i < N_REGIONS; i++)
		munmap(memory(regions[i]), 8192);
	free(c);
	return 0;
}

static void step(const struct cpu *c, struct user_regs_struct *r)
{
	int status;

	assert_return_code(ptrace(PTRACE_SETREGS, c->pid, NULL, r), errno);
	assert_return_code(ptrace(PTRACE_SINGLESTEP, c->pid, NULL, NULL), errno);
	assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(WSTOPSIG(status), SIGTRAP);
	assert_return_code(ptrace(PTRACE_GETREGS, c->pid, NULL, r), errno);
}

/* ---- numbers ---- */

/* Any combination of the flags that conditions ask for, and of AF, which nobody may touch. */
static uint64_t flags_of(unsigned n)
{
	return ALWAYS | (n & 1 ? CF : 0u) | (n & 2 ? PF : 0u) | (n & 4 ? ZF : 0u) |
	       (n & 8 ? SF : 0u) | (n & 16 ? OF : 0u) | (n & 32 ? AF : 0u);
}

static unsigned long long *reg(struct user_regs_struct *u, unsigned code)
{
	unsigned long long *const in_order[] = {
		&u->rax, &u->rcx, &u->rdx, &u->rbx, &u->rsp, &u->rbp, &u->rsi, &u->rdi,
		&u->r8,	 &u->r9,  &u->r10, &u->r11, &u->r12, &u->r13, &u->r14, &u->r15,
	};

	return in_order[code];
}

static const char *const names[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
				     "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15" };

static struct user_regs_struct random_regs(const struct cpu *c)
{
	struct user_regs_struct r = c->start;

	for (unsigned i = 0; i < 16; i++)
		*reg(&r, i) = random_word();
	r.rsp = STACK_AT;
	r.rip = CODE_AT;
	r.eflags = flags_of((unsigned)random_word());
	return r;
}

/* ---- emulation ---- */

static const char *hex(const uint8_t *bytes, size_t n)
{
	static char text[3 * ARCH_INSN_MAX + 1];

	for (size_t i = 0; i < n; i++)
		snprintf(text + 3 * i, 4, "%02x ", bytes[i]);
	return text;
}

static void assert_same(struct user_regs_struct *got, struct user_regs_struct *want,
			uint64_t flags_ignored, const char *what)
{
	for (unsigned i = 0; i < 16; i++)
		if (*reg(got, i) != *reg(want, i))
			fail_msg("%s: %s is %llx, on the CPU %llx", what, names[i], *reg(got, i),
				 *reg(want, i));
	if (got->rip != want->rip)
		fail_msg("%s: pc is %llx, on the CPU %llx", what, got->rip, want->rip);
	if ((got->eflags ^ want->eflags) & ~flags_ignored)
		fail_msg("%s: flags are %llx, on the CPU %llx", what, got->eflags, want->eflags);
	assert_int_equal(got->fs_base, want->fs_base);
	assert_int_equal(got->cs, want->cs);
	assert_int_equal(got->ss, want->ss);
}

static bool is_test(const struct arch_insn *i)
{
	return i->bytes[0] == 0x85 || ((i->bytes[0] & 0xf0) == 0x40 && i->bytes[1] == 0x85);
}

/* Put an instruction at CODE_AT, int3 behind it. */
static void put_code(const uint8_t *bytes, size_t n)
{
	memset(memory(CODE_AT), 0xcc, 64);
	memcpy(memory(CODE_AT), bytes, n);
}

/* Emulate what stands at CODE_AT, run it, and compare. */
static void assert_emulated(const struct cpu *c, const struct arch_insn *insn,
			    struct user_regs_struct in)
{
	struct arch_regs mine = { in };
	uint64_t value = 0, pushed = 0x5555555555555555;
	taddr below = in.rsp - 8;
	bool push = true, stack = in.rsp == STACK_AT;

	arch_emulate(insn, CODE_AT, &mine, &push, &value);
	if (stack)
		memcpy(memory(below), &pushed, sizeof pushed);
	step(c, &in);
	/* AF is undefined after TEST: SDM volume 2B. */
	assert_same(&mine.user, &in, is_test(insn) ? AF : 0, hex(insn->bytes, insn->size));
	if (push) {
		assert_int_equal(arch_sp(&mine), below);
		pushed = value;
	}
	if (stack && memcmp(memory(below), &pushed, sizeof pushed))
		fail_msg("%s: the word below the stack pointer "
			 "differs", hex(insn->bytes, insn->size));
}

static struct arch_insn emulated(const uint8_t *bytes, size_t n)
{
	struct arch_insn insn;

	put_code(bytes, n);
	if (arch_decode(memory(CODE_AT), ARCH_INSN_MAX, &insn) || insn.size != n ||
	    insn.how != ARCH_EMULATE)
		fail_msg("%s: not emulated", hex(bytes, n));
	return insn;
}

static void conditional_jumps_do_what_the_cpu_does_under_all_flags(void **state)
{
	random_state = 11;
	for (uint8_t cc = 0; cc < 16; cc++) {
		const uint8_t forms[][6] = {
			{ 0x70 | cc, 0x10 },
			{ 0x70 | cc, 0x80 },
			{ 0x0f, 0x80 | cc, 0x10, 0x00, 0x00, 0x10 },
			{ 0x0f, 0x80 | cc, 0x00, 0x00, 0x00, 0x90 },
		};
		for (size_t f = 0; f < 4; f++) {
			struct arch_insn insn = emulated(forms[f], f < 2 ? 2 : 6);

			for (unsigned flags = 0; flags < 64; flags++) {
				struct user_regs_struct r = random_regs(*state);

				r.eflags = flags_of(flags);
				assert_emulated(*state, &insn, r);
			}
		}
	}
}

static void jumps_and_calls_go_where_the_cpu_goes(void **state)
{
	static const struct {
		uint8_t size, bytes[5];
	} forms[] = {
		{ 2, { 0xeb, 0x00 } },
		{ 2, { 0xeb, 0x7f } },
		{ 2, { 0xeb, 0x80 } },
		{ 2, { 0xeb, 0xfe } },	/* to itself */
		{ 5, { 0xe9, 0x00, 0x00, 0x00, 0x00 } },
		{ 5, { 0xe9, 0xff, 0xff, 0xff, 0x7f } },
		{ 5, { 0xe9, 0x00, 0x00, 0x00, 0x80 } },
		{ 5, { 0xe8, 0x00, 0x00, 0x00, 0x00 } },
		{ 5, { 0xe8, 0x78, 0x56, 0x34, 0x12 } },
		{ 5, { 0xe8, 0xf6, 0xff, 0xff, 0xff } },
		{ 5, { 0xe8, 0x00, 0x00, 0x00, 0x80 } },
	};

	random_state = 12;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct arch_insn insn = emulated(forms[i].bytes, forms[i].size);

		for (unsigned n = 0; n < 8; n++)
			assert_emulated(*state, &insn, random_regs(*state));
	}
}

static void endbr64_does_nothing(void **state)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct arch_insn insn = emulated(endbr64, sizeof endbr64);

	random_state = 13;
	for (unsigned n = 0; n < 16; n++)
		assert_emulated(*state, &insn, random_regs(*state));
}

/* An instruction with two registers; width 32 without a prefix where that can be. */
static size_t two_registers(uint8_t bytes[3], uint8_t opcode, unsigned reg, unsigned rm, bool wide)
{
	uint8_t rex = (uint8_t)(0x40 | (wide ? 8 : 0) | (reg >> 3) << 2 | rm >> 3);
	size_t n = 0;

	if (rex != 0x40)
		bytes[n++] = rex;
	bytes[n++] = opcode;
	bytes[n++] = (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7));
	return n;
}

static void for_all_registers(void **state, uint8_t opcode)
{
	for (unsigned n = 0; n < 16 * 16 * 2; n++) {
		uint8_t bytes[3];
		size_t size = two_registers(bytes, opcode, n & 15, n >> 4 & 15, n >> 8);
		struct arch_insn insn = emulated(bytes, size);

		assert_emulated(*state, &insn, random_regs(*state));
	}
}

static void moves_between_all_registers_are_those_of_the_cpu(void **state)
{
	random_state = 14;
	for_all_registers(state, 0x89);
	for_all_registers(state, 0x8b);
}

static void tests_of_all_registers_set_the_flags_of_the_cpu(void **state)
{
	random_state = 15;
	for_all_registers(state, 0x85);
}

static void tests_of_many_values_set_the_flags_of_the_cpu(void **state)
{
	static const uint64_t values[] = {
		0,
		1,
		2,
		3,
		0x7f,
		0x80,
		0xff,
		0x100,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x100000000,
		0x180000000,
		0x7fffffffffffffff,
		0x8000000000000000,
		0x8000000000000080,
		0xffffffff00000000,
		UINT64_MAX,
	};
	const unsigned n_values = sizeof values / sizeof *values;

	random_state = 16;
	for (unsigned wide = 0; wide < 2; wide++) {
		uint8_t bytes[3];
		struct arch_insn insn = emulated(bytes, two_registers(bytes, 0x85, 0, 3, wide));

		for (unsigned n = 0; n < n_values * n_values; n++) {
			struct user_regs_struct r = random_regs(*state);

			r.rax = values[n % n_values];
			r.rbx = values[n / n_values];
			assert_emulated(*state, &insn, r);
		}
	}
}

/* What may precede an opcode: prefixes that are ignored, that change it, or that make another
 * instruction of it. If arch_emulate() accepts an instruction, its result must be right. */
static void no_prefix_makes_the_emulation_differ_from_the_cpu(void **state)
{
	static const struct {
		uint8_t size, bytes[6];
	} bases[] = {
		{ 4, { 0xf3, 0x0f, 0x1e, 0xfa } }, { 3, { 0x0f, 0x1e, 0xfa } },
		{ 2, { 0x89, 0xc3 } },		   { 2, { 0x8b, 0xd9 } },
		{ 2, { 0x85, 0xc7 } },		   { 2, { 0xeb, 0x10 } },
		{ 5, { 0xe9, 0x10 } },		   { 5, { 0xe8, 0x10 } },
		{ 2, { 0x74, 0x10 } },		   { 6, { 0x0f, 0x85, 0x10 } },
	};
	static const uint8_t prefixes[] = { 0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x36, 0x3e,
					    0x26, 0x64, 0x65, 0x40, 0x41, 0x44, 0x45, 0x48,
					    0x49, 0x4c, 0x4d, 0x4f };
	const unsigned n_bases = sizeof bases / sizeof *bases, n = sizeof prefixes;

	random_state = 17;
	for (unsigned i = 0; i < n_bases * n * (n + 1); i++) {
		unsigned base = i % n_bases, one = i / n_bases % n, two = i / n_bases / n;
		uint8_t bytes[8];
		size_t used = 0;
		struct arch_insn insn;

		if (two < n)
			bytes[used++] = prefixes[two];
		bytes[used++] = prefixes[one];
		memcpy(bytes + used, bases[base].bytes, bases[base].size);
		put_code(bytes, used + bases[base].size);
		if (!arch_decode(memory(CODE_AT), ARCH_INSN_MAX, &insn) && insn.how == ARCH_EMULATE)
			assert_emulated(*state, &insn, random_regs(*state));
	}
}

static void whatever_is_emulated_is_what_the_cpu_does(void **state)
{
	unsigned done = 0;

	random_state = 18;
	while (done < 4000) {
		uint64_t bytes[2] = { random_word(), random_word() };
		struct arch_insn insn;

		put_code((const uint8_t *)bytes, ARCH_INSN_MAX);
		if (arch_decode(memory(CODE_AT), ARCH_INSN_MAX, &insn) || insn.how != ARCH_EMULATE)
			continue;
		assert_emulated(*state, &insn, random_regs(*state));
		done++;
	}
}

/* ---- moving ---- */

static const struct moved {
	const char *what;
	uint8_t size, bytes[ARCH_INSN_MAX];
} moved[] = {
	{ "push %rbp", 1, { 0x55 } },
	{ "pop %r12", 2, { 0x41, 0x5c } },
	{ "sub $24,%rsp", 4, { 0x48, 0x83, 0xec, 0x18 } },
	{ "mov %rax,8(%rsp)", 5, { 0x48, 0x89, 0x44, 0x24, 0x08 } },
	{ "movabs $imm64,%rax", 10, { 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ "lea 8(%rdi,%rsi,2),%rcx", 5, { 0x48, 0x8d, 0x4c, 0x77, 0x08 } },
	{ "pushf", 1, { 0x9c } },
	{ "cmove %rax,%rbx", 4, { 0x48, 0x0f, 0x44, 0xd8 } },
	{ "rep stosb, none", 2, { 0xf3, 0xaa } },
	{ "mov 0x1100(%rip),%rax", 7, { 0x48, 0x8b, 0x05, 0x00, 0x11 } },
	{ "mov %r9,0x1100(%rip)", 7, { 0x4c, 0x89, 0x0d, 0x00, 0x11 } },
	{ "lea 0x1100(%rip),%rdi", 7, { 0x48, 0x8d, 0x3d, 0x00, 0x11 } },
	{ "lea -0x20(%rip),%rdi", 7, { 0x48, 0x8d, 0x3d, 0xe0, 0xff, 0xff, 0xff } },
	{ "cmpb $0x5a,0x1100(%rip)", 7, { 0x80, 0x3d, 0x00, 0x11, 0, 0, 0x5a } },
	{ "cmpq $5,0x1100(%rip)", 8, { 0x48, 0x83, 0x3d, 0x00, 0x11, 0, 0, 5 } },
	{ "cmpl $imm32,0x1100(%rip)", 10, { 0x81, 0x3d, 0x00, 0x11, 0, 0, 1, 2, 3, 4 } },
	{ "movl $imm32,0x1100(%rip)", 10, { 0xc7, 0x05, 0x00, 0x11, 0, 0, 1, 2, 3, 4 } },
	{ "lock incq 0x1100(%rip)", 8, { 0xf0, 0x48, 0xff, 0x05, 0x00, 0x11 } },
	{ "lock cmpxchg %rcx,0x1100(%rip)", 9, { 0xf0, 0x48, 0x0f, 0xb1, 0x0d, 0x00, 0x11 } },
	{ "push 0x1100(%rip)", 6, { 0xff, 0x35, 0x00, 0x11 } },
	{ "movups 0x1100(%rip),%xmm0", 7, { 0x0f, 0x10, 0x05, 0x00, 0x11 } },
	{ "pshufd $0x1b,0x1100(%rip),%xmm3", 9,
	  { 0x66, 0x0f, 0x70, 0x1d, 0xf7, 0x10, 0, 0, 0x1b } },
	{ "ret", 1, { 0xc3 } },
	{ "ret $16", 3, { 0xc2, 0x10, 0x00 } },
	{ "jmp *%rbx", 2, { 0xff, 0xe3 } },
};

/* A state of the task: registers, vector registers, and the memory it can write to. */
struct snap {
	struct user_regs_struct regs;
	struct user_fpregs_struct fp;
	uint8_t data[4096];
};

static void snap(const struct cpu *c, struct snap *s)
{
	assert_return_code(ptrace(PTRACE_GETFPREGS, c->pid, NULL, &s->fp), errno);
	memcpy(s->data, memory(DATA_AT), sizeof s->data);
}

static void unsnap(const struct cpu *c, struct snap *s)
{
	assert_return_code(ptrace(PTRACE_SETFPREGS, c->pid, NULL, &s->fp), errno);
	memcpy(memory(DATA_AT), s->data, sizeof s->data);
}

static struct snap random_snap(const struct cpu *c)
{
	struct snap s = { .regs = random_regs(c) };
	const taddr target = CODE_AT + 0x200;

	assert_return_code(ptrace(PTRACE_GETFPREGS, c->pid, NULL, &s.fp), errno);
	for (size_t i = 0; i < sizeof s.fp.xmm_space / sizeof *s.fp.xmm_space; i++)
		s.fp.xmm_space[i] = (unsigned)random_word();
	for (size_t i = 0; i < sizeof s.data; i++)
		s.data[i] = (uint8_t)random_word();
	/* Where ret and jmp *%rbx go. */
	memcpy(s.data + (STACK_AT - DATA_AT), &target, sizeof target);
	s.regs.rbx = target;
	s.regs.rcx = 0; /* no repetition */
	return s;
}

/* Run what stands at CODE_AT in its own place, then its copy at @slot, from the same state. */
static void assert_same_in_slot(const struct cpu *c, const struct moved *m, taddr slot)
{
	struct snap before = random_snap(c), own = before, there = before;
	struct arch_insn insn;
	int n;

	put_code(m->bytes, m->size);
	assert_int_equal(arch_decode(memory(CODE_AT), ARCH_INSN_MAX, &insn), 0);
	assert_int_equal(insn.size, m->size);
	n = arch_relocate(&insn, CODE_AT, slot, memory(slot));
	if (insn.how == ARCH_COPY_RELATIVE && slot == FAR_AT) {
		assert_int_equal(n, -ERANGE);
		return;
	}
	assert_in_range(n, m->size, ARCH_SLOT_MAX);
	memset(memory(slot) + n, 0xcc, 16);

	unsnap(c, &before);
	step(c, &own.regs);
	snap(c, &own);
	unsnap(c, &before);
	there.regs.rip = slot;
	step(c, &there.regs);
	if (own.regs.rip == CODE_AT + m->size) {
		assert_int_equal(there.regs.rip, slot + m->size);
		step(c, &there.regs); /* the jump back */
	}
	snap(c, &there);
	assert_same(&there.regs, &own.regs, 0, m->what);
	if (memcmp(there.data, own.data, sizeof own.data) ||
	    memcmp(there.fp.xmm_space, own.fp.xmm_space, sizeof own.fp.xmm_space))
		fail_msg("%s: another result in the slot", m->what);
}

static void a_moved_instruction_does_what_it_does_at_its_own_place(void **state)
{
	static const taddr slots[] = { CODE_AT + 0x400, NEAR_AT, FAR_AT };

	random_state = 19;
	for (size_t i = 0; i < sizeof moved / sizeof *moved; i++)
		for (size_t j = 0; j < 3; j++)
			for (int n = 0; n < 4; n++)
				assert_same_in_slot(*state, &moved[i], slots[j]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			conditional_jumps_do_what_the_cpu_does_under_all_flags, cpu_setup,
			cpu_teardown),
		cmocka_unit_test_setup_teardown(jumps_and_calls_go_where_the_cpu_goes, cpu_setup,
						cpu_teardown),
		cmocka_unit_test_setup_teardown(endbr64_does_nothing, cpu_setup, cpu_teardown),
		cmocka_unit_test_setup_teardown(moves_between_all_registers_are_those_of_the_cpu,
						cpu_setup, cpu_teardown),
		cmocka_unit_test_setup_teardown(tests_of_all_registers_set_the_flags_of_the_cpu,
						cpu_setup, cpu_teardown),
		cmocka_unit_test_setup_teardown(tests_of_many_values_set_the_flags_of_the_cpu,
						cpu_setup, cpu_teardown),
		cmocka_unit_test_setup_teardown(no_prefix_makes_the_emulation_differ_from_the_cpu,
						cpu_setup, cpu_teardown),
		cmocka_unit_test_setup_teardown(whatever_is_emulated_is_what_the_cpu_does,
						cpu_setup, cpu_teardown),
		cmocka_unit_test_setup_teardown(
			a_moved_instruction_does_what_it_does_at_its_own_place, cpu_setup,
			cpu_teardown),
	};

	return cmocka_run_group_tests_name("arch_cpu", tests, NULL, NULL);
}
