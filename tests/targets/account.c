/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts its live bytes itself, in one thread or as a family. At its end it says "max BYTES current
 * BYTES" by its own count; nothing else in it allocates.
 *
 *	account			one process
 *	account first		a child outlives its parent
 *	account last		the parent outlives its child
 *	account exec PROGRAM	becomes another program with blocks live
 *	account wait		does the first half of its work and waits for a line
 */
#include "target.h"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Not known to the compiler, which would have something to say about it. */
static volatile size_t too_much = SIZE_MAX;

static void one(int wait)
{
	void *volatile p = malloc(1000), *volatile q = calloc(10, 30), *volatile a = NULL;
	char c;

	MUST(p && q);
	MUST(!(a = malloc(too_much / 2)));
	MUST(!(a = calloc(too_much, 2)));
	MUST(!(a = realloc(q, too_much / 2)));
	MUST(!(a = reallocarray(q, too_much, 16)));
	MUST(p = realloc(p, 5000)); /* 5300: the old block does not count beside the new one */
	free(q);
	free(NULL);
	if (wait) {
		say("half\n");
		target_write(STDOUT_FILENO, "", 0);
		MUST(read(STDIN_FILENO, &c, 1) == 1);
	}
	MUST(q = memalign(64, 77));
	MUST(a = aligned_alloc(32, 64));
	free(p);
	MUST(p = realloc(NULL, 11));
	p = realloc(p, 0);
	MUST(!posix_memalign((void **)&p, 128, 900)); /* 1041 */
	free(a);
	MUST(a = calloc(0, 8));
	say("max %d current %d\n", 5300, 77 + 900);
	_exit(0);
}

static void family(int parent_first)
{
	void *volatile p = malloc(1000);
	int to_child[2], to_parent[2];
	char c;

	MUST(p && !pipe(to_child) && !pipe(to_parent));
	pid_t pid = fork();
	if (!pid) {
		void *volatile q = malloc(70);

		free(p); /* inherited: no load of this process */
		MUST(q && (p = malloc(7)));
		close(to_child[1]);
		MUST(write(to_parent[1], "", 1) == 1);
		(void)!read(to_child[0], &c, 1); /* told, or the parent has ended */
		free(p);
		if (parent_first)
			say("max %d current %d\n", 1077, 70);
		_exit(0);
	}
	MUST(read(to_parent[0], &c, 1) == 1);
	if (parent_first)
		_exit(0);
	MUST(write(to_child[1], "", 1) == 1);
	MUST(waitpid(pid, NULL, 0) == pid);
	free(p);
	MUST(p = malloc(33));
	say("max %d current %d\n", 1077, 33);
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	void *volatile p, *volatile q;

	if (!strcmp(how, "first") || !strcmp(how, "last"))
		family(!strcmp(how, "first"));
	if (!strcmp(how, "exec")) {
		MUST((p = malloc(100)) && (q = malloc(200)));
		execv(argv[2], argv + 2);
		MUST(!"exec");
	}
	one(!strcmp(how, "wait"));
}
