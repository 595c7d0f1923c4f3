/* SPDX-License-Identifier: BSD-2-Clause */
/* What is on the heap as JSON, schema mprof.heap.v1. */
#include "base/jsontext.h"
#include "base/stream.h"
#include "report/heap.h"
#include "report/json_out.h"

#include <stdlib.h>

void report_checks_json(const struct heap_walk *w, struct json_out *o)
{
	json_out_begin_rows(o, "checks");
	for (int i = 0; i < N_HEAP_CHECKS; i++) {
		const struct heap_check *c = &w->checks[i];
		json_t *ok = c->failures ? json_false() : c->done ? json_true() : json_null();

		json_out_row(o, json_pack("{ss so so so}", "name", heap_check_names[i], "ok", ok,
					  "failures", json_out_num(c->failures), "detail",
					  json_text(c->first)));
	}
	json_out_end_rows(o);
}

static void arenas(struct json_out *o, const struct heap_walk *w)
{
	json_out_begin_rows(o, "arenas");
	for (size_t i = 0; i < w->n_arenas; i++) {
		const struct heap_arena *a = &w->arenas[i];
		const struct heap_sum *s = a->sums;

		json_out_row(o, json_pack("{so so so so so so so so so so}", "blocks",
					  json_out_num(s[HEAP_LIVE].n), "bytes",
					  json_out_num(s[HEAP_LIVE].bytes), "free_blocks",
					  json_out_num(s[HEAP_FREE].n + s[HEAP_BINNED].n),
					  "free_bytes",
					  json_out_num(s[HEAP_FREE].bytes + s[HEAP_BINNED].bytes),
					  "cached_blocks", json_out_num(s[HEAP_CACHED].n),
					  "cached_bytes", json_out_num(s[HEAP_CACHED].bytes),
					  "fastbin_blocks", json_out_num(s[HEAP_FAST].n),
					  "fastbin_bytes", json_out_num(s[HEAP_FAST].bytes), "top",
					  json_out_num(s[HEAP_TOP].bytes), "system",
					  json_out_num(a->system)));
	}
	json_out_end_rows(o);
}

static void bins(struct json_out *o, const struct heap_bin *v, size_t n)
{
	json_out_begin_rows(o, "bins");
	for (size_t i = 0; i < n; i++)
		json_out_row(o, json_pack("{so so so}", "usable", json_out_num(v[i].usable),
					  "blocks", json_out_num(v[i].n), "bytes",
					  json_out_num(v[i].usable * v[i].n)));
	json_out_end_rows(o);
}

static void classes(struct json_out *o, const struct heap_class_rows *c)
{
	if (!c->told) {
		json_out_member(o, "classes", json_null());
		return;
	}
	json_out_member(o, "classes_unread", json_out_num(c->unread));
	json_out_member(o, "classes_complete", json_boolean(!c->unread && !c->too_many));
	json_out_begin_rows(o, "classes");
	for (size_t i = 0; i < c->n; i++)
		json_out_row(o, json_pack("{so so so sb}", "name", json_text(c->v[i].name),
					  "blocks", json_out_num(c->v[i].sum.n), "bytes",
					  json_out_num(c->v[i].sum.bytes), "rtti",
					  c->v[i].rtti));
	json_out_end_rows(o);
}

void report_look_json(const struct heap_report *r, struct json_out *o)
{
	json_out_member(o, "pid", json_integer(r->facts.pid));
	json_out_member(o, "allocator", json_string(r->allocator));
	json_out_member(o, "version", *r->version ? json_text(r->version) : json_null());
	json_out_member(o, "pause_ms", json_real((double)r->facts.pause_ns / 1e6));
	json_out_member(o, "looks", json_integer(r->facts.looks));
	json_out_member(o, "doubtful", json_boolean(heap_walk_is_doubtful(r->walk)));
}

int report_heap_json(const struct heap_report *r, FILE *out)
{
	struct json_out o = {.out = out};
	struct heap_sum live = heap_walk_live(r->walk);
	size_t n;
	struct heap_bin *v = heap_walk_bins(r->walk, &n, &o.err);

	json_out_raw(&o, "{");
	json_out_member(&o, "schema", json_string("mprof.heap.v1"));
	report_look_json(r, &o);
	json_out_member(&o, "blocks", json_out_num(live.n));
	json_out_member(&o, "bytes", json_out_num(live.bytes));
	json_out_member(&o, "mapped",
			json_pack("{so so so}", "blocks", json_out_num(r->walk->mapped.n), "bytes",
				  json_out_num(r->walk->mapped.bytes), "overhead",
				  json_out_num(r->walk->mapped_overhead)));
	json_out_member(&o, "thread_caches", json_integer(r->walk->caches));
	report_checks_json(r->walk, &o);
	arenas(&o, r->walk);
	bins(&o, v, n);
	classes(&o, r->classes);
	json_out_raw(&o, "}\n");
	free(v);
	if (!o.err)
		o.err = stream_flush(out);
	return o.err;
}
