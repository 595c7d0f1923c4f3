/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/heapfiles.h"

#include "cli/fn_names.h"
#include "cli/names.h"
#include "cli/viewed.h"
#include "pprof/read.h"
#include "naming/shortname.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool is_pprof_format(enum output_format f)
{
	return f == FORMAT_TEXT || f == FORMAT_FOLDED || f == FORMAT_HEAP || f == FORMAT_PPROF ||
	       f == FORMAT_DOT;
}

/* ---- reading ---- */

static int read_data(const char *path, const struct options *o, struct heap_stacks *out,
		     struct error *e)
{
	struct profile_data *d = read_viewed(path, o);

	if (!d)
		return PRINT_SAID;
	int err = heap_from_data(d, say_sentence, out, e);
	profile_data_free(d);
	return err;
}

static int read_text(const char *path, struct heap_stacks *out, struct error *e)
{
	FILE *f = fopen(path, "re");

	if (!f)
		return error_set(e, -errno, "cannot read %s: %s", path, strerror(errno));
	int err = heap_read_text(f, path, out, e);
	fclose(f);
	return err;
}

/* As for data files. 0 or -ENOMEM. */
static int shorten_names(struct heap_stacks *h)
{
	for (size_t i = 0; i < h->n_functions; i++) {
		struct pp_function *f = &h->functions[i];
		size_t size = strlen(f->name) + 1;
		char *name = malloc(size);

		if (!name)
			return -ENOMEM;
		shortname(strcmp(f->system_name, f->name) ? f->system_name : NULL, f->name, name,
			  size);
		strcpy(f->name, name); /* never longer than before */
		free(name);
	}
	return 0;
}

static int read_file(const char *path, const char *binary, const struct options *o,
		     struct heap_stacks *out, struct error *e)
{
	struct symbols_search search = names_search(o);
	int err;

	switch (heap_file_kind(path)) {
	case HEAP_FILE_TEXT:
		err = read_text(path, out, e);
		break;
	case HEAP_FILE_PROTO:
		err = heap_read_proto(path, out, e);
		break;
	default:
		return read_data(path, o, out, e);
	}
	if (!err && heap_name(out, binary, &search, say_sentence))
		err = error_set(e, -ENOMEM, "cannot read %s: out of memory", path);
	return err;
}

static int add_file(const char *path, const char *binary, int sign, const struct options *o,
		    struct heap_stacks *to, struct error *e)
{
	struct heap_stacks one = { 0 };
	int err = read_file(path, binary, o, &one, e);

	if (!err)
		err = heap_stacks_add(to, &one, sign, e);
	heap_stacks_release(&one);
	return err;
}

int heapfiles_read(char *const *files, size_t n, const char *binary, const struct options *o,
		   struct heap_stacks *out, struct error *e)
{
	int err = read_file(files[0], binary, o, out, e);

	for (size_t i = 1; !err && i < n; i++)
		err = add_file(files[i], binary, 1, o, out, e);
	if (!err && o->pprof.base)
		err = add_file(o->pprof.base, binary, -1, o, out, e);
	if (!err && o->pprof.drop_negative)
		heap_stacks_drop_negative(out);
	return err;
}

/* ---- printing ---- */

typedef int print_fn(const struct heap_stacks *h, const struct heap_view *v, FILE *out);

static print_fn *printer(enum output_format f)
{
	switch (f) {
	case FORMAT_FOLDED:
		return heap_print_folded;
	case FORMAT_HEAP:
		return heap_print_heap;
	case FORMAT_PPROF:
		return heap_print_proto;
	case FORMAT_JSON:
		return heap_print_json;
	case FORMAT_DOT:
		return heap_print_dot;
	default:
		return heap_print_text;
	}
}

static bool is_most(int64_t n)
{
	return n == INT64_MAX || n == INT64_MIN;
}

static bool has_most(const struct heap_stacks *h, bool totals)
{
	for (int v = 0; v < HEAP_VALUES; v++) {
		if (totals && is_most(heap_stacks_total(h, (enum heap_value)v)))
			return true;
		for (size_t i = 0; i < h->stacks.n; i++)
			if (is_most(h->stacks.stacks[i].value[v]))
				return true;
	}
	return false;
}

/* Say if a sum is saturated: these formats have signed 64-bit numbers. */
static void tell_too_large(const struct heap_stacks *h, bool totals)
{
	if (has_most(h, totals))
		say("a sum is beyond 2^63 - 1, more than heap profiles hold: that is what they "
		    "have instead; the tables have it");
}

int heapfiles_print(struct heap_stacks *h, const struct options *o, FILE *out, struct error *e)
{
	struct heap_view v = { .value = o->pprof.value,
			       .grain = o->report.lines ? BY_LINE : o->pprof.grain,
			       .show_bytes = o->pprof.show_bytes,
			       .cumulative = o->pprof.cumulative,
			       .is_difference = o->pprof.base,
			       .short_names = o->view.short_names,
			       .symbols = o->heap.symbols,
			       .graph = o->pprof.graph };
	/* Formats for other tools keep all frames. */
	bool for_tools = o->format == FORMAT_HEAP || o->format == FORMAT_PPROF;
	int err = for_tools ? 0 : heap_stacks_trim(h);

	if (err)
		return error_set(e, err, "cannot write the report: %s", strerror(-err));
	struct heap_matches met = { 0 };

	/* These two have no totals. */
	tell_too_large(h, o->format != FORMAT_FOLDED && o->format != FORMAT_PPROF);
	v.total = heap_stacks_total(h, v.value);
	err = heap_stacks_filter(h, o->pprof.focus, o->pprof.ignore, &met, e);
	if (!err && o->pprof.list)
		err = heap_print_list(h, &v, o->pprof.list, out, &met.list, e);
	if (!err)
		fn_names_meet_matches(&met);
	if (err || o->pprof.list)
		return err;
	if (o->view.short_names && shorten_names(h))
		return error_set(e, -ENOMEM, "cannot write the report: out of memory");
	err = printer(o->format)(h, &v, out);
	return err ? error_set(e, err, "cannot write the report: %s", strerror(-err)) : 0;
}

int heapfiles_print_data(const struct profile_data *d, const struct options *o, FILE *out,
			 struct error *e)
{
	struct heap_stacks h = { 0 };
	int err = heap_from_data(d, say_sentence, &h, e);

	if (!err)
		err = heapfiles_print(&h, o, out, e);
	heap_stacks_release(&h);
	return err;
}
