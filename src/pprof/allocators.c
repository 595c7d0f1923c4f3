/* SPDX-License-Identifier: BSD-2-Clause */
#include "pprof/allocators.h"

#include "base/text.h"

#include <stddef.h>
#include <string.h>

static const char *const whole[] = {
	"calloc", "cfree", "malloc", "free", "memalign", "posix_memalign", "aligned_alloc",
	"pvalloc", "valloc", "realloc", "reallocarray", "do_malloc", "do_malloc_or_cpp_alloc",
	"DoSampledAllocation", "simple_alloc::allocate", "__malloc_alloc_template::allocate",
	"__builtin_delete", "__builtin_new", "__builtin_vec_delete", "__builtin_vec_new",
	"operator new", "operator new[]", "malloc_zone_malloc", "malloc_zone_calloc",
	"malloc_zone_valloc", "malloc_zone_realloc", "malloc_zone_memalign", "malloc_zone_free",
	"tc_calloc", "tc_cfree", "tc_malloc", "tc_free", "tc_memalign", "tc_posix_memalign",
	"tc_pvalloc", "tc_valloc", "tc_realloc", "tc_new", "tc_delete", "tc_newarray",
	"tc_deletearray", "tc_new_nothrow", "tc_newarray_nothrow", "tc_new_aligned",
	"tc_newarray_aligned", "tc_new_aligned_nothrow", "tc_newarray_aligned_nothrow",
	/* jemalloc's, as known to jeprof */
	"newImpl", "void* newImpl", "mallocx", "rallocx", "xallocx", "dallocx", "sdallocx",
};

bool heap_is_allocator(const char *name)
{
	const char *in_unnamed = text_after(name, "(anonymous namespace)::");

	if (in_unnamed)
		name = in_unnamed;
	size_t n = strcspn(name, "(");

	if (text_begins(name, "tcmalloc::") || strstr(name, "TCMalloc"))
		return true;
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (strlen(whole[i]) == n && !strncmp(whole[i], name, n))
			return true;
	return false;
}

bool heap_is_allocators_file(const char *path)
{
	return text_begins(path_last(path), "libjemalloc");
}
