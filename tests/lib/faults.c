/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded into mprof: makes calls of C library functions fail, of the kind $FAULT, from number
 * $FAULT_AT on, counted from 1 in each process; $FAULT_TIMES (1) calls, or with 0 all that follow.
 * With $FAULT_IN only in the process of that name. What failed is appended to $FAULT_LOG.
 *
 *	alloc	malloc and the like: ENOMEM
 *	space	functions that write to files: ENOSPC
 *	files	functions that make a descriptor: EMFILE
 *	intr	functions that may wait: EINTR
 *	short	functions that read or write: one byte
 *	gone	ptrace(2): the task was killed before
 *
 * Calls within the C library itself, as by stdio, are out of reach, so fopen() and fclose() fail
 * themselves. It affects only processes that run $FAULT_EXE, mprof's own file; programs that these
 * start do not get it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *kind;
static long at, times = 1, seen;
static char in[17];
static char log_name[PATH_MAX];

__attribute__((constructor)) static void begin(void)
{
	char self[PATH_MAX] = "";
	const char *exe = getenv("FAULT_EXE"), *n = getenv("FAULT_AT"), *t = getenv("FAULT_TIMES");
	const char *log = getenv("FAULT_LOG"), *name = getenv("FAULT_IN");

	if (!exe || !n || readlink("/proc/self/exe", self, sizeof self - 1) < 0 ||
	    strcmp(exe, self))
		return;
	at = atol(n);
	times = t ? atol(t) : 1;
	snprintf(log_name, sizeof log_name, "%s", log ? log : "");
	snprintf(in, sizeof in, "%s", name ? name : "");
	kind = getenv("FAULT");
	unsetenv("LD_PRELOAD");
}

static bool is_meant(void)
{
	char name[17] = "";

	return !*in || (!prctl(PR_GET_NAME, name) && !strcmp(name, in));
}

/* By system calls alone: it may be malloc that is asked about. */
static void note(const char *call)
{
	char line[64];
	int saved = errno, n = snprintf(line, sizeof line, "%s\n", call);
	int fd = *log_name ? (int)syscall(SYS_openat, AT_FDCWD, log_name,
					  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
			   : -1;

	if (fd >= 0) {
		(void)!syscall(SYS_write, fd, line, n);
		syscall(SYS_close, fd);
	}
	errno = saved;
}

/* Is this the call? */
static bool fails(const char *what, const char *call)
{
	if (!kind || strcmp(kind, what) || !is_meant())
		return false;
	long n = ++seen;

	if (n < at || (times && n >= at + times))
		return false;
	note(call);
	return true;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL_IF(what, call, err, value)                                                            \
	do {                                                                                       \
		if (fails(what, call)) {                                                           \
			errno = err;                                                               \
			return value;                                                              \
		}                                                                                  \
	} while (0)

/* ---- memory ---- */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

/* AddressSanitizer's, which are behind us if mprof has it (verify_asan_link_order=0): dlsym(3)
 * might allocate itself. */
extern void *__interceptor_malloc(size_t) __attribute__((weak));
extern void *__interceptor_calloc(size_t, size_t) __attribute__((weak));
extern void *__interceptor_realloc(void *, size_t) __attribute__((weak));

/* A failure in libseccomp 2.5 makes it free twice, which a sanitizer is not to say of it; or load
 * half a filter, by which a sanitizer that wants to end could not. */
static bool is_spared(const void *caller)
{
	Dl_info of;

	return __interceptor_malloc && dladdr(caller, &of) && strstr(of.dli_fname, "libseccomp");
}

#define NO_MEMORY_IF(call)                                                                         \
	do {                                                                                       \
		if (kind && !strcmp(kind, "alloc") && !is_spared(__builtin_return_address(0)))     \
			FAIL_IF("alloc", call, ENOMEM, NULL);                                      \
	} while (0)

void *malloc(size_t n)
{
	NO_MEMORY_IF("malloc");
	return __interceptor_malloc ? __interceptor_malloc(n) : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	NO_MEMORY_IF("calloc");
	return __interceptor_calloc ? __interceptor_calloc(n, size) : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	NO_MEMORY_IF("realloc");
	return __interceptor_realloc ? __interceptor_realloc(p, n) : __libc_realloc(p, n);
}

/* The C library's call malloc(), and have failed by that. The sanitizer's do not. */
char *strdup(const char *text)
{
	if (__interceptor_malloc)
		NO_MEMORY_IF("strdup");
	return NEXT(strdup)(text);
}

char *strndup(const char *text, size_t n)
{
	if (__interceptor_malloc)
		NO_MEMORY_IF("strndup");
	return NEXT(strndup)(text, n);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	if (__interceptor_malloc)
		NO_MEMORY_IF("reallocarray");
	return NEXT(reallocarray)(p, n, size);
}

/* ---- files ---- */

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN(name)                                                                                 \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode_t mode = mode_of(flags, args);                                                \
		va_end(args);                                                                      \
		FAIL_IF("files", #name, EMFILE, -1);                                               \
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);                      \
	}
OPEN(open)
OPEN(open64)

int openat(int dir, const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	mode_t mode = mode_of(flags, args);
	va_end(args);
	FAIL_IF("files", "openat", EMFILE, -1);
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

FILE *fopen(const char *path, const char *how)
{
	FAIL_IF("files", "fopen", EMFILE, NULL);
	return NEXT(fopen)(path, how);
}

int socket(int domain, int type, int protocol)
{
	FAIL_IF("files", "socket", EMFILE, -1);
	return NEXT(socket)(domain, type, protocol);
}

int accept4(int fd, struct sockaddr *a, socklen_t *len, int flags)
{
	FAIL_IF("files", "accept4", EMFILE, -1);
	return NEXT(accept4)(fd, a, len, flags);
}

int memfd_create(const char *name, unsigned flags)
{
	FAIL_IF("files", "memfd_create", EMFILE, -1);
	return NEXT(memfd_create)(name, flags);
}

int pipe2(int ends[2], int flags)
{
	FAIL_IF("files", "pipe2", EMFILE, -1);
	return NEXT(pipe2)(ends, flags);
}

int dup(int fd)
{
	FAIL_IF("files", "dup", EMFILE, -1);
	return NEXT(dup)(fd);
}

/* ---- reading and writing ---- */

/* On a disk: what /proc has is neither cut short nor full, and nor is what is said to people. */
static bool is_file(int fd)
{
	struct statfs fs;
	struct stat st;

	return fd > STDERR_FILENO && !fstat(fd, &st) && S_ISREG(st.st_mode) && !fstatfs(fd, &fs) &&
	       fs.f_type != PROC_SUPER_MAGIC;
}

static size_t size_of(const char *call, int fd, size_t n)
{
	return n > 1 && is_file(fd) && fails("short", call) ? 1 : n;
}

ssize_t read(int fd, void *to, size_t n)
{
	FAIL_IF("intr", "read", EINTR, -1);
	return syscall(SYS_read, fd, to, size_of("read", fd, n));
}

ssize_t write(int fd, const void *from, size_t n)
{
	FAIL_IF("intr", "write", EINTR, -1);
	if (is_file(fd))
		FAIL_IF("space", "write", ENOSPC, -1);
	return syscall(SYS_write, fd, from, size_of("write", fd, n));
}

#define PREAD(name)                                                                                \
	ssize_t name(int fd, void *to, size_t n, off_t from)                                       \
	{                                                                                          \
		FAIL_IF("intr", #name, EINTR, -1);                                                 \
		return syscall(SYS_pread64, fd, to, size_of(#name, fd, n), from);                  \
	}
PREAD(pread)
PREAD(pread64)

#define PWRITE(name)                                                                               \
	ssize_t name(int fd, const void *from, size_t n, off_t to)                                 \
	{                                                                                          \
		FAIL_IF("intr", #name, EINTR, -1);                                                 \
		if (is_file(fd))                                                                   \
			FAIL_IF("space", #name, ENOSPC, -1);                                       \
		return syscall(SYS_pwrite64, fd, from, size_of(#name, fd, n), to);                 \
	}
PWRITE(pwrite)
PWRITE(pwrite64)

int fsync(int fd)
{
	FAIL_IF("space", "fsync", ENOSPC, -1);
	return NEXT(fsync)(fd);
}

int fclose(FILE *f)
{
	bool writes = (fcntl(fileno(f), F_GETFL) & O_ACCMODE) != O_RDONLY && is_file(fileno(f));
	int result = NEXT(fclose)(f);

	if (writes)
		FAIL_IF("space", "fclose", ENOSPC, EOF);
	return result;
}

/* ---- waiting ---- */

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	FAIL_IF("intr", "poll", EINTR, -1);
	return NEXT(poll)(fds, n, timeout);
}

pid_t waitpid(pid_t pid, int *status, int flags)
{
	FAIL_IF("intr", "waitpid", EINTR, -1);
	return NEXT(waitpid)(pid, status, flags);
}

int waitid(idtype_t type, id_t id, siginfo_t *si, int flags)
{
	FAIL_IF("intr", "waitid", EINTR, -1);
	return NEXT(waitid)(type, id, si, flags);
}

int connect(int fd, const struct sockaddr *a, socklen_t len)
{
	FAIL_IF("intr", "connect", EINTR, -1);
	return NEXT(connect)(fd, a, len);
}

/* ---- tasks ---- */

long ptrace(enum __ptrace_request request, ...)
{
	va_list args;

	va_start(args, request);
	pid_t pid = va_arg(args, pid_t);
	void *addr = va_arg(args, void *), *data = va_arg(args, void *);
	va_end(args);
	if (fails("gone", "ptrace"))
		syscall(SYS_kill, pid, SIGKILL);
	return NEXT(ptrace)(request, pid, addr, data);
}
