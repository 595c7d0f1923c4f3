/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/own_heaps.h"

#include "base/text.h"
#include "proc/file.h"
#include "symbols/ownheap.h"

#include <stdlib.h>

#define PYTHON_VARIABLE "PYTHONMALLOC"

/* "malloc" and "malloc_debug" do not use pymalloc. Of who has gone nobody knows. */
static bool switched_off(pid_t pid)
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

void tell_own_heaps(say_fn *say, const struct module_files *files, pid_t pid)
{
	for (size_t i = 0; i < files->n; i++) {
		struct ownheap h = ownheap_of(files->files[i].fd);

		if (h.language)
			say_to(say,
			       "%s has a heap of its own for the objects of %s, which is not "
			       "watched: only what it asks of malloc is",
			       files->files[i].path, h.language);
		if (h.python && !switched_off(pid))
			say_to(say,
			       "%s has an allocator of its own for what has up to 512 bytes, "
			       "which is not watched: started with " PYTHON_VARIABLE
			       "=malloc it asks malloc; mprof rss has its arenas among the "
			       "anonymous mappings", files->files[i].path);
	}
}
