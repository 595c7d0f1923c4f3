/* SPDX-License-Identifier: BSD-2-Clause */
#include "html/sink.h"

#include "html/base64.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

/* Sizes of the buffers for bytes before and after deflating. */
enum { GATHERED = 1 << 16, DEFLATED = 1 << 14 };

struct sink {
	struct base64 to;
	z_stream z;
	int err; /* errno of the first failure: errno itself is lost later */
	unsigned char deflated[DEFLATED];
};

/* Deflate the input, and all pending output if @flush is Z_FINISH. */
static int pump(struct sink *s, int flush)
{
	do {
		s->z.next_out = s->deflated;
		s->z.avail_out = sizeof s->deflated;
		if (deflate(&s->z, flush) == Z_STREAM_ERROR) {
			errno = EINVAL;
			return -1;
		}
		base64_put(&s->to, s->deflated, sizeof s->deflated - s->z.avail_out);
	} while (!s->z.avail_out);
	if (!ferror(s->to.out))
		return 0;
	if (!s->err)
		s->err = errno ? errno : EIO;
	errno = s->err;
	return -1;
}

static ssize_t sink_write(void *cookie, const char *bytes, size_t n)
{
	struct sink *s = cookie;

	s->z.next_in = (unsigned char *)bytes;
	s->z.avail_in = (uInt)n;
	return pump(s, Z_NO_FLUSH) ? 0 : (ssize_t)n;
}

static int sink_close(void *cookie)
{
	struct sink *s = cookie;

	s->z.avail_in = 0;
	int err = pump(s, Z_FINISH), why = errno;
	base64_end(&s->to);
	if (!err && ferror(s->to.out)) {
		err = -1;
		why = errno;
	}
	deflateEnd(&s->z);
	free(s);
	errno = why;
	return err;
}

FILE *sink_open(FILE *out)
{
	static const cookie_io_functions_t ops = {.write = sink_write, .close = sink_close};
	struct sink *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->to.out = out;
	if (deflateInit(&s->z, Z_DEFAULT_COMPRESSION) != Z_OK) {
		free(s);
		return NULL;
	}
	FILE *f = fopencookie(s, "w", ops);
	if (!f) {
		deflateEnd(&s->z);
		free(s);
		return NULL;
	}
	setvbuf(f, NULL, _IOFBF, GATHERED);
	return f;
}
