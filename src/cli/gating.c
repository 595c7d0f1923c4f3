/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/gating.h"

#include "base/memstream.h"
#include "base/replace.h"
#include "base/stream.h"
#include "base/text.h"
#include "cli/apart.h"
#include "cli/options.h"
#include "cli/unheard.h"
#include "cli/viewed.h"
#include "outputs/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options ---- */

/* The first option that needs --fail-if; NULL: none. */
static const char *without_condition(const struct gate_options *g, bool base_is_for_it)
{
	return g->suppressions[0]	      ? "suppressions" :
	       g->junit			      ? "junit" :
	       g->sarif			      ? "sarif" :
	       g->fail_status != STATUS_FOUND ? "fail-status" :
	       base_is_for_it && g->base      ? "base" :
						NULL;
}

static bool grows(const struct gate_condition *c)
{
	return c->measure != GATE_ABSOLUTE;
}

static bool is_of_looks(const struct gate_condition *c)
{
	return GATE_OF_LOOKS >> c->figure & 1;
}

/* The first condition with this property, as given; NULL: none. */
static const char *first_given(const struct options *o, bool (*is)(const struct gate_condition *c))
{
	for (const char *const *t = o->gate.fail_ifs; *t; t++) {
		struct gate_condition c;
		bool is_it = !gate_condition_parse(&c, *t) && is(&c);

		gate_condition_release(&c);
		if (is_it)
			return *t;
	}
	return NULL;
}

static void say_no_base(const char *growth)
{
	say("--fail-if=%s is about growth, and needs --base=FILE: since when?", growth);
}

bool gating_check_options(const struct options *o)
{
	const struct gate_options *g = &o->gate;
	bool tells_growth = options_of_command(o->command) & FOR_FILES;
	const char *alone = g->fail_ifs[0] ? NULL : without_condition(g, !tells_growth);
	const char *growth = first_given(o, grows), *look = first_given(o, is_of_looks);

	if (alone) {
		say("option %s means nothing without --fail-if", alone);
		return false;
	}
	/* mprof diff sets the base later. */
	if (growth && !g->base && !tells_growth) {
		say_no_base(growth);
		return false;
	}
	if (!growth && g->base && !tells_growth) {
		say("option base means nothing to mprof %s without a --fail-if about growth, as "
		    "--fail-if='peak>+5%%'",
		    o->command);
		return false;
	}
	/* The memory of a program that has ended cannot be looked at. */
	if (look && !strcmp(o->command, "run") && !o->duration) {
		say("--fail-if=%s cannot be told of a program that has ended: let it go before "
		    "that, with --duration=SECONDS, or ask mprof attach, detach or leaks",
		    look);
		return false;
	}
	if (o->background && g->fail_ifs[0]) {
		say("--fail-if means nothing with --background, where nobody sees how it ends: "
		    "give it to mprof detach");
		return false;
	}
	return true;
}

/* ---- before the run ---- */

/* 0 or a status. */
static int read_suppressions(struct gate *g, const struct options *o)
{
	struct error e;

	for (const char *const *path = o->gate.suppressions; *path; path++) {
		int err = gate_suppressions_read(&g->suppressions, *path, &e);

		if (err) {
			say("%s", e.text);
			return err == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
		}
	}
	return 0;
}

static int read_base(struct gate *g, const struct options *o)
{
	const struct gate_condition *growth = gate_growth(g);
	bool renamed;

	if (!growth)
		return 0;
	if (!o->gate.base) {
		say_no_base(growth->text);
		return STATUS_USAGE;
	}
	struct profile_data *base = read_named(o->gate.base, o, &renamed);
	if (!base)
		return STATUS_FAILED;
	if (!gate_set_base(g, base))
		return 0;
	say("cannot read %s: out of memory", o->gate.base);
	return STATUS_FAILED;
}

int gating_begin(struct gate *g, const struct options *o)
{
	*g = (struct gate){0};
	if (!o->gate.fail_ifs[0])
		return 0;
	if (!output_spares(o, (char *const *)o->gate.suppressions, SIZE_MAX) ||
	    !output_spares(o, (char *[]){ (char *)o->gate.base }, 1))
		return STATUS_USAGE;
	/* They are valid: options_parse() has checked them. */
	if (gate_add_conditions(g, o->gate.fail_ifs)) {
		say("cannot hold anything against --fail-if: out of memory");
		return STATUS_FAILED;
	}
	int status = read_suppressions(g, o);
	if (!status)
		status = read_base(g, o);
	if (!status &&
	    ((o->gate.junit && output_check_replaced(o->gate.junit, "--junit", say_sentence)) ||
	     (o->gate.sarif && output_check_replaced(o->gate.sarif, "--sarif", say_sentence))))
		status = STATUS_FAILED;
	return status;
}

void gating_release(struct gate *g)
{
	gate_release(g);
}

/* ---- judging ---- */

int gating_judge(struct gate *g, const struct profile_data *d)
{
	if (!g->n_conditions || !gate_judge(g, d))
		return 0;
	say("process %" PRIu32 " cannot be held against --fail-if: out of memory", d->pid);
	return STATUS_FAILED;
}

int gating_judge_file(struct gate *g, const char *path, const struct options *o)
{
	bool renamed;
	struct profile_data *d = g->n_conditions ? read_named(path, o, &renamed) : NULL;
	int status = d ? gating_judge(g, d) : g->n_conditions ? STATUS_FAILED : 0;

	profile_data_free(d);
	return status;
}

int gating_judge_files(struct gate *g, char *const files[], size_t n, const struct options *o)
{
	int status = 0;

	for (size_t i = 0; i < n; i++) {
		int one = gating_judge_file(g, files[i], o);

		status = status ? status : one;
	}
	return status;
}

/* ---- telling ---- */

/* Print the output of @print as lines on standard error. */
static void print_lines(int (*print)(const struct gate *g, const struct gate_result *r, FILE *out),
			const struct gate *g, const struct gate_result *r)
{
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);
	int err = out ? print(g, r, out) : -ENOMEM;

	if (out && !fclose(out) && !err)
		unheard_print(text);
	else
		say("what breaks a condition is not shown: out of memory");
	free(text);
}

static int print_table(const struct gate *g, const struct gate_result *r, FILE *out)
{
	(void)r;
	return gate_table_print(g, out);
}

static void tell_result(const struct gate *g, const struct gate_result *r)
{
	const struct gate_condition *c = &g->conditions[r->condition];
	int pid = (int)g->processes[r->process].pid;
	char why[1024];

	/* Reported once: it is the same for all processes. */
	if (r->outcome == GATE_CANNOT_TELL && g->nowhere[r->condition])
		return;
	gate_result_print(g, r, why, sizeof why);
	if (r->outcome == GATE_BROKEN)
		say("process %d: --fail-if=%s: %s", pid, c->text, why);
	if (r->outcome == GATE_CANNOT_TELL)
		say("process %d: --fail-if=%s cannot be told: %s", pid, c->text, why);
	if (r->rows.n)
		print_lines(gate_rows_print, g, r);
}

/* Also say what no condition counts. */
static void tell_left_out(const struct gate *g)
{
	for (size_t i = 0; i < g->n_processes; i++) {
		const struct gate_process *p = &g->processes[i];
		char runtime[512];

		if (p->before)
			say("process %d: --fail-if counts no block that was there before",
			    (int)p->pid);
		else if (p->unknown_frees)
			say("process %d: --fail-if does not count the requests of %" PRIu64
			    " block%s whose free alone was seen",
			    (int)p->pid, p->unknown_frees, text_plural(p->unknown_frees));
		if (gate_runtime_print(g, (uint32_t)i, runtime, sizeof runtime))
			say("process %d: %s", (int)p->pid, runtime);
		if (p->missed)
			say("process %d: --fail-if does not count %" PRIu64 " block%s as kept that "
			    "may have been freed in a pause, when nothing was seen",
			    (int)p->pid, p->missed, text_plural(p->missed));
	}
	for (size_t i = 0; i < g->n_conditions; i++)
		if (gate_is_unmet(g, i) && !g->nowhere[i])
			say(GATE_UNMET, g->conditions[i].text);
}

/* A function that requested nothing this time is fine; one that exists nowhere is a mistake, and
 * the condition would always pass. */
static void seek_unmet(struct gate *g)
{
	struct sought sought[MAX_NAMES];
	size_t of[MAX_NAMES], n = 0;

	for (size_t i = 0; i < g->n_conditions && n < MAX_NAMES; i++)
		if (gate_is_unmet(g, i)) {
			sought[n] = (struct sought){.pattern = g->conditions[i].site};
			of[n++] = i;
		}
	if (sought_in_files(sought, n, g->files, g->n_files, say_sentence))
		say("cannot tell whether a function of --fail-if is in the program: out of memory");
	for (size_t i = 0; i < n; i++) {
		if (!sought[i].nowhere)
			continue;
		gate_set_nowhere(g, of[i]);
		say("--fail-if=%s says nothing: neither the program nor a library of it has a "
		    "function of this name%s%s%s",
		    g->conditions[of[i]].text, *sought[i].near ? "; did you mean " : "",
		    sought[i].near, *sought[i].near ? "?" : "");
	}
}

static void tell_suppressions(const struct gate *g)
{
	for (size_t i = 0; i < g->suppressions.n; i++) {
		const struct gate_suppression *s = &g->suppressions.items[i];

		if (s->blocks)
			say("suppressed by leak:%s, and not counted by --fail-if: %" PRIu64
			    " block%s of %" PRIu64 " bytes",
			    s->pattern, s->blocks, text_plural(s->blocks), s->bytes);
		else
			say("the suppression leak:%s has matched nothing that is kept", s->pattern);
	}
}

/* ---- files ---- */

struct file {
	const struct gate *gate;
	bool sarif;
};

static int print_file(FILE *out, void *ctx)
{
	const struct file *f = ctx;
	char *root = f->sarif ? getcwd(NULL, 0) : NULL;
	int err = f->sarif ? gate_print_sarif(f->gate, root, out) : gate_print_junit(f->gate, out);

	free(root);
	return err;
}

/* 0 or a status. */
static int write_file(const char *path, const struct gate *g, bool sarif)
{
	struct file f = {g, sarif};
	struct error e;

	if (!path || !replace_stream(path, "mprof.gate.", print_file, &f, &e))
		return 0;
	say("%s", e.text);
	return STATUS_FAILED;
}

/* ---- the end ---- */

static bool says_nothing(const struct gate *g)
{
	for (size_t i = 0; i < g->n_conditions; i++)
		if (g->nowhere[i])
			return true;
	return false;
}

struct ending gating_end(struct gate *g, const struct options *o, struct ending end)
{
	if (!g->n_conditions)
		return end;
	seek_unmet(g);
	for (size_t i = 0; i < g->n_results; i++)
		tell_result(g, &g->results[i]);
	if (g->n_processes > 1)
		print_lines(print_table, g, NULL);
	tell_left_out(g);
	tell_suppressions(g);
	int junit = write_file(o->gate.junit, g, false);
	int sarif = write_file(o->gate.sarif, g, true);
	enum gate_outcome outcome = gate_outcome(g);

	if (outcome == GATE_BROKEN)
		return (struct ending){.status = (int)o->gate.fail_status};
	if ((outcome == GATE_CANNOT_TELL || !g->n_processes || junit || sarif) && !end.signal &&
	    !end.status)
		end.status = says_nothing(g) ? STATUS_USAGE : STATUS_FAILED;
	return end;
}

int gating_status(struct gate *g, const struct options *o, int status)
{
	return gating_end(g, o, (struct ending){.status = status}).status;
}
