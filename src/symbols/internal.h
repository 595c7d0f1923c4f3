/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SYMBOLS_INTERNAL_H
#define MPROF_SYMBOLS_INTERNAL_H

#include "symbols/module.h"
#include "symbols/strpool.h"
#include "symbols/symbols.h"

/* Longest name of a function or type that is used. */
#define NAME_MAX_LEN 16384

/* A flag for the function_key of a function known by its source: the rest is a number in keys. */
#define KEY_SOURCE_FUNCTION (UINT64_C(1) << 63)

/* The result of a look-up. */
struct cached {
	uint64_t pc;
	uint32_t module;
	bool is_return;
	struct sym_frame *frames;
	size_t n;
};

struct symbols {
	struct module **modules;
	size_t n_modules, cap_modules;
	struct symbols_search search;
	struct strpool names;		/* every string that is returned */
	struct strpool keys;		/* source functions: the number is in the function_key */
	struct cached *cache;		/* look-ups, in the order in which they were made */
	size_t n_cached, cap_cached;
	struct idindex cache_index;
};

/* Put a look-up into the cache, which takes over @frames. 0 or -ENOMEM. */
int symbols_remember(struct symbols *s, uint32_t module, uint64_t pc, bool is_return,
		     struct sym_frame *frames, size_t n);

/**
 * The frames at an address, without the cache.
 * @frames  the caller's, to be freed with free()
 * Returns 0 or -ENOMEM.
 */
int frames_find(struct symbols *s, struct module *m, uint64_t pc, bool is_return,
		struct sym_frame **frames, size_t *n);

/**
 * Name a frame by the symbol table, by .eh_frame, or by its bare address.
 * Fills in name, linkage, function_key, address and offset. Returns 0 or -ENOMEM.
 */
int frames_name_by_elf(struct symbols *s, struct module *m, uint64_t pc, uint64_t at,
		       struct sym_frame *f);

/**
 * Set linkage and name of @f.
 * @plain  name to show if @linkage is not mangled; NULL: what demangle_stem() leaves of @linkage
 * Returns 0 or -ENOMEM.
 */
int frames_set_name(struct symbols *s, struct sym_frame *f, const char *linkage, const char *plain);

#endif
