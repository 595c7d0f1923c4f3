/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/tables.h"
#include "profile/pd_names.h"

#include <errno.h>
#include <stdlib.h>

static int print_all(struct row *r, const struct profile_data *d, const uint32_t *rank,
		     const struct report_options *o)
{
	int err = tables_prolog(r, d);

	if (!err)
		err = tables_bins(r, d, o);
	if (!err && o->leaks != REPORT_NO_LEAKS)
		err = tables_leaks(r, d, rank, o);
	if (!err)
		err = tables_direct(r, d, rank, o);
	if (!err)
		err = tables_graph(r, d, rank, o);
	if (!err && o->lifetimes)
		err = tables_lifetimes(r, d, rank, o->level);
	if (!err)
		tables_before(r, d, o->level);
	return err;
}

int report_tables(const struct profile_data *d, const struct report_options *o, FILE *out)
{
	uint32_t *rank = names_ranks(d);
	struct row r;

	if (!rank)
		return -ENOMEM;
	row_init(&r, out);
	r.columns = o->columns;
	r.colour = o->colour;
	int err = print_all(&r, d, rank, o);
	int write_err = row_release(&r);

	free(rank);
	return err ? err : write_err;
}
