/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/unfinished.h"

#include "base/text.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { AT_A_TIME = 16 };

static struct note {
	_Atomic pid_t pid; /* 0: free */
	char path[PATH_MAX];
} *notes;

static struct note *note_of(pid_t pid)
{
	for (size_t i = 0; notes && i < AT_A_TIME; i++)
		if (atomic_load(&notes[i].pid) == pid)
			return &notes[i];
	return NULL;
}

/* Other processes may be looking for a free one at the same time. */
static struct note *take(pid_t pid)
{
	for (size_t i = 0; notes && i < AT_A_TIME; i++) {
		pid_t nobody = 0;

		if (atomic_compare_exchange_strong(&notes[i].pid, &nobody, pid))
			return &notes[i];
	}
	return NULL;
}

void unfinished_share(void)
{
	void *memory = mmap(NULL, AT_A_TIME * sizeof *notes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	notes = memory == MAP_FAILED ? NULL : memory;
}

void unfinished_begin(const char *path, const char *name)
{
	struct note *n = note_of(getpid());

	n = n ? n : take(getpid());
	if (n && snprintf(n->path, sizeof n->path, "%.*s%s", (int)(path_last(path) - path), path,
			  name) >= (int)sizeof n->path)
		n->path[0] = '\0';
}

void unfinished_end(void)
{
	struct note *n = note_of(getpid());

	if (!n)
		return;
	n->path[0] = '\0';
	atomic_store(&n->pid, 0);
}

void unfinished_remove(pid_t pid)
{
	struct note *n = note_of(pid);

	if (!n)
		return;
	if (*n->path)
		unlink(n->path);
	n->path[0] = '\0';
	atomic_store(&n->pid, 0);
}
