/* SPDX-License-Identifier: BSD-2-Clause */
#include "fast/owner.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The robust list belongs to a thread that only sleeps: in other threads the C library uses the
 * list. */
static struct robust_list_head list = { .list = { &list.list }, .futex_offset = OWNER_NODE_BELOW };
static sem_t ready;
static pid_t holder;	/* that thread; 0: there is none */
static int failed;

/* Small, for it only waits: the default is `ulimit -s`, and address space may be limited. */
enum { STACK = 256 << 10 };

static void *hold(void *unused)
{
	(void)unused;
	holder = (pid_t)syscall(SYS_gettid);
	if (syscall(SYS_set_robust_list, &list, sizeof list))
		failed = -errno;
	sem_post(&ready);
	for (;;)
		pause();
	return NULL;
}

/* Start the thread, with all signals blocked: they are for the main thread. */
static int start(void)
{
	sigset_t all, was;
	pthread_attr_t attr;
	pthread_t thread;

	if (holder)
		return failed;
	sigfillset(&all);
	if (sem_init(&ready, 0, 0))
		return -errno;
	int err = pthread_attr_init(&attr);
	if (err)
		return -err;
	err = pthread_attr_setstacksize(&attr, STACK);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	if (!err)
		err = pthread_create(&thread, &attr, hold, NULL);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	pthread_attr_destroy(&attr);
	if (err)
		return -err;
	while (sem_wait(&ready))
		;
	pthread_detach(thread);
	return failed;
}

static struct robust_list *node_of(uint32_t *word)
{
	return (struct robust_list *)(void *)((char *)word - OWNER_NODE_BELOW);
}

int owner_hold(uint32_t *word)
{
	int err = start();

	if (err)
		return err;
	__atomic_store_n(word, (uint32_t)holder, __ATOMIC_RELEASE);
	node_of(word)->next = list.list.next;
	__atomic_store_n(&list.list.next, node_of(word), __ATOMIC_RELEASE);
	return 0;
}

void owner_release(uint32_t *word)
{
	for (struct robust_list *at = &list.list; at->next != &list.list; at = at->next)
		if (at->next == node_of(word)) {
			__atomic_store_n(&at->next, node_of(word)->next, __ATOMIC_RELEASE);
			break;
		}
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
}
