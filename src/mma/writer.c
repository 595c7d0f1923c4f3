/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/writer.h"

#include "mma/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { BUFFER = 1 << 20 };

struct mma_writer {
	int fd;
	int err;	/* of the first write that failed; after it nothing more is written */
	bool humanized;
	ZSTD_CCtx *zstd;	/* NULL: plain text */
	char *packed;		/* room for a compressed buffer */
	size_t len;
	char buf[BUFFER];
};

bool mma_name_is_compressed(const char *name)
{
	size_t n = strlen(name);

	return n >= 4 && !strcmp(name + n - 4, ".zst");
}

static int prepare_zstd(struct mma_writer *w)
{
	w->zstd = ZSTD_createCCtx();
	w->packed = malloc(ZSTD_compressBound(BUFFER));
	if (!w->zstd || !w->packed)
		return -ENOMEM;
	/* The lowest ordinary level: the program that is traced waits for us. */
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, 1);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

static void writer_free(struct mma_writer *w)
{
	ZSTD_freeCCtx(w->zstd);
	free(w->packed);
	free(w);
}

struct mma_writer *mma_writer_new(int fd, bool humanized, bool compress)
{
	struct mma_writer *w = malloc(sizeof *w);

	if (!w)
		return NULL;
	memset(w, 0, offsetof(struct mma_writer, buf));
	w->fd = fd;
	w->humanized = humanized;
	if (!compress || !prepare_zstd(w))
		return w;
	writer_free(w);
	return NULL;
}

static int write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t done = write(fd, text, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		text += done;
		n -= (size_t)done;
	}
	return 0;
}

int mma_writer_flush(struct mma_writer *w)
{
	const char *text = w->buf;
	size_t n = w->len;

	w->len = 0;
	if (w->err || !n)
		return w->err;
	if (w->zstd) {
		n = ZSTD_compress2(w->zstd, w->packed, ZSTD_compressBound(BUFFER), w->buf, n);
		if (ZSTD_isError(n))
			return w->err = -ENOMEM; /* the only reason there can be */
		text = w->packed;
	}
	return w->err = write_all(w->fd, text, n);
}

void mma_writer_add(struct mma_writer *w, const struct mma_entry *e)
{
	if (BUFFER - w->len < MMA_LINE_MAX)
		mma_writer_flush(w);
	w->len += mma_format(e, w->humanized, w->buf + w->len);
}

int mma_writer_close(struct mma_writer *w)
{
	if (!w)
		return 0;
	int err = mma_writer_flush(w);

	if (close(w->fd) && !err)
		err = -errno;
	writer_free(w);
	return err;
}
