/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/dwp.h"

#include "symbols/dwpunit.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEADER 16	/* bytes of the index's header */

static uint32_t u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static uint64_t u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* The index: a hash table of IDs, one of rows, the kinds of the columns, offsets, sizes. */
static bool read_index(struct dwp *d)
{
	Elf_Data *data = dwpunit_section(&d->file, ".debug_cu_index");

	if (!data || data->d_size < HEADER)
		return false;
	const uint8_t *p = data->d_buf;

	/* 16 bits and padding in version 5, 32 in the older one. */
	d->version = u32(p);
	d->columns = u32(p + 4);
	d->units = u32(p + 8);
	d->slots = u32(p + 12);
	d->index = p + HEADER;
	uint64_t need = (uint64_t)d->slots * 12 + (uint64_t)d->columns * 4 +
			(uint64_t)d->units * d->columns * 8;

	return (d->version == 2 || d->version == 5) && d->columns && d->columns <= DWP_COLUMNS &&
	       d->slots && !(d->slots & (d->slots - 1)) && d->units <= d->slots &&
	       need <= data->d_size - HEADER;
}

int dwp_open(struct dwp *d, const char *path)
{
	*d = DWP_NONE;
	if (objfile_open_relocatable(&d->file, path))
		return -ENOENT;
	d->slot = memfd_create("mprof-dwo", MFD_CLOEXEC);
	if (d->slot < 0 || !read_index(d)) {
		dwp_close(d);
		return -ENOENT;
	}
	snprintf(d->name, sizeof d->name, "/proc/self/fd/%d", d->slot);
	return 0;
}

void dwp_close(struct dwp *d)
{
	if (d->slot >= 0)
		close(d->slot);
	objfile_close(&d->file);
	*d = DWP_NONE;
}

/* The row of a unit, from 1; 0: it is not there. */
static uint32_t row_of(const struct dwp *d, uint64_t id)
{
	uint64_t mask = d->slots - 1, at = id & mask, step = (id >> 32 & mask) | 1;

	for (uint32_t i = 0; i < d->slots; i++, at = (at + step) & mask) {
		uint32_t row = u32(d->index + (size_t)d->slots * 8 + at * 4);

		if (!row || row > d->units)
			return 0;
		if (u64(d->index + at * 8) == id)
			return row;
	}
	return 0;
}

bool dwp_has(const struct dwp *d, uint64_t id)
{
	return d->slot >= 0 && row_of(d, id);
}

static bool id_of(Dwarf_Die *unit, uint64_t *id)
{
	uint8_t type = 0;

	return dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, id, NULL, NULL) == 0 &&
	       type == DW_UT_skeleton;
}

static bool dwo_name(Dwarf_Die *unit, Dwarf_Attribute *a)
{
	return dwarf_attr(unit, DW_AT_dwo_name, a) || dwarf_attr(unit, DW_AT_GNU_dwo_name, a);
}

/* The offset of our name in a section of strings, where padding_add() appended it. */
static bool added_at(const struct dwp *d, struct objfile *o, const char *section, uint32_t *offset)
{
	Elf_Data *data = dwpunit_section(o, section);
	size_t n = strlen(d->name) + 1;

	if (!data || data->d_size < n || data->d_size > UINT32_MAX ||
	    memcmp((char *)data->d_buf + data->d_size - n, d->name, n) != 0)
		return false;
	*offset = (uint32_t)(data->d_size - n);
	return true;
}

/* The element of .debug_str_offsets for a name that is given by its number. */
static uint8_t *str_offset(Dwarf_Die *unit, Dwarf_Attribute *a, struct objfile *o)
{
	Elf_Data *data = dwpunit_section(o, ".debug_str_offsets");
	uint64_t base = 8, number = 0;
	Dwarf_Attribute b;
	Dwarf_Word v;

	if (dwarf_attr(unit, DW_AT_str_offsets_base, &b) && dwarf_formudata(&b, &v) == 0)
		base = v;
	switch (a->form) {
	case DW_FORM_strx1:
		number = a->valp[0];
		break;
	case DW_FORM_strx2:
		number = a->valp[0] | a->valp[1] << 8;
		break;
	case DW_FORM_strx4:
		number = u32(a->valp);
		break;
	default:
		return NULL;
	}
	if (!data || base > data->d_size || number > (data->d_size - base) / 4 ||
	    data->d_size - base - number * 4 < 4)
		return NULL;
	return (uint8_t *)data->d_buf + base + number * 4;
}

bool dwp_redirect(struct dwp *d, Dwarf_Die *unit, struct objfile *o)
{
	uint8_t offset_size = 0, *place = NULL;
	Dwarf_Attribute a;
	uint32_t at;
	uint64_t id;
	const char *section = ".debug_str";

	if (!id_of(unit, &id) || !dwp_has(d, id) || !dwo_name(unit, &a) || !dwarf_formstring(&a) ||
	    !dwarf_cu_die(unit->cu, &(Dwarf_Die){ 0 }, NULL, NULL, NULL, &offset_size, NULL,
			  NULL) ||
	    offset_size != 4)
		return false;
	if (a.form == DW_FORM_line_strp)
		section = ".debug_line_str";
	if (a.form == DW_FORM_strp || a.form == DW_FORM_line_strp)
		place = a.valp;
	else
		place = str_offset(unit, &a, o);
	if (!place || !added_at(d, o, section, &at))
		return false;
	/* libelf has read the file into its own memory, so only that is changed. */
	memcpy(place, &at, sizeof at);
	return true;
}

/* Writes the part of each section that the row of the index has. 0 or -errno. */
static int write_unit(struct dwp *d, uint32_t row, int fd)
{
	const uint8_t *kinds = d->index + (size_t)d->slots * 12;
	const uint8_t *offsets = kinds + ((size_t)d->columns + (size_t)(row - 1) * d->columns) * 4;
	const uint8_t *sizes = offsets + (size_t)d->units * d->columns * 4;
	struct dwpunit u = { .file = &d->file, .version = d->version };

	for (size_t i = 0; i < d->columns; i++)
		dwpunit_part(&u, u32(kinds + i * 4), u32(offsets + i * 4), u32(sizes + i * 4));
	return dwpunit_write(&u, fd);
}

void dwp_offer(struct dwp *d, Dwarf_Die *unit)
{
	Dwarf_Attribute a;
	const char *name;
	uint64_t id;
	uint32_t row;

	if (d->slot < 0 || !dwo_name(unit, &a) || !(name = dwarf_formstring(&a)) ||
	    strcmp(name, d->name) != 0 || !id_of(unit, &id) || d->in_slot == id ||
	    !(row = row_of(d, id)))
		return;
	/* A new file each time: libdw keeps the old one mapped. */
	int fd = memfd_create("mprof-dwo", MFD_CLOEXEC);

	if (fd < 0)
		return;
	if (write_unit(d, row, fd) == 0 && dup3(fd, d->slot, O_CLOEXEC) >= 0)
		d->in_slot = id;
	close(fd);
}
