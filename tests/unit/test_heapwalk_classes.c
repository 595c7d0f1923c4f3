/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of blocks by their vtables, all made by hand: only those for which every part agrees
 * count, whatever is in memory. */
#include "unit/unit.h"

#include "heapwalk/classes.h"
#include "symbols/vtables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAP  UINT64_C(0x555500000000)
#define CODE  UINT64_C(0x7f0000000000)
#define CONST UINT64_C(0x7f0000010000)
#define DATA  UINT64_C(0x7f0000080000)

enum {
	HEAP_WORDS = 32768,
	CONST_WORDS = 32768,
	VTABLE = 16, /* in words from CONST on */
	INFO = 64,
	NAME = 128,
};

struct made {
	struct still still;
	struct heap_walk walk;
	uint64_t *heap, *constant;
	size_t readable; /* bytes of CONST */
	size_t n_chunks, at, reads;
	struct heap_class_source from;
	struct heap_classes found;
};

static size_t read_constant(void *ctx, taddr at, void *to, size_t size)
{
	struct made *m = ctx;
	size_t offset = at - CONST;

	m->reads++;
	if (at >= CODE && at + size <= CODE + 0x10000) {
		memset(to, 0x90, size);
		return size;
	}
	/* Nothing else can be read, and not be written to. */
	assert_true(at >= CONST && offset < CONST_WORDS * 8);
	if (offset >= m->readable)
		return 0;
	size = size < m->readable - offset ? size : m->readable - offset;
	memcpy(to, (const char *)m->constant + offset, size);
	return size;
}

static bool is_type(void *ctx, const char *mangled)
{
	char text[32768];

	(void)ctx;
	return symbols_type_name(mangled, text, sizeof text);
}

static void add_map(struct made *m, taddr start, size_t size, const char *perms, const char *path)
{
	struct proc_map map = {.start = start,
			       .end = start + size,
			       .readable = perms[0] == 'r',
			       .writable = perms[1] == 'w',
			       .executable = perms[2] == 'x',
			       .ino = path[0] == '/',
			       .path = path};

	assert_int_equal(still_add_map(&m->still, &map), 0);
}

static taddr add_block(struct made *m, uint64_t usable, const uint64_t *words, size_t n)
{
	uint64_t size = usable + 8;
	taddr chunk = HEAP + m->at * 8;

	assert_int_equal(size % 16, 0);
	assert_true(m->at + size / 8 < HEAP_WORDS && n * 8 <= usable);
	assert_int_equal(heap_blocks_add(&m->walk.blocks, chunk, size, HEAP_LIVE), 0);
	memcpy(&m->heap[m->at + 2], words, n * 8);
	m->at += size / 8;
	return chunk + 16;
}

/* A class at VTABLE, and its name. */
static void put_class(struct made *m, const char *name)
{
	uint64_t *v = m->constant;

	v[VTABLE - 2] = 0;
	v[VTABLE - 1] = CONST + INFO * 8;
	v[VTABLE] = CODE + 0x10;
	v[VTABLE + 1] = CODE + 0x20;
	v[INFO] = DATA + 16;
	v[INFO + 1] = CONST + NAME * 8;
	memset(&v[NAME], 0, 512);
	memcpy(&v[NAME], name, strlen(name));
}

#define OBJECT (CONST + VTABLE * 8)

static void make(struct made *m, const char *name)
{
	*m = (struct made){.readable = CONST_WORDS * 8, .walk.blocks.cut = {16, 8, 16}};
	m->heap = calloc(HEAP_WORDS, 8);
	m->constant = calloc(CONST_WORDS, 8);
	assert_true(m->heap && m->constant);
	m->from = (struct heap_class_source){read_constant, is_type, m};
	add_map(m, HEAP, HEAP_WORDS * 8, "rw-", "[heap]");
	add_map(m, CODE, 0x10000, "r-x", "/bin/x");
	add_map(m, CONST, CONST_WORDS * 8, "r--", "/bin/x");
	add_map(m, DATA, 0x10000, "rw-", "/bin/x");
	assert_int_equal(still_add_run(&m->still, HEAP, HEAP_WORDS * 8, (const uint8_t *)m->heap),
			 0);
	assert_int_equal(heap_blocks_begin(&m->walk.blocks, HEAP, HEAP + HEAP_WORDS * 8, 0), 0);
	put_class(m, name);
}

static void unmake(struct made *m)
{
	heap_classes_release(&m->found);
	heap_walk_release(&m->walk);
	still_release(&m->still);
	free(m->heap);
	free(m->constant);
}

static void find(struct made *m)
{
	heap_classes_release(&m->found);
	assert_int_equal(heap_classes_find(&m->found, &m->walk, &m->still, &m->from), 0);
}

/* Of the only class there is; 0: there is none. */
static uint64_t found(struct made *m, enum heap_class_form form)
{
	uint64_t n = 0;

	find(m);
	assert_true(m->found.n <= 1);
	for (int i = 0; i < N_HEAP_CLASS_FORMS && m->found.n; i++)
		if (i != (int)form)
			assert_int_equal(m->found.v[0].forms[i].n, 0);
		else
			n = m->found.v[0].forms[i].n;
	return n;
}

static void test_an_object(void **state)
{
	(void)state;
	struct made m;

	make(&m, "6Circle");
	add_block(&m, 24, (uint64_t[]){OBJECT, 1}, 2);
	add_block(&m, 40, (uint64_t[]){OBJECT}, 1);
	add_block(&m, 24, (uint64_t[]){0, OBJECT}, 2);
	assert_int_equal(found(&m, HEAP_CLASS_OBJECT), 2);
	assert_int_equal(m.found.v[0].forms[HEAP_CLASS_OBJECT].bytes, 64);
	assert_string_equal(m.found.v[0].mangled, "6Circle");
	unmake(&m);
	/* A local type's name has a star, which is not a part of it. */
	make(&m, "*N12_GLOBAL__N_15ShapeE");
	add_block(&m, 24, (uint64_t[]){OBJECT}, 1);
	assert_int_equal(found(&m, HEAP_CLASS_OBJECT), 1);
	assert_string_equal(m.found.v[0].mangled, "N12_GLOBAL__N_15ShapeE");
	unmake(&m);
}

static void test_what_is_free_is_none(void **state)
{
	(void)state;
	struct made m;

	make(&m, "6Circle");
	add_block(&m, 24, (uint64_t[]){OBJECT}, 1);
	m.walk.blocks.states[0] = HEAP_CACHED;
	assert_int_equal(found(&m, HEAP_CLASS_OBJECT), 0);
	unmake(&m);
}

static void test_arrays(void **state)
{
	(void)state;
	struct made m;

	make(&m, "6Circle");
	/* Three of 16 bytes. */
	add_block(&m, 56, (uint64_t[]){3, OBJECT, 1, OBJECT, 2, OBJECT, 3}, 7);
	assert_int_equal(found(&m, HEAP_CLASS_ARRAY), 1);
	unmake(&m);
	make(&m, "6Circle");
	/* Two that are aligned to 16. */
	add_block(&m, 56, (uint64_t[]){0, 2, OBJECT, 1, OBJECT, 2}, 6);
	assert_int_equal(found(&m, HEAP_CLASS_ARRAY), 1);
	unmake(&m);
	make(&m, "6Circle");
	/* One is missing; or there is more room than three would take. */
	add_block(&m, 56, (uint64_t[]){3, OBJECT, 1, OBJECT, 2, 0, 3}, 7);
	add_block(&m, 184, (uint64_t[]){3, OBJECT, 1, OBJECT, 2, OBJECT, 3}, 7);
	add_block(&m, 56, (uint64_t[]){UINT64_MAX, OBJECT, 1, OBJECT, 2, OBJECT, 3}, 7);
	assert_int_equal(found(&m, HEAP_CLASS_ARRAY), 0);
	unmake(&m);
	make(&m, "6Circle");
	/* One alone may be a member behind something else: that it is there is all that is said. */
	add_block(&m, 24, (uint64_t[]){1, OBJECT}, 2);
	assert_int_equal(found(&m, HEAP_CLASS_BEHIND), 1);
	unmake(&m);
}

static void test_without_type_information(void **state)
{
	(void)state;
	struct made m;

	make(&m, "6Circle");
	m.constant[VTABLE - 1] = 0;
	add_block(&m, 24, (uint64_t[]){OBJECT}, 1);
	/* In an array it could be anything. */
	add_block(&m, 56, (uint64_t[]){3, OBJECT, 1, OBJECT, 2, OBJECT, 3}, 7);
	assert_int_equal(found(&m, HEAP_CLASS_OBJECT), 1);
	assert_null(m.found.v[0].mangled);
	m.constant[VTABLE] = 0;
	assert_int_equal(found(&m, HEAP_CLASS_OBJECT), 0);
	unmake(&m);
}

/* With one word changed it is no class any more, or has no name. */
static void test_each_part_must_agree(void **state)
{
	(void)state;
	static const struct {
		size_t at;
		uint64_t value;
	} wrong[] = {
		{VTABLE - 2, -16ull}, /* a part of an object */
		{VTABLE - 2, 8},
		{VTABLE, CONST}, /* no code */
		{VTABLE, DATA + 8},
		{VTABLE, 1},
		{VTABLE - 1, CONST + INFO * 8 + 1}, /* not aligned */
		{VTABLE - 1, DATA},		    /* can be written to */
		{VTABLE - 1, HEAP},
		{VTABLE - 1, CONST + CONST_WORDS * 8}, /* is not there */
		{VTABLE - 1, 8},
		{INFO, 0}, /* type information is an object, too */
		{INFO, DATA + 1},
		{INFO + 1, DATA},
		{INFO + 1, HEAP + 16},
		{INFO + 1, 1},
		{INFO + 1, CONST + NAME * 8 + 7}, /* empty */
		{INFO + 1, CONST + NAME * 8 + 1}, /* "Circle" is no type's name */
		{NAME, 0x656c637269430731},	  /* a control character in it */
		{NAME, 0x656c6372694339},	  /* it says that it is longer */
	};
	struct made m;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		make(&m, "6Circle");
		add_block(&m, 24, (uint64_t[]){OBJECT}, 1);
		assert_int_equal(found(&m, HEAP_CLASS_OBJECT), 1);
		m.constant[wrong[i].at] = wrong[i].value;
		if (found(&m, HEAP_CLASS_OBJECT))
			fail_msg("%zu: word %zu", i, wrong[i].at);
		assert_int_equal(m.found.unread, 0);
		unmake(&m);
	}
}

static void test_a_function_that_nobody_calls_may_be_missing(void **state)
{
	(void)state;
	struct made m;

	make(&m, "6Circle");
	m.constant[VTABLE] = 0;
	add_block(&m, 24, (uint64_t[]){OBJECT}, 1);
	assert_int_equal(found(&m, HEAP_CLASS_OBJECT), 1);
	unmake(&m);
}

static void test_a_name_without_an_end(void **state)
{
	(void)state;
	struct made m;

	/* As long as all memory that there is, in the same mapping. */
	make(&m, "6Circle");
	memset(&m.constant[NAME], 'x', (CONST_WORDS - NAME) * 8);
	memcpy(&m.constant[NAME], "50000", 5);
	add_block(&m, 24, (uint64_t[]){OBJECT}, 1);
	assert_int_equal(found(&m, HEAP_CLASS_OBJECT), 0);
	/* And up to the last byte of it. */
	m.constant[INFO + 1] = CONST + (CONST_WORDS - 2) * 8;
	memcpy(&m.constant[CONST_WORDS - 2], "14abcdefghijklmn", 16);
	assert_int_equal(found(&m, HEAP_CLASS_OBJECT), 0);
	memcpy(&m.constant[CONST_WORDS - 2], "13abcdefghijklm", 16);
	assert_int_equal(found(&m, HEAP_CLASS_OBJECT), 1);
	unmake(&m);
}

/* A few bytes that stand for a name of gigabytes. */
static void test_a_name_that_grows(void **state)
{
	(void)state;
	struct made m;
	char name[1024] = "1AI1BIiiE";
	size_t n = strlen(name);

	/* Each part is the one before, twice. */
	for (int i = 0; i < 30; i++) {
		char last = (char)(i < 10 ? '0' + i : 'A' + i - 10);

		n += (size_t)snprintf(name + n, sizeof name - n, "S0_IS%c_S%c_E", last, last);
	}
	snprintf(name + n, sizeof name - n, "E");
	make(&m, name);
	add_block(&m, 24, (uint64_t[]){OBJECT}, 1);
	find(&m);
	unmake(&m);
}

enum { LONG_LENGTH = 16000 };

/* Many classes that all have one long name, which ends with @last. */
static void make_many(struct made *m, char last)
{
	enum { CLASSES = 4500, BEGIN = 24000 };

	make(m, "6Circle");
	memset(&m->constant[BEGIN], 'x', (CONST_WORDS - BEGIN) * 8);
	memcpy(&m->constant[BEGIN], "15995", 5);
	((char *)&m->constant[BEGIN])[LONG_LENGTH - 1] = last;
	((char *)&m->constant[BEGIN])[LONG_LENGTH] = '\0';
	m->constant[INFO + 1] = CONST + BEGIN * 8;
	/* Many vtables, all of them with that name. */
	for (int i = 0; i < CLASSES; i++) {
		uint64_t *v = &m->constant[256 + 4 * i];

		v[1] = CONST + INFO * 8;
		v[2] = CODE;
		add_block(m, 24, (uint64_t[]){CONST + (256 + 4 * (uint64_t)i + 2) * 8}, 1);
	}
}

static void test_many_long_names(void **state)
{
	(void)state;
	struct made m;

	make_many(&m, 'x');
	find(&m);
	assert_int_equal(m.found.n, (64 << 20) / LONG_LENGTH);
	assert_true(m.found.too_many);
	unmake(&m);
	/* They count even if they turn out to be none. */
	make_many(&m, '\n');
	find(&m);
	assert_int_equal(m.found.n, 0);
	assert_true(m.found.too_many);
	unmake(&m);
}

/* A text is read only as far as needed to tell that it is no name. */
static void test_what_is_no_name_is_not_read_on(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool ends;
		size_t reads; /* of pages */
	} texts[] = {{"x", false, 1}, {"*x", false, 1}, {"1\n", false, 1},
		     {"*", true, 1},  {"", true, 1},	{"15995", false, 5}};
	struct made m;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		make(&m, "6Circle");
		char *name = (char *)m.constant + 8 * STILL_PAGE;
		memset(name, 'x', (size_t)8 * STILL_PAGE);
		memcpy(name, texts[i].text, strlen(texts[i].text) + texts[i].ends);
		m.constant[INFO + 1] = CONST + 8 * STILL_PAGE;
		add_block(&m, 24, (uint64_t[]){OBJECT}, 1);
		find(&m);
		assert_int_equal(m.found.n, 0);
		/* The vtable's and the information's page is one. */
		assert_int_equal(m.reads, 1 + texts[i].reads);
		unmake(&m);
	}
}

static void test_what_cannot_be_read_is_counted(void **state)
{
	(void)state;
	struct made m;

	make(&m, "6Circle");
	add_block(&m, 24, (uint64_t[]){OBJECT}, 1);
	add_block(&m, 24, (uint64_t[]){OBJECT}, 1);
	add_block(&m, 24, (uint64_t[]){CODE}, 1);
	m.readable = 0;
	m.still.areas[1].readable = false;
	assert_int_equal(found(&m, HEAP_CLASS_OBJECT), 0);
	assert_int_equal(m.found.unread, 2);
	/* The name is on a page that is gone. */
	m.constant[INFO + 1] = CONST + 2 * STILL_PAGE;
	m.readable = 2 * STILL_PAGE;
	assert_int_equal(found(&m, HEAP_CLASS_OBJECT), 0);
	assert_int_equal(m.found.unread, 2);
	unmake(&m);
}

/* Every word of it, and of the blocks, with every value that leads somewhere. */
static void test_damage(void **state)
{
	(void)state;
	static const uint64_t values[] = {0,
					  1,
					  CODE,
					  CONST,
					  CONST + CONST_WORDS * 8 - 8,
					  DATA,
					  HEAP,
					  OBJECT,
					  -1ull,
					  -8ull,
					  OBJECT + 8,
					  CONST + NAME * 8};
	struct made m;

	make(&m, "6Circle");
	add_block(&m, 24, (uint64_t[]){OBJECT, 1}, 2);
	add_block(&m, 56, (uint64_t[]){3, OBJECT, 1, OBJECT, 2, OBJECT, 3}, 7);
	add_block(&m, 8, (uint64_t[]){OBJECT}, 1);
	for (size_t w = 0; w < NAME + 2 + m.at; w++) {
		uint64_t *word = w < NAME + 2 ? &m.constant[w] : &m.heap[w - NAME - 2];
		uint64_t was = *word;

		for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
			*word = values[i];
			find(&m);
			for (size_t k = 0; k < m.found.n; k++)
				assert_true(!m.found.v[k].mangled ||
					    !strcmp(m.found.v[k].mangled, "6Circle"));
		}
		*word = was;
	}
	unmake(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_object),
		cmocka_unit_test(test_what_is_free_is_none),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_without_type_information),
		cmocka_unit_test(test_each_part_must_agree),
		cmocka_unit_test(test_a_function_that_nobody_calls_may_be_missing),
		cmocka_unit_test(test_a_name_without_an_end),
		cmocka_unit_test(test_a_name_that_grows),
		cmocka_unit_test(test_many_long_names),
		cmocka_unit_test(test_what_is_no_name_is_not_read_on),
		cmocka_unit_test(test_what_cannot_be_read_is_counted),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
