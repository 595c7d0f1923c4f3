/* SPDX-License-Identifier: BSD-2-Clause */
/* A looker beside the session: its requests are received, however fast they come. */
#include "unit/unit.h"

#include "cli/looker.h"
#include "cli/serve.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { LATE_NS = 50000000, LIMIT_S = 60 };

/* In place of the C library's: who forks goes on when the child has long said its first word. */
pid_t fork(void)
{
	const struct timespec late = {0, LATE_NS};
	pid_t pid = _Fork();

	if (pid > 0)
		nanosleep(&late, NULL);
	return pid;
}

static int ask_at_once(void *ctx, struct still_holder *holder)
{
	const struct still_request r = {.order = *(const enum still_order *)ctx};

	still_ask(holder->fd, &r);
	/* The answer is the end of the other side. */
	char answer;

	return still_read(holder->fd, &answer, 1) ? 0 : 1;
}

static int end_at_once(void *ctx, struct still_holder *holder)
{
	(void)ctx;
	close(holder->fd);
	return 0;
}

/* As a session waits: for a signal, and without looking in between. */
static void await_told(void)
{
	const struct timespec limit = {LIMIT_S, 0};
	sigset_t io;

	sigemptyset(&io);
	sigaddset(&io, SIGIO);
	assert_int_equal(sigtimedwait(&io, NULL, &limit), SIGIO);
}

static void begin(struct looker *l, look_in_fn *look, void *ctx)
{
	static struct serve nobody;
	sigset_t io;

	sigemptyset(&io);
	sigaddset(&io, SIGIO);
	sigprocmask(SIG_BLOCK, &io, NULL);
	assert_int_equal(looker_begin_watched(l, &nobody, look, ctx), 0);
}

static void what_it_asks_for_before_the_session_goes_on_is_told(void **state)
{
	enum still_order order = STILL_NAME;
	struct still_request r;
	struct looker l;

	(void)state;
	begin(&l, ask_at_once, &order);
	await_told();
	assert_int_equal(still_next(l.fd, 0, &r), 0);
	assert_int_equal(r.order, STILL_NAME);
	looker_end(&l);
	assert_int_equal(l.pid, 0);
}

static void an_end_before_the_session_goes_on_is_told(void **state)
{
	struct still_request r;
	struct looker l;

	(void)state;
	begin(&l, end_at_once, NULL);
	await_told();
	assert_int_equal(still_next(l.fd, 0, &r), -EPIPE);
	looker_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_asks_for_before_the_session_goes_on_is_told),
		cmocka_unit_test(an_end_before_the_session_goes_on_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
