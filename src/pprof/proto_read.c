/* SPDX-License-Identifier: BSD-2-Clause */
/* profile.proto of any maker, read with protobuf-c and zlib. */
#include "pprof/read.h"

#include "pprof/profile.pb-c.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Limits decompression: a few bytes of gzip can expand to any length. No profile is this large. */
#define MOST_BYTES (1u << 30)

/* An id in the file, and our number for it. */
struct numbered {
	uint64_t id;
	uint32_t number;
};

struct reader {
	const char *path;
	const Mprof__Proto__Profile *p;
	struct heap_stacks *out;
	struct error *e;
	char **strings;
	struct numbered *mappings, *functions, *locations;
	int value_at[HEAP_VALUES]; /* index of each value in a sample; -1: not there */
};

static int wrong(const struct reader *r, const char *what)
{
	return error_set(r->e, -EINVAL, "%s is no heap profile that can be read: "
					"%s", r->path, what);
}

static int no_memory(const struct reader *r)
{
	return error_set(r->e, -ENOMEM, "cannot read %s: out of memory", r->path);
}

/* ---- the file ---- */

/* The content of a file, decompressed if necessary. */
struct content {
	uint8_t *bytes;
	size_t len, cap;
	bool plain;	/* it was not compressed */
};

static int grow(struct content *c, const char *path, struct error *e)
{
	size_t cap = c->cap ? c->cap * 2 : 1 << 16;
	uint8_t *grown = cap > MOST_BYTES ? NULL : realloc(c->bytes, cap);

	if (!grown)
		return error_set(e, -EFBIG, "cannot read %s: it is too large", path);
	c->bytes = grown;
	c->cap = cap;
	return 0;
}

static int read_content(gzFile gz, const char *path, struct content *c, struct error *e)
{
	int err = 0, n = 1;

	while (!err && n > 0) {
		if (c->len == c->cap)
			err = grow(c, path, e);
		if (err)
			break;
		n = gzread(gz, c->bytes + c->len, (unsigned)(c->cap - c->len));
		if (n < 0)
			err = error_set(e, -EINVAL, "cannot read %s: its gzip data is "
						    "damaged", path);
		else
			c->len += (size_t)n;
	}
	c->plain = gzdirect(gz);
	return err;
}

static int unfold(const char *path, struct content *c, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	gzFile gz = fd < 0 ? NULL : gzdopen(fd, "rb");

	if (!gz) {
		int err = fd < 0 ? -errno : -ENOMEM;

		if (fd >= 0)
			close(fd);
		return error_set(e, err, "cannot read %s: %s", path, strerror(-err));
	}
	int err = read_content(gz, path, c, e);
	/* Truncated data is reported only by gzclose(). */
	if (gzclose(gz) != Z_OK && !err)
		err = error_set(e, -EINVAL, "cannot read %s: its gzip data is truncated: the file "
					    "is not whole",
				path);
	if (!err && !c->len)
		err = error_set(e, -EINVAL, "cannot read %s: it is empty", path);
	return err;
}

/* ---- its parts ---- */

static int read_strings(struct reader *r)
{
	size_t n = r->p->n_string_table;

	if (!n || r->p->string_table[0].len)
		return wrong(r, "its table of strings does not begin with an empty one");
	r->strings = calloc(n, sizeof *r->strings);
	if (!r->strings)
		return no_memory(r);
	for (size_t i = 0; i < n; i++) {
		const ProtobufCBinaryData *s = &r->p->string_table[i];

		r->strings[i] = strndup(s->len ? (const char *)s->data : "", s->len);
		if (!r->strings[i])
			return no_memory(r);
	}
	return 0;
}

static const char *text(const struct reader *r, int64_t index)
{
	return index >= 0 && (uint64_t)index < r->p->n_string_table ? r->strings[index] : NULL;
}

static int by_id(const void *left, const void *right)
{
	const struct numbered *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

/* Sort them, and check that each id occurs once. */
static int sort_ids(const struct reader *r, struct numbered *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof *v, by_id);
	for (size_t i = 0; i < n; i++)
		if (!v[i].id || (i && v[i].id == v[i - 1].id))
			return wrong(r, "an id is 0 or there twice");
	return 0;
}

static uint32_t number_of(const struct numbered *v, size_t n, uint64_t id)
{
	const struct numbered key = { .id = id };
	const struct numbered *found = n ? bsearch(&key, v, n, sizeof key, by_id) : NULL;

	return found ? found->number : PP_NONE;
}

static int read_types(struct reader *r)
{
	static const char *const names[HEAP_VALUES] = { "alloc_objects", "alloc_space",
							"inuse_objects",
							"inuse_space" };
	bool any = false;

	for (int v = 0; v < HEAP_VALUES; v++) {
		r->value_at[v] = -1;
		for (size_t i = 0; i < r->p->n_sample_type && i < INT32_MAX; i++) {
			const char *type = text(r, r->p->sample_type[i]->type);

			if (!type)
				return wrong(r, "a string that is not there");
			if (strcmp(type, names[v]))
				continue;
			r->value_at[v] = (int)i;
			any = true;
		}
	}
	return any ? 0 : wrong(r, "none of its numbers is alloc_objects, alloc_space, "
				  "inuse_objects or inuse_space");
}

static int read_mappings(struct reader *r)
{
	size_t n = r->p->n_mapping;

	r->mappings = calloc(n + 1, sizeof *r->mappings);
	if (!r->mappings)
		return no_memory(r);
	for (size_t i = 0; i < n; i++) {
		const Mprof__Proto__Mapping *m = r->p->mapping[i];
		const char *path = text(r, m->filename), *id = text(r, m->build_id);

		if (!path || !id)
			return wrong(r, "a string that is not there");
		struct pp_mapping copy = { m->memory_start, m->memory_limit, m->file_offset,
					   (char *)path,
					   (char *)id };
		r->mappings[i] = (struct numbered){ m->id, heap_stacks_mapping(r->out, &copy) };
		if (r->mappings[i].number == PP_NONE)
			return no_memory(r);
	}
	return sort_ids(r, r->mappings, n);
}

static int read_functions(struct reader *r)
{
	size_t n = r->p->n_function;

	r->functions = calloc(n + 1, sizeof *r->functions);
	if (!r->functions)
		return no_memory(r);
	for (size_t i = 0; i < n; i++) {
		const Mprof__Proto__Function *f = r->p->function[i];
		const char *name = text(r, f->name), *system = text(r, f->system_name),
			   *file = text(r, f->filename);

		if (!name || !system || !file)
			return wrong(r, "a string that is not there");
		struct pp_function copy = { (char *)(*name ? name : system),
					    (char *)(*system ? system : name),
					    (char *)file, f->start_line };
		r->functions[i] = (struct numbered){ f->id, heap_stacks_function(r->out, &copy) };
		if (r->functions[i].number == PP_NONE)
			return no_memory(r);
	}
	return sort_ids(r, r->functions, n);
}

static int read_location(struct reader *r, size_t i)
{
	const Mprof__Proto__Location *l = r->p->location[i];
	struct pp_line *lines = malloc((l->n_line + 1) * sizeof *lines);
	uint32_t mapping = PP_NONE;

	if (!lines)
		return no_memory(r);
	if (l->mapping_id) {
		mapping = number_of(r->mappings, r->p->n_mapping, l->mapping_id);
		if (mapping == PP_NONE) {
			free(lines);
			return wrong(r, "a mapping that is not there");
		}
	}
	for (size_t k = 0; k < l->n_line; k++) {
		lines[k] = (struct pp_line){ number_of(r->functions, r->p->n_function,
						       l->line[k]->function_id),
					     l->line[k]->line };
		if (lines[k].function == PP_NONE) {
			free(lines);
			return wrong(r, "a function that is not there");
		}
	}
	/* Two locations of one address may have different names: keep them apart. */
	uint32_t number = heap_stacks_named_location(r->out, mapping, l->address, lines, l->n_line);
	free(lines);
	r->locations[i] = (struct numbered){ l->id, number };
	return number == PP_NONE ? no_memory(r) : 0;
}

static int read_locations(struct reader *r)
{
	size_t n = r->p->n_location;
	int err = 0;

	r->locations = calloc(n + 1, sizeof *r->locations);
	if (!r->locations)
		return no_memory(r);
	for (size_t i = 0; !err && i < n; i++)
		err = read_location(r, i);
	return err ? err : sort_ids(r, r->locations, n);
}

static int read_sample(struct reader *r, const Mprof__Proto__Sample *s)
{
	int64_t value[HEAP_VALUES] = { 0 };
	uint64_t *elements = malloc((s->n_location_id + 1) * sizeof *elements);
	int err = elements ? 0 : no_memory(r);

	if (!err && s->n_value != r->p->n_sample_type)
		err = wrong(r, "a sample has more or fewer numbers than there are types");
	for (int v = 0; !err && v < HEAP_VALUES; v++)
		if (r->value_at[v] >= 0)
			value[v] = s->value[r->value_at[v]];
	for (size_t i = 0; !err && i < s->n_location_id; i++) {
		elements[i] = number_of(r->locations, r->p->n_location, s->location_id[i]);
		if (elements[i] == PP_NONE)
			err = wrong(r, "a location that is not there");
	}
	if (!err) {
		err = stack_table_add(&r->out->stacks, elements, s->n_location_id, value);
		if (err)
			err = err == -EOVERFLOW ? wrong(r, "a sum is too large") : no_memory(r);
	}
	free(elements);
	return err;
}

static int read_rest(struct reader *r)
{
	r->out->time_ns = r->p->time_nanos;
	r->out->duration_ns = r->p->duration_nanos;
	if (!r->p->n_comment)
		return 0;
	const char *comment = text(r, r->p->comment[0]);
	if (!comment)
		return wrong(r, "a string that is not there");
	r->out->comment = strdup(comment);
	return r->out->comment ? 0 : no_memory(r);
}

static int read_all(struct reader *r)
{
	int err = read_strings(r);

	err = err ? err : read_types(r);
	err = err ? err : read_mappings(r);
	err = err ? err : read_functions(r);
	err = err ? err : read_locations(r);
	for (size_t i = 0; !err && i < r->p->n_sample; i++)
		err = read_sample(r, r->p->sample[i]);
	return err ? err : read_rest(r);
}

static int no_proto(const struct reader *r, const struct content *c)
{
	if (c->plain)
		return wrong(r, "it is neither compressed with gzip nor a protocol buffer "
				"(profile.proto), or it is cut off");
	return wrong(r, "what is in its gzip data is not a protocol buffer (profile.proto), or is "
			"cut off");
}

int heap_read_proto(const char *path, struct heap_stacks *out, struct error *e)
{
	struct reader r = { .path = path, .out = out, .e = e };
	struct content c = { 0 };
	int err = unfold(path, &c, e);
	Mprof__Proto__Profile *p = err ? NULL : mprof__proto__profile__unpack(NULL, c.len, c.bytes);

	if (!err && !p)
		err = no_proto(&r, &c);
	r.p = p;
	if (!err)
		err = read_all(&r);
	for (size_t i = 0; r.strings && i < p->n_string_table; i++)
		free(r.strings[i]);
	free(r.strings);
	free(r.mappings);
	free(r.functions);
	free(r.locations);
	if (p)
		mprof__proto__profile__free_unpacked(p, NULL);
	free(c.bytes);
	return err;
}
