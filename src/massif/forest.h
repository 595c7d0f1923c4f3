/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_FOREST_H
#define MPROF_MASSIF_FOREST_H

#include "massif/recorder.h"
#include "massif/write.h"

/**
 * The contexts of a recorder, named and filtered, as one tree.
 * @how  used to look up all names at once
 * The recorder must outlive the forest, and must count nothing meanwhile. Release @f even on
 * failure. Returns 0 or -ENOMEM.
 */
int massif_forest_init(struct massif_forest *f, struct massif_recorder *r,
		       const struct massif_settings *s, const struct namer_asks *how);

#endif
