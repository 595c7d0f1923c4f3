/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_NAMING_TOLD_H
#define MPROF_NAMING_TOLD_H

#include "profile/profile.h"
#include "symbols/strpool.h"
#include "symbols/symbols.h"

/*
 * The answers that a namer which reads no files has got: the functions at places. A zeroed struct
 * is empty.
 */
struct told_names {
	struct told_place {
		struct profile_place place;
		uint32_t first, n;	/* of frames[]; n 0: forgotten */
	} *places;
	size_t n, cap;
	struct idindex index;		/* of places */
	struct sym_frame *frames;	/* their strings are in the pool */
	size_t n_frames, cap_frames;
	struct told_function {
		const char *name, *linkage;
		uint64_t address;
		uint32_t module;
	} *functions;			/* function_key of a frame is a number here */
	size_t n_functions, cap_functions;
	struct idindex by_function;
	struct told_file {
		const char *build_id, *names;
		bool left_out;		/* it ended the process, and is not read again */
	} *files;			/* by module */
	size_t n_files, cap_files;
	struct strpool strings;
};

void told_release(struct told_names *t);

/* Copies the frames @f, outermost first. Their keys are replaced: equal for functions with the same
 * names at the same address of a module. 0 or -ENOMEM. */
int told_add(struct told_names *t, const struct profile_place *place, const struct sym_frame *f,
	     size_t n);

/* Forget places that are in no module. */
void told_forget_outside(struct told_names *t);

/* False: the place is not known. @out: as from symbols_lookup(). */
bool told_look(const struct told_names *t, const struct profile_place *place,
	       struct sym_frames *out);

/* The build ID of module @module, and the source of its names; "": not known yet, keeps the old
 * one. 0 or -ENOMEM. */
int told_set_module(struct told_names *t, uint32_t module, const char *build_id, const char *names);
/* Module @module is not read again. 0 or -ENOMEM. */
int told_leave_out(struct told_names *t, uint32_t module);

/* What is known of a module; texts are never NULL. */
struct told_file told_module(const struct told_names *t, uint32_t module);

#endif
