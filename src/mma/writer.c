/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/writer.h"

#include "base/writeall.h"
#include "mma/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { BUFFER = 1 << 20 };

struct mma_writer {
	int fd;
	int err;	/* -errno of the first write that failed; nothing is written after that */
	bool humanized;
	bool begun;	/* something has been written */
	ZSTD_CCtx *zstd;	/* NULL: plain text */
	char *packed;		/* buffer for compressed data */
	size_t len;
	char buf[BUFFER];
};

static int prepare_zstd(struct mma_writer *w)
{
	w->zstd = ZSTD_createCCtx();
	w->packed = malloc(ZSTD_compressBound(BUFFER));
	if (!w->zstd || !w->packed)
		return -ENOMEM;
	/* Fast: the traced program waits for us. */
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

static int write_buffer(struct mma_writer *w)
{
	const char *text = w->buf;
	size_t n = w->len;

	w->len = 0;
	w->begun = true;
	if (w->zstd) {
		n = ZSTD_compress2(w->zstd, w->packed, ZSTD_compressBound(BUFFER), w->buf, n);
		if (ZSTD_isError(n))
			return -ENOMEM; /* the only possible error */
		text = w->packed;
	}
	return write_all(w->fd, text, n);
}

int mma_writer_flush(struct mma_writer *w)
{
	if (!w->err && w->len)
		w->err = write_buffer(w);
	w->len = 0;
	return w->err;
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
	int err = w->begun || w->len ? mma_writer_flush(w) : write_buffer(w);

	if (close(w->fd) && !err)
		err = -errno;
	writer_free(w);
	return err;
}
