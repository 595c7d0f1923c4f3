/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/keptwords.h"

#include "proc/descriptors.h"
#include "proc/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Call @fn with the hexadecimal number behind each @key in the text. */
static int each_behind(const char *text, const char *key, kept_word_fn *fn, void *ctx)
{
	int err = 0;

	for (const char *at = text; !err && (at = strstr(at, key));) {
		uint64_t word;

		at += strlen(key);
		if (sscanf(at, "%" SCNx64, &word) == 1)
			err = fn(word, ctx);
	}
	return err;
}

/* "tfd:        5 events:       19 data:     55d0c0ffee00  pos:0 ino:3d sdev:9" */
int kept_words_in_epoll(const char *text, kept_word_fn *fn, void *ctx)
{
	return each_behind(text, " data:", fn, ctx);
}

/* "signal: 60/00007fff86e452a8" */
int kept_words_in_timers(const char *text, kept_word_fn *fn, void *ctx)
{
	int err = 0;

	for (const char *at = text; !err && (at = strstr(at, "signal: "));) {
		uint64_t word;

		at += strlen("signal: ");
		if (sscanf(at, "%*d/%" SCNx64, &word) == 1)
			err = fn(word, ctx);
	}
	return err;
}

struct told_to {
	pid_t pid;
	kept_word_fn *fn;
	void *ctx;
};

static int read_epoll(int fd, void *ctx)
{
	const struct told_to *to = ctx;
	char name[32];

	snprintf(name, sizeof name, "fdinfo/%d", fd);
	char *text = proc_read(to->pid, name, NULL);
	int err = text ? kept_words_in_epoll(text, to->fn, to->ctx) : 0;
	free(text);
	return err;
}

int kept_words_each(pid_t pid, kept_word_fn *fn, void *ctx)
{
	struct told_to to = { pid, fn, ctx };
	int err = proc_descriptors_each(pid, "anon_inode:[eventpoll]", read_epoll, &to);

	if (err)
		return err;
	char *text = proc_read(pid, "timers", NULL);
	err = text ? kept_words_in_timers(text, fn, ctx) : 0;
	free(text);
	return err;
}
