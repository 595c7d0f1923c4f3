/* SPDX-License-Identifier: BSD-2-Clause */
/* What has changed, as JSON: both values of each row. */
#include "base/jsontext.h"
#include "base/stream.h"
#include "report/growth.h"
#include "report/json.h"
#include "report/json_out.h"

#include <string.h>

struct writer {
	struct json_out o;
	const struct growth_sides *s;
	const struct profile_data *now, *base;
};

static json_t *figures(const int64_t value[HEAP_VALUES])
{
	return json_pack("{sI sI sI sI sI}", "allocs", (json_int_t)value[GROWN_ALLOCS], "bytes",
			 (json_int_t)value[GROWN_BYTES], "frees", (json_int_t)value[GROWN_FREES],
			 "kept_blocks",
			 (json_int_t)(value[GROWN_ALLOCS] - value[GROWN_FREES]), "kept_bytes",
			 (json_int_t)growth_kept(value));
}

/* ---- what the runtime keeps ---- */

static json_t *kept(const int64_t value[HEAP_VALUES])
{
	return json_pack("{sI sI}", "kept_blocks",
			 (json_int_t)(value[GROWN_ALLOCS] - value[GROWN_FREES]), "kept_bytes",
			 (json_int_t)growth_kept(value));
}

/* The index of a path in the table of the runtime's paths, which is short; t->n: it is not
 * there. */
static size_t runtime_row(const struct writer *w, const uint64_t *elements, size_t n)
{
	const struct stack_table *t = &w->s->now.runtime;

	for (size_t i = 0; i < t->n; i++) {
		const struct stack *s = &t->stacks[i];

		if (s->n == n &&
		    !memcmp(t->elements + s->first, elements, n * sizeof *elements))
			return i;
	}
	return t->n;
}

/* NULL: out of memory. */
static json_t *of_runtime(const struct writer *w, size_t row)
{
	return json_pack("{so so}", "before", kept(w->s->base.runtime.stacks[row].value), "now",
			 kept(w->s->now.runtime.stacks[row].value));
}

static void put_runtime(struct writer *w)
{
	const int64_t *now = w->s->now.runtime_kept, *base = w->s->base.runtime_kept;

	json_out_begin_rows(&w->o, "runtime");
	for (int k = 0; k < RUNTIME_KINDS; k++)
		if (now[k] || base[k])
			json_out_row(&w->o, json_pack("{ss sI sI}", "kind",
						      runtime_word((enum runtime_kind)k), "before",
						      (json_int_t)base[k], "now",
						      (json_int_t)now[k]));
	json_out_end_rows(&w->o);
}

/* ---- rows ---- */

/* The members that identify a row of a table. NULL: out of memory. */
typedef json_t *row_fn(const struct writer *w, const uint64_t *elements, size_t n);

/* Puts all rows that are not the same on both sides. */
static void put_rows(struct writer *w, const char *key, const struct stack_table *now,
		     const struct stack_table *base, row_fn *row)
{
	json_out_begin_rows(&w->o, key);
	for (size_t i = 0; i < now->n && !w->o.err; i++) {
		const int64_t *after = now->stacks[i].value, *before = base->stacks[i].value;

		if (!memcmp(after, before, sizeof now->stacks[i].value))
			continue;
		json_t *r = row(w, now->elements + now->stacks[i].first, now->stacks[i].n);

		if (json_object_set_new(r, "before", figures(before)) ||
		    json_object_set_new(r, "now", figures(after))) {
			json_decref(r);
			r = NULL;
		}
		json_out_row(&w->o, r);
	}
	json_out_end_rows(&w->o);
}

static json_t *size_row(const struct writer *w, const uint64_t *elements, size_t n)
{
	uint64_t size = elements[0];

	(void)n;
	return json_pack("{so so}", "size", json_out_num(size), "types",
			 json_size_types(growth_typed(w->now, w->base, size), size));
}

/* Module numbers are those of growth.c: the newer profile's, followed by the others. */
static const char *module_of(const struct writer *w, const struct growth_function *f)
{
	if (f->module == PD_NONE)
		return NULL;
	return f->module < w->now->n_modules ? w->now->modules[f->module].path
					     : w->base->modules[f->module - w->now->n_modules].path;
}

/* As an element of a path in a report; without what does not tell paths apart. */
static json_t *site(const struct writer *w, uint64_t number)
{
	const struct growth *g = &w->s->now;
	const struct growth_site *s = &g->sites[number];
	const struct growth_function *f = &g->functions[s->function];
	bool by_line = g->key == LEAKS_BY_LINE && s->line, by_offset = g->key == LEAKS_BY_SITE;

	return json_pack("{so so so so so sb}", "function", json_text(f->name), "file",
			 json_text(s->file), "line", by_line ? json_integer(s->line) : json_null(),
			 "offset", by_offset ? json_out_num(s->offset) : json_null(),
			 "module", json_text(module_of(w, f)), "own", s->own);
}

/* The sites from the outside in; elements[0] says whether the path is whole. */
static json_t *path_row(const struct writer *w, const uint64_t *elements, size_t n)
{
	json_t *path = json_array();
	bool fine = path;

	for (size_t i = n; fine && i-- > 1;)
		fine = !json_array_append_new(path, site(w, elements[i]));
	json_t *row =
		fine ? json_pack("{sb sO}", "truncated", (int)!elements[0], "path", path) : NULL;
	size_t runtime = runtime_row(w, elements, n);

	json_decref(path);
	if (row && runtime < w->s->now.runtime.n &&
	    json_object_set_new(row, "runtime", of_runtime(w, runtime))) {
		json_decref(row);
		return NULL;
	}
	return row;
}

static json_t *direct_row(const struct writer *w, const uint64_t *elements, size_t n)
{
	const struct growth_function *f = &w->s->now.functions[elements[0]];

	(void)n;
	return json_pack("{so so}", "function", json_text(f->name), "module",
			 json_text(module_of(w, f)));
}

/* ---- all ---- */

int report_growth_json(const struct growth_sides *s, const struct profile_data *now,
		       const struct profile_data *base, FILE *out)
{
	static const char *const keys[] = {[LEAKS_BY_FUNCTION] = "function",
					   [LEAKS_BY_SITE] = "offset",
					   [LEAKS_BY_LINE] = "line"};
	struct writer w = {{.out = out}, s, now, base};

	json_out_raw(&w.o, "{");
	json_out_member(&w.o, "schema", json_string("mprof.growth.v1"));
	json_out_member(&w.o, "paths_by", json_string(keys[s->now.key]));
	json_out_member(&w.o, "before", figures(s->base.total));
	json_out_member(&w.o, "now", figures(s->now.total));
	put_rows(&w, "sizes", &s->now.sizes, &s->base.sizes, size_row);
	put_rows(&w, "paths", &s->now.paths, &s->base.paths, path_row);
	put_rows(&w, "direct", &s->now.direct, &s->base.direct, direct_row);
	put_runtime(&w);
	json_out_raw(&w.o, "}\n");
	if (!w.o.err)
		w.o.err = stream_flush(out);
	return w.o.err;
}
