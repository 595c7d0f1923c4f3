/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_CLOSERANGE_H
#define MPROF_BASE_CLOSERANGE_H

/* Close the descriptors from @first to @last, both included. Like close_range(2), which Linux has
 * since 5.9 and filters of containers may forbid. 0, or -errno: some may be open still. */
int closerange(unsigned first, unsigned last);

#endif
