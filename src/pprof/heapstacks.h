/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PPROF_HEAPSTACKS_H
#define MPROF_PPROF_HEAPSTACKS_H

#include "base/error.h"
#include "pprof/stacktable.h"

/*
 * A heap profile of any maker in memory: stacks of locations, locations in mappings, with the
 * functions that are there if they are known. What files hold is checked when they are read: all
 * indices in here are valid.
 */
#define PP_NONE UINT32_MAX

struct pp_mapping {
	uint64_t start, limit, offset;	/* addresses, and where start is in the file */
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

/* @address is that of an instruction: in the call, not behind it. */
struct pp_location {
	uint32_t mapping;	/* or PP_NONE */
	uint64_t address;
	uint32_t first_line, n_lines; /* in lines[]: innermost first; none: it has no names */
};

struct heap_stacks {
	struct pp_mapping *mappings;	/* that of the program itself first, if known */
	size_t n_mappings, cap_mappings;
	struct pp_function *functions;
	size_t n_functions, cap_functions;
	struct idindex function_index;
	struct pp_line *lines;
	size_t n_lines, cap_lines;
	struct pp_location *locations;
	size_t n_locations, cap_locations;
	struct idindex location_index;	/* by place: the first location that is there */
	struct idindex named_index;	/* by place and names: those that had names from the
					   beginning */
	struct stack_table stacks;	/* of numbers of locations */
	char *comment;			/* the command line; NULL: none */
	int64_t time_ns, duration_ns;	/* CLOCK_REALTIME; 0: not known */
};

void heap_stacks_release(struct heap_stacks *h);

/* A new mapping's number, PP_NONE: out of memory. The strings are copied. */
uint32_t heap_stacks_mapping(struct heap_stacks *h, const struct pp_mapping *m);

/* The mapping that has an address, or PP_NONE. */
uint32_t heap_stacks_mapping_of(const struct heap_stacks *h, uint64_t address);

/* The number of a function, made if need be; PP_NONE: out of memory. The strings are copied. */
uint32_t heap_stacks_function(struct heap_stacks *h, const struct pp_function *f);

/* The number of the location at an address of a mapping, with these names if it is new; PP_NONE:
 * out of memory. */
uint32_t heap_stacks_location(struct heap_stacks *h, uint32_t mapping, uint64_t address,
			      const struct pp_line *lines, size_t n);

/* The same, but two that have different names are different locations: whoever wrote the file may
 * know more than an address does, or no addresses at all. */
uint32_t heap_stacks_named_location(struct heap_stacks *h, uint32_t mapping, uint64_t address,
				    const struct pp_line *lines, size_t n);

/* That location which another profile's location is, made if need be; PP_NONE: out of memory. In a
 * mapping the place decides, even if the names come from elsewhere; without one the names do. */
uint32_t heap_stacks_same_location(struct heap_stacks *h, uint32_t mapping, uint64_t address,
				   const struct pp_line *lines, size_t n);

/* Give names to a location that has none. 0 or -ENOMEM. */
int heap_stacks_name(struct heap_stacks *h, uint32_t location, const struct pp_line *lines,
		     size_t n);

/**
 * Add @from's numbers, @sign (1 or -1) times. Locations are the same if they are in the same place
 * of a file with the same build ID; in different builds of a file (modules_pair()), if they are in
 * the same functions.
 * 0, or -errno with a sentence.
 */
int heap_stacks_add(struct heap_stacks *to, const struct heap_stacks *from, int sign,
		    struct error *e);

/* What is negative becomes 0. */
void heap_stacks_drop_negative(struct heap_stacks *h);

/* Take the frames of allocation functions out of all stacks. 0 or -ENOMEM. */
int heap_stacks_trim(struct heap_stacks *h);

/* The sum of one number over all stacks. */
int64_t heap_stacks_total(const struct heap_stacks *h, enum heap_value v);

/* Which expressions something has matched. */
struct heap_matches {
	bool focus, ignore, list;
};

/* Keep the stacks in which a function's or file's name matches @focus, and none matches @ignore
 * (POSIX extended regular expressions; NULL: all). What was matched is added to *m. 0, or -errno
 * with a sentence. */
int heap_stacks_filter(struct heap_stacks *h, const char *focus, const char *ignore,
		       struct heap_matches *m, struct error *e);

#endif
