/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_TOP_VIEW_H
#define MPROF_CLI_TOP_VIEW_H

#include "cli/top_session.h"

/* The state of mprof top's screen, without drawing: the rows of the last look with a cursor, or
 * lines that were opened over them. What there is no memory for is not shown. */
enum { TOP_FILTER_MAX = 80 };

struct top_view {
	struct top_session *session;
	struct top_how how;
	struct top_rows rows;
	size_t at;	/* index of the row with the cursor */
	char *selected; /* its name; NULL: the first row */
	uint64_t selected_size;
	size_t first; /* index of the first row, or line, that is shown */
	enum { NOT_OPENED, CHAINS, HELP } what;
	struct top_row of; /* the row whose chains are open; owns its name */
	char **opened; /* lines: the chains of a row, or help */
	size_t n_opened, cap_opened;
	char filter[TOP_FILTER_MAX];
};

void top_view_release(struct top_view *v);

/* The previous look, or NULL. */
const struct top_look *top_view_before(const struct top_view *v);

/* Update the rows from the last look; the cursor stays on its row. */
void top_view_rows(struct top_view *v);

/* Update the rows after a change of settings: the cursor goes to the first one. */
void top_view_other_rows(struct top_view *v);

/* Put the cursor on a row, or on the last one. */
void top_view_select(struct top_view *v, size_t at);

/* Open the chains of the row with the cursor, or the help; close them. False: threads have no
 * chains. */
bool top_view_open_chains(struct top_view *v);
void top_view_open_help(struct top_view *v);
void top_view_close(struct top_view *v);

/* Update the opened chains from the last look, if any are open. */
void top_view_renew_chains(struct top_view *v);

#endif
