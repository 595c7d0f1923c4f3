// SPDX-License-Identifier: BSD-2-Clause
// Virtual destructors: each frees what its object owns and then jumps to operator delete (-O2).
#include "target.h"

enum { TIMES = 100, OWNED = 7043 };

struct base {
	virtual ~base() = default;
};

struct derived : base {
	char *owned = static_cast<char *>(malloc(OWNED));
	char room[7057 - 2 * sizeof(void *)];

	~derived() override { free(owned); }
};

static base *made[TIMES];

int main()
{
	for (base *&b : made)
		b = new derived;
	for (base *b : made)
		delete b;
	bin(OWNED, TIMES, TIMES);
	bin(sizeof(derived), TIMES, TIMES);
	say("virtuals: done\n");
	return 0;
}
