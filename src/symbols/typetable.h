/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TYPETABLE_H
#define MPROF_TYPETABLE_H

#include "symbols/symbols.h"

/*
 * What a walk over DWARF has found out about structure types, and the list made of it. Knows no
 * DWARF; a type is identified by an address. All names belong to one string pool, so that equal
 * names are equal pointers.
 */

/* A type that has a tag. */
struct tag_rec {
	const void *id;
	const char *name;
	uint64_t size;
	uint32_t line;		/* of its declaration */
};

/* A typedef of a structure type. */
struct typedef_rec {
	const void *id;		/* of the structure type; NULL: it is incomplete here, just a tag */
	const char *tag;	/* that tag; otherwise NULL */
	const char *name;
	uint64_t size;		/* 0 if only its tag is known */
};

struct typetable {
	struct tag_rec *tags;
	size_t n_tags, cap_tags;
	struct typedef_rec *typedefs;
	size_t n_typedefs, cap_typedefs;
};

/* 0 or -ENOMEM. */
int typetable_add_tag(struct typetable *t, struct tag_rec rec);
int typetable_add_typedef(struct typetable *t, struct typedef_rec rec);
void typetable_release(struct typetable *t);

/* The list that symbols_types() returns. 0 or -ENOMEM. */
int typetable_list(struct typetable *t, struct sym_type **types, size_t *n);

#endif
