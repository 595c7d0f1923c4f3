/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of the program's own code that grow, as in the summary. */
#include "report/json.h"

#include "base/jsontext.h"
#include "profile/pd_names.h"
#include "report/summary.h"

#include <errno.h>

static json_t *one(const struct profile_data *d, const struct summary_row *r)
{
	const struct pd_site *s = r->site < d->n_sites ? &d->sites[r->site] : NULL;

	return json_pack("{so so so sf sf sf sb sb}", "function",
			 json_text(names_text(d, names_function(d, r->site))), "file",
			 json_text(s ? s->file : NULL), "line",
			 json_out_num(names_line(d, r->site)), "bytes_hour", r->verdict.bytes_hour,
			 "blocks_hour", r->verdict.blocks_hour, "stays", r->verdict.stays,
			 "in_size", r->verdict.by_bytes, "never_freed", !r->frees);
}

void json_growing(struct json_out *o, const struct profile_data *d, const char *const *own_code)
{
	struct summary s;

	if (!d->window_ns)
		return;
	if (summary_collect(d, own_code, &s)) {
		json_out_fail(o, -ENOMEM);
		return;
	}
	summary_sort_by_growth(&s);
	json_out_begin_rows(o, "growing");
	for (size_t i = 0; i < s.growing; i++)
		json_out_row(o, one(d, &s.rows[i]));
	json_out_end_rows(o);
	summary_release(&s);
}
