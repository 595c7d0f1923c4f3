/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TESTS_MADE_ELF_H
#define MPROF_TESTS_MADE_ELF_H

#include "unit/unit.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

enum { NAMES = 1, FIRST, SECTIONS_MAX = 8, CONTENT = 1 << 20 };

/* A library that has only the names of its sections, and what a test adds. Sections are holes: they
 * take no space on disk. */
struct made {
	Elf64_Ehdr h;
	Elf64_Phdr ph;
	Elf64_Shdr sh[SECTIONS_MAX];
	char names[256];
	uint64_t end;
	FILE *f;
};

static inline void make(struct made *m)
{
	*m = (struct made){
		.h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				    EV_CURRENT },
		       .e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		       .e_ehsize = sizeof m->h, .e_phentsize = sizeof m->ph,
		       .e_phoff = offsetof(struct made, ph), .e_phnum = 1,
		       .e_shentsize = sizeof *m->sh, .e_shoff = offsetof(struct made, sh),
		       .e_shnum = FIRST, .e_shstrndx = NAMES },
		.end = CONTENT,
		.f = tmpfile(),
	};
	assert_non_null(m->f);
	m->sh[NAMES] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_size = sizeof m->names,
				     .sh_offset = offsetof(struct made, names) };
}

/* The number of a section that is a hole of @size bytes. */
static inline size_t add(struct made *m, uint32_t type, const char *name, uint64_t size)
{
	size_t n = m->h.e_shnum++;
	uint32_t at = (uint32_t)n * 16;

	assert_true(n < SECTIONS_MAX);
	strcpy(m->names + at, name);
	m->sh[n] = (Elf64_Shdr){ .sh_type = type, .sh_name = at, .sh_offset = m->end,
				 .sh_size = size, .sh_addralign = 1 };
	m->end += size;
	return n;
}

static inline int finish(struct made *m)
{
	assert_int_equal(fwrite(m, sizeof *m, 1, m->f), 1);
	assert_int_equal(fflush(m->f), 0);
	assert_int_equal(ftruncate(fileno(m->f), (off_t)m->end), 0);
	return fileno(m->f);
}

/* What this process has had of memory at most. */
static inline long peak_kib(void)
{
	struct rusage u;

	assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
	return u.ru_maxrss;
}

#endif
