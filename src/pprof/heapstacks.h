/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_HEAPSTACKS_H
#define MPROF_PPROF_HEAPSTACKS_H

#include "base/error.h"
#include "pprof/stacktable.h"

/*
 * A heap profile from any source in memory: stacks of locations in mappings, with functions if they
 * are known. Files are checked when they are read: all indices are valid.
 */
#define PP_NONE UINT32_MAX

struct pp_mapping {
	uint64_t start, limit, offset;	/* addresses, and the file offset of start */
	char *path;
	char *build_id;		/* lower-case hexadecimal digits; "" if not known */
};

struct pp_function {
	char *name;		/* for people */
	char *system_name;	/* as in the symbol table; may be the same */
	char *file;		/* "" if not known */
	int64_t start_line;	/* 0 if not known */
};

struct pp_line {
	uint32_t function;
	int64_t line;		/* 0 if not known */
};

/* @address is that of an instruction: within the call, not after it. */
struct pp_location {
	uint32_t mapping;	/* index of its mapping, or PP_NONE */
	uint64_t address;
	uint32_t first_line, n_lines; /* in lines[]: innermost first; n_lines 0: no names */
};

struct heap_stacks {
	struct pp_mapping *mappings;	/* the program's mapping comes first, if known */
	size_t n_mappings, cap_mappings;
	struct pp_function *functions;
	size_t n_functions, cap_functions;
	struct idindex function_index;
	struct pp_line *lines;
	size_t n_lines, cap_lines;
	struct pp_location *locations;
	size_t n_locations, cap_locations;
	struct idindex location_index;	/* by address and mapping: the first location there */
	struct idindex named_index;	/* by address and names: locations that were added with
					   names */
	struct stack_table stacks;	/* of numbers of locations */
	char *comment;			/* the command line; NULL: none */
	int64_t time_ns, duration_ns;	/* CLOCK_REALTIME; 0: not known */
};

void heap_stacks_release(struct heap_stacks *h);

/* Add a mapping; returns its number, PP_NONE: out of memory. The strings are copied. */
uint32_t heap_stacks_mapping(struct heap_stacks *h, const struct pp_mapping *m);

/* The mapping that contains an address, or PP_NONE. */
uint32_t heap_stacks_mapping_of(const struct heap_stacks *h, uint64_t address);

/* Find or add a function; returns its number, PP_NONE: out of memory. The strings are copied. */
uint32_t heap_stacks_function(struct heap_stacks *h, const struct pp_function *f);

/* Find the location at an address of a mapping, or add it with these names; PP_NONE: out of
 * memory. */
uint32_t heap_stacks_location(struct heap_stacks *h, uint32_t mapping, uint64_t address,
			      const struct pp_line *lines, size_t n);

/* The same, but locations with different names are different: the writer of the file may have known
 * more than the address tells, or no addresses at all. */
uint32_t heap_stacks_named_location(struct heap_stacks *h, uint32_t mapping, uint64_t address,
				    const struct pp_line *lines, size_t n);

/* Find or add the location that equals a location of another profile; PP_NONE: out of memory. In a
 * mapping they are equal if the addresses are, even if their names differ; without a mapping, if
 * the names are. */
uint32_t heap_stacks_same_location(struct heap_stacks *h, uint32_t mapping, uint64_t address,
				   const struct pp_line *lines, size_t n);

/* Give names to a location that has none. 0 or -ENOMEM. */
int heap_stacks_name(struct heap_stacks *h, uint32_t location, const struct pp_line *lines,
		     size_t n);

/**
 * Add @from's numbers, times @sign (1 or -1). Locations are equal if they are at the same place of
 * a file with the same build ID; in different builds of a file (modules_pair()), if their functions
 * are the same.
 * 0, or -errno with a sentence.
 */
int heap_stacks_add(struct heap_stacks *to, const struct heap_stacks *from, int sign,
		    struct error *e);

/* Set negative numbers to 0. */
void heap_stacks_drop_negative(struct heap_stacks *h);

/* Remove the frames of allocation functions from all stacks. 0 or -ENOMEM. */
int heap_stacks_trim(struct heap_stacks *h);

/* The sum of one number over all stacks. */
int64_t heap_stacks_total(const struct heap_stacks *h, enum heap_value v);

/* Which expressions have matched anything. */
struct heap_matches {
	bool focus, ignore, list;
};

/* Keep the stacks in which a function's or file's name matches @focus, and none matches @ignore
 * (POSIX extended regular expressions; NULL: all). *m: set for those that match. 0, or -errno with
 * a sentence. */
int heap_stacks_filter(struct heap_stacks *h, const char *focus, const char *ignore,
		       struct heap_matches *m, struct error *e);

#endif
