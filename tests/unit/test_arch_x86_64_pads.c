/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pads are run with an agent that leaves garbage in every register that it may change: neither the
 * function nor its caller may be affected.
 */
#include "unit/unit.h"
#include "unit/test_arch_x86_64_run.h"
#include "lib/random.h"
#include "arch/pads.h"
#include "arch/patch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define CODE_AT 0x300000000000u
#define SLOT_AT (CODE_AT + 0x1000)
#define PAD_AT (CODE_AT + 0x2000)
#define ACTIVE_AT (CODE_AT + 0x4000)
#define STACK_AT (CODE_AT + 0x8000)
#define STACK_SIZE 0x4000
#define STACK_TOP (STACK_AT + STACK_SIZE - 1024)
#define MAP_SIZE 0xc000
#define PROBE 0x89abcdefu

/* ---- the agent ---- */

enum told_kind { TOLD_FREE, TOLD_BEGIN, TOLD_END, TOLD_ENTER };

/* What an entry of the agent was given, and what it found at sp and below. */
struct told {
	uint64_t kind, first, sp, fp, probe, fifth, own_sp;
	uint64_t ret, below[ARCH_PAD_WORDS];
};

struct told told[4];
uint64_t n_told;

void stub_free(void);
void stub_begin(void);
void stub_end(void);

/* What agent_enter answers; the rest of the register is garbage. */
uint8_t may_enter;
void stub_enter(void);
__asm__(".text\n.globl stub_enter\nstub_enter:\n"
	"mov n_told(%rip), %rax\n"
	"imul $88, %rax, %rax\n"
	"push %r10\n"
	"lea told(%rip), %r10\n"
	"add %r10, %rax\n"
	"pop %r10\n"
	"movq $3, (%rax); mov %rdi, 16(%rax)\n"
	"add $8, %rsp; mov %rsp, 48(%rax); sub $8, %rsp\n"
	"pushq (%rdi); pop 56(%rax)\n"
	"incq n_told(%rip)\n"
	"movabs $0x9999999999999900, %rax\n"
	"mov may_enter(%rip), %al\n"
	"ret\n");

/* r9, r10 and r11 are free for use; in the end all of the nine that may be changed are. */
#define STUB(name, kind) \
	".globl " name "\n" name ":\n" \
	"mov $" kind ", %r9d\n" \
	"jmp stub_common\n"

__asm__(".text\n"
	STUB("stub_free", "0") STUB("stub_begin", "1") STUB("stub_end", "2")
	"stub_common:\n"
	"mov n_told(%rip), %rax\n"
	"imul $88, %rax, %rax\n" /* sizeof(struct told) */
	"lea told(%rip), %r10\n"
	"add %r10, %rax\n"
	"mov %r9, (%rax); mov %rdi, 8(%rax); mov %rsi, 16(%rax); mov %rdx, 24(%rax)\n"
	"mov %rcx, 32(%rax); mov %r8, 40(%rax); mov %rsp, 48(%rax)\n"
	"mov (%rsi), %r10; mov %r10, 56(%rax)\n"
	"mov -8(%rsi), %r10; mov %r10, 64(%rax)\n"
	"mov -16(%rsi), %r10; mov %r10, 72(%rax)\n"
	"mov -24(%rsi), %r10; mov %r10, 80(%rax)\n"
	"incq n_told(%rip)\n"
	"movabs $0x1111111111111111, %rcx; movabs $0x2222222222222222, %rdx\n"
	"movabs $0x3333333333333333, %rsi; movabs $0x4444444444444444, %rdi\n"
	"movabs $0x5555555555555555, %r8; movabs $0x6666666666666666, %r9\n"
	"movabs $0x7777777777777777, %r10; movabs $0x8888888888888888, %r11\n"
	"movq $0, -128(%rsp)\n"
	"testb $1, n_told(%rip)\n"
	"mov $0x7f, %al\n"
	"jz 1f\n"
	"add $0x7f, %al\n" /* overflow, sign, auxiliary carry; no carry */
	"1: movabs $0x9999999999999999, %rax\n"
	"ret\n");
_Static_assert(sizeof(struct told) == 88, "as stub_common has it");

/* ---- the function ---- */

/* What it finds at its entry, and what it leaves in the registers that a call may change. */
struct run_state found, leaves;
uint64_t found_return;

void observed_function(void);

#define FOUND(reg, offset) "mov %" reg ", found+" offset "(%rip)\n"
__asm__(".text\n"
	".globl observed_function\n"
	"observed_function:\n"
	RUN_EACH(FOUND)
	"mov %rsp, found+32(%rip)\n"
	"pop found_return(%rip)\n"
	"pushf\n"
	"pop found+128(%rip)\n"
	"push found_return(%rip)\n"
	"push leaves+128(%rip)\n"
	"popf\n"
	"mov leaves(%rip), %rax; mov leaves+8(%rip), %rcx; mov leaves+16(%rip), %rdx\n"
	"mov leaves+48(%rip), %rsi; mov leaves+56(%rip), %rdi; mov leaves+64(%rip), %r8\n"
	"mov leaves+72(%rip), %r9; mov leaves+80(%rip), %r10; mov leaves+88(%rip), %r11\n"
	"ret\n");

static uint8_t *memory(taddr at)
{
	return (uint8_t *)(uintptr_t)at;
}

/* Code at CODE_AT that can be patched and goes on in @function: endbr64; nop of 5 bytes; jmp
 * *0(%rip). */
static void put_function(taddr at, void (*function)(void), struct arch_patch *p)
{
	enum { JUMP_END = 15 };
	uint8_t code[JUMP_END + sizeof(taddr)] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x1f,
						   0x44, 0,    0,    0xff, 0x25 };
	taddr to = (uintptr_t)function;
	const char *why;

	memcpy(code + JUMP_END, &to, sizeof to);
	memcpy(memory(at), code, sizeof code);
	assert_int_equal(arch_patch_plan(memory(at), JUMP_END, JUMP_END, p, &why), 0);
	assert_int_equal(p->skip, 4);
}

struct shape {
	const char *what;
	enum arch_pad_form form;
	uint8_t args[ARCH_PAD_WORDS];
	bool enters;
};

#define NO ARCH_PAD_NO_ARG
static const struct shape shapes[] = {
	{ "malloc(size)", ARCH_PAD_CALL, { 0, NO, NO }, false },
	{ "malloc(size), whose beginning is no event", ARCH_PAD_CALL, { 0, NO, NO }, true },
	{ "calloc(count, size), the same", ARCH_PAD_CALL, { 0, 1, NO }, true },
	{ "calloc(count, size)", ARCH_PAD_CALL, { 0, 1, NO }, false },
	{ "realloc(ptr, size)", ARCH_PAD_CALL, { 1, 0, NO }, false },
	{ "reallocarray(ptr, count, size)", ARCH_PAD_CALL, { 2, 1, 0 }, false },
	{ "aligned_alloc(align, size)", ARCH_PAD_CALL, { 1, NO, NO }, false },
	{ "posix_memalign(out, align, size)", ARCH_PAD_CALL, { 2, NO, 0 }, false },
	{ "the last three", ARCH_PAD_CALL, { 5, 4, 3 }, false },
	{ "nothing kept", ARCH_PAD_CALL, { NO, NO, NO }, false },
	{ "free(ptr), with others inside", ARCH_PAD_CALL, { 0, NO, NO }, false },
	{ "free(ptr)", ARCH_PAD_TAIL, { 0, NO, NO }, false },
	{ "the fourth is freed", ARCH_PAD_TAIL, { 3, NO, NO }, false },
	{ "the last is freed", ARCH_PAD_TAIL, { 5, NO, NO }, false },
};
#define N_SHAPES (sizeof shapes / sizeof *shapes)

static struct arch_pad pad_of(const struct shape *s)
{
	struct arch_pad pad = {
		.form = s->form, .probe = PROBE, .active = ACTIVE_AT, .slot = SLOT_AT
	};

	memcpy(pad.args, s->args, sizeof pad.args);
	pad.begin = (uintptr_t)(s->form == ARCH_PAD_TAIL ? stub_free : stub_begin);
	pad.end = (uintptr_t)stub_end;
	pad.enter = s->enters ? (uintptr_t)stub_enter : 0;
	return pad;
}

static void put_pad(const struct arch_pad *pad, struct arch_pad_code *code)
{
	assert_int_equal(arch_pad_write(pad, PAD_AT, code), 0);
	memset(memory(PAD_AT), 0xcc, ARCH_PAD_MAX);
	memcpy(memory(PAD_AT), code->bytes, code->size);
}

static void put_jump(taddr at, const struct arch_patch *p)
{
	taddr first = arch_patch_place(p, at);

	assert_true(arch_patch_slot(p, at, SLOT_AT, memory(SLOT_AT)) > 0);
	assert_int_equal(arch_patch_jump(first, PAD_AT, memory(first)), 0);
}

static void take_jump(taddr at, const struct arch_patch *p)
{
	memcpy(memory(arch_patch_place(p, at)), p->own, ARCH_PATCH_JUMP);
}

static struct run_state random_state_of_registers(void)
{
	struct run_state s = { .flags = 0x202 | (random_word() & RUN_STATUS) };

	for (unsigned i = 0; i < RUN_REGS; i++)
		s.regs[i] = random_word();
	s.regs[RUN_RSP] = STACK_TOP;
	return s;
}

/* ---- what is compared ---- */

static const unsigned argument_regs[] = { RUN_RDI, RUN_RSI, RUN_RDX, RUN_RCX, 8, 9 };

static uint64_t argument(const struct run_state *in, uint8_t number)
{
	return number == NO ? 0 : in->regs[argument_regs[number]];
}

static unsigned words_of(const struct shape *s)
{
	return s->args[1] == NO && s->args[2] == NO ? 1 : 3;
}

static void assert_told(const struct shape *s, const struct run_state *in, const struct told *t,
			enum told_kind kind)
{
	unsigned n = words_of(s);
	taddr sp = STACK_TOP - 8, words = sp - 8 * n;

	assert_int_equal(t->kind, kind);
	assert_int_equal(t->sp, sp);
	assert_int_equal(t->fp, in->regs[RUN_RBP]);
	assert_int_equal(t->probe, PROBE);
	assert_int_equal(t->own_sp % 16, 8); /* as at every function's first instruction */
	if (kind == TOLD_FREE) {
		assert_int_equal(t->first, argument(in, s->args[0]));
		return;
	}
	assert_int_equal(kind == TOLD_BEGIN ? t->first : t->fifth, words);
	if (kind == TOLD_END)
		assert_int_equal(t->first, leaves.regs[RUN_RAX]);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(t->below[n - 1 - i], argument(in, s->args[i]));
}

static void assert_was_asked(const struct told *t)
{
	assert_int_equal(t->kind, TOLD_ENTER);
	assert_int_equal(t->sp, STACK_TOP - 8);
	assert_int_equal(t->own_sp % 16, 0);
}

static void assert_agent_was_told(const struct shape *s, const struct run_state *in, uint64_t ret)
{
	for (unsigned i = 0; i < n_told; i++)
		assert_int_equal(told[i].ret, ret);
	if (s->enters) {
		assert_int_equal(n_told, may_enter ? 2 : 3);
		assert_was_asked(&told[0]);
		if (!may_enter)
			assert_told(s, in, &told[1], TOLD_BEGIN);
		assert_told(s, in, &told[n_told - 1], TOLD_END);
		return;
	}
	assert_int_equal(n_told, s->form == ARCH_PAD_TAIL ? 1 : 2);
	if (s->form == ARCH_PAD_TAIL) {
		assert_told(s, in, &told[0], TOLD_FREE);
		return;
	}
	assert_told(s, in, &told[0], TOLD_BEGIN);
	assert_told(s, in, &told[1], TOLD_END);
}

/* The function has been called with what its caller had in the registers, and a stack as aligned as
 * it was. */
static void assert_called_alike(const struct shape *s, const struct run_state *own,
				const struct run_state *padded, bool returns_to_pad)
{
	struct run_state a = *own, b = *padded;

	assert_int_equal(a.regs[RUN_RSP] % 16, b.regs[RUN_RSP] % 16);
	if (!returns_to_pad)
		assert_int_equal(a.regs[RUN_RSP], b.regs[RUN_RSP]);
	a.regs[RUN_RSP] = b.regs[RUN_RSP] = 0;
	a.flags &= ~(uint64_t)RUN_STATUS;
	b.flags &= ~(uint64_t)RUN_STATUS;
	if (run_difference(&a, &b))
		fail_msg("%s: called with another %s", s->what, run_difference(&a, &b));
}

static void compare(const struct shape *s, const struct arch_patch *p,
		    const struct arch_pad_code *code, bool active)
{
	uint8_t stack[STACK_SIZE];
	const size_t above = STACK_TOP - STACK_AT;
	struct run_state in = random_state_of_registers();

	leaves = random_state_of_registers();
	may_enter = random_word() & 1;
	for (size_t i = 0; i < STACK_SIZE; i++)
		memory(STACK_AT)[i] = stack[i] = (uint8_t)random_word();
	take_jump(CODE_AT, p);
	struct run_state out = run_code(memory(CODE_AT), &in), own = found;
	uint64_t ret = found_return;

	put_jump(CODE_AT, p);
	*memory(ACTIVE_AT) = active;
	n_told = 0;
	struct run_state padded = run_code(memory(CODE_AT), &in);
	bool to_pad = active && s->form == ARCH_PAD_CALL;

	if (run_difference(&out, &padded))
		fail_msg("%s: returns with another %s", s->what, run_difference(&out, &padded));
	assert_memory_equal(memory(STACK_AT) + above, stack + above, STACK_SIZE - above);
	assert_called_alike(s, &own, &found, to_pad);
	assert_int_equal(found_return, to_pad ? PAD_AT + code->return_site : ret);
	if (active)
		assert_agent_was_told(s, &in, ret);
	else
		assert_int_equal(n_told, 0);
}

static int map_memory(void **state)
{
	(void)state;
	return run_map(CODE_AT, MAP_SIZE) ? 0 : -1;
}

static int unmap_memory(void **state)
{
	(void)state;
	return munmap(memory(CODE_AT), MAP_SIZE);
}

static void neither_caller_nor_function_sees_a_pad(void **state)
{
	(void)state;
	random_state = 41;
	for (size_t i = 0; i < N_SHAPES; i++) {
		struct arch_pad pad = pad_of(&shapes[i]);
		struct arch_pad_code code;
		struct arch_patch p;

		put_function(CODE_AT, observed_function, &p);
		put_pad(&pad, &code);
		for (unsigned n = 0; n < 400; n++)
			compare(&shapes[i], &p, &code, n % 4);
	}
}

/* ---- the real allocator ---- */

static void pad_on(const struct shape *s, void (*function)(void))
{
	struct arch_pad pad = pad_of(s);
	struct arch_pad_code code;
	struct arch_patch p;

	put_function(CODE_AT, function, &p);
	put_pad(&pad, &code);
	put_jump(CODE_AT, &p);
	*memory(ACTIVE_AT) = 1;
	n_told = 0;
}

static void assert_bytes(const uint8_t *block, uint8_t value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(block[i], value);
}

static void blocks_of_the_real_allocator_come_and_go_through_pads(void **state)
{
	void *aligned = NULL;

	(void)state;
	pad_on(&shapes[0], (void (*)(void))malloc);
	uint8_t *block = ((void *(*)(size_t))(uintptr_t)CODE_AT)(100);
	assert_non_null(block);
	assert_int_equal(told[0].below[0], 100);
	assert_ptr_equal(told[1].first, block);
	memset(block, 7, 100);

	pad_on(&shapes[4], (void (*)(void))realloc);
	block = ((void *(*)(void *, size_t))(uintptr_t)CODE_AT)(block, 100000);
	assert_non_null(block);
	assert_int_equal(told[1].below[2], 100000);
	assert_ptr_equal(told[1].first, block);
	assert_bytes(block, 7, 100);

	pad_on(&shapes[11], (void (*)(void))free);
	((void (*)(void *))(uintptr_t)CODE_AT)(block);
	assert_int_equal(n_told, 1);
	assert_ptr_equal(told[0].first, block);

	pad_on(&shapes[2], (void (*)(void))calloc);
	block = ((void *(*)(size_t, size_t))(uintptr_t)CODE_AT)(30, 40);
	assert_bytes(block, 0, 1200);
	free(block);

	pad_on(&shapes[7], (void (*)(void))posix_memalign);
	int err = ((int (*)(void **, size_t, size_t))(uintptr_t)CODE_AT)(&aligned, 4096, 10);
	assert_int_equal(err, 0);
	assert_int_equal((uintptr_t)aligned % 4096, 0);
	assert_ptr_equal(told[1].below[0], &aligned);
	assert_int_equal(told[1].below[2], 10);
	free(aligned);
}

/* ---- the way out of a pad ---- */

/* Step a child through a call of the function; at each instruction of the pad its caller's return
 * address is where the description has it. Returns how many of the rows were seen to be true. */
static unsigned step_through(pid_t pid, const struct arch_pad_code *code)
{
	bool seen[ARCH_PAD_MAX] = { false };
	struct user_regs_struct r;
	unsigned rows = 0;
	int status;

	for (bool begun = false;;) {
		assert_return_code(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), errno);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSTOPPED(status));
		assert_return_code(ptrace(PTRACE_GETREGS, pid, NULL, &r), errno);
		bool inside = r.rsp - STACK_AT < STACK_SIZE;

		if (begun && !inside)
			break;
		begun = inside;
		size_t offset = r.rip - PAD_AT;
		int words = arch_pad_depth(code, offset);

		assert_int_equal(words >= 0, offset < code->size);
		if (words < 0)
			continue;
		assert_int_equal(r.rsp + 8 * (unsigned)words, STACK_TOP - 8);
		seen[offset] = true;
	}
	kill(pid, SIGKILL); /* its popf has left it with the trap flag of the steps */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	for (unsigned i = 0; i < code->n_rows; i++)
		rows += seen[code->rows[i].offset];
	return rows;
}

static void the_callers_return_address_is_found_from_everywhere_in_a_pad(void **state)
{
	(void)state;
	random_state = 42;
	for (size_t i = 0; i < N_SHAPES; i++) {
		struct arch_pad pad = pad_of(&shapes[i]);
		struct run_state in = random_state_of_registers();
		struct arch_pad_code code;
		struct arch_patch p;
		int status;

		leaves = in;
		put_function(CODE_AT, observed_function, &p);
		put_pad(&pad, &code);
		put_jump(CODE_AT, &p);
		*memory(ACTIVE_AT) = 1;
		pid_t pid = fork();
		if (pid == 0) {
			ptrace(PTRACE_TRACEME, 0, NULL, NULL);
			raise(SIGSTOP);
			run_code(memory(CODE_AT), &in);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_return_code(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL), errno);
		assert_int_equal(step_through(pid, &code), code.n_rows);
		assert_int_equal(arch_pad_depth(&code, code.size), -1);
		assert_in_range(code.size, 50, ARCH_PAD_MAX - 1);
		assert_in_range(code.n_rows, 10, ARCH_PAD_ROWS);
	}
}

/* ---- refusals ---- */

static void what_is_out_of_reach_or_no_argument_is_refused(void **state)
{
	const taddr far = UINT64_C(1) << 32;
	struct arch_pad_code code;

	(void)state;
	for (size_t i = 0; i < N_SHAPES; i++) {
		struct arch_pad pad = pad_of(&shapes[i]), bad = pad;

		assert_int_equal(arch_pad_write(&pad, PAD_AT, &code), 0);
		bad.active = PAD_AT + far;
		assert_int_equal(arch_pad_write(&bad, PAD_AT, &code), -ERANGE);
		bad = pad;
		bad.slot = PAD_AT - far;
		assert_int_equal(arch_pad_write(&bad, PAD_AT, &code), -ERANGE);
		bad = pad;
		bad.args[0] = 6;
		assert_int_equal(arch_pad_write(&bad, PAD_AT, &code), -EINVAL);
		bad.args[0] = NO;
		assert_int_equal(arch_pad_write(&bad, PAD_AT, &code),
				 pad.form == ARCH_PAD_TAIL ? -EINVAL : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(neither_caller_nor_function_sees_a_pad, map_memory,
						unmap_memory),
		cmocka_unit_test_setup_teardown(
			blocks_of_the_real_allocator_come_and_go_through_pads, map_memory,
			unmap_memory),
		cmocka_unit_test_setup_teardown(
			the_callers_return_address_is_found_from_everywhere_in_a_pad, map_memory,
			unmap_memory),
		cmocka_unit_test(what_is_out_of_reach_or_no_argument_is_refused),
	};

	return cmocka_run_group_tests_name("arch_pads", tests, NULL, NULL);
}
