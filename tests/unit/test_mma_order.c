/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of a log's entries while reallocs are pending: by hand, and with an allocator that
 * threads use in every possible order. */
#include "unit/unit.h"
#include "lib/random.h"
#include "mma/order.h"
#include "mma/stats.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* What has come out, and what a reader makes of it. */
struct out {
	struct mma_entry e[64];
	size_t n;
	struct mma_stats stats;
	struct mma_space space;
	uint64_t last;
};

static void put(void *ctx, const struct mma_entry *e)
{
	struct out *o = ctx;

	if (o->n < 64)
		o->e[o->n] = *e;
	o->n++;
	assert_true(e->time_ns >= o->last);
	o->last = e->time_ns;
	assert_int_equal(mma_stats_add(&o->stats, &o->space, e), 0);
}

struct world {
	struct mma_order order;
	struct out out;
	struct mma_sink sink;
	uint64_t now;
};

static void begin(struct world *w)
{
	memset(w, 0, sizeof *w);
	w->sink = (struct mma_sink){ put, &w->out };
}

static void end(struct world *w)
{
	mma_order_flush(&w->order, w->now, &w->sink);
	assert_int_equal(w->order.n_held, 0);
	mma_order_release(&w->order);
	mma_space_release(&w->out.space);
}

static void call(struct world *w, unsigned tid, enum mma_type type, uint64_t ptr)
{
	struct mma_entry e = { .time_ns = ++w->now, .tid = tid, .type = (uint8_t)type, .ptr = ptr,
			       .size = 10 };

	assert_int_equal(mma_order_add(&w->order, &e, &w->sink), 0);
}

static void re_begin(struct world *w, int tid, uint64_t ptr)
{
	assert_int_equal(mma_order_begin(&w->order, tid, ptr), 0);
}

static void re_end(struct world *w, int tid, uint64_t ptr, uint64_t got)
{
	struct mma_entry e = { .time_ns = ++w->now, .tid = (uint32_t)tid, .type = MMA_REALLOC,
			       .ptr = got,
			       .old_ptr = ptr, .size = 20 };

	assert_int_equal(mma_order_end(&w->order, tid, ptr, &e, w->now, &w->sink), 0);
}

static void is_clean(const struct world *w, uint64_t live)
{
	assert_int_equal(w->out.stats.replaced, 0);
	assert_int_equal(w->out.stats.unknown_free, 0);
	assert_int_equal(w->out.stats.live_blocks, live);
}

static void without_reallocs_nothing_waits(void **state)
{
	(void)state;
	struct world w;

	begin(&w);
	call(&w, 1, MMA_MALLOC, 16);
	call(&w, 2, MMA_FREE, 16);
	call(&w, 2, MMA_MALLOC, 16);
	call(&w, 1, MMA_TMSTMP, 0);
	assert_int_equal(w.out.n, 4);
	is_clean(&w, 1);
	end(&w);
}

static void who_gets_a_pending_block_waits_for_its_realloc_and_has_its_time(void **state)
{
	(void)state;
	struct world w;

	begin(&w);
	call(&w, 1, MMA_MALLOC, 16);
	re_begin(&w, 1, 16);
	call(&w, 2, MMA_MALLOC, 16);
	assert_int_equal(w.out.n, 1);
	call(&w, 3, MMA_MALLOC, 48); /* nothing to do with it */
	assert_int_equal(w.out.n, 2);
	re_end(&w, 1, 16, 32);
	assert_int_equal(w.out.n, 4);
	assert_int_equal(w.out.e[2].type, MMA_REALLOC);
	assert_int_equal(w.out.e[3].tid, 2);
	assert_int_equal(w.out.e[3].time_ns, w.out.e[2].time_ns);
	is_clean(&w, 3);
	end(&w);
}

static void what_comes_of_that_block_waits_as_well(void **state)
{
	(void)state;
	struct world w;

	begin(&w);
	call(&w, 1, MMA_MALLOC, 16);
	re_begin(&w, 1, 16);
	call(&w, 2, MMA_MALLOC, 16);
	call(&w, 3, MMA_FREE, 16);
	call(&w, 4, MMA_CALLOC, 16);
	re_begin(&w, 4, 16);
	re_end(&w, 4, 16, 64);
	call(&w, 5, MMA_FREE, 64);
	call(&w, 2, MMA_TMSTMP, 0); /* after what the same thread did */
	assert_int_equal(w.out.n, 1);
	re_end(&w, 1, 16, 32);
	assert_int_equal(w.out.n, 8);
	assert_int_equal(w.out.e[1].tid, 1);
	is_clean(&w, 1);
	end(&w);
}

static void a_realloc_that_stays_or_fails_waits_for_nobody(void **state)
{
	(void)state;
	struct world w;

	begin(&w);
	call(&w, 1, MMA_MALLOC, 16);
	re_begin(&w, 1, 16);
	re_end(&w, 1, 16, 16);
	assert_int_equal(w.out.n, 2);
	re_begin(&w, 1, 16);
	assert_int_equal(mma_order_end(&w.order, 1, 16, NULL, ++w.now, &w.sink), 0);
	call(&w, 2, MMA_FREE, 16);
	assert_int_equal(w.out.n, 3);
	is_clean(&w, 0);
	end(&w);
}

static void an_abandoned_realloc_lets_go_what_waits(void **state)
{
	(void)state;
	struct world w;

	begin(&w);
	call(&w, 1, MMA_MALLOC, 16);
	re_begin(&w, 1, 16);
	call(&w, 2, MMA_MALLOC, 16);
	assert_int_equal(mma_order_end(&w.order, 1, 16, NULL, ++w.now, &w.sink), 0);
	assert_int_equal(w.out.n, 2);
	assert_int_equal(w.out.stats.replaced, 1); /* the old block's end was not to be seen */
	end(&w);
}

static void reallocs_in_a_chain_come_out_in_the_chains_order(void **state)
{
	(void)state;
	struct world w;

	/* 1 gives 16 up, 2 gets it and gives 32 up, 3 gets that and gives 48 up. 3 returns
	 * first. */
	begin(&w);
	for (uint64_t p = 16; p <= 48; p += 16)
		call(&w, (unsigned)(p / 16), MMA_MALLOC, p);
	re_begin(&w, 1, 16);
	re_begin(&w, 2, 32);
	re_begin(&w, 3, 48);
	re_end(&w, 3, 48, 32);
	re_end(&w, 2, 32, 16);
	assert_int_equal(w.out.n, 3);
	re_end(&w, 1, 16, 64);
	assert_int_equal(w.out.n, 6);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(w.out.e[3 + i].tid, i + 1);
	is_clean(&w, 3);
	end(&w);
}

static void a_free_that_waits_is_before_the_realloc_that_gets_its_block(void **state)
{
	(void)state;
	struct world w;

	begin(&w);
	call(&w, 1, MMA_MALLOC, 16);
	call(&w, 2, MMA_MALLOC, 32);
	call(&w, 3, MMA_MALLOC, 48);
	re_begin(&w, 1, 16);
	re_begin(&w, 3, 48);
	call(&w, 2, MMA_MALLOC, 16); /* waits for 1 */
	call(&w, 2, MMA_FREE, 32);   /* ... and so this */
	re_end(&w, 3, 48, 32);	     /* ... and so this */
	call(&w, 4, MMA_MALLOC, 48); /* ... and so this */
	assert_int_equal(w.out.n, 3);
	re_end(&w, 1, 16, 64);
	assert_int_equal(w.out.n, 8);
	is_clean(&w, 4);
	end(&w);
}

static void a_realloc_that_never_returns_is_given_up_at_last(void **state)
{
	(void)state;
	struct world w;

	begin(&w);
	re_begin(&w, 1, 16);
	for (int i = 0; i <= MMA_ORDER_PATIENCE; i++)
		call(&w, 2, i % 2 ? MMA_FREE : MMA_MALLOC, 16);
	assert_int_equal(w.order.n_held, 0);
	assert_int_equal(w.out.n, MMA_ORDER_PATIENCE + 1);
	is_clean(&w, 1);
	end(&w);
}

/* Each waits for the one before it. Comparing each with all others at every return would be work
 * cubic in their number, and take too long. */
static void a_long_queue_behind_one_realloc_is_no_more_work_than_its_length(void **state)
{
	enum { LENGTH = 6000, SECONDS = 20 };
	struct rlimit was, limit;
	struct rusage used;
	struct world w;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_CPU, &was), 0);
	assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
	limit = was;
	limit.rlim_cur = (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec + SECONDS;
	assert_int_equal(setrlimit(RLIMIT_CPU, &limit), 0);
	begin(&w);
	call(&w, 1, MMA_MALLOC, 16);
	re_begin(&w, 1, 16);
	call(&w, 2, MMA_MALLOC, 16);
	for (int i = 1; i < LENGTH; i++) {
		re_begin(&w, i + 2, 16 * (uint64_t)i);
		re_end(&w, i + 2, 16 * (uint64_t)i, 16 * (uint64_t)(i + 1));
	}
	assert_int_equal(w.order.n_held, LENGTH);
	re_end(&w, 1, 16, UINT64_C(1) << 40);
	assert_int_equal(w.order.n_held, 0);
	assert_int_equal(w.out.n, LENGTH + 2);
	is_clean(&w, 2);
	end(&w);
	assert_int_equal(setrlimit(RLIMIT_CPU, &was), 0);
}

/* ---- threads and an allocator ---- */

enum { THREADS = 5, ADDRESSES = 12, STEPS = 20000 };

/* A thread is in a realloc: it has begun, has got its new block, has given the old one away. */
struct thread {
	int in_realloc;
	uint64_t old, got;
};

static uint64_t some(const int *owner, int whose)
{
	unsigned from = random_below(ADDRESSES);

	for (unsigned i = 0; i < ADDRESSES; i++)
		if (owner[(from + i) % ADDRESSES] == whose)
			return (from + i) % ADDRESSES;
	return ADDRESSES;
}

/* owner: 0 free, 1 in use, 2 held by a realloc */
static void step(struct world *w, struct thread *threads, int *owner)
{
	unsigned t = random_below(THREADS);
	struct thread *th = &threads[t];
	uint64_t a;

	switch (th->in_realloc) {
	case 1: /* takes the new block, which may be the old one */
		th->got = random_below(3) ? some(owner, 0) : th->old;
		if (th->got == ADDRESSES)
			return;
		owner[th->got] = 2;
		th->in_realloc = 2;
		return;
	case 2: /* gives the old one away */
		if (th->got != th->old)
			owner[th->old] = 0;
		th->in_realloc = 3;
		return;
	case 3: /* returns */
		owner[th->got] = 1;
		re_end(w, (int)t + 1, 16 * th->old + 16, 16 * th->got + 16);
		th->in_realloc = 0;
		return;
	}
	if (random_below(3) == 0 && (a = some(owner, 1)) != ADDRESSES) {
		owner[a] = 2;
		re_begin(w, (int)t + 1, 16 * a + 16);
		*th = (struct thread){ 1, a, 0 };
	} else if (random_below(2) && (a = some(owner, 1)) != ADDRESSES) {
		call(w, t + 1, MMA_FREE, 16 * a + 16);
		owner[a] = 0;
	} else if ((a = some(owner, 0)) != ADDRESSES) {
		owner[a] = 1;
		call(w, t + 1, random_below(2) ? MMA_MALLOC : MMA_CALLOC, 16 * a + 16);
	}
}

static void threads_in_any_order_leave_nothing_unknown_or_replaced(void **state)
{
	(void)state;
	for (unsigned round = 1; round < 20; round++) {
		struct world w;
		struct thread threads[THREADS] = { 0 };
		int owner[ADDRESSES] = { 0 };
		uint64_t live = 0, waited = 0;

		random_state = round;
		begin(&w);
		for (int i = 0; i < STEPS; i++) {
			step(&w, threads, owner);
			waited += w.order.n_held;
		}
		bool busy = true;
		while (busy) {
			busy = false;
			for (int t = 0; t < THREADS; t++)
				busy |= threads[t].in_realloc;
			if (busy)
				step(&w, threads, owner);
		}
		assert_int_equal(w.order.n_held, 0);
		assert_int_equal(w.order.n_pending, 0);
		for (int a = 0; a < ADDRESSES; a++)
			live += owner[a] == 1;
		is_clean(&w, live);
		assert_true(waited > 1000); /* else nothing has been tried */
		end(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_reallocs_nothing_waits),
		cmocka_unit_test(who_gets_a_pending_block_waits_for_its_realloc_and_has_its_time),
		cmocka_unit_test(what_comes_of_that_block_waits_as_well),
		cmocka_unit_test(a_realloc_that_stays_or_fails_waits_for_nobody),
		cmocka_unit_test(an_abandoned_realloc_lets_go_what_waits),
		cmocka_unit_test(reallocs_in_a_chain_come_out_in_the_chains_order),
		cmocka_unit_test(a_free_that_waits_is_before_the_realloc_that_gets_its_block),
		cmocka_unit_test(a_realloc_that_never_returns_is_given_up_at_last),
		cmocka_unit_test(a_long_queue_behind_one_realloc_is_no_more_work_than_its_length),
		cmocka_unit_test(threads_in_any_order_leave_nothing_unknown_or_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
