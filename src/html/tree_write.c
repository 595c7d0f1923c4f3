/* SPDX-License-Identifier: BSD-2-Clause */
/* The call tree as JSON. */
#include "html/tree.h"

#include "base/stream.h"
#include "html/columns.h"
#include "html/tree_internal.h"
#include "profile/pd_names.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* -1 for PD_NONE. */
static int64_t or_none(uint32_t number)
{
	return number == PD_NONE ? -1 : (int64_t)number;
}

/* ---- functions and sites ---- */

static int64_t function_name(const void *of, size_t i)
{
	const struct tree *t = of;

	return t->function_name[i];
}

static int64_t function_module(const void *of, size_t i)
{
	const struct tree *t = of;
	uint32_t module = tree_module(t, t->functions.v[i]);

	return module == PD_NONE ? -1 : (int64_t)t->modules.number[module];
}

static int64_t function_same(const void *of, size_t i)
{
	const struct tree *t = of;

	return (int64_t)t->same[t->functions.v[i]];
}

static int64_t site_function(const void *of, size_t i)
{
	const struct tree *t = of;

	return t->functions.number[names_function(t->d, t->sites.v[i])];
}

static int64_t site_file(const void *of, size_t i)
{
	const struct tree *t = of;

	return or_none(t->site_file[i]);
}

static int64_t site_line(const void *of, size_t i)
{
	const struct tree *t = of;

	return names_line(t->d, t->sites.v[i]);
}

static int64_t site_inlined(const void *of, size_t i)
{
	const struct tree *t = of;
	uint32_t site = t->sites.v[i];

	return site < t->d->n_sites && t->d->sites[site].inlined;
}

static int64_t site_own(const void *of, size_t i)
{
	const struct tree *t = of;

	return t->holders[t->sites.v[i]];
}

/* ---- nodes and leaves ---- */

static int64_t node_up(const void *of, size_t i)
{
	const struct tree *t = of;
	uint32_t parent = t->d->nodes[t->nodes.v[i]].parent;

	if (parent == PD_NONE || parent == PD_ROOT_WHOLE)
		return 0;
	return (int64_t)i - (int64_t)t->nodes.number[parent];
}

static int64_t node_site(const void *of, size_t i)
{
	const struct tree *t = of;
	uint32_t node = t->nodes.v[i];

	return tree_is_cut(node) ? -1 : (int64_t)t->sites.number[tree_site(t, node)];
}

static int64_t leaf_node(const void *of, size_t i)
{
	const struct tree *t = of;

	return (int64_t)t->leaves[i] - (i ? (int64_t)t->leaves[i - 1] : 0);
}

static const struct own *own_of(const struct tree *t, size_t leaf)
{
	return &t->own[t->nodes.v[t->leaves[leaf]]];
}

#define OWN(name, value)                                                                           \
	static int64_t leaf_##name(const void *of, size_t i)                                     \
	{                                                                                          \
		const struct own *o = own_of(of, i);                                               \
		return (int64_t)(value);                                                           \
	}

OWN(allocs, o->allocs)
OWN(bytes, o->bytes)
OWN(size, o->sizes_differ ? -1 : (int64_t)o->size)
OWN(frees, o->frees)
OWN(kept_blocks, o->allocs - o->frees)
OWN(kept_bytes, o->bytes - o->free_bytes)
OWN(peak_blocks, o->peak_blocks)
OWN(peak_bytes, o->peak_bytes)
OWN(temporary, o->temporary)
OWN(runtime_blocks, o->runtime.blocks)
OWN(runtime_bytes, o->runtime.bytes)
OWN(lost_blocks, o->lost.blocks)
OWN(lost_bytes, o->lost.bytes)
OWN(hanging_blocks, o->hanging.blocks)
OWN(hanging_bytes, o->hanging.bytes)

/* ---- types ---- */

static int64_t type_node(const void *of, size_t i)
{
	const struct tree *t = of;

	return t->types[i].node;
}

static int64_t type_name(const void *of, size_t i)
{
	const struct tree *t = of;

	return t->types[i].name;
}

static int64_t type_certain(const void *of, size_t i)
{
	const struct tree *t = of;

	return t->types[i].certain;
}

/* ---- all ---- */

static int64_t module_path(const void *of, size_t i)
{
	const struct tree *t = of;

	return t->module_path[i];
}

static void put_tables(const struct tree *t, FILE *out)
{
	static const struct column modules = {"modules", module_path, false};
	static const struct column functions[] = {{"name", function_name, false},
						  {"module", function_module, false},
						  {"same", function_same, false}};
	static const struct column sites[] = {{"function", site_function, false},
					      {"file", site_file, false},
					      {"line", site_line, false},
					      {"inlined", site_inlined, false},
					      {"own", site_own, false}};
	static const struct column nodes[] = {{"up", node_up, false}, {"site", node_site, false}};
	static const struct column leaves[] = {{"node", leaf_node, false},
					       {"allocs", leaf_allocs, true},
					       {"bytes", leaf_bytes, true},
					       {"size", leaf_size, false},
					       {"frees", leaf_frees, true},
					       {"kept_blocks", leaf_kept_blocks, true},
					       {"kept_bytes", leaf_kept_bytes, true},
					       {"peak_blocks", leaf_peak_blocks, true},
					       {"peak_bytes", leaf_peak_bytes, true},
					       {"temporary", leaf_temporary, true},
					       {"runtime_blocks", leaf_runtime_blocks, true},
					       {"runtime_bytes", leaf_runtime_bytes, true}};
	static const struct column lost[] = {{"lost_blocks", leaf_lost_blocks, true},
					     {"lost_bytes", leaf_lost_bytes, true},
					     {"hanging_blocks", leaf_hanging_blocks, true},
					     {"hanging_bytes", leaf_hanging_bytes, true}};
	static const struct column types[] = {{"node", type_node, false},
					      {"name", type_name, false},
					      {"certain", type_certain, false}};

	fputs(",\n", out);
	columns_put(t, &modules, t->modules.n, out);
	columns_put_table(t, "functions", functions, COUNT(functions) - !t->same, t->functions.n,
			  out);
	columns_put_table(t, "sites", sites, COUNT(sites), t->sites.n, out);
	columns_put_table(t, "nodes", nodes, COUNT(nodes), t->nodes.n, out);
	columns_put_table(t, "leaves", leaves, COUNT(leaves), t->n_leaves, out);
	if (t->d->reach.known)
		columns_put_table(t, "lost", lost, COUNT(lost), t->n_leaves, out);
	columns_put_table(t, "types", types, COUNT(types), t->n_types, out);
}

int tree_json(const struct tree *t, FILE *out)
{
	fputs("{\"schema\":\"mprof.tree.v1\",\n", out);
	int err = columns_put_strings(&t->strings, out);

	put_tables(t, out);
	fputs("}\n", out);
	int lost = stream_flush(out);
	return lost ? lost : err;
}
