/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cli.h"

#include "cli/fn_names.h"
#include "cli/heapfiles.h"
#include "cli/massif_report.h"

#include <errno.h>

int print_profile(struct profile_data *d, const struct options *o, FILE *out)
{
	fn_names_meet(o, d);
	int err = view_apply(&o->view, d);

	if (err)
		return err;
	if (o->format == FORMAT_MASSIF || o->format == FORMAT_MS_PRINT) {
		err = massif_report_data(d, o, out);
		return err == -EINVAL ? PRINT_SAID : err;
	}
	if (is_pprof_format(o->format) || o->pprof.list) {
		struct error e;

		err = heapfiles_print_data(d, o, out, &e);
		if (err != -EINVAL)
			return err;
		say("%s", e.text);
		return PRINT_SAID;
	}
	return o->format == FORMAT_JSON ? report_json(d, out) : report_tables(d, &o->report, out);
}
