/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sitetypes FILE		for each line "ADDRESS SIZE" of standard input, a return address in
 *				hexadecimal digits and how much was asked for (0: not known), the
 *				address and the types that are told there, separated by tabulators
 */
#include "sitetypes/choose.h"
#include "symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

static int tell(struct evidence *x, int module, uint64_t address, uint64_t size)
{
	struct site_evidence e;
	int err = evidence_at(x, module, address, &e);

	if (err)
		return err;
	struct site_choice c = site_choose(&e, &size, size != 0);
	printf("%" PRIx64, address);
	for (unsigned i = 0; i < e.n; i++)
		if (c.set >> i & 1)
			printf("\t%s", e.v[i].name);
	printf("\n");
	site_evidence_release(&e);
	return 0;
}

int main(int argc, char **argv)
{
	struct symbols *s = symbols_new();
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	int module = s && fd >= 0 ? symbols_add_module(s, argv[1], fd) : -EINVAL;
	struct evidence *x = module >= 0 ? evidence_new(s) : NULL;
	uint64_t address, size;
	int err = x ? 0 : -EINVAL;

	while (!err && scanf("%" SCNx64 " %" SCNu64, &address, &size) == 2)
		err = tell(x, module, address, size);
	evidence_free(x);
	symbols_free(s);
	return err != 0;
}
