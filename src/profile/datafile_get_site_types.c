/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of a data file that tells the types at call sites. */
#include "profile/datafile_rows.h"

#include <stdlib.h>

/* An unknown word gives a number out of range, which is refused later. */
static uint8_t get_how(struct get *g)
{
	char *word = get_text(g);
	uint8_t how = 0;

	while (word && how < PD_HOWS && strcmp(word, pd_type_how_words[how]) != 0)
		how++;
	free(word);
	return how;
}

void datafile_get_site_types(struct get *g, struct profile_data *d)
{
	size_t cap = 0;

	get_begin(g, "site_types",
		  "SELECT node, how, certain, name, size"
		  " FROM site_types NOT INDEXED ORDER BY rowid");
	while (get_row(g)) {
		struct pd_site_type *t = NEXT(g, &d->site_types, &cap, g->n);

		if (!t)
			break;
		t->node = get_u32(g);
		t->how = get_how(g);
		t->certain = get_flag(g);
		t->name = get_text(g);
		if (!t->name)
			break;
		d->n_site_types++;
		t->size = get_int(g);
	}
	get_end(g);
}
