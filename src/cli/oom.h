/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_OOM_H
#define MPROF_CLI_OOM_H

/*
 * When memory runs out the kernel kills the process with the most memory. If that is the tracing
 * process, the program may die with it. So its score is lowered by half of all memory: it is spared
 * as long as there is another process to kill. If it ever exceeds that, it may be killed like any
 * other.
 */

/* Called once, after the program has been started, which must not inherit it; nor do later
 * forks. */
void oom_protect(void);

/* The result: the value, and why it is no lower. */
const char *oom_told(void);

#endif
