/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_REQUESTS_H
#define MPROF_PROBES_REQUESTS_H

#include "probes/probes.h"

/*
 * Valgrind's client requests: instruction sequences without effect, in programs built with
 * valgrind.h, by which programs describe blocks that they manage themselves.
 * Source: valgrind.h, and the Valgrind manual, "The Client Request mechanism".
 */

#define REQUEST_WORDS 6 /* the request's number and five arguments */

struct request {
	enum probe_kind kind;	/* PROBE_MALLOCLIKE, PROBE_RESIZELIKE or PROBE_FREELIKE */
	taddr ptr;
	uint64_t size;
};

/* Decode a request. False: it is not about blocks. */
bool request_decode(const uint64_t words[REQUEST_WORDS], struct request *out);

/**
 * Search @size bytes of a file's code from @offset on for client requests. @found is called with
 * the position, in bytes from @offset, of the instruction to trap; if it does not return 0, the
 * search ends.
 * Returns 0, or what @found returned. A file that cannot be read has none.
 */
int requests_find(int fd, uint64_t offset, uint64_t size, int (*found)(void *ctx, uint64_t at),
		  void *ctx);

#endif
