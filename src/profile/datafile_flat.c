/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/datafile_flat.h"

#include "base/preadall.h"
#include "base/writeall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The first byte of a value: its type. */
enum {
	FLAT_NULL,
	FLAT_REAL, /* eight bytes follow */
	FLAT_TEXT, /* followed by the length, as an integer, and the bytes */
	FLAT_INT,  /* FLAT_INT + n: n bytes follow, little-endian; the upper ones are 0 */
	FLAT_END = FLAT_INT + 9,
};

enum { LONGEST = 1 + 8 }; /* bytes of a value, without those of a text */

/* ---- out ---- */

static void flush(struct flat_out *f)
{
	if (!f->err)
		f->err = pwrite_all(f->fd, f->bytes, f->n, (off_t)f->at);
	f->at += f->n;
	f->n = 0;
}

static unsigned char *room(struct flat_out *f)
{
	if (sizeof f->bytes - f->n < LONGEST)
		flush(f);
	return f->bytes + f->n;
}

void flat_put_int(struct flat_out *f, uint64_t value)
{
	unsigned char *to = room(f);
	unsigned n = value ? (71 - (unsigned)__builtin_clzll(value)) / 8 : 0;

	to[0] = (unsigned char)(FLAT_INT + n);
	for (unsigned i = 1; i <= n; i++, value >>= 8)
		to[i] = (unsigned char)value;
	f->n += 1 + n;
}

void flat_put_real(struct flat_out *f, double value)
{
	unsigned char *to = room(f);

	to[0] = FLAT_REAL;
	memcpy(to + 1, &value, sizeof value);
	f->n += 1 + sizeof value;
}

void flat_put_null(struct flat_out *f)
{
	*room(f) = FLAT_NULL;
	f->n++;
}

void flat_put_text(struct flat_out *f, const char *text, size_t len)
{
	*room(f) = FLAT_TEXT;
	f->n++;
	flat_put_int(f, len);
	while (len) {
		size_t some = sizeof f->bytes - f->n;

		some = some < len ? some : len;
		memcpy(f->bytes + f->n, text, some);
		f->n += some;
		text += some;
		len -= some;
		if (len)
			flush(f);
	}
}

int flat_out_end(struct flat_out *f)
{
	flush(f);
	return f->err;
}

/* ---- in ---- */

int flat_in_begin(struct flat_in *f, int fd)
{
	struct stat st;

	f->fd = fd;
	f->read = f->at = f->n = 0;
	if (fstat(fd, &st))
		return -errno;
	f->size = (uint64_t)st.st_size;
	return 0;
}

/* Makes @n bytes, at most sizeof f->bytes, available at f->at. False: there are fewer. */
static bool have(struct flat_in *f, size_t n)
{
	size_t here = f->n - f->at;

	if (here >= n)
		return true;
	memmove(f->bytes, f->bytes + f->at, here);
	ssize_t more = pread_all(f->fd, f->bytes + here, sizeof f->bytes - here, (off_t)f->read);

	f->at = 0;
	f->n = here + (more > 0 ? (size_t)more : 0);
	f->read += more > 0 ? (uint64_t)more : 0;
	return f->n >= n;
}

bool flat_get_int(struct flat_in *f, uint64_t *value)
{
	unsigned n;

	*value = 0;
	if (!have(f, 1) || f->bytes[f->at] < FLAT_INT || f->bytes[f->at] >= FLAT_END)
		return false;
	n = f->bytes[f->at] - FLAT_INT;
	if (!have(f, 1 + n))
		return false;
	for (unsigned i = n; i > 0; i--)
		*value = *value << 8 | f->bytes[f->at + i];
	f->at += 1 + n;
	return true;
}

bool flat_get_real(struct flat_in *f, double *value)
{
	*value = 0;
	if (!have(f, 1 + sizeof *value) || f->bytes[f->at] != FLAT_REAL)
		return false;
	memcpy(value, f->bytes + f->at + 1, sizeof *value);
	f->at += 1 + sizeof *value;
	return true;
}

bool flat_get_null(struct flat_in *f)
{
	if (!have(f, 1) || f->bytes[f->at] != FLAT_NULL)
		return false;
	f->at++;
	return true;
}

static bool copy_bytes(struct flat_in *f, char *to, size_t len)
{
	while (len) {
		if (!have(f, 1))
			return false;
		size_t some = f->n - f->at < len ? f->n - f->at : len;

		memcpy(to, f->bytes + f->at, some);
		f->at += some;
		to += some;
		len -= some;
	}
	return true;
}

bool flat_get_text(struct flat_in *f, char **text, size_t *len)
{
	uint64_t n;

	*text = NULL;
	if (!have(f, 1) || f->bytes[f->at] != FLAT_TEXT)
		return false;
	f->at++;
	/* Never allocate more than the file has bytes left. */
	if (!flat_get_int(f, &n) || f->read > f->size || n > f->size - f->read + (f->n - f->at))
		return false;
	*len = n;
	*text = malloc(n + 1);
	if (!*text)
		return true;
	if (copy_bytes(f, *text, n)) {
		(*text)[n] = '\0';
		return true;
	}
	free(*text);
	*text = NULL;
	return false;
}

bool flat_in_is_over(const struct flat_in *f)
{
	return f->at == f->n && f->read == f->size;
}
