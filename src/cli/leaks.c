/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof leaks PID: blocks that no pointer in a process leads to. */
#include "cli/look_reach.h"
#include "cli/looks.h"
#include "cli/options.h"
#include "cli/probes.h"
#include "gate/condition.h"
#include "outputs/tell.h"
#include "report/lost.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

struct leaks_command {
	const struct options *options;
	const struct look_by *by;
	struct look look;
	struct spans blocks;
	struct reach reach;
	unsigned pass; /* number of the current pass, from 0; at the end the number of passes */
	taddr *lost;   /* lost in all passes before this one */
	size_t n_lost;
	struct requesters requesters;
	struct lost_report report;
};

static int held(void *ctx, const struct still_files *f)
{
	struct leaks_command *c = ctx;

	return look_reach_held(&c->look, f);
}

static void forget(struct leaks_command *c)
{
	reach_release(&c->reach);
	spans_release(&c->blocks);
}

/* 0 or -errno. */
static int find(struct leaks_command *c)
{
	struct reach_asked asked = {.no_idioms = c->options->no_idioms,
				    .spares_new = c->pass > 0,
				    .lost_before = c->lost,
				    .n_lost_before = c->n_lost};

	return look_reach(&c->look, asked, &c->blocks, &c->reach);
}

/* One pass. Returns a status. */
static int pass(struct leaks_command *c, pid_t pid)
{
	struct look_facts before = c->look.facts;
	int status = look_at(&c->look, c->options, pid);

	c->look.facts.looks += before.looks;
	c->look.facts.pause_ns += before.pause_ns;
	forget(c);
	if (status)
		return status;
	if (c->look.walk_err)
		return look_refuse(&c->look);
	if (!find(c))
		return 0;
	say("cannot look for what is lost in process %d: out of memory", (int)pid);
	return STATUS_FAILED;
}

/* Remember the lost blocks, which the next pass must find again. Returns a status. */
static int keep_lost(struct leaks_command *c)
{
	int err;

	free(c->lost);
	c->lost = reach_lost_addresses(&c->reach, &c->blocks, &c->n_lost, &err);
	if (!err)
		return 0;
	say("cannot look for what is lost in process %d: out of memory", (int)c->look.facts.pid);
	return STATUS_FAILED;
}

/* All passes; @c holds the result of the last one. Returns a status. */
static int passes(struct leaks_command *c, pid_t pid)
{
	const struct timespec second = {1, 0};
	int status = pass(c, pid);

	for (c->pass = 1; !status && c->pass < c->options->passes; c->pass++) {
		status = keep_lost(c);
		if (status)
			break;
		/* Pointers that were in transit are in memory by then. */
		nanosleep(&second, NULL);
		status = pass(c, pid);
	}
	return status;
}

static int print(void *ctx, FILE *out)
{
	const struct leaks_command *c = ctx;

	return c->options->format == FORMAT_JSON ? report_lost_json(&c->report, out)
						 : report_lost(&c->report, out);
}

/* Judge a condition. 0 or a status. */
static int judge(const struct leaks_command *c, const char *text)
{
	const struct heap_sum *sums = c->reach.sums;
	struct heap_sum lost = {sums[REACH_LOST].n + sums[REACH_LOST_THROUGH].n,
				sums[REACH_LOST].bytes + sums[REACH_LOST_THROUGH].bytes};
	uint64_t all[GATE_FIGURES] = {[GATE_LOST] = lost.bytes,
				      [GATE_LOST_BLOCKS] = lost.n,
				      [GATE_POSSIBLE] = sums[REACH_POSSIBLE].bytes,
				      [GATE_POSSIBLE_BLOCKS] = sums[REACH_POSSIBLE].n};
	struct gate_condition condition;
	int pid = (int)c->look.facts.pid;

	if (c->pass == 1 && heap_walk_is_doubtful(&c->look.walk)) {
		say("process %d: --fail-if=%s cannot be told, for what was found is doubtful", pid,
		    text);
		return STATUS_NO_ALLOCATOR;
	}
	if (gate_condition_parse(&condition, text))
		return STATUS_FAILED;
	struct gate_bounds found = {all[condition.figure], all[condition.figure]}, none = {0};
	bool holds = gate_condition_holds(&condition, found, none) == GATE_BROKEN;
	if (holds)
		say("process %d: --fail-if=%s: there are %" PRIu64 " %s", pid, text, found.low,
		    gate_figure_unit(condition.figure, 0));
	gate_condition_release(&condition);
	return holds ? (int)c->options->gate.fail_status : 0;
}

/* All conditions are reported; the first that holds decides the status. */
static int judge_all(const struct leaks_command *c)
{
	int status = 0;

	for (size_t i = 0; c->options->gate.fail_ifs[i]; i++) {
		int one = judge(c, c->options->gate.fail_ifs[i]);

		status = status ? status : one;
	}
	return status;
}

/* Find the paths of the requests, if a session has recorded them. If that fails, it is said, and is
 * no error. */
static void find_requesters(struct leaks_command *c)
{
	struct error e;

	if (!c->by || !c->reach.n_lost)
		return;
	if (requesters_find(&c->requesters, c->by->holder, c->by->files, &c->reach, &c->blocks, &e))
		say("who has requested what is lost in process %d is not known: %s",
		    (int)c->look.facts.pid, e.text);
	else
		tell_unread(say_sentence, c->requesters.requests.d);
}

/* True if advice makes sense that a session would know more. */
static bool advises(const struct leaks_command *c)
{
	return !c->by && c->options->format != FORMAT_JSON && c->reach.n_lost &&
	       probes_any(c->options, c->look.facts.pid);
}

static int tell(struct leaks_command *c)
{
	const struct look *l = &c->look;
	char version[LOOK_VERSION];

	find_requesters(c);
	c->report = (struct lost_report){.heap = look_heap(l, c->options, version),
					 .blocks = &c->blocks,
					 .reach = &c->reach,
					 .requests = c->requesters.requests.d
							     ? &c->requesters.requests
							     : NULL,
					 .advises = advises(c),
					 .passes = c->pass,
					 .lists_possible = c->options->lists_possible};
	int status = look_print(c->options, print, c);
	if (!status)
		look_say_others(l);
	return status ? status : judge_all(c);
}

int leaks_look(const struct options *o, pid_t pid, const struct look_by *by)
{
	struct leaks_command c = {.options = o,
				  .by = by,
				  .look = {.sealed = true,
					   .running = o->passes,
					   .holder = by ? by->holder : NULL,
					   .held = held,
					   .ctx = &c}};
	int status = passes(&c, pid);

	if (!status)
		status = tell(&c);
	forget(&c);
	requesters_release(&c.requesters);
	free(c.lost);
	look_release(&c.look);
	return status;
}

int command_leaks(int argc, char **argv)
{
	return look_command("leaks", leaks_look, argc, argv);
}
