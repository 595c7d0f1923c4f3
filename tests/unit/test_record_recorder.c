/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"

#include "record/recorder.h"

#include <stdlib.h>

/* A recorder that notes its calls. */
struct noter {
	struct recorder base;
	unsigned modules, calls, leaving, ticks, resumed, signals;
	int wants;	/* the signal that is meant for it */
	bool failed, useless;
	unsigned *freed;
};

static void on_event(struct recorder *r, const struct alloc_event *e, const struct block_change *c)
{
	(void)r, (void)e, (void)c;
}

static struct noter *of(struct recorder *r)
{
	return (struct noter *)r;
}

static void on_modules(struct recorder *r, const struct mappings *maps)
{
	(void)maps;
	of(r)->modules++;
}

static void on_call(struct recorder *r, const struct syscall_call *c)
{
	(void)c;
	of(r)->calls++;
}

static void on_leaving(struct recorder *r)
{
	of(r)->leaving++;
}

static void on_tick(struct recorder *r, uint64_t now_ns)
{
	of(r)->ticks += (unsigned)now_ns;
}

static void on_resume(struct recorder *r, uint64_t now_ns)
{
	of(r)->resumed += (unsigned)now_ns;
}

static bool on_signal(struct recorder *r, pid_t tid, int sig)
{
	(void)tid;
	of(r)->signals++;
	return sig == of(r)->wants;
}

static bool on_failed(const struct recorder *r)
{
	return ((const struct noter *)r)->failed;
}

static bool on_finish(struct recorder *r)
{
	return of(r)->useless;
}

static int on_report(const struct recorder *r, struct profile_data *d)
{
	if (((const struct noter *)r)->wants < 0)
		return ((const struct noter *)r)->wants;
	d->pid++;
	return 0;
}

static void on_free(struct recorder *r)
{
	++*of(r)->freed;
	free(r);
}

static const struct recorder_ops all = {
	.event = on_event, .modules = on_modules, .call = on_call, .leaving = on_leaving,
	.tick = on_tick, .resume = on_resume, .signal = on_signal, .failed = on_failed,
	.finish = on_finish, .report = on_report, .free = on_free,
};

/* Everything that may be left out is. */
static const struct recorder_ops few = { .event = on_event, .free = on_free };

static unsigned freed;

static struct noter *add(struct recorder **list, const struct recorder_ops *ops)
{
	struct noter *n = calloc(1, sizeof *n);

	assert_non_null(n);
	n->base.ops = ops;
	n->freed = &freed;
	recorders_add(list, &n->base, NULL);
	return n;
}

static void what_happens_is_told_to_each_recorder_that_wants_to_know(void **state)
{
	struct recorder *list = NULL;
	struct noter *a = add(&list, &all);

	(void)state;
	add(&list, &few);
	struct noter *b = add(&list, &all);
	recorders_modules(list, NULL);
	recorders_call(list, NULL);
	recorders_leaving(list);
	recorders_tick(list, 3);
	recorders_resume(list, 4);
	for (struct noter *n = a; n; n = n == a ? b : NULL)
		assert_true(n->modules == 1 && n->calls == 1 && n->leaving == 1 && n->ticks == 3 &&
			    n->resumed == 4);
	recorders_free(list);
}

static void a_signal_is_taken_by_the_first_that_it_is_meant_for(void **state)
{
	struct recorder *list = NULL;
	struct noter *last = add(&list, &all), *second;

	(void)state;
	last->wants = 10;
	second = add(&list, &all);
	second->wants = 12;
	add(&list, &few);
	assert_true(recorders_signal(list, 1, 12));
	assert_int_equal(last->signals, 0);
	assert_true(recorders_signal(list, 1, 10));
	assert_false(recorders_signal(list, 1, 11));
	assert_int_equal(second->signals, 3);
	recorders_free(list);
}

static void what_no_report_needs_is_freed_and_the_others_stay_in_order(void **state)
{
	struct recorder *list = NULL;
	struct noter *kept = add(&list, &all);

	(void)state;
	freed = 0;
	add(&list, &all)->useless = true;
	struct noter *plain = add(&list, &few);
	add(&list, &all)->useless = true;
	recorders_finish(&list);
	assert_int_equal(freed, 2);
	assert_ptr_equal(list, &plain->base);
	assert_ptr_equal(list->next, &kept->base);
	assert_null(kept->base.next);
	recorders_free(list);
	assert_int_equal(freed, 4);
	list = NULL;
	recorders_finish(&list);
}

static void its_maker_has_a_recorder_until_it_is_freed(void **state)
{
	struct recorder *list = NULL, *first, *second;
	struct noter *n = calloc(1, sizeof *n), *useless = calloc(1, sizeof *n);

	(void)state;
	assert_true(n && useless);
	*n = (struct noter){ .base.ops = &all, .freed = &freed };
	*useless = (struct noter){ .base.ops = &all, .freed = &freed, .useless = true };
	recorders_add(&list, &n->base, &first);
	recorders_add(&list, &useless->base, &second);
	assert_ptr_equal(first, &n->base);
	assert_ptr_equal(second, &useless->base);
	assert_ptr_equal(list, second);
	recorders_finish(&list);
	assert_null(second);
	assert_ptr_equal(first, list);
	recorders_free(list);
	assert_null(first);
}

static void one_failure_is_a_failure(void **state)
{
	struct recorder *list = NULL;
	struct noter *n = add(&list, &all);
	struct profile_data d = { 0 };

	(void)state;
	add(&list, &few);
	add(&list, &all);
	assert_false(recorders_failed(list));
	n->failed = true;
	assert_true(recorders_failed(list));
	assert_int_equal(recorders_report(list, &d), 0);
	assert_int_equal(d.pid, 2);
	n->wants = -12;
	assert_int_equal(recorders_report(list, &d), -12);
	recorders_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_happens_is_told_to_each_recorder_that_wants_to_know),
		cmocka_unit_test(a_signal_is_taken_by_the_first_that_it_is_meant_for),
		cmocka_unit_test(what_no_report_needs_is_freed_and_the_others_stay_in_order),
		cmocka_unit_test(its_maker_has_a_recorder_until_it_is_freed),
		cmocka_unit_test(one_failure_is_a_failure),
	};

	return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
