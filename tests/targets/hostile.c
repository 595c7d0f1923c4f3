/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile WHAT [ARG...]: programs that do things to themselves which would mislead or harm a
 * tracer, and which are correct without one. Each is described below. What must be the same without
 * mprof is printed on standard output; what was allocated is in $BINS.
 */
#include "target.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

enum { SIZE = 4621, HIDDEN = 4639, PAGE = 4096 };

static atomic_long done;

static NOINLINE void work(long n)
{
	for (long i = 0; i < n; i++) {
		void *p = fill(malloc(SIZE), SIZE, 7);

		check(p, SIZE, 7);
		free(p);
		done++;
	}
	STAY();
}

/* ---- traps: SIGTRAP by every means there is ---- */

static volatile sig_atomic_t got, code;
static volatile bool stepping;

static void on_trap(int sig, siginfo_t *si, void *uc)
{
	greg_t *regs = ((ucontext_t *)uc)->uc_mcontext.gregs;

	(void)sig;
	got++;
	code = si->si_code;
	if (!stepping)
		regs[REG_EFL] &= ~0x100;
	/* Some hypervisors leave it at icebp, where it would be for ever. */
	if (*(unsigned char *)regs[REG_RIP] == 0xf1)
		regs[REG_RIP]++;
}

static void expect(const char *what, sig_atomic_t before)
{
	for (int i = 0; got == before && i < 1000; i++)
		usleep(1000);
	say("%s: %d with code %#x\n", what, (int)(got - before), (unsigned)code);
	work(3);
}

static NOINLINE void int3(void)
{
	__asm__ volatile("int3");
}

static NOINLINE void int_3(void)
{
	__asm__ volatile(".byte 0xcd, 0x03");
}

static NOINLINE void icebp(void)
{
	__asm__ volatile(".byte 0xf1");
}

static NOINLINE void step_once(void)
{
	__asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tnop" ::: "memory", "cc");
}

/* Step by step through malloc and free. How many steps these take is their own matter. */
static void step_through(void)
{
	sig_atomic_t before = got;

	stepping = true;
	step_once();
	work(2);
	stepping = false;
	__asm__ volatile("nop\n\tnop");
	MUST(got - before > 20 && code == TRAP_TRACE);
	say("stepped through\n");
}

/* To oneself one may say anything, what only the kernel says, too. */
static void forge(int si_code)
{
	siginfo_t si = { .si_signo = SIGTRAP, .si_code = si_code };

	MUST(!syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGTRAP, &si));
}

static void by_timer(void)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTRAP };
	struct itimerspec soon = { .it_value.tv_nsec = 1000000 };
	timer_t timer;

	MUST(!timer_create(CLOCK_MONOTONIC, &ev, &timer));
	MUST(!timer_settime(timer, 0, &soon, NULL));
	for (int i = 0; i < 1000 && code != SI_TIMER; i++)
		usleep(1000);
	MUST(!timer_delete(timer));
}

static void by_file(void)
{
	int ends[2];

	MUST(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	MUST(!fcntl(ends[0], F_SETOWN, getpid()) && !fcntl(ends[0], F_SETSIG, SIGTRAP));
	MUST(!fcntl(ends[0], F_SETFL, O_ASYNC));
	MUST(write(ends[1], "", 1) == 1);
	close(ends[0]);
	close(ends[1]);
}

static void traps(void)
{
	/* what stops of a tracee look like in wait(2), and what their siginfo says */
	static const int codes[] = {
		SI_KERNEL, TRAP_BRKPT, TRAP_TRACE, TRAP_HWBKPT, SIGTRAP,
		0x0105,	   0x8005,     0x8000,	   SI_USER,
	};
	struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	sigset_t trap;

	MUST(!sigaction(SIGTRAP, &sa, NULL));
	for (int i = 0; i < 5; i++) {
		sig_atomic_t before = got;
#define BY(what, how) (before = got, how, expect(what, before))
		BY("int3", int3());
		BY("int 3", int_3());
		BY("icebp", icebp());
		BY("step", step_once());
		step_through();
		BY("raise", raise(SIGTRAP));
		BY("kill", kill(getpid(), SIGTRAP));
		BY("queue", sigqueue(getpid(), SIGTRAP, (union sigval){ .sival_int = 5 }));
		BY("timer", by_timer());
		BY("file", by_file());
		for (size_t k = 0; k < LENGTH(codes); k++)
			BY("forged", forge(codes[k]));
	}
	/* One that is pending, blocked, while all goes on. */
	sigemptyset(&trap);
	sigaddset(&trap, SIGUSR1);
	MUST(!sigprocmask(SIG_BLOCK, &trap, NULL));
	forge(0x80);
	work(100);
}

/* ---- stack: another thread writes to the upper frames, and takes them away ---- */

enum { STACK = 1 << 18, UPPER = 1 << 16 };

static char *stack;
static jmp_buf back;
static atomic_bool low, over;

#pragma GCC diagnostic ignored "-Winfinite-recursion" /* longjmp ends it */
static NOINLINE void lower(int deep)
{
	UNUSED volatile char room[512] = { deep };

	if (deep) {
		lower(deep - 1);
	} else {
		low = true;
		work(3000);
		over = true;
		longjmp(back, 1); /* nobody ever returns to what was there */
	}
	STAY();
}

static NOINLINE void upper(int deep)
{
	UNUSED volatile char room[1024] = { deep };

	if (deep)
		upper(deep - 1);
	else
		lower(20);
	STAY();
}

/* Words that look like addresses of code, of the stack itself, or like none. */
static void scribble(void)
{
	uint64_t x = 88172645463325252, *from = (uint64_t *)(stack + STACK - UPPER);

	for (size_t i = 0; i < UPPER / sizeof *from - 512; i++) {
		const uint64_t words[] = {
			x,	    (uintptr_t)work + x % 64, (uintptr_t)(from + x % 4096), 0,
			UINT64_MAX, 0x00007fffffffffff,	      0x0000800000000000,
			(uintptr_t)malloc,
		};

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		from[i] = words[x % LENGTH(words)];
	}
}

static void *attack(void *arg)
{
	char *from = stack + STACK - UPPER;

	while (!low)
		sched_yield();
	while (!over) {
		scribble();
		MUST(!mprotect(from, UPPER, PROT_NONE));
		sched_yield();
		MUST(!munmap(from, UPPER));
		sched_yield();
		MUST(mmap(from, UPPER, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == from);
	}
	return arg;
}

static void switch_to(char *top)
{
	__asm__ volatile("mov %0, %%rsp\n\tmov $90, %%edi\n\tcall *%1"
			 : : "r"(top), "r"(upper) : "memory", "rdi");
	__builtin_unreachable();
}

static void changed_stack(void)
{
	pthread_t t;

	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	MUST(stack != MAP_FAILED);
	MUST(!pthread_create(&t, NULL, attack, NULL));
	/* 90 frames of upper() reach over what is attacked, where its last ones are whole. */
	if (!setjmp(back))
		switch_to(stack + STACK - 4096);
	MUST(!pthread_join(t, NULL));
	work(5);
}

/* ---- births N: threads that do one thing ---- */

static void *live_once(void *arg)
{
	work(1);
	return arg;
}

static void births(long n)
{
	pthread_t t[8];

	for (long i = 0; i < n; i += 8) {
		for (size_t k = 0; k < 8; k++)
			MUST(!pthread_create(&t[k], NULL, live_once, NULL));
		for (size_t k = 0; k < 8; k++)
			MUST(!pthread_join(t[k], NULL));
	}
}

/* ---- proc PLUGIN: what others read of it in /proc is not true ---- */

static void *misnamed(void *arg)
{
	/* as stat(5) goes on behind a name */
	MUST(!prctl(PR_SET_NAME, "x) Z 1 1 (\n\033[2J"));
	work(20);
	return arg;
}

/* A library whose name goes on like the next line of the maps, and ends as if it were gone. */
static void odd_name(const char *plugin)
{
	static const char name[] = "./lib\n00400000-ffffffff r-xp 00000000 00:00 1 sh (deleted)";
	char command[8192];

	snprintf(command, sizeof command, "cp '%s' '%s'", plugin, name);
	MUST(!system(command));
	void *h = dlopen(name, RTLD_NOW);
	MUST(h);
	work(10);
	MUST(!dlclose(h) && !unlink(name));
}

static void fake_proc(const char *plugin)
{
	pthread_t t;

	odd_name(plugin);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/proc", "tmpfs", 0, NULL))
		say("no mounts here\n");
	misnamed(NULL);
	MUST(!pthread_create(&t, NULL, misnamed, NULL) && !pthread_join(t, NULL));
	pid_t pid = fork();
	if (!pid)
		_exit(0);
	int status;
	MUST(waitpid(pid, &status, 0) == pid && !status);
	work(20);
}

/* ---- addresses: code and stacks at the ends of what there is ---- */

/* push %rbp; mov %rsp,%rbp; mov $4639,%edi; mov $malloc,%rax; call *%rax;
 * mov %rax,%rdi; mov $free,%rax; call *%rax; pop %rbp; ret */
static const unsigned char calls[] = {
	0x55, 0x48, 0x89, 0xe5, 0xbf, 0x1f, 0x12, 0,	 0,    0x48, 0xb8, 0,	 0,    0,
	0,    0,    0,	  0,	0,    0xff, 0xd0, 0x48, 0x89, 0xc7, 0x48, 0xb8, 0,    0,
	0,    0,    0,	  0,	0,    0,    0xff, 0xd0, 0x5d, 0xc3,
};
enum { AT_MALLOC = 11, AT_FREE = 26, TIMES = 50 };

static long hidden;

static void call_at(unsigned char *at)
{
	void *(*request)(size_t) = malloc;
	void (*release)(void *) = free;

	memcpy(at, calls, sizeof calls);
	memcpy(at + AT_MALLOC, &request, sizeof request);
	memcpy(at + AT_FREE, &release, sizeof release);
	for (int i = 0; i < TIMES; i++)
		((void (*)(void))at)();
	hidden += TIMES;
}

static void *run_in(void *at)
{
	work(10);
	call_at(at);
	return NULL;
}

/* At this address, or nowhere; code at the very end of a page. */
static bool use(uintptr_t where)
{
	unsigned char *at = mmap((void *)where, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (at == MAP_FAILED || (uintptr_t)at != where)
		return false;
	call_at(at + PAGE - sizeof calls);
	MUST(!munmap(at, PAGE));
	return true;
}

static bool stand(uintptr_t where)
{
	char *at = mmap((void *)where, STACK, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	pthread_attr_t attr;
	pthread_t t;

	if (at == MAP_FAILED || (uintptr_t)at != where)
		return false;
	MUST(!pthread_attr_init(&attr) && !pthread_attr_setstack(&attr, at, STACK));
	MUST(!pthread_create(&t, &attr, run_in, at) && !pthread_join(t, NULL));
	MUST(!munmap(at, STACK));
	return true;
}

static void addresses(void)
{
	const uintptr_t top = (uintptr_t)1 << 47;

	/* The main stack may be there by chance, and then nothing else is. */
	say("47 bits: %s\n", use(top - 2 * PAGE) | stand(top - 0x100000) ? "used" : "taken");
	say("lowest: %s\n", use(0x10000) ? "used" : "taken");
	say("57 bits: %s\n", use(((uintptr_t)1 << 56) - 2 * PAGE) | stand((uintptr_t)1 << 55)
				     ? "used" : "not on this machine");
}

/* ---- execstack: code on the stack, of the first thread and of another ---- */

static NOINLINE void *call_on_stack(void *arg)
{
	unsigned char code_here[64];

	call_at(code_here);
	work(5);
	return arg;
}

static void execstack(void)
{
	pthread_t t;

	call_on_stack(NULL);
	MUST(!pthread_create(&t, NULL, call_on_stack, NULL) && !pthread_join(t, NULL));
}

/* ---- sparse PLUGIN: files of 2^40 bytes that are mapped as modules ---- */

static void sparse(const char *plugin)
{
	enum { HEAD = 64 };
	char command[4096];

	/* A real library, with nothing behind it, and that for long. */
	snprintf(command, sizeof command, "cp '%s' ./long.so && truncate -s 1T long.so", plugin);
	MUST(!system(command));
	void *h = dlopen("./long.so", RTLD_NOW);
	MUST(h);
	work(10);
	/* Code of no kind: the first bytes of a library, whose section headers are said to be at
	 * the end; and nothing at all. */
	for (int i = 0; i < 2; i++) {
		char head[HEAD];
		const uint64_t last = ((uint64_t)1 << 40) - 4096;
		int from = open(plugin, O_RDONLY);
		int fd = open("hole", O_RDWR | O_CREAT | O_TRUNC, 0700);

		MUST(read(from, head, HEAD) == HEAD && !ftruncate(fd, (off_t)1 << 40));
		memcpy(head + 40, &last, sizeof last);
		MUST(i || pwrite(fd, head, HEAD, 0) == HEAD);
		MUST(mmap(NULL, (size_t)1 << 40, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) !=
		     MAP_FAILED);
		close(fd);
		close(from);
		work(10);
	}
	MUST(!unlink("hole") && !unlink("long.so"));
	work(10);
}

/* ---- restore, remap: it has its allocator's code as it is in the file ---- */

/* The file of the C library, and where in it the code at @at is. */
static int file_of(const void *at, off_t *offset, uintptr_t *start)
{
	char text[1 << 16];
	size_t n = 0;
	ssize_t got;
	int maps = open("/proc/self/maps", O_RDONLY), fd = -1;

	while ((got = read(maps, text + n, sizeof text - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(maps);
	for (char *save, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		uintptr_t from, to, skip;
		char name[1024];

		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %1023s", &from, &to, &skip, name) == 4 &&
		    (uintptr_t)at >= from && (uintptr_t)at < to) {
			*offset = (off_t)skip;
			*start = from;
			fd = open(name, O_RDONLY);
		}
	}
	MUST(fd >= 0);
	return fd;
}

/* Again and again, with work in between: as a program does that protects its code. */
static void own_code(bool map)
{
	static void *const functions[] = { malloc, free };

	for (int i = 0; i < 20; i++) {
		for (size_t k = 0; k < LENGTH(functions); k++) {
			uintptr_t at = (uintptr_t)functions[k], page = at & -PAGE, start;
			off_t offset;
			int fd = file_of(functions[k], &offset, &start);

			offset += (off_t)(page - start);
			if (map) {
				MUST(mmap((void *)page, PAGE, PROT_READ | PROT_EXEC,
					  MAP_PRIVATE | MAP_FIXED, fd, offset) == (void *)page);
			} else {
				MUST(!mprotect((void *)page, PAGE,
					       PROT_READ | PROT_WRITE | PROT_EXEC));
				MUST(pread(fd, (void *)at, 16, offset + (off_t)(at - page)) == 16);
				MUST(!mprotect((void *)page, PAGE, PROT_READ | PROT_EXEC));
			}
			close(fd);
		}
		work(10);
	}
}

/* ---- kill SIGNAL: whoever traces it gets that ---- */

static void send_signal(int sig)
{
	pid_t by = traced_by();

	work(10);
	if (by)
		kill(by, sig);
	work(1000);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "", *arg = argc > 2 ? argv[2] : "";

	if (!strcmp(what, "traps"))
		traps();
	else if (!strcmp(what, "stack"))
		changed_stack();
	else if (!strcmp(what, "births"))
		births(atol(arg));
	else if (!strcmp(what, "proc"))
		fake_proc(arg);
	else if (!strcmp(what, "addresses"))
		addresses();
	else if (!strcmp(what, "execstack"))
		execstack();
	else if (!strcmp(what, "sparse"))
		sparse(arg);
	else if (!strcmp(what, "restore"))
		own_code(false);
	else if (!strcmp(what, "remap"))
		own_code(true);
	else if (!strcmp(what, "kill"))
		send_signal(atoi(arg));
	else
		return 2;
	/* Whoever is to see it alive has it wait for a line. */
	if (argc > 3) {
		char c;

		say("ready\n");
		MUST(read(STDIN_FILENO, &c, 1) == 1);
	}
	bin(SIZE, done, done);
	if (hidden)
		bin(HIDDEN, hidden, hidden);
	say("done\n");
	return 0;
}
