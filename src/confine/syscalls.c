/* SPDX-License-Identifier: BSD-2-Clause */
/* seccomp(2): allow what is needed to read files, take memory and write to open files, no more. */
#include "confine/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

/* Allowed with any arguments: they concern this process, or what it has open. */
static const int allowed[] = {
	/* files, by descriptor */
	SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(readv), SCMP_SYS(preadv), SCMP_SYS(write),
	SCMP_SYS(pwrite64), SCMP_SYS(writev), SCMP_SYS(lseek), SCMP_SYS(close),
	SCMP_SYS(close_range), SCMP_SYS(dup), SCMP_SYS(dup3), SCMP_SYS(fstat),
	SCMP_SYS(ftruncate), SCMP_SYS(fsync), SCMP_SYS(getdents64), SCMP_SYS(fadvise64),
	SCMP_SYS(poll),
	/* file attributes, by path */
	SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(access),
	SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
	SCMP_SYS(getcwd),
	/* memory; dwp.c creates a file in it, whose size RLIMIT_FSIZE bounds */
	SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise),
	SCMP_SYS(memfd_create),
	/* itself */
	SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid),
	SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getrlimit), SCMP_SYS(getrusage),
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack), SCMP_SYS(futex), SCMP_SYS(sched_yield), SCMP_SYS(exit),
	SCMP_SYS(exit_group), SCMP_SYS(restart_syscall),
	/* the time, the machine, random numbers */
	SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(sysinfo),
	SCMP_SYS(uname), SCMP_SYS(getrandom),
};

/* Allowed commands of fcntl(2): F_SETOWN would send signals, locks would be seen by others. */
static const int fcntls[] = { F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL };

static struct scmp_arg_cmp arg_is(unsigned arg, uint64_t value)
{
	return (struct scmp_arg_cmp){ .arg = arg, .op = SCMP_CMP_EQ, .datum_a = value };
}

static int allow(scmp_filter_ctx c, int call)
{
	return seccomp_rule_add(c, SCMP_ACT_ALLOW, call, 0);
}

static int allow_if(scmp_filter_ctx c, int call, struct scmp_arg_cmp only)
{
	return seccomp_rule_add(c, SCMP_ACT_ALLOW, call, 1, only);
}

/* Open existing files for reading. openat2(2) is not allowed: its flags are in memory, where the
 * filter cannot read them. */
static int allow_opening(scmp_filter_ctx c)
{
	const unsigned long writing =
		O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
	int err = allow_if(c, SCMP_SYS(open), SCMP_A1(SCMP_CMP_MASKED_EQ, writing, O_RDONLY));

	return err ? err
		   : allow_if(c, SCMP_SYS(openat),
			      SCMP_A2(SCMP_CMP_MASKED_EQ, writing, O_RDONLY));
}

/* Mappings and protections that do not make new code executable. */
static int allow_memory(scmp_filter_ctx c)
{
	int err = allow_if(c, SCMP_SYS(mmap), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));

	return err ? err
		   : allow_if(c, SCMP_SYS(mprotect), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
}

/* Reading its own limits; signals to itself only, for abort(3) and for bound_making(). */
static int allow_about_itself(scmp_filter_ctx c)
{
	int err = seccomp_rule_add(c, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2,
				   arg_is(0, 0), arg_is(2, 0));

	err = err ? err : allow_if(c, SCMP_SYS(setitimer), arg_is(0, ITIMER_VIRTUAL));
	return err ? err
		   : allow_if(c, SCMP_SYS(tgkill), arg_is(0, (uint64_t)getpid()));
}

static int allow_needed(scmp_filter_ctx c)
{
	int err = 0;

	for (size_t i = 0; !err && i < sizeof allowed / sizeof *allowed; i++)
		err = allow(c, allowed[i]);
	for (size_t i = 0; !err && i < sizeof fcntls / sizeof *fcntls; i++)
		err = allow_if(c, SCMP_SYS(fcntl), arg_is(1, (uint64_t)fcntls[i]));
	/* for isatty(3), which stdio calls */
	err = err ? err : allow_if(c, SCMP_SYS(ioctl), arg_is(1, TCGETS));
	err = err ? err : allow_opening(c);
	err = err ? err : allow_memory(c);
	return err ? err : allow_about_itself(c);
}

static int load_filter(void)
{
	/* Other calls that a library tries fail, as on a kernel that does not have them. */
	scmp_filter_ctx c = seccomp_init(SCMP_ACT_ERRNO(EPERM));

	if (!c)
		return -ENOMEM;
	int err = seccomp_attr_set(c, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	err = err ? err : allow_needed(c);
	err = err ? err : seccomp_load(c);
	seccomp_release(c);
	return err;
}

/* Let SIGVTALRM end us after so many seconds of processor time; 0: not any more. */
static void bound_making(time_t seconds)
{
	const struct itimerval limit = { .it_value = { .tv_sec = seconds } };

	setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

int confine_syscalls(void)
{
	enum { MAKING_SECONDS = 5 }; /* it takes some milliseconds */
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, CONFINE_NO_FILTER);
	signal(CONFINE_NO_FILTER, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	/* If libseccomp 2.5.4 gets no memory, seccomp_load() may search for ever. */
	bound_making(MAKING_SECONDS);
	int err = load_filter();
	bound_making(0);
	return err;
}
