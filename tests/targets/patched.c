/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does what hot patchers do: at "open" malloc's page is made writable, which splits the mapping of
 * the code, at "close" it is restored. "load" loads and unloads a plugin; "work" allocates and
 * frees; at "truth" it writes what it has done to $BINS.
 */
#include "live.h"

#include <dlfcn.h>
#include <sys/mman.h>

enum { EACH = 50, SIZE = 3329 };

static long done;

static void work(void)
{
	void *p[EACH];

	for (int i = 0; i < EACH; i++)
		p[i] = fill(malloc(SIZE), SIZE, i);
	for (int i = 0; i < EACH; i++)
		free(p[i]);
	done += EACH;
}

static void protect(int how)
{
	uintptr_t page = (uintptr_t)dlsym(RTLD_DEFAULT, "malloc") & ~4095ul;

	MUST(!mprotect((void *)page, 4096, PROT_READ | PROT_EXEC | how));
}

static void load(void)
{
	char name[4096];
	ssize_t k = readlink("/proc/self/exe", name, sizeof name - 32);

	MUST(k > 0);
	name[k] = 0;
	strcpy(strrchr(name, '/'), "/plug-a.so");
	void *so = dlopen(name, RTLD_NOW);
	MUST(so && !dlclose(so));
}

static void other(const char *word)
{
	if (!strcmp(word, "open"))
		protect(PROT_WRITE);
	else if (!strcmp(word, "close"))
		protect(0);
	else if (!strcmp(word, "load"))
		load();
	else if (!strcmp(word, "work"))
		work();
	else
		bin(SIZE, done, done);
	say("did %s\n", word);
}

static void report(void)
{
	say("report %ld pairs\n", done);
}

int main(void)
{
	live_serve(report, other);
	return 0;
}
