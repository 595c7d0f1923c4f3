/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/requests.h"

#include "base/preadall.h"
#include "arch/arch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* VG_USERREQ__ of valgrind.h */
enum {
	REQUEST_MALLOCLIKE = 0x1301, /* addr, size, redzone, zeroed */
	REQUEST_FREELIKE = 0x1302,   /* addr, redzone */
	REQUEST_RESIZE = 0x130b,     /* addr, old size, new size, redzone */
};

bool request_decode(const uint64_t words[REQUEST_WORDS], struct request *out)
{
	*out = (struct request){ .kind = PROBE_MALLOCLIKE, .ptr = words[1], .size = words[2] };
	if (words[0] == REQUEST_MALLOCLIKE)
		return true;
	out->size = words[0] == REQUEST_RESIZE ? words[3] : 0;
	out->kind = words[0] == REQUEST_RESIZE ? PROBE_RESIZELIKE : PROBE_FREELIKE;
	return words[0] == REQUEST_RESIZE || words[0] == REQUEST_FREELIKE;
}

#define PIECE ((size_t)1 << 18)

int requests_find(int fd, uint64_t offset, uint64_t size, int (*found)(void *ctx, uint64_t at),
		  void *ctx)
{
	uint8_t *piece = malloc(PIECE);
	uint64_t at = 0;
	int err = 0;

	while (piece && !err && at < size && size - at >= arch_request_size) {
		size_t want = size - at < PIECE ? (size_t)(size - at) : PIECE;
		ssize_t n = pread_all(fd, piece, want, (off_t)(offset + at));

		if (n < (ssize_t)arch_request_size)
			break;
		const uint8_t *p = piece, *end = piece + n;
		while (!err &&
		       (p = memmem(p, (size_t)(end - p), arch_request, arch_request_size))) {
			err = found(ctx, at + (uint64_t)(p - piece) + arch_request_trap);
			p += arch_request_size;
		}
		/* A request that begins in this piece may end in the next. */
		at += (uint64_t)n - arch_request_size + 1;
	}
	free(piece);
	return err;
}
