/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_REPORT_JSON_PATH_H
#define MPROF_REPORT_JSON_PATH_H

#include "profile/profile_data.h"
#include "report/json_out.h"

/*
 * The elements of call paths as JSON text. Each is made once, as a call site is on many paths, and
 * there may be a million paths.
 */
struct json_sites {
	const struct profile_data *d;
	bool *own;		/* by site: own_code_holders() */
	char **of_site;		/* by site; the last one, of_site[n_sites], is that of "?" */
};

/* @own_code: as in own_code.h. 0 or -ENOMEM; must be released in any case. */
int json_sites_init(struct json_sites *s, const struct profile_data *d,
		    const char *const *own_code);
void json_sites_release(struct json_sites *s);

/* An element of a path; PD_NONE: "?". It belongs to @s. NULL: out of memory. */
const char *json_site(struct json_sites *s, uint32_t site);

#endif
