/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/advice.h"

void advice_sentence(const struct advice *a, struct error *out)
{
	error_set(out, 0, "%s%s%s", a->why.text, *a->remedy.text ? "; " : "", a->remedy.text);
}
