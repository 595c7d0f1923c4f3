/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_FN_NAMES_H
#define MPROF_CLI_FN_NAMES_H

#include "cli/cli.h"
#include "massif/names.h"
#include "pprof/heapstacks.h"

/*
 * A name of --alloc-fn or --ignore-fn that no function has, and an expression of --focus, --ignore
 * or --list that matches nothing, is probably a misspelling. Code that prints a profile registers
 * the names in it; at the end, those that never occurred are reported, once for all profiles.
 */

/* Register the functions of a profile, before its names are shortened. */
void fn_names_meet(const struct options *o, const struct profile_data *d);

/* Register the functions of a massif file, as far as their names have been looked up. */
void fn_names_meet_entries(const struct options *o, const struct massif_names *names);

/* Register which expressions matched something in a heap profile. */
void fn_names_meet_matches(const struct heap_matches *m);

/* Report on standard error what never occurred; nothing if nothing was registered. */
void fn_names_say_unmet(const struct options *o);

#endif
