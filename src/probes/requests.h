/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_REQUESTS_H
#define MPROF_PROBES_REQUESTS_H

#include "probes/probes.h"

/*
 * Valgrind's client requests: instructions that do nothing, in programs built with valgrind.h, by
 * which they tell of blocks that they manage themselves.
 * Source: valgrind.h, and the Valgrind manual, "The Client Request mechanism".
 */

#define REQUEST_WORDS 6 /* its number and five arguments */

struct request {
	enum probe_kind kind;	/* PROBE_MALLOCLIKE, PROBE_RESIZELIKE or PROBE_FREELIKE */
	taddr ptr;
	uint64_t size;
};

/* False: it is about something else. */
bool request_decode(const uint64_t words[REQUEST_WORDS], struct request *out);

/**
 * Look for requests in @size bytes of code of a file, from @offset on. @found is told where, in
 * bytes from @offset, the instruction stands that is to be trapped; not 0 from it ends the search.
 * Returns 0, or what @found gave. A file that cannot be read has none.
 */
int requests_find(int fd, uint64_t offset, uint64_t size, int (*found)(void *ctx, uint64_t at),
		  void *ctx);

#endif
