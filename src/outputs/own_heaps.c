/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/own_heaps.h"

#include "symbols/ownheap.h"

void tell_own_heaps(say_fn *say, const struct module_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		struct ownheap h = ownheap_of(files->files[i].fd);

		if (h.language)
			say_to(say,
			       "%s has a heap of its own for the objects of %s, which is not "
			       "watched: only what it asks of malloc is",
			       files->files[i].path, h.language);
	}
}
