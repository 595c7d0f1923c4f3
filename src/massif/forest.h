/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_MASSIF_FOREST_H
#define MPROF_MASSIF_FOREST_H

#include "massif/recorder.h"
#include "massif/write.h"

/**
 * The contexts of a recorder, with the names they have, filtered, as one tree.
 * @how  names are asked for in this way, all at once
 * The recorder outlives the forest and counts nothing meanwhile. To be released even on failure.
 * Returns 0 or -ENOMEM.
 */
int massif_forest_init(struct massif_forest *f, struct massif_recorder *r,
		       const struct massif_settings *s, const struct namer_asks *how);

#endif
