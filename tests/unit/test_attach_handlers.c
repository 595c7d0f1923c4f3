/* SPDX-License-Identifier: BSD-2-Clause */
/* Signal frames: where the kernel has saved the address that a handler returns to. */
#include "unit/unit.h"

#include "attach/handlers.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct address_space *self;
static taddr outer_place, found_inner, found_outer, found_elsewhere;
static uint64_t inner_pc, outer_pc;
static ucontext_t *seen_outer;

/* The registers at a handler's first instruction, as the kernel sets them. */
static struct arch_regs at_handler(const ucontext_t *uc)
{
	struct arch_regs r = { 0 };

	r.user.rdx = (uintptr_t)uc;
	r.user.rsp = (uintptr_t)uc - sizeof(uint64_t);
	return r;
}

/* Of two signals that come together the handler of the one begins inside of the other's. */
static void on_signal(int sig, siginfo_t *si, void *arg)
{
	ucontext_t *uc = arg, *outer = (ucontext_t *)uc->uc_mcontext.gregs[REG_RDX];
	struct arch_regs r = at_handler(uc);

	(void)sig;
	(void)si;
	if (seen_outer)
		return;
	seen_outer = outer;
	inner_pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	outer_pc = (uint64_t)outer->uc_mcontext.gregs[REG_RIP];
	outer_place = (uintptr_t)&outer->uc_mcontext.gregs[REG_RIP];
	found_inner = handlers_return_place(self, &r, inner_pc) -
		      (uintptr_t)&uc->uc_mcontext.gregs[REG_RIP];
	found_outer = handlers_return_place(self, &r, outer_pc);
	found_elsewhere = handlers_return_place(self, &r, outer_pc + 1);
}

static void each_handler_that_has_not_begun_has_its_place(void **state)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	sigset_t both, was;

	(void)state;
	found_inner = 1;
	sigemptyset(&both);
	sigaddset(&both, SIGUSR1);
	sigaddset(&both, SIGUSR2);
	assert_int_equal(sigaction(SIGUSR1, &sa, NULL), 0);
	assert_int_equal(sigaction(SIGUSR2, &sa, NULL), 0);
	assert_int_equal(sigprocmask(SIG_BLOCK, &both, &was), 0);
	raise(SIGUSR1);
	raise(SIGUSR2);
	assert_int_equal(sigprocmask(SIG_SETMASK, &was, NULL), 0);
	assert_non_null(seen_outer);
	assert_int_equal(inner_pc, (uintptr_t)on_signal);
	assert_int_equal(found_inner, 0);
	assert_int_equal(found_outer, outer_place);
	/* Nobody comes back there. */
	assert_int_equal(found_elsewhere, 0);
}

static void who_is_not_at_a_handler_comes_back_to_nowhere(void **state)
{
	ucontext_t uc = { 0 };
	struct arch_regs r = at_handler(&uc);

	(void)state;
	uc.uc_mcontext.gregs[REG_RIP] = 0x1000;
	r.user.rdx++;
	assert_int_equal(handlers_return_place(self, &r, 0x1000), 0);
}

static void what_cannot_be_read_is_nowhere(void **state)
{
	struct arch_regs r = at_handler((const ucontext_t *)16);

	(void)state;
	assert_int_equal(handlers_return_place(self, &r, 0), 0);
}

/* A program can write anything there. */
static void frames_without_end_are_left(void **state)
{
	struct {
		uint64_t back;
		ucontext_t uc;
	} frame = { 0 };
	struct arch_regs r = at_handler(&frame.uc);

	(void)state;
	frame.uc.uc_mcontext.gregs[REG_RSP] = (greg_t)r.user.rsp;
	frame.uc.uc_mcontext.gregs[REG_RDX] = (greg_t)r.user.rdx;
	assert_int_equal(handlers_return_place(self, &r, 0x1000), 0);
}

static int open_self(void **state)
{
	(void)state;
	self = address_space_new(getpid());
	return self ? 0 : -1;
}

static int close_self(void **state)
{
	(void)state;
	address_space_free(self);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_handler_that_has_not_begun_has_its_place),
		cmocka_unit_test(who_is_not_at_a_handler_comes_back_to_nowhere),
		cmocka_unit_test(what_cannot_be_read_is_nowhere),
		cmocka_unit_test(frames_without_end_are_left),
	};

	return cmocka_run_group_tests(tests, open_self, close_self);
}
