/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/modulename.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

/* The length of a library's name without its version, including ".so"; 0: it has no ".so". */
static size_t unversioned(const char *name)
{
	const char *so = strstr(name, ".so");

	return so && so > name && (!so[3] || so[3] == '.') ? (size_t)(so + 3 - name) : 0;
}

enum module_likeness modules_compare(const struct module_name *a, const struct module_name *b)
{
	const char *x = path_last(a->path), *y = path_last(b->path);
	bool same_path = !strcmp(a->path, b->path);
	size_t n = unversioned(x);

	if (*a->build_id && *b->build_id ? !strcmp(a->build_id, b->build_id) : same_path)
		return MODULES_OF_BUILD;
	if (same_path)
		return MODULES_OF_PATH;
	if (!strcmp(x, y))
		return MODULES_OF_NAME;
	if (a->is_program && b->is_program)
		return MODULES_ARE_PROGRAMS;
	return n && n == unversioned(y) && !strncmp(x, y, n) ? MODULES_OF_VERSIONS : MODULES_DIFFER;
}

int modules_pair(const struct module_name *from, size_t n_from, const struct module_name *to,
		 size_t n_to, uint32_t *pair)
{
	enum module_likeness *best = calloc(n_from + n_to + 1, sizeof *best),
			     *best_to = best + n_from;

	if (!best)
		return -ENOMEM;
	for (size_t i = 0; i < n_from; i++) {
		pair[i] = MODULE_UNPAIRED;
		for (size_t j = 0; j < n_to; j++) {
			enum module_likeness l = modules_compare(&from[i], &to[j]);

			if (l > best_to[j])
				best_to[j] = l;
			if (l <= best[i])
				continue;
			best[i] = l;
			pair[i] = (uint32_t)j;
		}
	}
	for (size_t i = 0; i < n_from; i++)
		if (pair[i] != MODULE_UNPAIRED && best_to[pair[i]] > best[i])
			pair[i] = MODULE_UNPAIRED;
	free(best);
	return 0;
}
