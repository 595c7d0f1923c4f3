/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_profile_datafile.h"

#include "profile/datafile_flat.h"

#include <sys/mman.h>

/* A profile sent from one process of ours to another: what arrives is what was sent, or nothing. */

static int file_of(const unsigned char *bytes, size_t n)
{
	int fd = memfd_create("flat", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, n, 0), n);
	return fd;
}

/* The bytes that are sent, for free(). */
static unsigned char *sent(const struct profile_data *d, size_t *n)
{
	struct error e;
	struct stat st;
	int fd = file_of(NULL, 0);

	/* Where its descriptor stands does not matter. */
	assert_int_equal(lseek(fd, 7, SEEK_SET), 7);
	if (datafile_send(fd, d, &e))
		fail_msg("%s", e.text);
	assert_int_equal(fstat(fd, &st), 0);
	*n = (size_t)st.st_size;
	unsigned char *bytes = array(*n, 1);

	assert_int_equal(pread(fd, bytes, *n, 0), *n);
	close(fd);
	return bytes;
}

/* NULL: refused, as damaged. */
static struct profile_data *received(const unsigned char *bytes, size_t n)
{
	struct profile_data *d = (void *)1;
	struct error e = { "" };
	int fd = file_of(bytes, n), err = datafile_receive(fd, &d, &e);

	close(fd);
	assert_int_equal(!err, d != NULL);
	assert_true(!err || (err == -EUCLEAN && *e.text));
	return d;
}

static void assert_arrives(struct profile_data *d)
{
	size_t n;
	unsigned char *bytes = sent(d, &n);
	struct profile_data *got = received(bytes, n);

	assert_non_null(got);
	assert_profiles_equal(d, got);
	profile_data_free(got);
	profile_data_free(d);
	free(bytes);
}

static void what_is_sent_arrives(void **state)
{
	(void)state;
	assert_arrives(profile_data_new());
	for (uint64_t seed = 1; seed < 20; seed++)
		assert_arrives(random_profile(1 + seed * 7, 3 + seed * 31, 40 + seed * seed * 100,
					      seed));
}

/* As long as three of the buffers that it goes through. */
static void a_long_text_arrives(void **state)
{
	struct profile_data *d = random_profile(3, 5, 60, 1);
	size_t n = 200000;
	char *name = array(n + 1, 1);

	(void)state;
	for (size_t i = 0; i < n; i++)
		name[i] = (char)('a' + i % 26);
	free(d->functions[1].name);
	d->functions[1].name = name;
	assert_arrives(d);
}

static void what_is_cut_off_is_refused(void **state)
{
	struct profile_data *d = random_profile(3, 5, 60, 2);
	size_t n;
	unsigned char *bytes = sent(d, &n);

	(void)state;
	for (size_t len = 0; len < n; len++)
		assert_null(received(bytes, len));
	profile_data_free(d);
	free(bytes);
}

static void what_is_behind_it_is_refused(void **state)
{
	struct profile_data *d = random_profile(3, 5, 60, 3);
	size_t n;
	unsigned char *bytes = sent(d, &n), *more = array(n + 1, 1);

	(void)state;
	memcpy(more, bytes, n);
	assert_null(received(more, n + 1));
	profile_data_free(d);
	free(bytes);
	free(more);
}

static void a_changed_byte_is_refused(void **state)
{
	struct profile_data *d = random_profile(3, 5, 60, 4);
	size_t n;
	unsigned char *bytes = sent(d, &n);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (int bit = 0; bit < 8; bit++) {
			bytes[i] ^= (unsigned char)(1 << bit);
			if (received(bytes, n))
				fail_msg("bit %d of byte %zu does not matter", bit, i);
			bytes[i] ^= (unsigned char)(1 << bit);
		}
	profile_data_free(d);
	free(bytes);
}

/* An invalid profile is not sent; one that somebody has forged is not accepted. */
static void what_makes_no_sense_is_not_sent(void **state)
{
	struct profile_data *d = random_profile(3, 5, 60, 5);
	struct error e = { "" };
	int fd = file_of(NULL, 0);

	(void)state;
	d->nodes[d->n_nodes - 1].site = (uint32_t)d->n_sites;
	assert_int_equal(datafile_send(fd, d, &e), -EINVAL);
	assert_non_null(strstr(e.text, "there is no such site"));
	profile_data_free(d);
	close(fd);
}

static void a_full_disk_is_said(void **state)
{
	struct profile_data *d = random_profile(3, 5, 60, 6);
	struct error e = { "" };
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(datafile_send(fd, d, &e), -ENOSPC);
	assert_non_null(strstr(e.text, "No space left"));
	profile_data_free(d);
	close(fd);
}

/* ---- values ---- */

static int put_values(const uint64_t *v, size_t n)
{
	struct flat_out *out = array(1, sizeof *out);
	int fd = file_of(NULL, 0);

	out->fd = fd;
	for (size_t i = 0; i < n; i++)
		flat_put_int(out, v[i]);
	flat_put_real(out, -0.25);
	flat_put_null(out);
	flat_put_text(out, "", 0);
	assert_int_equal(flat_out_end(out), 0);
	free(out);
	return fd;
}

static void values_come_back_in_their_order_and_kind(void **state)
{
	static const uint64_t v[] = {0, 1, 255, 256, 65535, 65536, UINT64_MAX >> 8,
				     UINT64_MAX >> 7, UINT64_MAX - 1, UINT64_MAX};
	enum { N = sizeof v / sizeof *v };
	struct flat_in *in = array(1, sizeof *in);
	int fd = put_values(v, N);
	uint64_t value;
	double real;
	char *text;
	size_t len = 1;

	(void)state;
	assert_int_equal(flat_in_begin(in, fd), 0);
	for (size_t i = 0; i < N; i++) {
		assert_false(flat_get_null(in) || flat_get_real(in, &real) ||
			     flat_get_text(in, &text, &len));
		assert_true(flat_get_int(in, &value));
		assert_int_equal(value, v[i]);
	}
	assert_false(flat_get_int(in, &value));
	assert_true(flat_get_real(in, &real) && real < -0.2 && real > -0.3);
	assert_true(flat_get_null(in));
	assert_false(flat_in_is_over(in));
	assert_true(flat_get_text(in, &text, &len) && text && !len && !*text);
	assert_true(flat_in_is_over(in));
	assert_false(flat_get_int(in, &value) || flat_get_null(in));
	free(text);
	free(in);
	close(fd);
}

/* No more memory is allocated than the file has bytes. */
static void a_text_that_is_longer_than_the_file_is_none(void **state)
{
	static const unsigned char bytes[] = { 2, 3 + 8, 0xff, 0xff, 0xff, 0xff,
					       0xff, 0xff, 0xff, 0x7f, 'a' };
	struct flat_in *in = array(1, sizeof *in);
	int fd = file_of(bytes, sizeof bytes);
	char *text = (void *)1;
	size_t len;

	(void)state;
	assert_int_equal(flat_in_begin(in, fd), 0);
	assert_false(flat_get_text(in, &text, &len));
	assert_null(text);
	free(in);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_sent_arrives),
		cmocka_unit_test(a_long_text_arrives),
		cmocka_unit_test(what_is_cut_off_is_refused),
		cmocka_unit_test(what_is_behind_it_is_refused),
		cmocka_unit_test(a_changed_byte_is_refused),
		cmocka_unit_test(what_makes_no_sense_is_not_sent),
		cmocka_unit_test(a_full_disk_is_said),
		cmocka_unit_test(values_come_back_in_their_order_and_kind),
		cmocka_unit_test(a_text_that_is_longer_than_the_file_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
