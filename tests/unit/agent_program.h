/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TEST_AGENT_PROGRAM_H
#define MPROF_TEST_AGENT_PROGRAM_H

#include "unit/agent_fixture.h"

/*
 * An allocator that returns addresses, with pads before its functions, and a reader of the agent's
 * records.
 */

/* As numbers, for assembly. */
#define PROBE_MALLOC 0x100
#define PROBE_CALLOC 0x203
#define PROBE_REALLOC 0x304
#define PROBE_FREE 0x406
#define PROBE_MEMALIGN 0x501
#define PROBE_FREE_CALL 0x606
#define PROBE_REALLOCARRAY 0x705
#define PROBE_ALLOCARRAY 0x802

_Static_assert(PROBE_MALLOC == AGENT_PROBE(AGENT_ALLOC, 1), "malloc(size)");
_Static_assert(PROBE_CALLOC == AGENT_PROBE(AGENT_CALLOC, 2), "calloc(n, size)");
_Static_assert(PROBE_REALLOC == AGENT_PROBE(AGENT_REALLOC, 3), "realloc(p, size)");
_Static_assert(PROBE_FREE == AGENT_PROBE(AGENT_FREE, 4), "free(p)");
_Static_assert(PROBE_MEMALIGN == AGENT_PROBE(AGENT_ALLOC_OUT, 5),
	       "posix_memalign(out, align, size)");
_Static_assert(PROBE_FREE_CALL == AGENT_PROBE(AGENT_FREE, 6), "free(p), call form");
_Static_assert(PROBE_REALLOCARRAY == AGENT_PROBE(AGENT_REALLOC_ARRAY, 7),
	       "reallocarray(p, n, size)");
_Static_assert(PROBE_ALLOCARRAY == AGENT_PROBE(AGENT_ALLOC_ARRAY, 8), "g_malloc_n(n, size)");

void *pad_malloc(size_t size);
void *pad_calloc(size_t n, size_t size);
void *pad_allocarray(size_t n, size_t size);
void *pad_realloc(void *p, size_t size);
void *pad_reallocarray(void *p, size_t n, size_t size);
int pad_posix_memalign(void **p, size_t align, size_t size);
void pad_free(void *p);
void pad_free_call(void *p);

void *real_malloc(size_t size);
void *real_calloc(size_t n, size_t size);
void *real_realloc(void *p, size_t size);
void *real_reallocarray(void *p, size_t n, size_t size);
int real_posix_memalign(void **p, size_t align, size_t size);
void real_free(void *p);

ALLOC_PAD(pad_malloc, real_malloc, PROBE_MALLOC, KEEP_1);
ALLOC_PAD(pad_calloc, real_calloc, PROBE_CALLOC, KEEP_2);
ALLOC_PAD(pad_allocarray, real_calloc, PROBE_ALLOCARRAY, KEEP_2);
CALL_PAD(pad_realloc, real_realloc, PROBE_REALLOC, KEEP_2);
CALL_PAD(pad_reallocarray, real_reallocarray, PROBE_REALLOCARRAY, KEEP_3);
ALLOC_PAD(pad_posix_memalign, real_posix_memalign, PROBE_MEMALIGN, KEEP_FIRST_AND_THIRD);
CALL_PAD(pad_free_call, real_free, PROBE_FREE_CALL, KEEP_1);
TAIL_PAD(pad_free, real_free, PROBE_FREE);

/* The next block that is given away; NULL: the call fails. */
static _Thread_local void *next_block;
/* What happens while a function of the allocator runs. */
static _Thread_local void (*meanwhile)(void);

#define NOINLINE __attribute__((noinline, noipa))

static NOINLINE void *give(void)
{
	if (meanwhile)
		meanwhile();
	return next_block;
}

NOINLINE void *real_malloc(size_t size)
{
	(void)size;
	return give();
}

NOINLINE void *real_calloc(size_t n, size_t size)
{
	(void)n;
	(void)size;
	return give();
}

NOINLINE void *real_realloc(void *p, size_t size)
{
	(void)p;
	(void)size;
	return give();
}

NOINLINE void *real_reallocarray(void *p, size_t n, size_t size)
{
	(void)p;
	(void)n;
	(void)size;
	return give();
}

NOINLINE int real_posix_memalign(void **p, size_t align, size_t size)
{
	void *block = give();

	(void)align;
	(void)size;
	if (!block)
		return 12;
	*p = block;
	return 0;
}

NOINLINE void real_free(void *p)
{
	(void)p;
	if (meanwhile)
		meanwhile();
}

/* What has been told. */
struct told {
	struct ring_record r;
	struct ring_stack stack;
};

#define TOLD_MAX 256

struct program {
	struct world w;
	uint32_t thread;
	size_t n;
	struct told told[TOLD_MAX]; /* the first ones */
};

static struct program *program;

static void note(void *ctx, const struct ring_record *r)
{
	struct program *p = ctx;

	if (p->n < TOLD_MAX) {
		p->told[p->n].r = *r;
		if (r->stack)
			p->told[p->n].stack = *r->stack;
	}
	p->n++;
}

/* Take what there is by now; the first record of it. NULL: none. */
static inline const struct told *take_told(struct program *p)
{
	p->n = 0;
	p->w.take = note;
	p->w.ctx = p;
	look(&p->w);
	return p->n ? p->told : NULL;
}

static const bool native, blob = true;

static inline int program_setup(void **state)
{
	bool is_blob = *(const bool *)*state;

	program = calloc(1, sizeof *program);
	assert_non_null(program);
	world_init(&program->w, is_blob);
	/* As it is built for programs it has to bear that; natively it has the flags of who
	 * builds. */
	pads_flags = is_blob ? CHECKS_ALIGNMENT : 0;
	program->thread = world_thread(&program->w);
	meanwhile = NULL;
	next_block = (void *)0x1000;
	*state = program;
	return 0;
}

static inline int program_teardown(void **state)
{
	pads_active = 0;
	pads_flags = 0;
	meanwhile = NULL;
	world_release(&program->w);
	free(program);
	*state = NULL;
	return 0;
}

/* A test of both agents. */
#define BOTH(f)                                                                                    \
	{ #f ", native", f, program_setup, program_teardown, (void *)(uintptr_t)&native },         \
	{ #f ", blob", f, program_setup, program_teardown, (void *)(uintptr_t)&blob }

/* The pcs of a chain, innermost first. Returns how many; the root is told. */
static inline size_t chain_of(const struct agent_shared *s, uint32_t node, uint64_t *pc, size_t max,
			      uint64_t *root)
{
	size_t n = 0;

	while (s->nodes[node].parent) {
		if (n < max)
			pc[n] = s->nodes[node].pc;
		n++;
		node = s->nodes[node].parent;
	}
	*root = s->nodes[node].pc;
	return n;
}

#endif
