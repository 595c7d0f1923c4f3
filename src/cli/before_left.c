/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof control PID before: what is left of the blocks that a process had when it was attached
 * to. */
#include "cli/looks.h"
#include "cli/options.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Say why nothing is known. */
static void say_nothing(const struct options *session, const struct before *b)
{
	if (b->how == BEFORE_COUNTED)
		say("of the %" PRIu64 " blocks of %" PRIu64 " bytes usable that were there before "
		    "nobody knows what is left: attach --before=walk would",
		    b->found.blocks, b->found.bytes);
	else if (session->before == BEFORE_UNKNOWN)
		say("what was there before is not known: the session was begun without "
		    "--before=walk");
	else
		say("what was there before is not known: it could not be looked at when the "
		    "session began, or another program is executed by now");
}

static int print(const struct options *o, const struct profile *p)
{
	struct profile_data d = {.totals.before_frees = p->totals.before_frees};
	int err = before_data(&p->before, &d.before);

	if (!err)
		err = o->format == FORMAT_JSON ? report_before_json(&d, stdout)
					       : report_before(&d, o->report.level, stdout);
	free(d.before.bins);
	if (err)
		say("cannot tell what is left of what was there before: %s", strerror(-err));
	return err ? STATUS_FAILED : 0;
}

int before_left(const struct options *o, pid_t pid, const struct look_by *by)
{
	const struct image *i = session_observed_image(by->serve->session, pid);

	if (i && i->profile->before.how == BEFORE_WALKED)
		return print(o, i->profile);
	say_nothing(by->serve->options, i ? &i->profile->before : &(struct before){0});
	return STATUS_FAILED;
}
