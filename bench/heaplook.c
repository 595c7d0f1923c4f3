/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heaplook PID [LOOKS]: looks at targets/tabled so often, and compares what the walk has found with
 * its table of blocks, which is in the same still: how many are missing, how many too many. A line
 * for each look that is not exact, and sums at the end.
 */
#include "base/clock.h"
#include "heapwalk/glibc.h"
#include "still/take.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TABLE_MAGIC UINT64_C(0x7461626c65643031)

struct counts {
	uint64_t blocks, missing, extra;
};

static taddr find_table(const struct still *s, uint64_t *slots)
{
	struct still_reader r = still_reader(s);

	for (size_t i = 0; i < s->n_areas; i++)
		if (s->areas[i].kind == STILL_SHARED &&
		    still_word_or_0(&r, s->areas[i].start) == TABLE_MAGIC) {
			*slots = still_word_or_0(&r, s->areas[i].start + 8);
			return s->areas[i].start + 16;
		}
	return 0;
}

static bool is_mapped(const struct heap_blocks *b, taddr block)
{
	for (size_t i = 0; i < b->n_mapped; i++)
		if (heap_mapped_at(b, &b->mapped[i]) == block)
			return true;
	return false;
}

static bool is_live(const struct heap_blocks *b, taddr block)
{
	size_t i = heap_blocks_find(b, block - b->cut.header);

	return i == HEAP_NO_CHUNK ? is_mapped(b, block) : b->states[i] == HEAP_LIVE;
}

static struct counts compare(const struct still *s, const struct heap_walk *w)
{
	struct still_reader r = still_reader(s);
	struct counts c = {0};
	uint64_t slots = 0;
	taddr at = find_table(s, &slots);

	for (uint64_t i = 0; at && i < slots; i++) {
		taddr block = still_word_or_0(&r, at + i * 16);

		if (!block)
			continue;
		c.blocks++;
		c.missing += !is_live(&w->blocks, block);
	}
	/* Those of the C library and of tabled's start are the same in all looks. */
	c.extra = heap_walk_live(w).n - (c.blocks - c.missing);
	return c;
}

/* As the commands wait for it: nobody has the mutex of an arena. */
static bool is_quiet(void *ctx, const struct still_files *f)
{
	const struct heap_walk *w = ctx;

	for (size_t i = 0; i < w->n_arenas; i++) {
		uint32_t mutex = 0;

		if (pread(f->mem, &mutex, sizeof mutex, (off_t)w->arenas[i].at) == sizeof mutex &&
		    mutex)
			return false;
	}
	return true;
}

/* A look, which is taken again as the commands do if what it found was in motion. 0 or -errno. */
static int look(const struct still_asked *asked, struct still_taken *t, struct heap_walk *w,
		uint64_t *walk_ns, struct error *e)
{
	enum { COPIES_MAX = 5 };

	for (int copies = 0;; copies++) {
		int err = still_take(t, asked, e);
		uint64_t now = clock_now_ns();

		heap_walk_release(w);
		err = err ? err : glibc_walk(&t->still, w);
		*walk_ns += clock_now_ns() - now;
		if (err || copies == COPIES_MAX || !heap_walk_is_doubtful(w))
			return err;
	}
}

int main(int argc, char **argv)
{
	struct heap_walk w = {0};
	struct still_asked asked = {.pid = argc > 1 ? atoi(argv[1]) : 0,
				    .max_pause_ns = UINT64_C(60000000000),
				    .is_quiet = is_quiet,
				    .ctx = &w};
	int looks = argc > 2 ? atoi(argv[2]) : 1;
	uint64_t blocks = 0, missing = 0, pause = 0, attach = 0, walk_ns = 0, doubtful = 0,
		 bytes = 0;
	uint64_t least = UINT64_MAX, most = 0;

	for (int i = 0; i < looks; i++) {
		struct still_taken t = {0};
		struct error e = {0};
		int err = look(&asked, &t, &w, &walk_ns, &e);

		if (err) {
			printf("look %d: %d %s\n", i, err, e.text);
			return 1;
		}
		struct counts c = compare(&t.still, &w);
		blocks += c.blocks;
		missing += c.missing;
		least = c.extra < least ? c.extra : least;
		most = c.extra > most ? c.extra : most;
		pause += t.pause.held_ns;
		attach += t.pause.attach_ns;
		bytes += t.room.used;
		doubtful += heap_walk_is_doubtful(&w);
		if (c.missing || heap_walk_is_doubtful(&w)) {
			printf("look %d: %lu blocks, %lu missing, %lu others:", i, c.blocks,
			       c.missing, c.extra);
			for (int k = 0; k < N_HEAP_CHECKS; k++)
				if (w.checks[k].failures)
					printf(" %s (%u): %s;", heap_check_names[k],
					       w.checks[k].failures, w.checks[k].first);
			printf("\n");
		}
		still_taken_release(&t);
		usleep(2000);
	}
	heap_walk_release(&w);
	printf("%d looks, %lu blocks, %lu missing, others from %lu to %lu, doubtful %lu\n", looks,
	       blocks, missing, least, most, doubtful);
	printf("a look: held %.2f ms, attach %.2f ms, %.1f MiB copied, walk %.2f ms\n",
	       (double)pause / looks / 1e6, (double)attach / looks / 1e6,
	       (double)bytes / looks / (1 << 20), (double)walk_ns / looks / 1e6);
	return 0;
}
