/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts a profile of our own to stacks of locations. */
#include "pprof/read.h"

#include "base/memstream.h"
#include "naming/codefiles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The address of module number n: far enough from all others. */
#define FIRST_PLACE 0x100000000000ull
#define PLACE_SIZE 0x1000000000ull

struct conversion {
	const struct profile_data *d;
	struct heap_stacks *out;
	struct codefiles files;	/* by module; not those that occur nowhere */
	uint32_t *mapping_of;	/* by module */
	uint64_t *bias;		/* by module: added to file addresses */
	uint64_t *last;		/* by module: highest address in a chain */
	uint64_t *stack;	/* the stack being built */
	size_t deepest;
};

static uint32_t module_of(const struct profile_data *d, const struct pd_site *s)
{
	return d->functions[s->function].module;
}

static void find_last(struct conversion *c)
{
	for (size_t i = 0; i < c->d->n_sites; i++) {
		const struct pd_site *s = &c->d->sites[i];
		uint32_t m = module_of(c->d, s);

		if (m != PD_NONE && s->address > c->last[m])
			c->last[m] = s->address;
	}
}

/* Set start, limit and offset as in the file's code segment, if the file still exists. */
static void lay_out(const struct code_facts *f, uint64_t bias, struct pp_mapping *m)
{
	for (uint32_t i = 0; i < f->n_segments; i++) {
		const struct code_segment *s = &f->segments[i];

		if (s->address + s->size >= PLACE_SIZE - 4096)
			continue;
		m->start = bias + (s->address & ~4095ull);
		m->limit = bias + ((s->address + s->size + 4095) & ~4095ull);
		m->offset = s->offset & ~4095ull;
		break;
	}
}

static int open_files(struct conversion *c, const bool *used, say_fn *say)
{
	const struct profile_data *d = c->d;
	struct codefile_wanted *wanted = calloc(d->n_modules + 1, sizeof *wanted);

	if (!wanted)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_modules; i++) {
		const struct pd_module *m = &d->modules[i];
		const bool wants = (used[i] || i == d->program) && *m->build_id;

		wanted[i] = (struct codefile_wanted){ wants ? m->path : NULL, m->build_id };
	}
	int err = codefiles_open(&c->files, wanted, d->n_modules, say);

	free(wanted);
	return err;
}

static int add_mapping(struct conversion *c, uint32_t i)
{
	const struct pd_module *module = &c->d->modules[i];
	uint64_t bias = FIRST_PLACE + i % 0x70000 * PLACE_SIZE;
	struct pp_mapping m = { .start = bias, .limit = bias + ((c->last[i] + 4096) & ~4095ull),
				.path = module->path, .build_id = module->build_id };

	/* There is no room for a forged address: leave the mapping out. */
	if (c->last[i] >= PLACE_SIZE - 4096)
		return 0;
	c->bias[i] = bias;
	if (c->files.v[i].fd >= 0)
		lay_out(&c->files.facts[i], bias, &m);
	c->mapping_of[i] = heap_stacks_mapping(c->out, &m);
	return c->mapping_of[i] == PP_NONE ? -ENOMEM : 0;
}

static int add_mappings(struct conversion *c, say_fn *say)
{
	bool *used = profile_data_modules_used(c->d);
	int err = used ? open_files(c, used, say) : -ENOMEM;

	find_last(c);
	for (size_t i = 0; i < c->d->n_modules; i++)
		c->mapping_of[i] = PP_NONE;
	/* The mapping of the program comes first. */
	if (!err && c->d->program != PD_NONE)
		err = add_mapping(c, c->d->program);
	for (uint32_t i = 0; !err && i < c->d->n_modules; i++)
		if (used[i] && i != c->d->program)
			err = add_mapping(c, i);
	free(used);
	return err;
}

static int line_of(struct conversion *c, const struct pd_site *s, struct pp_line *line)
{
	const struct pd_function *fn = &c->d->functions[s->function];
	struct pp_function f = { fn->name, fn->linkage ? fn->linkage : fn->name, s->file ? s->file
				 : (char *)"", 0 };

	*line = (struct pp_line){ heap_stacks_function(c->out, &f), s->line };
	return line->function == PP_NONE ? -ENOMEM : 0;
}

/*
 * The location of a node, with all functions inlined at this place, which are the nodes above it
 * with the same address. *node is set to the caller's node.
 */
static uint32_t location_at(struct conversion *c, uint32_t *node)
{
	const struct profile_data *d = c->d;
	struct pp_line lines[64];
	size_t n = 0;
	const struct pd_site *s;
	uint64_t address;
	uint32_t module;

	do {
		s = &d->sites[d->nodes[*node].site];
		address = namer_instruction(s->address, s->exact);
		module = module_of(d, s);
		/* If more functions are inlined into each other, the inner ones are shown. */
		if (n < sizeof lines / sizeof *lines && line_of(c, s, &lines[n++]))
			return PP_NONE;
		*node = d->nodes[*node].parent;
	} while (s->inlined && *node >= PD_FIRST_NODE);
	if (module != PD_NONE && c->mapping_of[module] != PP_NONE)
		return heap_stacks_location(c->out, c->mapping_of[module],
					    c->bias[module] + address, lines, n);
	return heap_stacks_location(c->out, PP_NONE, address, lines, n);
}

static int add_leaf(struct conversion *c, const struct pd_leaf *l)
{
	uint64_t live = l->allocs - l->frees;
	const uint64_t value[HEAP_VALUES] = { l->allocs, l->allocs * l->size, live,
					      live * l->size };
	size_t n = 0;

	for (uint32_t node = l->node; node >= PD_FIRST_NODE;) {
		uint32_t id = location_at(c, &node);

		if (id == PP_NONE)
			return -ENOMEM;
		c->stack[n++] = id;
	}
	return stack_table_count(&c->out->stacks, c->stack, n, value);
}

static int find_deepest(struct conversion *c)
{
	uint32_t *depth = calloc(c->d->n_nodes, sizeof *depth);

	if (!depth)
		return -ENOMEM;
	for (size_t i = PD_FIRST_NODE; i < c->d->n_nodes; i++) {
		depth[i] = depth[c->d->nodes[i].parent] + 1;
		if (depth[i] > c->deepest)
			c->deepest = depth[i];
	}
	free(depth);
	return 0;
}

static char *join_command(char *const *argv)
{
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	if (!out)
		return NULL;
	for (char *const *a = argv; a && *a; a++)
		fprintf(out, "%s%s", a == argv ? "" : " ", *a);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static int convert(struct conversion *c, say_fn *say)
{
	int err = find_deepest(c);

	if (err)
		return err;
	c->stack = malloc((c->deepest + 1) * sizeof *c->stack);
	c->out->comment = join_command(c->d->command);
	if (!c->stack || !c->out->comment)
		return -ENOMEM;
	c->out->time_ns = (int64_t)c->d->started_ns;
	c->out->duration_ns = c->d->ended_ns > c->d->started_ns ?
				      (int64_t)(c->d->ended_ns - c->d->started_ns) : 0;
	err = add_mappings(c, say);
	for (size_t i = 0; !err && i < c->d->n_leaves; i++)
		err = add_leaf(c, &c->d->leaves[i]);
	return err;
}

int heap_from_data(const struct profile_data *d, say_fn *say, struct heap_stacks *out,
		   struct error *e)
{
	struct conversion c = { .d = d, .out = out };
	int err = -ENOMEM;

	c.mapping_of = calloc(d->n_modules + 1, sizeof *c.mapping_of);
	c.bias = calloc(d->n_modules + 1, sizeof *c.bias);
	c.last = calloc(d->n_modules + 1, sizeof *c.last);
	if (c.mapping_of && c.bias && c.last)
		err = convert(&c, say);
	codefiles_close(&c.files);
	free(c.mapping_of);
	free(c.bias);
	free(c.last);
	free(c.stack);
	return err ? error_set(e, err, "cannot convert the profile: out of memory") : 0;
}
