/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TEST_SYMBOLS_CFIROWS_H
#define TEST_SYMBOLS_CFIROWS_H

/* What the tests of rows share: entries of .eh_frame put together byte by byte. */

#include "unit/unit.h"

#include "symbols/cfirows_internal.h"

#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION_AT 0x800000	/* where the section is, which addresses may be told from */
#define CODE_START 0x1000
#define CODE_END 0x9000

#define BYTES_MAX 16384

struct eh_frame {
	uint8_t v[BYTES_MAX];
	size_t n;
	size_t cie;		/* the one that functions refer to */
	int encoding;
	size_t fde[64];		/* where each of them is */
	size_t n_fdes;
};

static inline void add(struct eh_frame *s, const void *bytes, size_t n)
{
	assert_true(n <= sizeof s->v - s->n);
	if (!n)
		return;
	memcpy(s->v + s->n, bytes, n);
	s->n += n;
}

static inline void add_number(struct eh_frame *s, uint64_t v, unsigned n)
{
	add(s, &v, n);
}

static inline void add_uleb(struct eh_frame *s, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		add_number(s, v | 0x80, 1);
	add_number(s, v, 1);
}

/* An entry's length is known at its end, where it is filled up with DW_CFA_nop. */
static inline size_t entry_begin(struct eh_frame *s)
{
	add_number(s, 0, 4);
	return s->n;
}

static inline void entry_end(struct eh_frame *s, size_t from)
{
	while ((s->n - from) % 4)
		add_number(s, DW_CFA_nop, 1);
	uint32_t len = (uint32_t)(s->n - from);

	memcpy(s->v + from - 4, &len, sizeof len);
}

struct cie {
	int version;		/* 0: 1 */
	const char *augmentation;	/* NULL: "zR" */
	uint8_t augmentation_data[16];
	uint8_t augmentation_size;	/* 0: the encoding alone */
	uint64_t code_align;	/* 0: 1 */
	int data_align;		/* 0: -8 */
	int ret;		/* 0: the return address */
	int encoding;		/* of the functions; 0: as usual, from here, 4 bytes */
	bool bare;		/* it does not say what is so at every function's first byte */
	const char *code;
	size_t n;
};

#define CODE(...)                                           \
	.code = (const char *)(const uint8_t[]){ __VA_ARGS__ }, \
	.n = sizeof (const uint8_t[]){ __VA_ARGS__ }

/* @c may be { 0 }: what compilers write. */
static inline void add_cie(struct eh_frame *s, struct cie c)
{
	static const uint8_t usual[] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1 };
	const char *augmentation = c.augmentation ? c.augmentation : "zR";

	s->encoding = c.encoding ? c.encoding : DW_EH_PE_pcrel | DW_EH_PE_sdata4;
	s->cie = s->n;
	size_t from = entry_begin(s);

	add_number(s, 0, 4);
	add_number(s, (uint64_t)(c.version ? c.version : 1), 1);
	add(s, augmentation, strlen(augmentation) + 1);
	if (c.version == 4)
		add_number(s, 8, 2);	/* bytes of an address; of a segment's number: none */
	add_uleb(s, c.code_align ? c.code_align : 1);
	add_number(s, (uint64_t)(c.data_align ? c.data_align : -8) & 0x7f, 1);
	add_number(s, (uint64_t)(c.ret ? c.ret : 16), 1);
	if (*augmentation == 'z') {
		uint8_t encoding = (uint8_t)s->encoding;

		add_uleb(s, c.augmentation_size ? c.augmentation_size : strlen(augmentation) - 1);
		if (c.augmentation_size)
			add(s, c.augmentation_data, c.augmentation_size);
		else if (augmentation[1])
			add(s, &encoding, 1);
		if (!c.augmentation_size && augmentation[1] && augmentation[2])
			add_number(s, 0, (unsigned)strlen(augmentation) - 2);
	}
	if (!c.bare)
		add(s, usual, sizeof usual);
	add(s, c.code, c.n);
	entry_end(s, from);
}

/* A function; behind its range come @more bytes of augmentation data if the CIE has such. */
static inline void add_fde(struct eh_frame *s, uint64_t start, uint64_t len, unsigned more,
			   const void *code, size_t n)
{
	static const unsigned widths[] = { 8, 0, 2, 4, 8 };
	unsigned width = widths[s->encoding & 7];

	s->fde[s->n_fdes++] = s->n;
	size_t from = entry_begin(s);

	add_number(s, s->n - s->cie, 4);
	add_number(s, start - ((s->encoding & DW_EH_PE_pcrel) ? SECTION_AT + s->n : 0), width);
	add_number(s, len, width);
	if (strchr((const char *)s->v + s->cie + 9, 'z') == (const char *)s->v + s->cie + 9) {
		add_uleb(s, more);
		for (unsigned i = 0; i < more; i++)
			add_number(s, 0xcc, 1);
	}
	add(s, code, n);
	entry_end(s, from);
}

#define FDE(s, start, len, ...)                                          \
	add_fde(s, start, len, 0, (const uint8_t[]){ __VA_ARGS__ },      \
		sizeof (const uint8_t[]){ __VA_ARGS__ })

static inline struct cfi_section section_of(const struct eh_frame *s, Elf_Data *d)
{
	static const unsigned char ident[EI_NIDENT] = {
		[EI_CLASS] = ELFCLASS64, [EI_DATA] = ELFDATA2LSB, [EI_VERSION] = EV_CURRENT
	};

	*d = (Elf_Data){ .d_buf = (void *)(uintptr_t)s->v, .d_size = s->n, .d_type = ELF_T_BYTE,
			 .d_version = EV_CURRENT };
	return (struct cfi_section){ d, ident, SECTION_AT };
}

/* The rows of all functions, in the order in which they were added. */
static inline int make_rows(const struct eh_frame *s, struct cfi_rows *t)
{
	struct row_maker m;
	Elf_Data d;
	struct cfi_section section = section_of(s, &d);
	int err = rows_init(t, CODE_START, CODE_END);

	row_maker_init(&m, t, &section);
	for (size_t i = 0; i < s->n_fdes && !err; i++)
		err = row_maker_add(&m, s->fde[i]);
	row_maker_release(&m);
	return err ? err : rows_finish(t);
}

/* ---- rows as text ---- */

static inline int number_of(uint16_t v, uint16_t mask)
{
	int n = v & mask;

	return n > mask / 2 ? n - mask - 1 : n;
}

static inline void print_row(FILE *f, const struct unwind_row *r)
{
	static const char *const cfas[] = { "fp%+d", "*(fp%+d)", "*(sp%+d)+1", "stub%+d",
					    "signal%+d", "end", "none", "unsaid" };
	static const char *const fps[] = { "", " cfa%+d", " base%+d", " lost" };

	fprintf(f, "%x ", r->pc + CODE_START);
	if (r->cfa < UNWIND_CFA_OTHER)
		fprintf(f, "sp+%d", r->cfa);
	else
		fprintf(f, cfas[(r->cfa - UNWIND_CFA_OTHER) >> 12],
			number_of(r->cfa, UNWIND_CFA_NUMBER));
	fprintf(f, fps[r->fp >> 14], number_of(r->fp, UNWIND_FP_NUMBER));
}

/* Fails unless the rows are those that @expected has, "1000 sp+1, 1001 sp+2 cfa-2, ..."; rows that
 * say nothing of the code before the first function and behind the last are left out. */
static inline void assert_rows(const struct eh_frame *s, const char *expected)
{
	struct cfi_rows t;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(make_rows(s, &t), 0);
	for (size_t i = 0; i < t.n; i++) {
		bool edge = (!i || i == t.n - 1) && t.v[i].cfa == UNWIND_CFA_NONE;

		if (edge)
			continue;
		if (ftell(f) > 0)
			fputs(", ", f);
		print_row(f, &t.v[i]);
	}
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
	cfirows_release(&t);
}

#endif
