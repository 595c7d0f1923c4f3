/* SPDX-License-Identifier: BSD-2-Clause */
/* A sound file that there is no memory for is not said to be damaged, nor read in part. */
#include "unit/test_profile_datafile.h"
#include "unit/no_memory.h"

static void whichever_request_for_memory_fails_a_sound_file_is_not_damaged(void **state)
{
	struct profile_data *d = random_profile(40, 80, 60, 90), *got;
	long n = 0, lost = 0;
	struct error e;
	bool failed;

	(void)state;
	assert_int_equal(datafile_write("sound.data", d, &e), 0);
	do {
		e.text[0] = '\0';
		no_memory_after(n++);
		int err = datafile_read("sound.data", &got, &e);
		failed = no_memory_end();
		if (err != -ENOMEM && err)
			fail_msg("after %ld requests: %d, %s", n - 1, err, e.text);
		assert_true(failed || !err);
		if (!err)
			assert_profiles_equal(d, got);
		else
			assert_string_not_equal(e.text, "");
		profile_data_free(err ? NULL : got);
		lost += err != 0;
	} while (failed);
	profile_data_free(d);
	assert_in_range(lost, 50, n);
	print_message("# %ld requests, %ld of them needed\n", n - 1, lost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			whichever_request_for_memory_fails_a_sound_file_is_not_damaged,
			test_dir_clean),
	};

	return cmocka_run_group_tests_name("profile/datafile", tests, test_dir_make,
					   test_dir_remove);
}
