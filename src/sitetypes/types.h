/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SITETYPES_TYPES_H
#define MPROF_SITETYPES_TYPES_H

#include "base/addrtable.h"
#include "sitetypes/flow.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

/* The types of DWARF, by numbers, and questions about them. DWARF is untrusted: following its
 * references is bounded. */
struct types {
	struct known_type {
		Dwarf_Die die;
		bool of_object; /* of "this" */
	} *v;			/* by number - 1 */
	size_t n, cap;
	struct addrtable numbers; /* by a DIE's address */
};

void types_release(struct types *t);

/* The number of a type; 0: out of memory, or there are too many. */
flow_type types_number(struct types *t, const Dwarf_Die *type);

/* The type of a DIE: DW_AT_type, its own or that of its origin. 0: it has none. The type of "this",
 * which the compiler passes by itself, has a number of its own. */
flow_type types_of(struct types *t, Dwarf_Die *die);

/* May what a pointer of this type points to be the beginning of something larger? True for "this",
 * as members and base classes have constructors, and for references. */
bool types_may_be_of_part(struct types *t, flow_type type);

/* The type without typedefs and qualifiers. False: there is none. */
bool types_plain(Dwarf_Die *type, Dwarf_Die *plain);

/* What a pointer or reference points to, without typedefs; with them in @named. */
enum types_target { TARGET_NONE, TARGET_VOID, TARGET_CODE, TARGET_TYPE };
enum types_target types_target(struct types *t, flow_type pointer, Dwarf_Die *plain,
			       Dwarf_Die *named);

/* The types of the pointers that are members at @offset of a structure. Returns how many. */
unsigned types_members(struct types *t, Dwarf_Die *structure, int64_t offset,
		       flow_type out[FLOW_TYPES_MAX]);

/* The same for a type that may be a structure, a pointer itself, or an array of one of these. */
unsigned types_at(struct types *t, flow_type type, int64_t offset, flow_type out[FLOW_TYPES_MAX]);

/* sizeof; 0: not known. */
uint64_t types_size(Dwarf_Die *plain);

/* The same for any type, including arrays. */
uint64_t types_whole_size(struct types *t, flow_type type);

/* Is it a character or number of one byte? Blocks of these are called "bytes". */
bool types_are_bytes(Dwarf_Die *plain);

/* The name of what is pointed to, as people write it: "struct request", "a::Box", "char *",
 * "bytes". False: it has none. */
bool types_name(Dwarf_Die *plain, Dwarf_Die *named, char *out, size_t size);

/* May a block continue behind something of this type? In C always; in C++, where a larger block is
 * rather of a type that begins with this one, only if the type ends in an array. */
bool types_may_go_on(Dwarf_Die *plain);

/* Does a structure end with an array of any length: [], [0] or, as in old code, [1]? The last one
 * not in a structure inside of it. */
bool types_ends_open(Dwarf_Die *plain);

/* Does @whole begin with a @part, as a base class or first member? */
bool types_begins_with(Dwarf_Die *whole, Dwarf_Die *part);

#endif
