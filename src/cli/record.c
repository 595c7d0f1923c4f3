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
	struct timeline *t = points ? timeline_new(&s->options->massif.settings, points, i->profile)
				    : NULL;

	if (points && !t)
		return -ENOMEM;
	i->recorders = (struct recorder *)t;
	int err = massif_image_begin(s, i);
	if (!err)
		err = heap_image_begin(s, i);
	return !err && s->mma ? mma_output_record(s->mma, i) : err;
}

int record_open(struct session *s, struct rules *rules, struct journal *journal,
		const struct options *o)
{
	session_init(s, o->trace_children);
	struct trap_observer *to = trap_observer_new(&session_sink, s, rules, journal);

	if (!to)
		return -ENOMEM;
	s->observer = trap_observer_base(to);
	s->options = o;
	s->record = record_image;
	s->ask = heap_ask;
	s->say = say_sentence;
	s->keep_execs = o->keep_execs;
	heap_begin(to, o);
	if (o->massif.file && o->massif.settings.pages) {
		trap_observer_shared(to)->no_traps = true;
		tracer_stop_at_syscalls(trap_observer_tracer(to));
	}
	int err = mma_output_new(&s->mma, s, o);
	return err ? err : massif_session_open(s, o);
}

void record_close(struct session *s)
{
	session_release(s);
	heap_texts_free(s);
	trap_observer_free(trap_observer_of(s->observer));
	massif_session_close(s);
	mma_output_free(s->mma);
}
