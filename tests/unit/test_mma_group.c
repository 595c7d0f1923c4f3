/* SPDX-License-Identifier: BSD-2-Clause */
/* A group of processes while it runs: its statistics are those of its logs, whatever happens. */
#include "unit/unit.h"
#include "lib/random.h"
#include "mma/group.h"
#include "mma/merge.h"
#include "mma/profile_stats.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_LOGS = 64 };

static char dir[] = "/tmp/test_mma_group.XXXXXX";
static char *names[MAX_LOGS];
static size_t n_names;
static const char *ending = "";

static struct mma_file open_log(void *ctx, pid_t pid, unsigned nth)
{
	struct mma_file f = { .fd = -1 };

	(void)ctx;
	assert_true(asprintf(&f.name, "%s/%d.%u%s", dir, (int)pid, nth, ending) > 0);
	assert_true(n_names < MAX_LOGS);
	names[n_names++] = strdup(f.name);
	f.fd = open(f.name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(f.fd >= 0);
	return f;
}

static int make_dir(void **state)
{
	(void)state;
	return !mkdtemp(dir);
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static void closed(void *ctx, const char *name, int err)
{
	(void)ctx, (void)name;
	assert_int_equal(err, 0);
}

/* ---- a program image ---- */

struct image {
	struct profile *profile;
	struct recorder *recorder;
};

static struct mma_group *group_new(void)
{
	struct mma_group_ops ops = { .open = open_log, .humanized = true };

	n_names = 0;
	return mma_group_new(&ops);
}

static struct image image_new(struct mma_group *g, pid_t pid, struct profile *p, uint64_t now)
{
	profile_stamp(p, now);
	struct image i = { p, mma_group_record(g, pid, p) };

	assert_non_null(i.recorder);
	i.recorder->next = NULL;
	return i;
}

static void tell(struct image *i, struct alloc_event e)
{
	struct block_change c;

	assert_int_equal(profile_event(i->profile, &e, &c), 0);
	recorders_event(i->recorder, &e, &c);
}

static void image_end(struct image *i, uint64_t now)
{
	profile_stamp(i->profile, now);
	recorders_end(i->recorder);
}

static void image_free(struct image *i)
{
	recorders_free(i->recorder);
	profile_free(i->profile);
	*i = (struct image){ 0 };
}

static void alloc(struct image *i, uint64_t t, taddr p, uint64_t n)
{
	tell(i, (struct alloc_event){ .kind = AE_ALLOC, .call = CALL_MALLOC, .task = 7,
				      .time_ns = t, .ptr = p, .size = n });
}

static void release(struct image *i, uint64_t t, taddr p)
{
	tell(i, (struct alloc_event){ .kind = AE_FREE, .call = CALL_FREE, .task = 7, .time_ns = t,
				      .ptr = p });
}

/* ---- what the logs say ---- */

static char *text_of(size_t log)
{
	static char text[4096];
	FILE *f = fopen(names[log], "r");

	assert_non_null(f);
	size_t n = fread(text, 1, sizeof text - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void equals(const struct mma_stats *a, const struct mma_stats *b)
{
	assert_int_equal(mma_stats_duration(a), mma_stats_duration(b));
	assert_true(a->load_max == b->load_max);
	assert_true(a->load == b->load);
	assert_true(a->load_total == b->load_total);
	assert_memory_equal(a->events, b->events, sizeof a->events);
	assert_int_equal(a->unknown_free, b->unknown_free);
	assert_int_equal(a->failed, b->failed);
	assert_int_equal(a->replaced, b->replaced);
	assert_int_equal(a->live_blocks, b->live_blocks);
}

/* The logs give the statistics of the group, in any order of theirs. Removes them. */
static void logs_agree(struct mma_group *g)
{
	struct mma_log logs[MAX_LOGS];
	struct mma_stats of_logs = { 0 }, of_turned = { 0 };
	struct error e;

	assert_int_equal(mma_group_close(g, closed, NULL), 0);
	for (size_t i = 0; i < n_names; i++) {
		struct mma_source *s = mma_source_open(names[i], &e);

		assert_non_null(s);
		assert_int_equal(mma_log_read(&logs[i], s, &e), 0);
		mma_source_close(s);
		assert_true(logs[i].n >= 2);
		assert_int_equal(logs[i].v[0].type, MMA_TMSTMP);
		assert_int_equal(logs[i].v[logs[i].n - 1].type, MMA_TMSTMP);
		unlink(names[i]);
		free(names[i]);
	}
	assert_int_equal(mma_stats_of_logs(&of_logs, logs, n_names), 0);
	equals(mma_group_stats(g), &of_logs);
	for (size_t i = 0; i < n_names / 2; i++) {
		struct mma_log other = logs[i];

		logs[i] = logs[n_names - 1 - i];
		logs[n_names - 1 - i] = other;
	}
	assert_int_equal(mma_stats_of_logs(&of_turned, logs, n_names), 0);
	equals(mma_group_stats(g), &of_turned);
	for (size_t i = 0; i < n_names; i++)
		mma_log_release(&logs[i]);
}

static void every_call_is_an_entry_of_its_kind(void **state)
{
	(void)state;
	struct mma_group *g = group_new();
	struct image i = image_new(g, 7, profile_new(), 1000);
	struct alloc_event c = { .kind = AE_ALLOC, .call = CALL_CALLOC, .task = 8, .time_ns = 1002,
				 .ptr = 0x20,
				 .size = 30, .count = 3, .elem = 10 };
	struct alloc_event r = { .kind = AE_REALLOC_BEGIN, .call = CALL_REALLOC, .task = 7,
				 .time_ns = 1003,
				 .old_ptr = 0x10, .size = 0 };

	alloc(&i, 1001, 0x10, 5);
	tell(&i, c);
	c.kind = AE_FAILED; /* of an overflow */
	c.ptr = 0;
	c.count = UINT64_MAX;
	tell(&i, c);
	tell(&i, r);
	r.kind = AE_REALLOC_BACK;
	tell(&i, r);
	r.kind = AE_FAILED;
	r.size = 99;
	tell(&i, r);
	r.kind = AE_REALLOC_BEGIN;
	tell(&i, r);
	r.kind = AE_REALLOC_MOVED;
	r.ptr = 0x30;
	tell(&i, r);
	r.kind = AE_REALLOC_BEGIN;
	r.old_ptr = 0x30;
	tell(&i, r);
	r.kind = AE_REALLOC_FREED;
	r.size = 0;
	tell(&i, r);
	r = (struct alloc_event){ .kind = AE_ALLOC, .call = CALL_REALLOC, .task = 7,
				  .time_ns = 1004, .ptr = 0x10, .size = 1 };
	tell(&i, r);
	release(&i, 1005, 0);
	release(&i, 1005, 0x777);
	struct alloc_event own = { .kind = AE_FREE, .call = CALL_FREE, .task = 7, .time_ns = 1005,
				   .ptr = 0x888, .by_allocator = true };
	tell(&i, own); /* no call of the program */
	recorders_mark(i.recorder, RECORD_STAMP, 9, 1006);
	recorders_mark(i.recorder, RECORD_SUSPENDED, 0, 1007);
	image_end(&i, 1008);
	image_free(&i);
	mma_group_end(g, 2000);
	assert_int_equal(mma_group_flush(g), 0);
	assert_string_equal(text_of(0), "secs=0 nsecs=1000 tid=7 tmstmp\n"
					"secs=0 nsecs=1001 tid=7 malloc ptr=0x10 size=5\n"
					"secs=0 nsecs=1002 tid=8 calloc ptr=0x20 num=3 elem=10\n"
					"secs=0 nsecs=1002 tid=8 calloc ptr=0x0 "
					"num=18446744073709551615 elem=10\n"
					"secs=0 nsecs=1003 tid=7 realloc newptr=0x0 ptr=0x10 "
					"size=99\n"
					"secs=0 nsecs=1003 tid=7 realloc newptr=0x30 ptr=0x10 "
					"size=99\n"
					"secs=0 nsecs=1003 tid=7 realloc newptr=0x0 ptr=0x30 "
					"size=0\n"
					"secs=0 nsecs=1004 tid=7 realloc newptr=0x10 ptr=0x0 "
					"size=1\n"
					"secs=0 nsecs=1005 tid=7 free ptr=0x0\n"
					"secs=0 nsecs=1005 tid=7 free ptr=0x777\n"
					"secs=0 nsecs=1006 tid=9 tmstmp\n"
					"secs=0 nsecs=1007 tid=7 tmstmp\n"
					"secs=0 nsecs=1008 tid=7 tmstmp\n");
	assert_int_equal(mma_group_stats(g)->failed, 2);
	logs_agree(g);
	mma_group_free(g);
}

static void an_exec_frees_what_was_live_and_the_log_goes_on(void **state)
{
	(void)state;
	struct mma_group *g = group_new();
	struct image a = image_new(g, 7, profile_new(), 100), b;

	alloc(&a, 110, 0x20, 5);
	alloc(&a, 120, 0x10, 6);
	image_end(&a, 130);
	b = image_new(g, 7, profile_new(), 131);
	alloc(&b, 140, 0x20, 50);
	release(&a, 141, 0x20); /* somebody left in the old memory */
	image_end(&b, 150);
	image_free(&a);
	image_free(&b);
	mma_group_end(g, 999);
	assert_int_equal(mma_group_flush(g), 0);
	assert_string_equal(text_of(0), "secs=0 nsecs=100 tid=7 tmstmp\n"
					"secs=0 nsecs=110 tid=7 malloc ptr=0x20 size=5\n"
					"secs=0 nsecs=120 tid=7 malloc ptr=0x10 size=6\n"
					"secs=0 nsecs=130 tid=7 free ptr=0x10\n"
					"secs=0 nsecs=130 tid=7 free ptr=0x20\n"
					"secs=0 nsecs=131 tid=7 tmstmp\n"
					"secs=0 nsecs=140 tid=7 malloc ptr=0x20 size=50\n"
					"secs=0 nsecs=150 tid=7 tmstmp\n");
	assert_int_equal(n_names, 1);
	assert_true(mma_group_stats(g)->load == 50);
	logs_agree(g);
	mma_group_free(g);
}

static void a_child_starts_with_nothing_and_its_frees_of_inherited_blocks_change_nothing(
	void **state)
{
	(void)state;
	struct mma_group *g = group_new();
	struct image a = image_new(g, 7, profile_new(), 100), b;

	alloc(&a, 110, 0x10, 60);
	b = image_new(g, 8, profile_fork(a.profile), 120);
	release(&b, 130, 0x10);
	alloc(&b, 140, 0x10, 7);
	assert_true(mma_group_stats(g)->load == 67);
	image_end(&a, 150);
	alloc(&b, 160, 0x30, 3);
	assert_true(mma_group_stats(g)->load == 10);
	image_end(&b, 170);
	mma_group_end(g, 999);
	assert_int_equal(mma_stats_duration(mma_group_stats(g)), 70);
	assert_true(mma_group_stats(g)->load == 10);
	assert_int_equal(mma_group_stats(g)->unknown_free, 1);
	image_free(&a);
	image_free(&b);
	logs_agree(g);
	mma_group_free(g);
}

static void when_all_are_let_go_the_first_one_is_the_last(void **state)
{
	(void)state;
	struct mma_group *g = group_new();
	struct image a = image_new(g, 7, profile_new(), 100),
		     b = image_new(g, 8, profile_fork(a.profile), 110);

	alloc(&a, 120, 0x10, 60);
	alloc(&b, 130, 0x10, 7);
	mma_group_end(g, 200);
	image_end(&b, 210);
	image_end(&a, 210);
	assert_true(mma_group_stats(g)->load == 60);
	image_free(&a);
	image_free(&b);
	logs_agree(g);
	mma_group_free(g);
}

static void what_was_missed_while_suspended_is_told(void **state)
{
	(void)state;
	struct mma_group *g = group_new();
	struct image a = image_new(g, 7, profile_new(), 100);
	uint64_t unknown, replaced;

	release(&a, 101, 0x40);
	alloc(&a, 102, 0x10, 1);
	assert_false(mma_group_missed(g, &unknown, &replaced));
	recorders_mark(a.recorder, RECORD_SUSPENDED, 0, 110);
	recorders_mark(a.recorder, RECORD_RESUMED, 0, 120);
	alloc(&a, 130, 0x10, 2);
	release(&a, 131, 0x50);
	release(&a, 132, 0x60);
	assert_true(mma_group_missed(g, &unknown, &replaced));
	assert_int_equal(unknown, 2);
	assert_int_equal(replaced, 1);
	image_end(&a, 140);
	image_free(&a);
	mma_group_end(g, 150);
	logs_agree(g);
	mma_group_free(g);
}

/* ---- at random ---- */

enum { PROCESSES = 6, STEPS = 600 };

static void some_call(struct image *i, uint64_t t)
{
	taddr p = 16 * (1 + random_below(20));

	if (random_below(2))
		alloc(i, t, p, random_below(1000));
	else
		release(i, t, p);
}

static void processes_that_come_go_fork_and_exec_agree_with_their_logs(void **state)
{
	(void)state;
	for (uint64_t s = 1; s < 12; s++) {
		struct image images[PROCESSES] = { 0 };
		pid_t pids[PROCESSES] = { 0 }, next_pid = 100;
		struct mma_group *g;
		uint64_t t = 5000;

		ending = s % 2 ? "" : ".zst";
		random_state = s;
		g = group_new();
		images[0] = image_new(g, pids[0] = next_pid++, profile_new(), t);
		for (int step = 0; step < STEPS; step++) {
			unsigned i = random_below(PROCESSES), j = random_below(PROCESSES);

			t += random_below(3); /* times may be equal */
			if (!images[i].profile)
				continue;
			if (random_below(12) == 0 && !images[j].profile && n_names < MAX_LOGS - 1) {
				images[j] = image_new(g,
						      pids[j] = random_below(4) ? next_pid++
										: next_pid,
						      profile_fork(images[i].profile), t);
				next_pid += pids[j] == next_pid;
			} else if (random_below(40) == 0) {
				image_end(&images[i], t);
				image_free(&images[i]);
				images[i] = image_new(g, pids[i], profile_new(), t);
			} else if (random_below(60) == 0 && i) {
				image_end(&images[i], t);
				image_free(&images[i]);
			} else {
				some_call(&images[i], t);
			}
		}
		if (s % 3)
			mma_group_end(g, t);
		for (int i = 0; i < PROCESSES; i++) {
			if (!images[i].profile)
				continue;
			image_end(&images[i], t + (uint64_t)i);
			image_free(&images[i]);
		}
		mma_group_end(g, t + 100);
		assert_true(n_names > 3);
		logs_agree(g);
		mma_group_free(g);
	}
	ending = "";
}

static void a_profile_has_the_statistics_of_its_log(void **state)
{
	(void)state;
	struct mma_group *g = group_new();
	struct image i = image_new(g, 7, profile_new(), 1000);

	random_state = 5;
	for (uint64_t t = 1001; t < 3000; t += random_below(4))
		some_call(&i, t);
	recorders_mark(i.recorder, RECORD_STAMP, 0, 3010);
	profile_stamp(i.profile, 3010);
	image_end(&i, 3020);
	mma_group_end(g, 9999);
	struct mma_stats of_profile = mma_stats_of_profile(&i.profile->load, &i.profile->totals);
	equals(&of_profile, mma_group_stats(g));
	assert_true(of_profile.replaced > 10 && of_profile.unknown_free > 10);
	image_free(&i);
	logs_agree(g);
	mma_group_free(g);
}

static void missed(void *image, const struct alloc_event *e, const struct block_change *c)
{
	recorders_missed(((struct image *)image)->recorder, e, c);
}

static void pause_for(struct image *i, uint64_t from, uint64_t to)
{
	profile_miss(i->profile, from, missed, i);
	profile_stamp(i->profile, from);
	recorders_mark(i->recorder, RECORD_SUSPENDED, 0, from);
	profile_stamp(i->profile, to);
	recorders_mark(i->recorder, RECORD_RESUMED, 0, to);
}

/* What a thread's cache holds in the end its allocator frees once more. */
static void release_by_allocator(struct image *i, uint64_t t, taddr p)
{
	tell(i, (struct alloc_event){ .kind = AE_FREE, .call = CALL_FREE, .task = 7, .time_ns = t,
				      .ptr = p, .by_allocator = true });
}

static void resize(struct image *i, uint64_t t, taddr from, taddr to, bool pause, unsigned how)
{
	struct alloc_event e = { .kind = AE_REALLOC_BEGIN, .call = CALL_REALLOC, .task = 7,
				 .time_ns = t, .old_ptr = from };

	tell(i, e);
	if (pause)
		pause_for(i, t, t);
	e.kind = how < 8 ? AE_REALLOC_MOVED : how == 8 ? AE_REALLOC_FREED : AE_REALLOC_BACK;
	e.ptr = how < 8 ? to : 0;
	e.size = how < 8 ? random_below(1000) : 0;
	tell(i, e);
}

/* Blocks are freed in them, and their addresses given again afterwards. */
static void so_it_has_when_there_were_pauses(void **state)
{
	(void)state;
	struct mma_group *g = group_new();
	struct image i = image_new(g, 7, profile_new(), 1000);

	random_state = 6;
	for (uint64_t t = 1001; t < 9000; t += 50 + random_below(4)) {
		if (random_below(3))
			some_call(&i, t);
		else if (random_below(3) == 0)
			resize(&i, t, 16 * (1 + random_below(20)), 16 * (1 + random_below(20)),
			       random_below(3) == 0, random_below(10));
		else if (random_below(3))
			release_by_allocator(&i, t, 16 * (1 + random_below(20)));
		else
			pause_for(&i, t, t + 50);
	}
	pause_for(&i, 9010, 9011);
	image_end(&i, 9020);
	mma_group_end(g, 9999);
	struct mma_stats of_profile = mma_stats_of_profile(&i.profile->load, &i.profile->totals);
	equals(&of_profile, mma_group_stats(g));
	assert_true(i.profile->totals.missed > i.profile->load.missed && i.profile->load.missed);
	assert_true(i.profile->load.max > i.profile->totals.peak_bytes);
	image_free(&i);
	logs_agree(g);
	mma_group_free(g);
}

static void a_pid_that_is_used_again_gets_another_log(void **state)
{
	struct mma_group *g = group_new();

	(void)state;
	for (unsigned nth = 0; nth < 3; nth++)
		for (pid_t pid = 7; pid < 9; pid++) {
			struct image i = image_new(g, pid, profile_new(), nth);
			const char *end = strrchr(names[n_names - 1], '/');
			char expected[20];

			snprintf(expected, sizeof expected, "/%d.%u", (int)pid, nth);
			assert_string_equal(end, expected);
			image_end(&i, nth);
			image_free(&i);
		}
	mma_group_end(g, 10);
	logs_agree(g);
	mma_group_free(g);
}

/* A build may have had hundreds of thousands: a search among all of them, each time, would take
 * minutes. */
static void a_group_that_had_many_processes_ends_on_a_small_stack(void **state)
{
	enum { MANY = 300000, SMALL = 256 << 10 };
	struct mma_group *g = mma_group_new(&(struct mma_group_ops){ 0 });
	struct profile *p = profile_new();
	struct rlimit was, small;

	(void)state;
	for (int i = 1; i <= MANY; i++) {
		struct image one = image_new(g, i, p, (uint64_t)i);

		if (i > 1 && i < MANY)
			recorders_end(one.recorder);
		recorders_free(one.recorder);
	}
	assert_int_equal(getrlimit(RLIMIT_STACK, &was), 0);
	small = was;
	small.rlim_cur = SMALL;
	assert_int_equal(setrlimit(RLIMIT_STACK, &small), 0);
	mma_group_end(g, MANY + 1);
	assert_int_equal(setrlimit(RLIMIT_STACK, &was), 0);
	assert_int_equal(mma_stats_events(mma_group_stats(g)), 2 * MANY);
	mma_group_free(g);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_is_an_entry_of_its_kind),
		cmocka_unit_test(an_exec_frees_what_was_live_and_the_log_goes_on),
		cmocka_unit_test(
		a_child_starts_with_nothing_and_its_frees_of_inherited_blocks_change_nothing),
		cmocka_unit_test(when_all_are_let_go_the_first_one_is_the_last),
		cmocka_unit_test(what_was_missed_while_suspended_is_told),
		cmocka_unit_test(a_profile_has_the_statistics_of_its_log),
		cmocka_unit_test(so_it_has_when_there_were_pauses),
		cmocka_unit_test(processes_that_come_go_fork_and_exec_agree_with_their_logs),
		cmocka_unit_test(a_pid_that_is_used_again_gets_another_log),
		cmocka_unit_test(a_group_that_had_many_processes_ends_on_a_small_stack),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
