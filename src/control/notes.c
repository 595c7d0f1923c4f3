/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/notes.h"

#include "base/array.h"
#include "base/regular.h"
#include "base/writeall.h"
#include "control/entry_name.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct note {
	pid_t pid;
	struct timespec when;
};

struct notes {
	struct note *of;
	size_t n, cap;
};

static int newest_first(const void *a, const void *b)
{
	const struct note *x = a, *y = b;

	if (x->when.tv_sec != y->when.tv_sec)
		return x->when.tv_sec < y->when.tv_sec ? 1 : -1;
	return x->when.tv_nsec < y->when.tv_nsec ? 1 : x->when.tv_nsec > y->when.tv_nsec ? -1 : 0;
}

static void name_of(char path[256], const char *dir, pid_t pid)
{
	entry_name(path, 256, dir, pid, "ended");
}

static struct notes list(const char *dir)
{
	struct notes notes = { 0 };
	char path[256];
	struct stat st;
	DIR *d = opendir(dir);

	for (struct dirent *entry; d && (entry = readdir(d));) {
		pid_t pid;

		if (!entry_name_is(entry->d_name, "ended", &pid))
			continue;
		name_of(path, dir, pid);
		if (!lstat(path, &st) && !ARRAY_RESERVE(&notes.of, &notes.cap, notes.n))
			notes.of[notes.n++] = (struct note){ pid, st.st_mtim };
	}
	if (d)
		closedir(d);
	if (notes.n)
		qsort(notes.of, notes.n, sizeof *notes.of, newest_first);
	return notes;
}

void note_remove(const char *dir, pid_t pid)
{
	char path[256];

	name_of(path, dir, pid);
	unlink(path);
}

static void prune(const char *dir)
{
	struct notes notes = list(dir);
	time_t now = time(NULL);

	for (size_t i = 0; i < notes.n; i++)
		if (i + 1 >= NOTES_MAX || now - notes.of[i].when.tv_sec > NOTES_SECONDS)
			note_remove(dir, notes.of[i].pid);
	free(notes.of);
}

void note_leave(const char *dir, pid_t pid, const char *sentence)
{
	char path[256], new[256];

	prune(dir);
	name_of(path, dir, pid);
	entry_name(new, sizeof new, dir, getpid(), "noting");
	unlink(new);
	/* O_EXCL: programs of this user can write here, too, and may have put a pipe there. */
	int fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	/* Part of a sentence is not kept. */
	if (write_all(fd, sentence, strlen(sentence)) || rename(new, path))
		unlink(new);
	close(fd);
}

static bool read_note(const char *dir, pid_t pid, struct error *sentence)
{
	char path[256], text[sizeof sentence->text];

	name_of(path, dir, pid);
	int fd = regular_open(AT_FDCWD, path, O_NOFOLLOW);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	error_set(sentence, 0, "%s", text);
	return true;
}

bool note_find(const char *dir, pid_t *pid, struct error *sentence)
{
	if (!*pid) {
		struct notes notes = list(dir);

		*pid = notes.n ? notes.of[0].pid : 0;
		free(notes.of);
	}
	return *pid && read_note(dir, *pid, sentence);
}
