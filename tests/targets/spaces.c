/* SPDX-License-Identifier: BSD-2-Clause */
/* The same plugin in two namespaces besides the program's, each with a C library of its own. */
#include "target.h"

#include <dlfcn.h>

int main(void)
{
	char name[4096];
	ssize_t k = readlink("/proc/self/exe", name, sizeof name - 32);
	void *p[20], *made[2] = { NULL, NULL };

	MUST(k > 0);
	name[k] = 0;
	strcpy(strrchr(name, '/'), "/plug-a.so");
	for (int space = 0; space < 2; space++) {
		void *so = dlmopen(LM_ID_NEWLM, name, RTLD_NOW);
		MUST(so);
		void *(*make)(size_t) = (void *(*)(size_t))dlsym(so, "plug_make");
		void (*give)(void *) = (void (*)(void *))dlsym(so, "free");
		MUST(make && give && give != free && make != made[0]);
		made[space] = make;
		for (size_t i = 0; i < LENGTH(p); i++)
			p[i] = make(6131);
		for (size_t i = 0; i < 12; i++)
			give(p[i]);
	}
	free(fill(malloc(6133), 6133, 1));
	bin(6131, 40, 24);
	bin(6133, 1, 1);
	bin(6101, 2, 2);
	truth("unknown 0\n");
	say("spaces: done\n");
	return 0;
}
