/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_OWNSTACK_H
#define MPROF_BASE_OWNSTACK_H

/* Call @fn on a stack that is large enough for us, if that of the limit that we were started with
 * (ulimit -s) is not. The limit itself is kept for the programs that we start. Returns what @fn
 * does. */
int ownstack_call(int (*fn)(int argc, char **argv), int argc, char **argv);

#endif
