/* SPDX-License-Identifier: BSD-2-Clause */
/* counter-read FILE: prints a record of counter.so as JSON, in the words of mprof.report.v1. */
#include "counter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static struct counter_record r;

static int by_size(const void *a, const void *b)
{
	const struct counter_bin *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rbe") : NULL;
	uint64_t allocs = 0, bytes = 0, frees = 0, freed = 0;

	if (!f || fread(&r, sizeof r, 1, f) != 1 || r.magic != COUNTER_MAGIC) {
		fprintf(stderr, "counter-read: %s: no record of counter.so\n",
			argc > 1 ? argv[1] : "");
		return 1;
	}
	fclose(f);
	qsort(r.bins, COUNTER_BINS, sizeof r.bins[0], by_size);
	printf("{\"pid\":%" PRIu64 ",\"bins\":[", r.pid);
	const char *sep = "";
	for (unsigned i = 0; i < COUNTER_BINS; i++) {
		const struct counter_bin *b = &r.bins[i];
		uint64_t size = b->key - 1;

		if (!b->key || !(b->allocs || b->frees))
			continue;
		printf("%s\n{\"size\":%" PRIu64 ",\"allocs\":%" PRIu64 ",\"bytes\":%" PRIu64
		       ",\"frees\":%" PRIu64 ",\"kept_bytes\":%" PRIu64 "}",
		       sep, size, b->allocs, size * b->allocs, b->frees,
		       size * (b->allocs - b->frees));
		sep = ",";
		allocs += b->allocs;
		bytes += size * b->allocs;
		frees += b->frees;
		freed += size * b->frees;
	}
	printf("],\n\"totals\":{\"allocs\":%" PRIu64 ",\"alloc_bytes\":%" PRIu64
	       ",\"frees\":%" PRIu64 ",\"free_bytes\":%" PRIu64 ",\"kept_objects\":%" PRIu64
	       ",\"kept_bytes\":%" PRIu64 ",\"peak_bytes\":%" PRIu64 ",\"failed_allocs\":%" PRIu64
	       ",\"unknown_frees\":%" PRIu64 "},\n\"inherited_frees\":%" PRIu64
	       ",\"reappeared\":%" PRIu64 ",\"overflow\":%" PRIu64 "}\n",
	       allocs, bytes, frees, freed, allocs - frees, bytes - freed, r.peak_bytes,
	       r.failed_allocs, r.unknown_frees, r.inherited_frees, r.reappeared, r.overflow);
	return fflush(stdout) || ferror(stdout);
}
