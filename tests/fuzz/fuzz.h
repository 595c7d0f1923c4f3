/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TESTS_FUZZ_H
#define MPROF_TESTS_FUZZ_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * A fuzz target is a file fuzz_NAME.c with this one function. It gives the bytes to one reader, and
 * aborts if what that says of them contradicts itself; the sanitizers see the rest. What a target
 * leaks, or leaves open, is an error, too. doc/fuzzing.md tells how they are run.
 * Source: LLVM's documentation of libFuzzer, "Fuzz Target".
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer's own mutations, for a target that has a mutator; nobody calls it where a corpus is
 * replayed. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#define FUZZ_EXPECT(what)                                                                          \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what);         \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The bytes with a NUL behind them, in a block of that size, so that one byte too many is seen.
 * For free(). */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_EXPECT(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* The same of what comes behind a head of @n bytes, which is copied; *len: its bytes. NULL: there
 * are not so many. */
static inline char *fuzz_behind(const uint8_t *data, size_t size, void *head, size_t n,
				size_t *len)
{
	if (size < n)
		return NULL;
	memcpy(head, data, n);
	*len = size - n;
	return fuzz_text(data + n, *len);
}

/* The bytes as numbers, one after the other; behind their end there are zeros. */
struct fuzz_in {
	const uint8_t *v;
	size_t n;
};

/* The next one, of @n bytes. */
static inline uint64_t fuzz_take(struct fuzz_in *in, size_t n)
{
	uint64_t value = 0;

	n = n < in->n ? n : in->n;
	memcpy(&value, in->v, n);
	in->v += n;
	in->n -= n;
	return value;
}

/* A file in memory, for readers that want one. */
struct fuzz_file {
	int fd;
	char path[32];
};

static inline struct fuzz_file fuzz_file(const uint8_t *data, size_t size)
{
	struct fuzz_file f = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};

	FUZZ_EXPECT(f.fd >= 0);
	FUZZ_EXPECT(pwrite(f.fd, data, size, 0) == (ssize_t)size);
	snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
	return f;
}

/* The same as a stream, which is the caller's to close; the descriptor goes with it. */
static inline FILE *fuzz_stream(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	FILE *in = fdopen(f.fd, "r");

	FUZZ_EXPECT(in);
	return in;
}

#endif
