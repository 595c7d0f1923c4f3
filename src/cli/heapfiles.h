/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_HEAPFILES_H
#define MPROF_CLI_HEAPFILES_H

#include "cli/cli.h"
#include "pprof/heapstacks.h"

/* True for a format that pprof has, too. */
bool is_pprof_format(enum output_format f);

/**
 * Read profiles of mprof or others, add them up, and subtract that of --base.
 * @binary  the program's file, if it is at another path now; or NULL
 * Returns 0, or -errno with a sentence in @e, or PRINT_SAID: one has been printed.
 */
int heapfiles_read(char *const *files, size_t n, const char *binary, const struct options *o,
		   struct heap_stacks *out, struct error *e);

/* Print a profile in such a format, as the options say; what they leave out is removed from @h. 0,
 * or -errno with a sentence in @e. */
int heapfiles_print(struct heap_stacks *h, const struct options *o, FILE *out, struct error *e);

/* Print a profile of our own in such a format. Returns as above. */
int heapfiles_print_data(const struct profile_data *d, const struct options *o, FILE *out,
			 struct error *e);

#endif
