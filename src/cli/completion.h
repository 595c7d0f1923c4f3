/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_COMPLETION_H
#define MPROF_CLI_COMPLETION_H

#include <stddef.h>

/* So much are the words of any option. */
#define COMPLETION_WORDS 128

/**
 * The words that an option takes, from what is said of its values: "auto always never" of "auto,
 * always or never"; empty of "a number of seconds above 0".
 * Returns their number.
 */
size_t completion_words(const char *accepted, char words[COMPLETION_WORDS]);

#endif
