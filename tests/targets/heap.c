/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocates in a few functions of known names, always the same, and ends as its argument says:
 * heap [return|exit|abort|kill|exec PROGRAM|fork|thread]. Its own count is written to $TOTALS, a
 * line for each function: name, objects and bytes in use, objects and bytes allocated.
 */
#include "target.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static void *volatile keep[4096];
static int n_keep;

struct account {
	long used, used_bytes, allocs, alloc_bytes;
} leaf_account, grow_account, inline_account, deep_account;

static void account(struct account *a, long n, long size, long freed, long freed_bytes)
{
	a->allocs += n;
	a->alloc_bytes += n * size;
	a->used += n - freed;
	a->used_bytes += n * size - freed_bytes;
}

NOINLINE static void *alloc_leaf(size_t n)
{
	void *p = malloc(n);

	__asm__ volatile("nop" ::: "memory"); /* the return address is in this function still */
	return fill(p, n, 1);
}

NOINLINE static void fill_big(void)
{
	for (int i = 0; i < 40; i++)
		keep[n_keep++] = alloc_leaf(50000);
	account(&leaf_account, 40, 50000, 0, 0);
}

NOINLINE static void churn(void)
{
	for (int i = 0; i < 300; i++)
		free(alloc_leaf(3000));
	account(&leaf_account, 300, 3000, 300, 900000);
}

/* Moves and resizes: only the last is in use. */
NOINLINE static void grow(void)
{
	void *volatile p = malloc(16);

	account(&grow_account, 1, 16, 1, 16);
	for (long i = 1; i <= 5; i++) {
		p = realloc(p, (size_t)(i * 7001));
		account(&grow_account, 1, i * 7001, i < 5, i < 5 ? i * 7001 : 0);
	}
	keep[n_keep++] = p;
}

static inline __attribute__((always_inline)) void *inlined(size_t n)
{
	return malloc(n);
}

NOINLINE static void user_of_inlined(void)
{
	for (int i = 0; i < 10; i++)
		keep[n_keep++] = inlined(1777);
	account(&inline_account, 10, 1777, 0, 0);
}

NOINLINE static void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		keep[n_keep++] = malloc(901);
	STAY();
}

static void tell_account(const char *name, const struct account *a)
{
	const char *file = getenv("TOTALS");
	char line[256];

	if (!file)
		return;
	int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	MUST(fd >= 0);
	int n = snprintf(line, sizeof line, "%s %ld %ld %ld %ld\n", name, a->used, a->used_bytes,
			 a->allocs, a->alloc_bytes);
	target_write(fd, line, (size_t)n);
	close(fd);
}

static void *in_thread(void *arg)
{
	(void)arg;
	fill_big();
	return NULL;
}

static void other_ends(const char *how, char **argv)
{
	pthread_t t;

	if (!strcmp(how, "thread")) {
		/* The first thread ends, another one is the last. */
		MUST(!pthread_create(&t, NULL, in_thread, NULL));
		pthread_exit(NULL);
	}
	if (!strcmp(how, "exec"))
		execv(argv[2], argv + 2);
	if (!strcmp(how, "fork") && fork() == 0) {
		churn();
		free(keep[0]); /* one of fill_big's */
		_exit(0);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";

	fill_big();
	churn();
	grow();
	user_of_inlined();
	deep(50);
	account(&deep_account, 1, 901, 0, 0);
	tell_account("alloc_leaf", &leaf_account);
	tell_account("grow", &grow_account);
	tell_account("inlined", &inline_account);
	tell_account("deep", &deep_account);
	if (!strcmp(how, "exit"))
		_exit(3);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	other_ends(how, argv);
	return 0;
}
