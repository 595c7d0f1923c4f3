/* SPDX-License-Identifier: BSD-2-Clause */
#include "gate/gate.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* True if text @i is equal to one before it. */
static bool is_duplicate(const char *const *texts, size_t i)
{
	size_t k = 0;

	while (k < i && strcmp(texts[k], texts[i]))
		k++;
	return k < i;
}

int gate_add_conditions(struct gate *g, const char *const *texts)
{
	size_t n = 0;

	while (texts[n])
		n++;
	g->conditions = calloc(n + 1, sizeof *g->conditions);
	g->met = calloc(n + 1, sizeof *g->met);
	g->nowhere = calloc(n + 1, sizeof *g->nowhere);
	if (!g->conditions || !g->met || !g->nowhere)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (is_duplicate(texts, i))
			continue;
		int err = gate_condition_parse(&g->conditions[g->n_conditions], texts[i]);
		if (err)
			return err;
		g->n_conditions++;
	}
	return 0;
}

void gate_release(struct gate *g)
{
	for (size_t i = 0; i < g->n_conditions; i++)
		gate_condition_release(&g->conditions[i]);
	for (size_t i = 0; i < g->n_results; i++)
		gate_rows_release(&g->results[i].rows);
	for (size_t i = 0; i < g->n_processes; i++)
		free(g->processes[i].program);
	gate_suppressions_release(&g->suppressions);
	profile_data_free(g->base);
	free(g->suppressed_base);
	free(g->conditions);
	for (size_t i = 0; i < g->n_files; i++) {
		free(g->files[i].path);
		free(g->files[i].build_id);
	}
	free(g->files);
	free(g->met);
	free(g->nowhere);
	free(g->processes);
	free(g->results);
	*g = (struct gate){0};
}

const struct gate_condition *gate_growth(const struct gate *g)
{
	for (size_t i = 0; i < g->n_conditions; i++)
		if (g->conditions[i].measure != GATE_ABSOLUTE)
			return &g->conditions[i];
	return NULL;
}

int gate_set_base(struct gate *g, struct profile_data *base)
{
	g->base = base;
	g->suppressed_base = gate_suppressions_of_nodes(&g->suppressions, base);
	return g->suppressed_base ? 0 : -ENOMEM;
}

/* ---- judging ---- */

static void add_runtime(const struct profile_data *d, const uint32_t *suppressed,
			struct pd_sum sums[RUNTIME_KINDS])
{
	for (size_t i = 0; i < d->n_leaves; i++)
		if (suppressed[d->leaves[i].node] == PD_NONE)
			runtime_add(d, &d->leaves[i], sums);
}

static int add_process(struct gate *g, const struct profile_data *d, const uint32_t *suppressed)
{
	const struct pd_totals *t = &d->totals;
	const char *program = d->command && d->command[0] ? d->command[0] : "?";

	if (ARRAY_RESERVE(&g->processes, &g->cap_processes, g->n_processes))
		return -ENOMEM;
	struct gate_process *p = &g->processes[g->n_processes];
	*p = (struct gate_process){
		.pid = d->pid,
		.program = strdup(program),
		.started_ns = d->started_ns,
		.ended_ns = d->ended_ns,
		.unknown_frees = t->unknown_frees - t->inherited_frees,
		.missed = t->missed,
		.before = d->before.blocks || t->before_frees,
	};
	if (!p->program)
		return -ENOMEM;
	add_runtime(d, suppressed, p->runtime);
	g->n_processes++;
	return 0;
}

static bool has_file(const struct gate *g, const struct pd_module *m)
{
	for (size_t i = 0; i < g->n_files; i++)
		if (!strcmp(g->files[i].path, m->path) &&
		    !strcmp(g->files[i].build_id, m->build_id))
			return true;
	return false;
}

/* Remember the files of a process. The vdso and the like are no files. 0 or -ENOMEM. */
static int add_files(struct gate *g, const struct profile_data *d)
{
	for (size_t i = 0; i < d->n_modules; i++) {
		const struct pd_module *m = &d->modules[i];

		if (*m->path != '/' || has_file(g, m))
			continue;
		if (ARRAY_RESERVE(&g->files, &g->cap_files, g->n_files))
			return -ENOMEM;
		struct sought_file *f = &g->files[g->n_files++];
		*f = (struct sought_file){strdup(m->path), strdup(m->build_id), i == d->program};
		if (!f->path || !f->build_id)
			return -ENOMEM;
	}
	return 0;
}

static int judge_one(struct gate *g, const struct profile_data *d, const uint32_t *suppressed,
		     uint32_t condition)
{
	const struct gate_condition *c = &g->conditions[condition];
	const struct profile_data *base = c->measure != GATE_ABSOLUTE ? g->base : NULL;
	struct gate_result r = {.process = (uint32_t)g->n_processes - 1, .condition = condition};
	int err = ARRAY_RESERVE(&g->results, &g->cap_results, g->n_results);

	if (!err)
		err = gate_value_of(d, c, suppressed, &r.now);
	if (!err && base)
		err = gate_value_of(base, c, g->suppressed_base, &r.base);
	if (err)
		return err;
	r.outcome = gate_condition_holds(c, r.now.is, r.base.is);
	g->met[condition] |= r.now.met || r.base.met;
	/* No single path is to blame if the figure is too low. */
	if (r.outcome == GATE_BROKEN && c->op != GATE_LESS && c->op != GATE_AT_MOST)
		err = gate_rows_collect(d, suppressed, base, g->suppressed_base, c, &r.rows);
	g->results[g->n_results++] = r;
	return err;
}

int gate_judge(struct gate *g, const struct profile_data *d)
{
	uint32_t *suppressed = gate_suppressions_of_nodes(&g->suppressions, d);
	int err = suppressed ? add_process(g, d, suppressed) : -ENOMEM;

	err = err ? err : add_files(g, d);
	if (!err)
		gate_suppressions_count(&g->suppressions, d, suppressed);
	for (uint32_t i = 0; !err && i < g->n_conditions; i++)
		err = judge_one(g, d, suppressed, i);
	free(suppressed);
	return err;
}

enum gate_outcome gate_outcome(const struct gate *g)
{
	enum gate_outcome worst = GATE_PASSED;

	for (size_t i = 0; i < g->n_results; i++)
		if (g->results[i].outcome == GATE_BROKEN)
			return GATE_BROKEN;
		else if (g->results[i].outcome == GATE_CANNOT_TELL)
			worst = GATE_CANNOT_TELL;
	return worst;
}

bool gate_is_unmet(const struct gate *g, size_t condition)
{
	return g->n_processes && !g->met[condition];
}

void gate_set_nowhere(struct gate *g, size_t condition)
{
	g->nowhere[condition] = true;
	for (size_t i = 0; i < g->n_results; i++) {
		struct gate_result *r = &g->results[i];

		if (r->condition != condition || r->outcome != GATE_PASSED)
			continue;
		r->outcome = GATE_CANNOT_TELL;
		r->now.doubts |= GATE_NOWHERE;
	}
}
