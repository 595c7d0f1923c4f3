/* SPDX-License-Identifier: BSD-2-Clause */
/* Types with sizes of their own, which the bins must name: struct, union, typedefs, and no type. */
#include "target.h"

struct tagged {
	char c[9101];
};
typedef struct {
	char c[9103];
} unnamed_t;
typedef struct hidden_tag {
	char c[9107];
} first_t;
typedef first_t second_t;
union both {
	char c[9109];
	int i[3];
};
typedef char not_a_struct_t[9127];
struct twin_a {
	char c[9133];
};
struct twin_b {
	char c[9133];
};

/* Uses, so that the compiler describes them; static, so that it keeps them. */
static struct tagged tagged UNUSED;
static unnamed_t unnamed UNUSED;
static second_t second UNUSED;
static union both both UNUSED;
static not_a_struct_t not_a_struct UNUSED;
static struct twin_a twin_a UNUSED;
static struct twin_b twin_b UNUSED;

#define TOUCH(v) __asm__ volatile("" : : "r"(&(v)) : "memory")

int main(void)
{
	static const size_t sizes[] = { sizeof tagged, sizeof unnamed,	    sizeof second,
					sizeof both,
					sizeof not_a_struct, sizeof twin_a, 9151 };

	TOUCH(tagged);
	TOUCH(unnamed);
	TOUCH(second);
	TOUCH(both);
	TOUCH(not_a_struct);
	TOUCH(twin_a);
	TOUCH(twin_b);
	for (size_t i = 0; i < LENGTH(sizes); i++) {
		void *volatile p = fill(malloc(sizes[i]), sizes[i], 1);

		(void)p;
		bin(sizes[i], 1, 0);
	}
	say("types: done\n");
	return 0;
}
