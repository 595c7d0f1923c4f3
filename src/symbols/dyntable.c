/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/dyntable.h"

#include "symbols/elffile.h"

#include <string.h>

/* Twice what the largest known libraries have: 60 MB of names, 20 of symbols, 40 of
 * relocations. */
#define DYNTABLE_BYTES (2 * ELFFILE_PIECE)

/* Addresses and sizes from .dynamic; 0: not there. */
struct places {
	uint64_t symtab, strtab, strsz, hash, gnu_hash;
	uint64_t rela[DYNTABLE_RELOCS], rela_size[DYNTABLE_RELOCS];
	bool plt_is_rela;
};

bool dyntable_offset(Elf *elf, uint64_t address, uint64_t *offset, uint64_t *room)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    address < ph.p_vaddr || address - ph.p_vaddr >= ph.p_filesz ||
		    __builtin_add_overflow(ph.p_offset, address - ph.p_vaddr, offset))
			continue;
		*room = ph.p_filesz - (address - ph.p_vaddr);
		return *offset <= INT64_MAX;
	}
	return false;
}

Elf_Data *dyntable_loaded(Elf *elf, uint64_t address, uint64_t size, Elf_Type type)
{
	uint64_t offset, room;

	if (!address || !size || !dyntable_offset(elf, address, &offset, &room) || size > room)
		return NULL;
	/* elffile_piece() checks the file's size, too. */
	return elffile_piece(elf, offset, size, type);
}

static bool word(Elf *elf, uint64_t address, uint32_t *value)
{
	const Elf_Data *data = dyntable_loaded(elf, address, sizeof *value, ELF_T_WORD);

	if (data)
		memcpy(value, data->d_buf, sizeof *value);
	return data;
}

bool dyntable_word(Elf *elf, uint64_t address, uint64_t *value)
{
	const Elf_Data *data = dyntable_loaded(elf, address, sizeof *value, ELF_T_XWORD);

	if (data)
		memcpy(value, data->d_buf, sizeof *value);
	return data;
}

/* As dyntable_loaded(), within the limit for all tables of a file. */
static Elf_Data *table(struct dyntable *d, Elf *elf, uint64_t address, uint64_t size, Elf_Type type)
{
	if (size > d->left) {
		d->cut = true;
		return NULL;
	}
	Elf_Data *data = dyntable_loaded(elf, address, size, type);

	d->left -= data ? size : 0;
	return data;
}

/* ---- the number of symbols, which only the hash tables have ---- */

/* DT_HASH begins with the number of buckets, and that of symbols. */
static bool count_by_hash(Elf *elf, uint64_t hash, uint64_t *count)
{
	uint32_t n;

	if (!hash || !word(elf, hash + sizeof n, &n))
		return false;
	*count = n;
	return true;
}

/* DT_GNU_HASH: the numbers of buckets, of the first symbol, and of words of the filter; its shift;
 * the filter; the buckets, each with the first symbol of a chain; and a word for each symbol, odd
 * at the end of a chain. */
static bool count_by_gnu_hash(struct dyntable *d, Elf *elf, uint64_t hash, uint64_t *count)
{
	uint32_t buckets, first, filter, value, last = 0;

	if (!hash || !word(elf, hash, &buckets) || !word(elf, hash + 4, &first) ||
	    !word(elf, hash + 8, &filter))
		return false;
	uint64_t at = hash + 16 + filter * UINT64_C(8), chains = at + buckets * UINT64_C(4), room,
		 offset;
	const Elf_Data *heads = table(d, elf, at, buckets * UINT64_C(4), ELF_T_WORD);

	for (uint32_t i = 0; heads && i < buckets; i++) {
		memcpy(&value, (const char *)heads->d_buf + i * sizeof value, sizeof value);
		if (value > last)
			last = value;
	}
	*count = first;
	if (!heads || last < first)
		return true;
	chains += (last - first) * UINT64_C(4);
	if (!dyntable_offset(elf, chains, &offset, &room))
		return false;
	if (room > d->left)
		room = d->left;
	const Elf_Data *chain = table(d, elf, chains, room - room % sizeof value, ELF_T_WORD);

	for (size_t i = 0; chain && i < chain->d_size / sizeof value; i++) {
		memcpy(&value, (const char *)chain->d_buf + i * sizeof value, sizeof value);
		if (value & 1) {
			*count = (uint64_t)last + i + 1;
			return true;
		}
	}
	return false;
}

/* ---- .dynamic ---- */

static void note(struct dyntable *d, struct places *p, const GElf_Dyn *dyn)
{
	uint64_t v = dyn->d_un.d_val;

	switch (dyn->d_tag) {
	case DT_SYMTAB: p->symtab = v; break;
	case DT_STRTAB: p->strtab = v; break;
	case DT_STRSZ: p->strsz = v; break;
	case DT_HASH: p->hash = v; break;
	case DT_GNU_HASH: p->gnu_hash = v; break;
	case DT_RELA: p->rela[0] = v; break;
	case DT_RELASZ: p->rela_size[0] = v; break;
	case DT_JMPREL: p->rela[1] = v; break;
	case DT_PLTRELSZ: p->rela_size[1] = v; break;
	case DT_PLTREL: p->plt_is_rela = v == DT_RELA; break;
	case DT_SONAME: d->soname = v; break;
	case DT_FLAGS_1: d->flags_1 = v; break;
	default: break;
	}
}

static bool read_dynamic(struct dyntable *d, Elf *elf, struct places *p)
{
	size_t n = 0, entry = gelf_fsize(elf, ELF_T_DYN, 1, EV_CURRENT);
	GElf_Phdr ph;
	GElf_Dyn dyn;

	if (elf_getphdrnum(elf, &n) || !entry)
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_DYNAMIC)
			continue;
		Elf_Data *data = elffile_piece(elf, ph.p_offset, ph.p_filesz - ph.p_filesz % entry,
					       ELF_T_DYN);
		for (size_t j = 0; data && j < data->d_size / entry && j < INT32_MAX; j++) {
			if (!gelf_getdyn(data, (int)j, &dyn) || dyn.d_tag == DT_NULL)
				break;
			note(d, p, &dyn);
		}
		return data;
	}
	return false;
}

/* If nothing is exported, DT_GNU_HASH does not tell how many symbols are imported. */
static uint64_t count_by_relocs(const struct dyntable *d)
{
	uint64_t count = 0;
	GElf_Rela rela;

	for (int i = 0; i < DYNTABLE_RELOCS; i++) {
		Elf_Data *relocs = d->relocs[i];

		for (int j = 0; relocs && j < INT32_MAX && gelf_getrela(relocs, j, &rela); j++)
			if (GELF_R_SYM(rela.r_info) >= count)
				count = GELF_R_SYM(rela.r_info) + 1;
	}
	return count;
}

static void read_relocs(struct dyntable *d, Elf *elf, const struct places *p)
{
	size_t rela = gelf_fsize(elf, ELF_T_RELA, 1, EV_CURRENT);

	for (int i = 0; i < DYNTABLE_RELOCS && rela; i++)
		if (i == 0 || p->plt_is_rela)
			d->relocs[i] = table(d, elf, p->rela[i],
					     p->rela_size[i] - p->rela_size[i] % rela, ELF_T_RELA);
}

/* The size of all strings that are terminated: nothing behind the last 0 is one. */
static size_t whole_strings(const Elf_Data *strings)
{
	const char *s = strings->d_buf, *last = memrchr(s, '\0', strings->d_size);

	return last ? (size_t)(last - s) + 1 : 0;
}

static void read_symbols(struct dyntable *d, Elf *elf, const struct places *p)
{
	size_t sym = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	uint64_t count = 0, named = 0;

	d->strings = table(d, elf, p->strtab, p->strsz, ELF_T_BYTE);
	d->n_strings = d->strings ? whole_strings(d->strings) : 0;
	if (!count_by_hash(elf, p->hash, &count)) {
		if (!count_by_gnu_hash(d, elf, p->gnu_hash, &count))
			return;
		named = count_by_relocs(d);
	}
	if (!d->strings || count > UINT32_MAX)
		return;
	if (named > count)
		d->symbols = table(d, elf, p->symtab, named * sym, ELF_T_SYM);
	d->n_symbols = d->symbols ? (size_t)named : (size_t)count;
	if (!d->symbols)
		d->symbols = table(d, elf, p->symtab, count * sym, ELF_T_SYM);
	if (!d->symbols)
		d->n_symbols = 0;
}

bool dyntable_read(struct dyntable *d, Elf *elf)
{
	struct places p = { 0 };

	*d = (struct dyntable){ .left = DYNTABLE_BYTES };
	if (!read_dynamic(d, elf, &p))
		return false;
	read_relocs(d, elf, &p);
	read_symbols(d, elf, &p);
	return true;
}

const char *dyntable_string(const struct dyntable *d, uint64_t offset)
{
	return offset < d->n_strings ? (const char *)d->strings->d_buf + offset : NULL;
}

bool dyntable_symbol(const struct dyntable *d, size_t i, GElf_Sym *sym, const char **name)
{
	if (i >= d->n_symbols || i > INT32_MAX || !gelf_getsym(d->symbols, (int)i, sym))
		return false;
	*name = dyntable_string(d, sym->st_name);
	return *name;
}
