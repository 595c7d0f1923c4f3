/* SPDX-License-Identifier: BSD-2-Clause */
/* The side of the confined process. */
#include "confine/apart_internal.h"

#include "base/readall.h"
#include "base/writeall.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static struct door own = { .here = -1, .there = -1, .out = -1 };

void apart_note(uint32_t what)
{
	if (own.noted)
		atomic_store(own.noted, what);
}

void apart_out_of_memory(void)
{
	_exit(OUT_OF_MEMORY);
}

int apart_ask(unsigned kind, const void *bytes, size_t n, char answer[APART_ANSWER])
{
	struct head h = { (int32_t)kind, (uint32_t)n };
	char thrown_away[APART_ANSWER];

	if (n > APART_ASKED)
		return -E2BIG;
	int err = write_all(own.there, &h, sizeof h);

	err = err ? err : write_all(own.there, bytes, n);
	err = err ? err : read_all(own.there, &h, sizeof h);
	if (!err && h.n >= APART_ANSWER)
		err = -EPROTO;
	char *to = answer ? answer : thrown_away;

	err = err ? err : read_all(own.there, to, h.n);
	if (!err)
		to[h.n] = '\0';
	return err ? err : h.what;
}

int apart_pause(void)
{
	return apart_ask(PAUSES, NULL, 0, NULL);
}

/*
 * No signal handler of ours may run there. Signals that users or a terminal send to end us are
 * handled by the parent: this process ends when it does.
 */
static void forget_signals(pid_t parent)
{
	static const int ours[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		signal(ours[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(FAILED);
}

void apart_inside(const struct apart_work *w, struct door *d, pid_t parent)
{
	int *fds = calloc(w->n_fds + 2, sizeof *fds);
	size_t n = 0;

	forget_signals(parent);
	prctl(PR_SET_NAME, "mprof-apart");
	apart_close(&d->here);
	own = *d;
	if (!fds)
		_exit(OUT_OF_MEMORY);
	for (size_t i = 0; i < w->n_fds; i++)
		if (w->fds[i] >= 0)
			fds[n++] = w->fds[i];
	fds[n++] = own.there;
	fds[n++] = own.out;
	confine_let_go(fds, n, (const void *)own.noted);
	free(fds);
	confine_self(&w->bounds);
#ifdef MPROF_TAKEN_OVER
	apart_taken_over();
#endif
	int err = w->work(w->ctx, own.out);

	_exit(!err ? 0 : err == -ENOMEM || err == -EFBIG ? OUT_OF_MEMORY : FAILED);
}
