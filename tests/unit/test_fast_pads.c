/* SPDX-License-Identifier: BSD-2-Clause */
/* Pads in a copy of a program: the parent is this test, and the copy was made by fork. */
#include "unit/unit.h"

#include "fast/engine_internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, USED = 200, CODE = 64 };

/* What is jumped from: in memory that can be written, which nobody runs. */
struct copied {
	uint8_t *function, *near;
	struct engine_shared shared;
	struct engine parent, copy;
	struct address_space *here, *there;
	pid_t child;
};

static struct address_space *space_of(pid_t pid)
{
	struct address_space *s = address_space_new(pid);

	assert_non_null(s);
	s->pid = pid;
	return s;
}

static void *near_this_program(void)
{
	void *at = (void *)(((uintptr_t)&space_of & ~(uintptr_t)0xfffffff) - 0x20000000);
	void *p = mmap(at, (size_t)4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

/* The engine has one function, whose jump is in the parent. */
static void plan(struct copied *c)
{
	const char *why;
	struct pad *p = calloc(1, sizeof *p);

	assert_non_null(p);
	memcpy(c->function, (const void *)(uintptr_t)malloc, 64);
	*p = (struct pad){.at = (taddr)c->function,
			  .journal_entry = JOURNAL_NONE,
			  .written = true,
			  .slot = (taddr)c->near,
			  .code = (taddr)c->near + CODE};
	assert_int_equal(arch_patch_plan(c->function, 64, 64, &p->patch, &why), 0);
	c->parent = (struct engine){.shared = &c->shared,
				    .space = c->here,
				    .pads = p,
				    .functions = calloc(1, sizeof(struct engine_function)),
				    .n_pads = 1,
				    .armed = true,
				    .near = {{.at = (taddr)c->near,
					     .size = PAGE,
					     .used = USED,
					     .active = (taddr)c->near + PAGE}},
				    .n_near = 1};
}

static int begin(void **state)
{
	struct copied *c = calloc(1, sizeof *c);
	int wstatus;

	assert_non_null(c);
	c->function = near_this_program();
	c->near = c->function + PAGE;
	c->here = space_of(getpid());
	plan(c);
	c->child = fork();
	if (!c->child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(c->child, &wstatus, WUNTRACED), c->child);
	c->there = space_of(c->child);
	/* After the fork another thread has had it written. */
	memset(c->near, 0xab, USED);
	c->copy = c->parent;
	c->copy.space = c->there;
	assert_int_equal(pads_copy(&c->copy, &c->parent), 0);
	*state = c;
	return 0;
}

static int end(void **state)
{
	struct copied *c = *state;

	kill(c->child, SIGKILL);
	waitpid(c->child, NULL, 0);
	address_space_free(c->here);
	address_space_free(c->there);
	free(c->parent.pads);
	free(c->parent.functions);
	free(c->copy.pads);
	free(c->copy.functions);
	munmap(c->function, (size_t)4 * PAGE);
	free(c);
	return 0;
}

static void in_copy(const struct copied *c, const void *at, uint8_t *bytes, size_t n)
{
	assert_int_equal(address_space_read(c->there, (taddr)at, bytes, n), n);
}

static bool is_active(const struct copied *c)
{
	uint8_t active;

	in_copy(c, c->near + PAGE, &active, 1);
	return active;
}

static void what_was_written_after_the_fork_is_written_there_too(void **state)
{
	struct copied *c = *state;
	uint8_t jump[ARCH_PATCH_JUMP], now[USED];
	taddr at = arch_patch_place(&c->copy.pads[0].patch, c->copy.pads[0].at);

	assert_int_equal(arch_patch_jump(at, c->copy.pads[0].code, jump), 0);
	assert_int_equal(pads_begin_copy(&c->copy, c->here), 0);
	in_copy(c, (void *)(uintptr_t)at, now, sizeof jump);
	assert_memory_equal(now, jump, sizeof jump);
	in_copy(c, c->near, now, USED);
	assert_memory_equal(now, c->near, USED);
	assert_true(is_active(c));
}

static void code_that_the_program_has_changed_is_left_alone(void **state)
{
	struct copied *c = *state;
	const uint8_t others[16] = {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3};
	uint8_t now[sizeof others];

	assert_int_equal(address_space_write(c->there, c->copy.pads[0].at, others, sizeof others),
			 sizeof others);
	assert_int_equal(pads_begin_copy(&c->copy, c->here), 0);
	in_copy(c, c->function, now, sizeof now);
	assert_memory_equal(now, others, sizeof others);
}

static void a_module_that_was_mapped_after_the_fork_is_not_in_the_copy(void **state)
{
	struct copied *c = *state;

	c->copy.pads[0].at = (taddr)c->function + (taddr)64 * PAGE; /* nothing is there */
	assert_int_equal(pads_begin_copy(&c->copy, c->here), 0);
	assert_true(c->copy.pads[0].gone);
}

static void a_copy_of_a_suspended_program_is_suspended(void **state)
{
	struct copied *c = *state;

	c->copy.suspended = true;
	assert_int_equal(pads_begin_copy(&c->copy, c->here), 0);
	assert_false(is_active(c));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_written_after_the_fork_is_written_there_too),
		TEST(code_that_the_program_has_changed_is_left_alone),
		TEST(a_module_that_was_mapped_after_the_fork_is_not_in_the_copy),
		TEST(a_copy_of_a_suspended_program_is_suspended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
