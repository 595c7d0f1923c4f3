/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_JSON_H
#define MPROF_REPORT_JSON_H

#include "profile/profile_data.h"
#include "report/json_out.h"

/* The members of report_json() that have a file of their own. @rank: from names_ranks(). */
void json_leaks(struct json_out *o, const struct profile_data *d, const uint32_t *rank);
void json_graph(struct json_out *o, const struct profile_data *d, const uint32_t *rank);

#endif
