/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests whose types only the code behind them tells. Behind each stands what its type is, for a
 * test that reads this file: "type: NAME", or NAMEs with | between them; "type: ?" of none.
 */
#include "target.h"

struct request {
	long id;
	char name[40];
};

typedef struct {
	int a, b;
} pair;

struct node {
	struct node *next;
	union {
		struct request *request;
		pair *pairs;
	} of;
	struct {
		double *values;
		char *text;
	} inner[3];
	void *anything;
};

struct base {
	long kind;
};

struct derived {
	struct base base;
	long more[4];
};

struct node *list;
struct state {
	int n;
	struct request *request;
} state;
struct request *table[10];
extern void *volatile kept[64];
void *volatile kept[64];
static int n_kept;

NOINLINE static void keep(void *block)
{
	kept[n_kept++] = block;
}

/* What knows nothing of it: is looked through. */
NOINLINE static void *xmalloc(size_t n)
{
	void *p = malloc(n);

	MUST(p);
	return p;
}

NOINLINE static void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	MUST(p);
	memset(p, 0, n * size);
	return p;
}

NOINLINE static struct request *new_request(void)
{
	struct request *r = malloc(sizeof *r); /* type: struct request */

	MUST(r);
	r->id = 1;
	return r;
}

static inline struct request *inlined(long id)
{
	struct request *r = xmalloc(sizeof *r); /* type: struct request */

	r->id = id;
	return r;
}

NOINLINE static void use_pairs(long n, pair *pairs, double x)
{
	pairs[n - 1].a = (int)x;
	keep(pairs);
}

NOINLINE static struct base *new_derived(void)
{
	struct derived *d = xmalloc(sizeof *d); /* type: struct derived */

	d->base.kind = 1;
	d->more[3] = 2;
	return &d->base;
}

NOINLINE static void stored(struct node *l)
{
	l->next = xmalloc(sizeof *l); /* type: struct node */
	l->of.pairs = xcalloc(10, sizeof(pair)); /* type: pair[10] | struct request */
	l->inner[1].values = xmalloc(5 * sizeof(double)); /* type: double[5] */
	l->inner[2].text = xmalloc(17); /* type: bytes */
	l->anything = xmalloc(23); /* type: ? */
	state.request = xmalloc(sizeof *state.request); /* type: struct request */
	table[3] = malloc(sizeof *table[3]); /* type: struct request */
}

NOINLINE static void passed(void)
{
	use_pairs(4, xmalloc(4 * sizeof(pair)), 2.5); /* type: pair[4] */
}

NOINLINE static void grown(void)
{
	struct request *all = NULL;

	/* A loop that stays one. */
	for (volatile int n = 1; n <= 3; n++) {
		all = realloc(all, (size_t)n * sizeof *all); /* type: struct request[] */
		MUST(all);
		all[n - 1].id = n;
	}
	keep(all);
}

int main(void)
{
	struct request **vector = xmalloc(6 * sizeof *vector); /* type: struct request *[6] */

	for (int i = 0; i < 6; i++)
		vector[i] = i % 2 ? new_request() : inlined(i);
	keep(vector);
	list = xmalloc(sizeof *list); /* type: struct node */
	memset(list, 0, sizeof *list);
	stored(list);
	passed();
	grown();
	keep(new_derived());
	/* Nobody looks at it before it is written to as bytes. */
	keep(malloc(100)); /* type: ? */
	return 0;
}
