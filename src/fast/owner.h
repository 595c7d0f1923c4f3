/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_FAST_OWNER_H
#define MPROF_FAST_OWNER_H

#include <stdint.h>

/*
 * A word in memory that the program shares, which tells it that the tracer is alive: the kernel
 * marks it when we die, however that happens (robust futexes, get_robust_list(2)). The list that
 * the kernel follows to it is in memory of our own, where the program cannot damage it: each word
 * has a node of the list exactly OWNER_NODE_BELOW bytes below it.
 */
#define OWNER_NODE_BELOW 4096

/* Own the word from here on. At @word - OWNER_NODE_BELOW there has to be memory for a pointer that
 * is not shared. 0 or -errno. */
int owner_hold(uint32_t *word);
void owner_release(uint32_t *word);

#endif
