/* SPDX-License-Identifier: BSD-2-Clause */
/* A looker asks which call chains requested lost blocks: a namer that fails, or whose answer is
 * invalid, is no answer. */
#include "unit/unit.h"
#include "unit/pd_build.h"

#include "cli/requesters.h"
#include "profile/datafile.h"
#include "still/orders.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AT = 0x1000, BLOCKS = 3 };

/* What the other side does with the files before it says that it is done. */
typedef void answer_fn(const struct requesters_files *f);

struct asked {
	struct requesters_files files;
	struct spans blocks;
	struct reach_lost lost[BLOCKS];
	struct reach reach;
	struct requesters r;
	struct error e;
};

static int setup(void **state)
{
	struct asked *a = calloc(1, sizeof *a);

	assert_non_null(a);
	assert_int_equal(requesters_files_open(&a->files), 0);
	for (uint32_t i = 0; i < BLOCKS; i++) {
		assert_int_equal(spans_add(&a->blocks, AT + 0x100 * i, 24), 0);
		a->lost[i].block = i;
	}
	assert_int_equal(spans_index(&a->blocks), 0);
	a->reach = (struct reach){.lost = a->lost, .n_lost = BLOCKS};
	*state = a;
	return 0;
}

static int teardown(void **state)
{
	struct asked *a = *state;

	requesters_release(&a->r);
	requesters_files_close(&a->files);
	spans_release(&a->blocks);
	free(a);
	return 0;
}

/* A session that has @answer given; NULL: it ends without a word. */
static void session(int fd, const struct requesters_files *f, answer_fn *answer)
{
	struct still_request q;

	if (still_read(fd, &q, sizeof q) || q.order != STILL_NAME)
		_exit(1);
	if (!answer)
		_exit(0);
	answer(f);
	_exit(still_tell_named(fd) != 0);
}

static int find(struct asked *a, answer_fn *answer)
{
	struct still_holder holder;
	int fds[2], status;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(fds[0]);
		session(fds[1], &a->files, answer);
	}
	close(fds[1]);
	holder.fd = fds[0];
	requesters_release(&a->r);
	int err = requesters_find(&a->r, &holder, &a->files, &a->reach, &a->blocks, &a->e);

	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return err;
}

static void nothing(const struct requesters_files *f)
{
	(void)f;
}

/* A profile with one path, of which all blocks are said to be but the last. */
static void tell(const struct requesters_files *f, uint32_t further)
{
	struct profile_data *d = profile_data_new();
	struct lost_request v[BLOCKS];
	struct error e;

	pd_build_chain(d, "main > lose", 24, BLOCKS - 1, 0);
	pd_build_finish(d);
	if (pread(f->blocks, v, sizeof v, 0) != sizeof v || v[2].at != AT + 0x200)
		_exit(2);
	for (size_t i = 0; i < BLOCKS - 1; i++) {
		v[i].node = d->leaves[0].node + further;
		v[i].age_ns = 5 + i;
	}
	v[2].before = true;
	if (pwrite(f->blocks, v, sizeof v, 0) != sizeof v || datafile_write_fd(f->data, d, &e))
		_exit(3);
	profile_data_free(d);
}

static void all(const struct requesters_files *f)
{
	tell(f, 0);
}

static void no_such_node(const struct requesters_files *f)
{
	tell(f, 1);
}

static void too_few(const struct requesters_files *f)
{
	tell(f, 0);
	if (ftruncate(f->blocks, sizeof(struct lost_request)))
		_exit(4);
}

static void half(const struct requesters_files *f)
{
	tell(f, 0);
	if (ftruncate(f->data, lseek(f->data, 0, SEEK_END) / 2))
		_exit(5);
}

static void what_is_told_is_what_the_report_gets(void **state)
{
	struct asked *a = *state;

	assert_int_equal(find(a, all), 0);
	assert_ptr_equal(a->r.requests.d, a->r.d);
	assert_int_equal(a->r.d->totals.allocs, BLOCKS - 1);
	assert_int_equal(a->r.requests.v[1].at, AT + 0x100);
	assert_int_equal(a->r.requests.v[1].age_ns, 6);
	assert_int_equal(a->r.requests.v[1].node, a->r.d->leaves[0].node);
	assert_int_equal(a->r.requests.v[2].node, PD_NONE);
	assert_true(a->r.requests.v[2].before);
}

/* The answer of the last time is not used again. */
static void what_is_not_told_is_not_known(void **state)
{
	struct asked *a = *state;

	assert_int_equal(find(a, all), 0);
	assert_true(find(a, nothing) < 0);
	assert_null(a->r.requests.d);
	assert_string_equal(a->e.text, "the session could not say it");
	assert_int_equal(find(a, NULL), -EPIPE);
	assert_null(a->r.requests.d);
}

static void what_makes_no_sense_is_not_known(void **state)
{
	answer_fn *const wrong[] = {no_such_node, too_few, half};
	struct asked *a = *state;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_true(find(a, wrong[i]) < 0);
		assert_null(a->r.requests.d);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_told_is_what_the_report_gets),
		TEST(what_is_not_told_is_not_known),
		TEST(what_makes_no_sense_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
