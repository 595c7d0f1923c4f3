/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crew: named threads that allocate what they are told to. "make I N": thread I makes N blocks;
 * "grow I N": it resizes the N blocks made last; "free I N": it frees N of them, whichever thread
 * made them. "end I": it ends. After each command it prints "did" and the command. Its report has,
 * for each thread, its name and number, and the blocks and bytes it has made and freed: "crew-1 TID
 * MADE BYTES FREED BYTES".
 */
#include "live.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

enum { CREW = 3, SIZE = 3001, LARGE = 5003, MANY = 10000 };

static struct member {
	pthread_t thread;
	long tid;
	unsigned long made, made_bytes, freed, freed_bytes;
} crew[CREW];

static struct {
	char *at;
	unsigned long size;
} blocks[MANY];
static unsigned long n_blocks;

/* What is to be done now, by whom. */
static struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int whose; /* -1: nobody's turn */
	char what;
	unsigned long n;
} turn = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, CREW, 0, 0 };

static void count(unsigned long *blocks_of, unsigned long *bytes_of, unsigned long size)
{
	++*blocks_of;
	*bytes_of += size;
}

static NOINLINE void work(struct member *m)
{
	for (unsigned long i = 0; i < turn.n; i++) {
		if (turn.what == 'm') {
			MUST(n_blocks < MANY);
			MUST(blocks[n_blocks].at = malloc(SIZE));
			blocks[n_blocks++].size = SIZE;
			count(&m->made, &m->made_bytes, SIZE);
		} else if (turn.what == 'g') {
			unsigned long at = n_blocks - 1 - i;

			MUST(blocks[at].at = realloc(blocks[at].at, LARGE));
			count(&m->freed, &m->freed_bytes, blocks[at].size);
			count(&m->made, &m->made_bytes, LARGE);
			blocks[at].size = LARGE;
		} else if (turn.what == 'f') {
			free(blocks[--n_blocks].at);
			count(&m->freed, &m->freed_bytes, blocks[n_blocks].size);
		}
	}
	STAY();
}

static void *live(void *arg)
{
	struct member *m = arg;
	int self = (int)(m - crew);
	char name[16];

	snprintf(name, sizeof name, "crew-%d", self + 1);
	prctl(PR_SET_NAME, name);
	m->tid = syscall(SYS_gettid);
	pthread_mutex_lock(&turn.mutex);
	for (bool goes_on = true; goes_on;) {
		while (turn.whose != self)
			pthread_cond_wait(&turn.changed, &turn.mutex);
		goes_on = turn.what != 'e';
		work(m);
		turn.whose = -1;
		pthread_cond_broadcast(&turn.changed);
	}
	pthread_mutex_unlock(&turn.mutex);
	return NULL;
}

static void have(int who, char what, unsigned long n)
{
	pthread_mutex_lock(&turn.mutex);
	turn.whose = who;
	turn.what = what;
	turn.n = n;
	pthread_cond_broadcast(&turn.changed);
	while (turn.whose >= 0)
		pthread_cond_wait(&turn.changed, &turn.mutex);
	pthread_mutex_unlock(&turn.mutex);
	if (what == 'e')
		pthread_join(crew[who].thread, NULL);
}

static void report(void)
{
	char line[512] = "report";

	for (int i = 0; i < CREW; i++) {
		size_t len = strlen(line);

		snprintf(line + len, sizeof line - len, " crew-%d %ld %lu %lu %lu %lu", i + 1,
			 crew[i].tid, crew[i].made, crew[i].made_bytes, crew[i].freed,
			 crew[i].freed_bytes);
	}
	say("%s\n", line);
}

static void other(const char *word)
{
	const char *at = strchr(word, ' ');
	char *end = NULL;
	unsigned long who = at ? strtoul(at, &end, 10) : 0;

	MUST(who >= 1 && who <= CREW);
	have((int)who - 1, *word, strtoul(end, NULL, 10));
	say("did %s\n", word);
}

int main(void)
{
	for (int i = 0; i < CREW; i++)
		MUST(!pthread_create(&crew[i].thread, NULL, live, &crew[i]));
	for (int i = 0; i < CREW; i++)
		have(i, ' ', 0);
	live_serve(report, other);
	return 0;
}
