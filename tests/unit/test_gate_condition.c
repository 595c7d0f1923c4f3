/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions of --fail-if: parsing and comparing. */
#include "unit/unit.h"

#include "gate/condition.h"

#include <errno.h>
#include <string.h>

static struct gate_condition parsed(const char *text)
{
	struct gate_condition c;

	if (gate_condition_parse(&c, text))
		fail_msg("%s cannot be read", text);
	assert_string_equal(c.text, text);
	return c;
}

static void every_figure_is_read_by_its_name(void **state)
{
	(void)state;
	static const char *const texts[GATE_FIGURES] = {
		"allocs>1",    "frees>1",	   "bytes>1",	 "kept>1",	"kept-blocks>1",
		"unfreed>1",   "unfreed-blocks>1", "peak>1",	 "temporary>1", "lost>1",
		"lost-blocks>1", "possible>1",	   "possible-blocks>1",
	};

	for (int i = 0; i < GATE_FIGURES; i++) {
		struct gate_condition c = parsed(texts[i]);

		assert_int_equal(c.figure, i);
		assert_null(c.site);
		assert_int_equal(strncmp(gate_figure_name(c.figure), texts[i],
					 strlen(gate_figure_name(c.figure))), 0);
		gate_condition_release(&c);
	}
}

static void operators_numbers_and_growth_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum gate_operator op;
		enum gate_measure measure;
		bool less;
		uint64_t value;
	} rows[] = {
		{"kept>0", GATE_MORE, GATE_ABSOLUTE, false, 0},
		{"kept>=1K", GATE_AT_LEAST, GATE_ABSOLUTE, false, 1024},
		{"kept<2M", GATE_LESS, GATE_ABSOLUTE, false, 2 << 20},
		{"kept<=3g", GATE_AT_MOST, GATE_ABSOLUTE, false, 3ull << 30},
		{"allocs==18446744073709551615", GATE_EQUAL, GATE_ABSOLUTE, false, UINT64_MAX},
		{"kept>+1M", GATE_MORE, GATE_GROWTH, false, 1 << 20},
		{"kept<-7", GATE_LESS, GATE_GROWTH, true, 7},
		{"peak>+5%", GATE_MORE, GATE_PERCENT, false, 5000},
		{"peak>+0.25%", GATE_MORE, GATE_PERCENT, false, 250},
		{"peak>=-100%", GATE_AT_LEAST, GATE_PERCENT, true, 100000},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct gate_condition c = parsed(rows[i].text);

		assert_int_equal(c.op, rows[i].op);
		assert_int_equal(c.measure, rows[i].measure);
		assert_int_equal(c.less, rows[i].less);
		assert_int_equal(c.value, rows[i].value);
		gate_condition_release(&c);
	}
}

static void names_of_cxx_are_sites(void **state)
{
	(void)state;
	struct gate_condition c = parsed("kept(std::vector<int>::operator()(int) const)>=+1%");

	assert_string_equal(c.site, "std::vector<int>::operator()(int) const");
	assert_int_equal(c.op, GATE_AT_LEAST);
	assert_int_equal(c.measure, GATE_PERCENT);
	gate_condition_release(&c);
	c = parsed("allocs(make_*)==3");
	assert_string_equal(c.site, "make_*");
	gate_condition_release(&c);
}

static void what_is_no_condition_is_refused(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"",	      "kept",	    "kept>",	 "kept>-",     "kept>+",    "kept>x",
		"kept>5%",    "kept>1X",    "Kept>0",	 " kept>0",    "kept >0",   "kept> 0",
		"kept=0",     "kept!=0",    "kept=>0",	 "kept>>0",    "kept()>0",  "kept(f>0",
		"kept)>0",    "(f)>0",	    "kept(f)",	 "allocs>1K",  "kept>+1.%", "kept>+.5%",
		"kept>+%",    "kept>+1e3%", "kept>-101%", "frees>1K",  "kept>0x10", "kept>0 ",
		"kept(f)x>0", "kept-block>0", "kept>+1.2345%", "kept>18446744073709551616",
		"kept>+99999999999999999999999999999999%",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct gate_condition c;

		if (gate_condition_parse(&c, texts[i]) != -EINVAL)
			fail_msg("\"%s\" has been taken", texts[i]);
		assert_null(c.site);
	}
}

static enum gate_outcome holds(const char *text, uint64_t low, uint64_t high, uint64_t base_low,
			       uint64_t base_high)
{
	struct gate_condition c = parsed(text);
	enum gate_outcome outcome =
		gate_condition_holds(&c, (struct gate_bounds){low, high},
				     (struct gate_bounds){base_low, base_high});

	gate_condition_release(&c);
	return outcome;
}

static void known_figures_are_compared(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool below, at, above; /* 9, 10, 11 */
	} rows[] = {
		{"kept>10", false, false, true}, {"kept>=10", false, true, true},
		{"kept<10", true, false, false}, {"kept<=10", true, true, false},
		{"kept==10", false, true, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(holds(rows[i].text, 9, 9, 0, 0), rows[i].below);
		assert_int_equal(holds(rows[i].text, 10, 10, 0, 0), rows[i].at);
		assert_int_equal(holds(rows[i].text, 11, 11, 0, 0), rows[i].above);
	}
	assert_int_equal(holds("kept>18446744073709551614", UINT64_MAX, UINT64_MAX, 0, 0),
			 GATE_BROKEN);
}

static void growth_is_compared_exactly(void **state)
{
	(void)state;
	assert_int_equal(holds("peak>+5%", 105, 105, 100, 100), GATE_PASSED);
	assert_int_equal(holds("peak>=+5%", 105, 105, 100, 100), GATE_BROKEN);
	assert_int_equal(holds("peak>+5%", 106, 106, 100, 100), GATE_BROKEN);
	assert_int_equal(holds("peak>+0.001%", 100001, 100001, 100000, 100000), GATE_PASSED);
	assert_int_equal(holds("peak>+0.001%", 100002, 100002, 100000, 100000), GATE_BROKEN);
	/* From nothing, anything is more. */
	assert_int_equal(holds("peak>+500%", 1, 1, 0, 0), GATE_BROKEN);
	assert_int_equal(holds("peak>+500%", 0, 0, 0, 0), GATE_PASSED);
	assert_int_equal(holds("kept>+1K", 1124, 1124, 100, 100), GATE_PASSED);
	assert_int_equal(holds("kept>+1K", 1125, 1125, 100, 100), GATE_BROKEN);
	assert_int_equal(holds("kept<-10", 89, 89, 100, 100), GATE_BROKEN);
	assert_int_equal(holds("kept<-10", 90, 90, 100, 100), GATE_PASSED);
	assert_int_equal(holds("kept<-10%", 89, 89, 100, 100), GATE_BROKEN);
	assert_int_equal(holds("peak>+0%", UINT64_MAX, UINT64_MAX, 1, 1), GATE_BROKEN);
}

static void what_is_not_known_is_told_only_where_it_does_not_matter(void **state)
{
	(void)state;
	assert_int_equal(holds("kept>0", 0, 5, 0, 0), GATE_CANNOT_TELL);
	assert_int_equal(holds("kept>0", 1, 5, 0, 0), GATE_BROKEN);
	assert_int_equal(holds("kept>5", 1, 5, 0, 0), GATE_PASSED);
	assert_int_equal(holds("kept>=5", 1, 5, 0, 0), GATE_CANNOT_TELL);
	assert_int_equal(holds("kept<5", 1, 5, 0, 0), GATE_CANNOT_TELL);
	assert_int_equal(holds("kept<6", 1, 5, 0, 0), GATE_BROKEN);
	assert_int_equal(holds("kept<=0", 1, 5, 0, 0), GATE_PASSED);
	assert_int_equal(holds("kept==3", 1, 5, 0, 0), GATE_CANNOT_TELL);
	assert_int_equal(holds("kept==6", 1, 5, 0, 0), GATE_PASSED);
	assert_int_equal(holds("kept>7", 0, UINT64_MAX, 0, 0), GATE_CANNOT_TELL);
	/* Of growth neither is. */
	assert_int_equal(holds("kept>+10", 100, 120, 95, 100), GATE_CANNOT_TELL);
	assert_int_equal(holds("kept>+10", 108, 120, 95, 100), GATE_CANNOT_TELL);
	assert_int_equal(holds("kept>+10", 100, 108, 95, 100), GATE_CANNOT_TELL);
	assert_int_equal(holds("kept>+10", 111, 120, 95, 100), GATE_BROKEN);
	assert_int_equal(holds("kept>+25", 111, 120, 95, 100), GATE_PASSED);
	assert_int_equal(holds("kept>+10%", 100, 120, 95, 100), GATE_CANNOT_TELL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_figure_is_read_by_its_name),
		cmocka_unit_test(operators_numbers_and_growth_are_read),
		cmocka_unit_test(names_of_cxx_are_sites),
		cmocka_unit_test(what_is_no_condition_is_refused),
		cmocka_unit_test(known_figures_are_compared),
		cmocka_unit_test(growth_is_compared_exactly),
		cmocka_unit_test(what_is_not_known_is_told_only_where_it_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
