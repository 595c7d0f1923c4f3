/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/names.h"

#include "proc/status.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void progress(const char *text)
{
	say("%s", text);
}

struct symbols_search names_search(const struct options *o)
{
	return (struct symbols_search){ .debug_dirs = o->debug_dirs, .fetch = true, .cache = true,
					.progress = progress };
}

/* ---- perf maps ---- */

/* Only the user's own file: /tmp is everybody's, and names are shown to whoever runs mprof. */
static int open_map(const char *path, uid_t uid)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != uid)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int names_open_jit_map(pid_t pid)
{
	char path[128];
	struct stat st;
	uid_t uid = geteuid();
	int fd = -1;

	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	if (stat(path, &st) == 0) {
		uid = st.st_uid;
		pid_t inner = proc_status(pid).inner;

		snprintf(path, sizeof path, "/proc/%d/root/tmp/perf-%d.map", (int)pid,
			 (int)(inner ? inner : pid));
		fd = open_map(path, uid);
	}
	if (fd < 0) {
		snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)pid);
		fd = open_map(path, uid);
	}
	return fd;
}

/* ---- what is said of names ---- */

static void say_list(const char *source, const char *list)
{
	if (!strncmp(source, "none", 4))
		say("no names%s: %s", source + 4, list);
	else
		say("names from %s: %s", source, list);
}

/* All modules whose names came from the same place as those of @first, some in a line. */
static void say_source(const struct profile_data *d, const bool *occurs, size_t first)
{
	char list[600] = "";
	size_t len = 0;

	for (size_t i = first; i < d->n_modules; i++) {
		const char *path = d->modules[i].path;

		if (!occurs[i] || strcmp(d->modules[i].names, d->modules[first].names))
			continue;
		if (len && len + strlen(path) + 2 >= sizeof list) {
			say_list(d->modules[first].names, list);
			len = 0;
		}
		int n = snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "", path);
		len += n > 0 ? (size_t)n : 0;
		if (len >= sizeof list)
			len = sizeof list - 1;
	}
	say_list(d->modules[first].names, list);
}

void names_say(const struct profile_data *d)
{
	bool *occurs = profile_data_modules_used(d);

	for (size_t i = 0; occurs && i < d->n_modules; i++) {
		size_t same = 0;

		while (same < i && !(occurs[same] && !strcmp(d->modules[same].names, d->modules[i].names)))
			same++;
		if (occurs[i] && same == i)
			say_source(d, occurs, i);
	}
	free(occurs);
}

void names_say_peak(const struct profile_data *d)
{
	const struct pd_point *p = profile_data_peak(d);

	if (p)
		say("the peak: %" PRIu64 " bytes in %" PRIu64 " blocks, %.3f s after the start", p->live_bytes,
		    p->live_blocks, (double)p->time_ns / 1e9);
}

void names_say_chains(const struct profile_data *d)
{
	const struct pd_totals *t = &d->totals;
	uint64_t guessed;

	if (t->truncated_chains)
		say("chains are truncated for want of call frame information (%" PRIu64
		    "), because the stack could not be read (%" PRIu64 "), at the depth limit (%" PRIu64
		    ")", t->truncated_no_cfi, t->truncated_unreadable, t->truncated_too_deep);
	if (profile_data_guessed_chains(d, &guessed) == 0 && guessed)
		say("%" PRIu64 " chains were followed by frame pointers where there is no call frame "
		    "information: a function that keeps none is left out", guessed);
}

void names_say_sizes(const struct profile_data *d)
{
	if (d->max_size)
		say("only requests of %" PRIu64 " to %" PRIu64 " bytes were recorded", d->min_size,
		    d->max_size);
	else if (d->min_size)
		say("only requests of %" PRIu64 " bytes or more were recorded", d->min_size);
}
