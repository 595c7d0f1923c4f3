/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains of a forked child that stops in stop_here(), against what it has found itself with
 * backtrace(3); then chains of stacks made to mislead the unwinder.
 */
#include "unit/unit.h"
#include "lib/random.h"
#include "unwind/steps.h"
#include "unwind/paths.h"
#include "unwind/unwind.h"

#include <alloca.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define noinline __attribute__((noinline))
/* No call before this is the last thing that a function does. */
#define NOT_A_TAIL_CALL() __asm__ volatile("" ::: "memory")

enum { DEEP = 10000, MAX_FRAMES = DEEP + 100, BIG = 3 << 20, HEAP = 12 << 20 };

/* An allocator function, as it were: the trap is its first instruction. */
void stop_here(void);
__asm__(".text\n"
	".globl stop_here\n"
	".type stop_here, @function\n"
	"stop_here:\n"
	"	.cfi_startproc\n"
	"	int3\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size stop_here, . - stop_here\n");

/* Its canonical frame address is told by an expression that never comes to its end. */
void run_in_circles(void);
__asm__(".text\n"
	".globl run_in_circles\n"
	".type run_in_circles, @function\n"
	"run_in_circles:\n"
	"	.cfi_startproc\n"
	"	.cfi_escape 0x0f, 3, 0x2f, 0xfd, "
	"0xff\n" /* DW_CFA_def_cfa_expression: DW_OP_skip -3 */
	"	sub $8, %rsp\n"
	"	call stop_here\n"
	"	add $8, %rsp\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size run_in_circles, . - run_in_circles\n");

/* Its tables do not say where the return address is. */
void run_in_place(void);
__asm__(".text\n"
	".globl run_in_place\n"
	".type run_in_place, @function\n"
	"run_in_place:\n"
	"	.cfi_startproc simple\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	sub $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call stop_here\n"
	"	add $8, %rsp\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size run_in_place, . - run_in_place\n");

/* Its tables say that the return address is where an address on the stack is, as they do of code
 * that changes to another stack and does not tell. */
void run_astray(void);
__asm__(".text\n"
	".globl run_astray\n"
	".type run_astray, @function\n"
	"run_astray:\n"
	"	.cfi_startproc simple\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	.cfi_offset %rip, -8\n"
	"	push %rsp\n"
	"	call stop_here\n"
	"	pop %rcx\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size run_astray, . - run_astray\n");

/* A stub as ld makes them for a PLT, and its rule: the caller's stack pointer is 8 or 16 above, by
 * where in its 16 bytes the pc is. */
extern const char lazy_stub[];
__asm__(".text\n"
	".balign 16\n"
	".type lazy_stub, @function\n"
	"lazy_stub:\n"
	"	.cfi_startproc\n"
	"	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22\n"
	"	.byte 0xff, 0x25\n" /* jmp */
	"	.long 0\n"
	"	.byte 0x68\n" /* push */
	"	.long 0\n"
	"	.byte 0xe9\n" /* jmp */
	"	.long 0\n"
	"	.cfi_endproc\n"
	".size lazy_stub, . - lazy_stub\n");

/* What the child tells. */
struct told {
	void *frames[MAX_FRAMES];
	int n;
	uintptr_t interrupted;	/* the pc, in a handler ... */
	uintptr_t interrupted_sp; /* ... and the stack pointer */
};

static struct told *told;
static uint8_t *heap;	/* memory that the child has too, and shares */

struct target {
	pid_t pid;
	struct address_space *space;
	struct module_files files;
	struct mappings maps;
	struct unwinder *u;
	struct arch_regs regs;
};

static int target_setup(void **state)
{
	struct target *t = calloc(1, sizeof *t);

	*state = t;
	if (!t)
		return -1;
	t->u = unwinder_new();
	told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	heap = mmap(NULL, HEAP + 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!t->u || told == MAP_FAILED || heap == MAP_FAILED)
		return -1;
	return munmap(heap + HEAP, 4096); /* nothing is behind it */
}

static int target_teardown(void **state)
{
	struct target *t = *state;

	if (t->pid > 0) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, NULL, 0);
	}
	address_space_free(t->space);
	mappings_release(&t->maps);
	module_files_release(&t->files);
	unwinder_free(t->u);
	munmap(told, sizeof *told);
	munmap(heap, HEAP);
	free(t);
	return 0;
}

/* Let the child go on until it is in stop_here() again. */
static void next_stop(struct target *t)
{
	int status, sig = 0;

	do {
		assert_return_code(ptrace(PTRACE_CONT, t->pid, NULL, (void *)(intptr_t)sig), errno);
		assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
		assert_true(WIFSTOPPED(status));
		sig = WSTOPSIG(status);
	} while (sig != SIGTRAP);
	assert_int_equal(arch_get_regs(t->pid, &t->regs), 0);
	assert_int_equal(arch_pc(&t->regs), (uintptr_t)stop_here + 1);
}

static void start(struct target *t, void (*run)(void))
{
	int status;

	t->pid = fork();
	if (t->pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		run();
		_exit(1);
	}
	assert_true(t->pid > 0);
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	assert_return_code(ptrace(PTRACE_SETOPTIONS, t->pid, NULL, (void *)PTRACE_O_EXITKILL),
			   errno);
	t->space = address_space_new(t->pid);
	assert_non_null(t->space);
	next_stop(t);
	assert_int_equal(mappings_read(t->pid, &t->files, &t->maps), 0);
}

/* The chain from where the child is. */
static struct unwind_chain chain_now(struct target *t)
{
	struct unwind_chain c = { 0 };
	uint64_t ret;

	assert_int_equal(unwinder_snapshot(t->u, t->space, arch_return_place(&t->regs)), 0);
	assert_true(unwinder_word(t->u, arch_return_place(&t->regs), &ret));
	assert_int_equal(unwinder_chain(t->u, &t->maps, &t->files, &t->regs, ret, NULL, &c), 0);
	assert_true(c.n > 0);
	assert_int_equal(c.frames[0].pc, ret);
	assert_false(c.frames[0].exact);
	return c;
}

/* A frame of a chain that is looked for in it, and how often that was asked. */
struct sought {
	taddr pc, sp;
	size_t asked;
};

static bool is_sought(void *ctx, taddr pc, taddr sp, const struct unwind_frame *inner)
{
	struct sought *s = ctx;

	/* But for what a handler has interrupted. */
	assert_true(inner->cfa == 0 || inner->cfa == sp || sp == told->interrupted_sp);
	s->asked++;
	return pc == s->pc && sp == s->sp;
}

/* The chain from where the child is to frame @i of @whole. */
static void assert_ends_at_sp(struct target *t, const struct unwind_frame *whole, size_t i,
			      taddr sp)
{
	struct sought s = { whole[i].pc, sp, 0 };
	const struct unwind_goal goal = { is_sought, &s };
	struct unwind_chain c;
	uint64_t ret;

	assert_int_equal(unwinder_snapshot(t->u, t->space, arch_return_place(&t->regs)), 0);
	assert_true(unwinder_word(t->u, arch_return_place(&t->regs), &ret));
	assert_int_equal(unwinder_chain(t->u, &t->maps, &t->files, &t->regs, ret, &goal, &c), 0);
	assert_true(c.reached);
	assert_int_equal(c.truncated, CHAIN_WHOLE);
	assert_int_equal(c.n, i + 1);
	for (size_t k = 0; k <= i; k++)
		assert_int_equal(c.frames[k].pc, whole[k].pc);
	for (size_t k = 0; k < i; k++)
		assert_int_equal(c.frames[k].cfa, whole[k].cfa);
	/* Nothing further out was looked at, but for a second way after a first; what a handler has
	 * interrupted stands in the place of the way back from it. */
	assert_in_range(s.asked, 1, 2 * i + 2);
}

static void assert_ends_at(struct target *t, const struct unwind_frame *whole, size_t i)
{
	assert_ends_at_sp(t, whole, i, whole[i - 1].cfa);
}

/* The kernel's way back from a signal handler: mov $15,%rax; syscall. */
static bool is_trampoline(const void *pc)
{
	return !memcmp(pc, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9);
}

/* backtrace() has other innermost elements than we have; all the others must be the same. */
static void assert_frames_as_told(const struct unwind_chain *c)
{
	int i = told->n;
	size_t k = c->n;

	while (i > 0 && k > 1) {
		if (is_trampoline(told->frames[--i]))
			continue;
		k--;
		if (c->frames[k].pc != (uintptr_t)told->frames[i])
			fail_msg("element %zu of %zu is %#llx, not %p", k, c->n,
				 (unsigned long long)c->frames[k].pc, told->frames[i]);
	}
	assert_int_equal(k, 1);
	assert_in_range(i, 1, 2); /* sanitizers put a function of theirs around backtrace() */
}

static void assert_as_told(const struct unwind_chain *c)
{
	assert_frames_as_told(c);
	assert_int_equal(c->truncated, CHAIN_WHOLE);
}

/* ---- what the child runs ---- */

noinline static void record(void)
{
	told->n = backtrace(told->frames, MAX_FRAMES);
	stop_here();
	NOT_A_TAIL_CALL();
}

noinline static int recurse(int n)
{
	int sum = n;

	if (n)
		sum += recurse(n - 1);
	else
		record();
	NOT_A_TAIL_CALL();
	return sum;
}

static void run_shallow(void)
{
	recurse(3);
	NOT_A_TAIL_CALL();
}

static void run_deep(void)
{
	recurse(DEEP);
	NOT_A_TAIL_CALL();
}

/* Frames whose size only the frame pointer knows, and frames that are aligned. */
noinline static void run_odd_frames(void)
{
	for (size_t n = 16; n < 5000; n *= 7) {
		char *variable = alloca(n);
		_Alignas(128) char aligned[200];

		__asm__ volatile("" : : "r"(variable), "r"(aligned) : "memory");
		recurse(2);
		__asm__ volatile("" : : "r"(variable), "r"(aligned) : "memory");
	}
}

static void on_signal(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;

	(void)sig, (void)si;
	told->interrupted = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	told->interrupted_sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
	record();
	uc->uc_mcontext.gregs[REG_RIP] += 2; /* behind the ud2 */
}

static void on_signal_again(int sig, siginfo_t *si, void *context)
{
	(void)sig, (void)si, (void)context;
	__asm__ volatile("ud2");
	NOT_A_TAIL_CALL();
}

static void handle(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaction(sig, &sa, NULL);
}

noinline static void illegal(void)
{
	__asm__ volatile("ud2");
	NOT_A_TAIL_CALL();
}

static void run_handler(void)
{
	handle(SIGILL, on_signal, 0);
	illegal();
	NOT_A_TAIL_CALL();
}

/* From within a system call of the C library. */
static void run_handler_of_raise(void)
{
	handle(SIGUSR1, on_signal, 0);
	raise(SIGUSR1);
	NOT_A_TAIL_CALL();
}

static void run_nested_handlers(void)
{
	handle(SIGUSR1, on_signal_again, 0);
	handle(SIGILL, on_signal, 0);
	raise(SIGUSR1);
	NOT_A_TAIL_CALL();
}

noinline static void call_illegal_one(void)
{
	illegal();
	NOT_A_TAIL_CALL();
}

noinline static void call_illegal_two(void)
{
	illegal();
	illegal();
	NOT_A_TAIL_CALL();
}

/* Three times from the same depth of the same stack, by three ways. */
static void run_handler_on_its_own_stack(void)
{
	stack_t ss = { .ss_sp = heap, .ss_size = 1 << 20 };

	sigaltstack(&ss, NULL);
	handle(SIGILL, on_signal, SA_ONSTACK);
	call_illegal_one();
	call_illegal_two();
}

noinline static void big_frame(void)
{
	char big[BIG];

	__asm__ volatile("" : : "r"(big) : "memory");
	record();
	__asm__ volatile("" : : "r"(big) : "memory");
}

noinline static void call_big_one(void)
{
	big_frame();
	NOT_A_TAIL_CALL();
}

noinline static void call_big_two(void)
{
	big_frame();
	NOT_A_TAIL_CALL();
}

static void run_big_frames(void)
{
	call_big_one();
	call_big_two();
}

noinline static void call_one(void)
{
	record();
	NOT_A_TAIL_CALL();
}

noinline static void call_two(void)
{
	record();
	NOT_A_TAIL_CALL();
}

/* The same places at the same depth, by two ways in turn. */
static void run_by_two_ways(void)
{
	for (;;) {
		call_one();
		call_two();
	}
}

static void run_coroutine(void)
{
	static ucontext_t here, there;

	getcontext(&there);
	there.uc_stack = (stack_t){ .ss_sp = heap, .ss_size = 1 << 20 };
	there.uc_link = &here;
	makecontext(&there, run_shallow, 0);
	swapcontext(&here, &there);
}

/* Machine code made at run time, which calls record(); @ret: offset of what that returns to. */
static void run_code(const uint8_t *code, size_t size, size_t ret)
{
	void *jit = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(jit, code, size);
	told->interrupted = (uintptr_t)jit + ret;
	((void (*)(void (*)(void)))(uintptr_t)jit)(record);
	NOT_A_TAIL_CALL();
}

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static void run_through_jit(void)
{
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };

	run_code(code, sizeof code, 6);
	NOT_A_TAIL_CALL();
}

/* push %rbp; xor %ebp,%ebp; call *%rdi; pop %rbp; ret */
static void run_through_jit_without_frame_pointer(void)
{
	static const uint8_t code[] = { 0x55, 0x31, 0xed, 0xff, 0xd7, 0x5d, 0xc3 };

	run_code(code, sizeof code, 5);
	NOT_A_TAIL_CALL();
}

/* push %rbp; lea 1(%rdi),%rax; push %rax; push %rsp; mov %rsp,%rbp; call *%rdi; lea 16(%rsp),%rsp;
 * pop %rbp; ret: where a return address would be stands one of code, but behind no call */
static void run_through_jit_with_odd_frame(void)
{
	static const uint8_t code[] = { 0x55, 0x48, 0x8d, 0x47, 0x01, 0x50, 0x54, 0x48, 0x89, 0xe5,
					0xff, 0xd7, 0x48, 0x8d, 0x64, 0x24, 0x10, 0x5d, 0xc3 };

	run_code(code, sizeof code, 12);
	NOT_A_TAIL_CALL();
}

/* Ask the time until somebody says that there was a signal. */
static void run_in_vdso(void)
{
	struct timespec t;

	handle(SIGUSR1, on_signal, 0);
	stop_here();
	for (told->n = 0; !told->n;)
		clock_gettime(CLOCK_MONOTONIC, &t);
	NOT_A_TAIL_CALL();
}

/* ---- chains of programs ---- */

static void assert_chain_of(struct target *t, void (*run)(void), size_t at_least)
{
	start(t, run);
	struct unwind_chain c = chain_now(t);

	assert_true(c.n >= at_least);
	assert_as_told(&c);
}

static void a_chain_is_what_the_program_says_itself(void **state)
{
	assert_chain_of(*state, run_shallow, 6);
}

static void a_chain_of_ten_thousand_frames_is_followed_to_its_end(void **state)
{
	assert_chain_of(*state, run_deep, DEEP);
}

static void frames_of_any_size_and_alignment_are_passed(void **state)
{
	struct target *t = *state;

	assert_chain_of(t, run_odd_frames, 6);
	for (int i = 0; i < 2; i++) {
		next_stop(t);
		struct unwind_chain c = chain_now(t);
		assert_as_told(&c);
	}
}

static struct unwind_frame *copy_frames(const struct unwind_chain *c)
{
	struct unwind_frame *copy = malloc(c->n * sizeof *copy);

	assert_non_null(copy);
	memcpy(copy, c->frames, c->n * sizeof *copy);
	return copy;
}

static void a_chain_ends_at_the_frame_that_is_sought(void **state)
{
	struct target *t = *state;

	start(t, run_deep);
	/* With nothing remembered, and with all of it. */
	for (int i = 0; i < 2; i++) {
		struct unwind_chain c = chain_now(t);
		struct unwind_frame *whole = copy_frames(&c);
		uint64_t steps = unwinder_counts(t->u).steps_known;

		assert_true(c.n > DEEP);
		assert_false(c.reached);
		if (i == 0)
			unwinder_flush(t->u);
		assert_ends_at(t, whole, 1);
		assert_ends_at(t, whole, 20);
		assert_true(unwinder_counts(t->u).steps_known - steps <= 21);
		assert_int_equal(unwinder_function(t->u, &t->maps, &t->files, &whole[1]),
				 (uintptr_t)recurse);
		unwinder_check(t->u, true);
		assert_ends_at(t, whole, DEEP / 2);
		unwinder_check(t->u, false);
		free(whole);
	}
	assert_int_equal(unwinder_counts(t->u).checked, 2);
	assert_int_equal(unwinder_counts(t->u).wrong, 0);
}

static void a_frame_is_found_in_a_chain_that_is_known_as_a_whole(void **state)
{
	struct target *t = *state;

	start(t, run_shallow);
	unwinder_check(t->u, true);
	for (int i = 0; i < 3; i++) {
		struct unwind_chain c = chain_now(t);
		struct unwind_frame *whole = copy_frames(&c);

		assert_as_told(&c);
		for (size_t k = 1; k < c.n; k++)
			assert_ends_at(t, whole, k);
		free(whole);
	}
	assert_int_equal(unwinder_counts(t->u).wrong, 0);
}

static void a_frame_is_found_behind_a_signal_handler(void **state)
{
	struct target *t = *state;
	size_t handlers = 0;

	start(t, run_handler_on_its_own_stack);
	struct unwind_chain c = chain_now(t);
	struct unwind_frame *whole = copy_frames(&c);
	size_t n = c.n;
	for (size_t k = 1; k < n; k++) {
		handlers += whole[k].exact;
		/* What was interrupted goes on by itself, with its own stack pointer. */
		if (whole[k].exact)
			assert_ends_at_sp(t, whole, k, told->interrupted_sp);
		else
			assert_ends_at(t, whole, k);
	}
	assert_int_equal(handlers, 1);
	free(whole);
}

static void what_is_not_in_a_chain_is_not_found(void **state)
{
	struct target *t = *state;
	struct sought s = { 0x1234, 0x5678, 0 };
	const struct unwind_goal goal = { is_sought, &s };
	struct unwind_chain c;
	uint64_t ret;

	start(t, run_shallow);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(unwinder_snapshot(t->u, t->space, arch_return_place(&t->regs)), 0);
		assert_true(unwinder_word(t->u, arch_return_place(&t->regs), &ret));
		assert_int_equal(unwinder_chain(t->u, &t->maps, &t->files, &t->regs, ret, &goal,
						&c),
				 0);
		assert_false(c.reached);
		assert_as_told(&c);
	}
}

static void a_word_far_up_is_read_without_what_is_below(void **state)
{
	struct target *t = *state;
	uint64_t near, far;

	start(t, run_deep);
	taddr slot = arch_return_place(&t->regs), up = slot + 8 * DEEP;

	assert_int_equal(unwinder_snapshot(t->u, t->space, slot), 0);
	assert_true(unwinder_far_word(t->u, up, &far));
	assert_true(unwinder_word(t->u, up, &near));
	assert_int_equal(near, far);
	assert_true(unwinder_far_word(t->u, slot, &far));
	assert_true(unwinder_word(t->u, slot, &near));
	assert_int_equal(near, far);
	assert_false(unwinder_far_word(t->u, (uintptr_t)heap + HEAP, &far));
	assert_false(unwinder_far_word(t->u, 0, &far));
}

static void every_frame_lies_above_the_one_it_called(void **state)
{
	struct target *t = *state;

	start(t, run_shallow);
	struct unwind_chain c = chain_now(t);

	assert_true(c.frames[0].cfa > arch_sp(&t->regs));
	for (size_t i = 1; i + 1 < c.n; i++)
		assert_true(c.frames[i].cfa > c.frames[i - 1].cfa);
}

/* The number of elements that are the interrupted instruction itself. */
static unsigned count_exact(const struct unwind_chain *c)
{
	unsigned n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->frames[i].exact;
	return n;
}

static void assert_interrupted(struct target *t)
{
	struct unwind_chain c = chain_now(t);
	unsigned found = 0;

	assert_as_told(&c);
	for (size_t i = 0; i < c.n; i++) {
		assert_false(is_trampoline((void *)(uintptr_t)c.frames[i].pc));
		found += c.frames[i].exact && c.frames[i].pc == told->interrupted;
	}
	assert_int_equal(found, 1);
}

static void a_handler_stands_on_the_instruction_that_was_interrupted(void **state)
{
	struct target *t = *state;

	start(t, run_handler);
	assert_interrupted(t);
	struct unwind_chain c = chain_now(t);
	assert_int_equal(count_exact(&c), 1);
}

static void a_handler_may_interrupt_a_system_call_or_another_handler(void **state)
{
	struct target *t = *state;

	start(t, run_handler_of_raise);
	assert_interrupted(t);
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	address_space_free(t->space);
	mappings_release(&t->maps);
	unwinder_flush(t->u);
	start(t, run_nested_handlers);
	assert_interrupted(t);
	struct unwind_chain c = chain_now(t);
	assert_int_equal(count_exact(&c), 2);
}

/* Code that the kernel provides outside of any file (the vdso) has unwinding tables, too. */
static void a_handler_may_interrupt_code_that_is_in_no_file(void **state)
{
	struct target *t = *state;
	const struct mapping *m = NULL;
	int status;

	start(t, run_in_vdso);
	for (int i = 0; i < 100000 && !m; i++) {
		assert_return_code(ptrace(PTRACE_SINGLESTEP, t->pid, NULL, NULL), errno);
		assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
		assert_int_equal(arch_get_regs(t->pid, &t->regs), 0);
		m = mappings_find(&t->maps, arch_pc(&t->regs));
		if (m && strcmp(t->files.files[m->file].path, "[vdso]") != 0)
			m = NULL;
	}
	if (!m)
		skip();	/* the kernel has none, and libc asks it itself */
	assert_return_code(ptrace(PTRACE_CONT, t->pid, NULL, (void *)(intptr_t)SIGUSR1), errno);
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	assert_int_equal(WSTOPSIG(status), SIGTRAP);
	assert_int_equal(arch_get_regs(t->pid, &t->regs), 0);
	struct unwind_chain c = chain_now(t);

	assert_int_equal(c.truncated, CHAIN_WHOLE);
	for (size_t i = 0; i < c.n; i++) {
		assert_false(c.frames[i].guessed);
		if (c.frames[i].exact)
			assert_ptr_equal(mappings_find(&t->maps, c.frames[i].pc), m);
	}
	assert_interrupted(t);
}

static void a_chain_goes_on_from_a_handlers_own_stack_to_the_programs(void **state)
{
	struct target *t = *state;

	start(t, run_handler_on_its_own_stack);
	assert_interrupted(t);
}

static void the_stack_below_a_handler_is_read_anew_at_each_stop(void **state)
{
	struct target *t = *state;

	start(t, run_handler_on_its_own_stack);
	assert_interrupted(t);
	next_stop(t);
	assert_interrupted(t);
	next_stop(t);
	assert_interrupted(t);
}

static void a_frame_of_megabytes_is_passed(void **state)
{
	assert_chain_of(*state, run_big_frames, 4);
}

static void the_stack_above_a_frame_of_megabytes_is_read_anew_at_each_stop(void **state)
{
	struct target *t = *state;

	assert_chain_of(t, run_big_frames, 4);
	next_stop(t);
	struct unwind_chain c = chain_now(t);
	assert_as_told(&c);
}

/* Whether that is the end cannot be known: glibc's code there has no call frame information. */
static void the_chain_of_a_coroutine_goes_to_where_it_began(void **state)
{
	struct target *t = *state;

	start(t, run_coroutine);
	struct unwind_chain c = chain_now(t);

	assert_true(c.n >= 6);
	assert_frames_as_told(&c);
}

static void code_that_tells_nothing_of_its_frames_is_passed_by_its_frame_pointer(void **state)
{
	struct target *t = *state;

	start(t, run_through_jit);
	unwinder_check(t->u, true);
	for (int round = 0; round < 3; round++) {
		struct unwind_chain c = chain_now(t);

		assert_true(c.n >= 5);
		assert_int_equal(c.truncated, CHAIN_WHOLE);
		assert_int_equal(c.frames[1].pc, told->interrupted);
		for (size_t i = 0; i < c.n; i++)
			assert_int_equal(c.frames[i].guessed, i == 2);
		assert_in_range(c.frames[2].pc, (uintptr_t)run_code, (uintptr_t)run_code + 4096);
		assert_in_range(c.frames[3].pc, (uintptr_t)run_through_jit,
				(uintptr_t)run_through_jit + 64);
	}
	assert_int_equal(unwinder_counts(t->u).checked, 3);
	assert_int_equal(unwinder_counts(t->u).wrong, 0);
}

static void assert_ends_in_code(struct target *t, void (*run)(void))
{
	start(t, run);
	struct unwind_chain c = chain_now(t);

	assert_int_equal(c.n, 2);
	assert_int_equal(c.frames[1].pc, told->interrupted);
	assert_int_equal(c.truncated, CHAIN_NO_CFI);
}

static void code_without_a_frame_pointer_ends_a_chain_as_truncated(void **state)
{
	assert_ends_in_code(*state, run_through_jit_without_frame_pointer);
}

static void what_is_no_return_address_ends_a_chain_as_truncated(void **state)
{
	assert_ends_in_code(*state, run_through_jit_with_odd_frame);
}

static void tables_that_lead_to_no_code_end_a_chain_as_truncated(void **state)
{
	struct target *t = *state;

	start(t, run_astray);
	for (int round = 0; round < 3; round++) {
		struct unwind_chain c = chain_now(t);

		assert_int_equal(c.n, 1);
		assert_int_equal(c.truncated, CHAIN_NO_CFI);
	}
}

static void tables_that_run_in_circles_end_a_chain_as_truncated(void **state)
{
	struct target *t = *state;

	start(t, run_in_circles);
	for (int round = 0; round < 3; round++) {
		struct unwind_chain c = chain_now(t);

		assert_int_equal(c.n, 1);
		assert_int_not_equal(c.truncated, CHAIN_WHOLE);
	}
}

static void tables_that_lead_nowhere_end_a_chain_as_truncated(void **state)
{
	struct target *t = *state;

	start(t, run_in_place);
	for (int round = 0; round < 3; round++) {
		struct unwind_chain c = chain_now(t);

		assert_int_equal(c.n, 1);
		assert_int_not_equal(c.truncated, CHAIN_WHOLE);
	}
}

static void the_same_stop_gives_the_same_chain_again(void **state)
{
	struct target *t = *state;
	uintptr_t was[64];

	start(t, run_shallow);
	for (int round = 0; round < 100; round++) {
		struct unwind_chain c = chain_now(t);

		assert_in_range(c.n, 6, 64);
		for (size_t i = 0; i < c.n; i++) {
			if (!round)
				was[i] = c.frames[i].pc;
			assert_int_equal(c.frames[i].pc, was[i]);
		}
		if (round % 10 == 5)
			unwinder_flush(t->u);
	}
}

/* ---- what is remembered ---- */

static void what_is_remembered_holds_only_for_the_stack_it_was_seen_on(void **state)
{
	struct target *t = *state;

	start(t, run_by_two_ways);
	unwinder_check(t->u, true);
	for (int i = 0; i < 20; i++) {
		struct unwind_chain c = chain_now(t);

		assert_as_told(&c);
		next_stop(t);
	}
	struct unwind_counts n = unwinder_counts(t->u);
	assert_int_equal(n.checked, 20);
	assert_int_equal(n.wrong, 0);
	assert_true(n.steps_known > n.steps_made);
}

/* Note a number with each frame: it is told of this frame again, and of no other. */
static void assert_noted(struct target *t, const struct unwind_chain *c, uint32_t first)
{
	for (size_t i = 0; i < c->n; i++) {
		uint32_t number = unwinder_noted(t->u, &c->frames[i]);

		/* Between two chains a note may get lost, but not go astray. */
		if (number != UINT32_MAX && number != (uint32_t)c->frames[i].pc + first)
			fail_msg("element %zu is told the note of another one", i);
		unwinder_note(t->u, &c->frames[i], (uint32_t)c->frames[i].pc + first);
	}
}

static void what_is_noted_with_a_frame_is_told_of_that_frame(void **state)
{
	struct target *t = *state;
	unsigned known = 0;

	start(t, run_by_two_ways);
	for (int i = 0; i < 10; i++) {
		struct unwind_chain c = chain_now(t);

		for (size_t k = 0; k < c.n; k++)
			known += unwinder_noted(t->u, &c.frames[k]) != UINT32_MAX;
		assert_noted(t, &c, 7);
		next_stop(t);
	}
	assert_true(known > 30);
}

/* ---- words ---- */

static void words_are_read_from_anywhere_that_can_be_read(void **state)
{
	struct target *t = *state;
	uint64_t *words = (uint64_t *)heap, w;

	start(t, run_shallow);
	for (uint64_t i = 0; i < HEAP / 8; i++)
		words[i] = i;
	assert_int_equal(unwinder_snapshot(t->u, t->space, (uintptr_t)(words + 1000)), 0);
	assert_true(unwinder_word(t->u, (uintptr_t)(words + 1000), &w));
	assert_int_equal(w, 1000);
	assert_true(unwinder_word(t->u, (uintptr_t)(words + 100000), &w));
	assert_int_equal(w, 100000);
	assert_true(unwinder_word(t->u, (uintptr_t)(words + 999), &w)); /* below */
	assert_int_equal(w, 999);
	assert_true(unwinder_word(t->u, (uintptr_t)(words + HEAP / 8 - 1), &w)); /* far above */
	assert_int_equal(w, HEAP / 8 - 1);
	assert_true(unwinder_word(t->u, (uintptr_t)heap + 4092, &w)); /* over the edge of a page */
	assert_int_equal(w, 512ull << 32);
	assert_false(unwinder_word(t->u, (uintptr_t)heap + HEAP, &w)); /* behind its end */
	assert_false(unwinder_word(t->u, 0, &w));
	assert_false(unwinder_word(t->u, UINT64_MAX - 7, &w));
	assert_false(unwinder_word(t->u, UINT64_MAX, &w));
}

static void a_new_snapshot_sees_what_has_been_written_since(void **state)
{
	static const size_t places[] = { 0, 8, 1 << 16, 4 << 20 };
	struct target *t = *state;
	uint64_t w;

	start(t, run_shallow);
	for (uint64_t round = 1; round < 4; round++) {
		for (size_t i = 0; i < 4; i++)
			memcpy(heap + places[i], &round, sizeof round);
		assert_int_equal(unwinder_snapshot(t->u, t->space, (uintptr_t)heap + 8), 0);
		for (size_t i = 0; i < 4; i++) {
			assert_true(unwinder_word(t->u, (uintptr_t)heap + places[i], &w));
			if (w != round)
				fail_msg("the word %zd bytes from the stack is that of an earlier "
					 "stop",
					 (ssize_t)places[i] - 8);
		}
	}
}

static void a_stack_that_is_not_there_is_told(void **state)
{
	struct target *t = *state;

	start(t, run_shallow);
	assert_true(unwinder_snapshot(t->u, t->space, 0) < 0);
	assert_true(unwinder_snapshot(t->u, t->space, 16) < 0);
	assert_true(unwinder_snapshot(t->u, t->space, UINT64_MAX - 100) < 0);
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	t->pid = 0;
	assert_true(unwinder_snapshot(t->u, t->space, arch_sp(&t->regs)) < 0);
}

/* ---- stacks that were made to confuse us ---- */

/* The chain of a task that stands at the entry of a function with its stack at @sp. */
static struct unwind_chain chain_at(struct target *t, taddr sp, taddr ret)
{
	struct arch_regs r = t->regs;
	struct unwind_chain c = { 0 };

	arch_set_caller(&r, (uintptr_t)stop_here + 1, sp);
	if (unwinder_snapshot(t->u, t->space, sp) == 0)
		assert_int_equal(unwinder_chain(t->u, &t->maps, &t->files, &r, ret, NULL, &c), 0);
	return c;
}

static void a_stack_written_over_ends_a_chain_as_truncated(void **state)
{
	static const uint64_t nonsense[] = { 0x4141414141414141, 1, 0x8000000000000000,
					     UINT64_MAX };
	struct target *t = *state;

	start(t, run_shallow);
	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < 4096; k += 8)
			memcpy(heap + k, &nonsense[i], 8);
		struct unwind_chain c = chain_at(t, (uintptr_t)heap, (uintptr_t)stop_here + 1);

		assert_int_equal(c.n, 1);
		assert_int_equal(c.truncated, CHAIN_NO_CFI);
		c = chain_at(t, (uintptr_t)heap, nonsense[i]);
		assert_int_equal(c.n, 1);
		assert_int_not_equal(c.truncated, CHAIN_WHOLE);
	}
}

/* Each word of it is an address behind which the frame is one word. */
static void fill_with_frames(size_t bytes)
{
	const uint64_t ret = (uintptr_t)stop_here + 1;

	for (size_t i = 0; i < bytes; i += 8)
		memcpy(heap + HEAP - bytes + i, &ret, 8);
}

static void a_stack_that_runs_out_of_memory_ends_a_chain_as_truncated(void **state)
{
	struct target *t = *state;

	start(t, run_shallow);
	fill_with_frames(800);
	struct unwind_chain c = chain_at(t, (uintptr_t)heap + HEAP - 800, (uintptr_t)stop_here + 1);

	assert_int_equal(c.n, 100);
	assert_int_equal(c.truncated, CHAIN_UNREADABLE);
}

static void a_chain_ends_at_the_limit_as_truncated(void **state)
{
	struct target *t = *state;

	start(t, run_shallow);
	fill_with_frames(HEAP);
	struct unwind_chain c = chain_at(t, (uintptr_t)heap, (uintptr_t)stop_here + 1);

	assert_int_equal(c.n, UNWIND_MAX_FRAMES);
	assert_int_equal(c.truncated, CHAIN_TOO_DEEP);
}

/* A chain of @n frames of one word each; the outermost returns to address 0, which is its end. */
static struct unwind_chain made_chain(struct target *t, uint8_t *at, size_t n, uint64_t caller)
{
	const uint64_t ret = (uintptr_t)stop_here + 1, end = 0;

	for (size_t i = 1; i < n; i++)
		memcpy(at + 8 * i, i == 1 ? &caller : &ret, 8);
	memcpy(at + 8 * n, &end, 8);
	struct unwind_chain c = chain_at(t, (uintptr_t)at, ret);
	assert_int_equal(c.n, n);
	assert_int_equal(c.truncated, CHAIN_WHOLE);
	return c;
}

/* After so many different frames, all remembered ones are forgotten; here, in the middle of a
 * chain. */
static void notes_do_not_go_astray_when_what_is_remembered_is_forgotten(void **state)
{
	const uint64_t one = (uintptr_t)stop_here + 1, other = (uintptr_t)stop_here + 2;
	const size_t most = 900000, rest = STEPS_MAX - 2 - most;
	struct target *t = *state;

	start(t, run_shallow);
	struct unwind_chain c = made_chain(t, heap, 2, one);
	assert_noted(t, &c, 7);
	made_chain(t, heap + 4096, most, one);
	made_chain(t, heap + 4096 + 8 * (most + 10), rest, one);
	assert_int_equal(unwinder_counts(t->u).steps_made, STEPS_MAX);
	c = made_chain(t, heap, 2, other);
	assert_noted(t, &c, 7);
	c = made_chain(t, heap, 2, other);
	assert_noted(t, &c, 7);
}

/* Unwind in a process of its own that does not live for ever. */
static void assert_ends(struct target *t, taddr sp, taddr ret)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(20);
		signal(SIGALRM, SIG_DFL);
		chain_at(t, sp, ret);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		fail_msg("the chain does not end");
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The C library's way back from a handler, as the kernel knows it. */
static taddr way_back(void)
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		unsigned long mask;
	} k = { 0 };

	handle(SIGUSR2, on_signal_again, 0);
	assert_return_code(syscall(SYS_rt_sigaction, SIGUSR2, NULL, &k, 8), errno);
	signal(SIGUSR2, SIG_DFL);
	assert_true(is_trampoline(k.restorer));
	return (uintptr_t)k.restorer;
}

/* Two contexts of signals; each says that the other one was interrupted. */
/* ---- chains known as a whole ---- */

static void a_whole_chain_is_known_by_all_its_words(void **state)
{
	const uint64_t one = (uintptr_t)stop_here + 1, other = (uintptr_t)stop_here + 2;
	struct target *t = *state;
	unsigned known = 0;

	start(t, run_shallow);
	unwinder_check(t->u, true);
	for (int i = 0; i < 60; i++) {
		uint64_t caller = i < 10 || i % 3 ? one : other;
		struct unwind_chain c = made_chain(t, heap, 5, caller);
		uint32_t numbers[5];
		size_t n = 0;
		const uint32_t *noted = unwinder_noted_chain(&c, &n);

		assert_int_equal(c.frames[1].pc, caller);
		for (size_t k = 0; k < c.n; k++)
			numbers[k] = (uint32_t)c.frames[k].pc + 7;
		if (noted) {
			known++;
			assert_int_equal(n, 4);
			assert_memory_equal(noted, numbers + 1, 4 * sizeof *noted);
		}
		unwinder_note_chain(&c, numbers + 1, c.n - 1);
	}
	assert_true(known > 20);
	assert_int_equal(unwinder_counts(t->u).checked, 60);
	assert_int_equal(unwinder_counts(t->u).wrong, 0);
	unwinder_flush(t->u);
	assert_null(unwinder_noted_chain(&(struct unwind_chain){ .path = made_chain(t, heap, 5, one)
										 .path },
					 &(size_t){ 0 }));
}

/* As many as a set has entries are known at the same time; of more, some. */
static void chains_that_begin_alike_are_known_beside_each_other(void **state)
{
	const uint64_t one = (uintptr_t)stop_here + 1;
	struct target *t = *state;

	start(t, run_shallow);
	unwinder_check(t->u, true);
	for (unsigned ways = 1; ways <= 12; ways++) {
		unsigned known = 0;

		unwinder_flush(t->u);
		for (unsigned i = 0; i < 100 * ways; i++) {
			struct unwind_chain c = made_chain(t, heap, 3 + i % ways, one);

			known += c.path && i >= 50 * ways;
		}
		assert_true(known >= (ways <= PATH_WAYS ? 50 * ways : 50));
	}
	/* Who alone comes by from now on is known in the end. */
	for (unsigned i = 0; i < 100; i++)
		made_chain(t, heap, 20, one);
	assert_non_null(made_chain(t, heap, 20, one).path);
	assert_int_equal(unwinder_counts(t->u).wrong, 0);
}

static void a_whole_chain_is_known_by_the_registers_it_needs(void **state)
{
	struct target *t = *state;
	unsigned needed = 0;

	start(t, run_odd_frames);
	unwinder_check(t->u, true);
	for (int i = 0; i < 4; i++)
		chain_now(t);
	assert_non_null(chain_now(t).path);
	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++) {
		const uint64_t was = arch_kept(&t->regs, i);

		arch_set_kept(&t->regs, i, was + 16);
		needed += !chain_now(t).path;
		arch_set_kept(&t->regs, i, was);
	}
	assert_in_range(needed, 1, ARCH_KEPT_REGS - 1);
	assert_int_equal(unwinder_counts(t->u).wrong, 0);
}

/* Nothing ever returns there; but remembering must make no difference. Found by fuzzing. */
static void a_rule_that_asks_for_the_pc_is_told_the_same_each_time(void **state)
{
	const uint64_t outermost = 0, ret = (uintptr_t)stop_here + 1;
	struct target *t = *state;

	start(t, run_shallow);
	unwinder_check(t->u, true);
	for (size_t at = 1; at <= 16; at++) {
		const uint64_t stub = (uintptr_t)lazy_stub + at;

		for (size_t i = 0; i < 40; i++)
			memcpy(heap + 8 * i, i < 20 ? &stub : &outermost, 8);
		for (int i = 0; i < 4; i++) {
			chain_at(t, (uintptr_t)heap, ret);
			chain_at(t, (uintptr_t)heap, stub);
		}
	}
	assert_int_equal(unwinder_counts(t->u).wrong, 0);
}

static void handlers_that_interrupt_each_other_in_a_circle_come_to_an_end(void **state)
{
	struct target *t = *state;
	const taddr back = way_back();

	start(t, run_shallow);
	for (unsigned i = 0; i < 2; i++) {
		uint8_t *frame = heap + 8 + 4096 * i;
		uint64_t other = (uintptr_t)heap + 8 + 4096 * !i;
		ucontext_t *uc = (ucontext_t *)frame;

		memset(frame, 0, 2048);
		uc->uc_mcontext.gregs[REG_RSP] = (greg_t)other;
		uc->uc_mcontext.gregs[REG_RIP] = (greg_t)back;
	}
	assert_ends(t, (uintptr_t)heap, back);
}

static taddr random_code(const struct target *t)
{
	const struct mapping *m = &t->maps.maps[random_word() % t->maps.n];

	return m->start + random_word() % (m->end - m->start);
}

/* What a stack may hold: places in code, places in the stack, numbers. */
static uint64_t random_content(const struct target *t)
{
	switch (random_word() % 4) {
	case 0:
	case 1:
		return random_code(t);
	case 2:
		return (uintptr_t)heap + random_word() % 65536;
	default:
		return random_word() >> (random_word() % 64);
	}
}

/* Does code end, or go on, at the return address @pc? All of the program's is in files. */
static bool is_behind_code(const struct target *t, taddr pc)
{
	return mappings_find(&t->maps, pc - 1);
}

static void any_stack_at_all_gives_some_chain(void **state)
{
	struct target *t = *state;
	size_t longest = 0;

	start(t, run_shallow);
	random_state = 51;
	/* How often a chain becomes long by chance depends on how large the program's code is. */
	for (int round = 0; round < 2000 || (longest <= 5 && round < 50000); round++) {
		for (size_t i = 0; i < 8192; i += 8) {
			uint64_t w = random_content(t);
			memcpy(heap + i, &w, sizeof w);
		}
		t->regs.user.rbp = random_content(t);
		t->regs.user.rbx = random_content(t);
		struct unwind_chain c = chain_at(t, (uintptr_t)heap + random_word() % 4096,
						 random_code(t));

		assert_in_range(c.n, 1, UNWIND_MAX_FRAMES);
		for (size_t i = 1; i < c.n; i++)
			assert_true(c.frames[i].exact || is_behind_code(t, c.frames[i].pc));
		if (c.n > longest)
			longest = c.n;
	}
	assert_true(longest > 5);
}

#define UNWIND_TEST(f) cmocka_unit_test_setup_teardown(f, target_setup, target_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNWIND_TEST(a_chain_is_what_the_program_says_itself),
		UNWIND_TEST(a_chain_of_ten_thousand_frames_is_followed_to_its_end),
		UNWIND_TEST(frames_of_any_size_and_alignment_are_passed),
		UNWIND_TEST(a_chain_ends_at_the_frame_that_is_sought),
		UNWIND_TEST(a_frame_is_found_in_a_chain_that_is_known_as_a_whole),
		UNWIND_TEST(a_frame_is_found_behind_a_signal_handler),
		UNWIND_TEST(what_is_not_in_a_chain_is_not_found),
		UNWIND_TEST(a_word_far_up_is_read_without_what_is_below),
		UNWIND_TEST(every_frame_lies_above_the_one_it_called),
		UNWIND_TEST(a_handler_stands_on_the_instruction_that_was_interrupted),
		UNWIND_TEST(a_handler_may_interrupt_a_system_call_or_another_handler),
		UNWIND_TEST(a_handler_may_interrupt_code_that_is_in_no_file),
		UNWIND_TEST(a_chain_goes_on_from_a_handlers_own_stack_to_the_programs),
		UNWIND_TEST(the_stack_below_a_handler_is_read_anew_at_each_stop),
		UNWIND_TEST(a_frame_of_megabytes_is_passed),
		UNWIND_TEST(the_stack_above_a_frame_of_megabytes_is_read_anew_at_each_stop),
		UNWIND_TEST(the_chain_of_a_coroutine_goes_to_where_it_began),
		UNWIND_TEST(code_that_tells_nothing_of_its_frames_is_passed_by_its_frame_pointer),
		UNWIND_TEST(code_without_a_frame_pointer_ends_a_chain_as_truncated),
		UNWIND_TEST(what_is_no_return_address_ends_a_chain_as_truncated),
		UNWIND_TEST(tables_that_lead_to_no_code_end_a_chain_as_truncated),
		UNWIND_TEST(tables_that_run_in_circles_end_a_chain_as_truncated),
		UNWIND_TEST(tables_that_lead_nowhere_end_a_chain_as_truncated),
		UNWIND_TEST(the_same_stop_gives_the_same_chain_again),
		UNWIND_TEST(what_is_remembered_holds_only_for_the_stack_it_was_seen_on),
		UNWIND_TEST(what_is_noted_with_a_frame_is_told_of_that_frame),
		UNWIND_TEST(words_are_read_from_anywhere_that_can_be_read),
		UNWIND_TEST(a_new_snapshot_sees_what_has_been_written_since),
		UNWIND_TEST(a_stack_that_is_not_there_is_told),
		UNWIND_TEST(a_stack_written_over_ends_a_chain_as_truncated),
		UNWIND_TEST(a_stack_that_runs_out_of_memory_ends_a_chain_as_truncated),
		UNWIND_TEST(a_chain_ends_at_the_limit_as_truncated),
		UNWIND_TEST(notes_do_not_go_astray_when_what_is_remembered_is_forgotten),
		UNWIND_TEST(a_whole_chain_is_known_by_all_its_words),
		UNWIND_TEST(chains_that_begin_alike_are_known_beside_each_other),
		UNWIND_TEST(a_whole_chain_is_known_by_the_registers_it_needs),
		UNWIND_TEST(a_rule_that_asks_for_the_pc_is_told_the_same_each_time),
		UNWIND_TEST(handlers_that_interrupt_each_other_in_a_circle_come_to_an_end),
		UNWIND_TEST(any_stack_at_all_gives_some_chain),
	};

	/* The first call of backtrace() loads a library: not in the child, where it may not be. */
	void *warm[4];
	backtrace(warm, 4);
	return cmocka_run_group_tests_name("unwind", tests, NULL, NULL);
}
