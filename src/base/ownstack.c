/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/ownstack.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

enum { ENOUGH = 8 << 20 };

static struct {
	int (*fn)(int argc, char **argv);
	int argc, result;
	char **argv;
} call;

static void run(void)
{
	call.result = call.fn(call.argc, call.argv);
}

static bool is_enough(void)
{
	struct rlimit r;

	return getrlimit(RLIMIT_STACK, &r) || r.rlim_cur >= ENOUGH;
}

int ownstack_call(int (*fn)(int argc, char **argv), int argc, char **argv)
{
	ucontext_t here, there;
	void *stack = is_enough() ? MAP_FAILED
				  : mmap(NULL, ENOUGH, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (stack == MAP_FAILED || getcontext(&there))
		return fn(argc, argv);
	call.fn = fn;
	call.argc = argc;
	call.argv = argv;
	there.uc_stack = (stack_t){ .ss_sp = stack, .ss_size = ENOUGH };
	there.uc_link = &here;
	makecontext(&there, run, 0);
	swapcontext(&here, &there);
	munmap(stack, ENOUGH);
	return call.result;
}
