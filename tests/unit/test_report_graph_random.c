/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small random profiles: the call graph is compared with the definitions of doc/tables.md, section
 * 7.1, applied to every request's chain.
 */
#include "unit/test_report_text.h"
#include "lib/random.h"

#include "report/graph.h"
#include "profile/pd_names.h"

#define FUNCTIONS 7
#define CHAINS 12
#define LONGEST 9

struct request {
	unsigned n, f[LONGEST];		/* the functions of its chain, from the outside in */
	uint64_t size, calls;
};

struct truth {
	struct request requests[CHAINS];
	bool occurs[FUNCTIONS], reach[FUNCTIONS][FUNCTIONS];
	struct sums over[FUNCTIONS][FUNCTIONS], own[FUNCTIONS];
};

static void count(struct sums *s, uint64_t size, uint64_t calls)
{
	s->calls += calls;
	s->bytes[size <= 32 ? 0 : size <= 256 ? 1 : size <= 2048 ? 2 : 3] += size * calls;
}

static void follow(struct truth *t, const struct request *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		t->occurs[r->f[i]] = true;
		if (!i)
			continue;
		count(&t->over[r->f[i - 1]][r->f[i]], r->size, r->calls);
		t->reach[r->f[i - 1]][r->f[i]] = true;
	}
	count(&t->own[r->f[r->n - 1]], r->size, r->calls);
}

static struct profile_data *random_run(struct truth *t)
{
	struct profile_data *d = profile_data_new();
	unsigned spread = 1 + random_below(FUNCTIONS);	/* few functions: many cycles */
	bool acyclic = random_below(2);

	*t = (struct truth){ 0 };
	for (unsigned i = 0; i < CHAINS; i++) {
		struct request *r = &t->requests[i];
		uint32_t node = PD_ROOT_WHOLE;

		*r = (struct request){ .n = 1 + random_below(LONGEST),
				       .size = random_below(4000),
				       .calls = 1 + random_below(3) };
		for (unsigned k = 0; k < r->n; k++) {
			r->f[k] = (k + random_below(spread)) % FUNCTIONS;
			if (acyclic && k && r->f[k] < r->f[k - 1])
				r->f[k] = r->f[k - 1];
			char name[] = { (char)('a' + r->f[k]), 0 };

			node = pd_build_node(d, node, pd_build_site(d, name, random_below(2)));
		}
		pd_build_leaf(d, node, r->size, r->calls, 0);
		follow(t, r);
	}
	for (unsigned k = 0; k < FUNCTIONS; k++)	/* Warshall */
		for (unsigned i = 0; i < FUNCTIONS; i++)
			for (unsigned j = 0; j < FUNCTIONS; j++)
				t->reach[i][j] |= t->reach[i][k] && t->reach[k][j];
	pd_build_finish(d);
	return d;
}

static bool together(const struct truth *t, unsigned i, unsigned j)
{
	return i == j || (t->reach[i][j] && t->reach[j][i]);
}

static unsigned letter(const struct graph *g, const struct graph_node *n)
{
	return (unsigned)(*names_text(g->d, n->function) - 'a');
}

static void assert_edges(const struct graph *g, const struct truth *t)
{
	size_t edges = 0;

	for (unsigned i = 0; i < FUNCTIONS; i++)
		for (unsigned j = 0; j < FUNCTIONS; j++)
			edges += i != j && t->over[i][j].calls;
	assert_int_equal(g->n_edges, edges);
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct graph_edge *e = &g->edges[i];
		unsigned from = letter(g, &g->nodes[e->from]), to = letter(g, &g->nodes[e->to]);

		assert_memory_equal(&e->over, &t->over[from][to], sizeof e->over);
	}
}

/* own, in, out and inside of the part of function @f. */
static void assert_part(const struct graph_part *p, const struct truth *t, unsigned f)
{
	struct sums own = { 0 }, in = { 0 }, out = { 0 };
	uint64_t inside = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		if (!together(t, i, f))
			continue;
		n++;
		sums_add(&own, &t->own[i]);
		for (unsigned j = 0; j < FUNCTIONS; j++) {
			if (together(t, i, j)) {
				inside += t->over[i][j].calls;
				continue;
			}
			sums_add(&out, &t->over[i][j]);
			sums_add(&in, &t->over[j][i]);
		}
	}
	assert_int_equal(p->n, n);
	assert_int_equal(!!p->cycle, n > 1);
	assert_int_equal(p->inside, inside);
	assert_memory_equal(&p->own, &own, sizeof own);
	assert_memory_equal(&p->in, &in, sizeof in);
	assert_memory_equal(&p->out, &out, sizeof out);
}

/* The longest way to @f over other parts, by looking at all of them. */
static unsigned level(const struct truth *t, unsigned f)
{
	unsigned most = 0;

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		if (!t->reach[i][f] || together(t, i, f))
			continue;
		unsigned before = level(t, i) + 1;

		most = before > most ? before : most;
	}
	return most;
}

static void assert_order(const struct graph *g)
{
	uint32_t cycles = 0;

	for (size_t i = 0; i < g->n_entries; i++) {
		const struct graph_entry *e = &g->entries[i];

		if (e->node == GRAPH_WHOLE) {
			assert_int_equal(g->parts[e->part].cycle, ++cycles);
			assert_int_equal(g->parts[e->part].index, i);
		} else {
			assert_int_equal(g->nodes[e->node].index, i);
		}
		if (!i)
			continue;
		assert_true(e[-1].bytes >= e->bytes);
		if (e[-1].bytes == e->bytes)
			assert_true(e[-1].level <= e->level);
	}
}

static void graph_follows_from_the_definitions(void **state)
{
	(void)state;
	random_state = 1;
	for (int run = 0; run < 3000; run++) {
		struct truth t;
		struct profile_data *d = random_run(&t);
		uint32_t *rank = names_ranks(d);
		struct graph g;
		size_t nodes = 0;

		assert_int_equal(graph_build(&g, d, rank), 0);
		assert_edges(&g, &t);
		for (unsigned f = 0; f < FUNCTIONS; f++)
			nodes += t.occurs[f];
		assert_int_equal(g.n_nodes, nodes);
		for (size_t v = 0; v < g.n_nodes; v++) {
			unsigned f = letter(&g, &g.nodes[v]);

			assert_memory_equal(&g.nodes[v].own, &t.own[f], sizeof t.own[f]);
			assert_int_equal(g.nodes[v].recursive, t.over[f][f].calls);
			assert_part(&g.parts[g.nodes[v].part], &t, f);
			assert_int_equal(g.parts[g.nodes[v].part].level, level(&t, f));
		}
		assert_order(&g);
		graph_release(&g);
		free(rank);
		profile_data_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graph_follows_from_the_definitions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
