/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/pagemap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* ---- as words ---- */

/* Source: proc(5), bits 61 to 63. */
#define FILE_PAGE (UINT64_C(1) << 61)
#define SWAPPED (UINT64_C(1) << 62)
#define PRESENT (UINT64_C(1) << 63)

int pagemap_each_word(const uint64_t *words, uint64_t n, taddr start, page_range_fn *fn, void *ctx)
{
	int err = 0;

	for (uint64_t i = 0, k; !err && i < n; i = k) {
		uint64_t is = words[i] & (PRESENT | SWAPPED | FILE_PAGE);

		for (k = i + 1; k < n && (words[k] & (PRESENT | SWAPPED | FILE_PAGE)) == is;)
			k++;
		struct page_range r = {.start = start + i * PAGE,
				       .end = start + k * PAGE,
				       .swapped = !(is & PRESENT),
				       .file = is & FILE_PAGE};
		if (is & (PRESENT | SWAPPED))
			err = fn(&r, ctx);
	}
	return err;
}

static int read_words(int fd, taddr start, taddr end, page_range_fn *fn, void *ctx)
{
	enum { AT_ONCE = 32768 };
	uint64_t *words = malloc(AT_ONCE * sizeof *words);
	int err = words ? 0 : -ENOMEM;

	while (!err && start < end) {
		uint64_t n = (end - start) / PAGE < AT_ONCE ? (end - start) / PAGE : AT_ONCE;
		ssize_t got =
			pread(fd, words, n * sizeof *words, (off_t)(start / PAGE * sizeof *words));

		if (got < 0)
			err = -errno;
		/* Addresses here are beyond the last that a program can have. */
		if (got < (ssize_t)sizeof *words)
			break;
		n = (uint64_t)got / sizeof *words;
		err = pagemap_each_word(words, n, start, fn, ctx);
		start += n * PAGE;
	}
	free(words);
	return err;
}

/* ---- by PAGEMAP_SCAN ---- */

/* Source: linux/fs.h of 6.7, which is newer than the headers that we are built with. */
struct scan_region {
	uint64_t start, end, categories;
};

struct scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t inverted, mask, anyof_mask, return_mask;
};

enum { SCAN_FILE = 4, SCAN_PRESENT = 8, SCAN_SWAPPED = 16, SCAN_ZERO = 32 };

#define SCAN _IOWR('f', 16, struct scan_arg)

/* Returns the number of regions, or -errno; *@next is where to continue. */
static int scan(int fd, taddr start, taddr end, struct scan_region *v, size_t n, taddr *next)
{
	struct scan_arg arg = {.size = sizeof arg,
			       .start = start,
			       .end = end,
			       .vec = (uintptr_t)v,
			       .vec_len = n,
			       .anyof_mask = SCAN_PRESENT | SCAN_SWAPPED,
			       .return_mask = SCAN_FILE | SCAN_PRESENT | SCAN_SWAPPED | SCAN_ZERO};
	int got = ioctl(fd, SCAN, &arg);

	*next = arg.walk_end;
	return got < 0 ? -errno : got;
}

bool pagemap_scans(int fd)
{
	struct scan_region r;
	taddr next;

	return scan(fd, 0, PAGE, &r, 1, &next) >= 0;
}

static int scan_all(int fd, taddr start, taddr end, page_range_fn *fn, void *ctx)
{
	enum { AT_ONCE = 512 };
	struct scan_region v[AT_ONCE];
	int err = 0;

	while (!err && start < end) {
		taddr next;
		int n = scan(fd, start, end, v, AT_ONCE, &next);

		if (n < 0)
			return n;
		for (int i = 0; !err && i < n; i++) {
			struct page_range r = {v[i].start, v[i].end,
					       !(v[i].categories & SCAN_PRESENT),
					       v[i].categories & SCAN_ZERO,
					       v[i].categories & SCAN_FILE};

			err = fn(&r, ctx);
		}
		if (next <= start)
			return -EIO;
		start = next;
	}
	return err;
}

int pagemap_each(int fd, taddr start, taddr end, bool *zeros, page_range_fn *fn, void *ctx)
{
	bool scans = pagemap_scans(fd);

	if (zeros)
		*zeros = scans;
	return scans ? scan_all(fd, start, end, fn, ctx) : read_words(fd, start, end, fn, ctx);
}
