/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * manymods THREADS MODULE...: loads the modules, starts the threads, each of which allocates now and
 * then, says "ready" and goes on until it is killed. With -DMODULE: such a module.
 */
#ifdef MODULE
#define F1(n)	 int manymods_##n(int a);  int manymods_##n(int a) { return a * 3 + 1; }
#define F10(n)	 F1(n##0) F1(n##1) F1(n##2) F1(n##3) F1(n##4) F1(n##5) F1(n##6) F1(n##7) F1(n##8) F1(n##9)
#define F100(n)	 F10(n##0) F10(n##1) F10(n##2) F10(n##3) F10(n##4) F10(n##5) F10(n##6) F10(n##7) F10(n##8) \
	F10(n##9)
F100(1)
F100(2)
F100(3)
F100(4)
F100(5)
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *work(void *arg)
{
	for (;;) {
		void *volatile p = malloc(64);

		free(p);
		usleep(20000);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_attr_t small;

	if (argc < 2)
		return 2;
	for (int i = 2; i < argc; i++) {
		if (!dlopen(argv[i], RTLD_NOW)) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
	}
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	for (int i = atoi(argv[1]); i > 1; i--) {
		pthread_t t;

		if (pthread_create(&t, &small, work, NULL))
			return 1;
	}
	puts("ready");
	fflush(stdout);
	work(NULL);
	return 0;
}
#endif
