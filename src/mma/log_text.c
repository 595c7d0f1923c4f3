/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/log_text.h"

#include "base/stream.h"
#include "mma/merge.h"
#include "mma/source.h"
#include "mma/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

/* Addresses are strings: most JSON parsers would round such numbers. */
static void json_entry(const struct mma_entry *e, FILE *out)
{
	fprintf(out, "{\"time\":%" PRIu64 ",\"tid\":%" PRIu32 ",\"event\":\"%s\"", e->time_ns,
		e->tid, mma_type_names[e->type]);
	if (e->type == MMA_REALLOC)
		fprintf(out, ",\"newptr\":\"0x%" PRIx64 "\",\"ptr\":\"0x%" PRIx64 "\"", e->ptr,
			e->old_ptr);
	else if (e->type != MMA_TMSTMP)
		fprintf(out, ",\"ptr\":\"0x%" PRIx64 "\"", e->ptr);
	if (e->type == MMA_CALLOC)
		fprintf(out, ",\"num\":%" PRIu64 ",\"elem\":%" PRIu64, e->num, e->size);
	if (e->type == MMA_MALLOC || e->type == MMA_REALLOC)
		fprintf(out, ",\"size\":%" PRIu64, e->size);
	fputs("}\n", out);
}

static int print_json(struct mma_merge *m, FILE *out)
{
	const struct mma_entry *e;
	size_t log;

	while ((e = mma_merge_next(m, &log)))
		json_entry(e, out);
	return stream_error(out);
}

static int print_lines(struct mma_merge *m, bool humanized, bool compress, FILE *out)
{
	const struct mma_entry *e;
	size_t log;
	int fd = fflush(out) ? -1 : dup(fileno(out));

	if (fd < 0)
		return -errno;
	struct mma_writer *w = mma_writer_new(fd, humanized, compress);
	if (!w) {
		close(fd);
		return -ENOMEM;
	}
	while ((e = mma_merge_next(m, &log)))
		mma_writer_add(w, e);
	return mma_writer_close(w);
}

int mma_log_print(const struct mma_log *logs, size_t n, enum mma_form form, const char *name,
		  FILE *out)
{
	struct mma_merge m;
	int err = mma_merge_init(&m, logs, n);

	if (!err && form == MMA_JSON)
		err = print_json(&m, out);
	else if (!err)
		err = print_lines(&m, form == MMA_HUMANIZED, name && mma_name_is_compressed(name),
				  out);
	mma_merge_release(&m);
	return err;
}
