/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/top_view.h"

#include "base/array.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Up Down PgUp PgDn Home End   move\n"
	"Enter     open the chains of a call site or a size; again, or Esc: close them\n"
	"L G A T   sort by live bytes, growth, allocations a second, temporary blocks\n"
	"< >       sort by the column to the left, to the right\n"
	"b         rows by call site, by size with types, or by thread\n"
	"+ -       one caller more, or less, tells call sites apart\n"
	"i         call sites where memory is requested, or in the program's own code\n"
	"/         show only rows with a text: Enter keeps it, Esc shows all again\n"
	"Space     freeze, or go on\n"
	"s         save the profile, and go on\n"
	"d         detach: end the session, and quit\n"
	"q         quit; a session that was there before goes on\n"
	"? h       this help; any key closes it\n";

/* ---- opened lines ---- */

static void forget_lines(struct top_view *v)
{
	for (size_t i = 0; i < v->n_opened; i++)
		free(v->opened[i]);
	v->n_opened = 0;
}

void top_view_close(struct top_view *v)
{
	forget_lines(v);
	free(v->of.name);
	v->of = (struct top_row){0};
	v->first = 0;
	v->what = NOT_OPENED;
}

static void open_lines(struct top_view *v, const char *text, const char *before)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (ARRAY_RESERVE(&v->opened, &v->cap_opened, v->n_opened) ||
		    asprintf(&v->opened[v->n_opened], "%s%.*s", before, (int)len, text) < 0)
			return;
		v->n_opened++;
		text += len + (text[len] == '\n');
	}
}

void top_view_open_help(struct top_view *v)
{
	top_view_close(v);
	v->what = HELP;
	open_lines(v, help, " ");
}

const struct top_look *top_view_before(const struct top_view *v)
{
	return v->session->before.data ? &v->session->before : NULL;
}

static void open_chain(struct top_view *v, const struct top_row *r)
{
	char sums[128], *chain = top_chain_text(v->session->now.data, r->node);

	snprintf(sums, sizeof sums,
		 "%" PRIu64 " bytes in %" PRIu64 " block%s live, %" PRIu64
		 " allocated, %.1f allocations/s\n",
		 r->live_bytes, r->live_blocks, text_plural(r->live_blocks), r->allocs,
		 r->allocs_per_s);
	open_lines(v, sums, "");
	if (chain)
		open_lines(v, chain, "    ");
	free(chain);
}

void top_view_renew_chains(struct top_view *v)
{
	struct top_rows chains;

	if (v->what != CHAINS || top_chains(&v->session->now, top_view_before(v), &v->how, &v->of,
					    &chains))
		return;
	forget_lines(v);
	for (size_t i = 0; i < chains.n; i++)
		open_chain(v, &chains.v[i]);
	if (!chains.n)
		open_lines(v, "nothing of this is live, or requested any more\n", "");
	top_rows_release(&chains);
	if (v->first >= v->n_opened)
		v->first = v->n_opened ? v->n_opened - 1 : 0;
}

bool top_view_open_chains(struct top_view *v)
{
	if (v->how.by == TOP_THREADS)
		return false;
	top_view_close(v);
	if (v->at >= v->rows.n)
		return true;
	v->of = v->rows.v[v->at];
	v->of.name = strdup(v->of.name);
	v->what = v->of.name ? CHAINS : NOT_OPENED;
	top_view_renew_chains(v);
	return true;
}

/* ---- rows ---- */

void top_view_select(struct top_view *v, size_t at)
{
	v->at = at < v->rows.n ? at : v->rows.n ? v->rows.n - 1 : 0;
	free(v->selected);
	v->selected = v->at && v->rows.n ? strdup(v->rows.v[v->at].name) : NULL;
	v->selected_size = v->selected ? v->rows.v[v->at].size : 0;
}

static void find_selected(struct top_view *v)
{
	size_t at = 0;

	while (v->selected && at < v->rows.n &&
	       (v->rows.v[at].size != v->selected_size ||
		(v->how.by == TOP_SITES && strcmp(v->rows.v[at].name, v->selected))))
		at++;
	top_view_select(v, at < v->rows.n ? at : 0);
}

void top_view_rows(struct top_view *v)
{
	struct top_rows rows;

	v->how.filter = v->filter;
	if (!v->session->now.data || top_rows(&v->session->now, top_view_before(v), &v->how, &rows))
		return;
	top_rows_release(&v->rows);
	v->rows = rows;
	find_selected(v);
}

void top_view_other_rows(struct top_view *v)
{
	free(v->selected);
	v->selected = NULL;
	top_view_rows(v);
}

void top_view_release(struct top_view *v)
{
	top_view_close(v);
	free(v->opened);
	free(v->selected);
	top_rows_release(&v->rows);
}
