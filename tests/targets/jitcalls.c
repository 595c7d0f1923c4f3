/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated code that calls other generated code: each return address but the outermost is in
 * memory that belongs to no file. */
#include "target.h"

#include <sys/mman.h>

enum { SIZE = 7069, LEVELS = 4, STEP = 32 };

/* push %rbp; mov %rsp,%rbp; mov $SIZE,%edi; mov $CALLEE,%rax; call *%rax; pop %rbp; ret */
static const unsigned char code[] = {
	0x55, 0x48, 0x89, 0xe5, 0xbf, SIZE & 255, SIZE >> 8, 0, 0,    0x48, 0xb8, 0,
	0,    0,    0,	  0,	0,    0,	  0,	     0xff, 0xd0, 0x5d, 0xc3,
};

int main(void)
{
	void *callee = (void *)malloc;
	/* The same address each time, for it is the only name that this code has. */
	void *where = (void *)0x30000000;
	unsigned char *page = mmap(where, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (page != where)
		return 1;
	for (int i = 0; i < LEVELS; i++) {
		unsigned char *at = page + i * STEP;

		memcpy(at, code, sizeof code);
		memcpy(at + 11, &callee, sizeof callee);
		callee = at;
	}
	for (int i = 0; i < 5; i++) {
		void *(*outermost)(void);

		memcpy(&outermost, &callee, sizeof callee);
		outermost();
	}
	return 0;
}
