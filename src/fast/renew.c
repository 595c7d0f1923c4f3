/* SPDX-License-Identifier: BSD-2-Clause */
/* Full tables in the shared memory are emptied while no task is in the agent. */
#include "fast/engine_internal.h"

#include <string.h>

static bool nodes_are_full(const struct engine *e)
{
	return __atomic_load_n(&engine_agent(e)->n_nodes, __ATOMIC_RELAXED) >= AGENT_NODES - 1;
}

bool renew_is_due(const struct engine *e)
{
	return e->tables->rows.full || nodes_are_full(e);
}

/* All records with old nodes have been drained. Chains that threads remember are of the last epoch,
 * and so not used. */
static void renew_nodes(struct engine *e)
{
	struct agent_shared *s = engine_agent(e);

	memset(s->node_index, 0, sizeof s->node_index);
	memset(s->recent, 0, sizeof s->recent);
	shared_empty(s->nodes, sizeof s->nodes);
	nodes_clear(e->nodes);
	__atomic_store_n(&s->n_nodes, 0, __ATOMIC_RELEASE);
	__atomic_add_fetch(&s->epoch, 1, __ATOMIC_RELEASE);
}

bool renew(struct engine *e)
{
	if (!tasks_are_outside_agent(e))
		return false;
	/* No task can be about to put a record into the ring. */
	fast_engine.drain(e, true);
	if (nodes_are_full(e))
		renew_nodes(e);
	if (e->tables->rows.full)
		tell_rows_anew(e);
	return true;
}
