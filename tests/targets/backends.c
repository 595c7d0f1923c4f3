/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server that forks a process for each client, as PostgreSQL does: all share what the first
 * process has allocated; each keeps a plan for every tenth query, and has rows for a moment.
 *
 *	backends N [PAUSE]	N processes that pause PAUSE milliseconds after each query (10);
 *				"ready" when all have started; they end with the first one
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { TABLES = 200, PLAN_EVERY = 10 };

struct table {
	char name[56];
};

struct plan {
	long query;
	struct plan *next;
	char steps[240];
};

static struct table *catalog[TABLES];
static struct plan *plans;

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

static void load_catalog(void)
{
	for (int i = 0; i < TABLES; i++) {
		catalog[i] = must(malloc(sizeof *catalog[i]));
		snprintf(catalog[i]->name, sizeof catalog[i]->name, "table %d", i);
	}
}

__attribute__((noinline)) static void plan_query(long query)
{
	struct plan *p = must(calloc(1, sizeof *p));

	p->query = query;
	p->next = plans;
	plans = p;
}

__attribute__((noinline)) static void send_rows(long query)
{
	char *row = must(malloc(512));

	snprintf(row, 512, "%ld %s", query, catalog[query % TABLES]->name);
	memset(row + 256, *row, 256);
	free(row);
}

static void serve(long pause_ms)
{
	const struct timespec pause = { pause_ms / 1000, pause_ms % 1000 * 1000000 };

	for (long query = 0;; query++) {
		if (query % PLAN_EVERY == 0)
			plan_query(query);
		send_rows(query);
		nanosleep(&pause, NULL);
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100, pause_ms = argc > 2 ? atol(argv[2]) : 10;
	pid_t first = getpid();

	load_catalog();
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != first)
			return 1;
		serve(pause_ms);
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
