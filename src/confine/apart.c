/* SPDX-License-Identifier: BSD-2-Clause */
#include "confine/apart.h"

#include "base/clock.h"
#include "base/readall.h"
#include "base/reap.h"
#include "base/writeall.h"
#include "proc/descriptors.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Processor time for all names; those of a browser take a tenth of it. And elapsed time for the end
 * of a process that has closed its end of the connection, which the kernel does when it exits.
 * Tests wait for less. */
#ifdef MPROF_TAKEN_OVER
enum { SECONDS = 2, CLOSED_SECONDS = 1 };
#else
enum { SECONDS = 300, CLOSED_SECONDS = 10 };
#endif

/* Elapsed time, for a process that sleeps: it takes no processor time, and honest ones do not
 * sleep. */
enum { PATIENCE_SECONDS = 1200 };

/* How often the sizes of its files in memory are added up. */
enum { LOOK_MS = 100 };

/* Exit status of a process that had no memory; libdw exits with the same. */
enum { OUT_OF_MEMORY = EXIT_FAILURE, FAILED = 2 };

/* Precedes a request and an answer. */
struct head {
	int32_t what;	/* kind of a request; 0 or -errno of an answer */
	uint32_t n;	/* number of bytes that follow */
};

/* The connection between the two processes. */
struct door {
	int here, there;		/* connected sockets; -1: closed */
	_Atomic uint32_t *noted;	/* a page shared by both, for apart_note() */
	int out;
};

static struct door own = { .here = -1, .there = -1, .out = -1 };

/* At most @most, less if the user's resource limit allows less. */
static uint64_t allowed(int what, uint64_t used, uint64_t most)
{
	struct rlimit r;

	if (getrlimit(what, &r) || r.rlim_cur == RLIM_INFINITY)
		return most;
	uint64_t left = r.rlim_cur > used ? r.rlim_cur - used : 0;

	return left < most ? left : most;
}

struct confine_bounds apart_bounds(void)
{
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	return (struct confine_bounds){
		.bytes = allowed(RLIMIT_AS, confine_addresses(), all - all / 4),
		.seconds = (unsigned)allowed(RLIMIT_CPU, 0, SECONDS),
	};
}

/* ---- the door ---- */

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void door_close(struct door *d)
{
	close_one(&d->here);
	close_one(&d->there);
	if (d->noted)
		munmap((void *)d->noted, sizeof *d->noted);
	d->noted = NULL;
}

static int door_open(struct door *d)
{
	int ends[2];

	*d = (struct door){ .here = -1, .there = -1 };
	d->out = memfd_create("mprof apart", MFD_CLOEXEC);
	if (d->out < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	d->here = ends[0];
	d->there = ends[1];
	void *page = mmap(NULL, sizeof *d->noted, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return -errno;
	d->noted = page;
	return 0;
}

/* ---- in the confined process ---- */

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

__attribute__((noreturn)) static void run_confined(const struct apart_work *w, struct door *d,
						   pid_t parent)
{
	int *fds = calloc(w->n_fds + 2, sizeof *fds);
	size_t n = 0;

	forget_signals(parent);
	prctl(PR_SET_NAME, "mprof-apart");
	close_one(&d->here);
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

/* ---- in the parent ---- */

#define NS_PER_S UINT64_C(1000000000)

/* What the confined process may still do. */
struct watched {
	const struct apart_work *w;
	pid_t pid;
	int fd;		/* our end of the connection */
	uint64_t until_ns, looked_ns;
};

/* RLIMIT_FSIZE bounds each file in memory, but not their number. */
static bool holds_too_much(struct watched *t, uint64_t now_ns)
{
	if (now_ns - t->looked_ns < LOOK_MS * (NS_PER_S / 1000))
		return false;
	t->looked_ns = now_ns;
	return proc_memfd_bytes(t->pid) > t->w->bounds.bytes;
}

/* 0, -ETIMEDOUT, or -EDQUOT: its files take too much. */
static int look(struct watched *t)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns >= t->until_ns)
		return -ETIMEDOUT;
	return holds_too_much(t, now_ns) ? -EDQUOT : 0;
}

/* Wait until there is something to read, or room to write: it may stop in the middle of a request,
 * or never read an answer. As look(), or -errno. */
static int await(struct watched *t, short what)
{
	struct pollfd p = { .fd = t->fd, .events = what };

	for (;;) {
		int err = look(t);

		if (err)
			return err;
		int ready = poll(&p, 1, LOOK_MS);
		if (ready > 0)
			return 0;
		if (ready < 0 && errno != EINTR)
			return -errno;
	}
}

/* -EPIPE: it has closed its end. */
static int take(struct watched *t, void *to, size_t n)
{
	int err = 0;

	for (char *at = to; n && !(err = await(t, POLLIN));) {
		ssize_t got = read(t->fd, at, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EPIPE;
		at += got;
		n -= (size_t)got;
	}
	return err;
}

/* Read a request; *bytes is the caller's to free, also after an error. */
static int read_request(struct watched *t, struct head *h, char **bytes)
{
	int err = take(t, h, sizeof *h);

	if (!err && h->n > APART_ASKED)
		err = -EPROTO;
	if (err)
		return err;
	*bytes = malloc((size_t)h->n + 1);
	if (!*bytes)
		return -ENOMEM;
	(*bytes)[h->n] = '\0';
	return take(t, *bytes, h->n);
}

/* Send an answer. MSG_NOSIGNAL: the process may have ended, and SIGPIPE would kill us. */
static int answer(struct watched *t, int what, const char *text)
{
	char bytes[sizeof(struct head) + APART_ANSWER];
	struct head h = { what, (uint32_t)strlen(text) };
	size_t n = sizeof h + h.n, done = 0;
	int err = 0;

	memcpy(bytes, &h, sizeof h);
	memcpy(bytes + sizeof h, text, h.n);
	while (done < n && !(err = await(t, POLLOUT))) {
		ssize_t sent = send(t->fd, bytes + done, n - done, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		done += sent > 0 ? (size_t)sent : 0;
	}
	return err;
}

/* The time that we take is not charged to the confined process. */
static int serve_one(struct watched *t)
{
	char text[APART_ANSWER] = "", *bytes = NULL;
	struct head h;
	int err = read_request(t, &h, &bytes);

	if (!err) {
		uint64_t began_ns = clock_now_ns();
		int what = t->w->serve(t->w->ctx, (unsigned)h.what, bytes, h.n, text);

		t->until_ns += clock_now_ns() - began_ns;
		text[sizeof text - 1] = '\0';
		err = answer(t, what, text);
	}
	free(bytes);
	return err;
}

/* Serve requests until the process has closed its end. As look(), or -errno: the connection failed,
 * or we have no memory. */
static int serve_all(struct watched *t)
{
	int err = 0;

	while (!err)
		err = serve_one(t);
	return err == -EPIPE || err == -ECONNRESET ? 0 : err;
}

/* Whoever has closed its end of the connection need not end because of that. True: it did, *wstatus
 * is set; *err: as look(). */
static bool ends_soon(struct watched *t, int *wstatus, int *err)
{
	enum { WITHOUT_PIDFD_MS = 5 };
	struct pollfd p = { .fd = (int)syscall(SYS_pidfd_open, t->pid, 0), .events = POLLIN };
	const uint64_t soon_ns = clock_now_ns() + CLOSED_SECONDS * NS_PER_S;
	bool ended;

	if (soon_ns < t->until_ns)
		t->until_ns = soon_ns;
	while (!(ended = waitpid(t->pid, wstatus, WNOHANG) == t->pid) && !(*err = look(t)))
		poll(&p, 1, p.fd < 0 ? WITHOUT_PIDFD_MS : LOOK_MS);
	close_one(&p.fd);
	return ended;
}

static void tell_memory(struct error *why, const struct confine_bounds *b)
{
	if (b->bytes >> 20)
		error_set(why, 0, "took more than %lu MiB of memory",
			  (unsigned long)(b->bytes >> 20));
	else
		error_set(why, 0, "took more memory than mprof may (ulimit -v)");
}

static void tell_end(struct apart_end *end, const struct apart_work *w, int wstatus, int err)
{
	int sig = WIFSIGNALED(wstatus) ? WTERMSIG(wstatus) : 0;

	end->fine = !wstatus;
	if (!wstatus)
		return;
	if (err == -ETIMEDOUT)
		error_set(&end->why, 0, "did not come to an end");
	else if (err == -EDQUOT || (!sig && WEXITSTATUS(wstatus) == OUT_OF_MEMORY))
		tell_memory(&end->why, &w->bounds);
	else if (err)
		error_set(&end->why, 0, "failed: %s", strerror(-err));
	else if (sig == SIGXCPU)
		error_set(&end->why, 0, "took more than %u seconds of processor time",
			  w->bounds.seconds);
	else if (sig == CONFINE_NO_FILTER)
		error_set(&end->why, 0, "had not enough memory to confine itself");
	else if (sig == SIGXFSZ)
		error_set(&end->why, 0, "may write no file of the size that takes (ulimit -f)");
	else if (sig)
		error_set(&end->why, 0, "ended with signal %d (%s)", sig, strsignal(sig));
	else
		error_set(&end->why, 0, "failed");
}

/* Serve the process until its end, which is ours to bring about if it takes too much. */
static int serve_to_the_end(struct watched *t, int *wstatus)
{
	int err = serve_all(t);

	if (!err && ends_soon(t, wstatus, &err))
		return 0;
	kill(t->pid, SIGKILL);
	reap(t->pid, wstatus);
	return err;
}

static struct watched watched_from_now(const struct apart_work *w, pid_t pid, int fd)
{
	const uint64_t patience_s = w->patience_s ? w->patience_s : PATIENCE_SECONDS,
		       now_ns = clock_now_ns();

	return (struct watched){ .w = w, .pid = pid, .fd = fd, .looked_ns = now_ns,
				 .until_ns = now_ns + patience_s * NS_PER_S };
}

static void cannot(struct apart_end *end, int err)
{
	error_set(&end->why, err, "needs a process of its own, which cannot be made: %s",
		  strerror(-err));
}

int apart_run(const struct apart_work *w, struct apart_end *end)
{
	struct door d;
	int err = door_open(&d);
	pid_t self = getpid();

	*end = (struct apart_end){ .noted = UINT32_MAX };
	if (w->out)
		*w->out = d.out;
	if (d.noted)
		atomic_store(d.noted, UINT32_MAX);
	fflush(NULL);
	pid_t pid = err ? -1 : fork();
	if (pid == 0)
		run_confined(w, &d, self);
	if (pid < 0) {
		cannot(end, err ? err : -errno);
	} else {
		struct watched t = watched_from_now(w, pid, d.here);
		int wstatus = -1;

		close_one(&d.there);
		err = serve_to_the_end(&t, &wstatus);
		tell_end(end, w, wstatus, err);
		end->noted = atomic_load(d.noted);
	}
	door_close(&d);
	if (!end->fine && d.out >= 0)
		close(d.out);
	return end->fine ? d.out : -1;
}
