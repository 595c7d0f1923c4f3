/* SPDX-License-Identifier: BSD-2-Clause */
/* Readers of heap profiles: what they take, and that nothing in a file can harm them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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
				   "heap profile: 1: 2 [ 1: 2] @ heapprofile\n1: 2 [1: 2] @ 0x1000 0x2001\n";
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

static void same_stacks_are_added_up_and_negative_numbers_are_taken(void **state)
{
	static const char text[] = "heap profile: 0: 0 [0: 0] @ heapprofile\n"
				   "-1: -5 [1: 2] @ 0x1\n3: 4 [5: 6] @ 1\n";
	struct heap_stacks h;
	struct error e;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &h, &e), 0);
	assert_int_equal(h.stacks.n, 1);
	assert_int_equal(h.stacks.stacks[0].value[INUSE_SPACE], -1);
	assert_int_equal(h.stacks.stacks[0].value[ALLOC_OBJECTS], 6);
	heap_stacks_release(&h);
}

static void what_is_wrong_is_told_with_its_line(void **state)
{
#define HEAD "heap profile: 1: 2 [ 3: 4] @ heapprofile\n"
	(void)state;
	assert_wrong("", "f.heap:0: the file is empty");
	assert_wrong("heap\n", "f.heap:1: no heap profile begins here");
	assert_wrong("heap profile: 1\n", "f.heap:1: not of the form \"heap profile: objects: bytes [objects: "
					  "bytes] @ kind\"");
	assert_wrong("heap profile: 1: 2 [ 3: 4] @ heap_v2/\n", "f.heap:1: no sampling period");
	assert_wrong("heap profile: 1: 2 [ 3: 4] @ heap_v2/0\n", "f.heap:1: no sampling period");
	assert_wrong(HEAD "\n1: 2 [ 3: ] @ 0x1\n",
		     "f.heap:3: not of the form \"objects: bytes [objects: bytes] @ addresses\"");
	assert_wrong(HEAD "1: 2 [ 3: 4] @ 0x1 0xfffffffffffffffff\n", "f.heap:2: no address");
	assert_wrong(HEAD "1: 2 [ 3: 9223372036854775808] @ 0x1\n",
		     "f.heap:2: not of the form \"objects: bytes [objects: bytes] @ addresses\"");
	assert_wrong(HEAD "1: 9223372036854775807 [ 3: 4] @ 0x1\n1: 1 [ 3: 4] @ 0x1\n",
		     "f.heap:3: a sum is too large");
	assert_wrong("heap profile: 1: 2 [ 3: 4] @ heap_v2/9223372036854775807\n"
		     "4611686018427387904: 4611686018427387904 [ 3: 4] @ 0x1\n", "f.heap:2: a number is too large");
	assert_wrong(HEAD "MAPPED_LIBRARIES:\n2000-1000 r-xp 0 0:0 0 /x\n",
		     "f.heap:3: a mapping that ends before it begins");
	assert_wrong("--- symbol\n0x10 a\n", "f.heap:2: the table of names has no end");
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
	assert_int_equal(heap_name(h, NULL, &nowhere), 0);
	heap_stacks_add(&sum, h, 1, &e);
	heap_stacks_add(&sum, h, -1, &e);
	assert_int_equal(heap_stacks_trim(h), 0);
	for (v.grain = BY_FUNCTION; v.grain <= BY_ADDRESS; v.grain++)
		assert_int_equal(heap_print_text(h, &v, out), 0);
	assert_int_equal(heap_print_folded(h, &v, out), 0);
	assert_int_equal(heap_print_json(h, &v, out), 0);
	assert_int_equal(heap_print_heap(h, &v, out), 0);
	assert_int_equal(heap_print_proto(h, &v, out), 0);
	fclose(out);
	heap_stacks_release(&sum);
}

static uint64_t random_state = 88172645463325252u;

static unsigned next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state >> 16);
}

static void cut_anywhere_a_file_is_read_or_refused_with_a_sentence(void **state)
{
	(void)state;
	for (size_t len = 0; len < strlen(good); len++) {
		struct heap_stacks h;
		struct error e;
		int err = read_bytes(good, len, &h, &e);

		if (err)
			assert_true(!strncmp(e.text, "f.heap:", 7));
		else
			use(&h);
		heap_stacks_release(&h);
	}
}

static void changed_anywhere_a_file_is_read_or_refused_with_a_sentence(void **state)
{
	static const char bytes[] = "0123456789abcxf:[]@- \n\t/\0\xff=";
	char text[sizeof good];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct heap_stacks h;
		struct error e;

		memcpy(text, good, sizeof good);
		for (unsigned n = next_random() % 4 + 1; n; n--)
			text[next_random() % (sizeof good - 1)] = bytes[next_random() % (sizeof bytes - 1)];
		int err = read_bytes(text, sizeof good - 1, &h, &e);
		if (err)
			assert_true(!strncmp(e.text, "f.heap:", 7));
		else if (round % 50 == 0)
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
				   "heap profile: 1: 2 [ 1: 2] @ heapprofile\n1: 2 [1: 2] @ 0x1000 0x2001\n"
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
	for (unsigned round = 0; round < 3000 + len; round++) {
		struct heap_stacks h = { 0 };
		struct error e = { "" };
		size_t n = round < len ? round : len;

		memcpy(copy, data, len);
		for (unsigned k = round < len ? 0 : next_random() % 4 + 1; k; k--)
			copy[next_random() % len] = (unsigned char)next_random();
		write_file(copy, n);
		int err = heap_read_proto(path, &h, &e);
		if (err)
			assert_non_null(strstr(e.text, path));
		else if (round % 20 == 0)
			use(&h);
		heap_stacks_release(&h);
	}
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
		cmocka_unit_test(same_stacks_are_added_up_and_negative_numbers_are_taken),
		cmocka_unit_test(what_is_wrong_is_told_with_its_line),
		cmocka_unit_test(cut_anywhere_a_file_is_read_or_refused_with_a_sentence),
		cmocka_unit_test(changed_anywhere_a_file_is_read_or_refused_with_a_sentence),
		cmocka_unit_test(what_was_written_as_proto_is_read_again),
		cmocka_unit_test(damaged_protos_are_read_or_refused_with_a_sentence),
		cmocka_unit_test(damaged_compression_is_refused),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
