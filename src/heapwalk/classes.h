/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_CLASSES_H
#define MPROF_HEAPWALK_CLASSES_H

#include "heapwalk/walk.h"
#include "still/still.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The dynamic classes of C++ objects on the heap: an object with virtual functions begins with the
 * address of its class's vtable, in front of which is the address of the class's type information,
 * with its name (Itanium C++ ABI, 2.5.2 and 2.9.5). No symbol is needed. All of this is the
 * program's memory, which may contain anything: if any part is inconsistent it is no class.
 */

/* What is needed besides the still, which has only writable memory. */
struct heap_class_source {
	/* Read read-only memory of the program's. Returns the number of bytes. */
	size_t (*read)(void *ctx, taddr at, void *to, size_t size);
	/* Is this the mangled name of a type? */
	bool (*is_type)(void *ctx, const char *mangled);
	void *ctx;
};

enum heap_class_form {
	HEAP_CLASS_OBJECT, /* the block begins with an object */
	HEAP_CLASS_ARRAY,  /* objects, as many as the word in front of the first one says */
	HEAP_CLASS_BEHIND, /* an object begins at the block's second word: an array of one, or a
			      member */
	N_HEAP_CLASS_FORMS
};

struct heap_class {
	taddr vtable;
	char *mangled; /* without the '*' of local types; NULL: it has no type information */
	struct heap_sum forms[N_HEAP_CLASS_FORMS];
};

struct heap_classes {
	struct heap_class *v;
	size_t n, cap;
	/* Blocks whose first word may be a class's, but not all memory could be read to decide
	 * it. */
	uint64_t unread;
	bool too_many;	 /* the names take too much memory: the rest are left out */
};

void heap_classes_release(struct heap_classes *c);

/* Find the classes of all live blocks, by their vtables, in no order. 0 or -ENOMEM. */
int heap_classes_find(struct heap_classes *c, const struct heap_walk *w, const struct still *s,
		      const struct heap_class_source *from);

#endif
