/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_OOM_H
#define MPROF_CLI_OOM_H

/*
 * When memory runs out the kernel kills who has most of it. If that is the tracing process, the
 * program may die with it; so it asks to be spared as long as others can be found: it counts for
 * half of all memory less than it has. Should it ever have more than that, it is to be killed as
 * anybody.
 */

/* Once, when the program has been started, which shall not inherit it; nor do processes that we
 * fork later. */
void oom_protect(void);

/* What has come of it: the value, and why it is no lower. */
const char *oom_told(void);

#endif
