/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_TRAPPED_H
#define MPROF_CLI_TRAPPED_H

#include "base/say.h"
#include "probes/rules.h"
#include "proc/modules.h"

#include <stdbool.h>

/*
 * What would be trapped in files, for commands that trace nothing: a confined process reads the
 * files (naming/reading.h).
 */

/* A function, as reported by choose_probes(). */
struct trapped_function {
	uint64_t at, size;
	uint32_t file, probe;	/* their numbers */
	uint32_t indirect;	/* @at is the address of a resolver */
};

struct trapped_file {
	uint8_t room;		/* see scan_has_room() */
	uint8_t depends;	/* see scan_depends() */
};

struct trapped {
	struct trapped_function *v; /* by file, in the order of choose_probes() */
	size_t n;
	struct trapped_file *files; /* one for each file */
	bool unread;		/* some could not be read, which has been said */
};

/**
 * Read all files, and note in the rules what has been found.
 * @program  number of the program's own file
 * @say      told of files that are left out
 * Returns 0 or -ENOMEM; must be released in any case.
 */
int trapped_read(struct trapped *t, const struct module_files *files, uint32_t program,
		 struct rules *rules, say_fn *say);
void trapped_release(struct trapped *t);

#endif
