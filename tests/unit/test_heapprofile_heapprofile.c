/* SPDX-License-Identifier: BSD-2-Clause */
/* The recorder of heap profiles, fed by hand; its files are in a directory of their own. */
#include "unit/unit.h"
#include "heapprofile/heapprofile.h"
#include "heapprofile/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/mprof-test-heap-XXXXXX";
static char announced[65536], complained[4096];

static void announce(const char *line)
{
	strncat(announced, line, sizeof announced - strlen(announced) - 2);
	strcat(announced, "\n");
}

static void unwritten(void *ctx, const char *sentence)
{
	assert_ptr_equal(ctx, complained);
	snprintf(complained, sizeof complained, "%s", sentence);
}

static unsigned awaited;

static int await(void *ctx, pid_t pid)
{
	int wstatus = 0;

	assert_ptr_equal(ctx, complained);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	awaited++;
	return wstatus;
}

static void complain(const char *sentence)
{
	snprintf(complained, sizeof complained, "%s", sentence);
}

static char *name_of(const char *pattern, pid_t pid, bool first, struct error *e)
{
	char *name;

	(void)e;
	return asprintf(&name, first ? "%s" : "%s_%d", pattern, (int)pid) < 0 ? NULL : name;
}

struct fixture {
	struct heapprofile_options options;
	struct module_files files;
	struct profile *profile;
	struct recorder *list;
	struct heapprofile *h;
	bool by_node;	/* chains are told by nodes of the profile's call tree */
	uint64_t now;
};

static struct fixture begin(struct heap_intervals i)
{
	struct fixture f = { .options = { .prefix = "p", .intervals = i, .depth = 3 } };

	announced[0] = complained[0] = '\0';
	f.profile = profile_new();
	assert_non_null(f.profile);
	return f;
}

static void start(struct fixture *f, bool early)
{
	struct heapprofile_how how = { .options = &f->options, .profile = f->profile,
				       .files = &f->files,
				       .pid = getpid(), .first = true, .name = name_of,
				       .announce = announce, .complain = complain,
				       .unwritten = unwritten, .await = await,
				       .ctx = complained };
	struct error e;

	if (!f->list)
		f->list = heapprofile_new(&how);
	f->h = heapprofile_of(f->list);
	assert_non_null(f->h);
	assert_int_equal(heapprofile_start(f->h, NULL, early, f->now, &e), 0);
}

static void end(struct fixture *f)
{
	recorders_free(f->list);
	profile_free(f->profile);
	assert_int_equal(system("rm -f *.heap"), 0);
}

static void feed(struct fixture *f, struct alloc_event e, const uint64_t *addresses, size_t n)
{
	uint32_t frames[64];
	struct block_change c;

	for (size_t i = 0; i < n; i++) {
		struct profile_place p = { .address = addresses[i], .module = PD_NONE };
		frames[i] = profile_frame(f->profile, &p);
	}
	e.chain = (struct alloc_chain){ .frames = frames, .n = n };
	if (f->by_node && n)
		e.chain = (struct alloc_chain){ .node = profile_chain_node(f->profile, &e.chain) };
	e.time_ns = f->now;
	assert_int_equal(profile_event(f->profile, &e, &c), 0);
	recorders_event(f->list, &e, &c);
}

static void alloc_at(struct fixture *f, taddr ptr, uint64_t size, uint64_t at)
{
	uint64_t chain[] = { at, 0x500 };

	feed(f, (struct alloc_event){ .kind = AE_ALLOC, .ptr = ptr, .size = size }, chain, 2);
}

static void free_at(struct fixture *f, taddr ptr)
{
	feed(f, (struct alloc_event){ .kind = AE_FREE, .ptr = ptr }, NULL, 0);
}

static void resize(struct fixture *f, taddr ptr, taddr to, uint64_t size)
{
	uint64_t chain[] = { 0x900, 0x500 };

	feed(f, (struct alloc_event){ .kind = AE_REALLOC_BEGIN, .old_ptr = ptr }, NULL, 0);
	feed(f, (struct alloc_event){ .kind = AE_REALLOC_MOVED, .old_ptr = ptr, .ptr = to,
				      .size = size },
	     chain, 2);
}

static bool exists(const char *name)
{
	struct stat st;

	return !stat(name, &st);
}

/* The part of a file before the map. */
static const char *text_of(const char *name)
{
	static char text[65536];
	FILE *f = fopen(name, "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	char *map = strstr(text, "\nMAPPED_LIBRARIES:\n");
	assert_non_null(map);
	*map = '\0';
	return text;
}

/* Who waits may have to tell somebody that it does. */
static void a_file_with_names_is_waited_for_by_whom_it_is_left_to(void **state)
{
	struct fixture f = begin((struct heap_intervals){ 0 });
	struct error e;

	(void)state;
	f.options.symbols = true;
	start(&f, true);
	alloc_at(&f, 0x10, 24, 0x100);
	awaited = 0;
	assert_int_equal(heapprofile_dump(f.h, "x", NULL, &e), 0);
	assert_int_equal(awaited, 1);
	assert_memory_equal(text_of("p.0001.heap"), "--- symbol\n", 11);
	end(&f);
}

static void the_text_is_that_of_gperftools(void **state)
{
	struct fixture f = begin((struct heap_intervals){ 0 });

	(void)state;
	start(&f, true);
	alloc_at(&f, 0x10, 100, 0x1001);
	alloc_at(&f, 0x20, 100, 0x1001);
	alloc_at(&f, 0x30, 5000, 0x2001);
	alloc_at(&f, 0x40, 7, 0x3001);
	free_at(&f, 0x20);
	free_at(&f, 0x40);
	recorders_end(f.list);
	assert_string_equal(text_of("p.0001.heap"),
			    "heap profile:      2:     5100 [     4:     5207] @ heapprofile\n"
			    "     1:     5000 [     1:     5000] @ 0x00002000 0x00000500\n"
			    "     1:      100 [     2:      200] @ 0x00001000 0x00000500\n"
			    "     0:        0 [     1:        7] @ 0x00003000 0x00000500\n");
	assert_string_equal(announced, "Starting tracking the heap\n"
				       "Dumping heap profile to p.0001.heap (Exiting, 4 kB in "
				       "use)\n");
	end(&f);
}

static void chains_that_are_the_same_within_the_depth_are_one_context(void **state)
{
	struct fixture f = begin((struct heap_intervals){ 0 });
	uint64_t one[] = { 0x11, 0x22, 0x33, 0x44 }, two[] = { 0x11, 0x22, 0x33, 0x55, 0x66 };

	(void)state;
	start(&f, true);
	feed(&f, (struct alloc_event){ .kind = AE_ALLOC, .ptr = 1, .size = 10 }, one, 4);
	feed(&f, (struct alloc_event){ .kind = AE_ALLOC, .ptr = 2, .size = 20 }, two, 5);
	feed(&f, (struct alloc_event){ .kind = AE_ALLOC, .ptr = 3, .size = 5 }, NULL, 0);
	recorders_end(f.list);
	assert_string_equal(text_of("p.0001.heap"),
			    "heap profile:      3:       35 [     3:       35] @ heapprofile\n"
			    "     2:       30 [     2:       30] @ 0x00000010 0x00000022 "
			    "0x00000033\n"
			    "     1:        5 [     1:        5] @ 0x00000000\n");
	end(&f);
}

/* An allocator may promise any size, and 64 bits may not hold what it promises. */
static void bytes_beyond_64_bits_are_the_most_there_is(void **state)
{
	struct fixture f = begin((struct heap_intervals){ 0 });

	(void)state;
	start(&f, true);
	alloc_at(&f, 0x10, UINT64_C(1) << 63, 0x1001);
	alloc_at(&f, 0x20, UINT64_C(1) << 63, 0x1001);
	recorders_end(f.list);
	assert_string_equal(text_of("p.0001.heap"),
			    "heap profile:      2: 9223372036854775807 [     2: "
			    "9223372036854775807] @ heapprofile\n"
			    "     2: 9223372036854775807 [     2: 9223372036854775807] @ "
			    "0x00001000 0x00000500\n");
	end(&f);
}

static void a_realloc_is_a_free_and_then_an_allocation_and_rules_are_asked_between(void **state)
{
	struct fixture f = begin((struct heap_intervals){ .freed = 100 });

	(void)state;
	start(&f, true);
	alloc_at(&f, 0x10, 100, 0x1001);
	resize(&f, 0x10, 0x10, 200);
	assert_string_equal(text_of("p.0001.heap"),
			    "heap profile:      0:        0 [     1:      100] @ heapprofile\n"
			    "     0:        0 [     1:      100] @ 0x00001000 0x00000500\n");
	recorders_end(f.list);
	assert_string_equal(text_of("p.0002.heap"),
			    "heap profile:      1:      200 [     2:      300] @ heapprofile\n"
			    "     1:      200 [     1:      200] @ 0x000008ff 0x00000500\n"
			    "     0:        0 [     1:      100] @ 0x00001000 0x00000500\n");
	end(&f);
}

static void each_interval_writes_at_its_boundary(void **state)
{
	struct fixture f = begin((struct heap_intervals){ .allocated = 100 });

	(void)state;
	start(&f, true);
	alloc_at(&f, 0x10, 99, 0x1001);
	assert_false(exists("p.0001.heap"));
	alloc_at(&f, 0x20, 1, 0x1001);
	assert_true(exists("p.0001.heap"));
	alloc_at(&f, 0x30, 99, 0x1001);
	assert_false(exists("p.0002.heap"));
	alloc_at(&f, 0x40, 1000, 0x1001);
	assert_true(exists("p.0002.heap"));
	assert_false(exists("p.0003.heap"));
	end(&f);

	f = begin((struct heap_intervals){ .in_use = 100 });
	start(&f, true);
	alloc_at(&f, 0x10, 100, 0x1001);
	assert_false(exists("p.0001.heap"));
	alloc_at(&f, 0x20, 1, 0x1001);
	assert_true(exists("p.0001.heap"));
	free_at(&f, 0x10);
	alloc_at(&f, 0x10, 200, 0x1001); /* 201, the mark is at 101 */
	assert_false(exists("p.0002.heap"));
	alloc_at(&f, 0x30, 1, 0x1001);
	assert_true(exists("p.0002.heap"));
	end(&f);
}

static void miss_one(void *ctx, const struct alloc_event *e, const struct block_change *c)
{
	recorders_missed(((struct fixture *)ctx)->list, e, c);
}

/* Nothing is known to have been freed; the program's next call decides whether a file is due. */
static void what_is_missed_in_a_pause_makes_no_file_due(void **state)
{
	(void)state;
	for (int early = 0; early < 2; early++) {
		struct fixture f = begin((struct heap_intervals){ .freed = 100 });

		start(&f, early);
		alloc_at(&f, 0x10, 99, 0x1001);
		alloc_at(&f, 0x20, 99, 0x1001);
		profile_miss(f.profile, f.now, miss_one, &f);
		assert_false(exists("p.0001.heap"));
		alloc_at(&f, 0x30, 7, 0x1001);
		assert_true(exists("p.0001.heap"));
		assert_non_null(strstr(text_of("p.0001.heap"), "     1:        7 ["));
		end(&f);
	}
}

static void time_passes_without_events(void **state)
{
	struct fixture f = begin((struct heap_intervals){ .time_ns = 5000000000 });

	(void)state;
	f.now = 1000000000;
	start(&f, true);
	recorders_tick(f.list, 5999999999);
	assert_false(exists("p.0001.heap"));
	recorders_tick(f.list, 6000000000);
	assert_true(exists("p.0001.heap"));
	recorders_tick(f.list, 10999999999);
	assert_false(exists("p.0002.heap"));
	f.now = 11500000000;
	alloc_at(&f, 0x10, 1, 0x1001);
	assert_true(exists("p.0002.heap"));
	assert_non_null(strstr(announced, "p.0002.heap (5 sec since the last dump)"));
	end(&f);
}

static void profiles_for_other_reasons_change_no_interval(void **state)
{
	struct fixture f = begin((struct heap_intervals){ .allocated = 100 });
	struct error e;
	char *path;

	(void)state;
	start(&f, true);
	alloc_at(&f, 0x10, 60, 0x1001);
	assert_int_equal(heapprofile_dump(f.h, "because\033[2J", &path, &e), 0);
	assert_string_equal(path, "p.0001.heap");
	assert_non_null(strstr(announced, "Dumping heap profile to p.0001.heap "
					  "(because\\033[2J)\n"));
	free(path);
	alloc_at(&f, 0x20, 40, 0x1001);
	assert_true(exists("p.0002.heap"));
	end(&f);
}

static void stopping_writes_nothing_and_starting_again_counts_anew_and_numbers_on(void **state)
{
	struct fixture f = begin((struct heap_intervals){ 0 });
	struct error e;

	(void)state;
	start(&f, true);
	alloc_at(&f, 0x10, 60, 0x1001);
	assert_int_equal(heapprofile_dump(f.h, "x", NULL, &e), 0);
	heapprofile_stop(f.h);
	assert_false(heapprofile_is_on(f.h));
	assert_int_equal(heapprofile_dump(f.h, "x", NULL, &e), -EINVAL);
	alloc_at(&f, 0x20, 70, 0x1001);
	start(&f, false);
	start(&f, false); /* it is on */
	alloc_at(&f, 0x30, 80, 0x1001);
	free_at(&f, 0x10); /* from before, though of the same context */
	free_at(&f, 0x20);
	recorders_end(f.list);
	assert_string_equal(text_of("p.0002.heap"),
			    "heap profile:      1:       80 [     1:       80] @ heapprofile\n"
			    "     1:       80 [     1:       80] @ 0x00001000 0x00000500\n");
	assert_true(exists("p.0001.heap")); /* what we wrote is not cleaned up */
	end(&f);
}

static void what_is_off_at_the_end_writes_nothing(void **state)
{
	struct fixture f = begin((struct heap_intervals){ 0 });

	(void)state;
	start(&f, true);
	heapprofile_stop(f.h);
	recorders_end(f.list);
	assert_false(exists("p.0001.heap"));
	end(&f);
}

static void a_realloc_across_the_start_is_an_allocation_only(void **state)
{
	struct fixture f = begin((struct heap_intervals){ 0 });
	uint64_t chain[] = { 0x900 };

	(void)state;
	alloc_at(&f, 0x10, 60, 0x1001);
	feed(&f, (struct alloc_event){ .kind = AE_REALLOC_BEGIN, .old_ptr = 0x10 }, NULL, 0);
	start(&f, false);
	feed(&f, (struct alloc_event){ .kind = AE_REALLOC_MOVED, .old_ptr = 0x10, .ptr = 0x20,
				       .size = 9 },
	     chain, 1);
	recorders_end(f.list);
	assert_string_equal(text_of("p.0001.heap"),
			    "heap profile:      1:        9 [     1:        9] @ heapprofile\n"
			    "     1:        9 [     1:        9] @ 0x000008ff\n");
	end(&f);
}

/* A recorder that begins late needs a profile of its own, with other nodes than the image's. */
static void a_chain_that_is_told_by_its_node_is_the_same_in_a_profile_that_begins_late(void **state)
{
	struct fixture f = begin((struct heap_intervals){ 0 });

	(void)state;
	f.by_node = true;
	alloc_at(&f, 0x10, 60, 0x1001);
	alloc_at(&f, 0x20, 60, 0x2001);
	start(&f, false);
	alloc_at(&f, 0x30, 7, 0x3001);
	resize(&f, 0x30, 0x40, 9);
	recorders_end(f.list);
	assert_string_equal(text_of("p.0001.heap"),
			    "heap profile:      1:        9 [     2:       16] @ heapprofile\n"
			    "     1:        9 [     1:        9] @ 0x000008ff 0x00000500\n"
			    "     0:        0 [     1:        7] @ 0x00003000 0x00000500\n");
	end(&f);
}

static void a_forked_child_goes_on_with_its_parents_counts_under_its_own_name(void **state)
{
	struct fixture f = begin((struct heap_intervals){ 0 }), c;
	struct error e;

	(void)state;
	start(&f, true);
	alloc_at(&f, 0x10, 60, 0x1001);
	alloc_at(&f, 0x20, 60, 0x1001);
	assert_int_equal(heapprofile_dump(f.h, "x", NULL, &e), 0);
	c = (struct fixture){ .options = f.options, .profile = profile_fork(f.profile) };
	recorders_add(&c.list, f.list->ops->fork(f.list, c.profile, 4711), NULL);
	free_at(&c, 0x10); /* inherited */
	recorders_end(c.list);
	assert_string_equal(text_of("p_4711.0001.heap"),
			    "heap profile:      1:       60 [     2:      120] @ heapprofile\n"
			    "     1:       60 [     2:      120] @ 0x00001000 0x00000500\n");
	recorders_free(c.list);
	profile_free(c.profile);
	recorders_end(f.list);
	assert_non_null(strstr(text_of("p.0002.heap"), "profile:      2:      120 ["));
	end(&f);
}

static void touch(const char *name)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fclose(f);
}

static void only_files_of_exactly_this_prefix_are_deleted(void **state)
{
	static const char *const ours[] = { "p.0001.heap", "p.x.heap" };
	static const char *const others[] = { "p_12.0001.heap", "pp.0001.heap", "p.0001.heapx",
					      "p.heap", "q.0001.heap" };
	struct fixture f = begin((struct heap_intervals){ 0 });

	(void)state;
	for (size_t i = 0; i < 2; i++)
		touch(ours[i]);
	for (size_t i = 0; i < 5; i++)
		touch(others[i]);
	start(&f, true);
	for (size_t i = 0; i < 2; i++)
		assert_false(exists(ours[i]));
	for (size_t i = 0; i < 5; i++)
		assert_true(exists(others[i]));
	unlink("p.0001.heapx");
	end(&f);

	f = begin((struct heap_intervals){ 0 });
	f.options.no_cleanup = true;
	touch("p.0009.heap");
	start(&f, true);
	assert_true(exists("p.0009.heap"));
	end(&f);
}

static void a_file_that_cannot_be_written_is_told_and_counting_goes_on(void **state)
{
	struct fixture f = begin((struct heap_intervals){ .allocated = 10 });

	(void)state;
	f.options.prefix = "not/there";
	start(&f, true);
	alloc_at(&f, 0x10, 10, 0x1001);
	assert_string_equal(complained, "cannot write the heap profile not/there.0001.heap: No "
					"such file or directory");
	assert_null(strstr(announced, "Dumping"));
	alloc_at(&f, 0x20, 10, 0x1001);
	assert_non_null(strstr(complained, "not/there.0002.heap"));
	end(&f);
}

static void quiet_says_nothing(void **state)
{
	struct fixture f = begin((struct heap_intervals){ 0 });

	(void)state;
	f.options.quiet = true;
	start(&f, true);
	recorders_end(f.list);
	assert_string_equal(announced, "");
	assert_true(exists("p.0001.heap"));
	end(&f);
}

static void the_text_of_now_is_empty_when_it_is_off(void **state)
{
	struct fixture f = begin((struct heap_intervals){ 0 });
	size_t len;

	(void)state;
	start(&f, true);
	alloc_at(&f, 0x10, 60, 0x1001);
	char *text = heapprofile_text(f.h, &len);
	assert_non_null(strstr(text, "heap profile:      1:       60 [     1:       60] @ "
				     "heapprofile\n"));
	assert_int_equal(len, strlen(text));
	free(text);
	heapprofile_stop(f.h);
	text = heapprofile_text(f.h, &len);
	assert_string_equal(text, "");
	free(text);
	end(&f);
}

/* A file may have any name, and be mapped below the heap. */
static void the_break_is_that_of_the_heap_itself(void **state)
{
	struct fixture f = begin((struct heap_intervals){ 0 });
	FILE *file = fopen("x[heap]", "w+e");

	(void)state;
	/* A sanitizer's malloc may have left the heap without a page. */
	assert_true(sbrk(4096) != (void *)-1);
	taddr heap = (taddr)(uintptr_t)sbrk(0);
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 4096), 0);
	void *at = mmap((void *)0x20000, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE,
			fileno(file), 0);
	assert_ptr_equal(at, (void *)0x20000);
	start(&f, true);
	taddr told = heap_end_of_break(f.h);

	munmap(at, 4096);
	fclose(file);
	unlink("x[heap]");
	heapprofile_stop(f.h);
	end(&f);
	assert_int_equal(told, (heap + 4095) & ~4095ull);
}

static int enter(void **state)
{
	(void)state;
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	return chdir("/") || rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_is_that_of_gperftools),
		cmocka_unit_test(a_file_with_names_is_waited_for_by_whom_it_is_left_to),
		cmocka_unit_test(chains_that_are_the_same_within_the_depth_are_one_context),
		cmocka_unit_test(bytes_beyond_64_bits_are_the_most_there_is),
		cmocka_unit_test(
			a_realloc_is_a_free_and_then_an_allocation_and_rules_are_asked_between),
		cmocka_unit_test(each_interval_writes_at_its_boundary),
		cmocka_unit_test(what_is_missed_in_a_pause_makes_no_file_due),
		cmocka_unit_test(time_passes_without_events),
		cmocka_unit_test(profiles_for_other_reasons_change_no_interval),
		cmocka_unit_test(
			stopping_writes_nothing_and_starting_again_counts_anew_and_numbers_on),
		cmocka_unit_test(what_is_off_at_the_end_writes_nothing),
		cmocka_unit_test(a_realloc_across_the_start_is_an_allocation_only),
		cmocka_unit_test(
			a_chain_that_is_told_by_its_node_is_the_same_in_a_profile_that_begins_late),
		cmocka_unit_test(a_forked_child_goes_on_with_its_parents_counts_under_its_own_name),
		cmocka_unit_test(only_files_of_exactly_this_prefix_are_deleted),
		cmocka_unit_test(a_file_that_cannot_be_written_is_told_and_counting_goes_on),
		cmocka_unit_test(quiet_says_nothing),
		cmocka_unit_test(the_text_of_now_is_empty_when_it_is_off),
		cmocka_unit_test(the_break_is_that_of_the_heap_itself),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
