/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/module.h"

#include "base/preadall.h"
#include "base/text.h"
#include "symbols/debugfile.h"
#include "symbols/droppedlines.h"
#include "symbols/dyntable.h"
#include "symbols/minidebug.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int module_init(struct module *m, const char *path, int fd, const struct symbols_search *search)
{
	*m = (struct module){ .search = search, .main = OBJFILE_NONE, .debug = OBJFILE_NONE,
			      .mini = OBJFILE_NONE, .alt = OBJFILE_NONE, .dwp = DWP_NONE };
	m->cus.dwp = &m->dwp;
	m->gone = fd < 0 && *path == '/';
	m->path = strdup(path);
	if (!m->path) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	if (fd >= 0 && objfile_open(&m->main, fd) == 0)
		objfile_build_id(&m->main, m->id);
	return 0;
}

void module_release(struct module *m)
{
	cus_release(&m->cus);
	elfsyms_release(&m->symtab);
	elfsyms_release(&m->dynsym);
	fdes_release(&m->fdes);
	if (m->dwarf && m->alt_dwarf)
		dwarf_setalt(m->dwarf, NULL);
	dwarf_end(m->dwarf);
	dwarf_end(m->alt_dwarf);
	dwp_close(&m->dwp);
	free(m->dwp_path);
	objfile_close(&m->alt);
	objfile_close(&m->mini);
	objfile_close(&m->debug);
	objfile_close(&m->main);
	padding_release(&m->padding);
	free(m->types);
	free(m->file);
	free(m->source);
	free(m->path);
}

/* Without memory, libelf and libdw behave as if a section were not there. */
static void tell_memory(const struct module *m)
{
	if (errno == ENOMEM && m->search->outside)
		m->search->outside->no_memory();
}

/* The DWARF of @o, if it has any units. */
static Dwarf *units_of(struct module *m, struct objfile *o)
{
	Dwarf *d = NULL;
	Dwarf_CU *cu = NULL;

	errno = 0;
	if (o->elf && padding_add(&m->padding, o, m->dwp.slot >= 0 ? m->dwp.name : NULL) == 0) {
		droppedlines_move(o);
		d = dwarf_begin_elf(o->elf, DWARF_C_READ, NULL);
	}
	tell_memory(m);
	if (d && dwarf_get_units(d, NULL, &cu, NULL, NULL, NULL, NULL) == 0)
		return d;
	dwarf_end(d);
	return NULL;
}

static bool try_dwp(struct module *m, const char *dir, const char *name)
{
	free(m->dwp_path);
	m->dwp_path = NULL;
	if (asprintf(&m->dwp_path, "%s%s%s.dwp", dir, *dir ? "/" : "", name) < 0)
		m->dwp_path = NULL;
	if (m->dwp_path && dwp_open(&m->dwp, m->dwp_path) == 0)
		return true;
	free(m->dwp_path);
	m->dwp_path = NULL;
	return false;
}

/* The DWARF of @o, whose path is @path, with a .dwp file beside it or in a directory of
 * m->search. */
static Dwarf *open_units(struct module *m, struct objfile *o, const char *path)
{
	const char *const *dir = m->search->debug_dirs;
	bool found = o->elf && (try_dwp(m, "", path) || try_dwp(m, "", m->path));

	for (; o->elf && !found && dir && *dir; dir++)
		found = try_dwp(m, *dir, path_last(m->path));
	Dwarf *d = units_of(m, o);

	if (found && !(d && cus_use_dwp(d, o, &m->dwp))) {
		dwp_close(&m->dwp);
		free(m->dwp_path);
		m->dwp_path = NULL;
	}
	return d;
}

static void open_alt(struct module *m, const char *path)
{
	if (debugfile_find_alt(m->search, m->dwarf, path, &m->alt))
		return;
	m->alt_dwarf = units_of(m, &m->alt);
	if (m->alt_dwarf)
		dwarf_setalt(m->dwarf, m->alt_dwarf);
	else
		objfile_close(&m->alt);
}

static bool has_table(struct objfile *o, GElf_Word type)
{
	GElf_Shdr shdr;

	if (!o->elf)
		return false;
	for (Elf_Scn *scn = elf_nextscn(o->elf, NULL); scn; scn = elf_nextscn(o->elf, scn))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == type)
			return true;
	return false;
}

/* Text for symbols_source(). NULL: out of memory. */
static char *describe(struct module *m)
{
	const char *other = m->searched ? m->file->other : "";
	bool in_debug = m->debug.elf && (m->dwarf || !has_table(&m->main, SHT_SYMTAB));
	const char *what = m->gone ? "none; the file is gone or cannot be read" : "none";
	char *s = NULL;

	if (m->dwarf)
		what = "DWARF";
	else if (has_table(&m->main, SHT_SYMTAB) || has_table(&m->debug, SHT_SYMTAB))
		what = ".symtab";
	else if (m->mini.elf)
		what = "MiniDebugInfo";
	else if (has_table(&m->main, SHT_DYNSYM))
		what = ".dynsym";
	int n = asprintf(&s, "%s%s%s%s%s%s%s%s", what, in_debug ? " in " : "",
			 in_debug ? m->file->path : "", m->dwp_path ? ", split in " : "",
			 m->dwp_path ? m->dwp_path : "", *other ? "; " : "", other,
			 *other ? " does not match" : "");

	return n < 0 ? NULL : s;
}

/* Look for the debug file, once. 0 or -ENOMEM. */
static int search_debug_file(struct module *m)
{
	if (!m->file && !(m->file = calloc(1, sizeof *m->file)))
		return -ENOMEM;
	if (m->searched || !m->main.elf)
		return 0;
	m->searched = true;
	*m->file = (struct debugfile){ .search = m->search, .module = m->path, .id = m->id };
	debugfile_find(m->file, &m->main, &m->debug);
	return 0;
}

static bool seems_to_have_dwarf(struct objfile *o)
{
	GElf_Shdr shdr;

	return objfile_section(o, ".debug_info", &shdr) ||
	       objfile_section(o, ".zdebug_info", &shdr);
}

struct objfile *module_dwarf_file(struct module *m)
{
	if (seems_to_have_dwarf(&m->main))
		return &m->main;
	return !search_debug_file(m) && seems_to_have_dwarf(&m->debug) ? &m->debug : NULL;
}

int module_open(struct module *m)
{
	if (m->opened)
		return m->source ? 0 : -ENOMEM;
	m->opened = true;
	m->dwarf = open_units(m, &m->main, m->path);
	if (m->dwarf)
		open_alt(m, m->path);
	else if (search_debug_file(m))
		return -ENOMEM;
	else if ((m->dwarf = open_units(m, &m->debug, m->file->path)))
		open_alt(m, m->file->path);
	if (!m->dwarf && !has_table(&m->main, SHT_SYMTAB) && !has_table(&m->debug, SHT_SYMTAB))
		minidebug_open(&m->main, &m->mini);
	free(m->source);
	m->source = describe(m);
	return m->source ? 0 : -ENOMEM;
}

static int say_split(struct module *m, const char *what)
{
	char *s = NULL;

	if (asprintf(&s, "%s; its split DWARF %s", m->source, what) < 0)
		return -ENOMEM;
	free(m->source);
	m->source = s;
	return 0;
}

const char *module_source(struct module *m)
{
	if (m->source && m->cus.split_stale && !say_split(m, "does not match"))
		m->cus.split_stale = false;
	return m->source;
}

struct cus *module_cus(struct module *m)
{
	if (module_open(m))
		return NULL;
	if (m->dwarf && !m->has_cus && cus_read(&m->cus, m->dwarf, &m->main))
		return NULL;
	if (m->cus.split_missing && !m->has_cus && say_split(m, "is missing"))
		return NULL;
	m->has_cus = true;
	return &m->cus;
}

int module_read_symbols(struct module *m)
{
	int err = module_open(m);

	if (err || m->has_symbols)
		return err;
	m->has_symbols = true;
	errno = 0;
	err = elfsyms_read(&m->symtab, &m->main, SHT_SYMTAB);
	if (!err && !m->symtab.n)
		err = elfsyms_read(&m->symtab, &m->debug, SHT_SYMTAB);
	if (!err && !m->symtab.n)
		err = elfsyms_read(&m->symtab, &m->mini, SHT_SYMTAB);
	err = err ? err : elfsyms_read(&m->dynsym, &m->main, SHT_DYNSYM);
	tell_memory(m);
	return err;
}

const struct fdes *module_fdes(struct module *m)
{
	if (!m->has_fdes && fdes_read(&m->fdes, &m->main))
		return NULL;
	m->has_fdes = true;
	return &m->fdes;
}

bool module_offset(struct module *m, uint64_t at, uint64_t *offset, uint64_t *left)
{
	return m->main.elf && dyntable_offset(m->main.elf, at, offset, left);
}

size_t module_read(struct module *m, uint64_t at, uint8_t *to, size_t size)
{
	uint64_t from, left;

	if (!module_offset(m, at, &from, &left))
		return 0;
	ssize_t got = pread_all(m->main.fd, to, size < left ? size : left, (off_t)from);

	return got < 0 ? 0 : (size_t)got;
}

/* An empty .eh_frame has only its terminator. */
static bool has_section(struct objfile *o, const char *name)
{
	enum { END = 4 };
	GElf_Shdr shdr;

	return o->elf && objfile_section(o, name, &shdr) && shdr.sh_type != SHT_NOBITS &&
	       shdr.sh_size > END;
}

/* The same for a file without section headers. */
static bool has_frame_index(struct objfile *o)
{
	GElf_Phdr p;
	size_t n, sections;

	if (!o->elf || elf_getphdrnum(o->elf, &n) || elf_getshdrnum(o->elf, &sections) || sections)
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++)
		if (gelf_getphdr(o->elf, (int)i, &p) && p.p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

bool module_has_frames(struct module *m)
{
	return has_section(&m->main, ".eh_frame") || has_frame_index(&m->main) ||
	       has_section(&m->main, ".debug_frame") || has_section(&m->debug, ".debug_frame");
}
