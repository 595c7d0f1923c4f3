/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables in the shared memory that are full: emptied while no task is in the agent. */
#include "fast/engine_internal.h"

#include <string.h>
#include <sys/mman.h>

static bool nodes_are_full(const struct engine *e)
{
	return __atomic_load_n(&engine_agent(e)->n_nodes, __ATOMIC_RELAXED) >= AGENT_NODES - 1;
}

bool renew_is_due(const struct engine *e)
{
	return e->tables_full || nodes_are_full(e);
}

/* Zeroed, and given back to the system. */
static void empty(void *at, size_t size)
{
	if (madvise(at, size, MADV_REMOVE))
		memset(at, 0, size);
}

/* Whoever has told of a node has been heard. Chains that threads remember are of the epoch
 * before. */
static void renew_nodes(struct engine *e)
{
	struct agent_shared *s = engine_agent(e);

	memset(s->node_index, 0, sizeof s->node_index);
	empty(s->nodes, sizeof s->nodes);
	nodes_clear(e->nodes);
	__atomic_store_n(&s->n_nodes, 0, __ATOMIC_RELEASE);
	__atomic_add_fetch(&s->epoch, 1, __ATOMIC_RELEASE);
}

static void renew_tables(struct engine *e)
{
	__atomic_store_n(&engine_agent(e)->modules, 0, __ATOMIC_RELEASE);
	memset(e->placed, 0, e->n_placed * sizeof *e->placed);
	empty(e->tables.here, e->tables.size);
	e->tables_used = 0;
	e->tables_full = false;
	memory_tell_tables(e, e->host->mappings(e->host->ctx));
}

bool renew(struct engine *e)
{
	if (!tasks_are_outside_agent(e))
		return false;
	/* Nobody can fill any more what is empty in the ring. */
	fast_engine.drain(e, true);
	if (nodes_are_full(e))
		renew_nodes(e);
	if (e->tables_full)
		renew_tables(e);
	return true;
}
