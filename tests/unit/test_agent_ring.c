/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's end of the ring and the tracer's, with threads: PUTS=10000000 for more records per
 * thread. */
#include "unit/unit.h"

#include "unit/agent_fixture.h"

#include <sys/time.h>

enum { THREADS = 8 };

static uint64_t puts_each = 200000;

/* Thread t puts, in this order, records with 0, 1, 2 ... in hi; it says t by the pointer. */
struct order {
	struct world w;
	uint64_t next[THREADS];	/* what thread t must put next */
	uint64_t wrong;
	uint64_t until;
};

static void take_in_order(void *ctx, const struct ring_record *r)
{
	struct order *o = ctx;

	if (r->pointer >= THREADS || r->kind != RECORD_ALLOC || r->size != o->next[r->pointer]++)
		o->wrong++;
}

struct producer {
	struct order *o;
	uint64_t number;
};

static void *produce(void *arg)
{
	const struct producer *p = arg;
	uint64_t lo = RECORD_SET | p->number << RECORD_POINTER_SHIFT |
		      RECORD_ALLOC << RECORD_KIND_SHIFT | (AGENT_SPARES + p->number);

	for (uint64_t i = 0; i < p->o->until; i++)
		if (!agent_put(p->o->w.shared, AGENT_SPARES + (uint32_t)p->number, lo,
			       i << RECORD_SIZE_SHIFT))
			return NULL;
	return arg;
}

static void start(struct order *o, pthread_t *t, struct producer *p)
{
	for (uint64_t i = 0; i < THREADS; i++) {
		p[i] = (struct producer){ o, i };
		assert_int_equal(pthread_create(&t[i], NULL, produce, &p[i]), 0);
	}
}

/* Did all of them get all their records in? */
static bool end(pthread_t *t)
{
	bool all = true;

	for (int i = 0; i < THREADS; i++) {
		void *ok;

		pthread_join(t[i], &ok);
		all &= ok != NULL;
	}
	return all;
}

static void assert_all_came_in_order(const struct order *o)
{
	assert_int_equal(o->wrong, 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(o->next[i], o->until);
	assert_int_equal(ring_counts(o->w.ring).records, THREADS * o->until);
	assert_int_equal(ring_counts(o->w.ring).lost, 0);
}

static int setup(void **state)
{
	struct order *o = calloc(1, sizeof *o);

	*state = o;
	world_init(&o->w, false);
	o->until = puts_each;
	return 0;
}

static int teardown(void **state)
{
	struct order *o = *state;

	world_release(&o->w);
	free(o);
	return 0;
}

static void every_record_of_eight_threads_comes_once_and_in_the_thread_s_order(void **state)
{
	struct order *o = *state;
	struct producer p[THREADS];
	pthread_t t[THREADS];

	world_trace(&o->w, take_in_order, o);
	start(o, t, p);
	assert_true(end(t));
	world_drain(&o->w);
	assert_all_came_in_order(o);
}

static void a_consumer_that_is_away_makes_threads_wait_and_loses_nothing(void **state)
{
	struct order *o = *state;
	struct producer p[THREADS];
	pthread_t t[THREADS];
	uint32_t waiting[THREADS];

	o->until = AGENT_RING; /* more than there is room: nobody is done before all wait */
	o->w.stalled = true;
	world_trace(&o->w, take_in_order, o);
	start(o, t, p);
	WAIT_UNTIL(ring_waiting(o->w.ring, waiting, THREADS) == THREADS);
	/* No more than the room there is. */
	assert_int_equal(ring_head(o->w.ring), AGENT_ROOM + 1);
	assert_int_equal(ring_counts(o->w.ring).records, 0);
	for (int i = 0; i < THREADS; i++)
		assert_in_range(waiting[i], AGENT_SPARES, AGENT_SPARES + THREADS - 1);
	__atomic_store_n(&o->w.stalled, false, __ATOMIC_RELEASE);
	assert_true(end(t));
	world_drain(&o->w);
	assert_all_came_in_order(o);
	assert_int_equal(ring_waiting(o->w.ring, waiting, THREADS), 0);
}

static void threads_that_wait_go_on_when_the_tracer_has_died(void **state)
{
	struct order *o = *state;
	struct producer p[THREADS];
	pthread_t t[THREADS];
	uint32_t waiting[THREADS];

	start(o, t, p);
	WAIT_UNTIL(ring_waiting(o->w.ring, waiting, THREADS) == THREADS);
	assert_int_equal(are_pads_active(), 1);
	/* What the kernel does to the robust mutex of a task that dies. */
	__atomic_fetch_or(&o->w.shared->owner, AGENT_OWNER_DIED, __ATOMIC_SEQ_CST);
	assert_false(end(t));
	assert_int_equal(are_pads_active(), 0);
	assert_int_equal(ring_waiting(o->w.ring, waiting, THREADS), 0);
}

static void take_nothing(void *ctx, const struct ring_record *r)
{
	(void)r;
	++*(uint64_t *)ctx;
}

/* One record that says nothing but its number, in its size. */
static void put_number(struct agent_shared *s, uint64_t i)
{
	assert_true(agent_put(s, AGENT_SPARES,
			      RECORD_SET | RECORD_ALLOC << RECORD_KIND_SHIFT | AGENT_SPARES,
			      i << RECORD_SIZE_SHIFT));
}

static void threads_that_wait_go_on_if_nobody_holds_the_mutex_or_they_are_told_to(void **state)
{
	struct order *o = *state;
	struct agent_shared *s = o->w.shared;
	uint32_t owner = s->owner;

	for (uint64_t i = 0; i <= AGENT_ROOM; i++)
		put_number(s, i);
	s->owner = 0;
	assert_false(agent_put(s, AGENT_SPARES, RECORD_SET, 0));
	assert_int_equal(are_pads_active(), 0);
	s->owner = owner;
	s->passive = pads_active = 1;
	assert_false(agent_put(s, AGENT_SPARES, RECORD_SET, 0));
	assert_int_equal(are_pads_active(), 0);
}

static void who_comes_late_does_not_fill_what_others_have_filled(void **state)
{
	struct order *o = *state;
	struct agent_shared *s = o->w.shared;
	uint64_t taken = 0, late = s->head;

	/* As agent_put() would after a long sleep: another's record is there, then it has been
	 * read, then the ring has come round. */
	for (uint64_t i = 0; i < 2 * AGENT_RING; i++) {
		put_number(s, i);
		assert_false(arch_swap_pair(&s->ring[late], 0, late / AGENT_RING, RECORD_SET, 0));
		assert_int_equal(ring_drain(o->w.ring, 1, UINT64_MAX, take_nothing, &taken), 1);
		assert_false(arch_swap_pair(&s->ring[late], 0, late / AGENT_RING, RECORD_SET, 0));
	}
	assert_int_equal(taken, 2 * AGENT_RING);
	assert_int_equal(ring_counts(o->w.ring).lost, 0);
}

static void take_a_number(void *ctx, const struct ring_record *r)
{
	assert_int_equal(r->size, ++*(uint64_t *)ctx);
}

/* A thread that was overtaken sets the head back, and a program may write anything there. */
static void wherever_the_head_is_records_come_in_their_order(void **state)
{
	struct order *o = *state;
	struct agent_shared *s = o->w.shared;
	const uint64_t anywhere[] = { 0, 1, 99, 5000, UINT64_MAX, UINT64_MAX / 2, AGENT_RING };
	uint64_t taken = 0, put = 0;

	for (int round = 0; round < 200; round++) {
		for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++) {
			uint64_t first = put;

			while (put - first < 1000)
				put_number(s, ++put);
			/* At or before the first position that is empty, or nowhere near. */
			s->head = anywhere[i] % 2 ? anywhere[i] : s->head - anywhere[i] % 1000;
			assert_int_equal(ring_head(o->w.ring), put);
			if (i % 2)
				ring_drain(o->w.ring, 1500, UINT64_MAX, take_a_number, &taken);
		}
		ring_drain(o->w.ring, UINT64_MAX, UINT64_MAX, take_a_number, &taken);
		assert_int_equal(taken, put);
	}
	assert_int_equal(ring_counts(o->w.ring).lost, 0);
}

/* A thread that is interrupted anywhere, and stays away for a while. */
static void stay_away(int sig)
{
	struct timespec ts = { 0, 300000 };

	(void)sig;
	nanosleep(&ts, NULL);
}

static void threads_that_are_interrupted_anywhere_lose_nothing_and_hold_up_nobody(void **state)
{
	struct order *o = *state;
	struct sigaction sa = { .sa_handler = stay_away, .sa_flags = SA_RESTART }, old;
	struct itimerval often = { { 0, 997 }, { 0, 997 } }, never = { { 0, 0 }, { 0, 0 } };
	struct producer p[THREADS];
	pthread_t t[THREADS];
	sigset_t set, was;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaction(SIGALRM, &sa, &old);
	/* For the threads that produce, not for the one that consumes, nor for us. */
	start(o, t, p);
	pthread_sigmask(SIG_BLOCK, &set, &was);
	world_trace(&o->w, take_in_order, o);
	setitimer(ITIMER_REAL, &often, NULL);
	assert_true(end(t));
	setitimer(ITIMER_REAL, &never, NULL);
	world_drain(&o->w);
	/* One that has come too late for all of them goes. */
	signal(SIGALRM, SIG_IGN);
	sigaction(SIGALRM, &old, NULL);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	assert_all_came_in_order(o);
}

/*
 * Blocks that go from hand to hand: who frees one puts that before he gives it away, who allocates
 * it puts that after he has got it. So for each address an allocation follows a free and a free an
 * allocation.
 */
enum { BLOCKS = 64 };

struct hands {
	struct world w;
	uint8_t free[BLOCKS];	 /* taken by exchange: the allocator */
	uint8_t live[BLOCKS];	 /* what the records say */
	uint64_t wrong, records;
};

static void take_by_address(void *ctx, const struct ring_record *r)
{
	struct hands *h = ctx;
	bool alloc = r->kind == RECORD_ALLOC;

	h->records++;
	if (r->pointer >= BLOCKS || h->live[r->pointer] == alloc)
		h->wrong++;
	else
		h->live[r->pointer] = alloc;
}

static void *from_hand_to_hand(void *arg)
{
	struct hands *h = arg;
	uint64_t at = (uintptr_t)&arg >> 12, lo = RECORD_SET | AGENT_SPARES;

	for (uint64_t i = 0; i < puts_each / 8; i++) {
		uint64_t b = (at += 7) % BLOCKS;

		if (!__atomic_exchange_n(&h->free[b], 0, __ATOMIC_ACQ_REL))
			continue;
		agent_put(h->w.shared, AGENT_SPARES,
			  lo | b << RECORD_POINTER_SHIFT | RECORD_ALLOC << RECORD_KIND_SHIFT, 0);
		agent_put(h->w.shared, AGENT_SPARES,
			  lo | b << RECORD_POINTER_SHIFT | RECORD_FREE << RECORD_KIND_SHIFT, 0);
		__atomic_store_n(&h->free[b], 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void the_order_of_an_address_s_records_is_the_true_one(void **state)
{
	struct hands *h = calloc(1, sizeof *h);
	pthread_t t[THREADS];

	(void)state;
	assert_non_null(h);
	world_init(&h->w, false);
	memset(h->free, 1, sizeof h->free);
	world_trace(&h->w, take_by_address, h);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, from_hand_to_hand, h), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	world_drain(&h->w);
	assert_int_equal(h->wrong, 0);
	assert_int_not_equal(h->records, 0);
	for (int i = 0; i < BLOCKS; i++)
		assert_int_equal(h->live[i], 0);
	world_release(&h->w);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			every_record_of_eight_threads_comes_once_and_in_the_thread_s_order, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			a_consumer_that_is_away_makes_threads_wait_and_loses_nothing, setup,
			teardown),
		cmocka_unit_test_setup_teardown(threads_that_wait_go_on_when_the_tracer_has_died,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			threads_that_wait_go_on_if_nobody_holds_the_mutex_or_they_are_told_to,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			who_comes_late_does_not_fill_what_others_have_filled, setup, teardown),
		cmocka_unit_test_setup_teardown(
			wherever_the_head_is_records_come_in_their_order, setup, teardown),
		cmocka_unit_test_setup_teardown(
			threads_that_are_interrupted_anywhere_lose_nothing_and_hold_up_nobody,
			setup, teardown),
		cmocka_unit_test(the_order_of_an_address_s_records_is_the_true_one),
	};

	if (getenv("PUTS"))
		puts_each = strtoull(getenv("PUTS"), NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
