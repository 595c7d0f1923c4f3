/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record.h"

#include "cli/heap.h"
#include "cli/massif.h"
#include "cli/mma_output.h"
#include "massif/timeline.h"

#include <errno.h>
#include <stdlib.h>

/* ---- the timeline that every profile has ---- */

struct timeline_output {
	struct output base;
	const struct options *options;
};

static int begins(struct output *o, struct image *i)
{
	const struct options *options = ((struct timeline_output *)o)->options;
	unsigned points = options->timeline_points;
	struct timeline *t = points ? timeline_new(&options->massif.settings, points, i->profile)
				    : NULL;

	if (t)
		session_record(i, o, (struct recorder *)t);
	return points && !t ? -ENOMEM : 0;
}

static void free_output(struct output *o)
{
	free(o);
}

static int add_timeline(struct session *s, const struct options *o)
{
	static const struct output_ops ops = { .begins = begins, .free = free_output };
	struct timeline_output *t = calloc(1, sizeof *t);

	if (!t)
		return -ENOMEM;
	t->base.ops = &ops;
	t->options = o;
	return session_add_output(s, &t->base);
}

/* ---- all outputs ---- */

/* In this order their recorders are begun; the last to be begun is told first. */
static int add_outputs(struct serve *v)
{
	int err = add_timeline(v->session, v->options);

	if (!err)
		err = massif_output_new(&v->massif, v->session, v->options);
	if (!err)
		err = heap_output_new(&v->heap, v->session, v->options);
	if (!err)
		err = mma_output_new(&v->mma, v->session, v->options);
	return err;
}

int record_open(struct serve *v, struct session *s, struct rules *rules, struct journal *journal,
		const struct options *o)
{
	const struct session_settings settings = {
		.trace_children = o->trace_children,
		.keep_execs = o->keep_execs,
		.min_size = o->min_size,
		.max_size = o->max_size,
		.autosave = o->autosave,
	};

	session_init(s, &settings, &serve_host);
	s->owner = v;
	v->session = s;
	v->options = o;
	struct trap_observer *to = trap_observer_new(&session_sink, s, rules, journal);

	if (!to)
		return -ENOMEM;
	s->observer = trap_observer_base(to);
	v->tracer = trap_observer_tracer(to);
	v->watched = trap_observer_shared(to);
	v->watched->check_unwinding = o->check_unwinding;
	tracer_set_wait(v->tracer, o->wait);
	heap_begin(to, o);
	if (o->massif.file && o->massif.settings.pages) {
		v->watched->no_traps = true;
		tracer_stop_at_syscalls(v->tracer);
	}
	return add_outputs(v);
}

void record_close(struct serve *v)
{
	struct session *s = v->session;

	session_release(s);
	if (s->observer)
		trap_observer_free(trap_observer_of(s->observer));
	for (unsigned k = 0; k < s->n_outputs; k++)
		s->outputs[k]->ops->free(s->outputs[k]);
}
