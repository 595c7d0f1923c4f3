/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_START_CODE_H
#define MPROF_NAMING_START_CODE_H

#include "naming/resolve.h"
#include "symbols/symbols.h"

/*
 * The code that calls main or starts a thread is not part of a chain. It is recognized by its name
 * and its depth in the chain; in a C library without symbol table, where it has no name, by its
 * depth alone.
 */
enum start_code {
	NOT_START_CODE,
	START_ENTRY,	/* _start: outermost */
	START_THREAD,	/* clone, clone3: outermost */
	START_MAIN,	/* __libc_start_main, start_thread: called by one of those */
	START_CALL_MAIN, /* __libc_start_call_main: called by that */
	START_MUSL,	/* any function of a musl without local symbols: outermost */
	START_NAMELESS,	/* any function of the C library without a name */
};

struct start_names {
	uint64_t entry;		/* of the program: e_entry; 0 if not known */
	uint32_t c_library;	/* module number, PD_NONE: not mapped */
	bool musl;		/* that is musl */
};

/* @program: number of the module that is the program, whose ELF header is read; or PD_NONE. */
void start_names_init(struct start_names *s, const struct resolve_module *modules, size_t n,
		      uint32_t program);

/* The kind of start code that the physical function at a place may be. */
enum start_code start_code_of(const struct start_names *s, uint32_t module, bool is_program,
			      const struct sym_frame *f);

/* Is start code of this kind expected at @depth (0: outermost) of a chain that has been start code
 * so far? @whole: the chain was followed to its end. */
bool start_code_at(enum start_code kind, unsigned depth, bool whole);

#endif
