/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_SECTIONS_H
#define MPROF_OUTPUTS_SECTIONS_H

#include "proc/title.h"

#include <stdint.h>
#include <stdio.h>

/* A report of several profiles begins with a list of them and has a section for each, whose first
 * line names the process. */
struct section {
	pid_t pid;
	unsigned number;	/* of an image before an exec: 1, 2 ...; 0: the last one of the
				   process */
	uint64_t allocs, bytes, kept_bytes;
	char title[TITLE_MAX];
};

/* Print the list of @n reports, and the first line of a section. The caller checks @out for
 * errors. */
void sections_print_list(const struct section *s, size_t n, FILE *out);
void section_print_head(const struct section *s, FILE *out);

#endif
