/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/control.h"

#include "base/sigio.h"
#include "control/control_dir.h"
#include "control/entry_name.h"
#include "control/notes.h"
#include "control/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	MAX_CLIENTS = 16,	/* the one that has waited longest makes room for another */
	AT_ONCE = 2 * MAX_CLIENTS,	/* at most so many are accepted before their commands are
					   read */
};

struct client {
	int fd;		/* -1: free */
	size_t n;
	bool heard;		/* read_line() has tried to read from it */
	unsigned long age;
	char line[CONTROL_LINE_MAX];
};

struct control {
	int listener;
	pid_t pid;		/* the process whose session it is */
	char dir[CONTROL_DIR_MAX];
	struct sockaddr_un address;
	unsigned long next_age;
	struct client clients[MAX_CLIENTS];
};

/* ---- serving ---- */

static int begin_to_listen(struct control *c, const struct sockaddr_un *at)
{
	c->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* The socket's file gets this mode, less the umask: others can never connect. */
	if (c->listener < 0 || fchmod(c->listener, 0600) ||
	    bind(c->listener, (const struct sockaddr *)at, sizeof *at) ||
	    listen(c->listener, MAX_CLIENTS))
		return -errno;
	return sigio_ask(c->listener, O_NONBLOCK);
}

/* The socket gets its final name when it can answer, since a client takes one that does not for the
 * socket of a killed tracer. Of two sessions that begin at once one gets the name: -EEXIST. */
static int listen_in(struct control *c, const char *dir)
{
	struct sockaddr_un own = { .sun_family = AF_UNIX };

	entry_name(own.sun_path, sizeof own.sun_path, dir, getpid(), "new");
	unlink(own.sun_path);
	int err = begin_to_listen(c, &own);
	if (!err && link(own.sun_path, c->address.sun_path))
		err = -errno;
	unlink(own.sun_path);
	return err;
}

static int say_has_session(struct error *e, pid_t pid)
{
	return error_set(e, -EADDRINUSE,
			 "process %d has a session already; mprof detach %d ends it when "
			 "all is saved (mprof status)",
			 (int)pid, (int)pid);
}

static int open_in(struct control *c, const char *dir, pid_t pid, struct error *e)
{
	c->address.sun_family = AF_UNIX;
	entry_name(c->address.sun_path, sizeof c->address.sun_path, dir, pid, "sock");
	int err = listen_in(c, dir);
	struct stat st;
	if (err == -EEXIST && !lstat(c->address.sun_path, &st) && S_ISSOCK(st.st_mode))
		return say_has_session(e, pid);
	return !err ? 0 : error_set(e, err, "cannot open the control socket %s: "
					    "%s", c->address.sun_path,
				    strerror(-err));
}

int control_open(pid_t pid, struct control **out, struct error *e)
{
	char dir[CONTROL_DIR_MAX];
	struct control *c = *out = NULL;

	e->text[0] = '\0';
	pid_t there = control_listener(pid);
	if (there == pid)
		return error_set(e, -EPERM, "process %d itself listens where its session's clients "
					    "would look for that", (int)pid);
	if (there >= 0)
		return say_has_session(e, pid);
	int err = control_dir_make(dir, e);
	if (err)
		return err;
	c = calloc(1, sizeof *c);
	if (!c)
		return error_set(e, -ENOMEM, "out of memory");
	c->listener = -1;
	for (size_t i = 0; i < MAX_CLIENTS; i++)
		c->clients[i].fd = -1;
	c->pid = pid;
	strcpy(c->dir, dir);
	note_remove(dir, pid);
	err = open_in(c, dir, pid, e);
	if (err)
		control_drop(c);
	else
		*out = c;
	return err;
}

void control_drop(struct control *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < MAX_CLIENTS; i++)
		if (c->clients[i].fd >= 0)
			close(c->clients[i].fd);
	if (c->listener >= 0)
		close(c->listener);
	free(c);
}

void control_leave_note(const struct control *c, const char *sentence)
{
	note_leave(c->dir, c->pid, sentence);
}

static void drop_client(struct client *k)
{
	close(k->fd);
	k->fd = -1;
}

/* A slot for one more client: a free one, or that of the client that has waited longest among those
 * from which we have read at least once. NULL: not yet. */
static struct client *room_for_client(struct control *c)
{
	struct client *oldest = NULL;

	for (size_t i = 0; i < MAX_CLIENTS; i++) {
		struct client *k = &c->clients[i];

		if (k->fd < 0)
			return k;
		if (k->heard && (!oldest || k->age < oldest->age))
			oldest = k;
	}
	return oldest;
}

void control_again(void)
{
	raise(SIGIO);
}

/* Bounded, so that clients that connect and disconnect without end do not keep us from the
 * program. */
static void accept_clients(struct control *c)
{
	struct client *k;

	for (unsigned i = 0; i < AT_ONCE && (k = room_for_client(c)); i++) {
		int fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			return;
		if (!peer_is_ours(fd, NULL) || sigio_ask(fd, O_NONBLOCK)) {
			close(fd);
			continue;
		}
		if (k->fd >= 0)
			drop_client(k);
		k->fd = fd;
		k->n = 0;
		k->heard = false;
		k->age = c->next_age++;
	}
	control_again();
}

void control_stop(struct control *c)
{
	if (c->listener < 0)
		return;
	unlink(c->address.sun_path);
	/* New clients are refused from here on; those in the queue are still accepted. */
	shutdown(c->listener, SHUT_RD);
	accept_clients(c);
	close(c->listener);
	c->listener = -1;
}

static void say_goodbye(const struct control *c)
{
	for (size_t i = 0; i < MAX_CLIENTS; i++)
		if (c->clients[i].fd >= 0)
			send(c->clients[i].fd, CONTROL_ENDED, strlen(CONTROL_ENDED),
			     MSG_NOSIGNAL | MSG_DONTWAIT);
}

void control_close(struct control *c)
{
	if (!c)
		return;
	control_stop(c);
	say_goodbye(c);
	control_drop(c);
}

/* Read what is available. True: a whole line. */
static bool read_line(struct client *k)
{
	k->heard = true;
	while (k->n < sizeof k->line) {
		ssize_t n = read(k->fd, k->line + k->n, sizeof k->line - k->n);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		if (n <= 0)
			break;
		char *end = memchr(k->line + k->n, '\n', (size_t)n);
		k->n += (size_t)n;
		if (end && memchr(k->line, '\0', (size_t)(end - k->line)))
			break; /* a NUL in the line: not text, and the command would be cut there */
		if (end) {
			*end = '\0';
			return true;
		}
	}
	drop_client(k); /* closed, not text, or too long */
	return false;
}

bool control_next(struct control *c, struct control_request *out)
{
	accept_clients(c);
	for (size_t i = 0; i < MAX_CLIENTS; i++) {
		struct client *k = &c->clients[i];

		if (k->fd < 0 || !read_line(k))
			continue;
		fcntl(k->fd, F_SETFL, O_NONBLOCK);
		out->from.fd = k->fd;
		memcpy(out->line, k->line, sizeof out->line);
		control_request_parse(out);
		k->fd = -1;
		return true;
	}
	return false;
}
