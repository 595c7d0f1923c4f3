/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_ROWS_H
#define MPROF_HTML_ROWS_H

#include "html/tree.h"
#include "report/report.h"

/* Write the report's leaks, lifetimes and functions of the call graph as one JSON object, schema
 * mprof.rows.v1 (doc/page.md); chains and names are given by their numbers in the tree. Of @o only
 * depth and own_code are used. 0, -ENOMEM, or -errno of writing @out. */
int rows_json(const struct tree *t, const struct report_options *o, FILE *out);

#endif
