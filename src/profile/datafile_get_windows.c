/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a data file that tell how live blocks went up and down. */
#include "profile/datafile_rows.h"

#include <stdlib.h>

static void get_windows(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "windows",
		  "SELECT node, i, low, high, births, low_bytes, high_bytes"
		  " FROM windows NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		struct pd_window *w = NEXT(g, &d->windows, &cap, g->n);

		if (!w)
			break;
		d->n_windows++;
		w->node = get_u32(g);
		w->i = get_u32(g);
		w->low = get_int(g);
		w->high = get_int(g);
		w->births = get_int(g);
		w->low_bytes = get_int(g);
		w->high_bytes = get_int(g);
	}
	get_end(g);
}

static void get_survivors(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "survivors",
		  "SELECT node, i, blocks, bytes FROM survivors NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		struct pd_survivor *s = NEXT(g, &d->survivors, &cap, g->n);

		if (!s)
			break;
		d->n_survivors++;
		s->node = get_u32(g);
		s->i = get_u32(g);
		s->blocks = get_int(g);
		s->bytes = get_int(g);
	}
	get_end(g);
}

/* Read for the checksum only, like the arcs: verdicts are judged again from the windows. */
static void get_verdicts(struct get *g)
{
	if (g->flat)
		return;
	get_begin(g, "verdicts",
		  "SELECT node, name, z, gain, stays, bytes_hour, since_ns"
		  " FROM verdicts NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		get_int(g);
		free(get_text(g));
		for (int c = 0; c < 4; c++)
			get_real(g);
		get_int(g);
	}
	get_end(g);
}

void datafile_get_windows(struct get *g, struct profile_data *d)
{
	get_windows(g, d);
	get_survivors(g, d);
	get_verdicts(g);
}
