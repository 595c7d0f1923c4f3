/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/record.h"

#include "base/memstream.h"
#include "cli/fn_names.h"
#include "cli/gating.h"
#include "cli/names.h"
#include "cli/options.h"
#include "cli/pages.h"
#include "cli/progress.h"
#include "cli/unheard.h"
#include "fast/fast.h"
#include "massif/icount.h"
#include "outputs/check.h"
#include "profile/trend.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* ---- settings from options ---- */

/* Points into @o and @desc. */
static struct output_settings settings_of(const struct options *o, const char *desc)
{
	return (struct output_settings){
		.data = o->data,
		.report = o->output,
		.report_to = o->to_stdout ? stdout : stderr,
		.sections = o->format == FORMAT_TABLES,
		.effort = o->stats,
		.quiet = o->quiet,
		.names = names_told(o),
		.search = names_search(o),
		.timeline_points = o->timeline_points,
		.massif = { o->massif.file, o->massif.settings, desc },
		.heap = o->heap,
		.html = o->html,
		.mma = { o->mma.log_file, o->mma.stats_file, o->mma.plain },
	};
}

/* The options for a massif file's desc: line; NULL: out of memory. For free(). */
static char *description(const struct options *o)
{
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	if (!out)
		return NULL;
	options_print_given(o, OF_MASSIF, out);
	fclose(out);
	return text;
}

/* ---- before the run ---- */

static int choose_unit(struct options *o)
{
	struct error e;

	if (o->massif.settings.unit != MASSIF_INSTRUCTIONS)
		return 0;
	if (o->engine != ENGINE_TRAP)
		error_set(&e, -ENOTSUP, "the fast engine counts no instructions");
	else if (!icount_possible(&perf_instructions, &e))
		return 0;
	if (o->massif.unit_given) {
		say("--time-unit=i: %s; use --time-unit=ms or B", e.text);
		return STATUS_USAGE;
	}
	say("time is told in milliseconds: %s", e.text);
	o->massif.settings.unit = MASSIF_MS;
	return 0;
}

int record_prepare(struct options *o)
{
	const struct output_settings settings = settings_of(o, NULL);
	int status = o->massif.file ? choose_unit(o) : 0;

	if (!status && o->html && !pages_possible())
		status = STATUS_FAILED;
	return status ? status : output_check(&settings, say_sentence) ? STATUS_FAILED : 0;
}

/* ---- functions of the outputs' host ---- */

static void announce(const char *line)
{
	char printed[PATH_MAX + 1024];

	snprintf(printed, sizeof printed, "%s\n", line);
	unheard_print(printed);
}

static void step(const char *what)
{
	if (what)
		progress_begin(what);
	else
		progress_end();
}

static int print(void *ctx, struct profile_data *d, bool hushed, FILE *out)
{
	const struct serve *v = ctx;
	int gated = gating_judge(v->gate, d), err = print_profile(d, v->options, hushed, out);

	return err ? err : gated ? PRINT_SAID : 0;
}

/* In the background nobody would read it. */
static void lacking(void *ctx, const struct pd_module *m)
{
	struct serve *v = ctx;

	if (!v->options->background)
		lacking_add(&v->lacking, m);
}

static void printed(void *ctx)
{
	fn_names_say_unmet(((const struct serve *)ctx)->options);
}

static void named(void *ctx, const struct massif_names *names)
{
	fn_names_meet_entries(((const struct serve *)ctx)->options, names);
}

static int page_add(void *ctx, struct profile_data *d, bool printed, struct error *e)
{
	struct serve *v = ctx;
	int err = printed ? 0 : pages_view(v->options, d);

	return err ? error_set(e, err, "out of memory")
		   : pages_add(&v->page, d, &v->options->report, e);
}

static int page_write(void *ctx, const char *path, size_t *n, struct error *e)
{
	return pages_write(path, &((struct serve *)ctx)->page, n, e);
}

static const struct output_host output_host = { .say = say_sentence, .announce = announce,
						.step = step, .print = print, .printed = printed,
						.lacking = lacking,
						.named = named, .page_add = page_add,
						.page_write = page_write };

/* ---- a session ---- */

/* Set what the observer watches besides allocations. */
static void set_up_tracing(struct serve *v)
{
	const struct options *o = v->options;
	bool profiles = o->heap.prefix || o->heap.defer;
	bool pages = o->massif.file && o->massif.settings.pages;

	v->watched->check_unwinding = o->check_unwinding;
	tracer_set_wait(v->tracer, o->wait);
	if (profiles) {
		heap_environment_take();
		tracer_watch_exits(v->tracer);
		v->watched->no_traps |= o->heap.only_mapped;
	}
	if (pages)
		v->watched->no_traps = true;
	if (pages || (profiles && (o->heap.mapped || o->heap.log)))
		tracer_stop_at_syscalls(v->tracer);
}

/* Set up the fast engine, if it was asked for. */
static int set_up_engine(struct serve *v, struct journal *journal)
{
	const struct options *o = v->options;
	const struct fast_settings settings = {
		.arguments = o->mma.log_file || o->mma.stats_file,
		.stack_pointers = o->massif.file && o->massif.settings.stacks,
		.check_unwinding = o->check_unwinding,
		.journal = journal,
	};

	v->watched->engine_shared = fast_shared_new(&settings);
	if (!v->watched->engine_shared)
		return -ENOMEM;
	v->watched->engine = &fast_engine;
	v->watched->engine_optional = o->engine == ENGINE_AUTO;
	v->watched->wait_for_traps = o->wait;
	tracer_will_call(v->tracer);
	/* With this engine there is hardly ever a stop: do not busy-wait. */
	tracer_set_wait(v->tracer, WAIT_SLEEP);
	/* Chains that are unwound in the tracer need the program's memory: do it before that is
	 * gone. */
	tracer_watch_exits(v->tracer);
	return 0;
}

/* A window so short that after verdict_after seconds there are enough of them for a verdict. */
static uint64_t shortest_window(const struct options *o)
{
	uint64_t ns = (uint64_t)(o->verdict_after * 1e9 / TREND_WINDOWS);

	return o->verdict_after && !ns ? 1 : ns;
}

int record_open(struct serve *v, struct session *s, struct rules *rules, struct journal *journal,
		const struct options *o)
{
	v->session = s;
	v->journal = journal;
	v->options = o;
	const struct session_settings settings = {
		.trace_children = o->trace_children,
		.keep_execs = o->keep_execs,
		.min_size = o->min_size,
		.max_size = o->max_size,
		.autosave = o->autosave,
		.snapshots = o->snapshots,
		.n_snapshots = o->n_snapshots,
		.over = o->over,
		.max_memory = o->max_memory,
		.duration = o->duration,
		.shortest_window_ns = shortest_window(o),
		.ticks = serve_has_status_line(v),
		.may_be_fast = o->engine == ENGINE_TRAP && o->wait != WAIT_SPIN && !o->quiet,
	};

	session_init(s, &settings, &serve_host);
	s->owner = v;
	s->save_children.journal = journal;
	struct trap_observer *to = trap_observer_new(&session_sink, s, rules, journal);

	if (!to)
		return -ENOMEM;
	s->observer = trap_observer_base(to);
	v->tracer = trap_observer_tracer(to);
	v->watched = trap_observer_shared(to);
	set_up_tracing(v);
	if (o->engine != ENGINE_TRAP && set_up_engine(v, journal))
		return -ENOMEM;
	v->desc = o->massif.file ? description(o) : NULL;
	if (o->massif.file && !v->desc)
		return -ENOMEM;
	const struct output_settings wanted = settings_of(o, v->desc);
	return outputs_open(&v->outputs, s, &wanted, &output_host, v);
}

void record_close(struct serve *v)
{
	struct session *s = v->session;
	struct engine_shared *engine = v->watched ? v->watched->engine_shared : NULL;

	session_release(s);
	if (s->observer)
		trap_observer_free(trap_observer_of(s->observer));
	fast_shared_free(engine);
	outputs_close(&v->outputs);
	free(v->desc);
	lacking_release(&v->lacking);
}
