/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/maps.h"

#include "proc/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ---- a line ---- */

/* As strtoull(3) parses them, but without signs and blanks. */
static bool digits(char **s, int base, uint64_t *n)
{
	char *end;

	if (!isxdigit((unsigned char)**s))
		return false;
	errno = 0;
	*n = strtoull(*s, &end, base);
	if (errno || end == *s)
		return false;
	*s = end;
	return true;
}

static bool one(char **s, char c)
{
	if (**s != c)
		return false;
	++*s;
	return true;
}

static bool blanks(char **s)
{
	size_t n = strspn(*s, " \t");

	*s += n;
	return n;
}

bool proc_map_range(char **s, taddr *start, taddr *end)
{
	return digits(s, 16, start) && one(s, '-') && digits(s, 16, end);
}

/* "r-xp" */
static bool permissions(char **s, struct proc_map *m)
{
	static const char *const letters[] = { "r-", "w-", "x-", "ps" };

	for (int i = 0; i < 4; i++)
		if (!(*s)[i] || !strchr(letters[i], (*s)[i]))
			return false;
	m->readable = (*s)[0] == 'r';
	m->writable = (*s)[1] == 'w';
	m->executable = (*s)[2] == 'x';
	m->shared = (*s)[3] == 's';
	*s += 4;
	return true;
}

bool proc_map_parse(char *line, struct proc_map *m)
{
	uint64_t major, minor, ino;
	char *s = line;

	*m = (struct proc_map){ 0 };
	line[strcspn(line, "\n")] = '\0';
	if (!proc_map_range(&s, &m->start, &m->end) || !blanks(&s) ||
	    !permissions(&s, m) || !blanks(&s) || !digits(&s, 16, &m->offset) ||
	    !blanks(&s) || !digits(&s, 16, &major) || !one(&s, ':') || !digits(&s, 16, &minor) ||
	    !blanks(&s) || !digits(&s, 10, &ino) || (*s && !blanks(&s)))
		return false;
	m->dev = makedev(major, minor);
	m->ino = ino;
	m->path = s;
	return true;
}

/* ---- all ---- */

static int each_line(FILE *f, proc_map_fn *fn, void *ctx)
{
	char *line = NULL;
	size_t cap = 0;
	int err = 0;

	errno = 0;
	while (!err && getline(&line, &cap, f) > 0) {
		struct proc_map m;

		if (proc_map_parse(line, &m))
			err = fn(&m, ctx);
		errno = 0;
	}
	/* Without memory for a line, getline(3) does not set the stream's error. */
	if (!err && !feof(f))
		err = errno ? -errno : -EIO;
	free(line);
	fclose(f);
	return err;
}

int proc_maps_each(pid_t pid, proc_map_fn *fn, void *ctx)
{
	char path[PROC_PATH];
	FILE *f = fopen(proc_path(path, pid, "maps"), "re");

	return f ? each_line(f, fn, ctx) : -errno;
}

int proc_maps_each_of(int fd, proc_map_fn *fn, void *ctx)
{
	const int again = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *f = again >= 0 && !lseek(again, 0, SEEK_SET) ? fdopen(again, "r") : NULL;

	if (f)
		return each_line(f, fn, ctx);
	const int err = -errno;
	if (again >= 0)
		close(again);
	return err;
}

int proc_maps_each_in(const char *text, proc_map_fn *fn, void *ctx)
{
	FILE *f = fmemopen((char *)text, strlen(text), "r");

	return f ? each_line(f, fn, ctx) : -errno;
}

/* ---- one ---- */

/* As struct procmap_query of linux/fs.h, which older headers lack. */
struct query {
	uint64_t size, flags, at;
	uint64_t start, end, vma_flags, page_size, offset, ino;
	uint32_t major, minor, name_size, build_id_size;
	uint64_t name, build_id;
};

#define QUERY _IOWR('f', 17, struct query)

enum { QUERY_READABLE = 1, QUERY_WRITABLE = 2, QUERY_EXECUTABLE = 4, QUERY_SHARED = 8 };

int proc_map_at(int fd, taddr at, struct proc_map *m)
{
	struct query q = { .size = sizeof q, .at = at };

	if (ioctl(fd, QUERY, &q))
		return -errno;
	*m = (struct proc_map){
		.start = q.start, .end = q.end, .offset = q.offset,
		.readable = q.vma_flags & QUERY_READABLE,
		.writable = q.vma_flags & QUERY_WRITABLE,
		.executable = q.vma_flags & QUERY_EXECUTABLE,
		.shared = q.vma_flags & QUERY_SHARED,
		.path = "",
	};
	return 0;
}
