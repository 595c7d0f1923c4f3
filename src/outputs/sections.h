/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_SECTIONS_H
#define MPROF_OUTPUTS_SECTIONS_H

#include "proc/title.h"

#include <stdint.h>
#include <stdio.h>

/* A report of several profiles has a section for each, which begins with a line that tells whose it
 * is; before all of them stands a list. */
struct section {
	pid_t pid;
	unsigned number;	/* of a program before an exec: 1, 2 ...; 0: the process's last
				   one */
	uint64_t allocs, bytes, kept_bytes;
	char title[TITLE_MAX];
};

void sections_print_list(const struct section *s, size_t n, FILE *out);
void section_print_head(const struct section *s, FILE *out);

#endif
