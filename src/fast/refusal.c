/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/refusal.h"

#include "breakpoints/engine.h"

#include <errno.h>
#include <string.h>

int fast_refuse(struct error *why, enum fast_step step, int err, size_t bytes)
{
	const char *reason = strerror(-err);

	/* At any step. */
	if (err == -ESRCH)
		return error_set(why, err, ENGINE_GONE);
	/* From ftruncate(2) of a memfd, which we call and not the program. */
	if (err == -EFBIG)
		return error_set(why, err, "mprof itself may make no file in memory that is large "
					   "enough (RLIMIT_FSIZE, ulimit -f)");
	if (err == -EMFILE && (step == FAST_KNOW || step == FAST_HERE))
		return error_set(why, err, "mprof itself has no file descriptor left "
					   "(RLIMIT_NOFILE, ulimit -n)");
	if (err == -ENOMEM && (step == FAST_KNOW || step == FAST_SECCOMP || step == FAST_VDSO))
		return error_set(why, err, "mprof itself is out of memory");
	switch (step) {
	case FAST_KNOW:
		return error_set(why, err, "its agent cannot be read: %s", reason);
	case FAST_SECCOMP:
		return error_set(why, err, "its seccomp filter may forbid the system calls that it "
					   "takes, and to suspend it takes CAP_SYS_ADMIN");
	case FAST_VDSO:
		return error_set(why, err, "it has no vdso, by which it could make system calls");
	case FAST_FILE:
		if (err == -EMFILE)
			return error_set(why, err, "it has no file descriptor left "
						   "(RLIMIT_NOFILE, ulimit -n)");
		return error_set(why, err, "it cannot make a file in memory (memfd_create): %s",
				 reason);
	case FAST_HERE:
		if (err == -ESTALE)
			return error_set(why, err, "somebody who shares its file descriptors has "
						   "put another file in the place of the one in "
						   "memory that it has made");
		if (err == -ENOMEM)
			return error_set(why, err, "mprof itself cannot map %zu MiB more "
						   "(RLIMIT_AS, ulimit -v)", bytes >> 20);
		return error_set(why, err, "shared memory cannot be mapped by mprof itself: %s",
				 reason);
	case FAST_SHARED:
		if (err == -ENOMEM)
			return error_set(why, err, "it cannot map %zu MiB more (RLIMIT_AS, "
						   "ulimit -v)", bytes >> 20);
		return error_set(why, err, "shared memory cannot be mapped into it: %s", reason);
	case FAST_OWNER:
		return error_set(why, err, "mprof itself cannot begin a thread: %s (RLIMIT_NPROC, "
					   "RLIMIT_AS; ulimit -u, -v)", reason);
	case FAST_AGENT:
	default:
		if (err == -EACCES || err == -EPERM)
			return error_set(why, err, "a security policy forbids it new code "
						   "(SELinux: execmem)");
		return error_set(why, err, "code cannot be mapped into it: %s", reason);
	}
}

const char *fast_no_room(int err)
{
	switch (err) {
	case -EPERM: /* not from mmap(2), which was not called */
		return "a seccomp filter that may forbid to map code near them";
	case -EAGAIN:
		return "no thread that could map code near them";
	default:
		return "no room for code near them";
	}
}

const char *fast_stays(bool left, bool tasks, bool caller, int err)
{
	if (!left)
		return "a thread has not returned through it";
	if (!tasks)
		return NULL;
	/* A seccomp filter that was installed since would kill the task for a munmap(2). */
	if (caller && err == -EPERM)
		return "its seccomp filter may forbid munmap(2)";
	if (caller && err == -EACCES)
		return "it has sealed its memory, mseal(2)";
	if (!caller || err)
		return "none of its threads could make the system calls that unmap it: signals "
		       "came to them without end, they are in 32-bit code, or the kernel gives "
		       "their system calls to the program";
	return NULL;
}
