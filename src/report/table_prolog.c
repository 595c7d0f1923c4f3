/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/percent.h"
#include "report/tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* What the prolog says about the chains. */
struct lengths {
	uint64_t met, same;	/* elements of all requests' chains; same: those repeated from the
				   chain before */
	uint32_t longest;
};

static int measure(const struct profile_data *d, struct lengths *l)
{
	uint32_t *depth = calloc(d->n_nodes, sizeof *depth);	/* elements; 0 for the roots */

	if (!depth)
		return -ENOMEM;
	*l = (struct lengths){ 0 };
	for (size_t i = PD_FIRST_NODE; i < d->n_nodes; i++) {
		depth[i] = depth[d->nodes[i].parent] + 1;
		l->same += d->nodes[i].resumed * depth[i];
	}
	for (size_t i = 0; i < d->n_leaves; i++) {
		uint32_t n = depth[d->leaves[i].node];

		l->met += d->leaves[i].allocs * n;
		if (n > l->longest)
			l->longest = n;
	}
	/* Requests ignored by --ignore-fn are in resumed, but not in met. */
	if (l->same > l->met)
		l->same = l->met;
	free(depth);
	return 0;
}

static uint64_t kilobytes(uint64_t bytes)
{
	return bytes / 1024;
}

int tables_prolog(struct row *r, const struct profile_data *d)
{
	const struct pd_memory *m = &d->memory;
	struct lengths l;
	char text[256];
	int err = measure(d, &l);

	if (err)
		return err;
	snprintf(text, sizeof text,
		 "--c%2u+--v" MPROF_VERSION "+--m%" PRIu32 "+--+--+--+--+--+--+--+--+ MPROF "
		 "+--+--+--+--+--+--+--s%" PRIu64 "+--f%" PRIu64 "+--d%" PRIu64 "+--l%" PRIu64 "+",
		 percent_floor(l.same, l.met), l.longest, kilobytes(m->paths),
		 kilobytes(m->functions), kilobytes(m->counters), kilobytes(m->links));
	row_append(r, text);
	row_end(r);
	if (d->unseen.lost) {
		snprintf(text, sizeof text,
			 "%" PRIu64 " events lost: the numbers below are without them",
			 d->unseen.lost);
		row_append(r, text);
		row_end(r);
	}
	row_lines(r, "\n\n");
	return 0;
}
