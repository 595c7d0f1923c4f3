/* SPDX-License-Identifier: BSD-2-Clause */
/* What recorders are told of events that could not be counted, or only in part. */
#include "unit/scripted_observer.h"

extern const char __executable_start, etext;

static bool no_memory;	/* for what grows in mprof */

void *reallocarray(void *was, size_t n, size_t size)
{
	const char *caller = __builtin_return_address(0);
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) ||
	    (no_memory && caller >= &__executable_start && caller < &etext))
		return NULL;
	return realloc(was, bytes);
}

static uint64_t born, died;

static void on_event(struct recorder *r, const struct alloc_event *e, const struct block_change *c)
{
	(void)r;
	assert_true(c->kind != BLOCK_GONE || e->kind == AE_REALLOC_FREED);
	born += c->kind == BLOCK_NEW || c->kind == BLOCK_RESIZED;
	died += c->kind == BLOCK_GONE || c->kind == BLOCK_RESIZED;
}

static void on_free(struct recorder *r)
{
	(void)r;
}

static int resize(struct image *i, uint64_t size)
{
	uint32_t frame = session_sink.frame(i, NO_FILE, 0x400000, false, false);
	struct alloc_event e = { .kind = AE_REALLOC_BEGIN, .call = CALL_REALLOC, .task = i->pid,
				 .old_ptr = 0x10, .time_ns = 6 };
	static bool warm;

	assert_int_equal(session_sink.event(i, &e), 0);
	e.kind = AE_REALLOC_MOVED;
	e.ptr = 0x10;
	e.size = size;
	e.chain = (struct alloc_chain){ .frames = &frame, .n = 1 };
	no_memory = warm;
	int err = session_sink.event(i, &e);

	no_memory = false;
	warm = true;
	return err;
}

/* The old block of a realloc has gone, though there was no memory to count the new one. */
static void recorders_hear_of_the_free_in_a_realloc_whose_new_block_is_lost(void **state)
{
	static const struct recorder_ops recorder_ops = { .event = on_event, .free = on_free };
	static struct recorder recorder = { .ops = &recorder_ops };
	struct session *s = begin(false);
	struct image *i = start(s, ROOT);
	int err = 0;

	(void)state;
	i->recorders = &recorder;
	alloc(i, 0x10, 10);
	/* Each size is a leaf of its own. */
	for (uint64_t size = 11; !err && size < 100000; size++)
		err = resize(i, size);
	assert_int_equal(err, -ENOMEM);
	assert_int_equal(i->profile->live_bytes, 0);
	assert_int_equal(born, i->profile->totals.allocs);
	assert_int_equal(died, i->profile->totals.frees);
	session_release(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			recorders_hear_of_the_free_in_a_realloc_whose_new_block_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
