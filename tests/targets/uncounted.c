/* SPDX-License-Identifier: BSD-2-Clause */
/* uncounted ERRNO PROGRAM [ARG...]: runs it so that perf_event_open(2) fails with this error. */
#include "target.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int main(int argc, char **argv)
{
	MUST(argc > 2);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)atoi(argv[1])),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { LENGTH(code), code };

	MUST(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	MUST(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
	execvp(argv[2], argv + 2);
	return 127;
}
