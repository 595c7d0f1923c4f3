/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/ms_print.h"

#include "base/array.h"
#include "base/printable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RULE "--------------------------------------------------------------------------------\n"

const char *ms_commas(char text[32], uint64_t n)
{
	char *at = text + 31;
	unsigned digits = 0;

	*at = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + n % 10);
		digits++;
	} while (n /= 10);
	return at;
}

/* ---- trees ---- */

/* A node whose children are being printed. */
struct open_node {
	uint64_t left;		/* children not printed yet */
	size_t prefix;		/* length of the prefix of its children's lines */
	uint64_t insignificant, bytes;	/* sums over its children */
	bool significant;
	uint64_t own;		/* bytes of the node itself */
};

struct tree_printer {
	const struct ms_print_options *o;
	FILE *out;
	uint64_t total;
	char *prefix;		/* prefix of the children of the innermost open node */
	size_t cap_prefix;
	struct open_node *open;
	size_t n, cap;
};

static double percent(const struct tree_printer *p, uint64_t bytes)
{
	uint64_t hundredfold;

	if (!p->total)
		return 0;
	if (__builtin_mul_overflow(bytes, UINT64_C(100), &hundredfold))
		return 100.0 * (double)bytes / (double)p->total;
	/* As perl computes it: in integers if there is no remainder. */
	if (hundredfold % p->total == 0)
		return (double)(hundredfold / p->total);
	return (double)hundredfold / (double)p->total;
}

/* The top node is always printed. */
static bool is_significant(const struct tree_printer *p, uint64_t bytes)
{
	return !p->n || p->o->threshold == 0 || (p->total && percent(p, bytes) >= p->o->threshold);
}

static void put_prefix(const struct tree_printer *p, size_t len)
{
	if (len)
		fwrite(p->prefix, 1, len, p->out);
}

/* Called when the node and its children have been printed. */
static void close_node(struct tree_printer *p)
{
	const struct open_node *n = &p->open[--p->n];
	char number[32];

	if (n->significant && n->insignificant) {
		put_prefix(p, n->prefix);
		fprintf(p->out,
			"->%05.2f%% (%sB) in %" PRIu64 "+ places, all below ms_print's threshold "
			"(%05.2f%%)\n",
			percent(p, n->bytes), ms_commas(number, n->bytes), n->insignificant,
			p->o->threshold);
		put_prefix(p, n->prefix);
		fputc('\n', p->out);
	}
	if (n->significant || !p->n)
		return;
	p->open[p->n - 1].insignificant++;
	p->open[p->n - 1].bytes += n->own;
}

/* The file is untrusted: escape its text. */
static void put_text(FILE *out, const char *s)
{
	for (const char *line = s; *line; line = s) {
		while (*s && *s != '\n')
			s = printable_put(out, s);
		if (*s)
			fputc(*s++, out);
	}
}

static int print_line(struct tree_printer *p, const struct massif_line *l)
{
	struct open_node *parent = p->n ? &p->open[p->n - 1] : NULL;
	struct open_node node = { l->children, 0, 0, 0, is_significant(p, l->bytes), l->bytes };
	size_t before = parent ? parent->prefix : 0;
	char number[32];

	if (node.significant) {
		put_prefix(p, before);
		fprintf(p->out, "%s%05.2f%% (%sB)", parent ? "->" : "", percent(p, l->bytes),
			ms_commas(number, l->bytes));
		put_text(p->out, l->text);
		fputc('\n', p->out);
	}
	if (ARRAY_RESERVE(&p->prefix, &p->cap_prefix, before + 2) ||
	    ARRAY_RESERVE(&p->open, &p->cap, p->n))
		return -ENOMEM;
	if (parent) {
		parent = &p->open[p->n - 1];
		parent->left--;
		memcpy(p->prefix + before, parent->left ? "| " : "  ", 2);
		node.prefix = before + 2;
	}
	p->open[p->n++] = node;
	if (!l->children && node.significant) {
		put_prefix(p, node.prefix);
		fputc('\n', p->out);
	}
	while (p->n && !p->open[p->n - 1].left)
		close_node(p);
	return 0;
}

static int print_tree(const struct massif_file *f, const struct massif_record *s,
		      const struct ms_print_options *o, FILE *out)
{
	struct tree_printer p = { .o = o, .out = out, .total = s->useful + s->extra + s->stacks };
	int err = 0;

	for (size_t i = 0; !err && i < s->n; i++)
		err = print_line(&p, &f->lines[s->first + i]);
	free(p.prefix);
	free(p.open);
	return err;
}

/* ---- the rest ---- */

static void print_preamble(const struct massif_file *f, const struct ms_print_options *o, FILE *out)
{
	fputs(RULE "Command:            ", out);
	put_text(out, f->cmd);
	fputs("\nMassif arguments:  ", out);
	put_text(out, f->desc);
	fprintf(out, "ms_print arguments: %s\n" RULE "\n\n", o->arguments);
}

static void print_list(const struct massif_file *f, FILE *out)
{
	uint64_t peak = massif_file_peak(f);
	const char *between = "";

	fprintf(out, "\nNumber of snapshots: %zu\n Detailed snapshots: [", f->n_records);
	for (size_t i = 0; i < f->n_records; i++) {
		if (!f->records[i].n)
			continue;
		fprintf(out, "%s%zu%s", between, i, i == peak ? " (peak)" : "");
		between = ", ";
	}
	fputs("]\n\n", out);
}

static void print_titles(const struct massif_file *f, FILE *out)
{
	char time[24];

	snprintf(time, sizeof time, "time(%s)", f->time_unit);
	fprintf(out, RULE "%3s %14s %16s %16s %13s %12s\n" RULE, "n", time, "total(B)",
		"useful-heap(B)", "extra-heap(B)", "stacks(B)");
}

static void print_row(const struct massif_record *s, FILE *out)
{
	char v[5][32];

	fprintf(out, "%3" PRIu64 " %14s %16s %16s %13s %12s\n", s->number, ms_commas(v[0], s->time),
		ms_commas(v[1], s->useful + s->extra + s->stacks), ms_commas(v[2], s->useful),
		ms_commas(v[3], s->extra), ms_commas(v[4], s->stacks));
}

static int print_details(const struct massif_file *f, const struct ms_print_options *o, FILE *out)
{
	int err = 0;

	print_titles(f, out);
	for (size_t i = 0; !err && i < f->n_records; i++) {
		const struct massif_record *s = &f->records[i];

		print_row(s, out);
		err = print_tree(f, s, o, out);
		if (s->n && i + 1 < f->n_records)
			print_titles(f, out);
	}
	return err;
}

int ms_print(const struct massif_file *f, const struct ms_print_options *o, FILE *out)
{
	print_preamble(f, o, out);
	int err = ms_graph(f, o, out);

	if (err)
		return err;
	print_list(f, out);
	return print_details(f, o, out);
}
