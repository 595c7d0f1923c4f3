/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/start_code.h"

#include "base/preadall.h"
#include "base/text.h"
#include "profile/pd_names.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#define ENTRY_CODE_SIZE 128 /* as the unwinder has it */

static bool is_musl(const char *path)
{
	const char *base = path_last(path);

	return !strcmp(base, "libc.so") || text_begins(base, "ld-musl-");
}

static bool is_c_library(const char *path)
{
	const char *base = path_last(path);

	return text_begins(base, "libc.so.") || text_begins(base, "libc-2.") || is_musl(path);
}

void start_names_init(struct start_names *s, const struct resolve_module *modules, size_t n,
		      uint32_t program)
{
	Elf64_Ehdr eh;

	*s = (struct start_names){ .c_library = PD_NONE };
	for (size_t i = 0; i < n; i++)
		if (is_c_library(modules[i].path))
			s->c_library = (uint32_t)i;
	s->musl = s->c_library != PD_NONE && is_musl(modules[s->c_library].path);
	if (program < n && modules[program].fd >= 0 &&
	    pread_all(modules[program].fd, &eh, sizeof eh, 0) == sizeof eh)
		s->entry = eh.e_entry;
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

static enum start_code by_name(const char *name)
{
	static const char *const threads[] = { "clone", "__clone", "clone3", "__clone3", NULL };
	static const char *const callers[] = { "__libc_start_main", "__libc_start_main_impl",
					       "__libc_start_main_alias_2",
					       "__libc_start_main_alias_1", "generic_start_main",
					       "_start_c", "start_thread", "start", NULL };
	static const char *const main_callers[] = { "__libc_start_call_main",
						    "libc_start_main_stage2",
						    NULL };

	if (!strcmp(name, "_start"))
		return START_ENTRY;
	if (is_one_of(name, threads))
		return START_THREAD;
	if (is_one_of(name, callers))
		return START_MAIN;
	return is_one_of(name, main_callers) ? START_CALL_MAIN : NOT_START_CODE;
}

enum start_code start_code_of(const struct start_names *s, uint32_t module, bool is_program,
			      const struct sym_frame *f)
{
	bool in_library = module == s->c_library;

	/* Without a name and size, f->address is just some place in _start. */
	if (is_program && s->entry &&
	    (f->address == s->entry ||
	     (names_is_nameless(f->name) && f->address - s->entry < ENTRY_CODE_SIZE)))
		return START_ENTRY;
	if (in_library && names_is_nameless(f->name))
		return START_NAMELESS;
	/* A static program contains the C library's code. */
	enum start_code named = NOT_START_CODE;

	if (in_library || (is_program && s->c_library == PD_NONE))
		named = by_name(f->linkage ? f->linkage : f->name);
	/* Assembly functions of musl have no size, so an address in one may have another name. */
	return named == NOT_START_CODE && in_library && s->musl ? START_MUSL : named;
}

bool start_code_at(enum start_code kind, unsigned depth, bool whole)
{
	switch (kind) {
	case START_MUSL:
		return depth == 0 && whole;
	case START_ENTRY:
	case START_THREAD:
		return depth == 0;
	case START_MAIN:
		return depth == 1;
	case START_CALL_MAIN: /* in musl, the function called by _start jumps there */
		return depth == 1 || depth == 2;
	case START_NAMELESS:
		return depth <= 2;
	case NOT_START_CODE:
		break;
	}
	return false;
}
