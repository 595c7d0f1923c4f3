/* SPDX-License-Identifier: BSD-2-Clause */
#include "gate/figure.h"

#include "base/saturate.h"
#include "naming/shortname.h"
#include "profile/pd_names.h"
#include "profile/own_code.h"
#include "profile/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- which chains ---- */

/* A missing name matters only in the program's own code: a function of the system's libraries that
 * a user names is exported, and so has a name. */
static uint8_t bits_of_site(const struct profile_data *d, const bool *meant, const bool *own,
			    uint32_t site)
{
	uint32_t function = d->sites[site].function;

	if (meant[function])
		return GATE_IN;
	return own[site] && names_nothing_names(d, function) ? GATE_IN_NAMELESS : 0;
}

/* For each function: does its name match the condition? For free(), or NULL. */
static bool *meant_functions(const struct profile_data *d, const struct gate_condition *c)
{
	bool *meant = calloc(d->n_functions + 1, sizeof *meant);

	for (size_t i = 0; meant && c->site && i < d->n_functions; i++)
		meant[i] = shortname_matches(c->site, d->functions[i].linkage,
					     d->functions[i].name);
	return meant;
}

static uint8_t bits_of_root(uint32_t root)
{
	return root == PD_ROOT_TRUNCATED ? GATE_IN_TRUNCATED : 0;
}

uint8_t *gate_nodes(const struct profile_data *d, const struct gate_condition *c, bool *met)
{
	uint8_t *bits = calloc(d->n_nodes, 1);
	bool *own = own_code_sites(d, NULL), *meant = meant_functions(d, c);

	*met = !c->site;
	for (uint32_t i = 0; bits && own && meant && i < d->n_nodes; i++) {
		const struct pd_node *n = &d->nodes[i];

		if (!c->site)
			bits[i] = GATE_IN;
		else if (i < PD_FIRST_NODE)
			bits[i] = bits_of_root(i);
		else
			bits[i] = bits[n->parent] | bits_of_site(d, meant, own, n->site);
		*met = *met || bits[i] & GATE_IN;
	}
	if (!own || !meant) {
		free(bits);
		bits = NULL;
	}
	free(own);
	free(meant);
	return bits;
}

/* ---- what was counted ---- */

/* As in the summary, blocks that the runtime keeps do not count. */
static uint64_t kept_by_the_program(const struct profile_data *d, const struct pd_leaf *l)
{
	uint64_t kept = l->allocs - l->frees;

	return kept && runtime_kind_of(d, l) == RUNTIME_NONE ? kept : 0;
}

static uint64_t blocks_of(const struct profile_data *d, enum gate_figure figure,
			  const struct pd_leaf *l)
{
	switch (figure) {
	case GATE_ALLOCS:
	case GATE_BYTES:
		return l->allocs;
	case GATE_FREES:
		return l->frees;
	case GATE_KEPT:
	case GATE_KEPT_BLOCKS:
		return kept_by_the_program(d, l);
	case GATE_UNFREED:
	case GATE_UNFREED_BLOCKS:
		return l->allocs - l->frees;
	case GATE_PEAK:
		return l->at_peak;
	case GATE_LOST:
	case GATE_LOST_BLOCKS:
		return l->reach[PD_LOST] + l->reach[PD_LOST_THROUGH];
	case GATE_POSSIBLE:
	case GATE_POSSIBLE_BLOCKS:
		return l->reach[PD_POSSIBLE];
	case GATE_TEMPORARY:
	case GATE_FIGURES:
		break;
	}
	return 0;
}

static bool is_of_bytes(enum gate_figure figure)
{
	return figure == GATE_BYTES || figure == GATE_KEPT || figure == GATE_UNFREED ||
	       figure == GATE_PEAK || figure == GATE_LOST || figure == GATE_POSSIBLE;
}

static bool is_of_looks(enum gate_figure figure)
{
	return GATE_OF_LOOKS >> figure & 1;
}

bool gate_is_of_kept(enum gate_figure figure)
{
	return figure == GATE_UNFREED || figure == GATE_UNFREED_BLOCKS ||
	       gate_spares_runtime(figure) || is_of_looks(figure);
}

bool gate_spares_runtime(enum gate_figure figure)
{
	return figure == GATE_KEPT || figure == GATE_KEPT_BLOCKS;
}

static bool temporary_at(const struct profile_data *d, size_t i, struct gate_count *count)
{
	if (i >= d->n_lifetimes)
		return false;
	const struct pd_lifetime *l = &d->lifetimes[i];
	uint64_t n = l->axis == PD_LIFE_TEMPORARY ? l->blocks : 0;

	*count = (struct gate_count){l->node, n, n};
	return true;
}

bool gate_count_at(const struct profile_data *d, enum gate_figure figure, size_t i,
		   struct gate_count *count)
{
	if (figure == GATE_TEMPORARY)
		return temporary_at(d, i, count);
	if (i >= d->n_leaves)
		return false;
	const struct pd_leaf *l = &d->leaves[i];
	uint64_t blocks = blocks_of(d, figure, l);

	*count = (struct gate_count){l->node, is_of_bytes(figure) ? blocks * l->size : blocks,
				     blocks};
	return true;
}

/* ---- how much it is ---- */

static void widen(struct gate_value *v, enum gate_doubt doubt, uint64_t below, uint64_t above)
{
	v->is.low -= below < v->is.low ? below : v->is.low;
	saturate_add(&v->is.high, above);
	v->doubts |= doubt;
}

/* Blocks that were live when a pause began count as freed, and not as kept: a kept block was
 * certainly allocated after it. The real peak may have been during the pause, and a function may
 * have had less then. */
static void doubt_pauses(const struct profile_data *d, const struct gate_condition *c,
			 struct gate_value *v)
{
	uint64_t below = c->figure == GATE_FREES	       ? d->totals.missed :
			 c->figure == GATE_PEAK && c->site ? UINT64_MAX :
							     0;

	if (d->unseen.pauses)
		widen(v, GATE_PAUSED, below, UINT64_MAX);
}

/* An unobserved call may concern any function and any size. */
static void doubt_unseen(const struct profile_data *d, enum gate_figure figure,
			 struct gate_value *v)
{
	const struct pd_unseen *u = &d->unseen;
	bool bytes = is_of_bytes(figure);
	/* After an unobserved free its block still counts as live. */
	bool falls = figure != GATE_ALLOCS && figure != GATE_BYTES && figure != GATE_FREES;

	if (u->lost)
		widen(v, GATE_UNCOUNTED, !falls ? 0 : bytes ? UINT64_MAX : u->lost,
		      bytes ? UINT64_MAX : u->lost);
	if (u->doubtful)
		widen(v, GATE_DOUBTFUL, bytes ? UINT64_MAX : u->doubtful, 0);
	if (u->untrapped || u->taken)
		widen(v, GATE_UNTRAPPED, falls ? UINT64_MAX : 0, UINT64_MAX);
}

/* The sums over all blocks are known, whatever their chains; but those of bytes are usable
 * bytes. */
static void whole_look(const struct profile_data *d, enum gate_figure figure, uint64_t left_out,
		       struct gate_value *v)
{
	const struct pd_sum *sums = d->reach.sums;
	bool possible = figure == GATE_POSSIBLE || figure == GATE_POSSIBLE_BLOCKS;
	struct pd_sum all = sums[possible ? PD_POSSIBLE : PD_LOST];

	if (!possible) {
		all.blocks += sums[PD_LOST_THROUGH].blocks;
		all.bytes += sums[PD_LOST_THROUGH].bytes;
	}
	uint64_t n = is_of_bytes(figure) ? all.bytes : all.blocks;

	n -= left_out < n ? left_out : n;
	if (left_out && is_of_bytes(figure) && v->is.low < n)
		v->doubts |= GATE_USABLE;
	else
		v->is.low = n;
	v->is.high = n;
}

static bool peak_is_told(const struct profile_data *d)
{
	for (size_t i = 0; i < d->n_leaves; i++)
		if (d->leaves[i].at_peak)
			return true;
	return !d->totals.peak_bytes;
}

/* Add up leaves or lifetimes; returns the sum of what is left out as suppressed. */
static uint64_t add_up(const struct profile_data *d, const struct gate_condition *c,
		       const uint8_t *bits, const uint32_t *suppressed, struct gate_value *v)
{
	struct gate_count n;
	uint64_t left_out = 0;

	for (size_t i = 0; gate_count_at(d, c->figure, i, &n); i++) {
		/* An empty chain has no names at all. */
		uint8_t in = bits[n.node] ? bits[n.node] :
			     n.node < PD_FIRST_NODE ? GATE_IN_NAMELESS : 0;

		if (suppressed && suppressed[n.node] != PD_NONE && gate_is_of_kept(c->figure)) {
			left_out += n.value;
		} else if (in & GATE_IN) {
			v->is.low += n.value;
			v->is.high += n.value;
		} else if (in && n.value) {
			v->is.high += n.value;
			v->doubts |= in & GATE_IN_TRUNCATED ? GATE_TRUNCATED : 0;
			v->doubts |= in & GATE_IN_NAMELESS ? GATE_NAMELESS : 0;
		}
	}
	return left_out;
}

int gate_value_of(const struct profile_data *d, const struct gate_condition *c,
		  const uint32_t *suppressed, struct gate_value *v)
{
	*v = (struct gate_value){0};
	uint8_t *bits = gate_nodes(d, c, &v->met);

	if (!bits)
		return -ENOMEM;
	uint64_t left_out = add_up(d, c, bits, suppressed, v);

	free(bits);
	if (c->figure == GATE_TEMPORARY && d->spared.lifetimes)
		*v = (struct gate_value){{0, UINT64_MAX}, GATE_SPARED, v->met};
	else if (is_of_looks(c->figure) && !d->reach.known)
		*v = (struct gate_value){{0, UINT64_MAX}, GATE_NO_LOOK, v->met};
	else if (is_of_looks(c->figure) && !c->site)
		whole_look(d, c->figure, left_out, v);
	else if (c->figure == GATE_PEAK && !c->site)
		v->is = (struct gate_bounds){d->totals.peak_bytes, d->totals.peak_bytes};
	else if (c->figure == GATE_PEAK && !peak_is_told(d))
		*v = (struct gate_value){{0, d->totals.peak_bytes}, GATE_NO_PEAK, v->met};
	/* What a look found does not depend on the events that were observed. */
	if (c->site || !is_of_looks(c->figure)) {
		doubt_unseen(d, c->figure, v);
		doubt_pauses(d, c, v);
	}
	return 0;
}

void gate_doubts_print(unsigned doubts, char *text, size_t size)
{
	static const char *const words[] = {
		"a function may be in the part of a chain that could not be followed",
		"a function may be one that nothing names",
		"events could not be counted",
		"calls may have been the allocator's own",
		"not every function that allocates was observed",
		"nobody has looked at the memory for what is lost",
		"the file does not tell what was live at the peak",
		"what is lost is known in usable bytes, and what is suppressed in requested ones",
		"in a pause nothing was seen",
		"to keep to --max-memory it was not kept how long blocks live",
		"neither the program nor a library of it has a function of this name",
	};
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof words / sizeof *words && n < size; i++)
		if (doubts >> i & 1)
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", and " : "",
					      words[i]);
}
