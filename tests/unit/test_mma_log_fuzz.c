/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Damaged logs, plain and compressed, the same in every run. Each is either refused with a
 * sentence, or read; what was read is the same when it is printed and read again, and counts the
 * same while it is read. Most useful with SAN=address,undefined. FUZZ=100 makes it a hundred times
 * as long.
 */
#include "unit/unit.h"
#include "lib/random.h"
#include "mma/log.h"
#include "mma/merge.h"
#include "mma/replay.h"
#include "mma/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 1500, MOST_ENTRIES = 400, TEXT = 1 << 20 };

/* A file without a name, but for the one it has here. */
struct memory {
	int fd;
	char path[40];
};

static struct memory memory_new(void)
{
	struct memory m = { .fd = memfd_create("log", MFD_CLOEXEC) };

	assert_true(m.fd >= 0);
	snprintf(m.path, sizeof m.path, "/proc/self/fd/%d", m.fd);
	return m;
}

static void write_log(const struct memory *m, const struct mma_entry *v, size_t n, bool humanized,
		      bool compress)
{
	struct mma_writer *w = mma_writer_new(dup(m->fd), humanized, compress);

	assert_non_null(w);
	for (size_t i = 0; i < n; i++) {
		mma_writer_add(w, &v[i]);
		/* Frames of all lengths. */
		if (compress && random_below(50) == 0)
			mma_writer_flush(w);
	}
	assert_int_equal(mma_writer_close(w), 0);
}

static size_t some_log(struct mma_entry *v)
{
	size_t n = random_below(MOST_ENTRIES);
	uint64_t t = random_below(1000000);

	for (size_t i = 0; i < n; i++) {
		t += random_below(1000);
		v[i] = (struct mma_entry){ .time_ns = t, .tid = (uint32_t)random_below(5),
					   .type = (uint8_t)random_below(MMA_TYPES) };
		if (v[i].type == MMA_TMSTMP)
			continue;
		v[i].ptr = random_below(20) * 16 + (random_below(2) << 46);
		if (v[i].type == MMA_REALLOC)
			v[i].old_ptr = random_below(20) * 16;
		if (v[i].type == MMA_CALLOC)
			v[i].num = random_below(100);
		if (v[i].type != MMA_FREE)
			v[i].size = random_below(5000);
	}
	return n;
}

static void damage(const struct memory *m)
{
	static const char odd[] = "0123456789abcdefx= \n\nsecstidptr(nil)-\t";
	static char text[TEXT];
	ssize_t n = pread(m->fd, text, sizeof text, 0);

	assert_in_range(n, 1, sizeof text - 1);
	for (uint64_t i = random_below(4); i > 0; i--)
		text[random_below((uint64_t)n)] = random_below(3)
							  ? odd[random_below(sizeof odd - 1)]
							  : (char)random_below(256);
	if (random_below(6) == 0)
		n = (ssize_t)random_below((uint64_t)n + 1);
	assert_int_equal(ftruncate(m->fd, 0), 0);
	assert_int_equal(pwrite(m->fd, text, (size_t)n, 0), n);
}

static int read_log(const struct memory *m, struct mma_log *l, struct error *e)
{
	struct mma_source *s = mma_source_open(m->path, e);

	assert_non_null(s);
	int err = mma_log_read(l, s, e);
	mma_source_close(s);
	return err;
}

static bool same(const struct mma_stats *a, const struct mma_stats *b)
{
	return a->first_ns == b->first_ns && a->last_ns == b->last_ns && a->load == b->load &&
	       a->load_max == b->load_max && a->load_total == b->load_total &&
	       a->live_blocks == b->live_blocks &&
	       !memcmp(a->events, b->events, sizeof a->events) &&
	       a->unknown_free == b->unknown_free && a->failed == b->failed &&
	       a->replaced == b->replaced;
}

/* Counted while it is read, which may give up, but not be wrong. Returns whether it did not. */
static bool counts_the_same(const struct memory *m, const struct mma_log *l)
{
	struct mma_stats whole = { 0 }, streamed = { 0 };
	struct mma_log tail = { 0 };
	struct error e;
	struct mma_source *s = mma_source_open(m->path, &e);
	int of_whole = mma_stats_of_logs(&whole, l, 1),
	    err = mma_stats_of_source(&streamed, s, &tail, &e);

	mma_source_close(s);
	if (err)
		assert_int_equal(err, -EAGAIN);
	else
		assert_true(!of_whole && same(&whole, &streamed));
	assert_int_equal(tail.lines, l->lines);
	assert_int_equal(tail.truncated, l->truncated);
	return !err;
}

static void is_the_same_when_printed(const struct mma_log *l)
{
	struct memory m = memory_new();
	struct mma_log again;
	struct error e;

	write_log(&m, l->v, l->n, random_below(2), random_below(2));
	assert_int_equal(read_log(&m, &again, &e), 0);
	assert_int_equal(again.n, l->n);
	assert_false(again.truncated);
	for (size_t i = 0; i < l->n; i++)
		assert_memory_equal(&again.v[i], &l->v[i], offsetof(struct mma_entry, type) + 1);
	mma_log_release(&again);
	close(m.fd);
}

static void replays(const struct mma_log *l)
{
	struct profile *p = profile_new();

	assert_non_null(p);
	assert_int_equal(mma_replay(l, p), 0);
	profile_free(p);
}

static void a_damaged_log_is_refused_or_read_and_counted_the_same_in_every_way(void **state)
{
	(void)state;
	const char *times = getenv("FUZZ");
	unsigned refused = 0, counted = 0;

	for (int i = ROUNDS * (times ? atoi(times) : 1); i > 0; i--) {
		struct mma_entry v[MOST_ENTRIES];
		struct memory m = memory_new();
		struct error e = { "" };
		struct mma_log l;

		write_log(&m, v, some_log(v), random_below(2), random_below(3) == 0);
		if (lseek(m.fd, 0, SEEK_END) > 0)
			damage(&m);
		if (read_log(&m, &l, &e)) {
			assert_true(strlen(e.text) > 10);
			refused++;
		} else {
			counted += counts_the_same(&m, &l);
			is_the_same_when_printed(&l);
			replays(&l);
		}
		mma_log_release(&l);
		close(m.fd);
	}
	/* Both happen. */
	assert_true(refused > ROUNDS / 10 && counted > ROUNDS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_damaged_log_is_refused_or_read_and_counted_the_same_in_every_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
