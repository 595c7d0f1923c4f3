/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/namecache_file.h"

#include "base/memstream.h"
#include "base/preadall.h"
#include "base/text.h"
#include "base/unfinished.h"
#include "base/writeall.h"
#include "symbols/symbols.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most entries, and the most bytes of one. */
#define ENTRIES_MAX 100
#define BYTES_MAX ((off_t)256 << 20)

static const char magic[8] = "mprofnm1";

/* FNV-1a, eight bytes at a time. */
static uint64_t checksum(const char *bytes, size_t n)
{
	uint64_t h = 0xcbf29ce484222325, word;

	for (; n >= sizeof word; bytes += sizeof word, n -= sizeof word) {
		memcpy(&word, bytes, sizeof word);
		h = (h ^ word) * 0x100000001b3;
		h ^= h >> 29;
	}
	for (; n; n--)
		h = (h ^ (unsigned char)*bytes++) * 0x100000001b3;
	return h;
}

/* Is this a directory where nobody else can have put links? A missing one will be created. */
static bool is_our_place(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT;
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & S_IWOTH);
}

/* $XDG_CACHE_HOME/mprof; for free(), NULL if there is none. Another user's is not used: with a HOME
 * kept by sudo(8), root would write and remove files there. */
static char *cache_dir(void)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *dir = NULL;
	int n = -1;

	if (base && *base == '/' && is_our_place(base))
		n = asprintf(&dir, "%s/mprof", base);
	else if (!(base && *base == '/') && home && *home == '/' && is_our_place(home))
		n = asprintf(&dir, "%s/.cache/mprof", home);
	return n < 0 ? NULL : dir;
}

static bool is_our_folder(const char *dir)
{
	struct stat st;

	return !lstat(dir, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 022);
}

static char *entry_name(const char *dir, const char *id)
{
	char *name;

	return dir && asprintf(&name, "%s/%s.names", dir, id) >= 0 ? name : NULL;
}

/* ---- reading ---- */

static bool is_ours(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 022) && st.st_size <= BYTES_MAX;
}

static bool read_all(struct cache_in *in, const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return false;
	if (is_ours(fd))
		in->bytes = pread_whole(fd, &in->size);
	close(fd);
	return in->bytes;
}

int cache_open(struct cache_in *in, const char *id, const char *who)
{
	static const size_t head = sizeof magic + sizeof(uint64_t);
	char *dir = cache_dir(), *name = entry_name(dir, id);
	uint64_t sum;

	*in = (struct cache_in){ 0 };
	bool fine = name && is_our_folder(dir) && read_all(in, name) && in->size >= head &&
		    !memcmp(in->bytes, magic, sizeof magic);

	if (fine) {
		memcpy(&sum, in->bytes + sizeof magic, sizeof sum);
		in->at = head;
		fine = sum == checksum(in->bytes + head, in->size - head);
	}
	const char *whose = fine ? cache_get_text(in) : NULL;

	fine = whose && !strcmp(whose, who);
	if (!fine)
		cache_close(in);
	free(dir);
	free(name);
	return fine ? 0 : -ENOENT;
}

void cache_close(struct cache_in *in)
{
	free(in->bytes);
	in->bytes = NULL;
}

uint64_t cache_get_int(struct cache_in *in)
{
	uint64_t value = 0;

	if (in->bad || in->size - in->at < sizeof value) {
		in->bad = true;
		return 0;
	}
	memcpy(&value, in->bytes + in->at, sizeof value);
	in->at += sizeof value;
	return value;
}

uint64_t cache_get_count(struct cache_in *in)
{
	uint64_t n = cache_get_int(in);

	/* Each thing takes at least one number. */
	if (n > (in->size - in->at) / sizeof n)
		in->bad = true;
	return in->bad ? 0 : n;
}

/* A text is its length plus one, and its bytes with a terminating zero; NULL is the number 0. */
const char *cache_get_text(struct cache_in *in)
{
	uint64_t n = cache_get_int(in);
	const char *text = in->bytes + in->at;

	if (in->bad || !n)
		return NULL;
	if (n > in->size - in->at || text[n - 1] || memchr(text, '\0', n - 1)) {
		in->bad = true;
		return NULL;
	}
	in->at += n;
	return text;
}

/* ---- writing ---- */

/* Makes the directory and its parents. */
static bool make_dir(char *dir)
{
	for (char *slash = strchr(dir + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int r = mkdir(dir, 0700);

		*slash = '/';
		if (r && errno != EEXIST)
			return false;
	}
	return (!mkdir(dir, 0700) || errno == EEXIST) && is_our_folder(dir);
}

int cache_create(struct cache_out *out, const char *id, const char *who,
		 const struct symbols_outside *outside)
{
	char *dir = cache_dir();

	*out = (struct cache_out){ .outside = outside };
	if (dir && (outside || make_dir(dir)))
		out->id = strdup(id);
	if (out->id)
		out->f = memstream_open(&out->bytes, &out->size);
	free(dir);
	if (!out->f) {
		free(out->id);
		return -ENOENT;
	}
	fwrite_unlocked(magic, sizeof magic, 1, out->f);
	cache_put_int(out, 0);	/* the checksum, filled in at the end */
	cache_put_text(out, who);
	return 0;
}

void cache_put_int(struct cache_out *out, uint64_t value)
{
	fwrite_unlocked(&value, sizeof value, 1, out->f);
}

void cache_put_text(struct cache_out *out, const char *text)
{
	size_t n = text ? strlen(text) + 1 : 0;

	cache_put_int(out, n);
	fwrite_unlocked(text ? text : "", 1, n, out->f);
}

/* The name is noted before the file exists, so that it can be reported if we are killed. */
static int temp_open(const char *temp)
{
	unfinished_begin(temp, path_last(temp));
	return open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static bool write_entry(const char *name, const char *bytes, size_t n)
{
	uint64_t random;
	char *temp;

	if (getrandom(&random, sizeof random, 0) != sizeof random ||
	    asprintf(&temp, "%s.%016" PRIx64, name, random) < 0)
		return false;
	int fd = temp_open(temp);
	bool fine = fd >= 0 && !write_all(fd, bytes, n);

	if (fd >= 0 && close(fd))
		fine = false;
	if (fine)
		fine = rename(temp, name) == 0;
	if (fd >= 0 && !fine)
		unlink(temp);
	unfinished_end();
	free(temp);
	return fine;
}

/* Removes the oldest entry of the directory if there are too many. */
static void drop_oldest(const char *dir)
{
	DIR *d = opendir(dir);
	struct timespec oldest = { .tv_sec = INT64_MAX };
	char name[NAME_MAX + 1] = "";
	struct dirent *e;
	struct stat st;
	int n = 0;

	while (d && (e = readdir(d))) {
		const char *dot = strstr(e->d_name, ".names");

		if (!dot || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		n++;
		if (st.st_mtim.tv_sec < oldest.tv_sec) {
			oldest = st.st_mtim;
			memcpy(name, e->d_name, strlen(e->d_name) + 1);
		}
	}
	if (n > ENTRIES_MAX)
		unlinkat(dirfd(d), name, 0);
	if (d)
		closedir(d);
}

/* A build ID cannot be a path. */
static bool is_id(const char *id)
{
	return *id && strspn(id, "0123456789abcdef") == strlen(id);
}

void cache_keep(const char *id, const char *bytes, size_t n)
{
	char *dir = cache_dir(), *name = entry_name(dir, id);

	if (name && is_id(id) && n >= sizeof magic && n <= (size_t)BYTES_MAX &&
	    !memcmp(bytes, magic, sizeof magic) && make_dir(dir) && write_entry(name, bytes, n))
		drop_oldest(dir);
	free(dir);
	free(name);
}

void cache_finish(struct cache_out *out)
{
	bool fine = !ferror(out->f);

	if (!fclose(out->f) && fine && out->size <= (size_t)BYTES_MAX) {
		uint64_t sum = checksum(out->bytes + 16, out->size - 16);

		memcpy(out->bytes + 8, &sum, sizeof sum);
		if (out->outside)
			out->outside->keep(out->id, out->bytes, out->size);
		else
			cache_keep(out->id, out->bytes, out->size);
	}
	free(out->bytes);
	free(out->id);
}
