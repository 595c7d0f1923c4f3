/* SPDX-License-Identifier: BSD-2-Clause */
#include "html/template.h"

#include "base/text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Made of web/ by embed.sh: packed[] (gzip), which unpacks to packed_from bytes; or, if that is 0,
 * missing[] says why there is none. */
#include "page_template.inc"

/* A larger file is a mistake. */
enum { TEMPLATE_MAX = 64 << 20 };

/* +16: zlib expects a gzip header. */
static int unpack(char *to, size_t len)
{
	z_stream z = {.next_in = (unsigned char *)packed,
		      .avail_in = sizeof packed,
		      .next_out = (unsigned char *)to,
		      .avail_out = (uInt)len};

	if (inflateInit2(&z, MAX_WBITS + 16) != Z_OK)
		return -ENOMEM;
	int end = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return end == Z_STREAM_END && !z.avail_out ? 0 : -EIO;
}

static int load_own(struct page_template *t, struct error *e)
{
	if (!packed_from)
		return error_set(e, -ENOENT, "this mprof has no page: %s", missing);
	t->len = packed_from;
	t->text = malloc(t->len);
	int err = t->text ? unpack(t->text, t->len) : -ENOMEM;
	return err ? error_set(e, err, "cannot unpack the page: %s", strerror(-err)) : 0;
}

static int load_file(const char *path, struct page_template *t, struct error *e)
{
	ssize_t len;

	t->text = text_file_read(path, TEMPLATE_MAX, &len);
	if (len < 0)
		return error_set(e, (int)len, "cannot read the template %s: %s", path,
				 text_file_why((int)len));
	t->len = (size_t)len;
	return 0;
}

bool template_has_marks(const struct page_template *t)
{
	const char *title = memmem(t->text, t->len, TITLE_MARK, strlen(TITLE_MARK));

	return title &&
	       memmem(title, (size_t)(t->text + t->len - title), DATA_MARK, strlen(DATA_MARK));
}

int template_load(const char *path, struct page_template *t, struct error *e)
{
	*t = (struct page_template){0};
	int err = path ? load_file(path, t, e) : load_own(t, e);

	if (!err && !template_has_marks(t))
		err = error_set(e, -EINVAL,
				"%s is no template of a page: it has not the marks " TITLE_MARK
				" and " DATA_MARK,
				path ? path : "what mprof has");
	if (err)
		template_release(t);
	return err;
}

void template_release(struct page_template *t)
{
	free(t->text);
	*t = (struct page_template){0};
}
