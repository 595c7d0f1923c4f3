/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/own_heaps.h"

#include "base/text.h"
#include "proc/file.h"

#include <stdlib.h>

#define PYTHON_VARIABLE "PYTHONMALLOC"

/* With PYTHONMALLOC "malloc" and "malloc_debug" python does not use pymalloc. */
bool own_heaps_python_is_off(pid_t pid)
{
	static const char off[] = PYTHON_VARIABLE "=malloc";
	const char *ours = getenv(PYTHON_VARIABLE);
	size_t len = 0;
	bool found = false;

	if (!pid)
		return ours && text_begins(ours, "malloc");
	char *all = proc_read(pid, "environ", &len);
	for (size_t at = 0; all && at < len; at += strlen(all + at) + 1)
		found |= text_begins(all + at, off);
	free(all);
	return found;
}

void own_heaps_each(const struct module_files *files, const struct ownheap *heaps,
		    bool python_is_off,
		    void (*each)(void *ctx, const struct advice *a), void *ctx)
{
	for (size_t i = 0; i < files->n; i++) {
		const struct ownheap *h = &heaps[i];
		struct advice a = { 0 };

		if (h->language) {
			error_set(&a.why, 0,
				  "%s has a heap of its own for the objects of %s, which is not "
				  "watched: only what it asks of malloc is",
				  files->files[i].path,
				  ownheap_language_name(h->language));
			each(ctx, &a);
		}
		if (h->python && !python_is_off) {
			error_set(&a.why, 0,
				  "%s has an allocator of its own for what has up to 512 bytes, "
				  "which is not watched", files->files[i].path);
			error_set(&a.remedy, 0,
				  "started with " PYTHON_VARIABLE "=malloc it asks malloc; mprof "
				  "rss has its arenas among the anonymous mappings");
			each(ctx, &a);
		}
	}
}

static void tell(void *ctx, const struct advice *a)
{
	say_fn *const *say = ctx;
	struct error e;

	advice_sentence(a, &e);
	(*say)(e.text);
}

void tell_own_heaps(say_fn *say, const struct module_files *files, bool python_is_off)
{
	struct ownheap *heaps = calloc(files->n + 1, sizeof *heaps);

	/* say_elsewhere: what was left out was said when names were looked up. */
	if (heaps && !ownheaps_read(files, heaps, say_elsewhere))
		own_heaps_each(files, heaps, python_is_off, tell, &say);
	free(heaps);
}
