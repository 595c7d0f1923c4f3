/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's end of the ring and the tracer's, with threads: PUTS=10000000 for more records a
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
	o->w.patience_ns = UINT64_MAX; /* a thread may be away for long on a busy machine */
	o->w.stalled = true;
	world_trace(&o->w, take_in_order, o);
	start(o, t, p);
	WAIT_UNTIL(ring_waiting(o->w.ring, waiting, THREADS) == THREADS);
	/* No more than the room there is, and who was about to reserve. */
	assert_in_range(ring_head(o->w.ring), AGENT_ROOM + 1, AGENT_ROOM + THREADS);
	assert_int_equal(ring_counts(o->w.ring).records, 0);
	for (int i = 0; i < THREADS; i++)
		assert_in_range(waiting[i], AGENT_SPARES, AGENT_SPARES + THREADS - 1);
	__atomic_store_n(&o->w.stalled, false, __ATOMIC_RELEASE);
	assert_true(end(t));
	world_drain(&o->w);
	assert_all_came_in_order(o);
	assert_int_equal(ring_counts(o->w.ring).passed_over, 0);
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
	assert_int_equal(pads_active, 1);
	/* What the kernel does to the robust mutex of a task that dies. */
	__atomic_fetch_or(&o->w.shared->owner, AGENT_OWNER_DIED, __ATOMIC_SEQ_CST);
	assert_false(end(t));
	assert_int_equal(pads_active, 0);
	assert_int_equal(ring_waiting(o->w.ring, waiting, THREADS), 0);
}

static void threads_that_wait_go_on_if_nobody_holds_the_mutex_or_they_are_told_to(void **state)
{
	struct order *o = *state;
	struct agent_shared *s = o->w.shared;
	uint32_t owner = s->owner;

	s->head = AGENT_ROOM + 1;
	s->owner = 0;
	assert_false(agent_put(s, AGENT_SPARES, RECORD_SET, 0));
	assert_int_equal(pads_active, 0);
	s->owner = owner;
	s->passive = pads_active = 1;
	assert_false(agent_put(s, AGENT_SPARES, RECORD_SET, 0));
	assert_int_equal(pads_active, 0);
}

static void take_nothing(void *ctx, const struct ring_record *r)
{
	(void)r;
	++*(uint64_t *)ctx;
}

static void who_fills_a_position_that_was_passed_over_takes_another(void **state)
{
	struct order *o = *state;
	struct agent_shared *s = o->w.shared;
	struct ring_limits limits = { .most = UINT64_MAX, .upto = UINT64_MAX, .now_ns = 1000,
				      .patience_ns = 100 };
	uint64_t taken = 0, lo = RECORD_SET | RECORD_ALLOC << RECORD_KIND_SHIFT | AGENT_SPARES;
	uint64_t late = __atomic_fetch_add(&s->head, 1, __ATOMIC_SEQ_CST);

	assert_true(agent_put(s, AGENT_SPARES, lo, 1 << RECORD_SIZE_SHIFT));
	assert_int_equal(ring_drain(o->w.ring, &limits, take_nothing, &taken), 0);
	limits.now_ns += 99;
	assert_int_equal(ring_drain(o->w.ring, &limits, take_nothing, &taken), 0);
	limits.now_ns += 1;
	assert_int_equal(ring_drain(o->w.ring, &limits, take_nothing, &taken), 2);
	assert_int_equal(taken, 1);
	assert_int_equal(ring_counts(o->w.ring).passed_over, 1);
	/* As agent_put() would, after its long sleep: the slot is empty, and not his any more. */
	assert_int_equal(s->ring[late].lo, 0);
	assert_false(arch_swap_pair(&s->ring[late], 0, late / AGENT_RING, lo, 0));
	/* Nor in any later round. */
	for (int i = 0; i < AGENT_RING; i++) {
		assert_true(agent_put(s, AGENT_SPARES, lo, 0));
		assert_int_equal(ring_drain(o->w.ring, &limits, take_nothing, &taken), 1);
		assert_false(arch_swap_pair(&s->ring[late], 0, late / AGENT_RING, lo, 0));
	}
	assert_int_equal(taken, 1 + AGENT_RING);
	assert_int_equal(ring_counts(o->w.ring).lost, 0);
}

/* A thread that is interrupted between reserving and filling, and stays away for a while. */
static void stay_away(int sig)
{
	struct timespec ts = { 0, 300000 };

	(void)sig;
	nanosleep(&ts, NULL);
}

static void a_consumer_without_patience_loses_nothing_of_threads_that_are_interrupted(void **state)
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
	o->w.patience_ns = 0;
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
	print_message("# %llu positions were passed over\n",
		      (unsigned long long)ring_counts(o->w.ring).passed_over);
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
			who_fills_a_position_that_was_passed_over_takes_another,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_consumer_without_patience_loses_nothing_of_threads_that_are_interrupted,
			setup, teardown),
		cmocka_unit_test(the_order_of_an_address_s_records_is_the_true_one),
	};

	if (getenv("PUTS"))
		puts_each = strtoull(getenv("PUTS"), NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
