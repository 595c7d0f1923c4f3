/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mirror [FILE [ARG...]]: prints to FILE (default, and "-": standard output) what a program can see
 * of how it was started. Started under mprof, it must print the same.
 */
#include "target.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { SIZE = 4603 };

static void signals(const char *key)
{
	static char text[8192];
	int fd = open("/proc/thread-self/status", O_RDONLY);
	ssize_t n = read(fd, text, sizeof text - 1);

	MUST(n > 0);
	close(fd);
	text[n] = 0;
	char *at = strstr(text, key);
	MUST(at);
	say("%.*s\n", (int)strcspn(at, "\n"), at);
}

static void *masked(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	MUST(!pthread_sigmask(SIG_SETMASK, &all, NULL));
	for (int i = 0; i < 20; i++)
		free(fill(malloc(SIZE), SIZE, i));
	signals("\nSigBlk:"); /* the same set, though breakpoints were met under it */
	return arg;
}

int main(int argc, char **argv)
{
	struct rlimit rl;
	cpu_set_t cpus;
	char cwd[4096];
	pthread_t t;
	int nfds = 0;
	struct {
		int fd, flags, fl;
		unsigned type;
	} fds[64];

	for (int fd = 0; fd < 256 && nfds < 64; fd++) {
		struct stat st;

		if (fstat(fd, &st))
			continue;
		fds[nfds].fd = fd;
		fds[nfds].flags = fcntl(fd, F_GETFD);
		fds[nfds].fl = fcntl(fd, F_GETFL);
		fds[nfds++].type = st.st_mode & S_IFMT;
	}
	if (argc > 1 && strcmp(argv[1], "-")) {
		int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);

		MUST(fd >= 0);
		if (fd != STDOUT_FILENO) {
			MUST(dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
			close(fd);
		}
	}
	for (int i = 0; i < nfds; i++)
		say("fd %d flags %x %x type %o\n", fds[i].fd, fds[i].flags, fds[i].fl, fds[i].type);
	for (int i = 0; i < argc; i++)
		say("arg %d <%s>\n", i, argv[i]);
	for (char **e = environ; *e; e++)
		say("env <%s>\n", *e);
	for (int i = 0; i < 10; i++)
		free(fill(malloc(SIZE), SIZE, i));
	signals("\nSigBlk:");
	signals("\nSigIgn:");
	signals("\nSigCgt:");
	signals("\nNoNewPrivs:");
	signals("\nSeccomp:");
	MUST(!sched_getaffinity(0, sizeof cpus, &cpus));
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &cpus))
			say("cpu %d\n", i);
	MUST(getcwd(cwd, sizeof cwd));
	say("cwd %s\numask %o\n", cwd, umask(022));
	for (int i = 0; i < RLIMIT_NLIMITS; i++) {
		MUST(!getrlimit(i, &rl));
		say("limit %d %llu %llu\n", i, (unsigned long long)rl.rlim_cur,
		    (unsigned long long)rl.rlim_max);
	}
	say("leads its group %d, session %d\n", getpgrp() == getpid(), getsid(0) == getpid());
	say("nice %d policy %d personality %x dumpable %d pdeathsig", getpriority(PRIO_PROCESS, 0),
	    sched_getscheduler(0), (unsigned)personality(0xffffffff), prctl(PR_GET_DUMPABLE));
	int sig = -1;
	prctl(PR_GET_PDEATHSIG, &sig);
	say(" %d uid %d %d\n", sig, (int)getuid(), (int)geteuid());
	MUST(!pthread_create(&t, NULL, masked, NULL) && !pthread_join(t, NULL));
	bin(SIZE, 30, 30);
	return 37;
}
