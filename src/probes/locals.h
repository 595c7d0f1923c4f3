/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_LOCALS_H
#define MPROF_PROBES_LOCALS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Local functions of a static program that have the names of definitions. A function that a source
 * file keeps to itself may do anything, whatever its name; but linkers make hidden symbols local,
 * too, and with gcc -static-pie malloc is one of these.
 */
struct locals {
	struct local_function {
		GElf_Sym sym;
		uint32_t number;	/* of its definition */
		bool of_linker;		/* it was global before it was linked */
	} *v;
	size_t n, cap;
	bool *global;		/* by number: there is a global function of that name */
	size_t n_global;
	bool in_linkers;	/* the next local symbols are those that the linker has made so */
	bool has_linkers;	/* there are such symbols */
};

void locals_release(struct locals *l);

/* An STT_FILE symbol: the local symbols behind it are from that file. The linkers of binutils put
 * those that they have made local behind one without a @name (which may be NULL). */
void locals_file(struct locals *l, const char *name);

/* A local function; of more than @most the rest is left out. 0, -ENOMEM, or -ENOSPC. */
int locals_add(struct locals *l, const GElf_Sym *sym, uint32_t number, size_t most);

/* Note a global function; @n definitions there are. 0 or -ENOMEM. */
int locals_global(struct locals *l, uint32_t number, size_t n);

/* When all symbols are known: is function @i what its name says? Not if the file has a global one
 * of that name, or if it is known to be from a source file's own. */
bool locals_counts(const struct locals *l, size_t i);

#endif
