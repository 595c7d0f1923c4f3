/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/title.h"

#include "base/printable.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_blank(char c)
{
	return !c || c == ' ';
}

/* Cut it at the end of a character, and append "...". */
static void cut(char *title)
{
	size_t at = strlen(title);

	if (at > TITLE_MAX - sizeof "...")
		at = TITLE_MAX - sizeof "...";
	while (at && ((unsigned char)title[at] & 0xc0) == 0x80)
		at--;
	strcpy(title + at, "...");
}

bool title_make(char title[TITLE_MAX], const char *cmdline, size_t n)
{
	char raw[TITLE_MAX + 1];

	/* Skip the blanks that servers leave behind a shorter title, or write in front of it. */
	while (n && is_blank(cmdline[n - 1]))
		n--;
	while (n && is_blank(*cmdline))
		cmdline++, n--;
	size_t len = n < sizeof raw ? n : sizeof raw - 1;
	for (size_t i = 0; i < len; i++)
		raw[i] = cmdline[i] ? cmdline[i] : ' ';
	raw[len] = '\0';
	if (printable(title, TITLE_MAX, raw) >= TITLE_MAX)
		cut(title);
	return len;
}

/* @line: the file is a line, whose line break is no part of the title. */
static bool title_from(char title[TITLE_MAX], const char *path, bool line)
{
	char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : -1;

	if (fd >= 0)
		close(fd);
	title[0] = '\0';
	return n > 0 && title_make(title, text, (size_t)(n - line));
}

bool title_of(char title[TITLE_MAX], pid_t pid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
	return title_from(title, path, false);
}

bool title_of_thread(char title[TITLE_MAX], pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	return title_from(title, path, true);
}
