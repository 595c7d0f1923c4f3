/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_TESTS_FUZZ_ELF_MUTATOR_H
#define MPROF_TESTS_FUZZ_ELF_MUTATOR_H

/*
 * A mutator that knows how ELF files are laid out: what is changed stays where headers say that it
 * is, and most changes are to what the target reads. Who includes this defines before how the names
 * of sections begin that are read: ELF_SECTIONS.
 */
#include "fuzz.h"

#include <elf.h>
#include <stdbool.h>

enum { ELF_PARTS = 64, ELF_WINDOW = 48 };

struct elf_part {
	size_t at, n;
};

struct elf_parts {
	struct elf_part v[ELF_PARTS];
	size_t n, size; /* size: of the file */
};

/* As much of it as the file has. */
static void elf_add_part(struct elf_parts *p, uint64_t at, uint64_t n)
{
	if (at >= p->size || !n || p->n == ELF_PARTS)
		return;
	p->v[p->n++] =
		(struct elf_part){(size_t)at, n < p->size - at ? (size_t)n : p->size - (size_t)at};
}

static bool elf_is_read(const char *name)
{
	static const char *const begin[] = {ELF_SECTIONS};

	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		if (!strncmp(name, begin[i], strlen(begin[i])))
			return true;
	return false;
}

static bool elf_get(const uint8_t *data, size_t size, uint64_t at, void *to, size_t n)
{
	if (at > size || size - at < n)
		return false;
	memcpy(to, data + at, n);
	return true;
}

static void elf_add_sections(struct elf_parts *p, const uint8_t *data, const Elf64_Ehdr *eh)
{
	const uint64_t step = sizeof(Elf64_Shdr);
	Elf64_Shdr names, s;

	if (!elf_get(data, p->size, eh->e_shoff + eh->e_shstrndx * step, &names, sizeof names))
		return;
	for (unsigned i = 0; i < eh->e_shnum && p->n < ELF_PARTS; i++) {
		char name[16] = "";

		if (!elf_get(data, p->size, eh->e_shoff + i * step, &s, sizeof s) ||
		    s.sh_type == SHT_NOBITS ||
		    !elf_get(data, p->size, names.sh_offset + s.sh_name, name, sizeof name - 1) ||
		    !elf_is_read(name))
			continue;
		elf_add_part(p, s.sh_offset, s.sh_size);
		elf_add_part(p, eh->e_shoff + i * step, step);
	}
}

/* What may be changed; none: it is no such file. */
static void elf_list_parts(struct elf_parts *p, const uint8_t *data, size_t size)
{
	Elf64_Ehdr eh;

	*p = (struct elf_parts){.size = size};
	if (!elf_get(data, size, 0, &eh, sizeof eh) || memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64)
		return;
	elf_add_part(p, 0, sizeof eh);
	elf_add_part(p, eh.e_phoff, eh.e_phnum * sizeof(Elf64_Phdr));
	elf_add_sections(p, data, &eh);
}

static size_t elf_mutate(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct elf_parts parts;
	uint8_t window[ELF_WINDOW];

	elf_list_parts(&parts, data, size);
	if (!parts.n || seed % 16 == 0)
		return LLVMFuzzerMutate(data, size, max);
	seed /= 16;
	const struct elf_part *p = &parts.v[seed % parts.n];

	seed /= (unsigned)parts.n;
	/* lengths, versions and counts stand at the beginning */
	const size_t skip = seed % 4 ? seed / 4 % p->n : 0;
	const size_t n = p->n - skip < sizeof window ? p->n - skip : sizeof window;

	memcpy(window, data + p->at + skip, n);
	memcpy(data + p->at + skip, window, LLVMFuzzerMutate(window, n, n));
	return size;
}

/* libFuzzer calls it; what it takes and gives is in LLVM's documentation of libFuzzer. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* A target with more than the file in its data does it itself, for the file by elf_mutate(). */
#ifndef ELF_IS_NOT_ALL
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	return elf_mutate(data, size, max, seed);
}
#endif

#endif
