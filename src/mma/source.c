/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/source.h"

#include "base/text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

struct mma_source {
	const char *name;
	int fd;
	ZSTD_DCtx *zstd;	/* NULL: plain text */
	ZSTD_inBuffer in;	/* read from the file and not consumed yet */
	bool frame_open;	/* the last frame is incomplete */
	bool truncated;
	char buf[256 << 10];
};

bool mma_name_is_compressed(const char *name)
{
	size_t n = strlen(name);

	return n >= 4 && !strcmp(name + n - 4, ".zst");
}

static const unsigned char zstd_magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
static const char sqlite_magic[] = "SQLite format 3"; /* including its NUL */

static ssize_t read_file(struct mma_source *s, char *buf, size_t size, struct error *e)
{
	ssize_t n;

	do
		n = read(s->fd, buf, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_set(e, -errno, "cannot read %s: %s", s->name, strerror(errno));
	return n;
}

/* Read more of the file into the buffer after its first @kept bytes; the rest must have been
 * consumed. */
static int fill(struct mma_source *s, size_t kept, struct error *e)
{
	ssize_t n = read_file(s, s->buf + kept, sizeof s->buf - kept, e);

	if (n < 0)
		return (int)n;
	s->in = (ZSTD_inBuffer){ s->buf, kept + (size_t)n, 0 };
	return n > 0;
}

static bool begins_with(const struct mma_source *s, const void *magic, size_t n)
{
	return s->in.size >= n && !memcmp(s->buf, magic, n);
}

/* A log may have been cut off within its first bytes; if there are none, the name decides. */
static bool is_compressed(const struct mma_source *s)
{
	size_t n = s->in.size < sizeof zstd_magic ? s->in.size : sizeof zstd_magic;

	return n ? !memcmp(s->buf, zstd_magic, n) : mma_name_is_compressed(s->name);
}

/* Read enough to recognize the format; a pipe may return less at once. */
static int read_start(struct mma_source *s, struct error *e)
{
	int more = 1;

	while (more > 0 && s->in.size < sizeof sqlite_magic)
		more = fill(s, s->in.size, e);
	if (more < 0)
		return more;
	s->frame_open = is_compressed(s);
	if (s->frame_open && !(s->zstd = ZSTD_createDCtx()))
		return error_set(e, -ENOMEM, "cannot read %s: out of memory", s->name);
	return 0;
}

struct mma_source *mma_source_open(const char *path, struct error *e)
{
	struct mma_source *s = malloc(sizeof *s);
	bool std = !strcmp(path, "-");

	if (!s) {
		error_set(e, -ENOMEM, "cannot read %s: out of memory", path);
		return NULL;
	}
	memset(s, 0, offsetof(struct mma_source, buf));
	s->name = std ? "standard input" : path;
	s->fd = std ? STDIN_FILENO : text_file_open(path);
	if (s->fd < 0)
		error_set(e, s->fd, "cannot read %s: %s", path, text_file_why(s->fd));
	if (s->fd >= 0 && !read_start(s, e))
		return s;
	mma_source_close(s);
	return NULL;
}

void mma_source_close(struct mma_source *s)
{
	if (!s)
		return;
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	ZSTD_freeDCtx(s->zstd);
	free(s);
}

const char *mma_source_name(const struct mma_source *s)
{
	return s->name;
}

bool mma_source_is_compressed(const struct mma_source *s)
{
	return s->zstd;
}

bool mma_source_is_data(const struct mma_source *s)
{
	return begins_with(s, sqlite_magic, sizeof sqlite_magic);
}

static ssize_t read_plain(struct mma_source *s, char *buf, size_t size, struct error *e)
{
	/* After the bytes that were read to recognize the format, read directly into @buf. */
	if (s->in.pos == s->in.size)
		return read_file(s, buf, size, e);
	size_t n = s->in.size - s->in.pos;
	if (n > size)
		n = size;
	memcpy(buf, s->buf + s->in.pos, n);
	s->in.pos += n;
	return (ssize_t)n;
}

static ssize_t read_zstd(struct mma_source *s, char *buf, size_t size, struct error *e)
{
	ZSTD_outBuffer out = { buf, size, 0 };

	while (!out.pos) {
		if (s->in.pos == s->in.size) {
			int more = fill(s, 0, e);
			if (more < 0)
				return more;
			/* The decoder may still hold output: call it without input to get it. */
			if (!more && !s->frame_open)
				return 0;
		}
		bool ended = s->in.size == 0;
		size_t left = ZSTD_decompressStream(s->zstd, &out, &s->in);
		if (ZSTD_isError(left))
			return error_set(e, -EINVAL, "%s is damaged: "
						     "%s", s->name, ZSTD_getErrorName(left));
		s->frame_open = left;
		if (ended && !out.pos) {
			s->truncated = s->frame_open;
			return 0;
		}
	}
	return (ssize_t)out.pos;
}

ssize_t mma_source_read(struct mma_source *s, char *buf, size_t size, struct error *e)
{
	return s->zstd ? read_zstd(s, buf, size, e) : read_plain(s, buf, size, e);
}

bool mma_source_truncated(const struct mma_source *s)
{
	return s->truncated;
}

bool mma_source_is_file(const struct mma_source *s)
{
	struct stat st;

	return s->fd != STDIN_FILENO && !fstat(s->fd, &st) && S_ISREG(st.st_mode);
}
