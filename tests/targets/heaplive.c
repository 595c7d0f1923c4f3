/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands: "alloc N", "free N" blocks of 5000 bytes; "handle N" installs a handler for signal N;
 * "report" prints how many blocks there are and how often the handler ran; "plugin FILE" loads that
 * library, calls a function in it that allocates, and unloads it. */
#include "live.h"

#include <dlfcn.h>
#include <signal.h>

static void *volatile blocks[10000];
static int n_blocks;
static volatile sig_atomic_t handled;

static void on_signal(int sig)
{
	(void)sig;
	handled++;
}

NOINLINE static void take_blocks(int n)
{
	while (n--)
		blocks[n_blocks++] = malloc(5000);
	STAY();
}

static void plugin(const char *file)
{
	void *lib = dlopen(file, RTLD_NOW);

	MUST(lib);
	void *(*get)(size_t) = (void *(*)(size_t))dlsym(lib, "plugged_alloc");
	MUST(get);
	blocks[n_blocks++] = get(6000);
	MUST(!dlclose(lib));
}

static void report(void)
{
	say("report %d blocks, %d signals\n", n_blocks, (int)handled);
}

static void other(const char *word)
{
	int n = 0;

	if (sscanf(word, "alloc %d", &n) == 1)
		take_blocks(n);
	else if (sscanf(word, "free %d", &n) == 1)
		while (n-- && n_blocks)
			free(blocks[--n_blocks]);
	else if (sscanf(word, "handle %d", &n) == 1)
		signal(n, on_signal);
	else if (!strncmp(word, "plugin ", 7))
		plugin(word + 7);
	say("did %s\n", word);
}

int main(void)
{
	live_serve(report, other);
	return 0;
}
