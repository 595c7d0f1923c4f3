/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/allocfn.h"

#include "base/glob.h"

#include <stddef.h>

static const char *const known[] = {
	"malloc",
	"__builtin_new",
	"__builtin_vec_new",
	"calloc",
	"aligned_alloc",
	"realloc",
	"memalign",
	"posix_memalign",
	"valloc",
	"pvalloc",
	"reallocarray",
	"operator new(unsigned long)",
	"operator new[](unsigned long)",
	"operator new(unsigned long, std::nothrow_t const&)",
	"operator new[](unsigned long, std::nothrow_t const&)",
	"operator new(unsigned long, std::align_val_t)",
	"operator new[](unsigned long, std::align_val_t)",
	"operator new(unsigned long, std::align_val_t, std::nothrow_t const&)",
	"operator new[](unsigned long, std::align_val_t, std::nothrow_t const&)",
	NULL,
};

bool is_in_names(const char *name, name_list list)
{
	for (size_t i = 0; list && list[i]; i++)
		if (glob_matches(list[i], name))
			return true;
	return false;
}

bool is_allocation_function(const char *name, name_list more)
{
	return is_in_names(name, known) || is_in_names(name, more);
}
