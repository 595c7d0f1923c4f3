/* SPDX-License-Identifier: BSD-2-Clause */
/* Readers of heap profiles: what they accept, and that no file can harm them. */
#include "unit/unit.h"
#include "lib/random.h"
#include "pprof/print.h"
#include "pprof/read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const char good[] = "heap profile:      3:      110 [     5:      510] @ heapprofile\n"
			   "     1:      100 [     1:      100] @ 0x00001000 0x00002001\n"
			   "     2:       10 [     4:      410] @ 0x00001100\n"
			   "\n"
			   "MAPPED_LIBRARIES:\n"
			   "00001000-00002000 r-xp 00000400 08:01 77    /nowhere/a b\n"
			   "00002000-00003000 r--p 00000000 08:01 77    /nowhere/a b\n";

static int read_bytes(const char *text, size_t len, struct heap_stacks *h, struct error *e)
{
	char *copy = malloc(len + 1); /* ends where its memory ends */
	assert_non_null(copy);
	memcpy(copy, text, len);
	FILE *f = len ? fmemopen(copy, len, "r") : fopen("/dev/null", "r");

	*h = (struct heap_stacks){ 0 };
	e->text[0] = '\0';
	assert_non_null(f);
	int err = heap_read_text(f, "f.heap", h, e);
	fclose(f);
	free(copy);
	return err;
}

static void use(struct heap_stacks *h);

static void assert_wrong(const char *text, const char *what)
{
	struct heap_stacks h;
	struct error e;

	assert_int_equal(read_bytes(text, strlen(text), &h, &e), -EINVAL);
	assert_string_equal(e.text, what);
	heap_stacks_release(&h);
}

static void a_profile_is_read_with_its_code(void **state)
{
	struct heap_stacks h;
	struct error e;

	(void)state;
	assert_int_equal(read_bytes(good, strlen(good), &h, &e), 0);
	assert_int_equal(h.stacks.n, 2);
	assert_int_equal(h.stacks.stacks[0].n, 2);
	assert_int_equal(h.stacks.stacks[1].value[ALLOC_OBJECTS], 4);
	assert_int_equal(heap_stacks_total(&h, INUSE_SPACE), 110);
	assert_int_equal(h.n_mappings, 1); /* what is executable */
	assert_string_equal(h.mappings[0].path, "/nowhere/a b");
	assert_int_equal(h.mappings[0].offset, 0x400);
	/* The first as it is, the others less one. */
	assert_int_equal(h.locations[h.stacks.elements[0]].address, 0x1000);
	assert_int_equal(h.locations[h.stacks.elements[1]].address, 0x2000);
	assert_int_equal(h.locations[h.stacks.elements[1]].mapping, PP_NONE);
	heap_stacks_release(&h);
}

static void a_table_of_names_is_taken(void **state)
{
	static const char text[] = "--- symbol\nbinary=/x\n0x1000 inner--most\n0x2001 main\n---\n"
				   "heap profile: 1: 2 [ 1: 2] @ heapprofile\n"
				   "1: 2 [1: 2] @ 0x1000 0x2001\n";
	struct heap_stacks h;
	struct error e;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &h, &e), 0);
	const struct pp_location *l = &h.locations[h.stacks.elements[0]];
	/* In the file the physical function is first, here it is last. */
	assert_int_equal(l->n_lines, 2);
	assert_string_equal(h.functions[h.lines[l->first_line].function].name, "most");
	assert_string_equal(h.functions[h.lines[l->first_line + 1].function].name, "inner");
	heap_stacks_release(&h);
}

static void same_stacks_are_added_up(void **state)
{
	static const char text[] = "heap profile: 0: 0 [0: 0] @ heapprofile\n"
				   "1: 5 [1: 5] @ 0x1\n3: 4 [5: 6] @ 1\n";
	struct heap_stacks h;
	struct error e;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &h, &e), 0);
	assert_int_equal(h.stacks.n, 1);
	assert_int_equal(h.stacks.stacks[0].value[INUSE_SPACE], 9);
	assert_int_equal(h.stacks.stacks[0].value[ALLOC_OBJECTS], 6);
	heap_stacks_release(&h);
}

static void only_a_difference_has_negative_numbers(void **state)
{
	static const char text[] = "heap profile: -1: -5 [1: 2] @ heapprofile/difference\n"
				   "-1: -5 [1: 2] @ 0x1\n";
	struct heap_view v = { 0 };
	struct heap_stacks h;
	struct error e;
	char *again = NULL;
	size_t len;
	FILE *out = open_memstream(&again, &len);

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &h, &e), 0);
	assert_int_equal(heap_stacks_total(&h, INUSE_SPACE), -5);
	/* What is written of it is marked, too. */
	assert_int_equal(heap_print_heap(&h, &v, out), 0);
	fclose(out);
	assert_non_null(strstr(again, "@ heapprofile/difference\n"));
	heap_stacks_drop_negative(&h);
	free(again);
	out = open_memstream(&again, &len);
	assert_int_equal(heap_print_heap(&h, &v, out), 0);
	fclose(out);
	assert_non_null(strstr(again, "@ heapprofile\n"));
	free(again);
	heap_stacks_release(&h);
}

static void jemallocs_dumps_are_read(void **state)
{
	/* The sums and the threads do not count once more. A thread may have a name. */
	static const char text[] = "heap_v2/1\n  t*: 5: 1010 [9: 9000]\n  t0: 5: 1010 [9: 9000] "
				   "main thread\n"
				   "@ 0x1000 0x2001\n  t*: 3: 1000 [4: 2000]\n"
				   "  t0: 1: 400 [1: 400]\n"
				   "  t12: 2: 600 [3: 1600]\n@ 0x1000\n  t*: 2: 10 [5: 7000]\n"
				   "  t0: 2: 10 [5: 7000]\n"
				   "\nMAPPED_LIBRARIES:\n"
				   "1000-2000 r-xp 00000400 08:01 77    /nowhere/a\n";
	struct heap_stacks h;
	struct error e;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &h, &e), 0);
	assert_int_equal(h.stacks.n, 2);
	assert_int_equal(heap_stacks_total(&h, INUSE_OBJECTS), 5);
	assert_int_equal(heap_stacks_total(&h, INUSE_SPACE), 1010);
	assert_int_equal(heap_stacks_total(&h, ALLOC_SPACE), 9000);
	assert_int_equal(h.locations[h.stacks.elements[1]].address, 0x2000);
	heap_stacks_release(&h);
}

static void jemallocs_samples_are_corrected(void **state)
{
	static const char text[] = "heap_v2/524288\n  t*: 10: 1000 [20: 20000]\n"
				   "@ 0x1000\n  t*: 10: 1000 [20: 20000]\n";
	struct heap_stacks h;
	struct error e;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &h, &e), 0);
	/* 10 / (1 - exp(-100 / 524288)), 20 / (1 - exp(-1000 / 524288)) */
	assert_int_equal(heap_stacks_total(&h, INUSE_OBJECTS), 52433);
	assert_int_equal(heap_stacks_total(&h, INUSE_SPACE), 5243380);
	assert_int_equal(heap_stacks_total(&h, ALLOC_OBJECTS), 10495);
	heap_stacks_release(&h);
}

static void frames_inside_of_jemalloc_are_not_shown(void **state)
{
	static const char text[] = "heap_v2/1\n@ 0x1000 0x1101 0x5001\n  t*: 3: 1000 [4: 2000]\n"
				   "MAPPED_LIBRARIES:\n"
				   "1000-2000 r-xp 0 08:01 77    /lib/libjemalloc.so.2\n"
				   "5000-6000 r-xp 0 08:01 78    /nowhere/a\n";
	struct heap_stacks h;
	struct error e;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &h, &e), 0);
	assert_int_equal(heap_stacks_trim(&h), 0);
	assert_int_equal(h.stacks.stacks[0].n, 1);
	assert_int_equal(h.locations[h.stacks.elements[0]].address, 0x5000);
	heap_stacks_release(&h);
}

static const struct pp_line *line_of(const struct heap_stacks *h, size_t element, uint32_t i)
{
	const struct pp_location *l = &h->locations[h->stacks.elements[element]];

	assert_true(i < l->n_lines);
	return &h->lines[l->first_line + i];
}

static void gos_profiles_are_read_with_the_names_in_their_comments(void **state)
{
	static const char text[] =
		"heap profile: 1: 1048576 [2: 2097152] @ heap/2\n"
		"1: 1048576 [2: 2097152] @ 0x4a1001 0x4a2002 0x46c003\n"
		"#\t0x4a1000\tmain.inner+0x10\t\t/src/a--b/main.go:9\n"
		"#\t0x4a1000\tmain.(*T).outer+0x20\t/src/a--b/main.go:14\n"
		"#\t0x4a2001\tmain.main+0x30\t\t/src/a--b/main.go:20\n"
		"\n\n# runtime.MemStats\n# Alloc = 4464\n# PauseNs = [1 2]\n";
	struct heap_stacks h;
	struct error e;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &h, &e), 0);
	assert_int_equal(heap_stacks_total(&h, INUSE_SPACE), 1048576);
	assert_int_equal(h.stacks.stacks[0].n, 3);
	assert_string_equal(h.functions[line_of(&h, 0, 0)->function].name, "main.inner");
	assert_string_equal(h.functions[line_of(&h, 0, 0)->function].file, "/src/a--b/main.go");
	assert_int_equal(line_of(&h, 0, 0)->line, 9);
	assert_string_equal(h.functions[line_of(&h, 0, 1)->function].name, "main.(*T).outer");
	assert_string_equal(h.functions[line_of(&h, 1, 0)->function].name, "main.main");
	assert_int_equal(h.locations[h.stacks.elements[2]].n_lines, 0);
	heap_stacks_release(&h);
}

static void what_other_makers_write_besides_is_passed_over(void **state)
{
	static const char *const texts[] = {
		/* tcmalloc without sampling, and its growth profile */
		"%warn This heap profile does not have any data in it\n%warn\n"
		"heap profile:      0:        0 [     0:        0] @ heap_v2/0\n\n"
		"MAPPED_LIBRARIES:\n",
		"heap profile: 1: 2 [ 1: 2] @ growth\n 1: 2 [ 1: 2] @ 0x1000\n",
		"heap profile: 1: 2 [ 1: 2] @ heapz_v2/1\r\n 1: 2 [ 1: 2] @ 0x1000\r\n",
		/* the short form of a map, and a variable */
		"heap profile: 1: 2 [ 1: 2] @ heapprofile\n 1: 2 [ 1: 2] @ 0x1000\n\n"
		"--- Memory map: ---\n"
		"  build=/x\n  40000000-40015000: /lib/ld-2.3.2.so\n",
		"heap profile: 1: 2 [ 1: 2] @ heapprofile\n1: 2 [1: 2] @ 1000\nMAPPED_LIBRARIES:\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  "
		"[vsyscall]\n"
		"7ffd0000-7ffd1000 rw-p 00000000 00:00 0 \n\n1000-2000 r-xs 1000 fe:00 12   /a "
		"(deleted)\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct heap_stacks h;
		struct error e;

		assert_int_equal(read_bytes(texts[i], strlen(texts[i]), &h, &e), 0);
		assert_int_equal(heap_stacks_total(&h, INUSE_SPACE), i ? 2 : 0);
		heap_stacks_release(&h);
	}
}

#define WANTED_MAP "expected \"start-end permissions offset device inode path\""
#define WANTED_STACK "not of the form \"objects: bytes [objects: bytes] @ addresses\""
#define NEGATIVE "a number is negative; expected objects: bytes [objects: bytes], each 0 or more"
#define NO_ADDRESS "no address; expected 0x and hexadecimal digits"

static void what_is_wrong_is_told_with_its_line(void **state)
{
#define HEAD "heap profile: 1: 2 [ 3: 4] @ heapprofile\n"
	(void)state;
	assert_wrong("", "f.heap:0: the file is empty");
	assert_wrong("heap\n",
		     "f.heap:1: no heap profile begins here; expected \"heap profile:\", or "
		     "jemalloc's \"heap_v2/PERIOD\"");
	assert_wrong("heap profile: 1\n",
		     "f.heap:1: not of the form \"heap profile: objects: bytes [objects: "
		     "bytes] @ kind\"");
	assert_wrong("heap profile: 1: 2 [ 3: 4] @ heap_v2\n",
		     "f.heap:1: no sampling period; expected as in heap_v2/524288");
	assert_wrong("heap profile: 1: 2 [ 3: 4] @ heap_v2/\n",
		     "f.heap:1: no sampling period; expected as in heap_v2/524288");
	assert_wrong("heap profile: 1: 2 [ 3: 4] @ heap_v2/0\n1: 2 [ 3: 4] @ 0x1\n",
		     "f.heap:2: a stack of samples, but no sampling period in the first line");
	assert_wrong("heap profile: 1: 2 [ 3: 4] @ heapprofile junk\n",
		     "f.heap:1: this kind of heap profile is not known; expected heapprofile, "
		     "heap_v2/PERIOD, heap/PERIOD or growth behind the \"@\"");
	assert_wrong("heap profile: -1: 2 [ 3: 4] @ heapprofile\n", "f.heap:1: " NEGATIVE);
	assert_wrong(HEAD "\n1: 2 [ 3: ] @ 0x1\n", "f.heap:3: " WANTED_STACK);
	assert_wrong(HEAD "1: 2 [ 3: 4]\n", "f.heap:2: " WANTED_STACK);
	assert_wrong(HEAD "1: 2 [ 3: 4] @\n", "f.heap:2: " NO_ADDRESS);
	assert_wrong(HEAD "1: 2 [ 3: 4] @ \t\n", "f.heap:2: " NO_ADDRESS);
	assert_wrong(HEAD "1: 2 [ 3: 4] @ 0x1 0xfffffffffffffffff\n", "f.heap:2: " NO_ADDRESS);
	assert_wrong(HEAD "1: 2 [ 3: 4] @ 0x1 # 2\n", "f.heap:2: " NO_ADDRESS);
	assert_wrong(HEAD "-1: 2 [ 3: 4] @ 0x1\n", "f.heap:2: " NEGATIVE);
	assert_wrong(HEAD "1: 2 [ 3: -4] @ 0x1\n", "f.heap:2: " NEGATIVE);
	assert_wrong(HEAD "1: 2 [ 3: 9223372036854775808] @ 0x1\n", "f.heap:2: " WANTED_STACK);
	assert_wrong(HEAD "1: 9223372036854775807 [ 3: 4] @ 0x1\n1: 1 [ 3: 4] @ 0x1\n",
		     "f.heap:3: a sum is too large");
	assert_wrong("heap profile: 1: 2 [ 3: 4] @ heap_v2/9223372036854775807\n"
		     "4611686018427387904: 4611686018427387904 [ 3: 4] @ 0x1\n",
			     "f.heap:2: a number is too large");
	assert_wrong("--- symbol\n0x10 a\n", "f.heap:2: the table of names has no end (---)");
}

static void what_is_wrong_in_a_map_is_told_with_its_line(void **state)
{
	static const char *const wrong[] = { "garbage", "1000", "1000-", "1000-2000",
					     "1000-2000 r-xp",
					     "1000-2000 r-xq 0 0:0 0 /x",
					     "1000-2000 r-x 0 0:0 0 /x", "1000-2000 r-xp 0 0 0 /x",
					     "1000-2000 r-xp 0 0:0 0/x",
					     "1000-2000 r-xp z 0:0 0 /x",
					     "g000-2000 r-xp 0 0:0 0 /x", "1: 2 [ 3: 4] @ 0x1",
					     "1000-20000000000000000 r-xp 0 0:0 0 /x" };

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char text[200];

		snprintf(text, sizeof text, HEAD "1: 2 [ 3: 4] @ 0x1\n\nMAPPED_LIBRARIES:\n"
			 "1000-2000 r-xp 0 0:0 0 /x\n%s\n", wrong[i]);
		assert_wrong(text, "f.heap:6: no line of a memory map; " WANTED_MAP);
	}
	assert_wrong(HEAD "MAPPED_LIBRARIES:\n2000-1000 r-xp 0 0:0 0 /x\n",
		     "f.heap:3: a mapping that ends before it begins");
}

static void what_is_wrong_in_a_dump_of_jemallocs_is_told_with_its_line(void **state)
{
#define JE "heap_v2/512\n  t*: 1: 2 [0: 0]\n"
#define WANTED_T "not of the form \"t*: objects: bytes [objects: bytes]\""
#define NO_T "the stack above has no numbers of all threads (t*: objects: bytes [objects: bytes])"
	(void)state;
	assert_wrong("heap_v2/\n", "f.heap:1: no sampling period; expected as in heap_v2/524288");
	assert_wrong(JE "@\n", "f.heap:3: " NO_ADDRESS);
	assert_wrong(JE "@ 0x1\n  t*: 1: [0: 0]\n", "f.heap:4: " WANTED_T);
	assert_wrong(JE "@ 0x1\n  t*: 1: 2 [0: 0] x\n", "f.heap:4: " WANTED_T);
	assert_wrong(JE "@ 0x1\n  t-1: 1: 2 [0: 0]\n", "f.heap:4: " WANTED_T);
	assert_wrong(JE "@ 0x1\n  t*: 1: -2 [0: 0]\n", "f.heap:4: " NEGATIVE);
	assert_wrong(JE "@ 0x1\n  t0: 1: 2 [0: 0]\n@ 0x2\n", "f.heap:5: " NO_T);
	assert_wrong(JE "@ 0x1\n  t0: 1: 2 [0: 0]\n\nMAPPED_LIBRARIES:\n", "f.heap:6: " NO_T);
	assert_wrong(JE "@ 0x1\n  t*: 1: 2 [0: 0]\n  t*: 1: 2 [0: 0]\n",
		     "f.heap:5: the numbers of all threads (t*) are there twice");
	assert_wrong(JE "1: 2 [0: 0] @ 0x1\n",
		     "f.heap:3: neither a stack (@ addresses) nor numbers (t*: "
		     "objects: bytes [objects: bytes])");
	assert_wrong("heap_v2/0\n@ 0x1\n  t*: 1: 2 [0: 0]\n",
		     "f.heap:3: a stack of samples, but no sampling period in the first line");
}

static void a_zero_byte_hides_nothing(void **state)
{
	static const char text[] = HEAD "1: 2 [ 3: 4] @ 0x1\0 0xgarbage\n";
	struct heap_stacks h;
	struct error e;

	(void)state;
	assert_int_equal(read_bytes(text, sizeof text - 1, &h, &e), -EINVAL);
	assert_string_equal(e.text, "f.heap:2: a zero byte, which no text has");
	heap_stacks_release(&h);
}

static void the_largest_numbers_do_not_overflow(void **state)
{
	static const char text[] = HEAD "9223372036854775807: 9223372036854775807 [ 3: 4] @ 0x1\n"
				   "9223372036854775807: 9223372036854775807 [ 3: 4] @ 0x2\n";
	struct heap_stacks h;
	struct error e;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &h, &e), 0);
	use(&h);
	heap_stacks_release(&h);
}

static void sums_of_source_lines_stay_at_the_largest_number(void **state)
{
	static const char text[] = HEAD "1: 9223372036854775807 [ 3: 4] @ 0x11\n"
				   "#\t0x10\tf+0x1\t\t/nowhere/f.c:7\n"
				   "1: 9223372036854775807 [ 3: 4] @ 0x21\n"
				   "#\t0x20\tf+0x11\t\t/nowhere/f.c:7\n";
	struct heap_view v = { .value = INUSE_SPACE, .show_bytes = true };
	struct heap_stacks h;
	struct error e;
	char *list = NULL;
	size_t len;
	bool any = false;

	(void)state;
	FILE *out = open_memstream(&list, &len);

	assert_non_null(out);
	assert_int_equal(read_bytes(text, strlen(text), &h, &e), 0);
	assert_int_equal(heap_print_list(&h, &v, "^f$", out, &any, &e), 0);
	fclose(out);
	assert_string_equal(list, "ROUTINE ====================== f in /nowhere/f.c\n"
				  "9223372036854775807 9223372036854775807 "
				  "Total B (flat / cumulative)\n"
				  "9223372036854775807 9223372036854775807 "
				  "   7: (the source is not there)\n");
	free(list);
	heap_stacks_release(&h);
}

/* Whatever is read can be used: run it through everything. */
static void use(struct heap_stacks *h)
{
	struct heap_view v = { .value = INUSE_SPACE };
	struct heap_stacks sum = { 0 };
	struct symbols_search nowhere = { 0 };
	struct error e;
	FILE *out = fopen("/dev/null", "w");

	assert_non_null(out);
	assert_int_equal(heap_name(h, NULL, &nowhere, NULL), 0);
	heap_stacks_add(&sum, h, 1, &e);
	heap_stacks_add(&sum, h, -1, &e);
	assert_int_equal(heap_stacks_trim(h), 0);
	for (v.grain = BY_FUNCTION; v.grain <= BY_ADDRESS; v.grain++)
		assert_int_equal(heap_print_text(h, &v, out), 0);
	assert_int_equal(heap_print_folded(h, &v, out), 0);
	assert_int_equal(heap_print_json(h, &v, out), 0);
	v.graph.nodes = 80;
	assert_int_equal(heap_print_dot(h, &v, out), 0);
	assert_int_equal(heap_print_heap(h, &v, out), 0);
	assert_int_equal(heap_print_proto(h, &v, out), 0);
	fclose(out);
	heap_stacks_release(&sum);
}

/* As in all JSON of mprof's. */
static void a_byte_of_a_name_that_is_not_utf_8_is_replaced_in_json(void **state)
{
	static const char text[] = "--- symbol\nbinary=/x\n0x1000 a\xff" "b\n---\n--- heap\n"
				   "heap profile:      1:      8 [     1:      8] @ heapprofile\n"
				   "     1:        8 [     1:        8] @ 0x1000\n";
	struct heap_view v = { .value = INUSE_SPACE };
	struct heap_stacks h;
	struct error e;
	char *json = NULL;
	size_t len;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &h, &e), 0);
	FILE *out = open_memstream(&json, &len);
	assert_non_null(out);
	assert_int_equal(heap_print_json(&h, &v, out), 0);
	fclose(out);
	assert_non_null(strstr(json, "\"function\":\"a\xef\xbf\xbd" "b\""));
	free(json);
	heap_stacks_release(&h);
}

static const char jemallocs[] = "heap_v2/524288\n  t*: 5: 1010 [9: 9000]\n"
				"  t0: 5: 1010 [9: 9000] main\n"
				"@ 0x1000 0x2001\n  t*: 3: 1000 [4: 2000]\n  t0: 1: 400 [1: 400]\n"
				"@ 0x1100\n  t*: 2: 10 [5: 7000]\n  t0: 2: 10 [5: 7000]\n\n"
				"MAPPED_LIBRARIES:\n"
				"1000-2000 r-xp 00000400 08:01 77    /nowhere/a\n";
static const char gos[] = "%warn\nheap profile: 1: 10 [2: 20] @ heap/1048576\n"
			  "1: 10 [2: 20] @ 0x101 0x202\n"
			  "#\t0x100\tmain.f+0x10\t\t/a.go:9\n#\t0x100\tmain.g+0x20\t/a.go:14\n"
			  "#\t0x201\tmain.h+0x30\t\t/a.go:20\n\n# runtime.MemStats\n"
			  "# Alloc = 4464\n";
static const char named[] = "--- symbol\nbinary=/x\n0x1000 inner--most\n0x2001 main\n---\n"
			    "heap profile: -1: 2 [ 1: 2] @ heapprofile/difference\n"
			    "-1: 2 [1: 2] @ 0x1000 0x2001\n"
			    "\n--- Memory map: ---\n  build=/b\n 1000-2000: /b/lib.so\n";
static const char *const seeds[] = { good, jemallocs, gos, named };

#define N_SEEDS (sizeof seeds / sizeof *seeds)

static void cut_anywhere_a_file_is_read_or_refused_with_a_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SEEDS; i++)
		for (size_t len = 0; len < strlen(seeds[i]); len++) {
			struct heap_stacks h;
			struct error e;
			int err = read_bytes(seeds[i], len, &h, &e);

			if (err)
				assert_true(!strncmp(e.text, "f.heap:", 7));
			else
				use(&h);
			heap_stacks_release(&h);
		}
}

/* Some bytes become others, and sometimes a part of a file is there once more. */
static size_t change(char *text, size_t len)
{
	static const char bytes[] = "0123456789abcxft:[]@-%#*/ \n\t\0\xff=";

	for (unsigned n = random_word() % 4 + 1; n; n--)
		text[random_word() % len] = bytes[random_word() % (sizeof bytes - 1)];
	if (random_word() % 4)
		return len;
	size_t from = random_word() % len, n = random_word() % (len - from),
	       to = random_word() % len;

	memmove(text + to + n, text + to, len - to);
	memmove(text + to, text + (from < to ? from : from + n), n);
	return len + n;
}

/* FUZZ=N: N times as many. */
static int rounds(int n)
{
	const char *times = getenv("FUZZ");

	return times && atoi(times) > 0 ? n * atoi(times) : n;
}

static void changed_anywhere_a_file_is_read_or_refused_with_a_sentence(void **state)
{
	char text[4096];

	(void)state;
	for (int round = 0; round < rounds(20000); round++) {
		const char *seed = seeds[(size_t)round % N_SEEDS];
		struct heap_stacks h;
		struct error e;

		memset(text, 0, sizeof text);
		memcpy(text, seed, strlen(seed));
		int err = read_bytes(text, change(text, strlen(seed)), &h, &e);
		if (err)
			assert_true(!strncmp(e.text, "f.heap:", 7));
		else if (round % 50 < 4)
			use(&h);
		heap_stacks_release(&h);
	}
}

/* ---- profile.proto ---- */

static char path[] = "/tmp/mprof-test-proto-XXXXXX";

static void write_file(const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static size_t packed(unsigned char *data, size_t size)
{
	static const char text[] = "--- symbol\nbinary=/x\n0x1000 inner--most\n0x2001 main\n---\n"
				   "heap profile: 1: 2 [ 1: 2] @ heapprofile\n"
				   "1: 2 [1: 2] @ 0x1000 0x2001\n"
				   "5: 6 [7: 8] @ 0x1500\n\nMAPPED_LIBRARIES:\n"
				   "00001000-00002000 r-xp 00000400 08:01 77    /nowhere/a\n";
	struct heap_stacks h;
	struct heap_view v = { 0 };
	struct error e;

	assert_int_equal(read_bytes(text, strlen(text), &h, &e), 0);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(heap_print_proto(&h, &v, out), 0);
	fclose(out);
	heap_stacks_release(&h);
	gzFile gz = gzopen(path, "rb");
	int n = gzread(gz, data, (unsigned)size);
	gzclose(gz);
	assert_true(n > 100 && (size_t)n < size);
	return (size_t)n;
}

static void what_was_written_as_proto_is_read_again(void **state)
{
	unsigned char data[4096];
	struct heap_stacks h = { 0 };
	struct error e;

	(void)state;
	packed(data, sizeof data);
	assert_int_equal(heap_file_kind(path), HEAP_FILE_PROTO);
	assert_int_equal(heap_read_proto(path, &h, &e), 0);
	assert_int_equal(h.stacks.n, 2);
	assert_int_equal(heap_stacks_total(&h, INUSE_OBJECTS), 6);
	assert_int_equal(heap_stacks_total(&h, ALLOC_SPACE), 10);
	assert_string_equal(h.mappings[0].path, "/nowhere/a");
	const struct pp_location *l = &h.locations[h.stacks.elements[0]];
	assert_int_equal(l->n_lines, 2);
	assert_string_equal(h.functions[h.lines[l->first_line].function].name, "most");
	heap_stacks_release(&h);
}

static void damaged_protos_are_read_or_refused_with_a_sentence(void **state)
{
	unsigned char data[4096], copy[4096];
	size_t len = packed(data, sizeof data);

	(void)state;
	for (unsigned round = 0; round < (unsigned)rounds(3000) + len; round++) {
		struct heap_stacks h = { 0 };
		struct error e = { "" };
		size_t n = round < len ? round : len;

		memcpy(copy, data, len);
		for (unsigned k = round < len ? 0 : random_word() % 4 + 1; k; k--)
			copy[random_word() % len] = (unsigned char)random_word();
		write_file(copy, n);
		int err = heap_read_proto(path, &h, &e);
		if (err)
			assert_non_null(strstr(e.text, path));
		else if (round % 20 == 0)
			use(&h);
		heap_stacks_release(&h);
	}
}

static void assert_no_proto(const void *bytes, size_t len, const char *what)
{
	struct heap_stacks h = { 0 };
	struct error e;

	write_file(bytes, len);
	assert_int_equal(heap_read_proto(path, &h, &e), -EINVAL);
	assert_non_null(strstr(e.text, path));
	assert_string_equal(e.text + strlen(e.text) - strlen(what), what);
	heap_stacks_release(&h);
}

static void what_is_no_proto_is_told_in_words(void **state)
{
	unsigned char data[4096];

	(void)state;
	packed(data, sizeof data);
	FILE *f = fopen(path, "r");
	size_t len = fread(data, 1, sizeof data, f);
	fclose(f);
	assert_no_proto(data, len - 1, ": its gzip data is truncated: the file is not whole");
	assert_no_proto(data, 12, ": its gzip data is truncated: the file is not whole");
	data[len - 6] ^= 1; /* the checksum */
	assert_no_proto(data, len, ": its gzip data is damaged");
	assert_no_proto("", 0, ": it is empty");
	assert_no_proto("hello\n", 6, ": it is neither compressed with gzip nor a protocol buffer "
				      "(profile.proto), or it is cut off");
	gzFile gz = gzopen(path, "wb");
	assert_int_equal(gzwrite(gz, "hello\n", 6), 6);
	gzclose(gz);
	f = fopen(path, "r");
	len = fread(data, 1, sizeof data, f);
	fclose(f);
	assert_no_proto(data, len, ": what is in its gzip data is not a protocol buffer "
				   "(profile.proto), or is cut off");
}

static void a_proto_less_itself_is_nothing(void **state)
{
	unsigned char data[4096];
	struct heap_stacks a = { 0 }, b = { 0 };
	struct error e;

	(void)state;
	packed(data, sizeof data);
	assert_int_equal(heap_read_proto(path, &a, &e), 0);
	assert_int_equal(heap_read_proto(path, &b, &e), 0);
	assert_int_equal(heap_stacks_add(&a, &b, -1, &e), 0);
	assert_int_equal(a.stacks.n, 2);
	for (size_t i = 0; i < a.stacks.n; i++)
		assert_int_equal(a.stacks.stacks[i].value[ALLOC_SPACE], 0);
	heap_stacks_release(&a);
	heap_stacks_release(&b);
}

static void damaged_compression_is_refused(void **state)
{
	unsigned char data[4096];
	struct error e;

	(void)state;
	packed(data, sizeof data);
	FILE *f = fopen(path, "r");
	size_t len = fread(data, 1, sizeof data, f);
	fclose(f);
	for (size_t n = 3; n < len; n += 7) {
		struct heap_stacks h = { 0 };

		write_file(data, n);
		assert_int_not_equal(heap_read_proto(path, &h, &e), 0);
		heap_stacks_release(&h);
	}
	struct heap_stacks h = { 0 };
	assert_int_equal(heap_read_proto("/not/there", &h, &e), -ENOENT);
	assert_string_equal(e.text, "cannot read /not/there: No such file or directory");
}

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_is_read_with_its_code),
		cmocka_unit_test(a_table_of_names_is_taken),
		cmocka_unit_test(same_stacks_are_added_up),
		cmocka_unit_test(only_a_difference_has_negative_numbers),
		cmocka_unit_test(jemallocs_dumps_are_read),
		cmocka_unit_test(jemallocs_samples_are_corrected),
		cmocka_unit_test(frames_inside_of_jemalloc_are_not_shown),
		cmocka_unit_test(gos_profiles_are_read_with_the_names_in_their_comments),
		cmocka_unit_test(what_other_makers_write_besides_is_passed_over),
		cmocka_unit_test(what_is_wrong_is_told_with_its_line),
		cmocka_unit_test(what_is_wrong_in_a_map_is_told_with_its_line),
		cmocka_unit_test(what_is_wrong_in_a_dump_of_jemallocs_is_told_with_its_line),
		cmocka_unit_test(a_zero_byte_hides_nothing),
		cmocka_unit_test(the_largest_numbers_do_not_overflow),
		cmocka_unit_test(sums_of_source_lines_stay_at_the_largest_number),
		cmocka_unit_test(cut_anywhere_a_file_is_read_or_refused_with_a_sentence),
		cmocka_unit_test(changed_anywhere_a_file_is_read_or_refused_with_a_sentence),
		cmocka_unit_test(what_was_written_as_proto_is_read_again),
		cmocka_unit_test(a_proto_less_itself_is_nothing),
		cmocka_unit_test(damaged_protos_are_read_or_refused_with_a_sentence),
		cmocka_unit_test(damaged_compression_is_refused),
		cmocka_unit_test(what_is_no_proto_is_told_in_words),
		cmocka_unit_test(a_byte_of_a_name_that_is_not_utf_8_is_replaced_in_json),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
