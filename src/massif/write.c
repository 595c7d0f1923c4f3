/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/write.h"

#include "base/printable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const units[] = { [MASSIF_BYTES] = "B", [MASSIF_MS] = "ms",
				     [MASSIF_INSTRUCTIONS] = "i" };

static const char *put_blank(FILE *out, const char *s)
{
	fputc(' ', out);
	return s + 1;
}

/* Escape text: it must stay on one line, and people read the file on a terminal. It is not cut, as
 * in Valgrind. */
static void put_line_part(FILE *out, const char *s)
{
	while (*s)
		s = *s == '\n' || *s == '\r' ? put_blank(out, s) : printable_put(out, s);
}

static void write_heading(FILE *out, const struct massif_heading *h)
{
	fputs("desc: ", out);
	put_line_part(out, h->desc && *h->desc ? h->desc : "(none)");
	fputs("\ncmd:", out);
	for (char *const *a = h->command; a && *a; a++) {
		fputc(' ', out);
		put_line_part(out, *a);
	}
	fprintf(out, "\ntime_unit: %s\n", units[h->unit]);
}

static void put_node(void *ctx, unsigned depth, size_t n_children, uint64_t bytes, const char *text)
{
	fprintf(ctx, "%*sn%zu: %" PRIu64 " %s\n", (int)depth, "", n_children, bytes, text);
}

static int write_tree(FILE *out, const struct massif_snapshot *s, const struct massif_forest *f)
{
	struct massif_weight *w = calloc(f->tree.n, sizeof *w);
	struct massif_cut cut = {
		massif_total(&s->at), s->at.useful, f->threshold,
		f->pages ? "(page allocation syscalls) mmap/mremap/brk, --alloc-fns, etc."
			 : "(heap allocation functions) malloc/new/new[], "
			   "--alloc-fns, etc."
	};

	if (!w)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->detail->n_contexts && i < f->n; i++)
		if (f->node_of[i] != IDINDEX_NONE)
			w[f->node_of[i]].known = true;
	for (size_t i = 0; i < s->detail->n; i++) {
		const struct massif_share *share = &s->detail->shares[i];

		if (share->context < f->n && f->node_of[share->context] != IDINDEX_NONE)
			w[f->node_of[share->context]].bytes += share->bytes;
	}
	int err = massif_tree_emit(&f->tree, w, &cut, put_node, out);
	free(w);
	return err;
}

int massif_write_snapshot(FILE *out, size_t number, const struct massif_snapshot *s,
			  const struct massif_forest *forest)
{
	fprintf(out, "#-----------\nsnapshot=%zu\n#-----------\n", number);
	fprintf(out, "time=%" PRIu64 "\nmem_heap_B=%" PRIu64 "\nmem_heap_extra_B=%" PRIu64
		"\nmem_stacks_B=%" PRIu64 "\nheap_tree=%s\n", s->at.time, s->at.useful, s->at.extra,
		s->at.stacks, !s->detail ? "empty" : s->peak ? "peak" : "detailed");
	return s->detail ? write_tree(out, s, forest) : 0;
}

int massif_write(FILE *out, const struct massif_heading *h, const struct massif_snapshot *snapshots,
		 size_t n, const struct massif_forest *forest)
{
	int err = 0;

	write_heading(out, h);
	for (size_t i = 0; !err && i < n; i++)
		err = massif_write_snapshot(out, i, &snapshots[i], forest);
	return err;
}

void massif_forest_release(struct massif_forest *f)
{
	massif_tree_release(&f->tree);
	free(f->node_of);
	f->node_of = NULL;
}
