/* SPDX-License-Identifier: BSD-2-Clause */
/* What events do to Massif's snapshots. A chain is a string, outermost first, in which each letter
 * is a call site in the function of that name. */
#include "unit/unit.h"
#include "massif/forest.h"
#include "massif/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct world {
	struct massif_settings settings;
	struct namer namer;
	struct massif_host host;
	int names;	/* a perf map */
	struct profile *profile;
	struct massif_recorder *recorder;
};

/* There is no module; all is code that the program made. */
static struct namer_asks asks(void *ctx)
{
	return (struct namer_asks){ .jit_map = ((struct world *)ctx)->names };
}

static int world_setup(void **state)
{
	struct world *w = calloc(1, sizeof *w);

	if (!w)
		return -1;
	w->settings = (struct massif_settings){ .heap = true, .heap_admin = 8, .alignment = 16,
						.unit = MASSIF_BYTES, .rules = { 100, 10, 1.0 },
						.filter = { .depth = 30 }, .threshold = 0 };
	w->host = (struct massif_host){ .settings = &w->settings, .namer = &w->namer,
					.asks = asks, .ctx = w };
	/* Entry i holds the address of letter i, and the one before it, where the call is. */
	w->names = memfd_create("names", MFD_CLOEXEC);
	for (unsigned i = 0; i < 26; i++)
		dprintf(w->names, "%x 10 %c\n", 0x1000 + i * 16, 'a' + i);
	*state = w;
	return 0;
}

static void begin(struct world *w)
{
	w->profile = profile_new();
	assert_non_null(w->profile);
	w->recorder = massif_recorder_new(&w->host, w->profile, getpid());
	assert_non_null(w->recorder);
}

static int world_teardown(void **state)
{
	struct world *w = *state;

	recorders_free((struct recorder *)w->recorder);
	profile_free(w->profile);
	namer_release(&w->namer);
	close(w->names);
	free(w);
	return 0;
}

static struct recorder *fork_recorder(struct world *w, const struct profile *child, pid_t pid)
{
	const struct recorder *r = massif_recorder_base(w->recorder);
	struct recorder *copy = r->ops->fork(r, child, pid);

	assert_non_null(copy);
	return copy;
}

static void event(struct world *w, struct alloc_event e, const char *chain)
{
	struct block_change c;
	uint32_t frames[64];

	e.chain.n = strlen(chain);
	e.chain.frames = frames;
	for (size_t i = 0; i < e.chain.n; i++) {
		struct profile_place place = { 0x1008 + (uint64_t)(chain[e.chain.n - 1 - i] - 'a') *
					       16, PD_NONE,
					       false, false };

		frames[i] = profile_frame(w->profile, &place);
	}
	assert_int_equal(profile_event(w->profile, &e, &c), 0);
	recorders_event((struct recorder *)w->recorder, &e, &c);
}

static void request(struct world *w, taddr ptr, uint64_t size, const char *chain)
{
	event(w, (struct alloc_event){ .kind = AE_ALLOC, .ptr = ptr, .size = size }, chain);
}

static void release(struct world *w, taddr ptr)
{
	event(w, (struct alloc_event){ .kind = AE_FREE, .ptr = ptr }, "");
}

static void resize(struct world *w, taddr old, taddr ptr, uint64_t size, const char *chain)
{
	event(w, (struct alloc_event){ .kind = AE_REALLOC_BEGIN, .old_ptr = old }, "");
	event(w, (struct alloc_event){ .kind = AE_REALLOC_MOVED, .old_ptr = old, .ptr = ptr,
				       .size = size },
	      chain);
}

/* "time useful extra" of each snapshot, with p or d; separated by commas */
static void assert_snapshots(const struct world *w, const char *expected)
{
	const struct massif_table *t = massif_recorder_table(w->recorder);
	char text[4096] = "";
	size_t len = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct massif_snapshot *s = &t->snapshots[i];

		len += (size_t)snprintf(text + len, sizeof text - len, "%s%llu %llu %llu%s",
					i ? ", " : "", (unsigned long long)s->at.time,
					(unsigned long long)s->at.useful,
					(unsigned long long)s->at.extra,
					s->peak	    ? "p"
					: s->detail ? "d"
						    : "");
	}
	assert_string_equal(text, expected);
	assert_int_equal(massif_recorder_lost(w->recorder), 0);
}

/* The tree of this moment. */
static void assert_tree(struct world *w, const char *expected)
{
	struct massif_snapshot s;
	struct massif_forest f;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(massif_recorder_snapshot(w->recorder, true, &s), 0);
	const struct namer_asks how = asks(w);

	assert_int_equal(massif_forest_init(&f, w->recorder, &w->settings, &how), 0);
	assert_int_equal(massif_write_snapshot(out, 0, &s, &f), 0);
	fclose(out);
	const char *tree = strstr(text, "detailed\n");
	assert_non_null(tree);
	assert_string_equal(strchr(strchr(tree, '\n') + 1, '\n') + 1, expected);
	massif_forest_release(&f);
	free(s.detail);
	free(text);
}

static void the_example_of_the_specification(void **state)
{
	struct world *w = *state;

	begin(w);
	request(w, 0x100, 20, "a");
	request(w, 0x200, 64, "b");
	release(w, 0x100);
	release(w, 0x200);
	assert_snapshots(w, "0 0 0, 40 20 20, 112 84 28, 112 84 28p, 152 64 8, 224 0 0");
}

static void a_program_that_never_frees_has_no_peak(void **state)
{
	struct world *w = *state;

	begin(w);
	request(w, 0x100, 16, "a");
	request(w, 0x200, 0, "a");
	assert_snapshots(w, "0 0 0, 24 16 8, 32 16 16");
}

static void a_free_of_the_unknown_is_no_event(void **state)
{
	struct world *w = *state;

	begin(w);
	release(w, 0x999);
	release(w, 0);
	assert_snapshots(w, "0 0 0");
}

static void a_realloc_that_grows_makes_no_peak_and_one_that_shrinks_does(void **state)
{
	struct world *w = *state;

	begin(w);
	request(w, 0x100, 16, "a");
	resize(w, 0x100, 0x200, 32, "b");
	assert_snapshots(w, "0 0 0, 24 16 8, 40 32 8");
	resize(w, 0x200, 0x200, 20, "c");
	/* slop 12: 20 + 20, no change in sum */
	assert_snapshots(w, "0 0 0, 24 16 8, 40 32 8, 40 32 8p, 40 20 20");
	/* At the peak nothing was known of c yet. */
	assert_int_equal(massif_recorder_table(w->recorder)->snapshots[3].detail->n_contexts, 2);
	assert_tree(w, " n0: 20 0x1027: c\n n0: 0 0x1007: a\n n0: 0 0x1017: b\n");
}

static void a_block_replaced_without_a_free_is_released_first(void **state)
{
	struct world *w = *state;

	begin(w);
	request(w, 0x100, 16, "a");
	request(w, 0x100, 32, "b");
	assert_snapshots(w, "0 0 0, 24 16 8, 24 16 8p, 48 0 0, 88 32 8");
}

static void no_heap_no_events(void **state)
{
	struct world *w = *state;

	w->settings.heap = false;
	begin(w);
	request(w, 0x100, 16, "a");
	assert_snapshots(w, "0 0 0");
}

static void what_is_allocated_in_an_ignored_function_changes_nothing(void **state)
{
	static const char *const ignored[] = { "x", NULL };
	struct world *w = *state;

	w->settings.filter.ignore_fns = ignored;
	begin(w);
	request(w, 0x100, 16, "ax");
	request(w, 0x200, 16, "xa");
	release(w, 0x100);
	assert_snapshots(w, "0 0 0, 24 16 8");
	assert_tree(w, " n1: 16 0x1007: a\n  n0: 16 0x1177: x\n");
}

static void an_ignored_block_stays_ignored_wherever_it_is_resized(void **state)
{
	static const char *const ignored[] = { "x", NULL };
	struct world *w = *state;

	w->settings.filter.ignore_fns = ignored;
	begin(w);
	request(w, 0x100, 160, "ax");
	resize(w, 0x100, 0x200, 16, "a");
	resize(w, 0x200, 0x300, 320, "b");
	release(w, 0x300);
	assert_snapshots(w, "0 0 0");
	/* but the address is no longer an ignored block's */
	request(w, 0x300, 16, "a");
	release(w, 0x300);
	assert_snapshots(w, "0 0 0, 24 16 8, 24 16 8p, 48 0 0");
}

static void a_counted_block_resized_in_an_ignored_function_is_released(void **state)
{
	static const char *const ignored[] = { "x", NULL };
	struct world *w = *state;

	w->settings.filter.ignore_fns = ignored;
	begin(w);
	request(w, 0x100, 16, "a");
	resize(w, 0x100, 0x200, 640, "ax");
	assert_snapshots(w, "0 0 0, 24 16 8, 24 16 8p, 48 0 0");
	resize(w, 0x200, 0x100, 640, "a");
	release(w, 0x100);
	assert_snapshots(w, "0 0 0, 24 16 8, 24 16 8p, 48 0 0");
}

static void wrappers_named_as_allocation_functions_are_left_out(void **state)
{
	static const char *const more[] = { "x", "y", NULL };
	struct world *w = *state;

	w->settings.filter.alloc_fns = more;
	begin(w);
	request(w, 0x100, 16, "myx");
	request(w, 0x200, 32, "xy"); /* nothing is left of it: ignored */
	assert_tree(w, " n0: 16 0x10C7: m\n");
	assert_snapshots(w, "0 0 0, 24 16 8");
}

static void time_in_milliseconds_begins_with_the_recorder(void **state)
{
	struct world *w = *state;
	struct massif_snapshot s;

	w->settings.unit = MASSIF_MS;
	begin(w);
	assert_snapshots(w, "0 0 0");
	assert_int_equal(massif_recorder_snapshot(w->recorder, false, &s), 0);
	/* of the clock that the events have their times from */
	event(w, (struct alloc_event){ .kind = AE_ALLOC, .ptr = 1, .size = 16,
				       .time_ns = UINT64_MAX / 2 }, "a");
	const struct massif_table *t = massif_recorder_table(w->recorder);
	assert_int_equal(t->n, 2);
	assert_true(t->snapshots[1].at.time > s.at.time);
	assert_true(t->snapshots[1].at.time <= UINT64_MAX / 2 / 1000000);
}

static void what_another_thread_did_before_a_restart_is_at_its_beginning(void **state)
{
	struct world *w = *state;

	w->settings.unit = MASSIF_MS;
	begin(w);
	recorders_mark((struct recorder *)w->recorder, RECORD_RESTARTED, 0, 0);
	event(w, (struct alloc_event){ .kind = AE_ALLOC, .ptr = 1, .size = 16, .time_ns = 1 },
	      "a");
	assert_snapshots(w, "0 0 0, 0 16 8");
}

/* ---- a counter that says what the test wants ---- */

static uint64_t instructions;

static int open_none(pid_t tid)
{
	return tid == getpid() ? 1 : -ESRCH;
}

static bool read_instructions(int fd, struct icount_value *v)
{
	*v = (struct icount_value){ .count = instructions };
	return fd == 1;
}

static void close_none(int fd)
{
	assert_int_equal(fd, 1);
}

static void time_in_instructions_is_what_the_counter_says(void **state)
{
	static const struct icount_source counter = { open_none, read_instructions, close_none };
	struct world *w = *state;
	struct massif_snapshot s;
	struct recorder *child;

	w->settings.unit = MASSIF_INSTRUCTIONS;
	w->host.instructions = &counter;
	instructions = 0;
	begin(w);
	instructions = 700;
	request(w, 0x100, 16, "a");
	instructions = 950;
	release(w, 0x100);
	assert_snapshots(w, "0 0 0, 700 16 8, 950 16 8p, 950 0 0");
	instructions = 1000;
	assert_int_equal(massif_recorder_snapshot(w->recorder, false, &s), 0);
	assert_int_equal(s.at.time, 1000);

	/* What a child executes comes to what its parent had executed. */
	struct profile *p = profile_fork(w->profile);
	child = fork_recorder(w, p, getpid());
	struct world other = *w;
	other.profile = p;
	other.recorder = massif_recorder_of(child);
	instructions = 5;
	request(&other, 0x200, 32, "b");
	assert_snapshots(&other, "0 0 0, 700 16 8, 950 16 8p, 950 0 0, 1005 32 8");
	assert_int_equal(icount_error(massif_recorder_instructions(other.recorder)), 0);
	recorders_free(child);
	profile_free(p);
}

static void a_forked_process_goes_on_where_its_parent_was(void **state)
{
	struct world *w = *state;
	struct recorder *child;

	begin(w);
	request(w, 0x100, 16, "a");
	request(w, 0x200, 32, "b");
	struct profile *p = profile_fork(w->profile);
	child = fork_recorder(w, p, 2);

	struct world other = *w;
	other.profile = p;
	other.recorder = massif_recorder_of(child);
	release(&other, 0x100);
	request(&other, 0x300, 64, "c");
	assert_snapshots(&other, "0 0 0, 24 16 8, 64 48 16, 64 48 16p, 88 32 8, 160 96 16");
	assert_tree(&other, " n0: 64 0x1027: c\n n0: 32 0x1017: b\n n0: 0 0x1007: a\n");
	assert_snapshots(w, "0 0 0, 24 16 8, 64 48 16");
	assert_tree(w, " n0: 32 0x1017: b\n n0: 16 0x1007: a\n");
	recorders_free(child);
	profile_free(p);
}

static void a_restart_begins_anew(void **state)
{
	struct world *w = *state;

	begin(w);
	request(w, 0x100, 16, "a");
	profile_restart(w->profile);
	recorders_mark((struct recorder *)w->recorder, RECORD_RESTARTED, 0, 0);
	assert_snapshots(w, "0 0 0");
	release(w, 0x100);
	request(w, 0x200, 32, "b");
	assert_snapshots(w, "0 0 0, 40 32 8");
	assert_tree(w, " n0: 32 0x1017: b\n");
}

static void more_contexts_than_the_first_arrays_hold(void **state)
{
	struct world *w = *state;
	char chain[] = "aaa";

	begin(w);
	for (unsigned i = 0; i < 26 * 26; i++) {
		chain[1] = (char)('a' + i / 26);
		chain[2] = (char)('a' + i % 26);
		request(w, 0x1000 + i * 16, 16, chain);
	}
	size_t n;
	const struct massif_context *c = massif_recorder_contexts(w->recorder, &n);
	assert_int_equal(n, 26 * 26);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(c[i].bytes, 16);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, world_setup, world_teardown)
	const struct CMUnitTest tests[] = {
		T(the_example_of_the_specification),
		T(a_program_that_never_frees_has_no_peak),
		T(a_free_of_the_unknown_is_no_event),
		T(a_realloc_that_grows_makes_no_peak_and_one_that_shrinks_does),
		T(a_block_replaced_without_a_free_is_released_first),
		T(no_heap_no_events),
		T(what_is_allocated_in_an_ignored_function_changes_nothing),
		T(an_ignored_block_stays_ignored_wherever_it_is_resized),
		T(a_counted_block_resized_in_an_ignored_function_is_released),
		T(wrappers_named_as_allocation_functions_are_left_out),
		T(time_in_milliseconds_begins_with_the_recorder),
		T(what_another_thread_did_before_a_restart_is_at_its_beginning),
		T(time_in_instructions_is_what_the_counter_says),
		T(a_forked_process_goes_on_where_its_parent_was),
		T(a_restart_begins_anew),
		T(more_contexts_than_the_first_arrays_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
