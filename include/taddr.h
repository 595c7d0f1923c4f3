/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TADDR_H
#define MPROF_TADDR_H

#include <stdint.h>

/* An address in the tracee's memory. Never a pointer, so nobody dereferences it here by mistake. */
typedef uint64_t taddr;

#endif
