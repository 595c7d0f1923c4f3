/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole report with two cycles, one inside the reach of the other, and self recursion:
 *
 *	countdown() calls itself; expr(), term() and factor() form a cycle in which factor() also
 *	calls itself once; at its bottom factor() calls number() and F(); F() and G() form a cycle.
 *
 * The requests are made here in the order the program makes them, so that CC can be checked.
 */
#include "unit/test_report_text.h"
#include "unit/test_report_tables_recursion_expected.h"

#define F_G_F_G "F+21 > G+30 > F+21 > G+42"

struct maker {
	struct profile_data *d;
	uint32_t before;	/* the end of the chain of the request before */
};

static void request(struct maker *m, uint64_t size, uint64_t frees, const char *chain)
{
	uint32_t node = pd_build_path(m->d, PD_ROOT_WHOLE, chain);

	pd_build_leaf(m->d, node, size, 1, frees);
	if (m->before)
		pd_build_resume(m->d, m->before, node);
	m->before = node;
}

static void count_down(struct maker *m)
{
	char chain[256] = "main+14";

	for (int n = 6; n > 0; n--) {
		size_t len = strlen(chain);

		strcpy(chain + len, " > countdown+21");
		request(m, 20, n % 2 == 0, chain);
		strcpy(chain + len, " > countdown+44");
	}
}

static void evaluate(struct maker *m)
{
	char chain[512] = "main+34";

	for (int depth = 4; depth >= 0; depth--) {
		size_t len = strlen(chain);

		if (depth != 1) {	/* factor(2) calls factor(1), which calls expr(0) */
			strcpy(chain + len, " > expr+21");
			request(m, 40, 0, chain);
			strcpy(chain + len, " > expr+47 > term+22");
			request(m, 300, 1, chain);
			strcpy(chain + len, " > expr+47 > term+35");
		}
		strcat(chain, depth == 2 ? " > factor+30" : depth ? " > factor+51" : "");
	}
	size_t len = strlen(chain);

	strcpy(chain + len, " > factor+58 > number+18");
	request(m, 12, 0, chain);
	strcpy(chain + len, " > factor+68 > " F_G_F_G);
	request(m, 10, 0, chain);
}

static struct profile_data *recursion(void)
{
	struct maker m = { .d = profile_data_new(), .before = PD_ROOT_WHOLE };

	count_down(&m);
	request(&m, 10, 0, "main+24 > " F_G_F_G);
	evaluate(&m);
	request(&m, 12, 0, "main+39 > number+18");
	request(&m, 12, 0, "main+44 > number+18");
	request(&m, 12, 0, "main+49 > number+18");
	pd_build_type(m.d, 12, "token", 0);
	pd_build_type(m.d, 40, "node", 0);
	pd_build_finish(m.d);
	return m.d;
}

static void cycles_and_recursion_make_the_expected_report(void **state)
{
	(void)state;
	struct profile_data *d = recursion();

	/* Its levels print the same. */
	for (enum report_level l = REPORT_TERSE; l <= REPORT_VERBOSE; l++) {
		char *text = tables_text(d, l, REPORT_LEAKS);

		assert_text(strchr(text, '\n') + 1, recursion_report);
		free(text);
	}
	profile_data_free(d);
}

static void call_sites_are_told_apart_with_offsets(void **state)
{
	(void)state;
	char *text;
	struct profile_data *d = recursion();

	text = tables_text(d, REPORT_NORMAL, REPORT_LEAKS_OFFSETS);
	assert_has(text, recursion_offsets);
	free(text);
	profile_data_free(d);
}

static void prolog_counts_elements_that_are_as_before(void **state)
{
	(void)state;
	struct profile_data *d = recursion();
	char *text = tables_text(d, REPORT_NORMAL, REPORT_LEAKS);

	assert_int_equal(strncmp(text, "--c60+--v4.0+--m18+--+", 22), 0);
	free(text);
	profile_data_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles_and_recursion_make_the_expected_report),
		cmocka_unit_test(call_sites_are_told_apart_with_offsets),
		cmocka_unit_test(prolog_counts_elements_that_are_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
