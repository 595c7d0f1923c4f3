/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_TRAPPED_H
#define MPROF_CLI_TRAPPED_H

#include "base/say.h"
#include "probes/rules.h"
#include "proc/modules.h"

#include <stdbool.h>

/*
 * What would be trapped in files, for who traces nothing: a confined process reads them
 * (naming/reading.h).
 */

/* A function, as choose_probes() tells it. */
struct trapped_function {
	uint64_t at, size;
	uint32_t file, probe;	/* their numbers */
	uint32_t indirect;	/* at is what tells where it is */
};

struct trapped_file {
	uint8_t room;		/* see scan_has_room() */
	uint8_t depends;	/* see scan_depends() */
};

struct trapped {
	struct trapped_function *v; /* by file, in the order in which they are chosen */
	size_t n;
	struct trapped_file *files; /* one for each */
	bool unread;		/* not all of them could be read, which has been said */
};

/**
 * Read them all, and note in the rules what has been found.
 * @program  the number of the program's own file
 * @say      told of files that are left out
 * Returns 0 or -ENOMEM; to be released either way.
 */
int trapped_read(struct trapped *t, const struct module_files *files, uint32_t program,
		 struct rules *rules, say_fn *say);
void trapped_release(struct trapped *t);

#endif
