/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/looker.h"

#include "base/reap.h"
#include "base/sigio.h"
#include "cli/serve.h"
#include "session/save_children.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The looker gives up the session's clients, and dies with the session. */
static void begins(void *ctx)
{
	const struct serve *v = ctx;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	serve_leave_clients(v->control);
}

static int begin(struct looker *l, const struct serve *v, bool watched, look_in_fn *look, void *ctx)
{
	int fds[2];

	*l = (struct looker){0};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -errno;
	/* SIGIO must be requested before the looker starts: what it sends at once would not be
	 * signalled. */
	int failed = watched ? sigio_ask(fds[0], 0) : 0;
	if (failed) {
		close(fds[0]);
		close(fds[1]);
		return failed;
	}
	l->pid = save_child_fork(begins, (void *)(uintptr_t)v);
	if (!l->pid) {
		struct still_holder holder = {.fd = fds[1]};

		close(fds[0]);
		_exit(look(ctx, &holder));
	}
	int err = l->pid < 0 ? -errno : 0;
	close(fds[1]);
	if (err) {
		close(fds[0]);
		l->pid = 0;
	} else {
		l->fd = fds[0];
	}
	return err;
}

int looker_begin(struct looker *l, const struct serve *v, look_in_fn *look, void *ctx)
{
	return begin(l, v, false, look, ctx);
}

int looker_begin_watched(struct looker *l, const struct serve *v, look_in_fn *look, void *ctx)
{
	return begin(l, v, true, look, ctx);
}

void looker_end(struct looker *l)
{
	if (!l->pid)
		return;
	close(l->fd);
	/* The session may have been told of its end already; its pid cannot be reused before
	 * waitpid(). */
	if (!waitpid(l->pid, NULL, WNOHANG)) {
		kill(l->pid, SIGKILL);
		reap(l->pid, NULL);
	}
	l->pid = 0;
}

void looker_done(const struct still_holder *holder)
{
	still_ask(holder->fd, &(struct still_request){.order = STILL_DONE});
}
