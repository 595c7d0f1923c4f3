/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/elffile.h"

#include "base/preadall.h"

#include <gelf.h>
#include <string.h>

/* libelf allocates memory for each section when it opens the file. */
static bool has_too_many_headers(int fd)
{
	union {
		Elf32_Ehdr h32;
		Elf64_Ehdr h64;
	} h;
	Elf64_Shdr first;

	if (pread_all(fd, &h, sizeof h, 0) != sizeof h)
		return false; /* too small to have any */
	if (h.h32.e_ident[EI_CLASS] == ELFCLASS32)
		return h.h32.e_phnum == PN_XNUM || (h.h32.e_shoff && !h.h32.e_shnum);
	if (h.h64.e_phnum == PN_XNUM)
		return true;
	return h.h64.e_shoff && h.h64.e_shoff <= INT64_MAX && !h.h64.e_shnum &&
	       pread_all(fd, &first, sizeof first, (off_t)h.h64.e_shoff) == sizeof first &&
	       first.sh_size >= SHN_LORESERVE;
}

/* Hides a section from every later use of the Elf. */
static bool leave_out(Elf_Scn *scn, GElf_Shdr *sh)
{
	sh->sh_type = SHT_NULL;
	gelf_update_shdr(scn, sh);
	return true;
}

static bool leave_out_segments(Elf *elf)
{
	size_t n = 0;
	bool cut = false;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_filesz <= ELFFILE_PIECE ||
		    (ph.p_type != PT_NOTE && ph.p_type != PT_DYNAMIC &&
		     ph.p_type != PT_GNU_EH_FRAME))
			continue;
		ph.p_type = PT_NULL;
		gelf_update_phdr(elf, (int)i, &ph);
		cut = true;
	}
	return cut;
}

/* Is the section read as a whole, without a check of its size? */
static bool is_piece(GElf_Word type, const char *name)
{
	return type == SHT_NOTE || (type != SHT_NOBITS && name && (!strcmp(name, ".eh_frame") ||
								   !strcmp(name, ".debug_frame")));
}

static bool is_too_large(Elf_Scn *scn, const GElf_Shdr *sh)
{
	GElf_Chdr ch;

	/* gelf_getchdr() reads the whole section, so check its size first. */
	return sh->sh_size > ELFFILE_PIECE ||
	       ((sh->sh_flags & SHF_COMPRESSED) && gelf_getchdr(scn, &ch) &&
		ch.ch_size > ELFFILE_PIECE);
}

static bool leave_out_sections(Elf *elf)
{
	size_t names;
	bool cut = false;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		const char *name = elf_strptr(elf, names, sh.sh_name);

		if (is_piece(sh.sh_type, name) && is_too_large(scn, &sh))
			cut |= leave_out(scn, &sh);
	}
	return cut;
}

/* libelf's numbers of errors are private. Its words are translated only if LC_MESSAGES is set,
 * which mprof never does. */
bool elffile_lacked_memory(void)
{
	const int err = elf_errno();

	return err && !strcmp(elf_errmsg(err), "out of memory");
}

static Elf *open_file(int fd, bool *cut)
{
	elf_version(EV_CURRENT);
	elf_errno(); /* forget what was before */
	/* Read, not mapped: if the file is truncated meanwhile, SIGBUS must not kill us. */
	Elf *elf = fd < 0 || has_too_many_headers(fd) ? NULL : elf_begin(fd, ELF_C_READ, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF) {
		*cut = leave_out_segments(elf);
		return elf;
	}
	elf_end(elf);
	return NULL;
}

Elf *elffile_open(int fd)
{
	bool cut;
	Elf *elf = open_file(fd, &cut);

	if (elf)
		leave_out_sections(elf);
	return elf;
}

/* ---- while a program waits ---- */

static bool is_of_symbols(const GElf_Shdr *sh)
{
	return sh->sh_type == SHT_SYMTAB || sh->sh_type == SHT_DYNSYM ||
	       sh->sh_type == SHT_STRTAB || sh->sh_type == SHT_RELA;
}

/* A string table must end with 0 (ELF gABI, chapter 4). If it does not, libelf searches for the end
 * of the last string again for each look-up, and there may be many of these. */
static bool has_no_end(int fd, const GElf_Shdr *sh)
{
	char last = '\0';

	return sh->sh_type == SHT_STRTAB && sh->sh_size && sh->sh_size <= INT64_MAX &&
	       sh->sh_offset <= INT64_MAX - sh->sh_size &&
	       pread_all(fd, &last, 1, (off_t)(sh->sh_offset + sh->sh_size - 1)) == 1 && last;
}

static bool leave_out_symbols(Elf *elf, int fd)
{
	uint64_t left = (uint64_t)ELFFILE_SYMBOLS_MIB << 20;
	bool cut = false;
	GElf_Shdr sh;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		if (!gelf_getshdr(scn, &sh) || !is_of_symbols(&sh))
			continue;
		if (sh.sh_size > left || has_no_end(fd, &sh))
			cut |= leave_out(scn, &sh);
		else
			left -= sh.sh_size;
	}
	return cut;
}

Elf *elffile_open_quick(int fd, bool *cut)
{
	bool any = false;
	Elf *elf = open_file(fd, &any);

	if (elf) {
		any |= leave_out_symbols(elf, fd); /* including the names of sections */
		any |= leave_out_sections(elf);
	}
	if (cut)
		*cut = any;
	return elf;
}

Elf_Data *elffile_piece(Elf *elf, uint64_t offset, uint64_t size, Elf_Type type)
{
	return offset <= INT64_MAX && size <= ELFFILE_PIECE
		       ? elf_getdata_rawchunk(elf, (int64_t)offset, size, type) : NULL;
}
