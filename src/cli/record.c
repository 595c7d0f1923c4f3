/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record.h"

#include "cli/heap.h"
#include "cli/massif.h"
#include "cli/mma_output.h"
#include "massif/timeline.h"

#include <errno.h>

static int record_image(struct session *s, struct image *i)
{
	unsigned points = s->options->timeline_points;
	struct timeline *t = points ? timeline_new(&s->options->massif.settings, points, i->profile) : NULL;

	if (points && !t)
		return -ENOMEM;
	i->recorders = (struct recorder *)t;
	int err = massif_image_begin(s, i);
	if (!err)
		err = heap_image_begin(s, i);
	return !err && s->mma ? mma_output_record(s->mma, i) : err;
}

int record_open(struct session *s, const struct options *o)
{
	s->options = o;
	s->record = record_image;
	s->keep_execs = o->keep_execs;
	heap_begin(s, o);
	if (o->massif.file && o->massif.settings.pages) {
		s->shared.no_traps = true;
		tracer_stop_at_syscalls(s->tracer);
	}
	int err = mma_output_new(&s->mma, s, o);
	return err ? err : massif_session_open(s, o);
}

void record_close(struct session *s)
{
	massif_session_close(s);
	mma_output_free(s->mma);
}
