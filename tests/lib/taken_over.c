/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plays a parser that a file has taken over, in the confined process in which mprof reads files; in
 * the build mprof-taken-over only. $TAKEN_OVER says what it does:
 *
 *	attack	tries everything an attacker could want, and reports each result
 *	loop	uses processor time for ever
 *	grow	allocates memory without limit
 *	files	fills files in memory without limit
 *	point	notes that it reads a file that does not exist
 *	crash	crashes
 *	lie	exits with 0, with a result that is no profile
 *	storm	makes requests that are not allowed, again and again
 *	chatter	has sentences and entries for the cache of names without end, then reads
 *	close	closes its end of the connection and its result, and sleeps
 */
#include "confine/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static void tell(const char *what, long result)
{
	char line[256];
	const char *how = result < 0 ? strerror(errno) : "DONE";
	int n = snprintf(line, sizeof line, "taken over: %s: %s", what, how);

	apart_ask(1, line, (size_t)n, NULL);
}

/* Who has made this process, of whom the system call would not tell any more. */
static pid_t maker(void)
{
	FILE *f = fopen("/proc/self/stat", "re");
	int pid = 0;

	if (!f || fscanf(f, "%*d (%*[^)]) %*c %d", &pid) != 1 || pid < 2)
		tell("finding out who has made it", 0);
	if (f)
		fclose(f);
	return pid;
}

static long read_memory(pid_t pid)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { (void *)(uintptr_t)&stdout, 1 };

	return process_vm_readv(pid, &here, 1, &there, 1, 0);
}

static long open_memory(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A new process is not to go on with all of this. */
static long new_process(long call)
{
	long pid = syscall(call, call == SYS_fork ? 0 : SIGCHLD, 0, 0, 0, 0);

	if (!pid)
		_exit(0);
	return pid;
}

static long run_program(void)
{
	char *argv[] = { "/bin/true", NULL };

	return execve(argv[0], argv, argv + 1);
}

static long open_how(void)
{
	struct open_how how = { .flags = O_WRONLY | O_CREAT, .mode = 0600 };

	return syscall(SYS_openat2, AT_FDCWD, "taken-over-2", &how, sizeof how);
}

static long load_bpf(void)
{
	union bpf_attr a = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4,
			     .max_entries = 1 };

	return syscall(SYS_bpf, BPF_MAP_CREATE, &a, sizeof a);
}

static long make_code(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? -1 : 0;
}

static long raise_limit(void)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	return setrlimit(RLIMIT_CPU, &all);
}

/* Descriptors that lead to somebody else, or to a file that can be written. */
static long count_descriptors(void)
{
	long n = 0;

#ifdef __SANITIZE_ADDRESS__
	close(STDERR_FILENO);	/* which is left to the sanitizer */
#endif
	for (int fd = 0; fd < 1024; fd++) {
		struct stat st;
		int flags = fcntl(fd, F_GETFL);

		if (flags < 0 || fstat(fd, &st) || (flags & O_ACCMODE) == O_RDONLY)
			continue;
		/* /dev/null, the file in memory, and the way out */
		n += !(S_ISCHR(st.st_mode) || st.st_nlink == 0 || S_ISSOCK(st.st_mode));
		n += S_ISSOCK(st.st_mode) ? 1 : 0;
	}
	errno = EBADF;
	return n == 1 ? -1 : n;
}

static long connect_somewhere(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = "/tmp/taken-over" };

	return connect(0, (struct sockaddr *)&to, sizeof to);
}

static void attack(void)
{
	pid_t parent = maker();

	tell("ptrace", ptrace(PTRACE_SEIZE, parent, NULL, NULL));
	tell("process_vm_readv", read_memory(parent));
	tell("/proc/PID/mem", open_memory(parent));
	tell("kill", kill(parent, 0));
	tell("tgkill", syscall(SYS_tgkill, parent, parent, 0));
	tell("pidfd_open", syscall(SYS_pidfd_open, parent, 0));
	tell("socket", socket(AF_INET, SOCK_STREAM, 0));
	tell("unix socket", socket(AF_UNIX, SOCK_STREAM, 0));
	tell("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){ 0 }));
	tell("connect", connect_somewhere());
	tell("bind", bind(0, NULL, 0));
	tell("execve", run_program());
	tell("fork", new_process(SYS_fork));
	tell("clone", new_process(SYS_clone));
	tell("clone3", syscall(SYS_clone3, NULL, 0));
	tell("creating a file", open("taken-over", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	tell("creat", syscall(SYS_creat, "taken-over", 0600));
	tell("opening to write", open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
	tell("opening to append", open("mprof.data", O_RDONLY | O_APPEND | O_CLOEXEC));
	tell("opening to cut", open("mprof.data", O_RDONLY | O_TRUNC | O_CLOEXEC));
	tell("a file without a name", open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
	tell("openat2", open_how());
	tell("mkdir", mkdir("taken-over-dir", 0700));
	tell("unlink", unlink("mprof.data"));
	tell("rename", rename("mprof.data", "taken-over"));
	tell("link", link("mprof.data", "taken-over"));
	tell("symlink", symlink("mprof.data", "taken-over"));
	tell("truncate", truncate("mprof.data", 0));
	tell("chmod", chmod("mprof.data", 0777));
	tell("mount", mount("none", "/mnt", "tmpfs", 0, NULL));
	tell("bpf", load_bpf());
	tell("keyctl", syscall(SYS_keyctl, 0, -3, 1));
	tell("perf_event_open", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
	tell("io_uring_setup", syscall(SYS_io_uring_setup, 1, NULL));
	tell("userfaultfd", syscall(SYS_userfaultfd, 0));
	tell("unshare", unshare(CLONE_NEWUSER));
	tell("setuid", setuid(12345));
	tell("prctl", prctl(PR_SET_DUMPABLE, 1));
	tell("setrlimit", raise_limit());
	tell("another's limits", syscall(SYS_prlimit64, parent, RLIMIT_CPU, NULL, NULL));
	tell("memory that is code", make_code());
	tell("F_SETOWN", fcntl(0, F_SETOWN, parent));
	tell("TIOCSTI", syscall(SYS_ioctl, 0, 0x5412, "x"));
	tell("descriptors of others", count_descriptors());
}

static void grow(void)
{
	for (;;) {
		char *at = malloc(16 << 20);

		if (!at)
			apart_out_of_memory();
		memset(at, 1, 4096);
	}
}

static void make_files(void)
{
	static char bytes[1 << 20];
	int fd;

	memset(bytes, 1, sizeof bytes);
	while ((fd = memfd_create("taken over", MFD_CLOEXEC)) >= 0)
		for (int i = 0; i < 16; i++)
			if (write(fd, bytes, sizeof bytes) < 0)
				break;
	/* What it has it keeps, until somebody minds. */
	for (;;)
		pause();
}

/* The one word that it shares with who has made it is a number of a file, and untrusted. */
static void point(void)
{
	static const uint32_t words[] = { 1, 2, 1000, INT32_MAX, (uint32_t)INT32_MAX + 1,
					  UINT32_MAX - 1, UINT32_MAX };
	const char *which = getenv("POINTED");

	apart_note(words[(which ? atoi(which) : 0) % (int)(sizeof words / sizeof *words)]);
	__builtin_trap();
}

/* As naming/reading.c: 1 says a sentence, 3 is an entry for a build ID. */
static void chatter(void)
{
	static const char sentence[] = "taken over: chatter", entry[] = "00112233\0no entry";

	for (int i = 0; i < 1000; i++) {
		apart_ask(1, sentence, sizeof sentence - 1, NULL);
		apart_ask(3, entry, sizeof entry, NULL);
	}
}

static void close_and_sleep(void)
{
	for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
		close(fd);
	for (;;)
		poll(NULL, 0, -1);
}

void apart_taken_over(void)
{
	const char *how = getenv("TAKEN_OVER");
	volatile unsigned turns = 0;

	if (!how)
		return;
	apart_note(0);
	if (!strcmp(how, "attack"))
		attack();
	if (!strcmp(how, "loop"))
		for (;;)
			turns++;
	if (!strcmp(how, "grow"))
		grow();
	if (!strcmp(how, "files"))
		make_files();
	if (!strcmp(how, "point"))
		point();
	if (!strcmp(how, "crash"))
		__builtin_trap();
	if (!strcmp(how, "lie"))
		_exit(0);
	if (!strcmp(how, "chatter"))
		chatter();
	if (!strcmp(how, "close"))
		close_and_sleep();
	for (int i = 0; !strcmp(how, "storm") && i < 1000; i++)
		apart_ask(1000 + (unsigned)i, "../../etc/passwd", 17, NULL);
}
