/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tabled [THREADS [SLOTS]]: threads allocate, reallocate, align and free, and keep a table of their
 * blocks in shared memory, which malloc does not know. A slot is empty while its thread is in a
 * call. With TABLED_NO_BRK in the environment malloc cannot extend [heap] beyond
 * what it is when main begins, or, with TABLED_NO_BRK=while, when its first work is half done.
 * With TABLED_FILES a file is mapped right below the heap of at least one thread, where the kernel
 * may put any. Its commands:
 *
 *	work N		each thread makes N calls, then "worked"
 *	churn		they do so until the next command, "still": "churning", "stilled"
 *	sizes		"size USABLE COUNT" for each usable size of its blocks, then "sizes"
 *	empty		all blocks are freed, "emptied N"
 *	fork		a child that has all of this and one thread: "forked PID"; it ends with us
 *	info		"info ..." what mallinfo2 says: the main arena's; then malloc_info's total
 */
#include "live.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum { THREADS_MAX = 64, SLOTS_MAX = 1 << 18, MAPPED_SIZE = 300000 };

#define TABLE_MAGIC UINT64_C(0x7461626c65643031)

struct slot {
	void *volatile block;
	volatile uint64_t usable;
};

/* What tests and benchmarks look for in shared memory. */
struct table {
	uint64_t magic, slots;
	struct slot v[];
};

static struct table *table;
static unsigned n_threads, each;
static pthread_barrier_t begin, end;
static atomic_bool still;
static atomic_uint n_files;
static void *in_the_way; /* of brk(2) */
static long calls;	/* that each is to make; -1: until it is told to stop */

static size_t random_size(uint64_t *state)
{
	unsigned kind = live_random(state) % 64;

	if (kind == 0)
		return MAPPED_SIZE + live_random(state) % 100000;
	if (kind < 6)
		return 1100 + live_random(state) % 9000;
	return live_random(state) % 700;
}

static void set(struct slot *s, void *block)
{
	MUST(block);
	*(volatile char *)block = 1;
	s->usable = malloc_usable_size(block);
	s->block = block;
}

static void *take(struct slot *s)
{
	void *block = s->block;

	s->block = NULL;
	return block;
}

static void step(struct slot *s, uint64_t *state)
{
	size_t size = random_size(state);

	if (s->block && live_random(state) % 4) {
		free(take(s));
		return;
	}
	if (s->block || live_random(state) % 8 == 0)
		set(s, realloc(take(s), size ? size : 1));
	else if (live_random(state) % 8 == 0)
		set(s, aligned_alloc((size_t)32 << live_random(state) % 9, size));
	else if (live_random(state) % 4 == 0)
		set(s, calloc(1, size));
	else
		set(s, malloc(size));
}

/* What is mapped there already stays. */
static void map_below(uintptr_t block)
{
	const uintptr_t at = (block & ~(((uintptr_t)64 << 20) - 1)) - 4096;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	MUST(fd >= 0);
	n_files += mmap((void *)at, 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0) == (void *)at;
	close(fd);
}

static void *work(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	uint64_t state = me + 1;
	struct slot *mine = table->v + (size_t)me * each;

	void *block = malloc(100); /* it has an arena and a cache from here on */
	if (getenv("TABLED_FILES"))
		map_below((uintptr_t)block);
	free(block);
	pthread_barrier_wait(&end);
	for (;;) {
		pthread_barrier_wait(&begin);
		if (!calls)
			return NULL;
		for (long i = 0; calls < 0 ? !atomic_load(&still) : i < calls; i++)
			step(&mine[live_random(&state) % each], &state);
		pthread_barrier_wait(&end);
	}
}

static int by_usable(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return a->usable < b->usable ? -1 : a->usable > b->usable;
}

/* In memory of its own, for malloc is what is looked at. */
static void sizes(void)
{
	size_t bytes = (size_t)table->slots * sizeof(struct slot), n = 0;
	struct slot *v = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			      0);

	MUST(v != MAP_FAILED);
	for (size_t i = 0; i < table->slots; i++)
		if (table->v[i].block)
			v[n++] = table->v[i];
	/* Which may take memory of malloc's, and gives it back. */
	qsort(v, n, sizeof *v, by_usable);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && v[k].usable == v[i].usable; k++)
			;
		say("size %lu %zu\n", (unsigned long)v[i].usable, k - i);
	}
	munmap(v, bytes);
	say("sizes\n");
}

static void empty(void)
{
	size_t n = 0;

	for (size_t i = 0; i < table->slots; i++) {
		n += table->v[i].block != NULL;
		free(take(&table->v[i]));
	}
	say("emptied %zu\n", n);
}

static void info(void)
{
	struct mallinfo2 m = mallinfo2();

	say("info arena %zu free %zu fast %zu mapped %zu %zu\n", m.arena, m.fordblks, m.fsmblks,
	    m.hblks, m.hblkhd);
}

static void fork_child(void)
{
	pid_t parent = getpid(), pid = fork();

	MUST(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
	say("forked %d\n", (int)pid);
}

static void run(long n)
{
	calls = n;
	pthread_barrier_wait(&begin);
}

static void work_all(long n)
{
	run(n);
	pthread_barrier_wait(&end);
}

static void work_and_free_brk(long n)
{
	const char *no_brk = getenv("TABLED_NO_BRK");

	if (in_the_way && !strcmp(no_brk, "while")) {
		work_all(n / 2);
		MUST(!munmap(in_the_way, 4096));
		in_the_way = NULL;
		n -= n / 2;
	}
	work_all(n);
}

static void other(const char *word)
{
	static bool churns;

	if (churns) {
		atomic_store(&still, true);
		pthread_barrier_wait(&end);
		atomic_store(&still, false);
		churns = false;
		say("stilled\n");
	}
	if (!strncmp(word, "work ", 5)) {
		work_and_free_brk(atol(word + 5));
		say("worked\n");
	} else if (!strcmp(word, "churn")) {
		churns = true;
		run(-1);
		say("churning\n");
	} else if (!strcmp(word, "sizes")) {
		sizes();
	} else if (!strcmp(word, "empty")) {
		empty();
	} else if (!strcmp(word, "fork")) {
		fork_child();
	} else if (!strcmp(word, "info")) {
		info();
	}
}

/* From here on brk(2) is refused: somebody else's page is in the way. */
static void end_brk(void)
{
	uintptr_t end = ((uintptr_t)sbrk(0) + 4095) / 4096 * 4096;

	in_the_way = mmap((void *)end, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	MUST(in_the_way == (void *)end);
}

static void report(void)
{
	say("report 1\n");
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];

	if (getenv("TABLED_NO_BRK"))
		end_brk();
	n_threads = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
	unsigned slots = argc > 2 ? (unsigned)atoi(argv[2]) : 4000;
	MUST(n_threads && n_threads <= THREADS_MAX && slots <= SLOTS_MAX);
	each = slots / n_threads;
	table = mmap(NULL, sizeof *table + (size_t)slots * sizeof(struct slot),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	MUST(table != MAP_FAILED);
	table->slots = (uint64_t)each * n_threads;
	table->magic = TABLE_MAGIC;
	pthread_barrier_init(&begin, NULL, n_threads + 1);
	pthread_barrier_init(&end, NULL, n_threads + 1);
	for (unsigned i = 0; i < n_threads; i++)
		MUST(!pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i));
	pthread_barrier_wait(&end);
	MUST(n_files || !getenv("TABLED_FILES"));
	live_serve(report, other);
	other("");
	run(0);
	for (unsigned i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
