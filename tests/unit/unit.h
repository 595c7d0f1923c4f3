/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TEST_UNIT_H
#define MPROF_TEST_UNIT_H

/* cmocka, and the headers that it wants before itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
