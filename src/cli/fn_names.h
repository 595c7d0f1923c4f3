/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_FN_NAMES_H
#define MPROF_CLI_FN_NAMES_H

#include "cli/cli.h"
#include "massif/names.h"
#include "pprof/heapstacks.h"

/*
 * A name of --alloc-fn or --ignore-fn that no function has, and an expression of --focus, --ignore
 * or
 * --list that none matches, does nothing; that is most likely a slip. Whoever prints tells here
 * what there was, and says at the end what was never met, once however many profiles were printed.
 */

/* The functions of a profile, before its names are shortened. */
void fn_names_meet(const struct options *o, const struct profile_data *d);

/* The functions of a massif file, as far as their names have been looked up. */
void fn_names_meet_entries(const struct options *o, const struct massif_names *names);

/* The expressions that something in a heap profile matched. */
void fn_names_meet_matches(const struct heap_matches *m);

/* What was never met, on standard error; nothing if nothing was looked at. */
void fn_names_say_unmet(const struct options *o);

#endif
