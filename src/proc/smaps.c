/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/smaps.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "Rss:                  12 kB" */
static void take_line(struct smap *m, const char *line)
{
	static const struct {
		const char *key;
		size_t at;
	} keys[] = {
		{"Rss:", offsetof(struct smap, rss)},
		{"Pss:", offsetof(struct smap, pss)},
		{"Anonymous:", offsetof(struct smap, anonymous)},
		{"Swap:", offsetof(struct smap, swap)},
		{"Private_Hugetlb:", offsetof(struct smap, hugetlb)},
		{"Shared_Hugetlb:", offsetof(struct smap, hugetlb)},
	};
	uint64_t kib;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *rest = text_after(line, keys[i].key);

		if (rest && sscanf(rest, "%" SCNu64, &kib) == 1)
			*(uint64_t *)((char *)m + keys[i].at) += kib * 1024;
	}
}

int smaps_each_in(const char *text, smap_fn *fn, void *ctx)
{
	struct smap m = {0};
	char *copy = strdup(text), *head = NULL, *next = NULL;
	int err = copy ? 0 : -ENOMEM;

	for (char *line = copy; !err && line && *line; line = next) {
		struct proc_map map;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!proc_map_parse(line, &map)) {
			take_line(&m, line);
			continue;
		}
		err = head ? fn(&m, ctx) : 0;
		m = (struct smap){.map = map};
		head = line;
	}
	if (!err && head)
		err = fn(&m, ctx);
	free(copy);
	return err;
}
