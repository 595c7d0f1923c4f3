/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * midforks N [in]: a timer's handler forks wherever it interrupts main, which allocates in a loop,
 * N times; with "in" only where it interrupts code that is neither the program's nor a library's,
 * which a tracer has put before the library's functions. The child continues what was interrupted,
 * makes pairs of its own, and ends with 0. With "sleep" the handler sleeps there instead, until
 * there is a file "go", which it removes.
 */
#include "target.h"

#include <link.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>

enum { MAIN = 4211, CHILD = 4217, PAIRS = 5 };

static uintptr_t lo[16], hi[16];
static size_t n_objects;
static volatile sig_atomic_t left, is_child, only_between, sleeps;

static int note_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	MUST(n_objects < LENGTH(lo));
	lo[n_objects] = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD)
			continue;
		if (start < lo[n_objects])
			lo[n_objects] = start;
		if (start + p->p_memsz > hi[n_objects])
			hi[n_objects] = start + p->p_memsz;
	}
	n_objects++;
	return 0;
}

static bool is_in_object(uintptr_t pc)
{
	for (size_t i = 0; i < n_objects; i++)
		if (pc >= lo[i] && pc < hi[i])
			return true;
	return false;
}

/* Once, and not at a time that it takes to come to the same place again. */
static void wind_up(void)
{
	struct itimerval t = { { 0, 0 }, { 0, 300 + left * 37 % 211 } };

	MUST(!setitimer(ITIMER_REAL, &t, NULL));
}

static void make_child(void)
{
	int status;
	pid_t pid = _Fork();

	MUST(pid >= 0);
	if (pid) {
		MUST(waitpid(pid, &status, 0) == pid);
		if (status)
			say("midforks: a child ended with %#x\n", (unsigned)status);
		MUST(!status);
	}
	is_child = !pid;
	left--;
}

static void sleep_there(void)
{
	say("within\n");
	while (unlink("go"))
		usleep(1000);
	left--;
}

static void handler(int sig, siginfo_t *si, void *uc)
{
	const ucontext_t *u = uc;
	int saved = errno;

	(void)sig, (void)si;
	if (left && !is_child &&
	    !(only_between && is_in_object((uintptr_t)u->uc_mcontext.gregs[REG_RIP])))
		sleeps ? sleep_there() : make_child();
	if (left && !is_child)
		wind_up();
	errno = saved;
}

static void end_child(void)
{
	for (int k = 0; k < PAIRS; k++)
		free(fill(malloc(CHILD), CHILD, k));
	_exit(0);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	long pairs = 0;

	MUST(argc > 1);
	left = atoi(argv[1]);
	only_between = argc > 2;
	sleeps = argc > 2 && !strcmp(argv[2], "sleep");
	say("ready %d\n", (int)getpid());
	dl_iterate_phdr(note_object, NULL);
	MUST(!sigaction(SIGALRM, &sa, NULL));
	wind_up();
	for (; left; pairs++) {
		void *volatile p = malloc(MAIN);

		if (is_child)
			end_child();
		free(p);
		if (is_child)
			end_child();
	}
	if (is_child)
		end_child();
	bin(MAIN, pairs, pairs);
	say("midforks: done\n");
	return 0;
}
