// SPDX-License-Identifier: BSD-2-Clause
#include "names.h"

namespace shop
{
static NOINLINE void twice(int n)
{
	keep(6079);
	keep(6089);
	if (n > 0)
		twice(n - 1);
	STAY();
}

NOINLINE void other_unit(int n)
{
	box<shelf> b;

	twice(n);
	b(0);
	STAY();
}
} // namespace shop
