/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_ADVICE_H
#define MPROF_BASE_ADVICE_H

#include "base/error.h"

/* What is in the way, and what can be done about it: two halves of a sentence for a person. An
 * error message has both in a row; mprof doctor has a line for each. */
struct advice {
	struct error why;
	struct error remedy; /* empty: nothing helps */
};

/* The whole sentence, "WHY; REMEDY". */
void advice_sentence(const struct advice *a, struct error *out);

#endif
