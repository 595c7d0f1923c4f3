/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SITETYPES_TYPES_H
#define MPROF_SITETYPES_TYPES_H

#include "base/addrtable.h"
#include "sitetypes/flow.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

/* The types of DWARF, by numbers, and what can be asked of them. DWARF is untrusted: every way
 * along its references is bounded. */
struct types {
	struct known_type {
		Dwarf_Die die;
		bool of_object; /* that of "this" */
	} *v;			/* by number - 1 */
	size_t n, cap;
	struct addrtable numbers; /* by a DIE's address */
};

void types_release(struct types *t);

/* Its number; 0: out of memory, or there are too many. */
flow_type types_number(struct types *t, const Dwarf_Die *type);

/* The type of a DIE: DW_AT_type, its own or by way of its origin. 0: it has none. That of what the
 * compiler passes by itself, "this", has a number of its own. */
flow_type types_of(struct types *t, Dwarf_Die *die);

/* Is it of what may be a part of something, at its beginning: of "this", as members and base
 * classes have one, or a reference? */
bool types_may_be_of_part(struct types *t, flow_type type);

/* What a type is when names given to it and qualifiers are taken off. False: it is nothing. */
bool types_plain(Dwarf_Die *type, Dwarf_Die *plain);

/* What a pointer or reference points at, plain; its own name in @named. */
enum types_target { TARGET_NONE, TARGET_VOID, TARGET_CODE, TARGET_TYPE };
enum types_target types_target(struct types *t, flow_type pointer, Dwarf_Die *plain,
			       Dwarf_Die *named);

/* The pointers that are members at @offset of a structure: their types. */
unsigned types_members(struct types *t, Dwarf_Die *structure, int64_t offset,
		       flow_type out[FLOW_TYPES_MAX]);

/* The same of what may be a structure, or a pointer itself, or an array of one of these. */
unsigned types_at(struct types *t, flow_type type, int64_t offset, flow_type out[FLOW_TYPES_MAX]);

/* sizeof; 0: it is not known. */
uint64_t types_size(Dwarf_Die *plain);

/* The same of any type, also of an array. */
uint64_t types_whole_size(struct types *t, flow_type type);

/* Is it a character or a number of one byte, whole blocks of which are called "bytes"? */
bool types_are_bytes(Dwarf_Die *plain);

/* The name of what is pointed at, as people write it: "struct request", "a::Box", "char *",
 * "bytes". False: it has none. */
bool types_name(Dwarf_Die *plain, Dwarf_Die *named, char *out, size_t size);

/* May something of this type have more behind it, asked for with it? In C whatever likes to;
 * in C++, where a larger block rather is of what begins with it, what ends with an array. */
bool types_may_go_on(Dwarf_Die *plain);

/* Does @whole begin with a @part, as a base class or first member? */
bool types_begins_with(Dwarf_Die *whole, Dwarf_Die *part);

#endif
