/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which sessions there are, and which of them traces a process or writes a file. */
#include "control/control.h"

#include "base/array.h"
#include "base/clock.h"
#include "control/connect.h"
#include "control/control_dir.h"
#include "control/entry_name.h"
#include "control/peer.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int compare_pids(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

/* True if the socket is our own: a session that asks all sessions would wait for its own answer. */
static bool is_own(int fd)
{
	pid_t by;

	return peer_is_ours(fd, &by) && by == getpid();
}

/* Add the sessions of others in @dir. @until bounds the time for all of them that do not accept. */
static void sessions_in(const char *dir, int64_t until, pid_t **pids, size_t *n, size_t *cap)
{
	DIR *d = opendir(dir);

	for (struct dirent *entry; d && (entry = readdir(d));) {
		pid_t pid;

		if (!entry_name_is(entry->d_name, "sock", &pid))
			continue;
		int fd = connect_in(dir, pid, until);
		if (fd < 0)
			continue;
		bool own = is_own(fd);
		close(fd);
		if (own)
			continue;
		if (ARRAY_RESERVE(pids, cap, *n))
			break;
		(*pids)[(*n)++] = pid;
	}
	if (d)
		closedir(d);
}

ssize_t control_sessions(pid_t **pids, struct error *e)
{
	struct control_dirs dirs;
	size_t n = 0, cap = 0;

	*pids = NULL;
	int err = control_dirs_find(&dirs, e);
	if (err < 0)
		return err;
	for (size_t i = 0; i < dirs.n; i++)
		sessions_in(dirs.path[i], clock_now_ms() + 1000, pids, &n, &cap);
	if (n)
		qsort(*pids, n, sizeof **pids, compare_pids);
	return (ssize_t)n;
}

/* True if the session answers "ok". */
static bool affirms(pid_t session, const char *words, unsigned seconds)
{
	struct control_answer a;
	struct error ignored;
	bool yes = !control_ask(session, CONTROL_TEXT, words, seconds, &a, &ignored) &&
		   a.reply.parts[0].ok;

	control_answer_release(&a);
	return yes;
}

/* The process whose session answers "ok"; 0: none. Waits for all together hardly longer than for
 * one. */
static pid_t find_affirming(const char *words, unsigned seconds)
{
	const int64_t until = clock_now_ms() + seconds * INT64_C(1000);
	pid_t *pids, found = 0;
	struct error e;
	ssize_t n = control_sessions(&pids, &e);

	for (ssize_t i = 0; pids && i < n && !found; i++) {
		int64_t left = until - clock_now_ms();

		if (affirms(pids[i], words, left > 1000 ? (unsigned)(left / 1000) : 1))
			found = pids[i];
		if (left <= 0)
			break;
	}
	free(pids);
	return found;
}

pid_t control_tracing(pid_t pid)
{
	char words[32];

	snprintf(words, sizeof words, "traces %d", (int)pid);
	return find_affirming(words, CONTROL_ANSWER_SECONDS);
}

/* False: the name is too long or has a newline, and cannot be asked for. */
static bool ask_for_file(char words[CONTROL_WORDS_MAX], const char *file)
{
	int n = snprintf(words, CONTROL_WORDS_MAX, "writes %s", file);

	return n > 0 && n < CONTROL_WORDS_MAX - 1 && !strchr(file, '\n');
}

bool control_writes(pid_t pid, const char *file)
{
	char words[CONTROL_WORDS_MAX];

	return ask_for_file(words, file) && affirms(pid, words, CONTROL_LOOK_SECONDS);
}

pid_t control_writing(const char *file)
{
	char words[CONTROL_WORDS_MAX];

	return ask_for_file(words, file) ? find_affirming(words, CONTROL_LOOK_SECONDS) : 0;
}
