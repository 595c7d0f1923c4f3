/* SPDX-License-Identifier: BSD-2-Clause */
/* A plugin that is loaded again and again, each time at another address. */
#include "target.h"

#include <dlfcn.h>
#include <sys/mman.h>

int main(void)
{
	char name[4096];
	ssize_t k = readlink("/proc/self/exe", name, sizeof name - 32);
	uintptr_t last = 0;

	MUST(k > 0);
	name[k] = 0;
	strcpy(strrchr(name, '/'), "/plug-a.so");
	for (int round = 0; round < 5; round++) {
		void *so = dlopen(name, RTLD_NOW);
		MUST(so);
		void *(*make)(size_t) = (void *(*)(size_t))dlsym(so, "plug_make");
		MUST(make && (uintptr_t)make != last);
		last = (uintptr_t)make;
		void *page = (void *)(last & ~(uintptr_t)4095);
		for (int i = 0; i < 10; i++) {
			void *p = make(6143);
			if (i)
				free(p);
		}
		MUST(!dlclose(so));
		MUST(mmap(page, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			  -1, 0) == page);
	}
	bin(6143, 50, 45);
	bin(6101, 5, 5);
	bin(6113, 5, 5);
	truth("unknown 0\n");
	say("elsewhere: done\n");
	return 0;
}
