/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DIE_H
#define MPROF_DIE_H

#include <elfutils/libdw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Deepest nesting of DIEs, and longest chain of references that is followed: real ones are far
 * shorter. */
#define DIE_DEPTH_MAX 64
#define DIE_HOPS_MAX  16

/*
 * A walk over a unit in the order of its bytes. DW_AT_sibling is untrusted, but a walk that only
 * goes forward ends.
 */
struct die_walk {
	const void *last;	/* the DIE that was visited last */
};

/* The first child of @parent; false: none. */
bool die_child(struct die_walk *w, Dwarf_Die *parent, Dwarf_Die *child);

/* Go on to the sibling of @die, in place; false: none. */
bool die_sibling(struct die_walk *w, Dwarf_Die *die);

/* The DIE that attribute @attr of @die itself refers to; false: none. */
bool die_ref(Dwarf_Die *die, unsigned attr, Dwarf_Die *to);

/* The value of a numeric attribute of @die itself; false: none. */
bool die_number(Dwarf_Die *die, unsigned attr, uint64_t *value);

/* Is the flag @attr of @die set, or that of its origin? */
bool die_flag(Dwarf_Die *die, unsigned attr);

/* The source function of @die: the end of its chain of DW_AT_abstract_origin, or @die itself. */
void die_origin(Dwarf_Die *die, Dwarf_Die *origin);

/* Its name in the symbol table, or that of its origin or declaration; NULL if it has none. */
const char *die_linkage(Dwarf_Die *die);

/* The file where @die is declared, and the line; NULL and 0 if not known. */
const char *die_decl(Dwarf_Die *die, uint32_t *line);

/* Name @number of the file table of the unit that @die is in; NULL if there is none. */
const char *die_file(Dwarf_Die *die, uint64_t number);

/* The full path of a file named in the unit of @die, "." and ".." not resolved; false: too
 * long. */
bool die_whole_path(Dwarf_Die *die, const char *file, char out[PATH_MAX]);

/**
 * The way from its unit to a DIE: @path[0] is @die, then its parent and so on, without the unit.
 * Returns the length, 0 if it is longer than @max or the unit is broken.
 */
size_t die_path(Dwarf_Die *die, Dwarf_Die *path, size_t max);

/* What @die is in; false: directly in its unit. */
bool die_scope(Dwarf_Die *die, Dwarf_Die *scope);

/* Is it a structure, a class or a union? */
bool die_is_structure(int tag);

/* Do names declared in a DIE of this kind have its name as a scope (a namespace, a class)? */
bool die_is_scope(int tag);

/* Is it a function, or part of one? What is declared in it is not visible outside. */
bool die_is_code(int tag);

/**
 * Append the name of @scope and "::" to a name.
 * @out, @size  where the name goes; @len bytes of it are there already
 * Returns the new length; @size if it did not fit.
 */
size_t die_append_scope(Dwarf_Die *scope, char *out, size_t size, size_t len);

/**
 * The name of @die, or of what it completes, with its namespaces and classes: a::b::c.
 * Returns false if it has no name, or one that does not fit.
 */
bool die_scoped_name(Dwarf_Die *die, char *out, size_t size);

/**
 * The same for a function, with enclosing functions: "main::{lambda#2}::operator()", where the
 * lambdas of a function are counted in the order of the source. For compilers that write no linkage
 * names for what is local to a function.
 */
bool die_function_name(Dwarf_Die *die, char *out, size_t size);

/* Is the unit in C, where names are neither mangled nor have scopes? */
bool die_unit_is_c(Dwarf_Die *unit);

#endif
