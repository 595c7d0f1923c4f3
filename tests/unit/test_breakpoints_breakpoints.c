/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints in a forked child, which is stopped unless it is made to run a few of the
 * instructions in a page of code. */
#include "unit/unit.h"
#include "breakpoints/breakpoints.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define CODE_AT 0x200000000000u		/* a page of code, one of data, and one to make slots in */
#define DATA_AT (CODE_AT + 4096)
#define SLACK_AT (CODE_AT + 8192)
#define HOLE_AT (CODE_AT + 12288)	/* nothing is there */
#define FAR_AT (CODE_AT + 0x100000000u)	/* a page out of reach of 32 bits */
#define PAGE 4096u

/* Sum of the 8 words in the data page, in a function and a loop; rdi counts down. */
static const uint8_t program[] = {
	/* 00 */ 0xf3, 0x0f, 0x1e, 0xfa,		/* endbr64 */
	/* 04 */ 0x55,					/* push %rbp */
	/* 05 */ 0x48, 0x89, 0xe5,			/* mov %rsp,%rbp */
	/* 08 */ 0x48, 0x8d, 0x35, 0xf1, 0x0f, 0, 0,	/* lea 0xff1(%rip),%rsi */
	/* 0f */ 0x31, 0xc0,				/* xor %eax,%eax */
	/* 11 */ 0xe8, 0x12, 0, 0, 0,			/* call 28 */
	/* 16 */ 0x48, 0xff, 0xcf,			/* dec %rdi */
	/* 19 */ 0x48, 0x85, 0xff,			/* test %rdi,%rdi */
	/* 1c */ 0x75, 0xf3,				/* jne 11 */
	/* 1e */ 0x5d,					/* pop %rbp */
	/* 1f */ 0x48, 0x8b, 0x15, 0xda, 0x0f, 0, 0,	/* mov 0xfda(%rip),%rdx */
	/* 26 */ 0xcc,					/* int3: the end */
	/* 27 */ 0x90,
	/* 28 */ 0x48, 0x03, 0x44, 0xfe, 0xf8,		/* add -8(%rsi,%rdi,8),%rax */
	/* 2d */ 0xeb, 0x01,				/* jmp 30 */
	/* 2f */ 0x06,					/* no instruction */
	/* 30 */ 0xc3,					/* ret */
};
static const uint8_t starts[] = { 0x00, 0x04, 0x05, 0x08, 0x0f, 0x11, 0x16, 0x19, 0x1c, 0x1e, 0x1f,
				  0x28, 0x2d, 0x30 };
enum { N_STARTS = sizeof starts, END = 0x26, N_WORDS = 8 };

struct target {
	pid_t pid;
	struct address_space *space;
	struct user_regs_struct start;
	struct breakpoints breakpoints;
	uint8_t before[3 * PAGE];	/* what its pages held */
};

static void fill_pages(void)
{
	uint8_t *code = (uint8_t *)(uintptr_t)CODE_AT;
	uint64_t *data = (uint64_t *)(uintptr_t)DATA_AT, *slack = (uint64_t *)(uintptr_t)SLACK_AT;

	memset(code, 0x90, PAGE);
	memcpy(code, program, sizeof program);
	for (uint64_t i = 0; i < PAGE / 8; i++) {
		data[i] = i * 0x0123456789abcdefu;
		slack[i] = i * 0xfedcba987654321u;
	}
}

static bool map_pages(void)
{
	static const struct {
		taddr at;
		size_t len;
	} maps[] = { { CODE_AT, 3 * PAGE }, { FAR_AT, PAGE } };

	for (size_t i = 0; i < 2; i++)
		if (mmap((void *)(uintptr_t)maps[i].at, maps[i].len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
			return false;
	fill_pages();
	/* Writing to what the program itself could not write to. */
	return !mprotect((void *)(uintptr_t)CODE_AT, PAGE, PROT_READ | PROT_EXEC) &&
	       !mprotect((void *)(uintptr_t)SLACK_AT, PAGE, PROT_READ | PROT_EXEC) &&
	       !mprotect((void *)(uintptr_t)FAR_AT, PAGE, PROT_READ | PROT_EXEC);
}

static void end_target(struct target *t)
{
	if (t->pid <= 0)
		return;
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	t->pid = 0;
}

static int target_setup(void **state)
{
	struct target *t = calloc(1, sizeof *t);
	int status;

	*state = t;
	if (!t || !map_pages())
		return -1;
	memcpy(t->before, (void *)(uintptr_t)CODE_AT, sizeof t->before);
	t->pid = fork();
	if (t->pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(1);
	}
	if (t->pid < 0 || waitpid(t->pid, &status, 0) != t->pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, t->pid, NULL, (void *)PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_GETREGS, t->pid, NULL, &t->start))
		return -1;
	t->start.orig_rax = UINT64_MAX; /* in no system call */
	t->space = address_space_new(t->pid);
	t->breakpoints.pid = t->pid;
	return t->space ? 0 : -1;
}

static int target_teardown(void **state)
{
	struct target *t = *state;

	breakpoints_release(&t->breakpoints);
	address_space_free(t->space);
	end_target(t);
	munmap((void *)(uintptr_t)CODE_AT, 3 * PAGE);
	munmap((void *)(uintptr_t)FAR_AT, PAGE);
	free(t);
	return 0;
}

/* ---- helpers ---- */

static struct breakpoint *plant(struct target *t, taddr at, enum breakpoint_role role)
{
	int err = 1;
	struct breakpoint *bp = breakpoints_plant(&t->breakpoints, t->space, at, role, &err);

	if (!bp)
		fail_msg("no trap at %#llx: %s", (unsigned long long)at, strerror(-err));
	assert_int_equal(err, 0);
	assert_int_equal(bp->at, at);
	return bp;
}

static void plant_everywhere(struct target *t)
{
	for (unsigned i = 0; i < N_STARTS; i++)
		plant(t, CODE_AT + starts[i], BREAKPOINT_RETURN);
}

static void read_at(const struct target *t, taddr at, void *buf, size_t len)
{
	assert_int_equal(address_space_read(t->space, at, buf, len), len);
}

static void write_at(const struct target *t, taddr at, const void *buf, size_t len)
{
	assert_int_equal(address_space_write(t->space, at, buf, len), len);
}

static uint8_t byte_at(const struct target *t, taddr at)
{
	uint8_t b;

	read_at(t, at, &b, 1);
	return b;
}

static void assert_untouched(const struct target *t)
{
	uint8_t now[sizeof t->before];

	read_at(t, CODE_AT, now, sizeof now);
	/* The stack is in the data page. */
	assert_memory_equal(now, t->before, PAGE);
	assert_memory_equal(now + PAGE, t->before + PAGE, PAGE / 2);
	assert_memory_equal(now + 2 * PAGE, t->before + 2 * PAGE, PAGE);
}

/* Go on until the next trap instruction; the pc is put back to it. */
static void run(const struct target *t, struct arch_regs *r, enum __ptrace_request how)
{
	int status;

	assert_int_equal(arch_set_regs(t->pid, r), 0);
	assert_return_code(ptrace(how, t->pid, NULL, NULL), errno);
	assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(WSTOPSIG(status), SIGTRAP);
	assert_int_equal(arch_get_regs(t->pid, r), 0);
	if (how == PTRACE_CONT)
		arch_set_pc(r, arch_pc(r) - arch_trap_size);
}

/* Pass a breakpoint as whoever owns the breakpoints has to. */
static void pass(const struct target *t, struct arch_regs *r)
{
	const struct breakpoint *bp = breakpoints_at(&t->breakpoints, arch_pc(r));
	bool push;
	uint64_t word;

	assert_non_null(bp);
	switch (bp->insn.how) {
	case ARCH_EMULATE:
		arch_emulate(&bp->insn, bp->at, r, &push, &word);
		if (push)
			write_at(t, arch_sp(r), &word, sizeof word);
		break;
	case ARCH_STEP:
		breakpoint_lift(t->space, bp);
		run(t, r, PTRACE_SINGLESTEP);
		breakpoint_restore(t->space, bp);
		break;
	default:
		assert_int_not_equal(bp->slot, 0);
		arch_set_pc(r, bp->slot);
	}
}

static struct arch_regs at_start(const struct target *t)
{
	struct arch_regs r = { t->start };

	r.user.rip = CODE_AT;
	r.user.rsp = DATA_AT + PAGE - 64;
	r.user.rbp = 0x1234;
	r.user.rdi = N_WORDS;
	return r;
}

/* Run the program to its end, through all breakpoints; returns how many it met. */
static unsigned run_program(const struct target *t, struct arch_regs *r)
{
	unsigned hits = 0;

	*r = at_start(t);
	for (;;) {
		run(t, r, PTRACE_CONT);
		if (arch_pc(r) == CODE_AT + END)
			return hits;
		assert_true(++hits < 1000);
		pass(t, r);
	}
}

static void assert_program_runs(const struct target *t, unsigned hits)
{
	struct arch_regs r;
	uint64_t first, sum = 0, word;

	assert_int_equal(run_program(t, &r), hits);
	read_at(t, DATA_AT, &first, sizeof first);
	for (unsigned i = 0; i < N_WORDS; i++) {
		read_at(t, DATA_AT + 8 * i, &word, sizeof word);
		sum += word;
	}
	assert_int_equal(r.user.rax, sum);
	assert_int_equal(r.user.rsi, DATA_AT);
	assert_int_equal(r.user.rdx, first);
	assert_int_equal(r.user.rdi, 0);
	assert_int_equal(r.user.rbp, 0x1234);
	assert_int_equal(r.user.rsp, DATA_AT + PAGE - 64);
}

/* Every instruction once, those of the loop and of the function eight times. */
#define ALL_HITS (5 + 7 * N_WORDS + 2)

static unsigned count_how(const struct target *t, enum arch_insn_how how)
{
	unsigned n = 0;

	for (size_t i = 0; i < t->breakpoints.n; i++)
		n += t->breakpoints.v[i].insn.how == how;
	return n;
}

/* ---- planting ---- */

static void a_trap_takes_the_place_of_one_byte_and_remembers_the_instruction(void **state)
{
	struct target *t = *state;
	struct breakpoint *bp = plant(t, CODE_AT + 8, BREAKPOINT_ENTRY);

	assert_int_equal(byte_at(t, CODE_AT + 8), arch_trap[0]);
	for (unsigned i = 0; i < PAGE; i++)
		if (i != 8)
			assert_int_equal(byte_at(t, CODE_AT + i), t->before[i]);
	assert_int_equal(bp->insn.size, 7);
	assert_memory_equal(bp->insn.bytes, program + 8, 7);
	assert_int_equal(bp->roles, BREAKPOINT_ENTRY);
	assert_int_equal(bp->file, NO_FILE);
	assert_ptr_equal(breakpoints_at(&t->breakpoints, CODE_AT + 8), bp);
	assert_null(breakpoints_at(&t->breakpoints, CODE_AT + 7));
	assert_null(breakpoints_at(&t->breakpoints, CODE_AT + 9));
	assert_int_equal(t->breakpoints.planted, 1);
}

static void a_trap_that_is_there_gets_the_other_role_too(void **state)
{
	struct target *t = *state;

	plant(t, CODE_AT + 4, BREAKPOINT_ENTRY)->probe = 3;
	struct breakpoint *bp = plant(t, CODE_AT + 4, BREAKPOINT_RETURN);

	assert_int_equal(bp->roles, BREAKPOINT_ENTRY | BREAKPOINT_RETURN);
	assert_int_equal(bp->probe, 3);
	assert_int_equal(bp->insn.bytes[0], 0x55);
	assert_int_equal(t->breakpoints.n, 1);
	assert_int_equal(t->breakpoints.planted, 1);
}

static void a_trap_is_not_taken_for_the_programs_own_byte(void **state)
{
	struct target *t = *state;

	/* The second is inside of what is read to decode the first; then inside of its very bytes,
	 * as it would be if the program jumped into the middle of an instruction. */
	plant(t, CODE_AT + 5, BREAKPOINT_RETURN);
	struct breakpoint *bp = plant(t, CODE_AT + 4, BREAKPOINT_RETURN);
	assert_memory_equal(bp->insn.bytes, program + 4, 1);
	plant(t, CODE_AT + 0x29, BREAKPOINT_RETURN);
	bp = plant(t, CODE_AT + 0x28, BREAKPOINT_RETURN);
	assert_int_equal(bp->insn.size, 5);
	assert_memory_equal(bp->insn.bytes, program + 0x28, 5);
}

static void where_no_trap_can_be_nothing_changes(void **state)
{
	struct target *t = *state;
	int err = 0;

	assert_null(breakpoints_plant(&t->breakpoints, t->space, HOLE_AT, BREAKPOINT_RETURN, &err));
	assert_int_equal(err, -EIO);
	assert_null(breakpoints_plant(&t->breakpoints, t->space, CODE_AT + 0x2f, BREAKPOINT_RETURN,
				      &err));
	assert_int_equal(err, -EILSEQ);
	/* The last byte of the mapping begins an instruction that does not end there. */
	write_at(t, HOLE_AT - 1, "\xe8", 1);
	assert_null(
		breakpoints_plant(&t->breakpoints, t->space, HOLE_AT - 1, BREAKPOINT_RETURN, &err));
	assert_int_equal(err, -EILSEQ);
	write_at(t, HOLE_AT - 1, t->before + 3 * PAGE - 1, 1);
	assert_int_equal(t->breakpoints.n, 0);
	assert_int_equal(t->breakpoints.planted, 0);
	assert_untouched(t);
}

static void a_process_that_is_gone_is_told(void **state)
{
	struct target *t = *state;
	int err = 0;

	end_target(t);
	assert_null(breakpoints_plant(&t->breakpoints, t->space, CODE_AT, BREAKPOINT_RETURN, &err));
	assert_int_equal(err, -ESRCH);
}

/* ---- slots ---- */

static void a_program_full_of_traps_does_what_it_does_without(void **state)
{
	struct target *t = *state;

	assert_program_runs(t, 0);
	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	plant_everywhere(t);
	assert_int_equal(count_how(t, ARCH_STEP), 0);
	assert_true(count_how(t, ARCH_COPY) && count_how(t, ARCH_COPY_RELATIVE) &&
		    count_how(t, ARCH_EMULATE));
	assert_program_runs(t, ALL_HITS);
}

static void without_slack_it_does_so_step_by_step(void **state)
{
	struct target *t = *state;

	plant_everywhere(t);
	assert_int_equal(count_how(t, ARCH_COPY) + count_how(t, ARCH_COPY_RELATIVE), 0);
	assert_true(count_how(t, ARCH_STEP));
	assert_program_runs(t, ALL_HITS);
}

static void slots_do_not_overlap_and_stay_within_the_slack(void **state)
{
	struct target *t = *state;
	uint8_t used[PAGE] = { 0 };

	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	plant_everywhere(t);
	for (size_t i = 0; i < t->breakpoints.n; i++) {
		const struct breakpoint *bp = &t->breakpoints.v[i];

		if (!bp->slot)
			continue;
		assert_in_range(bp->slot, SLACK_AT, SLACK_AT + PAGE - bp->slot_size);
		for (unsigned k = 0; k < bp->slot_size; k++)
			assert_int_equal(used[bp->slot - SLACK_AT + k]++, 0);
	}
	for (unsigned i = 0; i < PAGE; i++)
		if (!used[i])
			assert_int_equal(byte_at(t, SLACK_AT + i), t->before[2 * PAGE + i]);
}

static void what_does_not_fit_the_slack_any_more_runs_at_its_own_place(void **state)
{
	struct target *t = *state;

	/* Room for a push and its jump back, and 5 bytes. */
	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + 11), 0);
	assert_int_equal(plant(t, CODE_AT + 0x04, BREAKPOINT_RETURN)->slot, SLACK_AT);
	assert_int_equal(plant(t, CODE_AT + 0x0f, BREAKPOINT_RETURN)->insn.how, ARCH_STEP);
	assert_int_equal(plant(t, CODE_AT + 0x1e, BREAKPOINT_RETURN)->insn.how, ARCH_STEP);
	assert_int_equal(byte_at(t, SLACK_AT + 6), t->before[2 * PAGE + 6]);
	/* Another module brings new slack. */
	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT + 64, SLACK_AT + 128),
			 0);
	assert_int_equal(plant(t, CODE_AT + 0x30, BREAKPOINT_RETURN)->slot, SLACK_AT + 64);
}

static void only_what_is_relative_needs_slack_within_reach(void **state)
{
	struct target *t = *state;

	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, FAR_AT, FAR_AT + PAGE), 0);
	/* lea */
	assert_int_equal(plant(t, CODE_AT + 0x08, BREAKPOINT_RETURN)->insn.how, ARCH_STEP);
	assert_int_equal(plant(t, CODE_AT + 0x04, BREAKPOINT_RETURN)->slot, FAR_AT); /* push */
	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	assert_int_equal(plant(t, CODE_AT + 0x1f, BREAKPOINT_RETURN)->slot, SLACK_AT); /* mov */
	plant_everywhere(t);
	assert_program_runs(t, ALL_HITS);
}

static void slack_that_cannot_be_read_is_not_used(void **state)
{
	struct target *t = *state;

	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, HOLE_AT - 16, HOLE_AT + 64), 0);
	assert_int_equal(plant(t, CODE_AT + 4, BREAKPOINT_RETURN)->insn.how, ARCH_STEP);
	/* none at all */
	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT), 0);
	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT + 8, SLACK_AT), 0);
	assert_int_equal(plant(t, CODE_AT + 0x0f, BREAKPOINT_RETURN)->insn.how, ARCH_STEP);
}

/* ---- where a task really is ---- */

static void a_pc_in_a_slot_is_told_as_the_programs_own(void **state)
{
	struct target *t = *state;
	bool before;

	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	plant_everywhere(t);
	for (size_t i = 0; i < t->breakpoints.n; i++) {
		const struct breakpoint *bp = &t->breakpoints.v[i];

		if (!bp->slot)
			continue;
		assert_int_equal(breakpoints_own_pc(&t->breakpoints, bp->slot, &before), bp->at);
		assert_true(before);
		/* The jump back, and should it ever be interrupted, what is in it. */
		for (unsigned k = bp->insn.size; k < bp->slot_size; k++) {
			assert_int_equal(breakpoints_own_pc(&t->breakpoints, bp->slot + k, &before),
					 bp->at + bp->insn.size);
			assert_false(before);
		}
	}
}

static void any_other_pc_is_its_own(void **state)
{
	static const taddr places[] = { CODE_AT, CODE_AT + 1, SLACK_AT + PAGE - 1, SLACK_AT + PAGE,
					0,
					UINT64_MAX };
	struct target *t = *state;
	bool before = true;

	assert_int_equal(breakpoints_own_pc(&t->breakpoints, SLACK_AT, &before), SLACK_AT);
	assert_false(before);
	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	plant_everywhere(t);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		before = true;
		assert_int_equal(breakpoints_own_pc(&t->breakpoints, places[i], &before),
				 places[i]);
		assert_false(before);
	}
}

/* ---- lifting ---- */

static void lifting_puts_back_every_byte_and_the_slack(void **state)
{
	struct target *t = *state;

	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	plant_everywhere(t);
	breakpoints_lift(&t->breakpoints, t->space);
	assert_untouched(t);
	assert_program_runs(t, 0);
	assert_int_equal(t->breakpoints.n, N_STARTS); /* the table stays */
}

static void what_was_lifted_can_be_put_back(void **state)
{
	struct target *t = *state;

	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	plant_everywhere(t);
	breakpoints_lift(&t->breakpoints, t->space);
	breakpoints_put_back(&t->breakpoints, t->space);
	assert_program_runs(t, ALL_HITS);
	breakpoints_lift(&t->breakpoints, t->space);
	assert_untouched(t);
}

static void one_trap_is_lifted_and_restored_by_itself(void **state)
{
	struct target *t = *state;
	struct breakpoint *bp = plant(t, CODE_AT + 4, BREAKPOINT_RETURN);

	plant(t, CODE_AT + 5, BREAKPOINT_RETURN);
	breakpoint_lift(t->space, bp);
	assert_int_equal(byte_at(t, CODE_AT + 4), 0x55);
	assert_int_equal(byte_at(t, CODE_AT + 5), arch_trap[0]);
	breakpoint_restore(t->space, bp);
	assert_int_equal(byte_at(t, CODE_AT + 4), arch_trap[0]);
}

/* An address that malloc rarely returns to, but other functions often. */
static void a_trap_that_others_come_by_is_there_only_while_a_call_is_pending(void **state)
{
	struct target *t = *state;
	const taddr at = CODE_AT + 0x16;
	int err;
	struct breakpoint *bp = breakpoints_plant(&t->breakpoints, t->space, at, BREAKPOINT_RETURN,
						  &err);

	assert_non_null(bp);
	for (int i = 0; i < 15; i++)
		breakpoint_was_spurious(t->space, bp);
	assert_int_equal(byte_at(t, at), 0xcc); /* too few to tell */
	breakpoint_await(&t->breakpoints, t->space, bp);
	breakpoint_was_spurious(t->space, bp);
	assert_int_equal(byte_at(t, at), 0xcc); /* somebody is to return here */
	breakpoint_await(&t->breakpoints, t->space, bp);
	breakpoint_awaited(t->space, bp);
	assert_int_equal(byte_at(t, at), 0xcc);
	breakpoint_awaited(t->space, bp);
	assert_int_equal(byte_at(t, at), program[0x16]);
	/* who had hit it before may still tell */
	assert_ptr_equal(breakpoints_at(&t->breakpoints, at), bp);
	breakpoint_await(&t->breakpoints, t->space, bp);
	assert_int_equal(byte_at(t, at), 0xcc);
	assert_int_equal(t->breakpoints.planted, 2);
	breakpoint_awaited(t->space, bp);
	breakpoints_lift(&t->breakpoints, t->space);
	breakpoints_put_back(&t->breakpoints, t->space);
	assert_int_equal(byte_at(t, at), program[0x16]);
	breakpoints_lift(&t->breakpoints, t->space);
	assert_untouched(t);
}

static void a_trap_that_is_hit_for_its_calls_stays(void **state)
{
	struct target *t = *state;
	const taddr at = CODE_AT + 0x16;
	int err;
	struct breakpoint *bp = breakpoints_plant(&t->breakpoints, t->space, at, BREAKPOINT_RETURN,
						  &err);

	assert_non_null(bp);
	bp->hits = 1000;
	for (int i = 0; i < 100; i++)
		breakpoint_was_spurious(t->space, bp);
	assert_int_equal(byte_at(t, at), 0xcc);
	bp->hits = 0;
	breakpoint_was_spurious(t->space, bp);
	assert_int_equal(byte_at(t, at), program[0x16]);
	/* As an entry it is needed in any case. */
	breakpoints_plant(&t->breakpoints, t->space, at, BREAKPOINT_ENTRY, &err);
	assert_int_equal(byte_at(t, at), 0xcc);
	breakpoint_was_spurious(t->space, bp);
	assert_int_equal(byte_at(t, at), 0xcc);
}

static void lifting_leaves_alone_what_is_no_longer_a_trap(void **state)
{
	struct target *t = *state;

	plant_everywhere(t);
	write_at(t, CODE_AT + 0x1e, "\x90", 1);
	breakpoints_lift(&t->breakpoints, t->space);
	assert_int_equal(byte_at(t, CODE_AT + 0x1e), 0x90);
	write_at(t, CODE_AT + 0x1e, program + 0x1e, 1);
	assert_untouched(t);
}

/* ---- code that changes ---- */

static struct breakpoint *plant_volatile(struct target *t, taddr at)
{
	struct breakpoint *bp = plant(t, at, BREAKPOINT_RETURN);

	bp->volatile_code = true;
	return bp;
}

static void a_trap_that_was_written_over_is_planted_again(void **state)
{
	struct target *t = *state;
	struct breakpoint *bp = plant_volatile(t, CODE_AT + 4);

	write_at(t, CODE_AT + 4, "\x5b", 1); /* pop %rbx */
	breakpoints_refresh(&t->breakpoints, t->space, bp);
	assert_int_equal(byte_at(t, CODE_AT + 4), arch_trap[0]);
	assert_int_equal(bp->insn.bytes[0], 0x5b);
	breakpoint_lift(t->space, bp);
	assert_int_equal(byte_at(t, CODE_AT + 4), 0x5b);
	/* Once lifted, what is written there stays. */
	write_at(t, CODE_AT + 4, "\x90", 1);
	breakpoint_lift(t->space, bp);
	assert_int_equal(byte_at(t, CODE_AT + 4), 0x90);
}

static void a_trap_that_is_in_place_stays_as_it_is(void **state)
{
	struct target *t = *state;

	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	struct breakpoint *bp = plant_volatile(t, CODE_AT + 4), was = *bp;

	breakpoints_refresh(&t->breakpoints, t->space, bp);
	assert_memory_equal(bp, &was, sizeof was);
	assert_int_equal(byte_at(t, CODE_AT + 4), arch_trap[0]);
}

/* The slot has the old instruction, which must not run any more. */
static void new_code_under_a_trap_does_not_run_the_old_slot(void **state)
{
	struct target *t = *state;

	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	struct breakpoint *bp = plant_volatile(t, CODE_AT + 0x16); /* dec %rdi ... */

	assert_int_not_equal(bp->slot, 0);
	write_at(t, CODE_AT + 0x16, "\x48\x31\xff", 3); /* ... becomes xor %rdi,%rdi: one round */
	breakpoints_refresh(&t->breakpoints, t->space, bp);
	if (bp->insn.how == ARCH_STEP)
		assert_int_equal(bp->slot, 0);

	struct arch_regs r;
	uint64_t last;
	run_program(t, &r);
	read_at(t, DATA_AT + 8 * (N_WORDS - 1), &last, sizeof last);
	assert_int_equal(r.user.rax, last);
}

/* JIT compilers patch the target of a call, or a constant, and do not change the first byte. */
static void new_bytes_behind_a_trap_are_noticed(void **state)
{
	struct target *t = *state;
	struct breakpoint *bp = plant_volatile(t, CODE_AT + 0x11); /* call 28 ... */

	write_at(t, CODE_AT + 0x12, "\x01", 1); /* ... becomes call 17 */
	breakpoints_refresh(&t->breakpoints, t->space, bp);
	assert_int_equal(bp->insn.bytes[1], 0x01);
}

/* The byte that the program had where a breakpoint was is not that of the code it has now. */
static void new_code_over_a_trap_is_what_the_next_one_there_displaces(void **state)
{
	struct target *t = *state;
	static const char code[] = "\xb8\x01\x02\x03\x04"; /* mov $0x4030201,%eax */

	plant_volatile(t, CODE_AT + 0x19);
	write_at(t, CODE_AT + 0x16, code, 5);
	struct breakpoint *bp = plant_volatile(t, CODE_AT + 0x16);

	assert_int_equal(bp->insn.size, 5);
	assert_memory_equal(bp->insn.bytes, code, 5);
}

/* While the breakpoints are out, a JIT compiler may write other code there, where no instruction
 * need begin. One does if it is a return address. */
static void what_comes_back_is_a_trap_for_the_code_that_is_there_now(void **state)
{
	struct target *t = *state;

	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	struct breakpoint *bp = plant_volatile(t, CODE_AT + 0x16); /* dec %rdi ... */
	breakpoints_lift(&t->breakpoints, t->space);
	write_at(t, CODE_AT + 0x16, "\x48\x31\xff", 3); /* ... becomes xor %rdi,%rdi: one round */
	breakpoints_put_back(&t->breakpoints, t->space);
	assert_int_equal(byte_at(t, CODE_AT + 0x16), 0x48);
	breakpoints_refresh(&t->breakpoints, t->space, bp);
	breakpoint_await(&t->breakpoints, t->space, bp);
	assert_int_equal(byte_at(t, CODE_AT + 0x16), arch_trap[0]);

	struct arch_regs r;
	uint64_t last;
	run_program(t, &r);
	read_at(t, DATA_AT + 8 * (N_WORDS - 1), &last, sizeof last);
	assert_int_equal(r.user.rax, last);
}

/* Programs that generate code fill discarded code with trap instructions. */
static void what_a_program_has_filled_with_traps_of_its_own_is_left_alone(void **state)
{
	static const taddr places[] = { CODE_AT + 0x04, CODE_AT + 0x08, CODE_AT + 0x16,
					CODE_AT + 0x30 };
	struct target *t = *state;
	uint8_t filler[PAGE], now[PAGE];

	memset(filler, arch_trap[0], sizeof filler);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		plant_volatile(t, places[i]);
	write_at(t, CODE_AT, filler, sizeof filler);
	breakpoints_lift(&t->breakpoints, t->space);
	read_at(t, CODE_AT, now, sizeof now);
	assert_memory_equal(now, filler, sizeof now);
}

static void a_trap_of_the_programs_own_in_other_code_is_left_alone(void **state)
{
	struct target *t = *state;
	uint8_t code[64];

	plant_volatile(t, CODE_AT + 0x1e); /* one byte */
	plant_volatile(t, CODE_AT + 0x1f); /* seven */
	memset(code, 0x91, sizeof code);
	code[0x1e] = code[0x1f] = arch_trap[0];
	write_at(t, CODE_AT, code, sizeof code);
	breakpoints_lift(&t->breakpoints, t->space);
	assert_int_equal(byte_at(t, CODE_AT + 0x1e), arch_trap[0]);
	assert_int_equal(byte_at(t, CODE_AT + 0x1f), arch_trap[0]);
	assert_true(
		breakpoint_is_foreign(t->space, breakpoints_at(&t->breakpoints, CODE_AT + 0x1e)));
	/* Nor is one put where another instruction has the same first byte. */
	memset(code, 0x5d, sizeof code);
	write_at(t, CODE_AT, code, sizeof code);
	breakpoints_put_back(&t->breakpoints, t->space);
	assert_int_equal(byte_at(t, CODE_AT + 0x1e), 0x5d);
}

/* A trap left behind would kill the program. */
static void a_trap_with_patched_code_on_one_side_is_lifted(void **state)
{
	struct target *t = *state;

	plant_volatile(t, CODE_AT + 0x11);		/* call 28 */
	plant_volatile(t, CODE_AT + 0x1e);		/* pop %rbp */
	assert_false(
		breakpoint_is_foreign(t->space, breakpoints_at(&t->breakpoints, CODE_AT + 0x1e)));
	write_at(t, CODE_AT + 0x12, "\x01\x02\x03\x04", 4);
	write_at(t, CODE_AT + 0x22, "\x05\x06", 2);
	breakpoints_lift(&t->breakpoints, t->space);
	assert_int_equal(byte_at(t, CODE_AT + 0x11), program[0x11]);
	assert_int_equal(byte_at(t, CODE_AT + 0x1e), program[0x1e]);
	breakpoints_put_back(&t->breakpoints, t->space);
	assert_int_equal(byte_at(t, CODE_AT + 0x1e), arch_trap[0]);
	write_at(t, CODE_AT + 0x1d, "\x05", 1);
	write_at(t, CODE_AT + 0x22, program + 0x22, 2);
	breakpoints_lift(&t->breakpoints, t->space);
	assert_int_equal(byte_at(t, CODE_AT + 0x1e), program[0x1e]);
}

/* With other traps of ours next to it, inserted before and after, and at the end of a mapping. */
static void a_trap_among_others_is_lifted(void **state)
{
	struct target *t = *state;

	for (unsigned i = 0; i < N_STARTS; i++)
		plant_volatile(t, CODE_AT + starts[i]);
	plant_volatile(t, FAR_AT);
	breakpoints_lift(&t->breakpoints, t->space);
	assert_untouched(t);
	assert_int_equal(byte_at(t, FAR_AT), ((uint8_t *)(uintptr_t)FAR_AT)[0]);
}

/* ---- what goes, and what is copied ---- */

static void traps_in_memory_that_went_are_forgotten(void **state)
{
	struct target *t = *state;

	plant_everywhere(t);
	breakpoints_forget(&t->breakpoints, NULL, CODE_AT + 0x11, CODE_AT + 0x28);
	for (unsigned i = 0; i < N_STARTS; i++) {
		const struct breakpoint *bp = breakpoints_at(&t->breakpoints, CODE_AT + starts[i]);

		if (starts[i] >= 0x11 && starts[i] < 0x28) {
			assert_null(bp);
		} else {
			assert_non_null(bp);
			assert_int_equal(bp->at, CODE_AT + starts[i]);
		}
	}
	breakpoints_forget(&t->breakpoints, NULL, 0, UINT64_MAX);
	assert_int_equal(t->breakpoints.n, 0);
	assert_null(breakpoints_at(&t->breakpoints, CODE_AT));
}

/* As in a program that moves its code: other memory, the same bytes. */
static void traps_that_the_program_has_copied_remain(void **state)
{
	struct target *t = *state;

	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	plant_everywhere(t);
	breakpoints_forget(&t->breakpoints, t->space, CODE_AT, CODE_AT + PAGE);
	breakpoints_forget(&t->breakpoints, t->space, SLACK_AT, SLACK_AT + PAGE);
	assert_int_equal(t->breakpoints.n, N_STARTS);
	assert_int_equal(t->breakpoints.n_slacks, 1);
	assert_true(count_how(t, ARCH_COPY) + count_how(t, ARCH_COPY_RELATIVE) > 0);
	for (size_t i = 0; i < t->breakpoints.n; i++)
		assert_true(t->breakpoints.v[i].volatile_code);
	assert_program_runs(t, ALL_HITS);
	breakpoints_lift(&t->breakpoints, t->space);
	assert_untouched(t);
	/* Now there is nothing of them. */
	breakpoints_forget(&t->breakpoints, t->space, CODE_AT, CODE_AT + PAGE);
	assert_int_equal(t->breakpoints.n, 0);
}

static void a_trap_whose_slot_went_runs_at_its_own_place(void **state)
{
	struct target *t = *state;

	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	plant_everywhere(t);
	breakpoints_forget(&t->breakpoints, NULL, SLACK_AT, SLACK_AT + PAGE);
	assert_int_equal(t->breakpoints.n, N_STARTS);
	assert_int_equal(t->breakpoints.n_slacks, 0);
	assert_int_equal(count_how(t, ARCH_COPY) + count_how(t, ARCH_COPY_RELATIVE), 0);
	for (size_t i = 0; i < t->breakpoints.n; i++)
		assert_int_equal(t->breakpoints.v[i].slot, 0);
	assert_program_runs(t, ALL_HITS);
	/* And what is not there is not written to. */
	uint8_t before[PAGE], after[PAGE];
	read_at(t, SLACK_AT, before, sizeof before);
	breakpoints_lift(&t->breakpoints, t->space);
	read_at(t, SLACK_AT, after, sizeof after);
	assert_memory_equal(after, before, sizeof after);
}

static void a_copy_has_the_same_traps_and_goes_its_own_way(void **state)
{
	struct target *t = *state;
	struct breakpoints copy = { .pid = t->pid };

	assert_int_equal(breakpoints_offer_slack(&t->breakpoints, SLACK_AT, SLACK_AT + PAGE), 0);
	plant_everywhere(t);
	assert_int_equal(breakpoints_copy(&copy, &t->breakpoints), 0);
	assert_int_equal(copy.n, N_STARTS);
	for (unsigned i = 0; i < N_STARTS; i++) {
		const struct breakpoint *a = breakpoints_at(&t->breakpoints, CODE_AT + starts[i]);
		const struct breakpoint *b = breakpoints_at(&copy, CODE_AT + starts[i]);

		assert_non_null(b);
		assert_ptr_not_equal(a, b);
		assert_int_equal(b->at, a->at);
		assert_int_equal(b->slot, a->slot);
		assert_int_equal(b->roles, a->roles);
		assert_memory_equal(&b->insn, &a->insn, sizeof a->insn);
	}
	breakpoints_forget(&t->breakpoints, NULL, CODE_AT, CODE_AT + PAGE);
	assert_non_null(breakpoints_at(&copy, CODE_AT));
	breakpoints_release(&t->breakpoints);
	/* What the slack held is known to the copy too. */
	breakpoints_lift(&copy, t->space);
	assert_untouched(t);
	breakpoints_release(&copy);
	assert_int_equal(copy.n, 0);
}

static void the_copy_of_no_traps_can_be_planted_in(void **state)
{
	struct target *t = *state;
	struct breakpoints none = { 0 }, copy = { .pid = t->pid };
	int err;

	assert_int_equal(breakpoints_copy(&copy, &none), 0);
	assert_null(breakpoints_at(&copy, CODE_AT));
	for (unsigned i = 0; i < N_STARTS; i++)
		assert_non_null(breakpoints_plant(&copy, t->space, CODE_AT + starts[i],
						  BREAKPOINT_RETURN, &err));
	breakpoints_lift(&copy, t->space);
	assert_untouched(t);
	breakpoints_release(&copy);
}

#define TRAPS_TEST(f) cmocka_unit_test_setup_teardown(f, target_setup, target_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRAPS_TEST(a_trap_takes_the_place_of_one_byte_and_remembers_the_instruction),
		TRAPS_TEST(a_trap_that_is_there_gets_the_other_role_too),
		TRAPS_TEST(a_trap_is_not_taken_for_the_programs_own_byte),
		TRAPS_TEST(where_no_trap_can_be_nothing_changes),
		TRAPS_TEST(a_process_that_is_gone_is_told),
		TRAPS_TEST(a_program_full_of_traps_does_what_it_does_without),
		TRAPS_TEST(without_slack_it_does_so_step_by_step),
		TRAPS_TEST(slots_do_not_overlap_and_stay_within_the_slack),
		TRAPS_TEST(what_does_not_fit_the_slack_any_more_runs_at_its_own_place),
		TRAPS_TEST(only_what_is_relative_needs_slack_within_reach),
		TRAPS_TEST(slack_that_cannot_be_read_is_not_used),
		TRAPS_TEST(a_pc_in_a_slot_is_told_as_the_programs_own),
		TRAPS_TEST(any_other_pc_is_its_own),
		TRAPS_TEST(lifting_puts_back_every_byte_and_the_slack),
		TRAPS_TEST(what_was_lifted_can_be_put_back),
		TRAPS_TEST(one_trap_is_lifted_and_restored_by_itself),
		TRAPS_TEST(a_trap_that_others_come_by_is_there_only_while_a_call_is_pending),
		TRAPS_TEST(a_trap_that_is_hit_for_its_calls_stays),
		TRAPS_TEST(lifting_leaves_alone_what_is_no_longer_a_trap),
		TRAPS_TEST(a_trap_that_was_written_over_is_planted_again),
		TRAPS_TEST(a_trap_that_is_in_place_stays_as_it_is),
		TRAPS_TEST(new_code_under_a_trap_does_not_run_the_old_slot),
		TRAPS_TEST(new_bytes_behind_a_trap_are_noticed),
		TRAPS_TEST(new_code_over_a_trap_is_what_the_next_one_there_displaces),
		TRAPS_TEST(what_comes_back_is_a_trap_for_the_code_that_is_there_now),
		TRAPS_TEST(what_a_program_has_filled_with_traps_of_its_own_is_left_alone),
		TRAPS_TEST(a_trap_of_the_programs_own_in_other_code_is_left_alone),
		TRAPS_TEST(a_trap_with_patched_code_on_one_side_is_lifted),
		TRAPS_TEST(a_trap_among_others_is_lifted),
		TRAPS_TEST(traps_in_memory_that_went_are_forgotten),
		TRAPS_TEST(traps_that_the_program_has_copied_remain),
		TRAPS_TEST(a_trap_whose_slot_went_runs_at_its_own_place),
		TRAPS_TEST(a_copy_has_the_same_traps_and_goes_its_own_way),
		TRAPS_TEST(the_copy_of_no_traps_can_be_planted_in),
	};

	return cmocka_run_group_tests_name("traps", tests, NULL, NULL);
}
