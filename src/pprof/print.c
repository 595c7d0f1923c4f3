/* SPDX-License-Identifier: BSD-2-Clause */
#include "pprof/print.h"

#include "base/jsontext.h"
#include "base/memstream.h"
#include "base/printable.h"
#include "pprof/heap_write.h"
#include "pprof/number.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

void heap_number(char text[32], const struct heap_view *v, int64_t n)
{
	if (v->value == INUSE_OBJECTS || v->value == ALLOC_OBJECTS || v->show_bytes)
		snprintf(text, 32, "%" PRId64, n);
	else
		snprintf(text, 32, "%.1f", (double)n / 1048576);
}

const char *heap_unit(const struct heap_view *v)
{
	if (v->value == INUSE_OBJECTS || v->value == ALLOC_OBJECTS)
		return "objects";
	return v->show_bytes ? "B" : "MB";
}

void heap_percent(char text[32], int64_t n, int64_t total)
{
	if (total)
		snprintf(text, 32, "%.1f%%", (double)n * 100 / (double)total);
	else
		snprintf(text, 32, "%s", n == 0 ? "nan" : n > 0 ? "+inf" : "-inf");
}

static int in_order(const void *left, const void *right, void *ctx)
{
	const struct heap_entry *a = *(struct heap_entry *const *)left,
				*b = *(struct heap_entry *const *)right;
	const struct heap_view *v = ctx;
	int64_t x = v->cumulative ? a->cumulative : a->flat,
		y = v->cumulative ? b->cumulative : b->flat;

	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int print_entries(const struct heap_entries *e, const struct heap_view *v, int64_t total,
			 FILE *out)
{
	struct heap_entry **sorted = malloc((e->n + 1) * sizeof *sorted);
	int64_t sum = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < e->n; i++)
		sorted[i] = &e->v[i];
	qsort_r(sorted, e->n, sizeof *sorted, in_order, (void *)v);
	for (size_t i = 0; i < e->n; i++) {
		char flat[32], cum[32], p[3][32];
		char *name = printable_copy(sorted[i]->name);

		if (!name) {
			free(sorted);
			return -ENOMEM;
		}
		sum = stack_sum(sum, sorted[i]->flat);
		heap_number(flat, v, sorted[i]->flat);
		heap_number(cum, v, sorted[i]->cumulative);
		heap_percent(p[0], sorted[i]->flat, total);
		heap_percent(p[1], sum, total);
		heap_percent(p[2], sorted[i]->cumulative, total);
		if (sorted[i]->flat || sorted[i]->cumulative)
			fprintf(out, "%8s %6s %6s %8s %6s %s\n", flat, p[0], p[1], cum, p[2], name);
		free(name);
	}
	free(sorted);
	return 0;
}

int heap_print_text(const struct heap_stacks *h, const struct heap_view *v, FILE *out)
{
	struct heap_entries e;
	char total[32];
	int err = heap_entries_find(&e, h, v->grain, false, v->value);

	heap_number(total, v, v->total);
	if (!err) {
		fprintf(out, "Total: %s %s\n", total, heap_unit(v));
		err = print_entries(&e, v, heap_stacks_total(h, v->value), out);
	}
	heap_entries_release(&e);
	return err;
}

/* ---- folded ---- */

struct frames {
	uint32_t *v;
	size_t n;
};

static void keep_frame(void *ctx, uint32_t entry)
{
	struct frames *f = ctx;

	f->v[f->n++] = entry;
}

/* A name must not contain the separator of frames. */
static void print_frame(const char *name, FILE *out)
{
	char *safe = printable_copy(name);

	if (!safe)
		return;
	for (char *s = safe; *s; s++)
		fputc(*s == ';' ? ':' : *s, out);
	free(safe);
}

static size_t most_frames(const struct heap_stacks *h)
{
	size_t most = 0;

	for (size_t i = 0; i < h->stacks.n; i++) {
		const struct stack *s = &h->stacks.stacks[i];
		size_t n = 0;

		for (size_t k = 0; k < s->n; k++) {
			size_t lines = h->locations[h->stacks.elements[s->first + k]].n_lines;
			n += lines ? lines : 1;
		}
		most = n > most ? n : most;
	}
	return most;
}

int heap_print_folded(const struct heap_stacks *h, const struct heap_view *v, FILE *out)
{
	struct heap_entries e;
	struct frames f = { .v = malloc((most_frames(h) + 1) * sizeof *f.v) };
	int err = heap_entries_find(&e, h, v->grain, !v->short_names, v->value);

	if (!f.v)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < h->stacks.n; i++) {
		const struct stack *s = &h->stacks.stacks[i];

		if (!s->value[v->value])
			continue;
		f.n = 0;
		heap_entries_walk(&e, h, s, keep_frame, &f);
		for (size_t k = f.n; k-- > 0;) {
			print_frame(e.v[f.v[k]].name, out);
			fputc(k ? ';' : ' ', out);
		}
		fprintf(out, "%s%" PRId64 "\n", f.n ? "" : "? ", s->value[v->value]);
	}
	free(f.v);
	heap_entries_release(&e);
	return err;
}

/* ---- heap ---- */


/* The address as readers expect it: they take all but the first less one. */
static uint64_t written(const struct heap_stacks *h, uint64_t location, bool first)
{
	return h->locations[location].address + !first;
}

static int names_of(void *ctx, uint64_t address, bool first, void (*name)(void *, const char *),
		    void *to)
{
	const struct heap_stacks *h = ctx;
	uint64_t at = address - !first;
	char text[32];

	for (size_t i = 0; i < h->n_locations; i++) {
		const struct pp_location *l = &h->locations[i];

		if (l->address != at || !l->n_lines)
			continue;
		for (uint32_t k = l->n_lines; k-- > 0;)
			name(to, h->functions[h->lines[l->first_line + k].function].name);
		return 0;
	}
	snprintf(text, sizeof text, "0x%" PRIx64, address);
	name(to, text);
	return 0;
}

/* Lines as in /proc/PID/maps, of code only. */
static char *map_of(const struct heap_stacks *h)
{
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	for (size_t i = 0; out && i < h->n_mappings; i++) {
		const struct pp_mapping *m = &h->mappings[i];

		fprintf(out, "%08" PRIx64 "-%08" PRIx64 " r-xp %08" PRIx64 " 00:00 %zu    ",
			m->start, m->limit, m->offset, i + 1);
		/* A newline in the path must not begin another line. */
		heap_write_path(out, m->path);
		fputc('\n', out);
	}
	if (out && !fclose(out))
		return text;
	free(text);
	return NULL;
}

int heap_print_heap(const struct heap_stacks *h, const struct heap_view *v, FILE *out)
{
	struct heap_names names = { h->n_mappings ? h->mappings[0].path : "?", names_of,
				    (void *)h };
	struct stack_table t = { 0 };
	uint64_t *addresses = malloc((h->stacks.n_elements + 1) * sizeof *addresses);
	char *map = map_of(h);
	int err = addresses && map ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < h->stacks.n; i++) {
		const struct stack *s = &h->stacks.stacks[i];

		for (size_t k = 0; k < s->n; k++)
			addresses[k] = written(h, h->stacks.elements[s->first + k], k == 0);
		err = stack_table_add(&t, addresses, s->n, s->value);
	}
	if (!err) {
		stack_table_sort(&t, INUSE_SPACE);
		err = heap_write(out, &t, NULL, map, v->symbols ? &names : NULL);
	}
	stack_table_release(&t);
	free(addresses);
	free(map);
	return err;
}

/* ---- JSON ---- */

static const char *const value_names[HEAP_VALUES] = { "alloc_objects", "alloc_space",
						      "inuse_objects",
						      "inuse_space" };

static json_t *frame_of(const struct heap_stacks *h, const struct pp_location *l, uint32_t i)
{
	json_t *j = json_object();
	char address[32];

	snprintf(address, sizeof address, "0x%" PRIx64, l->address);
	json_object_set_new(j, "address", json_string(address));
	if (l->mapping != PP_NONE)
		json_object_set_new(j, "module", json_text(h->mappings[l->mapping].path));
	if (!l->n_lines)
		return j;
	const struct pp_line *line = &h->lines[l->first_line + i];
	const struct pp_function *f = &h->functions[line->function];
	json_object_set_new(j, "function", json_text(f->name));
	if (*f->file)
		json_object_set_new(j, "file", json_text(f->file));
	if (line->line)
		json_object_set_new(j, "line", json_integer(line->line));
	if (i + 1 < l->n_lines)
		json_object_set_new(j, "inlined", json_true());
	return j;
}

static json_t *values_of(const int64_t value[HEAP_VALUES])
{
	json_t *j = json_object();

	for (int i = 0; i < HEAP_VALUES; i++)
		json_object_set_new(j, value_names[i], json_integer(value[i]));
	return j;
}

static json_t *stack_of(const struct heap_stacks *h, const struct stack *s)
{
	json_t *j = values_of(s->value), *frames = json_array();

	for (size_t k = 0; k < s->n; k++) {
		const struct pp_location *l = &h->locations[h->stacks.elements[s->first + k]];

		for (uint32_t i = 0; i < (l->n_lines ? l->n_lines : 1); i++)
			json_array_append_new(frames, frame_of(h, l, i));
	}
	json_object_set_new(j, "frames", frames);
	return j;
}

int heap_print_json(const struct heap_stacks *h, const struct heap_view *v, FILE *out)
{
	int64_t total[HEAP_VALUES];
	int err;

	for (int i = 0; i < HEAP_VALUES; i++)
		total[i] = heap_stacks_total(h, (enum heap_value)i);
	fprintf(out, "{\"schema\":\"mprof.stacks.v1\",\n\"difference\":%s,\n\"totals\":",
		v->is_difference ? "true" : "false");
	err = json_text_put(values_of(total), JSON_COMPACT, out);
	fputs(",\n\"stacks\":[", out);
	for (size_t i = 0; !err && i < h->stacks.n; i++) {
		fputs(i ? ",\n" : "\n", out);
		err = json_text_put(stack_of(h, &h->stacks.stacks[i]), JSON_COMPACT, out);
	}
	fputs("\n]}\n", out);
	return err;
}
