/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_COMPLETION_H
#define MPROF_CLI_COMPLETION_H

#include <stddef.h>

/* Size for the words of any option. */
#define COMPLETION_WORDS 128

/**
 * The words that an option accepts, from the description of its values: "auto always never" for
 * "auto, always or never"; empty for "a number of seconds above 0".
 * Returns their number.
 */
size_t completion_words(const char *accepted, char words[COMPLETION_WORDS]);

#endif
