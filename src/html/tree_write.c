/* SPDX-License-Identifier: BSD-2-Clause */
/* The call tree as JSON: columns of numbers, which deflate well and are quick to read. */
#include "html/tree.h"

#include "base/jsontext.h"
#include "html/tree_internal.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdbool.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- numbers ---- */

/* printf(3) would be most of the work: there are millions of them. */
static void put_number(int64_t n, FILE *out)
{
	char digits[20], *end = digits + sizeof digits, *s = end;
	uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;

	do {
		*--s = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (n < 0)
		*--s = '-';
	fwrite_unlocked(s, 1, (size_t)(end - s), out);
}

/* A column: what stands in its row @i. */
struct column {
	const char *key;
	int64_t (*get)(const struct tree *t, size_t i);
};

static void put_column(const struct tree *t, const struct column *c, size_t n, FILE *out)
{
	fprintf(out, "\"%s\":[", c->key);
	for (size_t i = 0; i < n; i++) {
		if (i)
			putc_unlocked(',', out);
		put_number(c->get(t, i), out);
	}
	putc_unlocked(']', out);
}

static void put_table(const struct tree *t, const char *key, const struct column *columns,
		      size_t n_columns, size_t n, FILE *out)
{
	fprintf(out, ",\n\"%s\":{", key);
	for (size_t i = 0; i < n_columns; i++) {
		if (i)
			putc_unlocked(',', out);
		put_column(t, &columns[i], n, out);
	}
	putc_unlocked('}', out);
}

/* A number of something, -1 for none. */
static int64_t or_none(uint32_t number)
{
	return number == PD_NONE ? -1 : (int64_t)number;
}

/* ---- functions and sites ---- */

static int64_t function_name(const struct tree *t, size_t i)
{
	return t->function_name[i];
}

static int64_t function_module(const struct tree *t, size_t i)
{
	uint32_t module = tree_module(t, t->functions.v[i]);

	return module == PD_NONE ? -1 : (int64_t)t->modules.number[module];
}

static int64_t function_same(const struct tree *t, size_t i)
{
	return (int64_t)t->same[t->functions.v[i]];
}

static int64_t site_function(const struct tree *t, size_t i)
{
	return t->functions.number[names_function(t->d, t->sites.v[i])];
}

static int64_t site_file(const struct tree *t, size_t i)
{
	return or_none(t->site_file[i]);
}

static int64_t site_line(const struct tree *t, size_t i)
{
	return names_line(t->d, t->sites.v[i]);
}

static int64_t site_inlined(const struct tree *t, size_t i)
{
	uint32_t site = t->sites.v[i];

	return site < t->d->n_sites && t->d->sites[site].inlined;
}

/* ---- nodes and leaves ---- */

static int64_t node_up(const struct tree *t, size_t i)
{
	uint32_t parent = t->d->nodes[t->nodes.v[i]].parent;

	if (parent == PD_NONE || parent == PD_ROOT_WHOLE)
		return 0;
	return (int64_t)i - (int64_t)t->nodes.number[parent];
}

static int64_t node_site(const struct tree *t, size_t i)
{
	uint32_t node = t->nodes.v[i];

	return tree_is_cut(node) ? -1 : (int64_t)t->sites.number[tree_site(t, node)];
}

static int64_t leaf_node(const struct tree *t, size_t i)
{
	return (int64_t)t->leaves[i] - (i ? (int64_t)t->leaves[i - 1] : 0);
}

static const struct own *own_of(const struct tree *t, size_t leaf)
{
	return &t->own[t->nodes.v[t->leaves[leaf]]];
}

#define OWN(name, value)                                                                           \
	static int64_t leaf_##name(const struct tree *t, size_t i)                                 \
	{                                                                                          \
		const struct own *o = own_of(t, i);                                                \
		return (int64_t)(value);                                                           \
	}

OWN(allocs, o->allocs)
OWN(bytes, o->bytes)
OWN(frees, o->frees)
OWN(kept_blocks, o->allocs - o->frees)
OWN(kept_bytes, o->bytes - o->free_bytes)
OWN(peak_blocks, o->peak_blocks)
OWN(peak_bytes, o->peak_bytes)
OWN(temporary, o->temporary)

/* ---- types ---- */

static int64_t type_node(const struct tree *t, size_t i)
{
	return t->types[i].node;
}

static int64_t type_name(const struct tree *t, size_t i)
{
	return t->types[i].name;
}

static int64_t type_certain(const struct tree *t, size_t i)
{
	return t->types[i].certain;
}

/* ---- all ---- */

static int write_piece(const char *text, size_t len, void *out)
{
	return fwrite_unlocked(text, 1, len, out) == len ? 0 : -1;
}

/* What the program is called by itself may be any bytes. False: out of memory, or of disk, which
 * the stream knows. */
static bool put_strings(const struct strings *s, FILE *out)
{
	bool fine = true;

	fputs("\"strings\":[", out);
	for (size_t i = 0; fine && i < s->n; i++) {
		json_t *text = json_text(s->v[i]);

		fputs(i ? ",\n" : "\n", out);
		fine = text &&
		       !json_dump_callback(text, write_piece, out, JSON_COMPACT | JSON_ENCODE_ANY);
		json_decref(text);
	}
	putc_unlocked(']', out);
	return fine;
}

static int64_t module_path(const struct tree *t, size_t i)
{
	return t->module_path[i];
}

static void put_tables(const struct tree *t, FILE *out)
{
	static const struct column modules = {"modules", module_path};
	static const struct column functions[] = {{"name", function_name},
						  {"module", function_module},
						  {"same", function_same}};
	static const struct column sites[] = {{"function", site_function},
					      {"file", site_file},
					      {"line", site_line},
					      {"inlined", site_inlined}};
	static const struct column nodes[] = {{"up", node_up}, {"site", node_site}};
	static const struct column leaves[] = {{"node", leaf_node},
					       {"allocs", leaf_allocs},
					       {"bytes", leaf_bytes},
					       {"frees", leaf_frees},
					       {"kept_blocks", leaf_kept_blocks},
					       {"kept_bytes", leaf_kept_bytes},
					       {"peak_blocks", leaf_peak_blocks},
					       {"peak_bytes", leaf_peak_bytes},
					       {"temporary", leaf_temporary}};
	static const struct column types[] = {
		{"node", type_node}, {"name", type_name}, {"certain", type_certain}};

	fputs(",\n", out);
	put_column(t, &modules, t->modules.n, out);
	put_table(t, "functions", functions, COUNT(functions) - !t->same,
		  t->functions.n, out);
	put_table(t, "sites", sites, COUNT(sites), t->sites.n, out);
	put_table(t, "nodes", nodes, COUNT(nodes), t->nodes.n, out);
	put_table(t, "leaves", leaves, COUNT(leaves), t->n_leaves, out);
	put_table(t, "types", types, COUNT(types), t->n_types, out);
}

int tree_json(const struct profile_data *d, FILE *out)
{
	return tree_json_numbered(d, NULL, out);
}

int tree_json_numbered(const struct profile_data *d, const uint64_t *same, FILE *out)
{
	struct tree t;
	int err = tree_build(&t, d);

	t.same = same;
	if (!err) {
		fputs("{\"schema\":\"mprof.tree.v1\",\n", out);
		bool fine = put_strings(&t.strings, out);

		put_tables(&t, out);
		fputs("}\n", out);
		if (fflush(out) || ferror(out))
			err = errno ? -errno : -EIO;
		else if (!fine)
			err = -ENOMEM;
	}
	tree_release(&t);
	return err;
}
