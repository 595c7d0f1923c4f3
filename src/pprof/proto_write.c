/* SPDX-License-Identifier: BSD-2-Clause */
/* profile.proto, written with protobuf-c and zlib. */
#include "pprof/print.h"

#include "base/array.h"
#include "base/printable.h"
#include "base/stream.h"
#include "base/text.h"
#include "pprof/profile.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Strings by number, each once. */
struct strings {
	const char **v;
	size_t n, cap;
	struct idindex index;
	bool failed;
};

struct writer {
	const struct heap_stacks *h;
	struct strings strings;
	void **owned;		/* memory that the message points to; freed at the end */
	size_t n_owned, cap_owned;
	Mprof__Proto__Profile p;
};

static bool text_eq(const void *owner, uint32_t id, const void *key)
{
	return !strcmp(((const struct strings *)owner)->v[id], key);
}

static uint64_t text_rehash(const void *owner, uint32_t id)
{
	return hash_text(0, ((const struct strings *)owner)->v[id]);
}

/* Zeroed memory that is freed with the message; NULL: out of memory. */
static void *get(struct writer *w, size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p || ARRAY_RESERVE(&w->owned, &w->cap_owned, w->n_owned)) {
		free(p);
		w->strings.failed = true;
		return NULL;
	}
	w->owned[w->n_owned++] = p;
	return p;
}

/* A string of proto3 is UTF-8, and readers refuse a file with one that is not: bytes of names in
 * other encodings are written in octal, as in text. NULL: out of memory. */
static const char *valid(struct writer *w, const char *s)
{
	const char *from = s;

	for (size_t n; *from && (n = printable_utf8(from)); from += n)
		;
	if (!*from)
		return s;
	char *copy = get(w, strlen(s), 4), *end = copy;
	for (; copy && *s; s++) {
		size_t n = printable_utf8(s);

		if (!n) {
			end += sprintf(end, "\\%03o", (unsigned char)*s);
			continue;
		}
		end = mempcpy(end, s, n);
		s += n - 1;
	}
	return copy;
}

static int64_t string(struct writer *w, const char *text)
{
	struct strings *t = &w->strings;
	const char *s = valid(w, text);

	if (!s)
		return 0;
	uint64_t hash = hash_text(0, s);
	uint32_t id = idindex_find(&t->index, hash, text_eq, t, s);

	if (id != IDINDEX_NONE)
		return id;
	id = (uint32_t)t->n;
	if (ARRAY_RESERVE(&t->v, &t->cap, t->n)) {
		t->failed = true;
		return 0;
	}
	t->v[t->n++] = s;
	if (idindex_add(&t->index, id, hash, text_rehash, t))
		t->failed = true;
	return id;
}

/* *list = pointers to n initialized messages in an array of their own; the array, or NULL. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type, and an initializer */
#define MESSAGES(w, list, n, type, init)                                              \
	({                                                                            \
		type *array_ = get(w, n, sizeof *array_);                             \
		*(list) = get(w, n, sizeof **(list));                                 \
		for (size_t i_ = 0; array_ && *(list) && i_ < (n); i_++) {            \
			array_[i_] = (type)init;                                      \
			(*(list))[i_] = &array_[i_];                                  \
		}                                                                     \
		array_ && *(list) ? array_ : NULL;                                    \
	})
/* NOLINTEND(bugprone-macro-parentheses) */

static void value_types(struct writer *w)
{
	static const char *const names[HEAP_VALUES][2] = { { "alloc_objects", "count" },
							   { "alloc_space", "bytes" },
							   { "inuse_objects", "count" },
							   { "inuse_space", "bytes" } };
	Mprof__Proto__ValueType *v = MESSAGES(w, &w->p.sample_type, HEAP_VALUES,
					      Mprof__Proto__ValueType,
					      MPROF__PROTO__VALUE_TYPE__INIT);
	Mprof__Proto__ValueType *period = get(w, 1, sizeof *period);

	if (!v || !period)
		return;
	for (int i = 0; i < HEAP_VALUES; i++) {
		v[i].type = string(w, names[i][0]);
		v[i].unit = string(w, names[i][1]);
	}
	w->p.n_sample_type = HEAP_VALUES;
	*period = (Mprof__Proto__ValueType)MPROF__PROTO__VALUE_TYPE__INIT;
	period->type = string(w, "space");
	period->unit = string(w, "bytes");
	w->p.period_type = period;
	w->p.period = 1;
}

/* Describe what is known of the locations in a mapping. */
static void describe(struct writer *w, uint32_t mapping, Mprof__Proto__Mapping *m)
{
	const struct heap_stacks *h = w->h;
	bool all = true, any = false;

	for (size_t i = 0; i < h->n_locations; i++) {
		const struct pp_location *l = &h->locations[i];

		if (l->mapping != mapping)
			continue;
		any = true;
		all &= l->n_lines > 0;
		m->has_inline_frames |= l->n_lines > 1;
		for (uint32_t k = 0; k < l->n_lines; k++) {
			m->has_filenames |=
				*h->functions[h->lines[l->first_line + k].function].file != 0;
			m->has_line_numbers |= h->lines[l->first_line + k].line != 0;
		}
	}
	m->has_functions = any && all;
}

static void mappings(struct writer *w)
{
	size_t n = w->h->n_mappings;
	Mprof__Proto__Mapping *m = MESSAGES(w, &w->p.mapping, n, Mprof__Proto__Mapping,
					    MPROF__PROTO__MAPPING__INIT);

	if (!m)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const struct pp_mapping *from = &w->h->mappings[i];

		m[i].id = i + 1;
		m[i].memory_start = from->start;
		m[i].memory_limit = from->limit;
		m[i].file_offset = from->offset;
		m[i].filename = string(w, from->path);
		m[i].build_id = string(w, from->build_id);
		describe(w, i, &m[i]);
	}
	w->p.n_mapping = n;
}

static void functions(struct writer *w)
{
	size_t n = w->h->n_functions;
	Mprof__Proto__Function *f = MESSAGES(w, &w->p.function, n, Mprof__Proto__Function,
					     MPROF__PROTO__FUNCTION__INIT);

	if (!f)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct pp_function *from = &w->h->functions[i];

		f[i].id = i + 1;
		f[i].name = string(w, from->name);
		f[i].system_name = string(w, from->system_name);
		f[i].filename = string(w, from->file);
		f[i].start_line = from->start_line;
	}
	w->p.n_function = n;
}

static void locations(struct writer *w)
{
	const struct heap_stacks *h = w->h;
	Mprof__Proto__Location *l = MESSAGES(w, &w->p.location, h->n_locations,
					     Mprof__Proto__Location, MPROF__PROTO__LOCATION__INIT);

	for (size_t i = 0; l && i < h->n_locations; i++) {
		const struct pp_location *from = &h->locations[i];
		Mprof__Proto__Line *line = MESSAGES(w, &l[i].line, from->n_lines,
						    Mprof__Proto__Line, MPROF__PROTO__LINE__INIT);

		if (!line)
			return;
		l[i].id = i + 1;
		l[i].mapping_id = from->mapping == PP_NONE ? 0 : from->mapping + 1ull;
		l[i].address = from->address;
		l[i].n_line = from->n_lines;
		for (uint32_t k = 0; k < from->n_lines; k++) {
			line[k].function_id = h->lines[from->first_line + k].function + 1ull;
			line[k].line = h->lines[from->first_line + k].line;
		}
	}
	w->p.n_location = l ? h->n_locations : 0;
}

static void samples(struct writer *w)
{
	const struct stack_table *t = &w->h->stacks;
	Mprof__Proto__Sample *s = MESSAGES(w, &w->p.sample, t->n, Mprof__Proto__Sample,
					   MPROF__PROTO__SAMPLE__INIT);
	uint64_t *ids = get(w, t->n_elements, sizeof *ids);

	if (!s || !ids)
		return;
	for (size_t i = 0; i < t->n_elements; i++)
		ids[i] = t->elements[i] + 1;
	for (size_t i = 0; i < t->n; i++) {
		s[i].n_location_id = t->stacks[i].n;
		s[i].location_id = ids + t->stacks[i].first;
		s[i].n_value = HEAP_VALUES;
		s[i].value = t->stacks[i].value;
	}
	w->p.n_sample = t->n;
}

static void rest(struct writer *w)
{
	int64_t *comment = get(w, 1, sizeof *comment);

	w->p.time_nanos = w->h->time_ns;
	w->p.duration_nanos = w->h->duration_ns;
	if (comment && w->h->comment) {
		*comment = string(w, w->h->comment);
		w->p.n_comment = 1;
		w->p.comment = comment;
	}
	/* Last, when all strings are known. */
	ProtobufCBinaryData *s = get(w, w->strings.n, sizeof *s);
	for (size_t i = 0; s && i < w->strings.n; i++)
		s[i] = (ProtobufCBinaryData){ strlen(w->strings.v[i]), (uint8_t *)w->strings.v[i] };
	w->p.n_string_table = w->strings.n;
	w->p.string_table = s;
}

/* 0 or -errno. Flushes the stream first. */
static int compress_to(FILE *out, const uint8_t *data, size_t len)
{
	int err = stream_flush(out);

	if (err)
		return err;
	int fd = dup(fileno(out));
	gzFile gz = fd < 0 ? NULL : gzdopen(fd, "wb");

	if (!gz) {
		err = fd < 0 ? -errno : -ENOMEM;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (len && !err) {
		unsigned part = len > 1 << 20 ? 1 << 20 : (unsigned)len;

		errno = 0;
		if (gzwrite(gz, data, part) != (int)part)
			err = errno ? -errno : -EIO;
		data += part;
		len -= part;
	}
	errno = 0;
	if (gzclose(gz) != Z_OK && !err)
		err = errno ? -errno : -EIO;
	return err;
}

int heap_print_proto(const struct heap_stacks *h, const struct heap_view *v, FILE *out)
{
	struct writer w = { .h = h, .p = MPROF__PROTO__PROFILE__INIT };
	uint8_t *packed = NULL;
	int err = -ENOMEM;

	(void)v;
	string(&w, "");
	value_types(&w);
	mappings(&w);
	functions(&w);
	locations(&w);
	samples(&w);
	rest(&w);
	if (!w.strings.failed) {
		size_t len = mprof__proto__profile__get_packed_size(&w.p);
		packed = malloc(len + 1);
		if (packed)
			err = compress_to(out, packed, mprof__proto__profile__pack(&w.p, packed));
	}
	free(packed);
	for (size_t i = 0; i < w.n_owned; i++)
		free(w.owned[i]);
	free(w.owned);
	free(w.strings.v);
	idindex_release(&w.strings.index);
	return err;
}
