/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server that loses some of its blocks. Its command "serve N" handles N requests, and each kind
 * of block is allocated in a line of its own: a request is lost with its two children, one in ten
 * stays; the heads of long lists are lost, with all nodes of one line; a buffer is lost once, while
 * all others of its line are children of requests; a pool is lost that has announced its parts; and
 * a table grows in which everything is kept. Prints what it has lost:
 *
 *	lost FUNCTION BLOCKS HANGING	blocks lost directly, and through these
 *
 * Its command "fork" makes a child that does nothing, and ends when its parent ends.
 */
#include "live.h"

#include "mprof/mprof.h"

#include <signal.h>
#include <sys/prctl.h>

enum { LISTS = 3, NODES = 50, KEPT = 1 << 16, REQUEST = 120, BUFFER = 200, NAME = 40 };
enum { PARTS = 4, PART = 72 };

struct request {
	void *volatile buffer, *volatile name;
};

struct node {
	struct node *volatile next;
};

static void *volatile table[KEPT], *volatile busy[KEPT];
static unsigned n_table, n_busy, n_lost;

static NOINLINE void *new_buffer(void)
{
	return calloc(1, BUFFER);
}

static NOINLINE void *new_name(void)
{
	return calloc(1, NAME);
}

static NOINLINE struct request *new_request(void)
{
	struct request *r = calloc(1, REQUEST);

	MUST(r);
	r->buffer = new_buffer();
	r->name = new_name();
	return r;
}

static NOINLINE void lose_list(void)
{
	struct node *volatile first = NULL;

	for (int i = 0; i < NODES; i++) {
		struct node *p = calloc(1, REQUEST / 2);

		MUST(p);
		p->next = first;
		first = p;
	}
	first = NULL;
}

static NOINLINE void lose_pool(void)
{
	char *volatile pool = calloc(PARTS + 1, PART);

	for (int i = 1; i <= PARTS; i++)
		mprof_malloclike(pool + (ptrdiff_t)i * PART, PART);
	pool = NULL;
}

static NOINLINE void remember(void)
{
	MUST(n_table < KEPT);
	table[n_table++] = calloc(1, NAME);
}

static NOINLINE void serve(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct request *volatile r = new_request();

		if (i % 10 == 9) {
			MUST(n_busy < KEPT);
			busy[n_busy++] = r;
		} else {
			n_lost++;
		}
		r = NULL;
		remember();
	}
}

/* What a call has left on the stack leads nowhere. */
static NOINLINE void clear_stack(void)
{
	volatile char room[4096];

	for (size_t i = 0; i < sizeof room; i++)
		room[i] = 0;
}

static void have_child(void)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	say("forked %d\n", (int)getpid());
	for (;;)
		pause();
}

static void other(const char *word)
{
	unsigned n;

	if (!strcmp(word, "fork"))
		have_child();
	if (sscanf(word, "serve %u", &n) != 1)
		return;
	serve(n);
	for (int i = 0; i < LISTS; i++)
		lose_list();
	new_buffer();
	lose_pool();
	clear_stack();
	say("lost new_request %u %u\n", n_lost, 2 * n_lost);
	say("lost lose_list %d %d\n", LISTS, LISTS * (NODES - 1));
	say("lost new_buffer 1 0\n");
	say("lost lose_pool 1 0\n");
	say("served\n");
}

static void report(void)
{
	say("report %u\n", n_lost);
}

int main(void)
{
	live_serve(report, other);
	say("all is right\n");
	return 0;
}
