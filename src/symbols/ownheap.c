/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runtimes of languages that get memory from the kernel and manage it themselves. Each is
 * recognized by something that nothing else has: Go by the note that its linker writes into each
 * program (go/src/cmd/link, stripped or not), the others by the soname of their library, or by a
 * function that starts them.
 */
#include "symbols/ownheap.h"

#include "symbols/dyntable.h"
#include "symbols/elffile.h"

#include <string.h>

static const struct {
	const char *soname;
	enum ownheap_language language;
} libraries[] = {
	{ "libjvm.so", OWNHEAP_JAVA },
	{ "libcoreclr.so", OWNHEAP_NET },
	{ "libmonosgen-2.0.so.1", OWNHEAP_NET },
};

/* v8::Isolate::New(v8::Isolate::CreateParams const&), in a library or in the program itself. */
static const char v8_begins[] = "_ZN2v87Isolate3NewERKNS0_12CreateParamsE";

/* CPython (Objects/obmalloc.c) has this only if it was built with pymalloc. */
static const char pymalloc_tells[] = "_PyObject_DebugMallocStats";

static bool has_go_note(Elf *elf, const GElf_Phdr *ph)
{
	Elf_Data *data = elffile_piece(elf, ph->p_offset, ph->p_filesz, ELF_T_NHDR);
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0)
		if (note.n_namesz >= sizeof "Go" &&
		    !memcmp((char *)data->d_buf + name, "Go", sizeof "Go"))
			return true;
	return false;
}

static void look_at_segments(Elf *elf, struct ownheap *h)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n && i < INT32_MAX && gelf_getphdr(elf, (int)i, &ph); i++) {
		h->dynamic |= ph.p_type == PT_INTERP;
		if (ph.p_type == PT_NOTE && has_go_note(elf, &ph))
			h->language = OWNHEAP_GO;
	}
}

static void look_at_sections(Elf *elf, struct ownheap *h)
{
	GElf_Shdr sh;

	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));)
		h->symbols |= gelf_getshdr(s, &sh) && sh.sh_type == SHT_SYMTAB &&
			      sh.sh_size > sh.sh_entsize;
}

static bool defines(const struct dyntable *d, const char *function)
{
	const char *name;
	GElf_Sym sym;

	for (size_t i = 0; i < d->n_symbols; i++)
		if (dyntable_symbol(d, i, &sym, &name) && sym.st_shndx != SHN_UNDEF &&
		    !strcmp(name, function))
			return true;
	return false;
}

static void look_at_names(Elf *elf, struct ownheap *h)
{
	struct dyntable d;

	dyntable_read(&d, elf);
	const char *soname = d.soname ? dyntable_string(&d, d.soname) : NULL;
	for (size_t i = 0; soname && i < sizeof libraries / sizeof *libraries; i++)
		if (!strcmp(soname, libraries[i].soname))
			h->language = libraries[i].language;
	if (!h->language && defines(&d, v8_begins))
		h->language = OWNHEAP_JAVASCRIPT;
	h->python = defines(&d, pymalloc_tells);
}

const char *ownheap_language_name(enum ownheap_language l)
{
	static const char *const names[OWNHEAP_LANGUAGES] = {
		"none", "Go", "Java", ".NET", "JavaScript",
	};

	return names[l];
}

struct ownheap ownheap_of(int fd)
{
	struct ownheap h = { 0 };
	Elf *elf = elffile_open_quick(fd, NULL);

	if (elf) {
		look_at_segments(elf, &h);
		look_at_sections(elf, &h);
		look_at_names(elf, &h);
	}
	elf_end(elf);
	return h;
}
