/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole report with paths of every length and leaks on both sides of the thresholds: 200,000
 * bytes are kept, so 0.5% is 1,000 bytes and 1% is 2,000.
 */
#include "unit/test_report_text.h"
#include "unit/test_report_tables_chains_expected.h"
#include "unit/test_report_tables_chains_levels.h"

static const struct {
	const char *chain;
	uint64_t size, allocs, frees;
} requests[] = {
	{ "main+13 > deep1+9 > deep2+9 > deep3+9 > deep4+9 > deep5+9 > deep6+9 > deep7+9 > "
	  "deep8+9 > deep9+9 > deep10+14", 60000, 1, 0 },
	{ "main+18 > five1+9 > five2+9 > five3+9 > five4+14", 30000, 1, 0 },
	{ "main+23 > six1+9 > six2+9 > six3+9 > six4+9 > six5+14", 25000, 1, 0 },
	{ "main+28 > short1+9 > short2+14", 20000, 1, 0 },
	{ "main+33 > many_sites+14", 6000, 1, 0 },
	{ "main+33 > many_sites+32", 5000, 1, 0 },
	{ "main+33 > many_sites+50", 4000, 1, 0 },
	{ "main+33 > many_sites+68", 3000, 1, 0 },
	{ "main+33 > many_sites+86", 2500, 1, 0 },
	{ "main+33 > many_sites+104", 1500, 1, 0 },
	{ "main+38 > two_sites+18", 7000, 1, 1 },
	{ "main+38 > two_sites+32", 9000, 1, 0 },
	{ "main+43 > twice1+14 > twice2+24", 1100, 1, 0 },
	{ "main+43 > twice1+24 > twice2+24", 1300, 1, 0 },
	{ "main+48 > kept_999+14", 999, 1, 0 },
	{ "main+53 > kept_1000+14", 1000, 1, 0 },
	{ "main+58 > kept_1001+14", 1001, 1, 0 },
	{ "main+63 > kept_1999+14", 1999, 1, 0 },
	{ "main+68 > kept_2000+14", 2000, 1, 0 },
	{ "main+73 > kept_2001+14", 2001, 1, 0 },
	{ "main+78 > churn+27", 40, 10000, 9999 },
	{ "main+83 > clean+24", 500, 100, 100 },
	{ "main+88 > nothing+14", 0, 1, 0 },
	{ "main+88 > nothing+32", 0, 1, 0 },
	{ "main+93 > fill+14", 17560, 1, 0 },
	{ "main+103", 5000, 1, 0 },
};

static int chains(void **state)
{
	struct profile_data *d = profile_data_new();

	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		pd_build_chain(d, requests[i].chain, requests[i].size, requests[i].allocs,
			       requests[i].frees);
	pd_build_finish(d);
	*state = d;
	return 0;
}

static int forget(void **state)
{
	profile_data_free(*state);
	return 0;
}

static void normal_shows_all_above_half_a_percent(void **state)
{
	char *text = tables_text(*state, REPORT_NORMAL, REPORT_LEAKS);

	assert_text(strchr(text, '\n') + 1, chains_report);
	free(text);
}

static void terse_shows_all_above_one_percent(void **state)
{
	char *text = tables_text(*state, REPORT_TERSE, REPORT_LEAKS);

	assert_has(text, chains_terse);
	free(text);
}

static void verbose_shows_every_call_site(void **state)
{
	char *text = tables_text(*state, REPORT_VERBOSE, REPORT_LEAKS_OFFSETS);

	assert_has(text, chains_verbose);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(normal_shows_all_above_half_a_percent, chains,
						forget),
		cmocka_unit_test_setup_teardown(terse_shows_all_above_one_percent, chains, forget),
		cmocka_unit_test_setup_teardown(verbose_shows_every_call_site, chains, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
