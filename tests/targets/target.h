/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TESTS_TARGET_H
#define MPROF_TESTS_TARGET_H

/*
 * What the programs under test share. Each knows from its own source how often it allocated and
 * freed blocks of sizes that nothing else in the process uses, and appends that to the file $BINS:
 *
 *	bin SIZE ALLOCS FREES		this process
 *	child PID SIZE ALLOCS FREES	a child it made (after target_is_child)
 *	failed N, unknown N, peak N	what the totals must say, if the program knows
 *
 * Nothing in here allocates; standard output is written without stdio streams.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif
#define UNUSED	 __attribute__((unused))
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* Keeps a call from becoming a jump, so that its caller stays on the stack. */
#define STAY() __asm__ volatile("" ::: "memory")

static void target_write(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t k = write(fd, s, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			_exit(96);
		s += k;
		n -= (size_t)k;
	}
}

UNUSED __attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	char line[4096];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	target_write(STDOUT_FILENO, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
}

#define MUST(what)                                                                                 \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			say("BROKEN %s:%d: %s\n", __FILE__, __LINE__, #what);                      \
			_exit(97);                                                                 \
		}                                                                                  \
	} while (0)

UNUSED __attribute__((format(printf, 1, 2))) static void truth(const char *fmt, ...)
{
	const char *name = getenv("BINS");
	char line[256];
	va_list ap;

	if (!name)
		return;
	int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	MUST(fd >= 0);
	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	target_write(fd, line, (size_t)n);
	close(fd);
}

static bool target_is_child UNUSED;

UNUSED static void bin(size_t size, long allocs, long frees)
{
	if (target_is_child)
		truth("child %d %zu %ld %ld\n", (int)getpid(), size, allocs, frees);
	else
		truth("bin %zu %ld %ld\n", size, allocs, frees);
}

/* Fills a block, so that mistakes of an allocator or a tracer show. */
UNUSED static void *fill(void *p, size_t n, int with)
{
	MUST(p);
	memset(p, with, n);
	return p;
}

UNUSED static void check(const void *p, size_t n, int with)
{
	const unsigned char *s = (const unsigned char *)p;

	for (size_t i = 0; i < n; i++)
		MUST(s[i] == (unsigned char)with);
}

/* The tracer of the calling thread; 0: none. */
UNUSED static pid_t traced_by(void)
{
	char text[4096];
	int fd = open("/proc/thread-self/status", O_RDONLY);
	ssize_t n = read(fd, text, sizeof text - 1);

	MUST(n > 0);
	close(fd);
	text[n] = '\0';
	char *at = strstr(text, "\nTracerPid:");
	MUST(at);
	return (pid_t)atoi(at + 11);
}

/* The code of the C library, by the maps. It allocates. */
UNUSED static void find_libc(uintptr_t *lo, uintptr_t *hi)
{
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");

	*hi = 0;
	while (f && fgets(line, sizeof line, f))
		if (strstr(line, "r-xp") && strstr(line, "libc.so"))
			MUST(sscanf(line, "%lx-%lx", lo, hi) == 2);
	MUST(*hi);
	fclose(f);
}

#endif
