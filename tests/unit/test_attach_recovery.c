/* SPDX-License-Identifier: BSD-2-Clause */
/* Recovery from the journal of a killed tracer, in every state in which it can be left. */
#include "unit/unit.h"

#include "attach/recovery.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PID = 1000,
	TID = 1001,
	ONE = 0x10000,		/* push %rbp, in a slot */
	MANY = ONE + 1,		/* mov %rsp,%rbp, emulated, right behind it */
	CALL = 0x20000,		/* call, emulated */
	SLOT = 0x30000,
	ELSEWHERE = 0x40000,
	INSN = 0x50000,		/* makes system calls */
};

static struct journal *g;

static void add(taddr at, const char *bytes, uint8_t size, taddr slot)
{
	struct journal_entry e = { .pid = PID, .at = at, .insn_size = size, .slot = slot };
	uint8_t code[ARCH_SLOT_MAX];
	struct arch_insn insn;

	memcpy(e.own, bytes, size);
	if (slot) {
		assert_int_equal(arch_decode(e.own, size, &insn), 0);
		e.slot_size = (uint8_t)arch_relocate(&insn, at, slot, code);
	}
	assert_int_not_equal(journal_add(g, &e), JOURNAL_NONE);
}

static int set_up(void **state)
{
	(void)state;
	g = journal_new();
	if (!g)
		return -1;
	add(ONE, "\x55", 1, SLOT);
	add(MANY, "\x48\x89\xe5", 3, 0);
	add(CALL, "\xe8\x00\x01\x00\x00", 5, 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	journal_free(g);
	return 0;
}

static struct arch_regs regs_at(taddr pc)
{
	struct arch_regs r;

	memset(&r, 0x11, sizeof r);
	arch_set_pc(&r, pc);
	return r;
}

static const struct journal_who who = { TID, PID };

static enum recovery_verdict judge(const struct recovery_seen *seen, const struct arch_regs *now,
				   taddr *own)
{
	const struct journal_task *r = journal_record(g, TID);

	return recovery_judge(g, PID, r, recovery_state(r, TID, &g->heard), seen, now, own);
}

static struct recovery_seen seen_at(taddr pc)
{
	return (struct recovery_seen){ .tid = TID,
				       .pid = PID,
				       .state = 't',
				       .has_pc = true,
				       .pc = pc };
}

/* The verdict on a task that stands at @pc, and stood there when it was seen. */
static enum recovery_verdict judge_at(taddr pc, taddr *own)
{
	struct arch_regs now = regs_at(pc);
	struct recovery_seen seen = seen_at(pc);

	return judge(&seen, &now, own);
}

/* The verdict on a task that stood at @was and is at @is. */
static enum recovery_verdict judge_moved(taddr was, taddr is)
{
	struct arch_regs now = regs_at(is);
	struct recovery_seen seen = seen_at(was);
	taddr own;

	return judge(&seen, &now, &own);
}

static void hear_trap(void)
{
	g->heard = (siginfo_t){ .si_code = CLD_TRAPPED };
	g->heard.si_pid = TID;
	g->heard.si_status = SIGTRAP;
}

static void a_task_behind_a_trap_goes_back_to_it(void **state)
{
	uint32_t record = 0;
	taddr own;

	(void)state;
	journal_trapped(g, &record, who);
	assert_int_equal(judge_at(ONE + 1, &own), RECOVERY_SET_PC);
	assert_int_equal(own, ONE);
	assert_int_equal(judge_at(CALL + 1, &own), RECOVERY_SET_PC);
	assert_int_equal(own, CALL);
	/* Without having been seen before, too: it has not gone on. */
	struct arch_regs now = regs_at(ONE + 1);
	assert_int_equal(judge(NULL, &now, &own), RECOVERY_SET_PC);
	assert_int_equal(own, ONE);
}

static void a_one_byte_instruction_that_has_run_is_not_run_again(void **state)
{
	uint32_t record = 0;
	taddr own;

	(void)state;
	assert_int_equal(judge_at(ONE + 1, &own), RECOVERY_LEAVE);
	journal_trapped(g, &record, who);
	journal_goes_on(g, record);
	assert_int_equal(judge_at(ONE + 1, &own), RECOVERY_LEAVE);
}

static void a_stop_that_only_the_kernel_has_written_down_counts(void **state)
{
	uint32_t record = 0;
	taddr own;

	(void)state;
	hear_trap();
	assert_int_equal(judge_at(ONE + 1, &own), RECOVERY_SET_PC);
	assert_int_equal(own, ONE);
	journal_trapped(g, &record, who);
	journal_noted(g);
	assert_int_equal(judge_at(ONE + 1, &own), RECOVERY_SET_PC);
	/* Heard of, and gone on: it is over. */
	hear_trap();
	journal_goes_on(g, record);
	assert_int_equal(judge_at(ONE + 1, &own), RECOVERY_LEAVE);
}

static void the_trap_of_a_step_is_not_taken_for_one_of_the_text(void **state)
{
	uint32_t record = 0;
	taddr own;

	(void)state;
	journal_trapped(g, &record, who);
	journal_steps(g, record);
	hear_trap();
	assert_int_equal(judge_at(ONE + 1, &own), RECOVERY_LEAVE);
}

static void a_task_that_was_left_in_a_trap_and_has_gone_on_is_lost(void **state)
{
	struct arch_regs now = regs_at(ELSEWHERE);
	uint32_t record = 0;
	taddr own;

	(void)state;
	journal_trapped(g, &record, who);
	assert_int_equal(judge_moved(ONE + 1, ELSEWHERE), RECOVERY_LOST);
	assert_int_equal(judge(NULL, &now, &own), RECOVERY_LOST);
}

static void a_sigtrap_of_the_programs_own_is_sent_again(void **state)
{
	uint32_t record = 0;
	taddr own;

	(void)state;
	journal_trapped(g, &record, who);
	assert_int_equal(judge_at(ELSEWHERE, &own), RECOVERY_SEND_TRAP);
}

/* Between the first and the last write of an emulated instruction. */
static void registers_that_were_half_written_are_written_whole(void **state)
{
	struct arch_regs to = regs_at(CALL + 0x105);
	const struct journal_word word = { 0x7000, CALL + 5 };
	uint32_t record = 0;
	taddr own;

	(void)state;
	to.user.rsp -= 8;
	journal_trapped(g, &record, who);
	journal_changes(g, record, CALL + 1, &to, &word);
	assert_int_equal(judge_at(CALL + 1, &own), RECOVERY_SET_ALL);
	assert_int_equal(judge_at(CALL + 0x105, &own), RECOVERY_SET_ALL);
	assert_int_equal(judge_moved(CALL + 1, ELSEWHERE), RECOVERY_LOST);
	/* Nobody has seen how it was left: only if all are in place they are right for certain. */
	struct arch_regs now = to;
	assert_int_equal(judge(NULL, &now, &own), RECOVERY_LEAVE);
	now.user.rsp += 8;
	assert_int_equal(judge(NULL, &now, &own), RECOVERY_LOST);
	const struct journal_task *r = journal_record(g, TID);
	assert_true(r->has_word);
	assert_int_equal(r->word.at, 0x7000);
	assert_int_equal(r->word.value, CALL + 5);
	journal_goes_on(g, record);
	assert_int_equal(judge_at(CALL + 0x105, &own), RECOVERY_LEAVE);
}

static void a_task_that_was_to_go_on_in_a_slot_goes_on_without_it(void **state)
{
	struct arch_regs to = regs_at(SLOT);
	struct recovery_seen seen = seen_at(SLOT);
	uint32_t record = 0;
	taddr own;

	(void)state;
	journal_trapped(g, &record, who);
	journal_changes(g, record, ONE + 1, &to, NULL);
	assert_int_equal(judge(&seen, &to, &own), RECOVERY_SET_ALL);
	assert_int_equal(own, ONE);
	assert_int_equal(judge_at(ONE + 1, &own), RECOVERY_SET_ALL);
	assert_int_equal(own, ONE);
	assert_int_equal(judge(NULL, &to, &own), RECOVERY_SET_PC);
	assert_int_equal(own, ONE);
}

/* Moved back to one trap, its pc is just behind the one-byte instruction of another. */
static void a_task_that_was_put_back_already_stays_there(void **state)
{
	struct arch_regs to = regs_at(MANY);
	struct recovery_seen seen = seen_at(MANY);
	uint32_t record = 0;
	taddr own;

	(void)state;
	assert_int_equal(MANY, ONE + 1);
	journal_trapped(g, &record, who);
	journal_changes(g, record, MANY + 1, &to, NULL);
	assert_int_equal(judge(&seen, &to, &own), RECOVERY_SET_ALL);
	assert_int_equal(judge(NULL, &to, &own), RECOVERY_LEAVE);
}

static void a_task_in_a_slot_is_put_where_it_would_be(void **state)
{
	taddr own;

	(void)state;
	assert_int_equal(judge_at(SLOT, &own), RECOVERY_SET_PC);
	assert_int_equal(own, ONE);
	assert_int_equal(judge_at(SLOT + 1, &own), RECOVERY_SET_PC);
	assert_int_equal(own, ONE + 1);
}

static void a_handler_that_would_come_back_to_a_slot_comes_back_to_where_it_would_be(void **state)
{
	struct arch_regs now = regs_at(ELSEWHERE);
	struct recovery_seen seen = seen_at(SLOT);
	taddr own;

	(void)state;
	assert_int_equal(judge(&seen, &now, &own), RECOVERY_MOVE_RETURN);
	assert_int_equal(own, ONE);
	seen.pc = SLOT + 1;
	assert_int_equal(judge(&seen, &now, &own), RECOVERY_MOVE_RETURN);
	assert_int_equal(own, ONE + 1);
}

static void a_task_in_a_handler_that_returns_behind_a_trap_is_lost(void **state)
{
	(void)state;
	assert_int_equal(judge_moved(CALL + 1, ELSEWHERE), RECOVERY_LOST);
	assert_int_equal(judge_moved(ELSEWHERE, ELSEWHERE + 1), RECOVERY_LEAVE);
}

static void a_trap_that_nobody_was_told_of_is_missed(void **state)
{
	struct recovery_seen seen = seen_at(ONE + 1);

	(void)state;
	assert_false(recovery_missed_trap(g, &seen));
	seen.trap_comes = true;
	assert_true(recovery_missed_trap(g, &seen));
	seen.pc = ELSEWHERE;
	assert_false(recovery_missed_trap(g, &seen));
	seen.pc = ONE + 1;
	seen.pid = PID + 1;
	assert_false(recovery_missed_trap(g, &seen));
	/* So is the end of a step. */
	uint32_t record = 0;
	journal_trapped(g, &record, who);
	journal_steps(g, record);
	assert_true(recovery_missed_trap(g, &seen));
}

/* The SIGTRAP is queued and can be removed. */
static void a_trap_of_a_task_that_job_control_has_stopped_is_not_missed(void **state)
{
	struct recovery_seen seen = seen_at(ONE + 1);
	uint32_t record = 0;

	(void)state;
	seen.trap_comes = true;
	journal_stopped(g, &record, who);
	assert_false(recovery_missed_trap(g, &seen));
	/* But it had gone on, and has stopped for the trap itself. */
	seen.untold = SIGTRAP;
	assert_true(recovery_missed_trap(g, &seen));
}

static void a_trap_is_ours_only_with_the_rest_of_its_instruction(void **state)
{
	struct journal_entry e = { .at = MANY, .own = { 0x48, 0x89, 0xe5 }, .insn_size = 3 };
	uint8_t code[] = { 0xcc, 0x89, 0xe5 };

	(void)state;
	assert_true(recovery_has_breakpoint(&e, code));
	code[1] = 0xcc;
	assert_false(recovery_has_breakpoint(&e, code));
	code[0] = 0x48;
	code[1] = 0x89;
	assert_false(recovery_has_breakpoint(&e, code));
}

static void a_slot_is_ours_only_as_we_wrote_it(void **state)
{
	struct journal_entry e = { .at = ONE, .own = { 0x55 }, .insn_size = 1, .slot = SLOT };
	uint8_t code[ARCH_SLOT_MAX];
	struct arch_insn insn;

	(void)state;
	assert_int_equal(arch_decode(e.own, 1, &insn), 0);
	e.slot_size = (uint8_t)arch_relocate(&insn, ONE, SLOT, code);
	assert_true(recovery_has_slot(&e, code));
	code[e.slot_size - 1] ^= 1;
	assert_false(recovery_has_slot(&e, code));
}

/* The pc of a task that makes a system call for us is before it, in it or behind it. */
static void a_task_that_runs_a_call_for_us_gets_back_what_is_its_own(void **state)
{
	const struct journal_call call = { .insn = INSN, .regs = regs_at(ELSEWHERE), .mask = 5 };
	struct arch_regs at = regs_at(INSN), behind = at, own = regs_at(ELSEWHERE);
	uint32_t record = 0;

	(void)state;
	arch_set_pc(&behind, INSN + 2);
	assert_int_equal(recovery_call(NULL, &at), RECOVERY_NO_CALL);
	journal_goes_on(g, record);
	assert_null(journal_record(g, TID));
	journal_calls(g, &record, who, &call);
	const struct journal_task *r = journal_record(g, TID);
	assert_int_equal(recovery_call(r, &at), RECOVERY_UNDO_CALL);
	assert_int_equal(recovery_call(r, &behind), RECOVERY_UNDO_CALL);
	assert_int_equal(recovery_call(r, &own), RECOVERY_UNDO_CALL);
	assert_memory_equal(&r->call.regs, &own, sizeof own);
	assert_int_equal(r->call.mask, 5);
	/* Nobody has stopped it in time. */
	arch_set_pc(&behind, INSN + 3);
	assert_int_equal(recovery_call(r, &behind), RECOVERY_RAN_ON);
	journal_called(g, record);
	assert_int_equal(recovery_call(r, &at), RECOVERY_NO_CALL);
}

/* It had hit a trap of ours before: the registers that it gets back are those behind the trap. */
static void a_call_leaves_what_the_task_stopped_for_as_it_is(void **state)
{
	const struct journal_call call = { .insn = INSN, .regs = regs_at(ONE + 1) };
	uint32_t record = 0;
	taddr own;

	(void)state;
	journal_trapped(g, &record, who);
	journal_calls(g, &record, who, &call);
	assert_int_equal(journal_record(g, TID)->state, JOURNAL_TRAPPED);
	assert_int_equal(judge_at(arch_pc(&call.regs), &own), RECOVERY_SET_PC);
	assert_int_equal(own, ONE);
	journal_called(g, record);
	assert_int_equal(journal_record(g, TID)->state, JOURNAL_TRAPPED);
}

static uint32_t programs(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < atomic_load(&g->n_programs); i++)
		n += g->programs[i].pid != 0;
	return n;
}

/* Otherwise nobody would restore it: its code has not been changed yet. */
static void a_program_that_makes_a_call_for_us_is_in_the_journal(void **state)
{
	const struct journal_call call = { .insn = INSN };
	const struct journal_who stranger = { TID + 1, PID + 1 };
	uint32_t record = 0;

	(void)state;
	assert_int_equal(programs(), 1);
	journal_calls(g, &record, stranger, &call);
	assert_int_equal(programs(), 2);
	journal_called(g, record);
	journal_called(g, record);
	assert_int_equal(programs(), 1);
	journal_calls(g, &record, stranger, &call);
	journal_forget(g, &record);
	assert_int_equal(programs(), 1);
}

/* Its bytes may be in two pages, and a kill may come between writing these. */
static void a_jump_is_ours_however_much_of_it_was_written(void **state)
{
	const struct journal_entry e = { .kind = JOURNAL_JUMP, .insn_size = 5,
					 .own = { 0x41, 0x54, 0x55, 0x53, 0x48 },
					 .slot_own = { 0xe9, 0x54, 2, 3, 4 } };

	(void)state;
	assert_false(recovery_has_jump(&e, e.own));
	for (uint8_t n = 1; n <= 5; n++) {
		uint8_t put[5], taken[5];

		for (uint8_t i = 0; i < 5; i++) {
			put[i] = i < n ? e.slot_own[i] : e.own[i];
			taken[i] = i < 5 - n ? e.own[i] : e.slot_own[i];
		}
		assert_true(recovery_has_jump(&e, put));
		/* The second bytes are the same. */
		assert_true(recovery_has_jump(&e, taken));
		put[4] ^= 0x80;
		assert_false(recovery_has_jump(&e, put));
	}
}

/* Other entries of the journal are no places where a pc can be. */
static void only_breakpoints_have_slots(void **state)
{
	const struct journal_entry e = { .kind = JOURNAL_MEMORY, .pid = PID, .at = ELSEWHERE,
					 .size = 4096, .slot = ELSEWHERE, .slot_size = 16 };
	taddr own;

	(void)state;
	journal_add(g, &e);
	assert_int_equal(recovery_where(g, PID, ELSEWHERE + 1, &own), PC_OWN);
	assert_int_equal(own, ELSEWHERE + 1);
}

static void records_are_used_again_and_never_mixed_up(void **state)
{
	uint32_t a = 0, b = 0;

	(void)state;
	journal_trapped(g, &a, (struct journal_who){ 5, PID });
	/* The same remainder by any power of two. */
	journal_trapped(g, &b, (struct journal_who){ 5 + (1 << 20), PID });
	journal_goes_on(g, b);
	assert_int_equal(journal_record(g, 5)->state, JOURNAL_TRAPPED);
	journal_forget(g, &a);
	assert_int_equal(a, 0);
	assert_null(journal_record(g, 5));
	journal_stopped(g, &a, (struct journal_who){ 6, PID });
	assert_true(journal_record(g, 6)->stopped);
	assert_int_equal(journal_record(g, 6)->state, JOURNAL_RUNS);
	assert_int_equal(atomic_load(&g->n_tasks), 2);
}

static void a_task_for_which_there_was_no_room_is_remembered(void **state)
{
	(void)state;
	for (int i = 0; i < (int)JOURNAL_MAX_TASKS + 1; i++) {
		uint32_t record = 0;

		assert_false(atomic_load(&g->unrecorded));
		journal_trapped(g, &record, (struct journal_who){ i + 1, PID });
		journal_changes(g, record, ONE, &(struct arch_regs){ 0 }, NULL);
		assert_int_equal(record != 0, i < (int)JOURNAL_MAX_TASKS);
	}
	assert_true(atomic_load(&g->unrecorded));
}

/* The child reports itself by a stop; what the kernel has written to the journal is there before
 * anything else is done. */
static void the_kernel_itself_writes_down_what_it_has_told(void **state)
{
	int wstatus, expected = SIGSTOP << 8 | 0x7f;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(3);
	}
	assert_int_equal(journal_wait_for(g, -1, &wstatus, 0), pid);
	assert_int_equal(wstatus, expected);
	assert_int_equal(g->heard.si_pid, pid);
	assert_int_equal(g->heard.si_status, SIGSTOP);
	journal_noted(g);
	assert_int_equal(journal_wait_for(g, -1, &wstatus, WNOHANG), 0);
	assert_int_equal(g->heard.si_pid, 0);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	assert_int_equal(journal_wait_for(g, pid, &wstatus, 0), pid);
	assert_true(WIFEXITED(wstatus) && WEXITSTATUS(wstatus) == 3);
	assert_int_equal(journal_wait_for(g, -1, &wstatus, 0), -1);
	assert_int_equal(errno, ECHILD);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_task_behind_a_trap_goes_back_to_it),
		TEST(a_one_byte_instruction_that_has_run_is_not_run_again),
		TEST(a_stop_that_only_the_kernel_has_written_down_counts),
		TEST(the_trap_of_a_step_is_not_taken_for_one_of_the_text),
		TEST(a_task_that_was_left_in_a_trap_and_has_gone_on_is_lost),
		TEST(a_sigtrap_of_the_programs_own_is_sent_again),
		TEST(registers_that_were_half_written_are_written_whole),
		TEST(a_task_that_was_to_go_on_in_a_slot_goes_on_without_it),
		TEST(a_task_that_was_put_back_already_stays_there),
		TEST(a_task_in_a_slot_is_put_where_it_would_be),
		TEST(a_handler_that_would_come_back_to_a_slot_comes_back_to_where_it_would_be),
		TEST(a_task_in_a_handler_that_returns_behind_a_trap_is_lost),
		TEST(a_trap_that_nobody_was_told_of_is_missed),
		TEST(a_trap_of_a_task_that_job_control_has_stopped_is_not_missed),
		TEST(a_trap_is_ours_only_with_the_rest_of_its_instruction),
		TEST(a_slot_is_ours_only_as_we_wrote_it),
		TEST(a_task_that_runs_a_call_for_us_gets_back_what_is_its_own),
		TEST(a_jump_is_ours_however_much_of_it_was_written),
		TEST(only_breakpoints_have_slots),
		TEST(a_call_leaves_what_the_task_stopped_for_as_it_is),
		TEST(a_program_that_makes_a_call_for_us_is_in_the_journal),
		TEST(records_are_used_again_and_never_mixed_up),
		TEST(a_task_for_which_there_was_no_room_is_remembered),
		TEST(the_kernel_itself_writes_down_what_it_has_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
