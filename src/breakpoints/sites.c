/* SPDX-License-Identifier: BSD-2-Clause */
/* What the code before a return address tells about the call. */
#include "breakpoints/watch_internal.h"

#include "base/array.h"
#include "base/preadall.h"

#include <unistd.h>

static bool site_eq(const void *owner, uint32_t id, const void *key)
{
	return ((const struct watch *)owner)->sites[id].ret == *(const taddr *)key;
}

static uint64_t site_rehash(const void *owner, uint32_t id)
{
	return hash_mix(((const struct watch *)owner)->sites[id].ret);
}

/* Read the code from the file: the program is gone, but its last events are still to be judged. */
static bool read_file(const struct watch *w, taddr at, uint8_t *code, size_t len)
{
	const struct mapping *m = mappings_find(&w->maps, at);
	int fd = m ? w->shared->files.files[m->file].fd : -1;

	return fd >= 0 &&
	       pread_all(fd, code, len, (off_t)(at - m->start + m->file_offset)) == (ssize_t)len;
}

/* The program's own code, without our breakpoints. */
static bool read_code(struct watch *w, taddr at, uint8_t *code, size_t len)
{
	if (address_space_read(w->space, at, code, len) != (ssize_t)len &&
	    !read_file(w, at, code, len))
		return false;
	breakpoints_hide(&w->breakpoints, at, code, len);
	return true;
}

/* Did the module that defines this free call it directly? The call instruction tells: if the C
 * library frees for the program it calls free through its PLT, like other modules. */
bool watch_by_allocator(struct watch *w, taddr at, uint32_t file, taddr ret)
{
	uint8_t before[5];
	const struct mapping *m = mappings_find(&w->maps, ret - 1);
	if (!m || m->file != file)
		return false;
	if (watch_in_range(w, m, ret - 1, RANGE_HOUSEKEEPING))
		return true;
	const struct scan *s = scan_file(&w->shared->scans, &w->shared->files, m->file);
	return s && s->dynamic && m->file != w->program &&
	       read_code(w, ret - sizeof before, before, sizeof before) &&
	       arch_direct_call_target(before, ret) == at;
}

/* Does the call that returns to @ret reach only the function at @at? Directly, or by a stub of the
 * PLT, which always reaches the same function. */
static bool calls_only(struct watch *w, taddr ret, taddr at)
{
	uint8_t before[5], stub[ARCH_STUB_SIZE];
	uint64_t reaches;

	taddr target = read_code(w, ret - sizeof before, before, sizeof before) ?
			       arch_direct_call_target(before, ret) :
			       0;
	if (!target || target == at)
		return target;
	taddr ret_at = read_code(w, target, stub, sizeof stub) ? arch_stub_got_entry(stub, target)
							       : 0;
	return ret_at &&
	       address_space_read(w->space, ret_at, &reaches, sizeof reaches) == sizeof reaches &&
	       reaches == at;
}

/* What is known about a call site of the function at @at; remembered. NULL: out of memory. */
static const struct call_site *know_site(struct watch *w, taddr ret, taddr at)
{
	uint32_t id = idindex_find(&w->site_index, hash_mix(ret), site_eq, w, &ret);

	if (id != IDINDEX_NONE)
		return &w->sites[id];
	const struct mapping *m = mappings_find(&w->maps, ret - 1);
	struct call_site s = { .ret = ret,
			       .reaches = calls_only(w, ret, at) ? at : 0,
			       .file = m ? m->file : NO_FILE };

	s.described = s.reaches &&
		      watch_function(w, &(struct unwind_frame){ .pc = at, .exact = true }) == at;
	id = (uint32_t)w->n_sites;
	if (ARRAY_RESERVE(&w->sites, &w->cap_sites, w->n_sites) ||
	    idindex_add(&w->site_index, id, hash_mix(ret), site_rehash, w))
		return NULL;
	w->sites[w->n_sites++] = s;
	return &w->sites[id];
}

const struct call_site *watch_site_of(struct watch *w, taddr ret, taddr at)
{
	const struct call_site *s = know_site(w, ret, at);

	return s && s->reaches == at ? s : NULL;
}

enum free_site_kind watch_free_site(struct watch *w, taddr ret, const struct breakpoint *bp)
{
	const struct call_site *s = know_site(w, ret, bp->at);

	if (!s)
		return SITE_ANY;
	if (s->reaches == bp->at)
		return SITE_FREES;
	bool known = s->file != NO_FILE && bp->file != NO_FILE;
	/* The program's own free may do anything. */
	return known && s->file != bp->file && bp->file != w->program ? SITE_WRAPPED : SITE_ANY;
}

/* Does the library call its own function? libtcmalloc requests a profile when the program ends. */
bool watch_by_library(struct watch *w, const struct breakpoint *bp, taddr ret)
{
	const struct mapping *m = mappings_find(&w->maps, ret - 1);

	return m && m->file == bp->file && m->file != w->program && watch_is_allocator(w, m->file);
}
