/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and unloads two plugins in turn; their blocks are freed after they are gone. */
#include "target.h"

#include <dlfcn.h>

enum { ROUNDS = 6, EACH = 10, A = 6007, B = 6011 };

int main(void)
{
	char name[4096], *slash;
	ssize_t k = readlink("/proc/self/exe", name, sizeof name - 32);
	void *kept[2][EACH];

	MUST(k > 0);
	name[k] = 0;
	slash = strrchr(name, '/');
	for (int round = 0; round < 2 * ROUNDS; round++) {
		int b = round % 2;
		size_t n = b ? B : A;

		strcpy(slash, b ? "/plug-b.so" : "/plug-a.so");
		void *so = dlopen(name, RTLD_NOW);
		MUST(so);
		void *(*make)(size_t) = (void *(*)(size_t))dlsym(so, "plug_make");
		MUST(make);
		for (int i = 0; i < EACH; i++)
			kept[b][i] = make(n);
		MUST(!dlclose(so));
		for (int i = 0; i < EACH - 3; i++) {
			check(kept[b][i], n, 6);
			free(kept[b][i]);
		}
	}
	bin(A, ROUNDS * EACH, ROUNDS * (EACH - 3));
	bin(B, ROUNDS * EACH, ROUNDS * (EACH - 3));
	bin(6101, 2 * ROUNDS, 2 * ROUNDS);
	bin(6113, 2 * ROUNDS, 2 * ROUNDS);
	say("plugins: done\n");
	return 0;
}
