/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "attach/tracer_internal.h"
#include "fast/engine_internal.h"
#include "proc/file.h"
#include "proc/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* A stopped task of ours, and an engine that is about to change malloc(), or has changed it. */
struct stopped {
	struct engine e;
	struct engine_host host;
	struct task task;
	struct engine_task tasks[1];
	struct pad pad;
	struct arch_regs regs;
	bool unwound_clean;
};

enum { NEAR = 0x10000000, SLOT = NEAR + 64, AGENT = 0x20000000, NUMBER = 70 };

static bool has_left(void *ctx, struct task *task, bool (*ours)(const struct engine *, taddr),
		     const struct engine *e)
{
	(void)task;
	assert_true(ours(e, NEAR));
	return ((struct stopped *)ctx)->unwound_clean;
}

/* The child has our stack, on which tests before have left the addresses that they tried. */
__attribute__((noinline)) static void forget_the_stack(void)
{
	volatile char below[16384];

	for (size_t i = 0; i < sizeof below; i++)
		below[i] = 0;
}

__attribute__((noinline)) static int begin(void **state)
{
	struct stopped *s = calloc(1, sizeof *s);
	const char *why;
	int wstatus;

	assert_non_null(s);
	s->task.tid = fork();
	if (!s->task.tid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(1);
	}
	assert_int_equal(waitpid(s->task.tid, &wstatus, 0), s->task.tid);
	s->task.space = address_space_new(s->task.tid);
	assert_non_null(s->task.space);
	s->task.state = TASK_HELD;
	s->tasks[0] = (struct engine_task){ .task = &s->task, .number = NUMBER };
	s->host = (struct engine_host){ .has_left = has_left, .ctx = s };
	s->e = (struct engine){ .host = &s->host, .space = s->task.space, .agent = AGENT,
				.agent_size = 4096, .near = { { .at = NEAR, .size = 4096 } },
				.n_near = 1, .pads = &s->pad, .n_pads = 1, .tasks = s->tasks,
				.n_tasks = 1 };
	s->e.memory.here = mmap(NULL, sizeof(struct agent_shared), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(s->e.memory.here, MAP_FAILED);
	s->pad = (struct pad){ .at = (taddr)malloc, .slot = SLOT };
	assert_int_equal(arch_patch_plan((const uint8_t *)(uintptr_t)malloc, 64, 64, &s->pad.patch,
					 &why), 0);
	uint8_t slot[ARCH_PATCH_SLOT];
	assert_true(arch_patch_slot(&s->pad.patch, s->pad.at, s->pad.at + 0x100000, slot) > 0);
	assert_int_equal(arch_get_regs(s->task.tid, &s->regs), 0);
	*state = s;
	return 0;
}

static int setup(void **state)
{
	forget_the_stack();
	return begin(state);
}

static int teardown(void **state)
{
	struct stopped *s = *state;

	kill(s->task.tid, SIGKILL);
	waitpid(s->task.tid, NULL, 0);
	address_space_free(s->task.space);
	munmap(s->e.memory.here, sizeof(struct agent_shared));
	free(s);
	return 0;
}

static taddr pc_of(const struct stopped *s)
{
	struct arch_regs r;

	assert_int_equal(arch_get_regs(s->task.tid, &r), 0);
	return arch_pc(&r);
}

/* Strictly inside of the bytes that become a jump, where an instruction begins; *@moved: its
 * copy. */
static taddr inside(const struct stopped *s, taddr *moved)
{
	for (taddr at = s->pad.at + 1; at < s->pad.at + 16; at++) {
		*moved = at;
		if (arch_patch_pc(&s->pad.patch, s->pad.at, SLOT, moved) > 0)
			return at;
	}
	fail_msg("malloc() has one instruction there only");
	return 0;
}

static void put_word(const struct stopped *s, uint64_t word)
{
	assert_int_equal(address_space_write(s->task.space, arch_sp(&s->regs) + 64, &word,
					     sizeof word), sizeof word);
}

static void who_stands_in_the_bytes_goes_on_in_their_copy(void **state)
{
	struct stopped *s = *state;
	taddr moved, at = inside(s, &moved);

	arch_write_pc(s->task.tid, at);
	assert_int_equal(tasks_make_way(&s->e), 0);
	assert_int_equal(pc_of(s), moved);
}

static void who_stands_before_the_bytes_stays(void **state)
{
	struct stopped *s = *state;

	arch_write_pc(s->task.tid, s->pad.at);
	assert_int_equal(tasks_make_way(&s->e), 0);
	assert_int_equal(pc_of(s), s->pad.at);
}

static void who_may_come_back_into_the_bytes_is_in_the_way(void **state)
{
	struct stopped *s = *state;
	taddr moved, at = inside(s, &moved);

	put_word(s, at);
	assert_int_equal(tasks_make_way(&s->e), -EAGAIN);
	put_word(s, s->pad.at); /* to be called */
	assert_int_equal(tasks_make_way(&s->e), 0);
	/* It is not to be changed any more. */
	put_word(s, at);
	s->pad.written = true;
	assert_int_equal(tasks_make_way(&s->e), 0);
}

static void nobody_has_left_who_stands_in_what_is_ours(void **state)
{
	struct stopped *s = *state;

	s->unwound_clean = true;
	assert_true(tasks_have_left(&s->e));
	arch_write_pc(s->task.tid, NEAR + 512);
	assert_false(tasks_have_left(&s->e));
	arch_write_pc(s->task.tid, AGENT + 512);
	assert_false(tasks_have_left(&s->e));
	assert_false(tasks_are_outside_agent(&s->e));
}

static void a_word_of_ours_on_the_stack_is_stale_if_no_call_returns_to_it(void **state)
{
	struct stopped *s = *state;

	put_word(s, NEAR + 100);
	assert_false(tasks_have_left(&s->e));
	s->unwound_clean = true;
	assert_true(tasks_have_left(&s->e));
	/* The agent knows of a call that has not returned. */
	engine_agent(&s->e)->threads[NUMBER].depth = 1;
	assert_false(tasks_have_left(&s->e));
	engine_agent(&s->e)->threads[NUMBER].depth = 0;
	s->tasks[0].number = AGENT_NO_THREAD;
	assert_false(tasks_have_left(&s->e));
}

/* ---- a stack in memory of which it is a small part ---- */

#define LARGE ((size_t)64 << 20)

static uint8_t *large; /* the child's copy of it is in the same place */

static int setup_large(void **state, int flags)
{
	large = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_NORESERVE | flags, -1,
		     0);
	if (large == MAP_FAILED || begin(state))
		return -1;
	struct stopped *s = *state;
	struct agent_shared *shared = engine_agent(&s->e);

	shared->ranges[0] = (struct agent_range){ (uintptr_t)large, (uintptr_t)large + LARGE };
	shared->n_ranges = 1;
	arch_set_caller(&s->regs, arch_pc(&s->regs), (uintptr_t)large + 4096 + 64);
	return arch_set_regs(s->task.tid, &s->regs);
}

static int setup_private(void **state)
{
	return setup_large(state, MAP_PRIVATE);
}

static int setup_shared(void **state)
{
	return setup_large(state, MAP_SHARED);
}

static int teardown_large(void **state)
{
	munmap(large, LARGE);
	return teardown(state);
}

static int count_pages(const struct page_range *r, void *n)
{
	*(uint64_t *)n += (r->end - r->start) / 4096;
	return 0;
}

static uint64_t pages_there(const struct stopped *s)
{
	int fd = proc_open(s->task.tid, "pagemap", O_RDONLY);
	uint64_t n = 0;

	assert_true(fd >= 0);
	assert_int_equal(pagemap_each(fd, (uintptr_t)large, (uintptr_t)large + LARGE, NULL,
				      count_pages, &n), 0);
	close(fd);
	return n;
}

static void put_far(const struct stopped *s, uint64_t word)
{
	assert_int_equal(address_space_write(s->task.space, (uintptr_t)large + LARGE / 2 + 8, &word,
					     sizeof word), sizeof word);
}

static void what_nobody_has_written_to_is_not_read(void **state)
{
	struct stopped *s = *state;

	assert_true(tasks_have_left(&s->e));
	assert_int_equal(tasks_make_way(&s->e), 0);
	assert_int_equal(pages_there(s), 0);
}

static void what_has_been_written_to_is_read(void **state)
{
	struct stopped *s = *state;

	put_word(s, 1);
	put_far(s, NEAR + 100);
	assert_false(tasks_have_left(&s->e));
	put_far(s, 1);
	assert_true(tasks_have_left(&s->e));
	/* Below the stack pointer is what calls that are over have left behind. */
	const uint64_t stale = NEAR + 100;
	assert_int_equal(address_space_write(s->task.space, arch_sp(&s->regs) - 8, &stale,
					     sizeof stale), sizeof stale);
	assert_true(tasks_have_left(&s->e));
	put_word(s, NEAR + 100);
	assert_false(tasks_have_left(&s->e));
}

static void what_others_may_have_written_to_is_read(void **state)
{
	struct stopped *s = *state;

	assert_true(tasks_have_left(&s->e));
	/* The child's page tables know nothing of it. */
	*(uint64_t *)(large + LARGE / 2) = NEAR + 100;
	assert_false(tasks_have_left(&s->e));
}

static void who_makes_system_calls_is_in_none(void **state)
{
	struct stopped *s = *state;
	struct tracer tracer = { .kernel = kernel_of_system(NULL) };

	s->e.tracer = &tracer;
	assert_ptr_equal(tasks_caller(&s->e), &s->task);
	s->task.in_call = true;
	assert_null(tasks_caller(&s->e));
	s->task.in_call = false;
	s->task.state = TASK_QUEUED;
	s->task.wstatus = SIGUSR1 << 8 | 0x7f;
	assert_null(tasks_caller(&s->e));
	s->task.wstatus = PTRACE_EVENT_CLONE << 16 | SIGTRAP << 8 | 0x7f;
	assert_null(tasks_caller(&s->e));
	s->task.wstatus = PTRACE_EVENT_STOP << 16 | SIGSTOP << 8 | 0x7f;
	assert_ptr_equal(tasks_caller(&s->e), &s->task);
	s->task.state = TASK_SERVED;
	s->task.wstatus = SIGTRAP << 8 | 0x7f;
	assert_ptr_equal(tasks_caller(&s->e), &s->task);
	s->task.wstatus = PTRACE_EVENT_FORK << 16 | SIGTRAP << 8 | 0x7f;
	assert_null(tasks_caller(&s->e));
	s->task.over = true;
	s->task.state = TASK_HELD;
	assert_null(tasks_caller(&s->e));
}

#define ON_STOPPED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_STOPPED(who_stands_in_the_bytes_goes_on_in_their_copy),
		ON_STOPPED(who_stands_before_the_bytes_stays),
		ON_STOPPED(who_may_come_back_into_the_bytes_is_in_the_way),
		ON_STOPPED(nobody_has_left_who_stands_in_what_is_ours),
		ON_STOPPED(a_word_of_ours_on_the_stack_is_stale_if_no_call_returns_to_it),
		cmocka_unit_test_setup_teardown(what_nobody_has_written_to_is_not_read,
						setup_private, teardown_large),
		cmocka_unit_test_setup_teardown(what_has_been_written_to_is_read, setup_private,
						teardown_large),
		cmocka_unit_test_setup_teardown(what_others_may_have_written_to_is_read,
						setup_shared, teardown_large),
		ON_STOPPED(who_makes_system_calls_is_in_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
