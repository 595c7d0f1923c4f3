/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filters [filter]: allocates a block at each command, under a seccomp filter that kills the
 * process for memfd_create or munmap; "confine" installs that filter later.
 */
#include "live.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { SIZE = 3907 };

static long blocks;

static void confine(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof code / sizeof *code, code };

	MUST(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	MUST(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
}

static void report(void)
{
	say("report %ld\n", ++blocks);
	free(fill(malloc(SIZE), SIZE, 1));
}

static void other(const char *word)
{
	if (!strcmp(word, "confine"))
		confine();
	say("confined\n");
}

int main(int argc, char **argv)
{
	free(fill(malloc(100003), 100003, 1)); /* so that the heap need not grow */
	if (argc > 1 && !strcmp(argv[1], "filter"))
		confine();
	say("ready %d\n", (int)getpid());
	live_serve(report, other);
	syscall(SYS_exit, 0);
	return 1;
}
