/* SPDX-License-Identifier: BSD-2-Clause */
#include "html/parts.h"

#include "base/array.h"
#include "base/memstream.h"
#include "base/stream.h"
#include "html/page_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct part {
	char *blocks;
	size_t len;
	json_t *entry;
	uint64_t peak_bytes;
};

struct page_parts {
	const struct report_options *o;
	struct part *v;
	size_t n, cap;
	size_t left_out;
	size_t bytes, max_bytes;
};

struct page_parts *page_parts_new(const struct report_options *o, size_t max_bytes)
{
	struct page_parts *p = calloc(1, sizeof *p);

	if (p)
		*p = (struct page_parts){.o = o, .max_bytes = max_bytes};
	return p;
}

static void part_release(struct part *part)
{
	free(part->blocks);
	json_decref(part->entry);
}

void page_parts_free(struct page_parts *p)
{
	for (size_t i = 0; p && i < p->n; i++)
		part_release(&p->v[i]);
	if (p)
		free(p->v);
	free(p);
}

static int part_make(struct part *part, struct profile_data *d, size_t number,
		     const struct report_options *o)
{
	*part = (struct part){.peak_bytes = d->totals.peak_bytes};
	FILE *out = memstream_open(&part->blocks, &part->len);
	int err = out ? page_put_profile(d, number, o, NULL, out) : -ENOMEM;
	int lost = out ? stream_close(out) : 0;

	part->entry = err || lost ? NULL : page_entry(d, number);
	if (!part->entry) {
		free(part->blocks);
		return err ? err : lost ? lost : -ENOMEM;
	}
	return 0;
}

/* Remove the profile with the lowest peak, but never the first one, the program that was
 * started. */
static void leave_one_out(struct page_parts *p)
{
	size_t least = 1;

	for (size_t i = 2; i < p->n; i++)
		if (p->v[i].peak_bytes <= p->v[least].peak_bytes)
			least = i;
	p->bytes -= p->v[least].len;
	part_release(&p->v[least]);
	p->n--;
	p->left_out++;
	memmove(p->v + least, p->v + least + 1, (p->n - least) * sizeof *p->v);
}

int page_parts_add(struct page_parts *p, struct profile_data *d)
{
	int err = ARRAY_RESERVE(&p->v, &p->cap, p->n);

	if (!err)
		err = part_make(&p->v[p->n], d, p->n + p->left_out, p->o);
	if (err)
		return err;
	p->bytes += p->v[p->n++].len;
	while (p->bytes > p->max_bytes && p->n > 1)
		leave_one_out(p);
	return 0;
}

size_t page_parts_count(const struct page_parts *p)
{
	return p->n;
}

size_t page_parts_left_out(const struct page_parts *p)
{
	return p->left_out;
}

static int put_parts(void *ctx, FILE *out)
{
	const struct page_parts *p = ctx;

	for (size_t i = 0; i < p->n; i++)
		if (fwrite(p->v[i].blocks, 1, p->v[i].len, out) != p->v[i].len)
			return errno ? -errno : -EIO;
	return 0;
}

int page_parts_write(const struct page_parts *p, size_t all, const struct page_template *t,
		     FILE *out)
{
	struct page_body b = {.profiles = json_array(), .missing = all - p->n,
			      .o = p->o, .put = put_parts, .ctx = (void *)(uintptr_t)p};
	int err = b.profiles ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < p->n; i++)
		err = json_array_append(b.profiles, p->v[i].entry) ? -ENOMEM : 0;
	if (!err)
		err = page_write_body(t, &b, out);
	json_decref(b.profiles);
	return err;
}
