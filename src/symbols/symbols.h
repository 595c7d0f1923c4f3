/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SYMBOLS_H
#define MPROF_SYMBOLS_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names for addresses and types for sizes, from the ELF and DWARF data of files. Knows files and
 * offsets, no processes. Every file is untrusted input.
 *
 * A module's addresses here are relative to its load bias, that is, as in its ELF headers and
 * symbol tables (st_value, DW_AT_low_pc).
 */
struct symbols;

/* What other processes do for one that may neither write files nor use the network. */
struct symbols_outside {
	/* The module with this number is read from now on. */
	void (*reading)(uint32_t module);
	/* Memory was too short for a part of a file, which would just be missing otherwise. */
	void (*no_memory)(void);
	/* As debuginfod_fetch(). */
	int (*fetch)(const char *build_id, const char *module, char path[PATH_MAX]);
	/* Put an entry into the user's cache, see cache_keep(). */
	void (*keep)(const char *build_id, const char *bytes, size_t n);
	/* Show the user a sentence about what is left out. */
	void (*say)(const char *text);
};

/*
 * Where to look for debug files, besides the usual places. A zeroed struct: nowhere else, and
 * nothing is fetched over a network.
 */
struct symbols_search {
	/* Directories in the order in which they are searched, before /usr/lib/debug: each may be
	 * laid out like that one, or just contain the files. Ends with a NULL; NULL: none. */
	const char *const *debug_dirs;
	/* Ask the servers in DEBUGINFOD_URLS, if that is set, for what is found nowhere else. */
	bool fetch;
	/* Keep what was found out about large files in the user's cache. */
	bool cache;
	/* Called when a file is being fetched, and from time to time meanwhile; may be NULL.
	 * @text is a sentence, harmless for a terminal. */
	void (*progress)(const char *text);
	/* NULL: this process does it itself. */
	const struct symbols_outside *outside;
};

/* NULL: out of memory. */
struct symbols *symbols_new(void);

/* To be called before the first look-up. What @how points to must outlive the struct symbols. */
void symbols_set_search(struct symbols *s, const struct symbols_search *how);
void symbols_free(struct symbols *s);

/**
 * Register a file.
 * @path  the name the program had for it, for messages and to look for separate debug files
 * @fd    an open descriptor of the ELF file itself, which stays the caller's (it is duplicated);
 *        or -1: there is no file (vdso, JIT code, deleted), and nothing in it has a name
 * Returns the module's number (0, 1, ...) or -errno. Debug data is opened when it is needed.
 */
int symbols_add_module(struct symbols *s, const char *path, int fd);

/* Build ID as lower-case hexadecimal digits ("" if none); belongs to @s. */
const char *symbols_build_id(struct symbols *s, int module);

/* The source of the module's names, for people: "DWARF", "DWARF in /usr/lib/debug/...",
 * ".symtab", "MiniDebugInfo", ".dynsym", "none"; then, after a semicolon, what is wrong: a debug
 * file of another build, a file that does not exist any more. Belongs to @s, until the next
 * call. */
const char *symbols_source(struct symbols *s, int module);

/* A function at an address: the physical one, or one that was inlined there. */
struct sym_frame {
	const char *name;	/* for people: demangled; "libfoo.so+0x1230" if it has none */
	const char *linkage;	/* as in the symbol table; the same pointer as name if there is no
				   difference */
	/*
	 * Equal for two frames of a module if and only if they are of the same function. All copies
	 * of a source function that was inlined or cloned are one function, as are those that
	 * several units made of an inline function in a header.
	 */
	uint64_t function_key;
	uint64_t address;	/* the function's first instruction; that of its definition, or 0,
				   if only inlined */
	/*
	 * From the first instruction of the physical function to the pc; in a part that the
	 * compiler moved away from the rest (f.cold), from the first instruction of that part.
	 */
	uint64_t offset;
	const char *file;	/* NULL if not known */
	uint32_t line;		/* 0 if not known */
	bool inlined;		/* inlined into the frame before it */
};

/* All strings and the array belong to the struct symbols; the array is valid until the next
 * call. */
struct sym_frames {
	const struct sym_frame *frames;	/* outermost (the physical function) first; at least one */
	size_t n;
};

/**
 * The functions at @pc of @module, including inlined ones.
 * @is_return  the pc is a return address: function and line are those of the call before it
 *             (looked up at pc - 1), while offsets are still those of pc itself
 * Returns 0 or -ENOMEM. There is always at least one frame.
 *
 * The line of a frame is the one at which it is executing: for every frame but the innermost
 * that is the line of the call of the next one (DW_AT_call_line).
 */
int symbols_lookup(struct symbols *s, int module, uint64_t pc, bool is_return,
		   struct sym_frames *out);

struct sym_type {
	uint64_t size;		/* sizeof, bytes */
	const char *name;	/* belongs to the struct symbols */
};

/**
 * The structure, union and class types of a module's DWARF by size: if a type has names given to
 * it by typedef, directly or through another typedef, each of these names; otherwise its tag
 * (C++: with enclosing namespaces and classes, a::b::c). Types without any name are left out, as
 * are typedefs of other types; each name occurs once for a size. A typedef that is a member of a
 * class (vector<T>::value_type) counts only if the type has no other name.
 * @want, @ctx  called for each size that occurs; types of other sizes are left out
 * @types, @n   sorted by size, then strcmp; the array is the caller's to free(), the names are not
 * Returns 0 (also when there is no DWARF: then *n is 0) or -ENOMEM.
 */
int symbols_types(struct symbols *s, int module, bool (*want)(uint64_t size, void *ctx), void *ctx,
		  struct sym_type **types, size_t *n);

#endif
