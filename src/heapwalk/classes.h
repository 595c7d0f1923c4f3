/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HEAPWALK_CLASSES_H
#define MPROF_HEAPWALK_CLASSES_H

#include "heapwalk/walk.h"
#include "still/still.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The dynamic classes of C++ objects on the heap: an object with virtual functions begins with the
 * address of its class's vtable, before which the compiler has put the class's type information
 * and its name (Itanium C++ ABI, 2.5.2 and 2.9.5). No symbol is needed. All of it is the program's
 * memory, which may say anything: what does not agree in every part is no class.
 */

/* What is needed besides the still, which has only what the program can write to. */
struct heap_class_source {
	/* Read memory that the program cannot write to: how many bytes there were. */
	size_t (*read)(void *ctx, taddr at, void *to, size_t size);
	/* Is this the name of a type, as a compiler writes it? */
	bool (*is_type)(void *ctx, const char *mangled);
	void *ctx;
};

enum heap_class_form {
	HEAP_CLASS_OBJECT, /* the block begins with it */
	HEAP_CLASS_ARRAY,  /* as many as the word before the first of them says */
	HEAP_CLASS_BEHIND, /* the block's second word begins it: an array of one, or a member */
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
	/* Blocks whose first word would lead to a class if all that it leads to could be read. */
	uint64_t unread;
	bool too_many;	 /* the names of all take too much memory: those of the rest are left out */
};

void heap_classes_release(struct heap_classes *c);

/* The classes of all live blocks, by their vtables, in no order. 0 or -ENOMEM. */
int heap_classes_find(struct heap_classes *c, const struct heap_walk *w, const struct still *s,
		      const struct heap_class_source *from);

#endif
