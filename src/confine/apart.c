/* SPDX-License-Identifier: BSD-2-Clause */
#include "confine/apart_internal.h"

#include "base/clock.h"
#include "proc/descriptors.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

void apart_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void door_close(struct door *d)
{
	apart_close(&d->here);
	apart_close(&d->there);
	if (d->noted)
		munmap((void *)d->noted, sizeof *d->noted);
	d->noted = NULL;
}

static int door_open(struct door *d)
{
	int ends[2];

	*d = (struct door){ .here = -1, .there = -1, .out = -1 };
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

#define NS_PER_S UINT64_C(1000000000)

struct apart {
	struct apart_work w;
	struct door d;
	pid_t parent, pid;	/* who began it, and itself */
	int pidfd;		/* -1: this kernel has none */
	bool paused;
	int err;		/* why the connection is not used any more */
	uint64_t until_ns, looked_ns;	/* what the confined process may still do */
};

/* RLIMIT_FSIZE bounds each file in memory, but not their number. */
static bool holds_too_much(struct apart *a, uint64_t now_ns)
{
	if (now_ns - a->looked_ns < LOOK_MS * (NS_PER_S / 1000))
		return false;
	a->looked_ns = now_ns;
	return proc_memfd_bytes(a->pid) > a->w.bounds.bytes;
}

/* 0, -ETIMEDOUT, or -EDQUOT: its files take too much. */
static int look(struct apart *a)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns >= a->until_ns)
		return -ETIMEDOUT;
	return holds_too_much(a, now_ns) ? -EDQUOT : 0;
}

static void tell_that_we_wait(const struct apart *a)
{
	if (a->w.waits)
		a->w.waits(a->w.ctx);
}

/* Wait until there is something to read, or room to write: it may stop in the middle of a request,
 * or never read an answer. As look(), or -errno. */
static int await(struct apart *a, short what)
{
	struct pollfd p = { .fd = a->d.here, .events = what };

	for (;;) {
		int err = look(a);

		if (err)
			return err;
		tell_that_we_wait(a);
		int ready = poll(&p, 1, LOOK_MS);
		if (ready > 0)
			return 0;
		if (ready < 0 && errno != EINTR)
			return -errno;
	}
}

/* -EPIPE: it has closed its end. */
static int take(struct apart *a, void *to, size_t n)
{
	int err = 0;

	for (char *at = to; n && !(err = await(a, POLLIN));) {
		ssize_t got = read(a->d.here, at, n);

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
static int read_request(struct apart *a, struct head *h, char **bytes)
{
	int err = take(a, h, sizeof *h);

	if (!err && h->n > APART_ASKED)
		err = -EPROTO;
	if (err)
		return err;
	*bytes = malloc((size_t)h->n + 1);
	if (!*bytes)
		return -ENOMEM;
	(*bytes)[h->n] = '\0';
	return take(a, *bytes, h->n);
}

/* Send an answer. MSG_NOSIGNAL: the process may have ended, and SIGPIPE would kill us. */
static int answer(struct apart *a, int what, const char *text)
{
	char bytes[sizeof(struct head) + APART_ANSWER];
	struct head h = { what, (uint32_t)strlen(text) };
	size_t n = sizeof h + h.n, done = 0;
	int err = 0;

	memcpy(bytes, &h, sizeof h);
	memcpy(bytes + sizeof h, text, h.n);
	while (done < n && !(err = await(a, POLLOUT))) {
		ssize_t sent = send(a->d.here, bytes + done, n - done, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		done += sent > 0 ? (size_t)sent : 0;
	}
	return err;
}

/* Neither time nor memory is taken by one that pauses. */
static void pause_it(struct apart *a)
{
	a->until_ns -= clock_now_ns();
	a->paused = !syscall(SYS_pidfd_send_signal, a->pidfd, SIGSTOP, NULL, 0);
	a->err = a->paused ? 0 : -errno;
}

/* The time that we take is not charged to the confined process. */
static int carry_out(struct apart *a, const struct head *h, const char *bytes)
{
	char text[APART_ANSWER] = "";
	uint64_t began_ns = clock_now_ns();
	int what = a->w.serve(a->w.ctx, (unsigned)h->what, bytes, h->n, text);

	a->until_ns += clock_now_ns() - began_ns;
	text[sizeof text - 1] = '\0';
	return answer(a, what, text);
}

static int serve_one(struct apart *a)
{
	char *bytes = NULL;
	struct head h;
	int err = read_request(a, &h, &bytes);

	if (!err && h.what == PAUSES && a->w.pauses)
		pause_it(a);
	else if (!err)
		err = carry_out(a, &h, bytes);
	free(bytes);
	return err ? err : a->err;
}

bool apart_serve(struct apart *a)
{
	while (!a->err && !a->paused)
		a->err = serve_one(a);
	return a->paused;
}

int apart_go_on(struct apart *a)
{
	a->paused = false;
	a->until_ns += clock_now_ns();
	a->err = syscall(SYS_pidfd_send_signal, a->pidfd, SIGCONT, NULL, 0) ? -EPIPE : 0;
	if (!a->err)
		a->err = answer(a, 0, "");
	return a->err;
}

/* True: it has ended, *wstatus is set. False: it has not yet. */
static bool has_ended(const struct apart *a, int *wstatus, int flags)
{
	const bool known = a->pidfd >= 0;
	siginfo_t si = { 0 };

	if (waitid(known ? P_PIDFD : P_PID, (id_t)(known ? a->pidfd : a->pid), &si,
		   WEXITED | flags)) {
		/* While it paused, somebody else who waits for any child has got to know. */
		*wstatus = SIGKILL;
		return errno == ECHILD;
	}
	*wstatus = si.si_code == CLD_EXITED ? si.si_status << 8 : si.si_status;
	return si.si_pid;
}

/* Whoever has closed its end of the connection need not end because of that. True: it did, *wstatus
 * is set; *err: as look(). */
static bool ends_soon(struct apart *a, int *wstatus, int *err)
{
	enum { WITHOUT_PIDFD_MS = 5 };
	struct pollfd p = { .fd = a->pidfd, .events = POLLIN };
	const uint64_t soon_ns = clock_now_ns() + CLOSED_SECONDS * NS_PER_S;
	bool ended;

	if (soon_ns < a->until_ns)
		a->until_ns = soon_ns;
	while (!(ended = has_ended(a, wstatus, WNOHANG)) && !(*err = look(a))) {
		tell_that_we_wait(a);
		poll(&p, 1, p.fd < 0 ? WITHOUT_PIDFD_MS : LOOK_MS);
	}
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

static void kill_it(const struct apart *a, int *wstatus)
{
	if (a->pidfd < 0)
		kill(a->pid, SIGKILL);
	else
		syscall(SYS_pidfd_send_signal, a->pidfd, SIGKILL, NULL, 0);
	while (!has_ended(a, wstatus, 0))
		;
}

/* Wait for its end, or bring it about. As look(), or -errno: the connection failed, or we had no
 * memory. */
static int await_end(struct apart *a, int *wstatus)
{
	int err = a->err == -EPIPE || a->err == -ECONNRESET ? 0 : a->err;

	if (a->paused || err || !ends_soon(a, wstatus, &err))
		kill_it(a, wstatus);
	return err;
}

static void cannot(struct apart_end *end, int err)
{
	error_set(&end->why, err, "needs a process of its own, which cannot be made: %s",
		  strerror(-err));
}

/* One that can be waited for (Linux 5.4), or -1. */
static int pidfd_of(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	siginfo_t si;

	if (fd >= 0 && waitid(P_PIDFD, (id_t)fd, &si, WEXITED | WNOHANG | WNOWAIT) &&
	    errno == EINVAL)
		apart_close(&fd);
	return fd;
}

bool apart_can_pause(void)
{
	int fd = pidfd_of(getpid());
	bool can = fd >= 0;

	apart_close(&fd);
	return can;
}

/* Returns 0, or -errno: there is no process. */
static int begin(struct apart *a)
{
	const uint64_t patience_s = a->w.patience_s ? a->w.patience_s : PATIENCE_SECONDS;
	int err = door_open(&a->d);

	if (err)
		return err;
	if (a->w.out)
		*a->w.out = a->d.out;
	atomic_store(a->d.noted, UINT32_MAX);
	fflush(NULL);
	a->pid = fork();
	if (a->pid == 0)
		apart_inside(&a->w, &a->d, a->parent);
	if (a->pid < 0)
		return -errno;
	apart_close(&a->d.there);
	a->pidfd = pidfd_of(a->pid);
	a->looked_ns = clock_now_ns();
	a->until_ns = a->looked_ns + patience_s * NS_PER_S;
	return 0;
}

static void release(struct apart *a)
{
	apart_close(&a->pidfd);
	apart_close(&a->d.out);
	door_close(&a->d);
	free(a);
}

struct apart *apart_begin(const struct apart_work *w, struct apart_end *end)
{
	struct apart *a = calloc(1, sizeof *a);
	int err = a ? 0 : -ENOMEM;

	*end = (struct apart_end){ .noted = UINT32_MAX };
	if (a) {
		*a = (struct apart){ .w = *w, .d = { .here = -1, .there = -1, .out = -1 },
				     .parent = getpid(), .pidfd = -1 };
		err = begin(a);
	}
	if (!err)
		return a;
	cannot(end, err);
	if (a)
		release(a);
	return NULL;
}

bool apart_is_ours(const struct apart *a)
{
	return a->parent == getpid();
}

int apart_finish(struct apart *a, struct apart_end *end)
{
	int wstatus = -1, out = -1;

	*end = (struct apart_end){ .noted = UINT32_MAX };
	if (apart_is_ours(a)) {
		int err = await_end(a, &wstatus);

		tell_end(end, &a->w, wstatus, err);
		end->noted = atomic_load(a->d.noted);
	}
	if (end->fine) {
		out = a->d.out;
		a->d.out = -1;
	}
	release(a);
	return out;
}

int apart_run(const struct apart_work *w, struct apart_end *end)
{
	struct apart *a = apart_begin(w, end);

	if (!a)
		return -1;
	apart_serve(a);
	return apart_finish(a, end);
}
