/* SPDX-License-Identifier: BSD-2-Clause */
#include "pprof/read.h"

#include <string.h>
#include <sys/stat.h>

static bool begins(const unsigned char *bytes, size_t n, const char *word)
{
	return n >= strlen(word) && !memcmp(bytes, word, strlen(word));
}

static enum heap_file kind_of_bytes(const unsigned char *b, size_t n)
{
	static const char *const texts[] = { "heap profile:", "--- symbol", "heap_v2/", "%warn" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (begins(b, n, texts[i]))
			return HEAP_FILE_TEXT;
	/* gzip, or the key of the first field: length-delimited sample_type */
	if ((n > 1 && b[0] == 0x1f && b[1] == 0x8b) || (n && b[0] == 0x0a))
		return HEAP_FILE_PROTO;
	return HEAP_FILE_OTHER;
}

static bool ends(const char *name, const char *suffix)
{
	size_t n = strlen(name), s = strlen(suffix);

	return n > s && !strcmp(name + n - s, suffix);
}

/* If its beginning is damaged, the name decides which reader reports the error. */
static enum heap_file kind_of_name(const char *name)
{
	if (ends(name, ".heap"))
		return HEAP_FILE_TEXT;
	if (ends(name, ".pb.gz") || ends(name, ".pb"))
		return HEAP_FILE_PROTO;
	return HEAP_FILE_OTHER;
}

enum heap_file heap_file_kind(const char *path)
{
	unsigned char begin[16];
	struct stat st;
	/* Regular files only: opening others may block, or their bytes can be read only once. */
	FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;

	if (!f)
		return HEAP_FILE_OTHER;
	size_t n = fread(begin, 1, sizeof begin, f);
	fclose(f);
	if (begins(begin, n, "SQLite"))
		return HEAP_FILE_OTHER;
	enum heap_file kind = kind_of_bytes(begin, n);
	return kind == HEAP_FILE_OTHER ? kind_of_name(path) : kind;
}
