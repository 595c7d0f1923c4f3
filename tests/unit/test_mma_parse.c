/* SPDX-License-Identifier: BSD-2-Clause */
/* The grammar of an event log: every accepted form, and every place where a line is refused. */
#include "unit/unit.h"
#include "lib/random.h"
#include "mma/format.h"
#include "mma/parse.h"
#include "mma/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void same(const struct mma_entry *a, const struct mma_entry *b)
{
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->ptr, b->ptr);
	assert_int_equal(a->old_ptr, b->old_ptr);
	assert_int_equal(a->size, b->size);
}

/* The line as the last one of a text, and before others: what follows must not make a
 * difference. */
static enum mma_line anywhere(const char *line, size_t *length, struct mma_entry *e,
			      struct mma_mistake *m)
{
	static char text[1024];
	size_t n = strlen(line);
	const char *end = line;
	enum mma_line last = mma_parse(line, line + n, &end, e, m);

	*length = (size_t)(end - line);
	assert_in_range(n, 0, sizeof text - MMA_WRITTEN_BYTES);
	for (const char *after = "90af \xff\n"; *after; after++) {
		struct mma_entry other;
		struct mma_mistake ignored;

		memset(text, *after, sizeof text);
		memcpy(text, line, n);
		end = text;
		assert_int_equal(mma_parse(text, text + sizeof text, &end, &other, &ignored), last);
		if (last != MMA_LINE_MALFORMED)
			assert_int_equal(end - text, *length);
		if (last == MMA_LINE_ENTRY)
			same(&other, e);
	}
	return last;
}

static struct mma_entry parsed(const char *line)
{
	struct mma_entry e;
	struct mma_mistake m = { NULL, NULL };
	size_t length;

	if (anywhere(line, &length, &e, &m) != MMA_LINE_ENTRY)
		fail_msg("refused: %sat: %s, expected %s", line, m.at, m.expected);
	assert_int_equal(length, strlen(line) - 1);
	return e;
}

static void is(const char *line, struct mma_entry want)
{
	struct mma_entry e = parsed(line);

	same(&e, &want);
}

static void refused(const char *line, size_t column, const char *expected)
{
	struct mma_entry e;
	struct mma_mistake m = { NULL, NULL };
	size_t length;

	if (anywhere(line, &length, &e, &m) != MMA_LINE_MALFORMED)
		fail_msg("accepted: %s", line);
	if ((size_t)(m.at - line) + 1 != column || !strstr(m.expected, expected))
		fail_msg("%scolumn %zu, expected %s", line, (size_t)(m.at - line) + 1, m.expected);
}

static void each_type_is_read_in_both_forms(void **state)
{
	(void)state;
	struct mma_entry f = { .time_ns = 10000015000, .ptr = 0x556000001310, .tid = 4002,
			       .type = MMA_FREE };
	struct mma_entry m = { .time_ns = 1, .ptr = 0x12a0, .size = 100, .tid = 7,
			       .type = MMA_MALLOC };
	struct mma_entry c = { .time_ns = 1, .ptr = 0x1310, .num = 10, .size = 20, .tid = 7,
			       .type = MMA_CALLOC };
	struct mma_entry r = { .time_ns = 1, .ptr = 0x13e0, .old_ptr = 0x12a0, .size = 700,
			       .tid = 7, .type = MMA_REALLOC };
	struct mma_entry t = { .time_ns = 10000000000, .tid = 4001, .type = MMA_TMSTMP };

	is("10000015000 4002 0 0x556000001310\n", f);
	is("secs=10 nsecs=15000 tid=4002 free ptr=0x556000001310\n", f);
	is("1 7 1 0x12a0 100\n", m);
	is("secs=0 nsecs=1 tid=7 malloc ptr=0x12a0 size=100\n", m);
	is("1 7 2 0x1310 10 20\n", c);
	is("secs=0 nsecs=1 tid=7 calloc ptr=0x1310 num=10 elem=20\n", c);
	is("1 7 3 0x13e0 0x12a0 700\n", r);
	is("secs=0 nsecs=1 tid=7 realloc newptr=0x13e0 ptr=0x12a0 size=700\n", r);
	is("10000000000 4001 4\n", t);
	is("secs=10 nsecs=0 tid=4001 tmstmp\n", t);
}

static void each_element_of_a_line_may_be_in_either_form(void **state)
{
	(void)state;
	static const char *const times[] = { "5000000001", "secs=5 nsecs=1" };
	static const char *const tids[] = { "9", "tid=9" };
	static const char *const types[] = { "3", "realloc" };
	static const char *const news[] = { "0xab", "newptr=0xab" };
	static const char *const olds[] = { "cd", "ptr=0xCD" };
	static const char *const sizes[] = { "33", "size=33" };

	for (unsigned i = 0; i < 64; i++) {
		char line[200];

		snprintf(line, sizeof line, "%s %s %s %s %s %s\n", times[i & 1], tids[i >> 1 & 1],
			 types[i >> 2 & 1], news[i >> 3 & 1], olds[i >> 4 & 1], sizes[i >> 5 & 1]);
		is(line, (struct mma_entry){ .time_ns = 5000000001, .tid = 9, .type = MMA_REALLOC,
					     .ptr = 0xab, .old_ptr = 0xcd, .size = 33 });
	}
}

static void what_other_writers_do_is_accepted(void **state)
{
	(void)state;
	struct mma_entry nil = { .time_ns = 1, .tid = 2, .type = MMA_FREE };
	struct mma_entry m = { .time_ns = 1, .tid = 2, .type = MMA_MALLOC, .ptr = 0xabcdef,
			       .size = 5 };

	is("1 2 0 (nil)\n", nil);
	is("1 2 0 0x0\n", nil);
	is("1 2 0 0\n", nil);
	is("1 2 free ptr=(nil)\n", nil);
	is("1 2 1 0xABCDEF 5\n", m);
	is("1 2 1 aBcDeF 5\n", m);
	is("1 2 1 0x0000000000000000abcdef 5\n", m);
	is("1   2  1    0xabcdef     5    \n", m);
	is("0001 02 1 0xabcdef 00000000000000000000000005\n", m);
	is("secs=0   nsecs=000000001 tid=2 malloc ptr=0xabcdef size=5\n", m);
	is("1 2 4   \n", (struct mma_entry){ .time_ns = 1, .tid = 2, .type = MMA_TMSTMP });
}

static void the_largest_numbers_are_read(void **state)
{
	(void)state;
	is("18446744073709551615 4294967295 1 0xffffffffffffffff 18446744073709551615\n",
	   (struct mma_entry){ .time_ns = UINT64_MAX, .tid = UINT32_MAX, .type = MMA_MALLOC,
			       .ptr = UINT64_MAX, .size = UINT64_MAX });
	is("secs=18446744073 nsecs=709551615 tid=1 tmstmp\n",
	   (struct mma_entry){ .time_ns = UINT64_MAX, .tid = 1, .type = MMA_TMSTMP });
	/* A failed call may have asked for what cannot be. */
	is("1 1 2 0x0 18446744073709551615 2\n",
	   (struct mma_entry){ .time_ns = 1, .tid = 1, .type = MMA_CALLOC, .num = UINT64_MAX,
			       .size = 2 });
}

static void a_line_of_blanks_is_no_entry(void **state)
{
	(void)state;
	struct mma_entry e;
	struct mma_mistake m;
	const char *end;

	const char *line = "\n";
	assert_int_equal(mma_parse(line, line + 1, &end, &e, &m), MMA_LINE_EMPTY);
	line = "    \nx";
	assert_int_equal(mma_parse(line, line + 6, &end, &e, &m), MMA_LINE_EMPTY);
	assert_ptr_equal(end, line + 4);
}

static void anything_else_is_refused_where_it_stands(void **state)
{
	(void)state;
	refused("x\n", 1, "a time");
	refused("-1 2 4\n", 1, "a time");
	refused("+1 2 4\n", 1, "a time");
	refused(" 1 2 4\n", 1, "a time");
	refused("1.5 2 4\n", 2, "a digit or a blank");
	refused("1\t2 4\n", 2, "a digit or a blank");
	refused("1\n", 2, "a blank");
	refused("1 \n", 3, "a thread id");
	refused("18446744073709551616 2 4\n", 1, "at most 18446744073709551615");
	refused("99999999999999999999999 2 4\n", 1, "at most 18446744073709551615");
	refused("secs=1 2 4\n", 8, "\"nsecs=\"");
	refused("secs=1 nsecs=1000000000 2 4\n", 14, "from 0 to 999999999");
	refused("secs=18446744073 nsecs=709551616 2 4\n", 1, "nanoseconds");
	refused("secs=99999999999 nsecs=0 2 4\n", 1, "nanoseconds");
	refused("secs= nsecs=1 2 4\n", 6, "seconds");
	refused("nsecs=1 2 4\n", 1, "a time");
	refused("1 tid= 4\n", 7, "a thread id");
	refused("1 4294967296 4\n", 3, "at most 4294967295");
	refused("1 2\n", 4, "a blank");
	refused("1 2 \n", 5, "free, malloc");
	refused("1 2 5\n", 5, "free, malloc");
	refused("1 2 04\n", 5, "free, malloc");
	refused("1 2 Malloc 0x1 1\n", 5, "free, malloc");
	refused("1 2 mallocs 0x1 1\n", 5, "free, malloc");
	refused("1 2 free\n", 9, "a blank");
	refused("1 2 0 \n", 7, "an address");
	refused("1 2 0 0x\n", 9, "hexadecimal");
	refused("1 2 0 0X1\n", 8, "hexadecimal");
	refused("1 2 0 0x1g\n", 10, "hexadecimal");
	refused("1 2 0 (null)\n", 7, "an address");
	refused("1 2 0 (nil)x\n", 12, "a blank");
	refused("1 2 0 0x10000000000000000\n", 7, "64 bits");
	refused("1 2 0 0x1 0x2\n", 11, "the end of the line");
	refused("1 2 0 size=1\n", 7, "an address");
	refused("1 2 1 0x1\n", 10, "a blank");
	refused("1 2 1 0x1 \n", 11, "a number of bytes");
	refused("1 2 1 0x1 -5\n", 11, "a number of bytes");
	refused("1 2 1 0x1 0x5\n", 12, "a digit or a blank");
	refused("1 2 1 0x1 num=5\n", 11, "a number of bytes");
	refused("1 2 1 0x1 5 6\n", 13, "the end of the line");
	refused("1 2 2 0x1 5\n", 12, "a blank");
	refused("1 2 2 0x1 5 size=6\n", 13, "\"elem=\"");
	refused("1 2 2 0x1 4294967296 4294967296\n", 22, "below 2^64");
	refused("1 2 3 ptr=0x1 0x2 6\n", 7, "\"newptr=\"");
	refused("1 2 3 0x1 0x2\n", 14, "a blank");
	refused("1 2 3 0x1 6\n", 12, "a blank");
	refused("1 2 4 x\n", 7, "the end of the line");
	refused("1 2 tmstmp 0\n", 12, "the end of the line");
	refused("1 2 4\r\n", 5, "free, malloc");
}

static void what_is_written_is_what_is_read(void **state)
{
	(void)state;
	static const struct mma_entry entries[] = {
		{ .time_ns = 0, .type = MMA_TMSTMP },
		{ .time_ns = 10000015000, .tid = 4002, .type = MMA_FREE, .ptr = 0x556000001310 },
		{ .time_ns = UINT64_MAX, .tid = UINT32_MAX, .type = MMA_REALLOC, .ptr = UINT64_MAX,
		  .old_ptr = UINT64_MAX, .size = UINT64_MAX },
		{ .time_ns = UINT64_MAX, .tid = UINT32_MAX, .type = MMA_CALLOC, .num = UINT64_MAX,
		  .size = UINT64_MAX },
		{ .time_ns = 999999999, .tid = 1, .type = MMA_MALLOC, .ptr = 0x10, .size = 0 },
		{ .time_ns = 1000000000, .tid = 1, .type = MMA_REALLOC, .ptr = 0, .old_ptr = 0xf,
		  .size = 1 },
	};
	static const char *const humanized[] = {
		"secs=0 nsecs=0 tid=0 tmstmp\n",
		"secs=10 nsecs=15000 tid=4002 free ptr=0x556000001310\n",
		"secs=18446744073 nsecs=709551615 tid=4294967295 realloc newptr=0xffffffffffffffff "
		"ptr=0xffffffffffffffff size=18446744073709551615\n",
		"secs=18446744073 nsecs=709551615 tid=4294967295 calloc ptr=0x0 "
		"num=18446744073709551615 elem=18446744073709551615\n",
		"secs=0 nsecs=999999999 tid=1 malloc ptr=0x10 size=0\n",
		"secs=1 nsecs=0 tid=1 realloc newptr=0x0 ptr=0xf size=1\n",
	};
	static const char *const plain[] = {
		"0 0 4\n",
		"10000015000 4002 0 0x556000001310\n",
		("18446744073709551615 4294967295 3 0xffffffffffffffff 0xffffffffffffffff "
		 "18446744073709551615\n"),
		"18446744073709551615 4294967295 2 0x0 18446744073709551615 18446744073709551615\n",
		"999999999 1 1 0x10 0\n",
		"1000000000 1 3 0x0 0xf 1\n",
	};

	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
		char line[MMA_LINE_MAX + 1];

		line[mma_format(&entries[i], true, line)] = '\0';
		assert_string_equal(line, humanized[i]);
		is(line, entries[i]);
		line[mma_format(&entries[i], false, line)] = '\0';
		assert_string_equal(line, plain[i]);
		is(line, entries[i]);
	}
}

/* ---- lines as they are written, and nearly so ---- */

static uint64_t some(uint64_t *state)
{
	uint64_t r = random_next(state);

	/* of all lengths */
	return (r ^ r >> 29) >> (r >> 58);
}

static struct mma_entry some_entry(uint64_t *state)
{
	struct mma_entry e = { .time_ns = some(state), .tid = (uint32_t)some(state),
			       .type = (uint8_t)(some(state) % MMA_TYPES) };

	if (e.type == MMA_TMSTMP)
		return e;
	e.ptr = some(state);
	if (e.type == MMA_CALLOC)
		e.num = some(state) & UINT32_MAX;
	if (e.type == MMA_REALLOC)
		e.old_ptr = some(state);
	if (e.type != MMA_FREE)
		e.size = e.type == MMA_CALLOC ? some(state) & UINT32_MAX : some(state);
	return e;
}

/* The fast parser, for lines in canonical form, gives the same as the full one; canonical lines are
 * parsed by it. */
static void the_short_way_reads_what_the_long_way_reads(void **state)
{
	(void)state;
	uint64_t seed = 1;
	unsigned taken = 0;

	for (int i = 0; i < 200000; i++) {
		char line[MMA_WRITTEN_BYTES * 2];
		struct mma_entry e = some_entry(&seed), fast, slow;
		struct mma_mistake m;
		const char *end, *slow_end;
		size_t n = mma_format(&e, i & 1, line);

		memset(line + n, '7', sizeof line - n);
		if (e.time_ns < 10000000000000000000u && e.size < 10000000000000000000u) {
			assert_true(mma_written(line, &end, &fast));
			same(&fast, &e);
		}
		static const char odd[] = "0189afgxAF \n=-(\xff\x80" "7sptrn";
		line[some(&seed) % (n - 1)] = odd[some(&seed) % (sizeof odd - 1)];
		if (!mma_written(line, &end, &fast))
			continue;
		assert_int_equal(mma_parse(line, line, &slow_end, &slow, &m), MMA_LINE_ENTRY);
		assert_ptr_equal(end, slow_end);
		same(&fast, &slow);
		taken++;
	}
	assert_true(taken > 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_type_is_read_in_both_forms),
		cmocka_unit_test(each_element_of_a_line_may_be_in_either_form),
		cmocka_unit_test(what_other_writers_do_is_accepted),
		cmocka_unit_test(the_largest_numbers_are_read),
		cmocka_unit_test(a_line_of_blanks_is_no_entry),
		cmocka_unit_test(anything_else_is_refused_where_it_stands),
		cmocka_unit_test(what_is_written_is_what_is_read),
		cmocka_unit_test(the_short_way_reads_what_the_long_way_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
