/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TEST_UNIT_H
#define MPROF_TEST_UNIT_H

/* cmocka, and the headers that must be included before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
