/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/droppedlines.h"

#include <dwarf.h>
#include <string.h>

/* The highest byte of an address at which no program has code. */
#define NOWHERE 0x40

/* The part of a section that is still to be read. */
struct rest {
	uint8_t *p, *end;
};

/* Reads a number of 2, 4 or 8 bytes. 0 if the section ends before that; then nothing is left. */
static uint64_t number(struct rest *r, size_t bytes)
{
	uint64_t v = 0;

	if ((size_t)(r->end - r->p) < bytes) {
		r->p = r->end;
		return 0;
	}
	memcpy(&v, r->p, bytes);
	r->p += bytes;
	return v;
}

static void skip(struct rest *r, uint64_t bytes)
{
	const size_t left = (size_t)(r->end - r->p);

	r->p += bytes < left ? bytes : left;
}

/* The line number program of the next unit. Source: DWARF 5, 6.2.4. */
static struct rest next_program(struct rest *r)
{
	size_t width = 4;
	uint64_t len = number(r, width);

	if (len == UINT32_MAX) {
		width = 8;
		len = number(r, width);
	}
	struct rest program = { r->p, r->p };

	skip(r, len);
	program.end = r->p;
	if (number(&program, 2) >= 5)
		skip(&program, 2); /* sizes of addresses and of segment selectors */
	skip(&program, number(&program, width));
	return program;
}

/* Each sequence of lines begins with DW_LNE_set_address: an extended opcode with its size. Source:
 * DWARF 5, 6.2.5.3. */
static void move_sequences(struct rest r)
{
	static const uint8_t at_zero[] = { 0, 1 + sizeof(uint64_t), DW_LNE_set_address,
					   0, 0, 0, 0, 0, 0, 0, 0 };

	while (r.p && (size_t)(r.end - r.p) >= sizeof at_zero) {
		r.p = memmem(r.p, (size_t)(r.end - r.p), at_zero, sizeof at_zero);
		if (!r.p)
			return;
		r.p += sizeof at_zero;
		r.p[-1] = NOWHERE;
	}
}

void droppedlines_move(struct objfile *o)
{
	GElf_Shdr shdr;
	const char *ident = o->elf ? elf_getident(o->elf, NULL) : NULL;

	if (!ident || ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
		return;
	Elf_Scn *scn = objfile_section(o, ".debug_line", &shdr);

	/* A compressed section is decompressed here; libdw would do the same later. */
	if (!scn || shdr.sh_type == SHT_NOBITS ||
	    ((shdr.sh_flags & SHF_COMPRESSED) && elf_compress(scn, 0, 0) < 0))
		return;
	Elf_Data *data = elf_getdata(scn, NULL);

	if (!data || !data->d_buf)
		return;
	struct rest r = { data->d_buf, (uint8_t *)data->d_buf + data->d_size };

	while (r.p < r.end)
		move_sequences(next_program(&r));
}
