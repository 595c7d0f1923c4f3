/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The books of an allocator in a program's memory, which may say anything: its blocks, and what can
 * still be reached. Memory is told by the words in it that are not 0.
 */
#include "fuzz.h"

#include "heapwalk/reachable.h"
#include "heapwalk/resident.h"

#include <stdbool.h>

enum { AREAS = 8, TASKS = 4, AREA = 11, PAGES = 1088 };

static const char *const paths[] = {"", "[heap]", "/lib/libc.so.6", "[stack]"};

struct memory {
	struct still still;
	uint8_t *bytes[AREAS]; /* each for itself, so that a word too many is seen */
};

/* The next area; in their order, whatever is said. */
static void add_area(struct memory *m, struct fuzz_in *in)
{
	struct still *s = &m->still;
	const taddr behind =
		s->n_runs ? s->runs[s->n_runs - 1].start + s->runs[s->n_runs - 1].size : 0;
	taddr start = fuzz_take(in, 8) % (UINT64_C(1) << 47) / STILL_PAGE * STILL_PAGE;

	start = start < behind ? behind : start;
	const uint64_t size = (1 + fuzz_take(in, 2) % PAGES) * STILL_PAGE;
	const char *path = paths[fuzz_take(in, 1) % (sizeof paths / sizeof *paths)];
	const struct proc_map map = {.start = start,
				     .end = start + size,
				     .readable = true,
				     .writable = true,
				     .ino = path[0] == '/',
				     .path = path};
	uint8_t *bytes = calloc(1, size);

	FUZZ_EXPECT(bytes);
	m->bytes[s->n_runs] = bytes;
	FUZZ_EXPECT(!still_add_map(s, &map) && !still_add_run(s, start, size, bytes));
}

static void put_word(struct memory *m, taddr at, uint64_t value)
{
	for (size_t i = 0; i < m->still.n_runs; i++) {
		const struct still_run *r = &m->still.runs[i];

		if (at >= r->start && at - r->start <= r->size - sizeof value)
			memcpy(m->bytes[i] + (at - r->start), &value, sizeof value);
	}
}

static void fill(struct memory *m, struct fuzz_in *in)
{
	const size_t areas = 1 + fuzz_take(in, 1) % AREAS, tasks = fuzz_take(in, 1) % (TASKS + 1);

	for (size_t i = 0; i < areas; i++)
		add_area(m, in);
	for (size_t i = 0; i < tasks; i++) {
		const taddr pc = fuzz_take(in, 8), sp = fuzz_take(in, 8), tp = fuzz_take(in, 8);

		FUZZ_EXPECT(!still_add_task(&m->still, &(struct still_task){pc, sp, tp}));
		FUZZ_EXPECT(!still_add_word(&m->still, sp));
	}
	while (in->n) {
		const taddr at = fuzz_take(in, 8);

		put_word(m, at, fuzz_take(in, 8));
	}
}

struct live {
	const struct still *still;
	taddr end;
	struct heap_sum sum;
};

static int check_block(void *ctx, const struct heap_block *b)
{
	struct live *l = ctx;

	FUZZ_EXPECT(b->at >= l->end && b->usable < UINT64_C(1) << 40);
	FUZZ_EXPECT(still_area_at(l->still, b->at));
	l->end = b->at + 1;
	heap_sum_add(&l->sum, (struct heap_sum){1, b->usable});
	return 0;
}

static void check_sums(const struct heap_walk *w, const struct still *s)
{
	const struct heap_sum told = heap_walk_live(w);
	struct live live = {.still = s};
	uint64_t in_bins = 0;
	size_t n;
	int err = 0;

	FUZZ_EXPECT(!heap_blocks_each_live(&w->blocks, check_block, &live));
	FUZZ_EXPECT(live.sum.n == told.n && live.sum.bytes == told.bytes);
	struct heap_bin *bins = heap_walk_bins(w, &n, &err);

	FUZZ_EXPECT(!err);
	for (size_t i = 0; i < n; i++)
		in_bins += bins[i].n;
	FUZZ_EXPECT(in_bins == told.n);
	free(bins);
}

static void find_reachable(const struct heap_walk *w, const struct still *s)
{
	struct reach_roots roots = {0};
	struct spans spans = {0};
	struct reach reach = {0};
	uint64_t n = 0;

	if (!spans_of_walk(&spans, &w->blocks)) {
		const struct reach_asked asked = {.still = s, .blocks = &spans, .roots = &roots};

		FUZZ_EXPECT(!reach_roots_find(&roots, s, w));
		FUZZ_EXPECT(!reach_find(&reach, &asked));
		for (int i = 0; i < N_REACH_CLASSES; i++)
			n += reach.sums[i].n;
		FUZZ_EXPECT(n == spans.n);
		reach_release(&reach);
	}
	reach_roots_release(&roots);
	spans_release(&spans);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	struct memory m = {0};
	struct heap_walk w = {0};

	fill(&m, &in);
	const int err = heap_walk(&m.still, &w);

	FUZZ_EXPECT(err == 0 || err == -ENOENT || err == -EMLINK);
	if (!err) {
		check_sums(&w, &m.still);
		find_reachable(&w, &m.still);
		heap_has_glibc_beside(&m.still, &w);
		heap_walk_is_doubtful(&w);
		heap_walk_release(&w);
	}
	for (size_t i = 0; i < m.still.n_runs; i++)
		free(m.bytes[i]);
	still_release(&m.still);
	return 0;
}

/* ---- the mutator ---- */

/* A word in memory: where, and what. */
struct pair {
	uint64_t at, value;
};

/* libFuzzer calls it; what it takes and gives is in LLVM's documentation of libFuzzer. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	const size_t areas = size ? 1 + data[0] % AREAS : 0,
		     tasks = size > 1 ? data[1] % (TASKS + 1) : 0;
	const size_t first = 2 + areas * AREA + tasks * 24;
	const size_t n = size > first ? (size - first) / sizeof(struct pair) : 0;
	struct pair p, other;

	if (!n || seed % 8 == 0)
		return LLVMFuzzerMutate(data, size, max);
	seed /= 8;
	uint8_t *at = data + first + seed % n * sizeof p;

	memcpy(&p, at, sizeof p);
	memcpy(&other, data + first + seed / 8 % n * sizeof other, sizeof other);
	switch (seed / 64 % 8) {
	case 0:
		p.value = other.value;
		break;
	case 1:
		p.value = other.at;
		break;
	case 2:
		p.value += 8;
		break;
	case 3:
		p.value -= 16;
		break;
	case 4:
		p.value ^= UINT64_C(1) << seed / 512 % 64;
		break;
	case 5:
		p.at = other.at + seed / 512 % 8 * 8;
		break;
	default:
		LLVMFuzzerMutate((uint8_t *)&p.value, sizeof p.value, sizeof p.value);
	}
	memcpy(at, &p, sizeof p);
	return size;
}
