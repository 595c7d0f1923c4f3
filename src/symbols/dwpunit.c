/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/dwpunit.h"

#include "base/array.h"
#include "base/writeall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OFFSETS_HEADER 8	/* bytes before the offsets of version 5 */

static const char *section_name(uint32_t version, uint32_t kind)
{
	static const char *const of_2[] = { NULL, ".debug_info.dwo", ".debug_types.dwo",
					    ".debug_abbrev.dwo",
					    ".debug_line.dwo", ".debug_loc.dwo",
					    ".debug_str_offsets.dwo", ".debug_macinfo.dwo",
					    ".debug_macro.dwo" };
	static const char *const of_5[] = { NULL, ".debug_info.dwo", NULL, ".debug_abbrev.dwo",
					    ".debug_line.dwo", ".debug_loclists.dwo",
					    ".debug_str_offsets.dwo", ".debug_macro.dwo",
					    ".debug_rnglists.dwo" };

	if (kind >= sizeof of_2 / sizeof *of_2)
		return NULL;
	return version == 5 ? of_5[kind] : of_2[kind];
}

Elf_Data *dwpunit_section(struct objfile *o, const char *name)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = objfile_section(o, name, &shdr);

	if (!scn || shdr.sh_type == SHT_NOBITS ||
	    ((shdr.sh_flags & SHF_COMPRESSED) && elf_compress(scn, 0, 0) < 0))
		return NULL;
	Elf_Data *data = elf_getdata(scn, NULL);

	return data && data->d_buf ? data : NULL;
}

static void add(struct dwpunit *u, const char *name, const uint8_t *bytes, size_t n)
{
	if (u->n < DWPUNIT_PARTS)
		u->parts[u->n++] = (struct dwpunit_section){ name, bytes, n };
}

void dwpunit_part(struct dwpunit *u, uint32_t kind, uint32_t offset, uint32_t size)
{
	const char *name = section_name(u->version, kind);
	Elf_Data *data = name && size ? dwpunit_section(u->file, name) : NULL;

	if (data && offset <= data->d_size && size <= data->d_size - offset)
		add(u, name, (const uint8_t *)data->d_buf + offset, size);
}

/* ---- strings ---- */

/* All units share one section of strings; the copy gets those that its unit has offsets of. */
struct strings {
	uint8_t *offsets;
	size_t n_offsets;
	char *text;
	size_t n, cap;
};

static int add_string(struct strings *s, const Elf_Data *all, uint32_t *offset)
{
	const char *from = *offset < all->d_size ? (const char *)all->d_buf + *offset : "";
	size_t len = *offset < all->d_size ? strnlen(from, all->d_size - *offset) : 0;

	while (!s->text || s->cap - s->n < len + 1)
		if (ARRAY_RESERVE(&s->text, &s->cap, s->cap))
			return -ENOMEM;
	*offset = (uint32_t)s->n;
	memcpy(s->text + s->n, from, len);
	s->text[s->n + len] = '\0';
	s->n += len + 1;
	/* Many offsets may share one string, but not so often in a real file. */
	return s->n <= all->d_size + len + 1 ? 0 : -EFBIG;
}

static int gather_strings(struct dwpunit *u, struct strings *s)
{
	Elf_Data *all = dwpunit_section(u->file, ".debug_str.dwo");
	struct dwpunit_section *part = NULL;

	for (unsigned i = 0; i < u->n; i++)
		if (!strcmp(u->parts[i].name, ".debug_str_offsets.dwo"))
			part = &u->parts[i];
	if (!all || !part)
		return 0;
	s->n_offsets = part->n;
	s->offsets = malloc(part->n + 1);
	if (!s->offsets)
		return -ENOMEM;
	memcpy(s->offsets, part->bytes, part->n);
	for (size_t at = u->version == 5 ? OFFSETS_HEADER : 0; at + 4 <= part->n; at += 4) {
		uint32_t offset;

		memcpy(&offset, s->offsets + at, sizeof offset);
		int err = add_string(s, all, &offset);
		if (err)
			return err;
		memcpy(s->offsets + at, &offset, sizeof offset);
	}
	part->bytes = s->offsets;
	add(u, ".debug_str.dwo", (const uint8_t *)s->text, s->n);
	return 0;
}

/* ---- the file ---- */

static bool put(int fd, const void *bytes, size_t n, size_t *at)
{
	*at += n;
	return !write_all(fd, bytes, n);
}

static int write_elf(const struct dwpunit *u, int fd)
{
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_REL, .e_version = EV_CURRENT, .e_ehsize = sizeof eh,
			  .e_shentsize = sizeof(Elf64_Shdr), .e_machine = EM_X86_64 };
	Elf64_Shdr sh[DWPUNIT_PARTS + 2] = { { 0 } };
	char names[(DWPUNIT_PARTS + 2) * 32] = "";
	size_t at = 0, n_names = 1;

	if (!put(fd, &eh, sizeof eh, &at))
		return -EIO;
	for (unsigned i = 0; i < u->n; i++) {
		sh[i + 1] = (Elf64_Shdr){ .sh_name = (Elf64_Word)n_names, .sh_type = SHT_PROGBITS,
					  .sh_offset = at, .sh_size = u->parts[i].n,
					  .sh_addralign = 1 };
		size_t len = strlen(u->parts[i].name) + 1; /* one of our names: < 32 bytes */

		memcpy(names + n_names, u->parts[i].name, len);
		n_names += len;
		if (!put(fd, u->parts[i].bytes, u->parts[i].n, &at))
			return -EIO;
	}
	sh[u->n + 1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = n_names,
				     .sh_addralign = 1 };
	if (!put(fd, names, sizeof names - sizeof names % 8, &at))
		return -EIO;
	/* libelf maps the file and needs an aligned section header table. */
	if (!put(fd, (const char[8]){ 0 }, 7 & -at, &at))
		return -EIO;
	eh.e_shoff = at;
	eh.e_shnum = (Elf64_Half)(u->n + 2);
	eh.e_shstrndx = (Elf64_Half)(u->n + 1);
	if (!put(fd, sh, (u->n + 2) * sizeof *sh, &at))
		return -EIO;
	return pwrite(fd, &eh, sizeof eh, 0) == (ssize_t)sizeof eh ? 0 : -EIO;
}

int dwpunit_write(struct dwpunit *u, int fd)
{
	struct strings s = { 0 };
	int err = gather_strings(u, &s);

	if (!err)
		err = write_elf(u, fd);
	free(s.offsets);
	free(s.text);
	return err;
}
